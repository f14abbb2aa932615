// Applies the result of sending a message to a payer: sent, to retry, or given up. This operation runs under the message's task, so only
// the holder of the task's lease applies a result.

import { NOTHING, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import type { PayerMessage } from './payer-message.ts'

const MINUTE_MS = 60_000
const RETRY_AFTER_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * 60 * MINUTE_MS, 6 * 60 * MINUTE_MS] // docs/operating/watch.md, "Tasks"

const codes = ownCodes('applyMessageDelivery', 'sent', 'waiting', 'givenUp')

export interface ApplyMessageDelivery {
  messageId: string
  message: PayerMessage
  /** `unknown`: no answer came in time. The message may have been sent. Its key prevents a second sending. */
  delivery: 'delivered' | 'refused' | 'unknown'
  now: number
}

export const applyMessageDelivery = operation({
  name: 'applyMessageDelivery',
  codes,
  reads: (_: ApplyMessageDelivery) => ({}),
  decide({ messageId: subject, message, delivery, now }) {
    const afterMs = RETRY_AFTER_MS[message.attempts]
    if (delivery === 'delivered') return { ...NOTHING, reply: { result: codes.sent } }
    // A refusal is about the message: the same message would be refused again.
    if (delivery === 'refused' || afterMs === undefined) return { ...NOTHING, reply: { result: codes.givenUp } }
    const payload = { ...message, attempts: message.attempts + 1 }
    return {
      ...NOTHING,
      reply: { result: codes.waiting },
      tasks: [{ kind: 'add', task: 'payer-message.due', subject, dueAt: now + afterMs, payload }],
    }
  },
})
