// Applies the acquirer's answer about a refund: docs/interface.md section 3. It runs under the lease of the task that asked. So when two
// processes ask at once, only one answer counts.

import { NOTHING, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { merchantKey, newCustomerKey, redemptionKey, refundKey, transactionKey } from '../../tables/keys.ts'
import { look } from '../../tables/tables.ts'
import { notificationReads } from '../notification/notification.ts'
import { counterReads } from '../promotion/redemption.ts'
import type { AcquirerAnswer } from '../transaction/acquirer-answer.ts'
import { refundOutcomeOf } from './refund-outcome.ts'

const codes = ownCodes('applyRefundResult', 'applied', 'gone')

export interface ApplyRefundResult {
  mid: string
  refId: string
  answer: AcquirerAnswer
  /** A person asked for this query. The schedule has the next one then. */
  scheduledAt?: number
  now: number
}

export const applyRefundResult = operation({
  name: 'applyRefundResult',
  codes,
  reads: ({ mid, refId }: ApplyRefundResult) => ({ refund: refundKey(mid, refId), merchant: merchantKey(mid) }),
  readsNext: ({ mid }, { refund }) => ({
    order: refund && look('orders', mid, refund.orderId),
    transaction: refund && transactionKey(mid, refund.txnId),
    redemption: refund && redemptionKey(mid, refund.txnId),
    ...(refund ? notificationReads(mid, refund.orderId) : {}),
  }),
  readsLast: ({ mid }, { order, transaction, redemption }) => ({
    ...(order?.consentOrderId ? notificationReads(mid, order.consentOrderId) : {}),
    customer: transaction?.payer ? newCustomerKey(transaction.payer.mobile) : undefined,
    ...(redemption ? counterReads(mid, redemption.promocode, redemption.custId) : {}),
  }),
  decide({ answer, scheduledAt, now }, { refund, merchant, order, transaction, redemption, customer, ...more }) {
    if (!refund || !order || !transaction) return { ...NOTHING, reply: { result: codes.gone } }
    const { everybody, ofCustomer, merchantStream, peonStream } = more as Partial<typeof more>
    const refunding = { refund, transaction, order, merchant, customer, redemption, everybody, ofCustomer, merchantStream, peonStream }
    const { changes, events, tasks, ...after } = refundOutcomeOf(refunding, answer, now, scheduledAt)
    return { reply: { result: codes.applied, body: { refund: after.refund } }, changes, events, tasks }
  },
})
