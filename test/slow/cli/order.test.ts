// `mohur order ask` beside a service in its own process: docs/operating/commands.md.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { bankJournal, createOrder, pay } from '../../support/paying/paying.ts'
import { mohurCommand, serveProcess } from '../../support/run/process.ts'
import { MID, onBothStores } from '../../support/run/service.ts'
import { spokenTo } from '../../support/run/spoken-to.ts'
import { place } from '../../support/store/at-rest.ts'

onBothStores('mohur order ask', (store) => {
  const stops: (() => Promise<unknown>)[] = []
  after(() => Promise.all(stops.map((stop) => stop())))

  test('asks the bank now and takes its answer over, and nothing is sent again', async () => {
    const at = await place(store)
    const process = await serveProcess(at)
    let isServing = true
    const stop = async () => {
      if (isServing) await process.kill('SIGTERM')
      isServing = false
    }
    stops.push(stop)
    const service = spokenTo(process.url)
    const order = await createOrder(service, 'ASKED')
    const { txnId } = (await pay(service, order, { paymentMode: 'UPI', payerAccount: 'slow@upi' })).body
    // The bank decides after two minutes; the service would ask half a minute later.
    await service.post('/sandbox/clock', JSON.stringify({ advance: 'PT2M10S' }))
    assert.match((await mohurCommand(['order', 'show', 'ASKED'], at)).out, new RegExp(`next: the bank is asked again about ${txnId} at `))
    const asked = await mohurCommand(['order', 'ask', txnId], at)
    assert.deepEqual([asked.code, asked.err], [0, ''])
    assert.match(asked.out, /^order ASKED of \S+ {2}PAID/)
    assert.match(asked.out, new RegExp(`^payment 1 ${txnId} {2}SUCCESS`, 'm'))
    const again = await mohurCommand(['order', 'ask', 'ASKED'], at)
    assert.deepEqual([again.code, again.out], [0, `${txnId}: it has ended, so there is nothing to ask\n`])
    assert.equal((await mohurCommand(['verify'], at)).code, 0)
    const journal = await bankJournal(process)
    assert.deepEqual(
      journal.map(({ key, kind, outcome }) => [key, kind, outcome]),
      [[`${MID}:${txnId}`, 'authorize', 'success']],
    )
  })

  test('says what it cannot ask about', async () => {
    const at = await place(store)
    const process = await serveProcess(at)
    await createOrder(spokenTo(process.url), 'UNPAID')
    await process.kill('SIGTERM')
    for (const [number, said] of [
      ['UNPAID', 'no payment of UNPAID has begun\n'],
      ['NOWHERE', 'no merchant has an order, payment or refund with the number NOWHERE\n'],
    ] as const) {
      const { code, err } = await mohurCommand(['order', 'ask', number], at)
      assert.deepEqual([code, err], [2, said])
    }
  })
})
