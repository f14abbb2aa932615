// Applies a bank's answer to a pause or to a pause's end. The pause may be the merchant's or the payer's. The service calls again until the
// bank has answered. Docs/interface.md section 4.36.

import { operation } from '../../../engine/decision.ts'
import { ownCodes } from '../../../interface/result-code.ts'
import { subscriptionKey } from '../../../tables/keys.ts'
import { isOver } from '../subscription.ts'
import { againAfterMs, subjectOf } from './bank-tasks.ts'
import { PAUSE_TASK, type PauseOrResume, pauseOrResumeOf, pauseTask, pauseTaskAnew } from './pause-at-bank.ts'

const codes = ownCodes('applyPauseResult', 'done', 'again')
const MINUTE_MS = 60_000
const AGAIN_AFTER_MS = MINUTE_MS // Mohur's choice: the first wait, which doubles
const AGAIN_MAX_MS = 60 * MINUTE_MS // Mohur's choice: the longest wait, because nothing is debited before the bank has received the end of a pause

export interface ApplyPauseResult {
  mid: string
  subscriptionId: string
  call: PauseOrResume
  version: number
  /** The mandate's state, in the acquirer's words: docs/acquirer.md. */
  outcome: 'active' | 'paused' | 'revoked' | 'refused' | 'pending' | 'unknown' | 'absent'
  /** The side that made a pause, if the acquirer knows it. */
  pausedBy?: 'payer' | 'merchant'
  /** How often the bank was called. */
  attempts: number
  now: number
}

/** Runs under the task that called the bank. */
export const applyPauseResult = operation({
  name: 'applyPauseResult',
  codes,
  reads: ({ mid, subscriptionId }: ApplyPauseResult) => ({ subscription: subscriptionKey(mid, subscriptionId) }),
  decide(command, { subscription }) {
    const { mid, subscriptionId, call, version, outcome, pausedBy, attempts, now } = command
    const over = { kind: 'cancel' as const, task: PAUSE_TASK, subject: subjectOf(command) }
    const done = { reply: { result: codes.done }, changes: [], events: [], tasks: [over] }
    // A payer's pause at the bank stands over the merchant's. The bank is notified when both have ended.
    const isAtBank = subscription?.subStatus === 'USER_PAUSED' && subscription.mandate?.isPausedHere !== true
    if (!subscription?.mandate || isOver(subscription) || isAtBank) return done
    const again = pauseTask(subscription, now)
    if (call !== pauseOrResumeOf(subscription)) return { ...done, reply: { result: codes.again }, tasks: [again] }
    const dueAt = now + againAfterMs(attempts, AGAIN_AFTER_MS, AGAIN_MAX_MS)
    if (outcome === 'unknown' || outcome === 'pending') {
      const payload = { mid, subscriptionId, version }
      return { ...done, reply: { result: codes.again }, tasks: [{ ...again, dueAt, attempts, payload }] }
    }
    // The resume is still on its way, or the pause arrived after the resume.
    if (call === 'resume' && outcome === 'paused' && pausedBy === 'merchant')
      return { ...done, reply: { result: codes.again }, tasks: [{ ...pauseTaskAnew(subscription, now), dueAt, attempts }] }
    if (call === 'pause' && outcome === 'paused') return done
    const { isPauseAtBank: _, ...mandate } = subscription.mandate
    return { ...done, changes: [{ kind: 'update', key: subscriptionKey(mid, subscriptionId), row: { ...subscription, mandate } }] }
  },
})
