// A bank names the mandate with the consent's payment, while it is pending or when it has succeeded (docs/acquirer.md, "Mandates").
// Whenever that is, an unused mandate is withdrawn. A consent that names no mandate is no consent. On both stores.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mandateReferenceOf } from '../../src/adapters/acquirer/sandbox/sandbox-mandate-answer.ts'
import type { AcquirerAnswer } from '../../src/domain/transaction/acquirer-answer.ts'
import { applyTransactionResult } from '../../src/domain/transaction/apply-transaction-result.ts'
import { manage, orderRow, subscriptionRow, transactionRow } from '../support/mandates/mandates.ts'
import { fix, initiate, subscription } from '../support/mandates/subscription.ts'
import { journal } from '../support/mandates/timeline.ts'
import { pay } from '../support/paying/paying.ts'
import { codeOf } from '../support/run/replies.ts'
import { MID, onBothStores, type Service, sharedService } from '../support/run/service.ts'

onBothStores('a mandate that its bank names', (store) => {
  const service = sharedService(store)

  /** Its first payment, of ten rupees, waits for the payer; the bank has the mandate already. */
  async function waiting(running: Service, orderId: string) {
    const { body } = await initiate(running, subscription(orderId, fix('100.00')))
    const { subscriptionId, txnToken } = body as { subscriptionId: string; txnToken: string }
    const paid = await pay(running, { orderId, txnToken }, { paymentMode: 'UPI', payerAccount: 'slow@upi' })
    const txnId: string = paid.body.txnId
    const answered = (answer: AcquirerAnswer) => {
      const { engine, reference, clock } = running.ports
      return engine.submit(applyTransactionResult, { mid: MID, txnId, answer, reference, now: clock.now() })
    }
    const named = { mandateReference: mandateReferenceOf('success', `${MID}:${subscriptionId}:mandate`) }
    return { subscriptionId, orderId, txnId, answered, named }
  }
  const success = { outcome: 'success', reference: 'B1', amountPaise: 10_00 } as const
  const revoked = async (running: Service, subscriptionId: string) => {
    await running.tasks.runDue()
    return (await journal(running, subscriptionId)).filter((line) => line.includes(' revoke ')).length
  }

  test('only while the payment is pending is withdrawn though the merchant had cancelled, and the payment is given back', async () => {
    const running = await service()
    const { subscriptionId, txnId, answered, named } = await waiting(running, 'NAMED-LATE')
    assert.equal(codeOf(await manage(running, '/subscription/cancel', { subsId: subscriptionId })), '3006')
    assert.equal(await revoked(running, subscriptionId), 0, 'nobody knows its name')
    await answered({ outcome: 'pending', ...named })
    assert.equal(await revoked(running, subscriptionId), 1)
    await answered(success)
    const { status, capturedPaise, refundedPaise } = (await transactionRow(running, txnId))!
    assert.deepEqual([status, capturedPaise, refundedPaise], ['FAILURE', 10_00, 10_00])
  })

  test('with nothing is not agreed to until it is named, and its payment is neither kept nor lost', async () => {
    const running = await service()
    const { subscriptionId, orderId, txnId, answered, named } = await waiting(running, 'UNNAMED')
    await answered(success)
    assert.equal((await subscriptionRow(running, subscriptionId))!.status, 'INIT')
    assert.deepEqual(
      [(await orderRow(running, orderId))!.status, (await transactionRow(running, txnId))!.status],
      ['IN_PROCESS', 'UNKNOWN'],
    )
    await answered({ ...success, ...named })
    const { status, mandate } = (await subscriptionRow(running, subscriptionId))!
    assert.deepEqual([status, mandate!.reference], ['ACTIVE', named.mandateReference])
    assert.equal((await orderRow(running, orderId))!.status, 'PAID')
  })
})
