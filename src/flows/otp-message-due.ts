// `otp-message.due`: hands the OTP to the messenger, then decides whether the task has ended or is retried.

import type { Messenger } from '../adapters/messenger/messenger.ts'
import { applyOtpDelivery } from '../domain/signin/apply-otp-delivery.ts'
import type { CodePurpose, OtpMessage } from '../domain/signin/signin.ts'
import { type Clock, lastsUntil } from '../engine/clock.ts'
import type { Engine } from '../engine/engine.ts'
import type { TaskHandler } from '../engine/tasks.ts'
import { inRupees, named, termsInMessage } from './payer-message-due.ts'

export interface OtpMessageParts {
  engine: Pick<Engine, 'submit'>
  clock: Clock
  /** Undefined when no messenger is set up. */
  messenger: Messenger | undefined
  /** Called for a message that is not tried again. */
  givenUp(messageId: string): void
}

export const otpMessage = ({ engine, clock, messenger, givenUp }: OtpMessageParts): TaskHandler => {
  return async ({ subject: messageId, payload }, lease) => {
    const message = payload as unknown as OtpMessage
    // After a long stop an OTP may have expired before it was sent. No user waits for that message any more.
    const isOver = !lastsUntil(message.expiresAt, message.validityMs, clock.now())
    const delivery = messenger === undefined || isOver ? 'refused' : await messenger.deliver(messageOf(messageId, message))
    const { result } = await engine.submit(applyOtpDelivery, { messageId, message, delivery, now: clock.now() }, lease)
    if (result.name === 'givenUp') givenUp(messageId)
  }
}

function messageOf(key: string, { mobile, otp, validityMs, purpose }: OtpMessage) {
  const minutes = Math.floor(validityMs / 60_000)
  const validity = minutes < 1 ? `${validityMs / 1_000} seconds` : minutes === 1 ? '1 minute' : `${minutes} minutes`
  const text = `${otp} is your one-time password ${forWhat(purpose)}. It is valid for ${validity}. Do not share it with anyone.`
  return { key, mobile, kind: 'otp' as const, text, otp }
}

function forWhat(purpose: CodePurpose | undefined): string {
  if (!purpose) return 'to sign in'
  const merchant = named(purpose.merchant)
  switch (purpose.kind) {
    case 'mandate':
      return `to see and change your mandate for ${merchant}`
    case 'debit':
      return `to approve a debit of ${inRupees(purpose.amountPaise)} by ${merchant}`
    case 'edit':
      return `to allow ${merchant} debits of ${termsInMessage(purpose.terms)}`
    default:
      return purpose satisfies never
  }
}
