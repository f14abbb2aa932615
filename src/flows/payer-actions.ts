// A payer's acts on their mandate at Mohur, and not at their bank. The payer acts on the mandate page (docs/pages.md). No bank knows a
// wallet's mandate, so the sandbox's phone offers these acts too. A bank's report leads to the same decisions.

import { isUnsent } from '../domain/subscription/collection/collection.ts'
import { skipCycle } from '../domain/subscription/collection/skip-cycle.ts'
import { endOrPauseSubscription } from '../domain/subscription/end-or-pause.ts'
import { applyEditResult } from '../domain/subscription/mandate/apply-edit-result.ts'
import type { Linked } from '../domain/subscription/payer-message.ts'
import type { TypedCode } from '../domain/subscription/payer-page/mandate-page.ts'
import { applyNoticeResult } from '../domain/subscription/pre-notification/apply-notice-result.ts'
import { isEditOpen } from '../domain/subscription/subscription-view.ts'
import { openCollectionsOf, standingNoticeOf } from '../tables/keys.ts'
import type { PendingEdit } from '../tables/subscription.ts'
import type { Row } from '../tables/tables.ts'
import type { Ports } from './ports.ts'

type Parts = Pick<Ports, 'engine' | 'query' | 'clock' | 'reference'>

/** A cycle, and its notice that succeeded or is under way. */
export interface Announced {
  cycle: Row<'collections'>
  notice: Row<'notices'> | undefined
}

/** Cycles that have not ended, the next first, each with its notice. */
export async function openCyclesOf({ query }: Pick<Ports, 'query'>, { mid, subscriptionId }: Linked): Promise<Announced[]> {
  const cycles = await query.rows(openCollectionsOf(mid, subscriptionId))
  return Promise.all(
    cycles.map(async (cycle) => {
      const [notice] = cycle.notices > 0 ? await query.rows(standingNoticeOf(mid, cycle.collectionId)) : []
      return { cycle, notice }
    }),
  )
}

/** True while nothing was sent to a party that could take money. The cycle may still be skipped. */
export const maySkip = ({ cycle }: Announced) => cycle.status === 'SCHEDULED' || cycle.status === 'NOTIFIED' || isUnsent(cycle)

/** A wallet's debit that its payer was asked to approve, and has not approved. A payer who has declined may still approve. */
export function debitThatWaits(open: readonly Announced[]): (Announced & { notice: Row<'notices'> }) | undefined {
  const found = open.find(({ cycle, notice }) => {
    const isAsked = cycle.authentication === 'ASKED' || cycle.authentication === 'DECLINED'
    return cycle.rail === 'WALLET' && isAsked && maySkip({ cycle, notice }) && cycle.noticedAt !== null && notice?.status === 'SUCCESS'
  })
  return found as (Announced & { notice: Row<'notices'> }) | undefined
}

export const editThatWaits = ({ paymentMode, edit }: Row<'subscriptions'>, now: number): PendingEdit | undefined =>
  paymentMode === 'BALANCE' && edit !== null && isEditOpen(edit, now) ? edit : undefined

// --------------------------------------------------------------------------------------------------------------- acting

const MOVES = { revoke: 'revoke', pause: 'pauseByPayer', resume: 'resumeByPayer' } as const
export type PayerMove = keyof typeof MOVES

/** False when the move is not possible, or no longer possible. `version`: the subscription's version that the payer saw. */
export async function moveMandate(
  { engine, clock, reference }: Parts,
  { mid, subscriptionId }: Linked,
  move: PayerMove,
  version?: number,
): Promise<boolean> {
  const seen = version === undefined ? {} : { version }
  const command = { mid, subscriptionId, move: MOVES[move], isOnPage: true, ...seen, reference, now: clock.now() }
  return (await engine.submit(endOrPauseSubscription, command)).result.name === 'moved'
}

/** Skips the cycle that was shown. If the cycle has a notice, the payer opts out of that notice. */
export async function skip({ engine, clock, reference }: Parts, announced: Announced): Promise<boolean> {
  const { cycle, notice } = announced
  if (!maySkip(announced)) return false
  const { mid, collectionId, notices } = cycle
  const now = clock.now()
  if (!notice) return (await engine.submit(skipCycle, { mid, collectionId, notices, reference, now })).result.name === 'skipped'
  const said = { outcome: 'optedOut', onPage: {}, category: undefined, now } as const
  return (await engine.submit(applyNoticeResult, { mid, collectionId, noticeId: notice.noticeId, ...said })).result.name === 'applied'
}

/** Approves or declines a debit by the code that was sent for it. The sandbox's phone needs no code. */
export async function sayToDebit(
  { engine, clock }: Parts,
  { cycle: { mid, collectionId }, notice: { noticeId } }: Announced & { notice: Row<'notices'> },
  authentication: 'approved' | 'declined',
  onPage?: { code?: TypedCode },
) {
  const said = { outcome: 'success', authentication, category: undefined, ...(onPage && { onPage }) } as const
  return (await engine.submit(applyNoticeResult, { mid, collectionId, noticeId, ...said, now: clock.now() })).result.name
}

export async function sayToEdit(
  { engine, clock, reference }: Parts,
  { mid, subscriptionId }: Linked,
  edit: PendingEdit,
  outcome: 'active' | 'refused',
  onPage?: { code?: TypedCode },
) {
  const said = { edit, outcome, reference, ...(onPage && { onPage }) }
  return (await engine.submit(applyEditResult, { mid, subscriptionId, ...said, now: clock.now() })).result.name
}
