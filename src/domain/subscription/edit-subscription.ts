// Edit Subscription: docs/interface.md section 4.41. Every change of the agreed terms, even a lowering, waits for the customer's approval.
// Until then the old terms hold. Cycles that the customer was notified of keep the old terms.

import Type, { type Static } from 'typebox'
import { dateInIndia } from '../../engine/clock.ts'
import { operation, refuse, refuseWith } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import { toPaise } from '../../interface/money.ts'
import * as replied from '../../interface/replied.ts'
import type { Refusal } from '../../interface/request.ts'
import { editSubscription as codes } from '../../interface/result-codes.ts'
import type { Signed } from '../../interface/wire.ts'
import { subscriptionKey } from '../../tables/keys.ts'
import type { PendingEdit } from '../../tables/subscription.ts'
import { mandateCapPaise } from './collection/rail-rules.ts'
import { ids, isCollected, managingWire, refusalOf } from './manage-request.ts'
import { amendTask } from './mandate/bank-tasks.ts'
import { notifyOfMoves, recipientKeys } from './mandate-notifications.ts'
import { type Subscription, subscriptionEvent } from './subscription.ts'
import { isEditOpen } from './subscription-view.ts'

const EDIT_VALIDITY_MS = 24 * 60 * 60_000 // docs/interface.md section 8 (Mohur)

const body = Type.Object({
  mid: fields.mid,
  ...ids,
  renewalAmount: Type.Optional(fields.amount),
  subscriptionMaxAmount: Type.Optional(fields.amount),
  subscriptionExpiryDate: Type.Optional(fields.date),
})
type Request = Static<typeof body>
type Code = (typeof codes)['success']

export const wire = managingWire(body, codes)

export const reply = Type.Object({ subsId: replied.text, editId: replied.text, editStatus: Type.Enum(['PENDING']) })

export interface EditSubscription {
  request: Request
  caller: Signed
  /** From `subsId` or `subscriptionId`. */
  subscriptionId: string
  now: number
  fresh: { editId: string }
}

export const editSubscription = operation({
  name: 'editSubscription',
  codes,
  reads: ({ request: { mid }, subscriptionId }: EditSubscription) => ({ subscription: subscriptionKey(mid, subscriptionId) }),
  readsNext: (_command, { subscription }) => recipientKeys(subscription),
  decide({ request, caller, subscriptionId, now, fresh: { editId } }, state) {
    const { subscription: before } = state
    if (caller.signature !== 'valid') return refuse(codes.badRequest, undefined, undefined, 'signature')
    const { renewalAmount, subscriptionMaxAmount, subscriptionExpiryDate: expiryDate } = request
    if (renewalAmount === undefined && subscriptionMaxAmount === undefined && expiryDate === undefined)
      return refuse(codes.badRequest, undefined, undefined, 'nothingAsked')
    if (!before) return refuse(codes.notFound)
    const wrong = wrongTerms(request, before, dateInIndia(now))
    if (wrong) return refuseWith(wrong)
    if (!isCollected(before, now)) return refuseWith(refusalOf(before, codes, now))
    if (isEditOpen(before.edit, now)) return refuse(codes.inFlight)

    const edit: PendingEdit = {
      editId,
      ...(renewalAmount !== undefined && { renewalAmountPaise: toPaise(renewalAmount) }),
      ...(subscriptionMaxAmount !== undefined && { maxAmountPaise: toPaise(subscriptionMaxAmount) }),
      ...(expiryDate !== undefined && { expiryDate }),
      validUntil: now + EDIT_VALIDITY_MS,
    }
    const subscription: Subscription = { ...before, version: before.version + 1, edit, updatedAt: now }
    return notifyOfMoves(state, now, {
      reply: { result: codes.success, body: { subsId: subscriptionId, editId, editStatus: 'PENDING' } },
      changes: [{ kind: 'update', key: subscriptionKey(before.mid, subscriptionId), row: subscription }],
      events: [subscriptionEvent('subscription.edit-requested', before, subscription, now, { editId })],
      // No bank knows a wallet's mandate. So the service asks the wallet's payer by a message, and the payer answers on the mandate page.
      tasks: subscription.paymentMode === 'BALANCE' ? [] : [amendTask(subscription, edit, now)],
    })
  },
})

function wrongTerms(
  { renewalAmount, subscriptionMaxAmount, subscriptionExpiryDate: expiryDate }: Request,
  { amountType, startDate, paymentMode, txnAmountPaise }: Subscription,
  today: string,
): Refusal<Code> | undefined {
  const isNothing = (amount: string) => toPaise(amount) === 0
  // With FIX the amount is the maximum too. With VARIABLE the maximum is the only amount.
  if (renewalAmount !== undefined && (amountType !== 'FIX' || isNothing(renewalAmount)))
    return { result: codes.invalidRenewalAmount, parameter: 'renewalAmount', cause: amountType === 'FIX' ? 'zero' : 'notFixed' }
  // The maximum must still cover the first payment, as when the subscription was made.
  const isTooLow = (amount: string) => isNothing(amount) || toPaise(amount) < txnAmountPaise
  if (subscriptionMaxAmount !== undefined && (amountType !== 'VARIABLE' || isTooLow(subscriptionMaxAmount)))
    return {
      result: codes.invalidMaxAmount,
      parameter: 'subscriptionMaxAmount',
      cause: amountType === 'VARIABLE' ? 'belowFirst' : 'notVariable',
    }
  if (expiryDate !== undefined && (expiryDate < startDate || expiryDate < today))
    return { result: codes.invalidExpiryDate, parameter: 'subscriptionExpiryDate' }
  const most = renewalAmount ?? subscriptionMaxAmount
  const cap = paymentMode === null ? undefined : mandateCapPaise(paymentMode as fields.SubscriptionPaymentMode, today)
  if (most !== undefined && cap !== undefined && toPaise(most) > cap)
    return { result: codes.maxAmountOverLimit, parameter: renewalAmount === undefined ? 'subscriptionMaxAmount' : 'renewalAmount' }
  return undefined
}
