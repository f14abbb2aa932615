// Mandates that end in the middle of other work: a debit that waits for its hour, a debit that has just reported the end. docs/interface.md
// section 3.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { subscriptionKey } from '../../src/tables/keys.ts'
import { manage } from '../support/mandates/mandates.ts'
import { consented, events, journal, moveTo } from '../support/mandates/timeline.ts'
import { statusOf } from '../support/paying/paying.ts'
import { MID, onBothStores, type Service, sharedService } from '../support/run/service.ts'
import { watched } from '../support/store/faults.ts'
import { assertHolds } from '../support/store/verify.ts'

const MONTHLY = {
  txnAmount: { value: '1.00', currency: 'INR' },
  renewalAmount: '499.00',
  subscriptionGraceDays: '2',
  subscriptionRetryCount: '2',
}
const dates = (subscriptionStartDate: string, subscriptionExpiryDate: string) => ({ subscriptionStartDate, subscriptionExpiryDate })

const payer = (service: Service, subscriptionId: string, action: string, more: object = {}) =>
  service.post('/sandbox/payer', JSON.stringify({ mid: MID, subscriptionId, action, ...more }))
const script = (service: Service, subscriptionId: string, call: string, outcomes: string[]) =>
  service.post('/sandbox/bank/script', JSON.stringify({ mid: MID, subscriptionId, call, outcomes }))
const stateOf = async ({ ports }: Service, subscriptionId: string) => {
  const row = (await ports.query.row(subscriptionKey(MID, subscriptionId)))!
  return `${row.status} ${row.subStatus}`
}

onBothStores('a payer', (store) => {
  const crashing = { isOn: false, isOver: false }
  /** No write succeeds after the one that ends the subscription. */
  const service = sharedService(store, {
    store: (under) =>
      watched(under, {
        write({ changes }) {
          if (crashing.isOver) throw new Error('injected')
          const ends = changes.some(({ key, ...more }) => key.table === 'subscriptions' && 'row' in more)
          crashing.isOver = crashing.isOn && ends
        },
      }),
  })

  test('who has revoked a mandate, as a debit reports, has all its cycles ended with it, whenever a crash falls between', async () => {
    const running = await service()
    await moveTo(running, '2026-11-21 11:00:00')
    const { subscriptionId } = await consented(running, 'CRASHES', { ...MONTHLY, ...dates('2026-12-05', '2027-03-05') })
    await moveTo(running, '2026-12-05 05:00:00')
    await payer(running, subscriptionId, 'revoke', { isReported: false })
    crashing.isOn = true
    await moveTo(running, '2026-12-05 06:00:00')
    assert.ok(crashing.isOver)
    assert.equal(await stateOf(running, subscriptionId), 'REJECT USER_CANCELLED')
    await assertHolds(running)
    Object.assign(crashing, { isOn: false, isOver: false })
    await moveTo(running, '2026-12-05 06:10:00')
    assert.deepEqual((await events(running, subscriptionId)).slice(-4), [
      '2026-12-05 06:00:00 subscription.revoked',
      '2026-12-05 06:00:00 20261205 collection.attempted',
      '2026-12-05 06:00:00 20270105 collection.missed',
      '2026-12-05 06:01:30 20261205 collection.failed',
    ])
    await assertHolds(running)
  })

  test('who skips a debit that waits for its hour has it withdrawn, and is not debited for that cycle again', async () => {
    const running = await service()
    await moveTo(running, '2027-10-20 11:00:00')
    const { subscriptionId } = await consented(running, 'SKIPS-WAITING', { ...MONTHLY, ...dates('2027-11-05', '2027-12-05') })
    await script(running, subscriptionId, 'collect', ['declined'])
    await moveTo(running, '2027-11-05 11:00:00')
    const body = { mid: MID, orderId: 'SKIPPED-1', subscriptionId, txnAmount: { value: '499.00', currency: 'INR' } }
    const renewed = await running.signed(`/subscription/renew?mid=${MID}&orderId=SKIPPED-1`, body)
    assert.deepEqual([renewed.body.resultInfo.resultCode, renewed.body.nextAttemptTime], ['0000', '2027-11-05 13:00:00'], renewed.text)
    assert.equal((await payer(running, subscriptionId, 'skip')).status, 200)
    const order = await statusOf(running, { orderId: 'SKIPPED-1' })
    assert.equal(order.body.resultInfo.resultStatus, 'TXN_FAILURE', order.text)
    await assertHolds(running)
    await moveTo(running, '2027-11-20 00:00:00')
    assert.deepEqual((await events(running, subscriptionId)).filter((line) => / 20271105 /.test(line)).slice(2), [
      '2027-11-05 06:00:00 20271105 collection.attempted',
      '2027-11-05 06:00:00 20271105 collection.attempt-failed',
      '2027-11-05 11:00:00 20271105 collection.attempted',
      '2027-11-05 11:00:00 20271105 collection.skipped',
    ])
    assert.deepEqual((await journal(running, subscriptionId)).slice(1), ['2027-11-05 06:00:00 collect declined 499.00'])
  })

  test('who opts out while the bank has not received a debit is not sent it again', async () => {
    const running = await service()
    const { subscriptionId, orderId } = await neverReceived(running, 'OPTS-OUT-UNSENT', '2028')
    assert.equal((await payer(running, subscriptionId, 'skip')).status, 200)
    await moveTo(running, '2028-02-20 00:00:00')
    assert.deepEqual(await ofDay(running, subscriptionId, '20280205'), [
      '2028-02-05 06:00:00 20280205 collection.attempted',
      '2028-02-05 06:00:00 20280205 collection.unwanted',
      '2028-02-05 06:01:30 20280205 collection.skipped',
    ])
    assert.deepEqual((await journal(running, subscriptionId)).slice(1), [])
    const order = await statusOf(running, { orderId })
    assert.equal(order.body.resultInfo.resultStatus, 'TXN_FAILURE', order.text)
    await assertHolds(running)
  })

  test('whose mandate is paused and resumed while the bank has not received a debit is not sent it again on that day', async () => {
    const running = await service()
    const { subscriptionId, orderId } = await neverReceived(running, 'PAUSED-UNSENT', '2029')
    for (const status of ['SUSPENDED', 'ACTIVE']) {
      await manage(running, '/subscription/subscription/status/modify', { subsId: subscriptionId, status })
      await running.tasks.runDue() // a pause that is lifted before its call is made is never sent
    }
    await moveTo(running, '2029-02-20 00:00:00')
    assert.deepEqual(await ofDay(running, subscriptionId, '20290205'), [
      '2029-02-05 06:00:00 20290205 collection.attempted',
      '2029-02-05 06:00:00 20290205 collection.unwanted',
      '2029-02-05 06:01:30 20290205 collection.missed',
    ])
    assert.deepEqual(
      (await journal(running, subscriptionId)).slice(1).map((line) => line.split(' ')[2]),
      ['pause', 'resume'],
    )
    assert.equal((await statusOf(running, { orderId })).body.resultInfo.resultStatus, 'TXN_FAILURE')
    await assertHolds(running)
  })

  /** At six on 5 February a debit was sent and has not arrived. Mohur does not know that yet. */
  async function neverReceived(running: Service, orderId: string, year: string) {
    await moveTo(running, `${year}-02-01 11:00:00`)
    const { subscriptionId } = await consented(running, orderId, { ...MONTHLY, ...dates(`${year}-02-05`, `${year}-02-20`) })
    await script(running, subscriptionId, 'collect', ['timeout'])
    await moveTo(running, `${year}-02-05 06:00:00`)
    return { subscriptionId, orderId: `A${subscriptionId}.${year}0205.1` }
  }
  const ofDay = async (running: Service, subscriptionId: string, day: string) =>
    (await events(running, subscriptionId)).filter((line) => line.includes(` ${day} `)).slice(2)

  test('whose mandate expires while nothing runs has every cycle of it on record, those that had not begun too', async () => {
    const running = await service()
    await moveTo(running, '2030-02-01 11:00:00')
    const weekly = { ...MONTHLY, subscriptionFrequencyUnit: 'WEEK', ...dates('2030-02-05', '2030-02-28') }
    const { subscriptionId } = await consented(running, 'OUTLIVED', weekly)
    running.clock.advance(Date.parse('2030-03-03T09:00:00+05:30') - running.clock.now())
    await moveTo(running, '2030-03-05 00:00:00')
    const known = await events(running, subscriptionId)
    assert.deepEqual(
      known.filter((line) => line.endsWith('missed')),
      ['20300205', '20300212', '20300219', '20300226'].map((day) => `2030-03-03 09:00:00 ${day} collection.missed`),
    )
    assert.ok(known.includes('2030-03-03 09:00:00 subscription.expired'))
    assert.deepEqual((await journal(running, subscriptionId)).slice(1), [])
    await assertHolds(running)
  })
})
