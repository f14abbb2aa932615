// A bank that does not report a debit's result. No other debit of the cycle is sent meanwhile, and a late success is given back.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { advanceCollection } from '../../src/domain/subscription/collection/advance-collection.ts'
import { applyTransactionResult } from '../../src/domain/transaction/apply-transaction-result.ts'
import { find } from '../../src/tables/tables.ts'
import { manage } from '../support/mandates/mandates.ts'
import { assertLife, type Mandate, payer, rupees, type Stage, scripted, stage } from '../support/mandates/scenario.ts'
import { events, moveTo } from '../support/mandates/timeline.ts'
import { bankJournal, orderCode } from '../support/paying/paying.ts'
import { MID, onBothStores } from '../support/run/service.ts'
import { assertHolds } from '../support/store/verify.ts'

const renewed = async (running: Stage, { subscriptionId }: Mandate, orderId: string) => {
  const body = { mid: MID, orderId, subscriptionId, txnAmount: rupees('499.00') }
  return (await running.signed(`/subscription/renew?mid=${MID}&orderId=${orderId}`, body)).body.resultInfo.resultCode as string
}
/** Debits that the bank has made in a month, and its refunds, in order. */
const moved = async (running: Stage, month: string) =>
  (await bankJournal(running))
    .filter(({ at, kind, outcome }) => at.startsWith(month) && outcome === 'success' && ['collect', 'refund'].includes(kind))
    .map(({ kind, amountPaise }) => `${kind} ${amountPaise}`)
const undecided = async (running: Stage) =>
  Number(/^mohur_debits_undecided (\d+)$/m.exec(await (await fetch(`${running.url}/metrics`)).text())?.[1])

onBothStores('a debit that its bank does not decide', (store) => {
  const running = stage(store)
  /** One cycle in its own month, due on the 5th. */
  const agreed = async (orderId: string, month: string, graceDays: number, more: Record<string, unknown> = {}) => {
    const service = await running()
    await moveTo(service, `${month}-01 11:00:00`)
    const mandate = await service.consented(orderId, {
      txnAmount: rupees('1.00'),
      renewalAmount: '499.00',
      subscriptionStartDate: `${month}-05`,
      subscriptionExpiryDate: `${month}-20`,
      subscriptionGraceDays: String(graceDays),
      subscriptionRetryCount: '3',
      ...more,
    })
    return { service, mandate }
  }

  test('is seen by the next debit of its cycle also where both are decided in one batch', async () => {
    const { service, mandate } = await agreed('ONE-BATCH', '2027-07', 9)
    await scripted(service, mandate, 'collect', ['insufficient', 'success'])
    await moveTo(service, '2027-07-06 05:59:59')
    const { engine, query, reference } = service.ports
    const collectionId = `${mandate.subscriptionId}.20270705`
    const tried = () => query.rows(find('transactions', { equals: { mid: MID, collectionId }, limit: 9 }))
    const [first] = await tried()
    assert.deepEqual([first!.status, first!.openAtBank], ['FAILURE', false])
    service.clock.advance(1_000)
    const now = service.clock.now()
    const fresh = { txnId: 'batched', noticeId: 'batched' }
    await Promise.all([
      engine.submit(applyTransactionResult, { mid: MID, txnId: first!.txnId, answer: { outcome: 'pending' }, reference, now }),
      engine.submit(advanceCollection, { mid: MID, collectionId, reference, now, fresh }),
    ])
    assert.deepEqual(
      (await tried()).map(({ openAtBank }) => openAtBank),
      [true],
    )
    await moveTo(service, '2027-07-21 00:00:00')
    assert.deepEqual(await moved(service, '2027-07'), ['collect 49900'])
    await assertHolds(service)
  })

  test('stays the attempt of its cycle for as long as the days of the cycle last, and is kept when it succeeds by then', async () => {
    const { service, mandate } = await agreed('KEPT', '2027-08', 9)
    await scripted(service, mandate, 'collect', ['late', 'success'])
    await moveTo(service, '2027-08-08 14:00:00')
    assert.equal(await renewed(service, mandate, 'KEPT-RENEWED'), '3909')
    assert.equal(await orderCode(service, { orderId: `A${mandate.subscriptionId}.20270805.1` }), '402')
    assert.equal(await undecided(service), 1)
    await assertHolds(service)
    await moveTo(service, '2027-08-21 00:00:00')
    assert.equal(await undecided(service), 0)
    await assertLife(service, mandate, {
      events: [
        '2027-08-01 11:00:00 subscription.activated',
        '2027-08-01 11:00:00 20270805 collection.scheduled',
        '2027-08-03 18:00:00 20270805 collection.noticed',
        '2027-08-05 06:00:00 20270805 collection.attempted',
        '2027-08-09 06:00:00 20270805 collection.collected',
        '2027-08-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2027-08-01 11:00:00 authorize success 1.00',
        '2027-08-01 11:00:00 mandate success 499.00',
        '2027-08-03 18:00:00 notify success 499.00',
        '2027-08-09 00:00:00 collect success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS KEPT',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270805_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20270805.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_3',
      ],
      payer: [
        '2027-08-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-08-2027 until 20-08-2027.',
        '2027-08-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-08-2027.',
        '2027-08-09 06:00:00 debited: Demo Stores has debited Rs 499.00 on 09-08-2027.',
      ],
    })
  })

  test('fails after 72 hours when its cycle is over by then; merchant and payer are notified only then, and a late success is given back', async () => {
    const { service, mandate } = await agreed('UNDECIDED', '2027-09', 1)
    await scripted(service, mandate, 'collect', ['late', 'success'])
    const order = `A${mandate.subscriptionId}.20270905.1`
    await moveTo(service, '2027-09-08 05:59:00')
    assert.equal(await orderCode(service, { orderId: order }), '402')
    await moveTo(service, '2027-09-08 06:00:00')
    assert.equal(await orderCode(service, { orderId: order }), '141')
    assert.equal(await undecided(service), 1)
    await assertHolds(service)
    await moveTo(service, '2027-09-21 00:00:00')
    assert.equal(await orderCode(service, { orderId: order }), '810')
    assert.equal(await undecided(service), 0)
    await assertLife(service, mandate, {
      events: [
        '2027-09-01 11:00:00 subscription.activated',
        '2027-09-01 11:00:00 20270905 collection.scheduled',
        '2027-09-03 18:00:00 20270905 collection.noticed',
        '2027-09-05 06:00:00 20270905 collection.attempted',
        '2027-09-08 06:00:00 20270905 collection.failed',
        '2027-09-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2027-09-01 11:00:00 authorize success 1.00',
        '2027-09-01 11:00:00 mandate success 499.00',
        '2027-09-03 18:00:00 notify success 499.00',
        '2027-09-09 00:00:00 collect success 499.00',
        '2027-09-09 06:00:00 refund success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS UNDECIDED',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270905_2',
        'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20270905.1',
        'REFUND TXN_SUCCESS AS.20270905.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_3',
      ],
      payer: [
        '2027-09-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-09-2027 until 20-09-2027.',
        '2027-09-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-09-2027.',
        '2027-09-08 06:00:00 debit-failed: Demo Stores could not debit Rs 499.00 on 08-09-2027.',
      ],
    })
  })

  test('is the only one of its cycle, whatever the script says of the next', async () => {
    const { service, mandate } = await agreed('ALONE', '2027-10', 5)
    await scripted(service, mandate, 'collect', ['late', 'late'])
    await moveTo(service, '2027-10-30 00:00:00')
    assert.deepEqual(await moved(service, '2027-10'), ['collect 49900'])
    await assertHolds(service)
  })

  test('goes on as it was through a pause, a skip, an edit and an end, and is kept', async () => {
    const { service, mandate } = await agreed('MEANWHILE', '2027-11', 9)
    const { subscriptionId } = mandate
    await scripted(service, mandate, 'collect', ['late'])
    await moveTo(service, '2027-11-06 10:00:00')
    await manage(service, '/subscription/edit', { subsId: subscriptionId, renewalAmount: '300.00' })
    await payer(service, mandate, 'approve')
    await payer(service, mandate, 'skip')
    await manage(service, '/subscription/subscription/status/modify', { subsId: subscriptionId, status: 'SUSPENDED' })
    await manage(service, '/subscription/subscription/status/modify', { subsId: subscriptionId, status: 'ACTIVE' })
    await manage(service, '/subscription/subscription/cancel', { subsId: subscriptionId })
    await payer(service, mandate, 'revoke')
    assert.equal(await orderCode(service, { orderId: `A${subscriptionId}.20271105.1` }), '402')
    await moveTo(service, '2027-11-30 00:00:00')
    assert.deepEqual(await moved(service, '2027-11'), ['collect 49900'])
    assert.deepEqual((await events(service, subscriptionId)).slice(-1), ['2027-11-09 06:00:00 20271105 collection.collected'])
    await assertHolds(service)
  })

  test('bars the next debit also when it was for another amount, until that has been given back', async () => {
    const { service, mandate } = await agreed('OTHER', '2027-12', 9)
    await scripted(service, mandate, 'collect', ['wrongAmount', 'success'])
    await service.post('/sandbox/bank/script', JSON.stringify({ orderId: `A${mandate.subscriptionId}.20271205.1`, outcomes: ['late'] }))
    await moveTo(service, '2027-12-08 12:00:00')
    assert.deepEqual(await moved(service, '2027-12'), ['collect 50000'])
    assert.equal(await renewed(service, mandate, 'OTHER-RENEWED'), '3909')
    await moveTo(service, '2027-12-21 00:00:00')
    assert.deepEqual(await moved(service, '2027-12'), ['collect 50000', 'refund 50000', 'collect 49900'])
    await assertHolds(service)
  })

  test('that its bank does not know, and that is withdrawn, bars the next until no call can arrive any more', async () => {
    const { service, mandate } = await agreed('ABSENT', '2028-01', 2, { autoRenewal: false })
    await moveTo(service, '2028-01-03 18:00:00')
    const { subscriptionId: subsId } = mandate
    await manage(service, '/subscription/preNotify', { subsId, txnAmount: '499.00', txnDate: '05-01-2028' })
    await scripted(service, mandate, 'collect', ['timeout'])
    await moveTo(service, '2028-01-05 09:57:00')
    assert.equal(await renewed(service, mandate, 'ABSENT-1'), '0000')
    await moveTo(service, '2028-01-05 09:59:00') // its bank has not received it, and the forbidden hours have begun
    const close = { mid: MID, orderId: 'ABSENT-1', requestType: 'CLOSE' }
    assert.equal((await service.signed('/v1/order/close', close)).body.resultInfo.resultCode, '0000')
    assert.equal(await renewed(service, mandate, 'ABSENT-2'), '3909')
    await assertHolds(service)
    await moveTo(service, '2028-01-05 10:03:00')
    assert.equal(await renewed(service, mandate, 'ABSENT-2'), '3909')
    await moveTo(service, '2028-01-05 10:03:30')
    assert.equal(await renewed(service, mandate, 'ABSENT-2'), '0000')
    await moveTo(service, '2028-01-05 13:01:00')
    assert.deepEqual(await moved(service, '2028-01'), ['collect 49900'])
    await assertHolds(service)
  })
})
