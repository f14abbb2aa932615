// A silent party delays its own calls alone. A silent bank delays no one-time password, a silent provider no refund, and silent endpoints
// no other merchant's notification.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ADAPTER_SECRET } from '../../support/bank/adapter.ts'
import { bank, type Heard, listener, type Party } from '../../support/bank/silent.ts'
import { notifiedWorld, notifyOf } from '../../support/notifications/receiver.ts'
import { createOrder, pay } from '../../support/paying/paying.ts'
import { paidOrder, refund } from '../../support/paying/refunds.ts'
import { codeOf } from '../../support/run/replies.ts'
import { onBothStores, type Service, startService } from '../../support/run/service.ts'
import { send, signInWorld } from '../../support/signin/signin.ts'

const SILENT = 80 // more than there were places for all parties together
const PER_MERCHANT = 64
const LATE_MS = 8_000 // before any silent call times out, the first of them after ten seconds
const LOST = { paymentMode: 'UPI', payerAccount: 'silent@upi' }

/** Fails when the call does not come while the others are still silent. */
const inTime = async (heard: Promise<Heard>, what: string) =>
  assert.ok(await Promise.race([heard, sleep(LATE_MS, undefined, { ref: false })]), `${what} waits for somebody who is silent`)
/** Spread over ranges of six digits, so that no limit applies. */
const phoneOf = (at: number) => `9${String(10_000 + at).padStart(5, '0')}${String(at).padStart(4, '0')}`
const sent = async (service: Service, phone: string) => assert.equal((await send(service, { phone })).body.responseCode, 'BE1400001')

onBothStores('a bank and a provider that answer some and are silent to others', (store) => {
  test('delay no other call', async () => {
    const clock = { now: () => Date.parse('2026-06-15T10:00:00+05:30') }
    const lost = new Map<string, number>()
    const isLost = ({ call, body }: Heard) => call === 'authorize' && body.means.vpa === LOST.payerAccount
    const theirs = await bank(
      clock,
      ({ call, body }) => {
        const asked = call === 'status' ? lost.get(body.key) : undefined
        if (asked !== undefined) lost.set(body.key, asked + 1)
        return asked !== undefined && asked > 0 // the customer's own request gets an answer
      },
      (heard) => {
        if (isLost(heard)) lost.set(heard.body.key, 0)
        return isLost(heard)
      },
    )
    const provider = await listener(({ body }) => body.to?.startsWith('+919'))
    const service = await startService(store, {
      polls: true,
      world: signInWorld,
      env: { MOHUR_ACQUIRER_URL: theirs.url, MOHUR_ACQUIRER_SECRET: ADAPTER_SECRET, MOHUR_SMS_URL: provider.url },
    })
    after(async () => {
      await Promise.all([theirs.close(), provider.close()])
      await service.close()
    })
    const paid = await paidOrder(service, 'PAID')

    await Promise.all(Array.from({ length: SILENT }, async (_, at) => pay(service, await createOrder(service, `LOST-${at}`), LOST)))
    service.clock.advance(2 * 60_000)
    service.tasks.wake()
    await inTime(
      theirs.hears(() => [...lost.values()].filter((asked) => asked > 1).length >= PER_MERCHANT),
      'a question',
    )
    await sent(service, '7000000001')
    await inTime(
      provider.hears(({ body }) => body.to === '+917000000001'),
      'a one-time password',
    )

    await Promise.all(Array.from({ length: SILENT }, (_, at) => sent(service, phoneOf(at))))
    await inTime(
      provider.hears(() => provider.heard.length > PER_MERCHANT),
      'a message',
    )
    assert.equal(codeOf(await refund(service, paid, 'R1', '10.00')), '601')
    await inTime(
      theirs.hears(({ call }) => call === 'refund'),
      'a refund',
    )
    await sent(service, '7000000002')
    await inTime(
      provider.hears(({ body }) => body.to === '+917000000002'),
      'another one-time password',
    )
  })
})

onBothStores('merchants whose endpoints are silent', (store) => {
  test('delay no notification of other merchants, whatever hosts they name', async () => {
    const silent: Party = await listener(() => true)
    const quick = await listener()
    const port = new URL(silent.url).port
    const service = await startService(store, { world: notifiedWorld(quick.url, 'json'), polls: true })
    after(async () => {
      await Promise.all([silent.close(), quick.close()])
      await service.close()
    })
    const tellSilent = async (_: unknown, at: number) =>
      notifyOf(service, `S-${at}`, 1, { mid: `M${at % 5}`, peonUrl: `http://h${at}.localhost:${port}/` })
    await Promise.all(Array.from({ length: 5 * PER_MERCHANT }, tellSilent))
    service.tasks.wake()
    await inTime(
      silent.hears(() => silent.heard.length > PER_MERCHANT),
      'a notification',
    )
    await notifyOf(service, 'MINE', 1)
    await inTime(
      quick.hears(({ body }) => body.body.orderId === 'MINE'),
      'a notification',
    )
    assert.ok(silent.heard.length < 5 * PER_MERCHANT, 'no merchant has more than his share')
  })
})
