// Validate OTP: docs/interface.md section 4.1. One decision uses the OTP and makes the tokens, so that many simultaneous right answers make
// one sign-in.

import Type, { type Static } from 'typebox'
import { isTooFarAhead } from '../../engine/clock.ts'
import { type Change, operation, refuse } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import * as replied from '../../interface/replied.ts'
import { validateOtp as codes } from '../../interface/result-codes.ts'
import {
  newCustomerKey,
  newSsoTokenKey,
  otpChallengeKey,
  otpFailuresKey,
  refreshTokenKey,
  signInClientKey,
  tokenFamilyKey,
} from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'
import {
  HOUR_MS,
  isPending,
  mayAskFor,
  OTP_FORM,
  REFRESH_TOKEN_VALIDITY_MS,
  type SignInCaller,
  type SignInLimits,
  type SignInWire,
  signedIn,
  within,
} from './signin.ts'
import { familyEvent, ssoTokenRow } from './token-family.ts'

const query = Type.Object({ locale: Type.Enum(['en-IN']), anchor: Type.Optional(Type.Enum(['enc_user_id'])) })
/** An OTP of another form is no bad request. It gets the reply of a wrong OTP, and spends no try. */
const body = Type.Object({ state_token: fields.string(), otp: Type.String() })

export const wire: SignInWire<typeof query, typeof body, (typeof codes)['success']> = {
  query,
  body,
  invalidAuthorization: codes.invalidAuthorization,
  deviceMissing: codes.deviceMissing,
  badRequest: codes.badRequest,
  systemError: codes.badRequest, // the table has no row for it: docs/interface.md section 4.1
}

export const reply = Type.Object({ tokens: replied.text, encryptedUserId: Type.Optional(replied.text) })

export interface ValidateOtp {
  request: Static<typeof body>
  stateTokenHash: string
  otpHash: string
  caller: SignInCaller
  limits: SignInLimits
  now: number
  fresh: { ssoToken: string; ssoTokenHash: string; refreshToken: string; refreshTokenHash: string; familyId: string; userId: string }
}

export const validateOtp = operation({
  name: 'validateOtp',
  codes,
  reads: ({ caller, stateTokenHash }: ValidateOtp) => ({
    client: signInClientKey(caller.clientId),
    challenge: otpChallengeKey(stateTokenHash),
  }),
  readsNext({ caller, otpHash, fresh }, { challenge }) {
    const own = challenge?.clientId === caller.clientId && challenge.deviceHash === caller.deviceHash ? challenge : undefined
    const right = own?.otpHash === otpHash
    return {
      customer: own && newCustomerKey(own.mobile),
      failures: own && otpFailuresKey(own.mobile, own.deviceHash),
      family: right ? tokenFamilyKey(fresh.familyId) : undefined,
      ssoToken: right ? newSsoTokenKey(fresh.ssoTokenHash) : undefined,
      refreshToken: right ? refreshTokenKey(fresh.refreshTokenHash) : undefined,
    }
  },
  decide({ request: r, otpHash, caller, limits, now, fresh }, { client, challenge, customer, failures }) {
    if (!client) return refuse(codes.invalidAuthorization)
    if (!challenge) return refuse(codes.badRequest, undefined, 'state_token', 'unknownToken')
    if (challenge.clientId !== caller.clientId) return refuse(codes.clientMismatch)
    if (challenge.deviceHash !== caller.deviceHash) return refuse(codes.deviceMismatch)
    if (isPending(customer, now)) return refuse(codes.pendingVerification)
    if (!mayAskFor(client, challenge.scopes)) return refuse(codes.scopeNotAllowed)
    const isOver = now >= challenge.expiresAt || isTooFarAhead(challenge.createdAt, now)
    if (challenge.consumedAt !== null || isOver) return refuse(codes.attemptsExceeded)
    if (challenge.tries >= challenge.triesMax) return refuse(codes.attemptsExceeded)
    const failedAt = within(HOUR_MS, failures?.failedAt ?? [], now)
    if (failedAt.length >= limits.failuresPerHour) return refuse(codes.attemptsExceeded)
    if (!OTP_FORM.test(r.otp)) return refuse(codes.wrongOtp)
    if (challenge.otpHash !== otpHash) {
      const { mobile, deviceHash } = challenge
      return {
        ...refuse(codes.wrongOtp),
        changes: [
          { kind: 'update', key: otpChallengeKey(challenge.stateTokenHash), row: { ...challenge, tries: challenge.tries + 1 } },
          {
            kind: failures ? 'update' : 'insert',
            key: otpFailuresKey(mobile, deviceHash),
            row: { mobile, deviceHash, failedAt: [...failedAt, now], lastAt: now },
          },
        ],
      }
    }
    return signIn(challenge, customer, { limits, now, fresh })
  },
})

/** Uses the OTP, makes the customer at the number's first sign-in, and gives a family of tokens its first two. */
function signIn(
  challenge: Row<'otpChallenges'>,
  customer: Row<'customers'> | undefined,
  { limits, now, fresh }: Pick<ValidateOtp, 'limits' | 'now' | 'fresh'>,
) {
  const { stateTokenHash, clientId, deviceHash, mobile, scopes } = challenge
  const { familyId } = fresh
  const userId = customer?.userId ?? fresh.userId
  const expiresAt = now + limits.ssoValidityMs
  const family: Row<'tokenFamilies'> = {
    familyId,
    version: 1,
    status: 'ACTIVE',
    stateTokenHash,
    clientId,
    deviceHash,
    mobile,
    userId,
    scopes,
    createdAt: now,
    ssoTokens: [{ tokenHash: fresh.ssoTokenHash, expiresAt }],
    updatedAt: now,
  }
  const refreshToken: Row<'refreshTokens'> = {
    tokenHash: fresh.refreshTokenHash,
    familyId,
    generation: 1,
    issuedAt: now,
    expiresAt: now + REFRESH_TOKEN_VALIDITY_MS,
    usedAt: null,
    successor: null,
    successorUntil: null,
  }
  const changes: Change[] = [
    { kind: 'update', key: otpChallengeKey(stateTokenHash), row: { ...challenge, consumedAt: now } },
    { kind: 'insert', key: tokenFamilyKey(familyId), row: family },
    {
      kind: 'insert',
      key: newSsoTokenKey(fresh.ssoTokenHash),
      row: ssoTokenRow(family, { tokenHash: fresh.ssoTokenHash, expiresAt }, now),
    },
    { kind: 'insert', key: refreshTokenKey(refreshToken.tokenHash), row: refreshToken },
  ]
  changes.push(signedIn(customer, mobile, userId, now))
  const tokens = {
    access_token: fresh.ssoToken,
    refresh_token: fresh.refreshToken,
    expires: String(expiresAt),
    scope: scopes.join(' '),
  }
  return {
    reply: { result: codes.success, body: { tokens: JSON.stringify(tokens), userId } },
    changes,
    events: [familyEvent('signin.completed', undefined, family, now)],
    tasks: [],
  }
}
