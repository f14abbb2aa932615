// Puts a store back to before some work of its bank. Afterwards the books again have what the bank took and gave back, once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectKey } from '../../src/domain/transaction/acquirer-keys.ts'
import { collectionKey } from '../../src/tables/keys.ts'
import { find } from '../../src/tables/tables.ts'
import { booksEqualJournal } from '../support/bank/books.ts'
import { rupees, type Stage, scripted, stage } from '../support/mandates/scenario.ts'
import { moveTo } from '../support/mandates/timeline.ts'
import { bankJournal, CARD, createOrder, pay, script, statusOf } from '../support/paying/paying.ts'
import { refund } from '../support/paying/refunds.ts'
import { MID, onBothStores } from '../support/run/service.ts'
import { backup } from '../support/store/restored.ts'
import { assertHolds } from '../support/store/verify.ts'

const DAY_MS = 24 * 60 * 60_000

/** Nothing is due any more, and bank and books agree. */
async function assertAgreed(service: Stage) {
  await service.tasks.advance(service.clock.now() + 9 * DAY_MS, async (at) => service.clock.advance(Math.max(0, at - service.clock.now())))
  await booksEqualJournal(service)
  await assertHolds(service)
}

onBothStores('a store that was restored', (store) => {
  const running = stage(store)
  /** One cycle in its own month, due on the 5th. */
  const agreed = async (orderId: string, month: string, more: object = {}) => {
    const service = await running()
    await moveTo(service, `${month}-01 11:00:00`)
    const mandate = await service.consented(orderId, {
      ...{ txnAmount: rupees('1.00'), renewalAmount: '499.00', subscriptionGraceDays: '5', subscriptionRetryCount: '3' },
      ...{ subscriptionStartDate: `${month}-05`, subscriptionExpiryDate: `${month}-20`, ...more },
    })
    const collectionId = `${mandate.subscriptionId}.${month.replace('-', '')}05`
    const cycle = async () => (await service.ports.query.row(collectionKey(MID, collectionId)))!.status
    const attempts = () => service.ports.query.rows(find('transactions', { equals: { mid: MID, collectionId }, limit: 10 }))
    const before = (await bankJournal(service)).length
    const moved = async () =>
      (await bankJournal(service))
        .slice(before)
        .filter(({ outcome, kind }) => outcome === 'success' && ['collect', 'refund'].includes(kind))
        .map(({ kind, amountPaise }) => `${kind} ${amountPaise}`)
    return { service, mandate, collectionId, cycle, attempts, moved }
  }

  test('before an automatic refund of a debit books it as given back, and nothing goes back twice', async () => {
    const { service, mandate, cycle, attempts, moved } = await agreed('LATE', '2027-02', { subscriptionGraceDays: '1' })
    await scripted(service, mandate, 'collect', ['late'])
    await moveTo(service, '2027-02-05 07:00:00')
    const putBack = await backup(service)
    await moveTo(service, '2027-02-14 00:00:00') // the cycle ended undecided, the debit succeeded and was given back
    assert.deepEqual([await cycle(), await moved()], ['FAILED', ['collect 49900', 'refund 49900']])
    await putBack()
    await moveTo(service, '2027-02-15 00:00:00')
    assert.deepEqual([await cycle(), await moved()], ['FAILED', ['collect 49900', 'refund 49900']])
    const [attempt] = await attempts()
    assert.deepEqual([attempt!.result, attempt!.capturedPaise, attempt!.returnedPaise], ['returned', 49_900, 49_900])
    await assertAgreed(service)
  })

  test('before the debit itself makes it anew under its key, learns that it was given back, and ends the cycle', async () => {
    const { service, mandate, cycle, attempts, moved } = await agreed('MERCHANT', '2027-04')
    await moveTo(service, '2027-04-04 12:00:00')
    const putBack = await backup(service)
    await moveTo(service, '2027-04-05 12:00:00')
    assert.equal(await cycle(), 'COLLECTED')
    const [debit] = await attempts()
    await refund(service, debit!, 'GOODWILL', '499.00')
    await service.tasks.runDue()
    assert.deepEqual(await moved(), ['collect 49900', 'refund 49900'])
    await putBack()
    await moveTo(service, '2027-04-12 00:00:00')
    assert.deepEqual([await cycle(), await moved()], ['FAILED', ['collect 49900', 'refund 49900']])
    assert.notEqual((await attempts())[0]!.txnId, debit!.txnId)
    assert.equal((await attempts()).length, 1)
    await assertAgreed(service)
    assert.equal((await statusOf(service, { orderId: `A${mandate.subscriptionId}.20270405.1` })).body.resultInfo.resultCode, '810')
  })

  test('learns of a refund that was sent under another key, and sends none', async () => {
    const { service, collectionId, cycle, moved, attempts } = await agreed('OTHER_KEY', '2027-06')
    await moveTo(service, '2027-06-04 12:00:00')
    const putBack = await backup(service)
    await moveTo(service, '2027-06-05 12:00:00')
    const [debit] = await attempts()
    const call = { key: `${MID}:refund:A${debit!.txnId}`, logged: '', authorizeKey: collectKey(MID, collectionId, 1) }
    await service.ports.acquirer().refund({ ...call, mid: MID, orderId: debit!.orderId, amountPaise: 49_900 })
    await putBack()
    await moveTo(service, '2027-06-12 00:00:00')
    const made = (await bankJournal(service)).filter(({ kind, key }) => kind === 'refund' && key === call.key)
    assert.deepEqual([await cycle(), await moved(), made.length], ['FAILED', ['collect 49900', 'refund 49900'], 1])
    assert.equal((await attempts())[0]!.returnedPaise, 49_900)
    await assertAgreed(service)
  })

  test("keeps a payer's payment that its merchant gave back, and the merchant's refund of the same refId is the same refund", async () => {
    const service = await running()
    const order = await createOrder(service, 'SHOPPED')
    await script(service, order, 'slow')
    await pay(service, order, CARD)
    const putBack = await backup(service)
    await service.tasks.advance(service.clock.now() + DAY_MS, async (at) => service.clock.advance(Math.max(0, at - service.clock.now())))
    const { txnId } = (await statusOf(service, order)).body
    await refund(service, { ...order, txnId }, 'R1', '100.00')
    await service.tasks.runDue()
    await putBack()
    await service.tasks.advance(service.clock.now() + DAY_MS, async (at) => service.clock.advance(Math.max(0, at - service.clock.now())))
    assert.equal((await statusOf(service, order)).body.resultInfo.resultStatus, 'TXN_SUCCESS')
    await refund(service, { ...order, txnId }, 'R1', '100.00')
    await assertAgreed(service)
    assert.equal((await bankJournal(service)).filter(({ key }) => key === `${MID}:refund:ref:R1`).length, 1)
  })

  test("books a payer's payment that came too late as given back, also where the store was put back to before it was given up", async () => {
    const service = await running()
    const order = await createOrder(service, 'TOO-LATE')
    await script(service, order, 'late')
    await pay(service, order, CARD)
    const putBack = await backup(service)
    await service.tasks.advance(service.clock.now() + 9 * DAY_MS, async (at) =>
      service.clock.advance(Math.max(0, at - service.clock.now())),
    )
    await putBack()
    await assertAgreed(service)
    const { resultCode } = (await statusOf(service, order)).body.resultInfo
    assert.equal(resultCode, '810')
  })
})
