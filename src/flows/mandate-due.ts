// Calls to banks about mandates, apart from debits: new terms, a pause, an end, and questions about their state. Each call comes after a
// commit, and another decision applies its answer.

import type { Acquirer, MandateAnswer, NoticeAnswer } from '../adapters/acquirer/acquirer.ts'
import { applyEditResult } from '../domain/subscription/mandate/apply-edit-result.ts'
import { applyMandateStatus } from '../domain/subscription/mandate/apply-mandate-status.ts'
import { applyPauseResult } from '../domain/subscription/mandate/apply-pause-result.ts'
import { applyRevokeResult } from '../domain/subscription/mandate/apply-revoke-result.ts'
import type { Other } from '../domain/subscription/mandate/bank-tasks.ts'
import { pauseOrResumeOf } from '../domain/subscription/mandate/pause-at-bank.ts'
import { applyNoticeResult } from '../domain/subscription/pre-notification/apply-notice-result.ts'
import { UNKNOWN } from '../domain/transaction/acquirer-answer.ts'
import { mandateKey, notifyKey } from '../domain/transaction/acquirer-keys.ts'
import type { Clock } from '../engine/clock.ts'
import type { Query } from '../engine/decision.ts'
import type { Engine } from '../engine/engine.ts'
import type { TaskHandler } from '../engine/tasks.ts'
import type { Reference } from '../reference/reference.ts'
import type { PendingEdit } from '../tables/subscription.ts'
import { find, look } from '../tables/tables.ts'

export interface MandateParts {
  engine: Pick<Engine, 'submit'>
  query: Query
  clock: Clock
  reference: Pick<Reference, 'category'>
  acquirer(): Acquirer
}

interface Named {
  mid: string
  subscriptionId: string
}

export async function askMandate(
  { engine, query, clock, reference, acquirer }: MandateParts,
  { mid, subscriptionId }: Named,
): Promise<void> {
  const subscription = await query.row(look('subscriptions', mid, subscriptionId))
  const key = mandateKey(mid, subscriptionId, subscription?.mandate?.attempt)
  const answer = (await acquirer().mandates?.status(key)) ?? UNKNOWN
  await engine.submit(applyMandateStatus, { mid, subscriptionId, ...answer, reference, now: clock.now() })
}

/**
 * Asks the bank for the result of a notice. The result also says whether the payer has opted out since, or approved the debit. True when
 * the bank reports a success or an opt-out, or has never had the notice.
 */
export async function askNotice(
  { engine, query, clock, reference, acquirer }: MandateParts,
  { mid, collectionId, number }: { mid: string; collectionId: string; number: number },
): Promise<boolean> {
  if (!Number.isSafeInteger(number)) return false
  const [notice] = await query.rows(find('notices', { equals: { mid, collectionId, number }, limit: 1 }))
  const merchant = await query.row(look('merchants', mid))
  const { mandates } = acquirer()
  if (!notice || !merchant || !mandates || (notice.status !== 'PENDING' && notice.status !== 'SUCCESS')) return false
  const answer = await mandates.noticeStatus(notifyKey(mid, collectionId, number))
  if (answer.outcome === 'absent') return notice.status === 'PENDING' // the collection sweep sends the notice again, if a debit may still wait for it
  const said = { outcome: answer.outcome, authentication: authenticationIn(answer), category: reference.category(merchant.mcc) }
  await engine.submit(applyNoticeResult, { mid, collectionId, noticeId: notice.noticeId, ...said, now: clock.now() })
  return answer.outcome === 'success' || answer.outcome === 'optedOut'
}

export const authenticationIn = (answer: NoticeAnswer) => (answer.outcome === 'success' ? answer.authentication : undefined)

/** `mandate-revoke.due` */
export const revokeDue =
  ({ engine, query, clock, acquirer }: MandateParts): TaskHandler =>
  async ({ payload, attempts }, lease) => {
    const { mid, subscriptionId, other } = payload as unknown as Named & { other?: Other }
    const subscription = await query.row(look('subscriptions', mid, subscriptionId))
    const { mandates } = acquirer()
    const mandateReference = other?.reference ?? subscription?.mandate?.reference
    const key = other ? mandateKey(mid, subscriptionId, other.attempt) : `${mid}:${subscriptionId}`
    let answer: MandateAnswer = UNKNOWN
    if (mandates && mandateReference !== undefined) answer = await mandates.revoke(`${key}:revoke`, mandateReference)
    const isOver = answer.outcome === 'revoked' || answer.outcome === 'refused' || answer.outcome === 'absent'
    await engine.submit(applyRevokeResult, { mid, subscriptionId, ...(other && { other }), isOver, attempts, now: clock.now() }, lease)
  }

/** `mandate-pause.due`: a pause of the merchant's or the payer's, or its end. */
export const pauseDue =
  ({ engine, query, clock, reference, acquirer }: MandateParts): TaskHandler =>
  async ({ payload, attempts }, lease) => {
    const { mid, subscriptionId, version } = payload as unknown as Named & { version: number }
    const subscription = await query.row(look('subscriptions', mid, subscriptionId))
    const { mandates } = acquirer()
    const mandateReference = subscription?.mandate?.reference
    const call = subscription ? pauseOrResumeOf(subscription) : 'resume'
    const isCallNeeded = subscription?.status === 'ACTIVE' || call === 'pause'
    let answer: MandateAnswer = UNKNOWN
    if (mandates && isCallNeeded && mandateReference !== undefined)
      answer = await mandates[call](`${mid}:${subscriptionId}:${call}:${version}`, mandateReference)
    const now = clock.now()
    const pausedBy = answer.outcome === 'paused' ? answer.pausedBy : undefined
    const said = { call, version, outcome: answer.outcome, ...(pausedBy && { pausedBy }) }
    await engine.submit(applyPauseResult, { mid, subscriptionId, ...said, attempts, now }, lease)
    // A pause is the payer's if it remains when Mohur's own is lifted, or was there before Mohur's own.
    if (answer.outcome === 'revoked' || (answer.outcome === 'paused' && call === 'resume' && pausedBy !== 'merchant'))
      await engine.submit(applyMandateStatus, { mid, subscriptionId, ...answer, reference, now })
  }

/** `mandate-amend.due`: the bank asks its payer once about the new terms. After that the service queries the bank. */
export const amendDue =
  ({ engine, query, clock, reference, acquirer }: MandateParts): TaskHandler =>
  async ({ payload, attempts }, lease) => {
    const { mid, subscriptionId, edit, isAsked } = payload as unknown as Named & { edit: PendingEdit; isAsked?: true }
    const subscription = await query.row(look('subscriptions', mid, subscriptionId))
    const { mandates } = acquirer()
    const { editId, renewalAmountPaise, maxAmountPaise = renewalAmountPaise, expiryDate, validUntil } = edit
    const key = `${mid}:${subscriptionId}:amend:${editId}`
    let answer: MandateAnswer = UNKNOWN
    if (mandates && subscription) {
      const terms = { ...(maxAmountPaise !== undefined && { maxAmountPaise }), ...(expiryDate !== undefined && { expiryDate }) }
      const amend = () => mandates.amend({ key, mandateReference: subscription.mandate?.reference ?? '', ...terms, validUntil })
      answer = isAsked || attempts > 1 ? await mandates.status(key) : await amend()
      if (answer.outcome === 'absent' && clock.now() < validUntil) answer = await amend()
    }
    const named = answer.outcome === 'active' && { mandateReference: answer.mandateReference }
    const said = { edit, outcome: answer.outcome, ...named }
    await engine.submit(applyEditResult, { mid, subscriptionId, ...said, reference, now: clock.now() }, lease)
  }
