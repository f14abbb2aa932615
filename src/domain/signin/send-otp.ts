// Send OTP: docs/interface.md section 4.7. Known and unknown numbers get the same answer, after the same work.

import Type, { type Static } from 'typebox'
import { operation, refuse } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import * as replied from '../../interface/replied.ts'
import { sendOtp as codes } from '../../interface/result-codes.ts'
import { customerKey, otpChallengeKey, otpSendsKey, signInClientKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'
import { isPending, mayAskFor, mayBeSent, type OtpMessage, type SignInCaller, type SignInLimits, type SignInWire } from './signin.ts'

const query = Type.Object({ locale: Type.Enum(['en-IN']) })
const body = Type.Object({
  /** India's mobile numbers. An OTP to any other number earns money for the owner of that line. */
  phone: Type.String({ pattern: '^[6-9][0-9]{9}$' }),
  scopes: Type.Optional(fields.array(fields.string())),
})

export const wire: SignInWire<typeof query, typeof body, (typeof codes)['success']> = {
  query,
  body,
  invalidAuthorization: codes.invalidAuthorization,
  deviceMissing: codes.deviceMissing,
  badRequest: codes.badRequest,
  systemError: codes.systemError,
}

export const reply = Type.Object({ state_token: replied.text })

/** The caller draws `fresh`. Only the OTP's message contains the OTP itself. */
export interface SendOtp {
  request: Static<typeof body>
  caller: SignInCaller
  limits: SignInLimits
  now: number
  fresh: { stateToken: string; stateTokenHash: string; otp: string; otpHash: string; messageId: string }
}

export const sendOtp = operation({
  name: 'sendOtp',
  codes,
  reads: ({ request: r, caller, fresh }: SendOtp) => ({
    client: signInClientKey(caller.clientId),
    customer: customerKey(r.phone),
    sends: otpSendsKey(r.phone),
    challenge: otpChallengeKey(fresh.stateTokenHash),
  }),
  decide({ request: r, caller, limits, now, fresh }, { client, customer, sends }) {
    if (!client) return refuse(codes.invalidAuthorization)
    if (isPending(customer, now)) return refuse(codes.pendingVerification)
    const scopes = [...new Set(r.scopes ?? client.scopes)]
    if (!mayAskFor(client, scopes)) return refuse(codes.scopeNotAllowed)
    const sent = mayBeSent(sends, r.phone, limits, now)
    if (!sent) return refuse(codes.sendLimitReached)

    const expiresAt = now + limits.otpValidityMs
    const challenge: Row<'otpChallenges'> = {
      stateTokenHash: fresh.stateTokenHash,
      clientId: caller.clientId,
      deviceHash: caller.deviceHash,
      mobile: r.phone,
      scopes,
      otpHash: fresh.otpHash,
      tries: 0,
      triesMax: limits.triesMax,
      createdAt: now,
      expiresAt,
      consumedAt: null,
    }
    const message: OtpMessage = { mobile: r.phone, otp: fresh.otp, validityMs: limits.otpValidityMs, expiresAt, attempts: 0 }
    return {
      reply: { result: codes.success, body: { state_token: fresh.stateToken } },
      changes: [
        { kind: 'insert', key: otpChallengeKey(fresh.stateTokenHash), row: challenge },
        { kind: sends ? 'update' : 'insert', key: otpSendsKey(r.phone), row: sent },
      ],
      events: [],
      tasks: [{ kind: 'add', task: 'otp-message.due', subject: fresh.messageId, dueAt: now, payload: { ...message } }],
    }
  },
})
