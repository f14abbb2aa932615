// Renew Subscription: docs/interface.md section 4.39. The merchant requests one attempt to collect the cycle of the day. This operation
// accepts the attempt. The collection sweep sends it, at once or at the next permitted instant.

import Type, { type Static } from 'typebox'
import { dateInIndia, dateTimeInIndia } from '../../../engine/clock.ts'
import { latest, operation, refuse, refuseWith } from '../../../engine/decision.ts'
import * as fields from '../../../interface/fields.ts'
import { instantOf } from '../../../interface/instant.ts'
import { toPaise } from '../../../interface/money.ts'
import * as replied from '../../../interface/replied.ts'
import type { FaultCodes, Refusal } from '../../../interface/request.ts'
import { renewSubscription as codes } from '../../../interface/result-codes.ts'
import type { Signed, Wire } from '../../../interface/wire.ts'
import type { Reference } from '../../../reference/reference.ts'
import { merchantKey, orderKey, subscriptionKey } from '../../../tables/keys.ts'
import { look, type Row } from '../../../tables/tables.ts'
import { takesPayments } from '../../merchant/merchant.ts'
import { holdsPipe } from '../initiate-subscription.ts'
import { id, ids, refusalOf } from '../manage-request.ts'
import type { Subscription } from '../subscription.ts'
import { beginAttempt } from './attempt.ts'
import { followingOf, scheduledIfNew } from './find-cycle.ts'
import { checkRenewal, type RenewalCheck, type RenewalRefusal, renewalReads, ruleText, triedReads } from './renewal-check.ts'

type Code = (typeof codes)['success']

const head = Type.Object({ clientId: Type.Optional(fields.name), signature: Type.Unknown() })
const body = Type.Object({
  mid: fields.mid,
  orderId: fields.orderId,
  subscriptionId: id,
  subsId: ids.subsId,
  txnAmount: fields.money,
  extendInfo: Type.Optional(fields.map),
  /** The attempt is not sent before this time. */
  debitDate: Type.Optional(fields.dateTime),
})

const faults: FaultCodes<Code> = {
  missing: () => ({ result: codes.missingElement }),
  wrong({ path, name }) {
    if (path === 'mid') return { result: codes.invalidMid }
    if (path === 'txnAmount.value') return { result: codes.invalidTxnAmount }
    return { result: codes.missingElement, message: `Invalid ${name}` }
  },
}

export const INVALID_ID = { result: codes.missingElement, message: 'Invalid subscriptionId' } as const

export const wire: Wire<typeof head, typeof body, Code> = {
  query: ['mid', 'orderId'],
  head,
  body,
  faults,
  unreadable: codes.missingElement,
  missingParam: (name) => ({
    result: codes.missingElement,
    ...(name === 'mid' && { message: 'Mid is mandatory in query parameter' }),
  }),
  midMismatch: codes.midMismatch,
  orderIdMismatch: codes.orderIdMismatch,
  systemError: codes.systemError,
  answersFirst: (asSent) => (holdsPipe(asSent) ? { result: codes.pipeCharacter } : undefined),
  check: ({ subscriptionId, subsId = subscriptionId }) =>
    subscriptionId === subsId ? [] : [{ parameter: 'subscriptionId', cause: 'twoIds', ...INVALID_ID }],
}

export const reply = Type.Object({
  txnId: replied.id,
  subscriptionId: replied.id,
  orderId: fields.orderId,
  nextAttemptTime: Type.Optional(replied.dateTime),
  rule: Type.Optional(replied.text),
})

export interface RenewSubscription {
  request: Static<typeof body>
  caller: Signed
  subscriptionId: string
  reference: Pick<Reference, 'category'>
  now: number
  fresh: { txnId: string }
}

export const renewSubscription = operation({
  name: 'renewSubscription',
  codes,
  reads: ({ request: { mid }, subscriptionId }: RenewSubscription) => ({
    merchant: merchantKey(mid),
    subscription: subscriptionKey(mid, subscriptionId),
  }),
  // `taken` is read after the subscription is locked, so a twin of this request elsewhere gets the code of a used orderId.
  readsNext: ({ request: { mid, orderId }, now }, { subscription }) => ({
    taken: orderKey(mid, orderId),
    ...renewalReads(subscription, dateInIndia(now)),
    first: subscription && look('orders', mid, subscription.orderId),
  }),
  readsLast: (_command, { cycle }) => triedReads(cycle),
  decide(command, { merchant, subscription, taken, first, newest, standing, open, cycle: stored, previous, following }) {
    const { request: r, caller, reference, now, fresh } = command
    if (!takesPayments(merchant)) return refuse(codes.invalidMid, undefined, 'mid', merchant ? 'disabledMid' : 'unknownMid')
    if (caller.signature !== 'valid') return refuse(codes.invalidChecksum)
    if (!subscription || !first) return refuse(codes.notFound)
    const category = reference.category(merchant.mcc)
    const at = r.debitDate === undefined ? now : Math.max(now, instantOf(r.debitDate.replace(' ', 'T'))!)
    const amountPaise = toPaise(r.txnAmount.value)
    const { cycle, amountFault, outlook } = checkRenewal({
      ...{ subscription, category, cycle: stored, previous, newest: newest?.[0], standing: standing?.[0], open },
      ...{ amountPaise, now, at },
    })
    if (amountFault) return refuseWith(amountFaults[amountFault])
    if (taken) return refuse(codes.duplicateOrderId)
    if ('obstacle' in outlook) return refuseWith(refusalFor(outlook.obstacle, subscription, now))

    const opened = scheduledIfNew(cycle!, now)
    const { orderId, extendInfo } = r
    const attempt = beginAttempt({
      ...{ subscription, collection: opened.collection, first, orderId, txnId: fresh.txnId, amountPaise, now },
      ...{
        sendAt: outlook.at,
        isLeftToCollector: true,
        ...(extendInfo && { extendInfo }),
        ...(outlook.at > now && { rule: ruleOf(outlook) }),
      },
    })
    const next = followingOf(subscription, category, cycle!, following, now)
    return {
      reply: { result: codes.success, body: accepted(attempt.transaction, subscription, outlook, now) },
      changes: latest([...opened.changes, ...attempt.changes, ...next.changes]),
      events: [...opened.events, ...attempt.events, ...next.events],
      tasks: [],
    }
  },
})

const amountFaults: Readonly<Record<NonNullable<RenewalCheck['amountFault']>, Refusal<Code>>> = {
  anotherAmount: { result: codes.invalidTxnAmount, parameter: 'txnAmount.value', cause: 'fixed' },
  amountOverMax: { result: codes.amountOverMax, parameter: 'txnAmount.value' },
}

function refusalFor(obstacle: RenewalRefusal, subscription: Subscription, now: number): Refusal<Code> {
  if (obstacle === 'notActive' || obstacle === 'expired') return refusalOf(subscription, codes, now)
  if (typeof obstacle === 'object') return { result: codes.forbidden, message: codes.forbidden.message + ruleText(obstacle) }
  return { result: codeOf[obstacle] }
}
const codeOf: Readonly<Record<Exclude<RenewalRefusal, object | 'notActive' | 'expired'>, Code>> = {
  tooEarlyForCycle: codes.tooEarly,
  alreadyCollected: codes.alreadyCollected,
  skipped: codes.skipped,
  inFlight: codes.inFlight,
  retryNotAllowed: codes.retryNotAllowed,
  attemptsUsedUp: codes.attemptsUsedUp,
  noNotice: codes.noticeNotFound,
}

/**
 * For an attempt that waits, the reply adds the time of the attempt and the rule that postpones it. The merchant's own `debitDate` is a
 * rule too.
 */
function accepted(
  { txnId, orderId }: Row<'transactions'>,
  { subscriptionId }: Subscription,
  found: { at: number; rule?: string },
  now: number,
) {
  return { txnId, subscriptionId, orderId, ...(found.at > now && { nextAttemptTime: dateTimeInIndia(found.at), rule: ruleOf(found) }) }
}
const ruleOf = ({ rule = 'debitDate' }: { rule?: string }) => rule
