// A small round of test/load/restores.ts: a store is put back to an earlier day while its bank goes on.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { restoredLife } from '../../support/bank/restore-search.ts'
import { accountAt, idOf, PAYER, UPI, WEBHOOK } from '../../support/cashfree/account.ts'
import { CashfreeSimulator } from '../../support/cashfree/simulator.ts'
import { createOrder, orderCode, pay } from '../../support/paying/paying.ts'
import { refund, transactionOf } from '../../support/paying/refunds.ts'
import { MID, onBothStores, type Service, sharedService, startService } from '../../support/run/service.ts'
import { sized } from '../../support/run/sizes.ts'
import { backup } from '../../support/store/restored.ts'
import { assertHolds } from '../../support/store/verify.ts'

const FROM = { sqlite: 11, postgres: 1_001 } as const
const RESTORES = sized(4, 60)

onBothStores('a restored store', (store) => {
  const running = sharedService(store)
  test('agrees with the bank’s journal about every payment, debit and refund of which it can learn', async (t) => {
    const service = await running()
    let behind = 0
    for (let seed = FROM[store]; seed < FROM[store] + RESTORES; seed++) {
      const { differ, movedSince } = await restoredLife(service, seed)
      assert.deepEqual(differ, [], `seed ${seed}`)
      behind += movedSince
    }
    assert.ok(behind > 0, 'the bank had moved no money since any backup')
    t.diagnostic(`seeds ${FROM[store]} to ${FROM[store] + RESTORES - 1}, money moved behind the backups: ${behind} times`)
  })
})

const RESTORED_AFTER_MS = 10 * 60_000

onBothStores('a store that is restored beside Cashfree', (store) => {
  let bank: CashfreeSimulator
  let service: Service
  after(async () => {
    await service?.close()
    await bank?.stop()
  })

  /** A payment that waits for its payer when the backup is made. The payer then approves it, and the webhook comes. */
  async function paidSinceBackup(orderId: string, between: (order: { orderId: string }) => Promise<unknown> = async () => {}) {
    bank ??= await CashfreeSimulator.start({ now: () => service?.clock.realNow() ?? Date.now() })
    service ??= await startService(store, { env: accountAt(bank.url) })
    const order = await createOrder(service, orderId, PAYER)
    const { txnId } = (await pay(service, order, UPI)).body as { txnId: string }
    const putBack = await backup(service)
    await between(order)
    bank.settle(idOf(txnId), 'SUCCESS')
    const { headers, body } = bank.webhook(idOf(txnId))
    await service.call('POST', WEBHOOK, headers, body)
    await service.tasks.runDue()
    return { paid: { ...order, txnId }, putBack }
  }

  async function restored(putBack: () => Promise<void>) {
    service.clock.set(RESTORED_AFTER_MS)
    service.clock.pass(RESTORED_AFTER_MS)
    await putBack()
    await service.tasks.runDue()
  }

  test('keeps no payment that Mohur has returned since the backup, and returns it once', async () => {
    const close = ({ orderId }: { orderId: string }) => service.signed('/v1/order/close', { requestType: 'CLOSE', mid: MID, orderId })
    const { paid, putBack } = await paidSinceBackup('CLOSED', close)
    const { refunds } = bank.orders.get(idOf(paid.txnId))!
    assert.deepEqual([(await transactionOf(service, paid)).result, refunds.length], ['returned', 1])
    await restored(putBack)
    const { status, result, capturedPaise, returnedPaise } = await transactionOf(service, paid)
    assert.deepEqual([status, result, capturedPaise, returnedPaise], ['FAILURE', 'returned', 10_000, 10_000])
    assert.equal(refunds.length, 1)
    await assertHolds(service)
  })

  test('keeps a payment that its merchant has refunded since the backup', async () => {
    const { paid, putBack } = await paidSinceBackup('REFUNDED')
    await refund(service, paid, 'REF_1', '100.00')
    await service.tasks.runDue()
    assert.equal((await transactionOf(service, paid)).returnedPaise, 10_000)
    await restored(putBack)
    assert.equal(await orderCode(service, paid), '01')
    await refund(service, paid, 'REF_1', '100.00')
    await service.tasks.runDue()
    const { capturedPaise, returnedPaise } = await transactionOf(service, paid)
    assert.deepEqual([capturedPaise, returnedPaise, bank.orders.get(idOf(paid.txnId))!.refunds.length], [10_000, 10_000, 1])
    await assertHolds(service)
  })
})
