// Decides the state of the message that carries an OTP (docs/interface.md section 4.7). The state is sent, waiting for a retry, or given
// up. The decision runs under the message's task, so that only the holder of the lease decides.

import { NOTHING, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { taskKey } from '../../tables/keys.ts'
import type { OtpMessage } from './signin.ts'

const ATTEMPTS_MAX = 5 // Mohur's choice: the last comes half a minute after the first; by then the user has asked for another OTP
const BACK_OFF_MS = 2_000 // doubles with every attempt

const codes = ownCodes('applyOtpDelivery', 'sent', 'waiting', 'givenUp')

export interface ApplyOtpDelivery {
  messageId: string
  message: OtpMessage
  /** `unknown`: no answer came in time. The message may have been sent; the message's key prevents a second sending. */
  delivery: 'delivered' | 'refused' | 'unknown'
  now: number
}

export const applyOtpDelivery = operation({
  name: 'applyOtpDelivery',
  codes,
  reads: ({ messageId }: ApplyOtpDelivery) => ({ task: taskKey('otp-message.due', messageId) }),
  decide({ messageId, message, delivery, now }) {
    const attempts = message.attempts + 1
    const dueAt = now + BACK_OFF_MS * 2 ** message.attempts
    if (delivery === 'delivered') return done(codes.sent)
    if (attempts >= ATTEMPTS_MAX || dueAt >= message.expiresAt) return done(codes.givenUp)
    return {
      ...done(codes.waiting),
      tasks: [{ kind: 'add', task: 'otp-message.due', subject: messageId, dueAt, payload: { ...message, attempts } }],
    }
  },
})

/** The engine completes the task under which a decision runs. */
const done = <Code>(result: Code) => ({ ...NOTHING, reply: { result } })
