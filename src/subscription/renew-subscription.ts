// Renew Subscription: docs/interface.md section 4.39. The merchant asks for one attempt at collecting the cycle of the day. It is
// accepted here and sent by the collector, at once or at the next instant that the rules permit.

import Type, { type Static } from 'typebox'
import { dateInIndia, dateTimeInIndia } from '../engine/clock.ts'
import { latest, operation, refuse, refuseWith } from '../engine/decision.ts'
import * as fields from '../interface/fields.ts'
import { instantOf } from '../interface/instant.ts'
import { toPaise } from '../interface/money.ts'
import type { FaultCodes, Refusal } from '../interface/request.ts'
import { renewSubscription as codes } from '../interface/result-codes.ts'
import type { Signed, Wire } from '../interface/wire.ts'
import { collectionsOf, look, merchantKey, orderKey, type Row, standingNoticeOf, subscriptionKey } from '../tables.ts'
import type { Reference } from '../transaction/reference.ts'
import { beginAttempt } from './attempt.ts'
import type { Collection } from './collection.ts'
import { holdsPipe } from './initiate-subscription.ts'
import { id, ids, isCollected, refusalOf } from './managing.ts'
import type { Subscription } from './subscription.ts'
import { type Obstacle, outlook, ruleText } from './verdict.ts'
import { begun, cycleKeys, cycleOfDay, followingOf } from './which-cycle.ts'

type Code = (typeof codes)['success']

const head = Type.Object({ clientId: Type.Optional(fields.name), signature: Type.Unknown() })
const body = Type.Object({
  mid: fields.mid,
  orderId: fields.orderId,
  subscriptionId: id,
  subsId: ids.subsId,
  /** Absent with FIX: what was agreed. */
  txnAmount: Type.Optional(fields.money),
  extendInfo: Type.Optional(fields.map),
  /** Not before. */
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
    subscriptionId === subsId ? [] : [{ parameter: 'subscriptionId', ...INVALID_ID }],
}

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
  reads: ({ request: { mid, orderId }, subscriptionId }: RenewSubscription) => ({
    merchant: merchantKey(mid),
    subscription: subscriptionKey(mid, subscriptionId),
    taken: orderKey(mid, orderId),
  }),
  readsNext({ request: { mid }, subscriptionId, now }, { subscription }) {
    const keys = cycleKeys(subscription, dateInIndia(now))
    return {
      ...keys,
      first: subscription && look('orders', mid, subscription.orderId),
      newest: subscription?.frequencyUnit === 'ONDEMAND' ? collectionsOf(mid, subscriptionId, 1) : undefined,
      standing: keys.cycle && standingNoticeOf(mid, keys.cycle.id[1]!),
    }
  },
  decide(command, { merchant, subscription, taken, first, newest, standing, cycle: stored, previous, following }) {
    const { request: r, caller, reference, now, fresh } = command
    if (!merchant) return refuse(codes.invalidMid)
    if (caller.signature !== 'valid') return refuse(codes.invalidChecksum)
    if (!subscription || !first) return refuse(codes.notFound)
    const category = reference.category(merchant.mcc)
    const cycle = cycleToCollect(subscription, category, { cycle: stored, previous, newest: newest?.[0] }, now)
    const amountPaise = amountOf(r, subscription, cycle)
    if (typeof amountPaise !== 'number') return refuseWith(amountPaise)
    if (taken) return refuse(codes.duplicateOrderId)
    if (!isCollected(subscription, now)) return refuseWith(refusalOf(subscription, codes, now))
    const wantedAt = r.debitDate === undefined ? now : Math.max(now, instantOf(r.debitDate.replace(' ', 'T'))!)
    const asked = { subscription, category, standing: standing?.[0], amountPaise, at: wantedAt }
    const found = outlook({ ...asked, cycle: isBegun(cycle, now) ? cycle : undefined })
    if ('obstacle' in found) return refuseWith(refusalFor(found.obstacle))

    const opened = begun(cycle!, now)
    const { orderId, extendInfo } = r
    const attempt = beginAttempt({
      ...{ subscription, collection: opened.collection, first, orderId, txnId: fresh.txnId, amountPaise, now },
      ...{ sendAt: found.at, isLeftToCollector: true, ...(extendInfo && { extendInfo }), ...(found.at > now && { rule: ruleOf(found) }) },
    })
    const next = followingOf(subscription, category, cycle!, following, now)
    return {
      reply: { result: codes.success, body: accepted(attempt.transaction, subscription, found, now) },
      changes: latest([...opened.changes, ...attempt.changes, ...next.changes]),
      events: [...opened.events, ...attempt.events, ...next.events],
      tasks: [],
    }
  },
})

interface Stored {
  cycle: Row<'collections'> | undefined
  previous: Row<'collections'> | undefined
  /** On demand: the latest day that was noticed. */
  newest: Row<'collections'> | undefined
}

/** That of the day; on demand a notice has made one, and while the day that it named is still to come it is too early. */
function cycleToCollect(subscription: Subscription, category: Parameters<typeof cycleOfDay>[1], stored: Stored, now: number) {
  const today = dateInIndia(now)
  if (!stored.cycle && stored.newest && stored.newest.windowFrom > today) return undefined
  return cycleOfDay(subscription, category, today, stored, now)
}

const isBegun = (cycle: Collection | undefined, now: number) => cycle !== undefined && cycle.windowFrom <= dateInIndia(now)

/** By the terms that the cycle was noticed with. */
function amountOf(
  { txnAmount }: RenewSubscription['request'],
  subscription: Subscription,
  cycle: Collection | undefined,
): number | Refusal<Code> {
  const given = txnAmount && toPaise(txnAmount.value)
  if (subscription.amountType === 'FIX') {
    const agreed = cycle?.amountPaise ?? subscription.renewalAmountPaise!
    return given === undefined || given === agreed ? agreed : { result: codes.invalidTxnAmount, parameter: 'txnAmount.value' }
  }
  if (given === undefined) return { result: codes.missingElement, parameter: 'txnAmount' }
  if (given === 0) return { result: codes.invalidTxnAmount, parameter: 'txnAmount.value' }
  const most = cycle?.maxPaise ?? subscription.maxAmountPaise
  return given <= most ? given : { result: codes.amountOverMax, parameter: 'txnAmount.value' }
}

function refusalFor(obstacle: Obstacle): Refusal<Code> {
  if (typeof obstacle === 'object') return { result: codes.forbidden, message: codes.forbidden.message + ruleText(obstacle) }
  return { result: codeOf[obstacle] }
}
const codeOf: Readonly<Record<Exclude<Obstacle, object>, Code>> = {
  tooEarlyForCycle: codes.tooEarly,
  alreadyCollected: codes.alreadyCollected,
  skipped: codes.skipped,
  inFlight: codes.inFlight,
  retryNotAllowed: codes.retryNotAllowed,
  attemptsUsedUp: codes.attemptsUsedUp,
  noNotice: codes.noticeNotFound,
}

/** Of one that waits also until when, and for which rule; the merchant's own wish is a rule too. */
function accepted(
  { txnId, orderId }: Row<'transactions'>,
  { subscriptionId }: Subscription,
  found: { at: number; rule?: string },
  now: number,
) {
  return { txnId, subscriptionId, orderId, ...(found.at > now && { nextAttemptTime: dateTimeInIndia(found.at), rule: ruleOf(found) }) }
}
const ruleOf = ({ rule = 'debitDate' }: { rule?: string }) => rule
