// What a bank answered to a pause, the merchant's or the payer's, or to its end: the bank is called again until it has answered. Docs/interface.md section 4.36.

import { operation } from '../../../engine/decision.ts'
import { ownCodes } from '../../../interface/result-code.ts'
import { subscriptionKey } from '../../../tables/keys.ts'
import { isOver } from '../subscription.ts'
import { againAfterMs } from './bank-tasks.ts'
import { PAUSE_TASK, type PauseOrResume, pauseOrResumeOf, pauseSubject, pauseTask, pauseTaskAnew } from './pause-at-bank.ts'

const codes = ownCodes('applyPauseResult', 'done', 'again')
const MINUTE_MS = 60_000
const AGAIN_AFTER_MS = MINUTE_MS // ours
const AGAIN_MAX_MS = 60 * MINUTE_MS // ours: nothing is debited before the bank has heard of the end of a pause

export interface ApplyPauseResult {
  mid: string
  subscriptionId: string
  call: PauseOrResume
  version: number
  /** The mandate's state, as the acquirer says it: docs/acquirer.md. */
  outcome: 'active' | 'paused' | 'revoked' | 'refused' | 'pending' | 'unknown' | 'absent'
  /** Whose a pause is, where the acquirer can tell. */
  pausedBy?: 'payer' | 'merchant'
  /** How often the bank was called. */
  attempts: number
  now: number
}

/** Made under the task that called the bank. */
export const applyPauseResult = operation({
  name: 'applyPauseResult',
  codes,
  reads: ({ mid, subscriptionId }: ApplyPauseResult) => ({ subscription: subscriptionKey(mid, subscriptionId) }),
  decide(command, { subscription }) {
    const { mid, subscriptionId, call, version, outcome, pausedBy, attempts, now } = command
    const over = { kind: 'cancel' as const, task: PAUSE_TASK, subject: pauseSubject(command) }
    const done = { reply: { result: codes.done }, changes: [], events: [], tasks: [over] }
    // A payer's pause at his bank stands over the merchant's; the bank hears of the end of both.
    const isAtBank = subscription?.subStatus === 'USER_PAUSED' && subscription.mandate?.isPausedHere !== true
    if (!subscription?.mandate || isOver(subscription) || isAtBank) return done
    const again = pauseTask(subscription, now)
    if (call !== pauseOrResumeOf(subscription)) return { ...done, reply: { result: codes.again }, tasks: [again] }
    const dueAt = now + againAfterMs(attempts, AGAIN_AFTER_MS, AGAIN_MAX_MS)
    if (outcome === 'unknown' || outcome === 'pending') {
      const payload = { mid, subscriptionId, version }
      return { ...done, reply: { result: codes.again }, tasks: [{ ...again, dueAt, attempts, payload }] }
    }
    // Its end is still on its way, or the pause came behind it.
    if (call === 'resume' && outcome === 'paused' && pausedBy === 'merchant')
      return { ...done, reply: { result: codes.again }, tasks: [{ ...pauseTaskAnew(subscription, now), dueAt, attempts }] }
    if (call === 'pause' && outcome === 'paused') return done
    const { isPauseAtBank: _, ...mandate } = subscription.mandate
    return { ...done, changes: [{ kind: 'update', key: subscriptionKey(mid, subscriptionId), row: { ...subscription, mandate } }] }
  },
})
