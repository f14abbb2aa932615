// Applies a bank's answer to the withdrawal of a mandate. The service calls again until the bank has answered. Docs/interface.md section 3.

import { operation } from '../../../engine/decision.ts'
import { ownCodes } from '../../../interface/result-code.ts'
import { subscriptionKey } from '../../../tables/keys.ts'
import { againAfterMs, type Other, otherSubject, REVOKE_TASK, revokeOther, revokeTask, subjectOf } from './bank-tasks.ts'

const codes = ownCodes('applyRevokeResult', 'done', 'again')
const MINUTE_MS = 60_000
const AGAIN_AFTER_MS = 5 * MINUTE_MS // Mohur's choice: the first wait, which doubles
const AGAIN_MAX_MS = 24 * 60 * MINUTE_MS // Mohur's choice: the longest wait

export interface ApplyRevokeResult {
  mid: string
  subscriptionId: string
  other?: Other
  /** True when the bank debits no more by this mandate: the mandate was revoked, or never existed there. */
  isOver: boolean
  /** How often the bank was called. */
  attempts: number
  now: number
}

/** Runs under the task that called the bank. */
export const applyRevokeResult = operation({
  name: 'applyRevokeResult',
  codes,
  reads: ({ mid, subscriptionId }: ApplyRevokeResult) => ({ subscription: subscriptionKey(mid, subscriptionId) }),
  decide({ mid, subscriptionId, other, isOver, attempts, now }, { subscription }) {
    const [again] = !subscription ? [] : other ? revokeOther(subscription, other, now) : revokeTask(subscription, now)
    const subject = other ? otherSubject({ mid, subscriptionId }, other) : subjectOf({ mid, subscriptionId })
    const after = againAfterMs(attempts, AGAIN_AFTER_MS, AGAIN_MAX_MS)
    const isDone = isOver || again === undefined
    return {
      reply: { result: isDone ? codes.done : codes.again },
      changes: [],
      events: [],
      tasks: [again === undefined || isOver ? { kind: 'cancel', task: REVOKE_TASK, subject } : { ...again, dueAt: now + after, attempts }],
    }
  },
})
