// Mandates in the states that a renewal request may meet, drawn from a seed at the instants where rules change. The rows may be written to
// either database.

import { collectionIdOf } from '../../../src/domain/subscription/collection/collection.ts'
import { windowOf } from '../../../src/domain/subscription/collection/collection-times.ts'
import { openCycle, railOfSubscription } from '../../../src/domain/subscription/collection/open-cycle.ts'
import { collectionDate, cycleOn, FREQUENCY_UNITS, frequencyUnits, plusDays } from '../../../src/domain/subscription/collection/schedule.ts'
import { SUBSCRIPTION_STATUSES } from '../../../src/domain/subscription/subscription.ts'
import { dateInIndia, dateTimeInIndia, dayBegins, dayEnds } from '../../../src/engine/clock.ts'
import type { Change } from '../../../src/engine/decision.ts'
import { toRupees } from '../../../src/interface/money.ts'
import type { Category } from '../../../src/reference/reference.ts'
import { collectionKey, noticeKey, subscriptionKey } from '../../../src/tables/keys.ts'
import type { Row } from '../../../src/tables/tables.ts'
import type { Random } from '../text/random.ts'
import { at } from './timeline.ts'

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS
const FIRST_DAY = '2026-06-01'
const AMOUNTS = [1, 100_00, 499_00, 499_00, 5_000_00, 15_000_00, 15_000_01, 20_000_00, 1_00_000_00, 1_00_000_01]
const OFFSETS_MS = [-DAY_MS, 0, 1_000, HOUR_MS, 5 * HOUR_MS, 12 * HOUR_MS, DAY_MS, 2 * DAY_MS, 3 * DAY_MS, 8 * DAY_MS, 31 * DAY_MS]
const NOTICED_BEFORE_MS = [0, HOUR_MS, DAY_MS - 1, DAY_MS, DAY_MS, DAY_MS + 1, 2 * DAY_MS, 2 * DAY_MS, 3 * DAY_MS]
const SUB_STATUSES: Readonly<Record<string, readonly string[]>> = { SUSPENDED: ['MERCHANT_PAUSED', 'USER_PAUSED'] }

type Subscription = Row<'subscriptions'>
type Cycle = Row<'collections'>

/** A renewal request, and the rows that it meets. */
export interface Drawn {
  subscription: Subscription
  cycles: readonly Cycle[]
  notices: readonly Row<'notices'>[]
  category: Category | undefined
  amountPaise: number
  /** As on the wire. */
  debitDate: string | undefined
  now: number
}

/** `first` is a subscription of the same store, which gives the columns that are not drawn. */
export function drawn(random: Random, first: Subscription, name: string): Drawn {
  const now = instant(random)
  const today = dateInIndia(now)
  const category = random.pick([undefined, undefined, undefined, 'listed', 'transit'] as const)
  const subscription = subscriptionAround(random, first, name, today)
  const cycles = cyclesAround(random, subscription, category, now)
  const notices = cycles.flatMap((cycle) => (cycle.notices > 0 && random.below(10) < 8 ? [noticeOf(random, cycle, now)] : []))
  const reported = [...cycles.map(({ noticedPaise }) => noticedPaise), ...notices.map(({ amountPaise }) => amountPaise)]
  const near = [subscription.maxAmountPaise, ...reported.filter((paise) => paise !== null), ...AMOUNTS]
  const isAgreed = random.below(10) < 6
  const amountPaise = isAgreed
    ? (cycles[0]?.maxPaise ?? subscription.maxAmountPaise)
    : Math.max(1, random.pick(near) + random.pick([-1, 0, 0, 1]))
  const debitDate = random.below(10) < 4 ? dateTimeInIndia(now + random.pick(OFFSETS_MS) + random.below(2) * 1_000) : undefined
  return { subscription, cycles, notices, category, amountPaise, debitDate, now }
}

/** An instant of a day, or one around which a rule begins or ends. */
function instant(random: Random): number {
  const day = plusDays(FIRST_DAY, random.below(500))
  const turns = ['00:00:00', '06:00:00', '09:50:00', '10:00:00', '13:00:00', '16:50:00', '17:00:00', '21:30:00', '23:59:59']
  return random.below(2) === 0
    ? dayBegins(day) + random.below(DAY_MS)
    : at(`${day} ${random.pick(turns)}`) + random.pick([-1_000, -1, 0, 1, 1_000])
}

function subscriptionAround(random: Random, first: Subscription, subscriptionId: string, today: string): Subscription {
  const frequencyUnit = random.pick(FREQUENCY_UNITS)
  const frequency = 1 + random.below(3)
  const startDate = startAround(random, frequencyUnit, frequency, today)
  const lastDay = plusDays(today, random.below(6) === 0 ? random.pick([-30, -1, 0, 1, 3]) : random.pick([30, 90, 400, 1_000]))
  const [isFixed, paise] = [random.below(2) === 0, random.pick(AMOUNTS)]
  const status = random.below(10) < 9 ? 'ACTIVE' : random.pick(SUBSCRIPTION_STATUSES)
  const paymentMode = random.pick(['UPI', 'UPI', 'CREDIT_CARD', 'BALANCE', 'BANK_MANDATE', 'PPBL'])
  return {
    ...first,
    ...{ subscriptionId, status, subStatus: random.pick(SUB_STATUSES[status] ?? [status]), wakesAt: null, edit: null },
    ...{ frequencyUnit, frequency, startDate, expiryDate: later(startDate, lastDay) },
    ...{ graceDays: random.below(5), enableRetry: random.below(2) === 0, retryCount: random.below(4) },
    ...{ amountType: isFixed ? 'FIX' : 'VARIABLE', renewalAmountPaise: isFixed ? paise : null, maxAmountPaise: paise, txnAmountPaise: 1 },
    ...{ autoRenewal: random.below(2) === 0, autoRetry: random.below(2) === 0, communicationManager: false },
    ...{ paymentMode, mandateType: paymentMode === 'BANK_MANDATE' ? random.pick(['E_MANDATE', 'PAPER_MANDATE']) : null },
    mandate: { instrument: {} },
  }
}
const later = (one: string, other: string) => (one > other ? one : other)

/** Mostly so that a cycle is due today or was due a few days ago. */
function startAround(random: Random, unit: Subscription['frequencyUnit'], frequency: number, today: string): string {
  const due = Temporal.PlainDate.from(today).subtract({ days: random.pick([0, 0, 0, 1, 2, 3, 6, -1, -3]) })
  const cycles = random.pick([0, 0, 1, 2, 5])
  const step: { weeks?: number; months?: number } = frequencyUnits[unit]?.step ?? { weeks: 1 }
  const back = Object.fromEntries(Object.entries(step).map(([name, count]) => [name, count * frequency * cycles]))
  return cycles === 0 ? due.toString() : due.subtract(back).toString()
}

/** Today's cycle and those around it, some of them not written. */
function cyclesAround(random: Random, subscription: Subscription, category: Category | undefined, now: number): Cycle[] {
  if (subscription.paymentMode === null) return []
  const today = dateInIndia(now)
  if (subscription.frequencyUnit === 'ONDEMAND') {
    const days = [...new Set([0, random.pick([-3, -1, 0]), random.pick([1, 2, 7])])].map((days) => plusDays(today, days))
    return days.filter(() => random.below(2) === 0).map((day) => cycleOf(random, subscription, category, null, { from: day, to: day }, now))
  }
  const number = cycleOn(subscription, today)
  if (number === undefined) return []
  return [number, number - 1, number + 1]
    .filter((each) => each >= 0 && random.below(10) < 7)
    .flatMap((each) => {
      const window = windowOf(subscription, each, railOfSubscription(subscription))
      return window ? [cycleOf(random, subscription, category, each, window, now)] : []
    })
}

const OPEN = ['SCHEDULED', 'NOTIFIED', 'NOTIFIED', 'NOTIFIED', 'IN_FLIGHT'] as const
const ENDED = ['COLLECTED', 'SKIPPED', 'MISSED', 'FAILED'] as const

function cycleOf(
  random: Random,
  subscription: Subscription,
  category: Category | undefined,
  number: number | null,
  window: { from: string; to: string },
  now: number,
): Cycle {
  const dueDate = window.from
  const base = openCycle({ subscription, category, dueDate, number, window, firstTryAt: dayBegins(window.from), now })
  const status = random.below(10) < 8 ? random.pick(OPEN) : random.pick(ENDED)
  const isNoticed = status === 'NOTIFIED' || random.below(2) === 0
  const noticedAt = isNoticed ? now - random.pick(NOTICED_BEFORE_MS) : null
  const hasAttempt = status === 'IN_FLIGHT' || status === 'COLLECTED'
  const attempts = Math.min(base.attemptsMax, Math.max(hasAttempt ? 1 : 0, random.pick([0, 0, 0, 1, 2, 3])))
  const txnId = hasAttempt ? `${subscription.subscriptionId}-${dueDate}` : null
  const windowFrom = random.below(6) === 0 ? later(dueDate, window.to) : dueDate
  return {
    ...base,
    ...{ version: 1, status, attempts, windowFrom, noticedAt, txnId, orderId: txnId, sentAt: null },
    noticedPaise: isNoticed ? Math.min(base.maxPaise, Math.max(1, base.maxPaise - random.pick([0, 0, 0, 1, 100]))) : null,
    notices: isNoticed ? 1 : random.below(2),
    noticeNeeded: random.below(8) === 0 ? !base.noticeNeeded : base.noticeNeeded,
    authentication: isNoticed
      ? random.pick(['NONE', 'NONE', 'NONE', 'NONE', 'ASKED', 'APPROVED', 'DECLINED'] as const)
      : random.pick(['NONE', 'ASKED'] as const),
    nextAt: (ENDED as readonly string[]).includes(status) ? null : dayEnds(window.to),
    unwanted: random.below(10) === 0 ? random.pick(['SKIPPED', 'PAUSED'] as const) : 'NO',
  }
}

function noticeOf(random: Random, { mid, collectionId, subscriptionId, dueDate, maxPaise, noticedAt, noticedPaise }: Cycle, now: number) {
  const isPending = noticedAt === null
  const amountPaise = noticedPaise ?? Math.max(1, maxPaise - random.pick([0, 1]))
  const row: Row<'notices'> = {
    ...{ mid, noticeId: `N${collectionId}`, subscriptionId, collectionId, number: 1, referenceId: collectionId, orderId: null },
    ...{ status: isPending ? 'PENDING' : 'SUCCESS', amountPaise, debitDate: plusDays(dueDate, random.pick([0, 0, 0, 1, 2])) },
    ...{ content: { txnMessage: 'drawn' }, requestedAt: Math.min(now, noticedAt ?? now), answeredAt: noticedAt },
  }
  return row
}

export const rowsOf = ({ subscription, cycles, notices }: Pick<Drawn, 'subscription' | 'cycles' | 'notices'>): Change[] => [
  { kind: 'insert', key: subscriptionKey(subscription.mid, subscription.subscriptionId), row: subscription },
  ...cycles.map((row): Change => ({ kind: 'insert', key: collectionKey(row.mid, row.collectionId), row })),
  ...notices.map((row): Change => ({ kind: 'insert', key: noticeKey(row.mid, row.noticeId), row })),
]

/** The same rows, with exactly this amount agreed. Shows which other rules refuse the renewal. */
export const agreedTo = ({ subscription, cycles, amountPaise, ...drawn }: Drawn): Drawn => {
  const isFixed = subscription.amountType === 'FIX'
  const most = (paise: number) => (isFixed ? amountPaise : Math.max(paise, amountPaise))
  return {
    ...{ ...drawn, amountPaise },
    subscription: {
      ...subscription,
      renewalAmountPaise: isFixed ? amountPaise : null,
      maxAmountPaise: most(subscription.maxAmountPaise),
    },
    cycles: cycles.map((cycle) => {
      const maxPaise = most(cycle.maxPaise)
      const noticedPaise = cycle.noticedPaise === null ? null : Math.min(cycle.noticedPaise, maxPaise)
      return { ...cycle, amountPaise: isFixed ? amountPaise : cycle.amountPaise, maxPaise, noticedPaise }
    }),
  }
}

/** The mandate as the collection sweep leaves it on a later day: the cycle before that day's is written. */
export function broughtTo(drawn: Drawn, then: number): Drawn {
  const { subscription, cycles } = drawn
  const number = subscription.frequencyUnit === 'ONDEMAND' ? undefined : cycleOn(subscription, dateInIndia(then))
  const previous = number === undefined || number === 0 ? undefined : collectionDate(subscription, number - 1)
  const isThere = cycles.some(({ dueDate }) => dueDate === previous)
  if (previous === undefined || isThere || cycleOn(subscription, dateInIndia(drawn.now)) === number) return drawn
  const window = { from: previous, to: previous }
  const missed = openCycle({
    subscription,
    category: undefined,
    dueDate: previous,
    number: number! - 1,
    window,
    firstTryAt: then,
    now: then,
  })
  const row: Cycle = { ...missed, version: 1, status: 'MISSED', nextAt: null, noticeNeeded: false }
  return { ...drawn, cycles: [...cycles, row] }
}

export function renamed(drawn: Drawn, subscriptionId: string): Drawn {
  const { subscription, cycles, notices } = drawn
  const named = (text: string) => text.replace(subscription.subscriptionId, subscriptionId)
  return {
    ...drawn,
    subscription: { ...subscription, subscriptionId },
    cycles: cycles.map((row) => {
      const txnId = row.txnId === null ? null : named(row.txnId)
      return { ...row, subscriptionId, collectionId: named(row.collectionId), txnId, orderId: txnId }
    }),
    notices: notices.map((row) => ({
      ...{ ...row, subscriptionId, collectionId: named(row.collectionId) },
      ...{ noticeId: named(row.noticeId), referenceId: named(row.referenceId) },
    })),
  }
}

/** The last day of the cycle of a day, as it is written or would be. */
export function lastDayOf({ subscription, cycles, ...drawn }: Drawn, when: number): string | undefined {
  const id = cycleIdOn({ subscription, cycles, ...drawn }, when)
  const written = cycles.find(({ collectionId }) => collectionId === id)
  const number = cycleOn(subscription, dateInIndia(when))
  if (written || number === undefined || subscription.paymentMode === null) return written?.windowTo
  return windowOf(subscription, number, railOfSubscription(subscription))?.to
}

export const rupees = (paise: number) => ({ value: toRupees(paise), currency: 'INR' as const })
export const cycleIdOn = ({ subscription }: Drawn, when: number) => {
  const { subscriptionId, frequencyUnit } = subscription
  const number = cycleOn(subscription, dateInIndia(when))
  if (frequencyUnit === 'ONDEMAND') return collectionIdOf(subscriptionId, dateInIndia(when))
  return number === undefined ? undefined : collectionIdOf(subscriptionId, collectionDate(subscription, number)!)
}
