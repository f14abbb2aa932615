// Moves a subscription, with all that the move affects: cycles, an unsent attempt, the first payment's order, the bank's mandate. The
// merchant's moves are operations of their own. The operation here makes the moves of the payer and of the operator (`mohur mandate
// close`). Docs/interface.md section 3.

import { dateInIndia } from '../../engine/clock.ts'
import { type Change, type Event, NOTHING, operation, type TaskChange } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import type { Reference } from '../../reference/reference.ts'
import { collectionKey, merchantKey, openCollectionsOf, subscriptionKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'
import { closed } from '../order/order.ts'
import { isCollectedByUs } from './collection/attempt.ts'
import { firstTryAt, noticeAt } from './collection/collection-times.ts'
import { type Around, aroundKeys, aroundOf, endCycle, existingCycles, unsentKeys } from './collection/end-cycle.ts'
import { openBegun } from './collection/open-cycle.ts'
import { isPastExpiry } from './manage-request.ts'
import { revokeTask } from './mandate/bank-tasks.ts'
import { pausingAtBank } from './mandate/pause-at-bank.ts'
import { notifyOfMoves, recipientKeys } from './mandate-notifications.ts'
import { bankKeepsOurPause, isOver, type MoveName, mayMove, move, type Subscription } from './subscription.ts'

const codes = ownCodes('endOrPauseSubscription', 'moved', 'cannot', 'absent')

export interface EndedOrPaused {
  changes: Change[]
  events: Event[]
  tasks: TaskChange[]
}

const PAUSES: readonly MoveName[] = ['pauseByMerchant', 'pauseByPayer', 'resumeByMerchant', 'resumeByPayer']

/**
 * The caller has checked that the move is possible. An end also ends everything unsent. A pause, or its end, also ends the cycles that
 * began before it or during the pause.
 */
export function endOrPause(before: Subscription, name: MoveName, around: Around, now: number): EndedOrPaused {
  const moved = move(before, name, now, pausedWhere(before, name, around.isOnPage === true))
  const { subscription } = moved
  if (isOver(subscription)) return ended(moved, around, now)
  return PAUSES.includes(name)
    ? pausingAtBank(paused(moved, around, now), now)
    : { changes: moved.changes, events: moved.events, tasks: [] }
}

/** A payer resumes where they paused: on the mandate page or at the bank. So the mandate records the place while the pause holds. */
function pausedWhere({ mandate }: Subscription, name: MoveName, isOnPage: boolean): Partial<Subscription> {
  if (!mandate || (name !== 'pauseByPayer' && name !== 'resumeByPayer')) return {}
  const { isPausedHere: _, ...rest } = mandate
  return { mandate: name === 'pauseByPayer' && isOnPage ? { ...rest, isPausedHere: true } : rest }
}

function ended({ subscription, ...moved }: ReturnType<typeof move>, { firstOrder, cycles, waiting }: Around, now: number): EndedOrPaused {
  const order = firstOrder ? closed(firstOrder, now) : { changes: [], events: [] }
  const over = cycles.map((cycle) => endCycle(cycle, subscription, waiting, 'cancelled', now))
  return {
    changes: [...moved.changes, ...order.changes, ...over.flatMap(({ changes }) => changes)],
    events: [...moved.events, ...order.events, ...over.flatMap(({ events }) => events)],
    tasks: [...over.flatMap(({ tasks }) => tasks), ...revokeTask(subscription, now)],
  }
}

/**
 * Runs when a pause begins or ends. Ends each cycle whose day has begun, because the pause covers that day or a part of it. That includes a
 * cycle without a row. The next cycle is opened at once.
 */
function paused({ subscription, ...moved }: ReturnType<typeof move>, { cycles, waiting, category }: Around, now: number): EndedOrPaused {
  const today = dateInIndia(now)
  const begunCycles = cycles.filter(({ windowFrom }) => windowFrom <= today)
  const missed = begunCycles.map((cycle) => endCycle(cycle, subscription, waiting, 'paused', now))
  const ahead = subscription.status === 'ACTIVE' ? cycles.flatMap((cycle) => noticedInTime(cycle, subscription, now)) : []
  const next =
    cycles.length === begunCycles.length ? openBegun(subscription, category, begunCycles.at(-1), now) : { changes: [], events: [] }
  return {
    changes: [...moved.changes, ...missed.flatMap(({ changes }) => changes), ...ahead, ...next.changes],
    events: [...moved.events, ...missed.flatMap(({ events }) => events), ...next.events],
    tasks: missed.flatMap(({ tasks }) => tasks),
  }
}

const BANK_HEARS_WITHIN_MS = 60_000 // Mohur's choice: time for the bank to receive a pause's end before the service asks the bank for anything

/**
 * During a pause the service sent no notice of a future debit, and did not ask for a notice's result. After the pause there may still be
 * time for both.
 */
function noticedInTime(cycle: Row<'collections'>, subscription: Subscription, now: number): Change[] {
  const { mid, collectionId, status, windowFrom, windowTo, noticeNeeded, notices, nextAt } = cycle
  if (status !== 'SCHEDULED' || nextAt === null || windowFrom <= dateInIndia(now)) return []
  if (notices === 0 && !isCollectedByUs(subscription)) return []
  const firstTry = firstTryAt({ from: windowFrom, to: windowTo })
  const earliest = now + (bankKeepsOurPause(subscription) ? BANK_HEARS_WITHIN_MS : 0)
  const usual = noticeNeeded ? noticeAt(firstTry) : firstTry
  const lookAt = notices > 0 ? earliest : Math.max(usual, earliest)
  return lookAt < nextAt ? [{ kind: 'update', key: collectionKey(mid, collectionId), row: { ...cycle, nextAt: lookAt } }] : []
}

export interface EndOrPauseSubscription {
  mid: string
  subscriptionId: string
  move: Extract<MoveName, 'close' | 'revoke' | 'pauseByPayer' | 'resumeByPayer'>
  /** The payer acts on the mandate page. That page cannot lift a pause that the payer made at their bank. */
  isOnPage?: boolean
  /** The subscription's version that its payer saw. If the version differs, nothing changes. */
  version?: number
  reference: Pick<Reference, 'category'>
  now: number
}

export const endOrPauseSubscription = operation({
  name: 'endOrPauseSubscription',
  codes,
  reads: ({ mid, subscriptionId }: EndOrPauseSubscription) => ({
    merchant: merchantKey(mid),
    subscription: subscriptionKey(mid, subscriptionId),
    open: openCollectionsOf(mid, subscriptionId),
  }),
  readsNext: ({ mid, now }, state) => ({ ...aroundKeys(mid, state, now), ...recipientKeys(state.subscription) }),
  readsLast: (_command, { subscription, cycles }) => unsentKeys(subscription, existingCycles(cycles)),
  decide(command, { subscription, ...state }) {
    const { move: name, isOnPage = false, version = subscription?.version, reference, now } = command
    if (!subscription) return { ...NOTHING, reply: { result: codes.absent } }
    if (subscription.version !== version) return { ...NOTHING, reply: { result: codes.cannot } }
    const isAtBank = subscription.paymentMode !== 'BALANCE' && subscription.mandate?.isPausedHere !== true
    if (!mayMove(subscription, name) || isPastExpiry(subscription, now) || (isOnPage && name === 'resumeByPayer' && isAtBank))
      return { ...NOTHING, reply: { result: codes.cannot } }
    const turned = endOrPause(subscription, name, { ...aroundOf(state, reference), isOnPage }, now)
    return notifyOfMoves({ subscription, ...state }, now, { reply: { result: codes.moved }, ...turned })
  },
})
