// Applies a bank's report about a mandate: docs/interface.md section 3. The bank decides on a mandate that was submitted to it. A payer may
// also have withdrawn, paused or resumed a mandate at the bank without the service's knowledge.

import { dayEnds } from '../../../engine/clock.ts'
import { latest, NOTHING, operation } from '../../../engine/decision.ts'
import { ownCodes } from '../../../interface/result-code.ts'
import type { Reference } from '../../../reference/reference.ts'
import { merchantKey, openCollectionsOf, subscriptionKey } from '../../../tables/keys.ts'
import type { Row } from '../../../tables/tables.ts'
import { closed } from '../../order/order.ts'
import { started } from '../advance-subscription.ts'
import { type Around, aroundKeys, aroundOf, type Ended, endCycle, existingCycles, unsentKeys } from '../collection/end-cycle.ts'
import { endOrPause } from '../end-or-pause.ts'
import { isPastExpiry } from '../manage-request.ts'
import { notifyOfMoves, recipientKeys } from '../mandate-notifications.ts'
import {
  ASKED_EVERY_MS,
  bankKeepsOurPause,
  changedIn,
  isOver,
  isUnnamed,
  mayMove,
  move,
  moves,
  type Subscription,
} from '../subscription.ts'
import { revokeTask } from './bank-tasks.ts'
import { pausedAfterAll } from './pause-at-bank.ts'

const codes = ownCodes('applyMandateStatus', 'applied', 'gone')

export interface ApplyMandateStatus {
  mid: string
  subscriptionId: string
  /** In the acquirer's words: docs/acquirer.md. */
  outcome: 'active' | 'paused' | 'revoked' | 'refused' | 'pending' | 'unknown' | 'absent'
  mandateReference?: string
  /** The side that made a pause, if the acquirer knows it. */
  pausedBy?: 'payer' | 'merchant'
  reference: Pick<Reference, 'category'>
  now: number
}

export const applyMandateStatus = operation({
  name: 'applyMandateStatus',
  codes,
  reads: ({ mid, subscriptionId }: ApplyMandateStatus) => ({
    merchant: merchantKey(mid),
    subscription: subscriptionKey(mid, subscriptionId),
    open: openCollectionsOf(mid, subscriptionId),
  }),
  readsNext: ({ mid, now }, state) => ({ ...aroundKeys(mid, state, now), ...recipientKeys(state.subscription) }),
  readsLast: (_command, { subscription, cycles }) => unsentKeys(subscription, existingCycles(cycles)),
  decide(said, { subscription, ...state }) {
    const { merchant } = state
    if (!subscription || !merchant) return { ...NOTHING, reply: { result: codes.gone } }
    const done = appliedStatus(said, { subscription, merchant, around: aroundOf(state, said.reference) })
    const reply = { result: codes.applied }
    return notifyOfMoves({ subscription, ...state }, said.now, { reply, ...done, changes: latest(done.changes) })
  },
})

interface Rows {
  subscription: Subscription
  merchant: Row<'merchants'>
  around: Around
}

function appliedStatus(said: ApplyMandateStatus, rows: Rows): Ended {
  const { subscription, around } = rows
  const turned = (name: 'pauseByPayer' | 'resumeByPayer') =>
    mayMove(subscription, name) && !isPastExpiry(subscription, said.now) ? endOrPause(subscription, name, around, said.now) : NOTHING
  if (isUnnamed(subscription) && isNoMandate(said, subscription))
    return { ...NOTHING, changes: [updated({ ...subscription, wakesAt: null })] }
  switch (said.outcome) {
    case 'active':
      if (isOver(subscription)) return acceptedLate(said, subscription)
      if (subscription.status === 'IN_AUTHORIZATION') return accepted(said, rows)
      // A payer who paused on the mandate page resumes there.
      return subscription.mandate?.isPausedHere ? NOTHING : turned('resumeByPayer')
    case 'refused':
      return { ...move(subscription, 'refuse', said.now), tasks: [] }
    case 'revoked':
      return subscription.status === 'IN_AUTHORIZATION' ? { ...move(subscription, 'refuse', said.now), tasks: [] } : revoked(said, rows)
    case 'paused':
      if (said.pausedBy === 'merchant') {
        if (subscription.mandate?.isPausedHere) return NOTHING
        // The payer has lifted the pause that stood over the merchant's.
        const lifted = turned('resumeByPayer')
        if (bankKeepsOurPause(subscription)) return lifted
        return together([lifted, { ...pausedAfterAll(changedIn(lifted.changes)?.row ?? subscription, said.now), events: [] }])
      }
      return bankKeepsOurPause(subscription) && said.pausedBy !== 'payer' ? NOTHING : turned('pauseByPayer')
    default:
      return NOTHING // no decision, or no answer: the service asks again
  }
}

/**
 * True when there is no mandate to withdraw: the bank refused or revoked it. Also true when the bank does not know the mandate a day after
 * the subscription's end.
 */
const isNoMandate = ({ outcome, now }: ApplyMandateStatus, { updatedAt }: Subscription) =>
  outcome === 'refused' || outcome === 'revoked' || (outcome === 'absent' && now >= updatedAt + ASKED_EVERY_MS)
const updated = (row: Subscription) => ({ kind: 'update' as const, key: subscriptionKey(row.mid, row.subscriptionId), row })

/**
 * The bank accepts the mandate. If the first day has come, the subscription is active at once, and its cycles begin. After its last day the
 * mandate is withdrawn.
 */
function accepted({ mandateReference, reference, now }: ApplyMandateStatus, { subscription, merchant }: Rows): Ended {
  const mandate = named(subscription, mandateReference)
  if (now >= dayEnds(subscription.expiryDate)) {
    const over = move(subscription, 'timeOut', now, { mandate })
    return { ...over, tasks: revokeTask(over.subscription, now) }
  }
  const authorized = move(subscription, 'accept', now, { mandate, consentedAt: now, wakesAt: dayEnds(subscription.expiryDate) })
  const firstCycle = started(authorized.subscription, reference.category(merchant.mcc), now)
  return { changes: [...authorized.changes, ...firstCycle.changes], events: [...authorized.events, ...firstCycle.events], tasks: [] }
}

/** The bank accepts a mandate after the subscription has ended. Nothing is collected by the mandate any more, so it is withdrawn. */
function acceptedLate({ mandateReference, now }: ApplyMandateStatus, before: Subscription): Ended {
  const isOverByItself = before.status === 'EXPIRED' || before.status === 'CLOSED' // ended by its own terms, or withdrawn already
  if (before.mandate?.reference !== undefined && isOverByItself) return NOTHING
  const known = { ...before, mandate: named(before, mandateReference) }
  const subscription = isUnnamed(known) ? known : { ...known, wakesAt: null }
  return { changes: [updated(subscription)], events: [], tasks: revokeTask(subscription, now) }
}

const named = ({ mandate }: Subscription, reference: string | undefined) => ({
  ...(mandate ?? { instrument: {} }),
  ...(reference !== undefined && { reference }),
})

/**
 * Everything unsent ends with the mandate, the first order too. Cycles end here even if a debit's answer has already reported the
 * withdrawal.
 */
function revoked({ now }: ApplyMandateStatus, { subscription, around: { firstOrder, cycles, waiting } }: Rows): Ended {
  const moved = move(subscription, 'revoke', now)
  const isMoved = moved.changes.length > 0
  if (!isMoved && subscription.subStatus !== moves.revoke.subStatus) return NOTHING
  const order = firstOrder && isMoved ? closed(firstOrder, now) : NOTHING
  const ended = cycles.map((cycle) => endCycle(cycle, moved.subscription, waiting, 'cancelled', now))
  return together([{ ...moved, tasks: [] }, { ...order, tasks: [] }, ...ended])
}

const together = (parts: readonly Ended[]): Ended => ({
  changes: parts.flatMap(({ changes }) => changes),
  events: parts.flatMap(({ events }) => events),
  tasks: parts.flatMap(({ tasks }) => tasks),
})
