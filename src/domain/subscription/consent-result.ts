// Applies a consent to a subscription: the mandate, the mode of the debits, and the first cycles. Docs/interface.md section 3.

import { dateInIndia, dayEnds } from '../../engine/clock.ts'
import type { Change, Event, TaskChange } from '../../engine/decision.ts'
import type { Category } from '../../reference/reference.ts'
import { subscriptionKey } from '../../tables/keys.ts'
import type { Mandate } from '../../tables/subscription.ts'
import type { Row } from '../../tables/tables.ts'
import { mandateKey } from '../transaction/acquirer-keys.ts'
import { become } from './collection/collection.ts'
import { atConsent, type CycleTerms } from './collection/collection-times.ts'
import { closedCycle, openCycle, railOfSubscription } from './collection/open-cycle.ts'
import { collectionDate } from './collection/schedule.ts'
import { revokeOther, revokeTask } from './mandate/bank-tasks.ts'
import { ASKED_EVERY_MS, isOver, move, type Subscription } from './subscription.ts'

/** The terms that a payer agrees to, as their bank receives them. Amounts are paise, dates days in India. */
export interface MandateTerms {
  /**
   * The key under which the service asks about the mandate itself. If a bank mandate is possible, each attempt at the first payment has its
   * own key.
   */
  key: string
  amountType: Subscription['amountType']
  maxAmountPaise: number
  frequencyUnit: Subscription['frequencyUnit']
  frequency: number
  startDate: string
  expiryDate: string
}
/**
 * True when the bank may be asked to register a mandate. Then each attempt has a mandate of its own, because a refused mandate stays
 * refused. Otherwise a payment that a mandate comes with may be retried for the same mandate.
 */
const isNumbered = ({ paymentModes }: Subscription) => paymentModes.includes('BANK_MANDATE')
const numberOf = (subscription: Subscription, { attempt }: Pick<Row<'transactions'>, 'attempt'>) => (isNumbered(subscription) ? attempt : 1)
/** True when the payment came with the subscription's mandate, or with a mandate that may become it. */
const isOfMandate = (subscription: Subscription, transaction: Row<'transactions'>) =>
  numberOf(subscription, transaction) === (subscription.mandate?.attempt ?? 1)

export function mandateTermsOf(subscription: Subscription, transaction: Pick<Row<'transactions'>, 'attempt'>): MandateTerms {
  const { mid, subscriptionId, amountType, maxAmountPaise, frequencyUnit, frequency, startDate, expiryDate } = subscription
  const key = mandateKey(mid, subscriptionId, numberOf(subscription, transaction))
  return { key, amountType, maxAmountPaise, frequencyUnit, frequency, startDate, expiryDate }
}

interface Opened {
  changes: Change[]
  events: Event[]
}

interface OfMandate {
  changes: Change[]
  tasks: TaskChange[]
  /** The bank may accept the mandate later, and names it only then. */
  isUnnamed?: true
}
const NO_MANDATE: OfMandate = { changes: [], tasks: [] }

/**
 * Keeps the name that a bank gives a mandate while the payment is pending. The bank may name the mandate only once, and a withdrawal needs
 * the name. If the subscription has ended meanwhile, the mandate is withdrawn at once.
 */
export function agreedMeanwhile(
  { subscription, transaction }: { subscription: Subscription; transaction: Row<'transactions'> },
  reference: string | undefined,
  now: number,
): OfMandate {
  if (transaction.collectionId !== null || reference === undefined || subscription.mandate?.reference === reference) return NO_MANDATE
  return kept(subscription, transaction, reference, now)
}

/** Keeps the name with the subscription. The mandate of a subscription that is over is withdrawn at once. */
function kept(before: Subscription, transaction: Row<'transactions'>, reference: string, now: number): OfMandate {
  if (isNumbered(before) && isOver(before))
    return { changes: [], tasks: revokeOther(before, { attempt: transaction.attempt, reference }, now) }
  const row = { ...before, mandate: { ...madeBy(before, transaction), reference } }
  return {
    changes: [{ kind: 'update', key: subscriptionKey(row.mid, row.subscriptionId), row }],
    tasks: isOver(row) ? revokeTask(row, now) : [],
  }
}

/** The mandate's name, which the bank gave with a payment, or while the payment was pending. */
const referenceOf = (subscription: Subscription, transaction: Row<'transactions'>, reference: string | undefined) =>
  reference ?? (isOfMandate(subscription, transaction) ? subscription.mandate?.reference : undefined)

/**
 * True for a consent without the mandate's name: nothing could be debited or withdrawn by the mandate. A wallet's mandate has no name. A
 * bank names a bank mandate when it accepts the mandate.
 */
export const lacksMandate = (
  { subscription, transaction }: { subscription: Subscription; transaction: Row<'transactions'> },
  reference: string | undefined,
) =>
  transaction.collectionId === null &&
  transaction.paymentMode !== 'BALANCE' &&
  transaction.paymentMode !== 'BANK_MANDATE' &&
  referenceOf(subscription, transaction, reference) === undefined

/**
 * The payment of a consent is given back, so there is no consent. If the subscription is over, the mandate is withdrawn at once. Otherwise
 * the mandate is withdrawn when the order closes, unless the payer tries again and agrees before. If each attempt has a mandate of its own,
 * no later attempt can use this mandate. So it is withdrawn at once.
 */
export function consentedInVain(
  { subscription: before, transaction }: { subscription: Subscription; transaction: Row<'transactions'> },
  bankReference: string | undefined,
  now: number,
): OfMandate {
  const reference = referenceOf(before, transaction, bankReference)
  if (transaction.collectionId !== null) return NO_MANDATE
  if (reference === undefined) return transaction.paymentMode === 'BANK_MANDATE' ? { ...NO_MANDATE, isUnnamed: true } : NO_MANDATE
  const stands = before.status !== 'INIT' && !isOver(before)
  if (isNumbered(before) && !(stands && isOfMandate(before, transaction)))
    return { changes: [], tasks: revokeOther(before, { attempt: transaction.attempt, reference }, now) }
  return stands ? NO_MANDATE : kept(before, transaction, reference, now) // the subscription stands on another payment, for the same mandate
}

/** The mandate's instrument, and the number under which the bank knows it. */
function madeBy(subscription: Subscription, transaction: Row<'transactions'>) {
  const attempt = numberOf(subscription, transaction)
  return { instrument: transaction.instrument, ...(attempt > 1 && { attempt }) }
}

/** True when the last day is over by the clock, so nothing could be collected any more. The subscription waits for its order to close. */
export const isTooLateFor = ({ status, expiryDate }: Subscription, now: number) => status === 'INIT' && dateInIndia(now) > expiryDate

export function consent(
  { subscription: before, category }: { subscription: Subscription; category: Category | undefined },
  transaction: Row<'transactions'>,
  mandateReference: string | undefined,
  now: number,
): Opened {
  const { paymentMode, payer, orderId, txnId } = transaction
  const reference = referenceOf(before, transaction, mandateReference)
  const mandate: Mandate = {
    ...madeBy(before, transaction),
    ...(reference !== undefined && { reference }),
    ...(payer && paymentMode === 'BALANCE' && { payer }),
  }
  // The bank decides on a bank mandate later, and the service asks it daily: advance-subscription.ts.
  if (paymentMode === 'BANK_MANDATE') return move(before, 'submit', now, { paymentMode, mandate, wakesAt: now + ASKED_EVERY_MS })
  const moved = move(before, 'consent', now, { paymentMode, mandate, consentedAt: now, wakesAt: dayEnds(before.expiryDate) })
  if (moved.changes.length === 0) return moved
  const cycles = firstCycles(moved.subscription, category, { orderId, txnId }, { agreedAt: now, now })
  return { changes: [...moved.changes, ...cycles.changes], events: [...moved.events, ...cycles.events] }
}

/** The cycles that were due at the consent, and the next cycle. `paid`: the payment that came with the consent. */
export function firstCycles(
  subscription: Subscription,
  category: Category | undefined,
  paid: { orderId: string; txnId: string } | undefined,
  { agreedAt, now }: { agreedAt: number; now: number },
): Opened {
  const { collected, missed, next } = atConsent(subscription as CycleTerms, railOfSubscription(subscription), category, agreedAt)
  const rows = [
    ...(collected !== undefined && paid ? [closedCycle(subscription, collected, { status: 'COLLECTED', ...paid }, now)] : []),
    ...missed.map((number) => closedCycle(subscription, number, { status: 'MISSED' }, now)),
  ]
  if (next) {
    const dueDate = collectionDate(subscription as CycleTerms, next.number)!
    rows.push(become(undefined, openCycle({ subscription, category, dueDate, ...next, now }), 'scheduled', now))
  }
  return { changes: rows.flatMap(({ changes }) => changes), events: rows.flatMap(({ events }) => events) }
}
