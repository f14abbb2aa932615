// Pre Notify: docs/interface.md section 4.37. The notice is written here, and the collection sweep sends it. Pre Notify Status reports the
// notice's result.

import Type, { type Static } from 'typebox'
import { dateInIndia } from '../../../engine/clock.ts'
import { latest, operation, refuse, refuseWith } from '../../../engine/decision.ts'
import * as fields from '../../../interface/fields.ts'
import { withCommas } from '../../../interface/money.ts'
import * as replied from '../../../interface/replied.ts'
import { NOTICE_ID } from '../../../interface/request.ts'
import { preNotify as codes } from '../../../interface/result-codes.ts'
import type { Signed } from '../../../interface/wire.ts'
import type { Reference } from '../../../reference/reference.ts'
import { collectionKey, merchantKey, noticeKey, standingNoticeOf, subscriptionKey } from '../../../tables/keys.ts'
import type { Row } from '../../../tables/tables.ts'
import { type Collection, hasEnded } from '../collection/collection.ts'
import { cycleKeys, cycleOfDay, NOTICE_DAYS_AHEAD_MAX, scheduledIfNew } from '../collection/find-cycle.ts'
import { asksPayer } from '../collection/renewal-check.ts'
import { collectionDate, cycleOn, plusDays } from '../collection/schedule.ts'
import { givenAmount, ids, isCollected, managingWire, paiseOf, refusalOf } from '../manage-request.ts'
import type { Subscription } from '../subscription.ts'

const REFERENCE_ID_LENGTH = 50 // docs/interface.md section 8 (Mohur)
const MESSAGE_LENGTH = 200 // docs/interface.md section 8 (Mohur)
const INVOICE_LENGTH = 15 // docs/interface.md section 8 (Mohur)

const body = Type.Object({
  mid: fields.mid,
  ...ids,
  txnAmount: givenAmount,
  txnDate: Type.Optional(fields.dateDayFirst),
  subscriptionScheduledExecutionDate: Type.Optional(fields.date),
  referenceId: Type.Optional(fields.string(REFERENCE_ID_LENGTH)),
  txnMessage: Type.Optional(Type.String({ maxLength: MESSAGE_LENGTH, pattern: '^[^|]+$', format: 'text' })),
  orderId: Type.Optional(fields.orderId),
  invoiceDisplayNo: Type.Optional(fields.string(INVOICE_LENGTH)),
})
type Request = Static<typeof body>

/** The members that a renewal never has. */
const OWN = ['subscriptionScheduledExecutionDate', 'txnDate', 'referenceId', 'txnMessage', 'invoiceDisplayNo'] as const

/** Without a member of `OWN`, an orderId and a Money belong to Renew Subscription: docs/interface.md section 5.1. */
export const wire = managingWire(body, codes, ({ orderId, txnAmount, ...others }) =>
  orderId !== undefined && typeof txnAmount === 'object' && OWN.every((member) => others[member] === undefined) ? 'orderId' : undefined,
)

export const reply = Type.Object({ referenceId: replied.text, [NOTICE_ID]: replied.id, subsId: replied.id })

export interface PreNotify {
  request: Request
  caller: Signed
  /** From `subsId` or `subscriptionId`. */
  subscriptionId: string
  reference: Pick<Reference, 'category'>
  now: number
  fresh: { noticeId: string }
}

/**
 * The days that the merchant may mean. `subscriptionScheduledExecutionDate`, when given, is the only one. Otherwise `txnDate`, its older
 * name, comes first, and then the next days on which a cycle may be collected. Published samples send today's date as `txnDate`, and no
 * debit on that day can follow a notice.
 */
function daysOf({ subscriptionScheduledExecutionDate: said, txnDate }: Request, subscription: Subscription, today: string): string[] {
  if (said !== undefined) return [said]
  const named = txnDate === undefined ? undefined : fields.yearFirst(txnDate)
  const number = cycleOn(subscription, today)
  const due = collectionDate(subscription, number === undefined ? 0 : number + 1)
  return [named !== undefined && named > today ? named : undefined, plusDays(today, 1), due].filter((day) => day !== undefined)
}

export const preNotify = operation({
  name: 'preNotify',
  codes,
  reads: ({ request: { mid }, subscriptionId }: PreNotify) => ({
    merchant: merchantKey(mid),
    subscription: subscriptionKey(mid, subscriptionId),
  }),
  readsNext({ request, now }, { subscription }) {
    const days = subscription ? daysOf(request, subscription, dateInIndia(now)) : []
    const [one, two, three] = days.map((day) => cycleKeys(subscription, day))
    return {
      ...{ cycle1: one?.cycle, previous1: one?.previous, cycle2: two?.cycle, previous2: two?.previous },
      ...{ cycle3: three?.cycle, previous3: three?.previous },
    }
  },
  readsLast(command, state) {
    const target = targetOf(command, state)
    return { standing: target && standingNoticeOf(command.request.mid, target.cycle.collectionId) }
  },
  decide(command, state) {
    const { subscription, standing } = state
    const { request: r, caller, now } = command
    if (caller.signature !== 'valid') return refuse(codes.badRequest, undefined, undefined, 'signature')
    if (!subscription) return refuse(codes.notFound)
    if (!isCollected(subscription, now)) return refuseWith(refusalOf(subscription, codes, now))
    const target = targetOf(command, state)
    if (!target || !isAhead(target.day, dateInIndia(now))) return refuse(codes.cannotBeSent, undefined, 'txnDate')
    const amountPaise = paiseOf(r.txnAmount)
    if (!fits(amountPaise, target.cycle)) return refuse(codes.badRequest, undefined, 'txnAmount', 'fixed')
    const { cycle, day } = target
    const before = standing?.[0]
    if (before && isSame(before, r, amountPaise, day)) return answered(before)
    if (before || cycle.status === 'COLLECTED') return refuse(codes.alreadyDone)
    if (cycle.status === 'SKIPPED') return refuse(codes.skipped)
    if (cycle.status === 'IN_FLIGHT') return refuse(codes.inFlight)
    if (hasEnded(cycle)) return refuse(codes.cannotBeSent, undefined, 'txnDate')

    const merchant = state.merchant!
    const notice = noticeOf(command, merchant, target, amountPaise)
    const { collection, changes, events } = scheduledIfNew(cycle, now)
    const authentication = asksPayer(cycle, command.reference.category(merchant.mcc), amountPaise, day)
    // The cycle is due at once, so the collection sweep sends the notice.
    const row: Collection = { ...collection, notices: notice.number, amountPaise, authentication, nextAt: now }
    return {
      ...answered(notice),
      changes: latest([
        { kind: 'insert', key: noticeKey(notice.mid, notice.noticeId), row: notice },
        ...changes,
        { kind: 'update', key: collectionKey(row.mid, row.collectionId), row },
      ]),
      events,
    }
  },
})

type Rows = Partial<Record<`${'cycle' | 'previous'}${1 | 2 | 3}`, Row<'collections'> | undefined>>
interface State extends Rows {
  merchant: Row<'merchants'> | undefined
  subscription: Subscription | undefined
}

/**
 * Returns the first of the days that lies in a cycle, with that cycle. A day that the merchant did not name counts only in an open cycle.
 */
function targetOf({ request, reference, now }: PreNotify, state: State): { cycle: Collection; day: string } | undefined {
  const { merchant, subscription } = state
  if (!subscription || subscription.paymentMode === null) return undefined
  const today = dateInIndia(now)
  const days = daysOf(request, subscription, today)
  const named =
    request.subscriptionScheduledExecutionDate ?? (request.txnDate === undefined ? undefined : fields.yearFirst(request.txnDate))
  const rows = [
    { cycle: state.cycle1, previous: state.previous1 },
    { cycle: state.cycle2, previous: state.previous2 },
    { cycle: state.cycle3, previous: state.previous3 },
  ]
  for (const [at, day] of days.entries()) {
    const cycle = cycleOfDay(subscription, merchant && reference.category(merchant.mcc), day, rows[at]!, now)
    if (cycle && cycle.windowFrom <= day && day <= cycle.windowTo && (day === named || !hasEnded(cycle))) return { cycle, day }
  }
  return undefined
}

const isAhead = (day: string, today: string) => today < day && day <= plusDays(today, NOTICE_DAYS_AHEAD_MAX)

/**
 * A fixed amount must equal the cycle's amount. A variable amount must be above zero, and within the maximum that was agreed for the cycle.
 */
const fits = (paise: number, { amountType, maxPaise }: Collection) =>
  amountType === 'FIX' ? paise === maxPaise : paise > 0 && paise <= maxPaise

const isSame = (notice: Row<'notices'>, { referenceId }: Request, amountPaise: number, day: string) =>
  notice.debitDate === day && notice.amountPaise === amountPaise && (referenceId === undefined || referenceId === notice.referenceId)

const answered = ({ referenceId, noticeId, subscriptionId }: Row<'notices'>) => ({
  reply: { result: codes.success, body: { referenceId, [NOTICE_ID]: noticeId, subsId: subscriptionId } },
  changes: [],
  events: [],
  tasks: [],
})

function noticeOf(
  { request: r, now, fresh: { noticeId } }: PreNotify,
  { name }: Row<'merchants'>,
  { cycle, day }: { cycle: Collection; day: string },
  amountPaise: number,
): Row<'notices'> {
  const { mid, collectionId, subscriptionId, notices } = cycle
  const txnMessage = r.txnMessage ?? `${name} debits Rs ${withCommas(amountPaise)} on ${fields.dayFirst(day)}`
  return {
    ...{ mid, noticeId, subscriptionId, collectionId, number: notices + 1, referenceId: r.referenceId ?? noticeId },
    ...{ orderId: r.orderId ?? null, status: 'PENDING', amountPaise, debitDate: day },
    content: { txnMessage, ...(r.invoiceDisplayNo !== undefined && { invoiceDisplayNo: r.invoiceDisplayNo }) },
    ...{ requestedAt: now, answeredAt: null },
  }
}
