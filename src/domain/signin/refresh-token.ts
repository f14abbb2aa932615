// Refresh Token: docs/interface.md section 4.20. Every use gives a new refresh token. When a used token comes again, another party may have
// a copy, so the whole family ends. The exception is a caller who may not have received the answer.

import Type from 'typebox'
import { type Change, type Decision, NOTHING, operation, refuse } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import * as replied from '../../interface/replied.ts'
import { refreshToken as codes } from '../../interface/result-codes.ts'
import { customerKey, newSsoTokenKey, refreshTokenKey, signInClientKey, tokenFamilyKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'
import { isOfFormerOwner, isPending, mayAskFor, type SignInCaller, type SignInLimits } from './signin.ts'
import { familyEvent, revoke, revokeSsoTokens, room, type SsoTokens, SUCCESSOR_MS, ssoTokenRow, ssoTokensToLock } from './token-family.ts'

const DEVICE_LENGTH = 255 // docs/interface.md section 8

export const wire = {
  /** Checked first, because another grant has other members. */
  grant: Type.Object({ grantType: fields.string() }),
  body: Type.Object({
    grantType: Type.Enum(['refresh_token']),
    refreshToken: fields.string(),
    deviceId: Type.String({ maxLength: DEVICE_LENGTH }),
  }),
}

export const reply = Type.Object({
  scope: replied.text,
  accessToken: replied.text,
  tokenType: Type.Enum(['BEARER']),
  expiresIn: replied.epoch,
  refreshToken: replied.text,
})

export interface RefreshToken {
  tokenHash: string
  caller: SignInCaller
  limits: Pick<SignInLimits, 'ssoValidityMs'>
  now: number
  fresh: { ssoToken: string; ssoTokenHash: string; refreshToken: string; refreshTokenHash: string }
}

type Token = Row<'refreshTokens'>
type Family = Row<'tokenFamilies'>

export const refreshToken = operation({
  name: 'refreshToken',
  codes,
  reads: ({ caller, tokenHash }: RefreshToken) => ({ client: signInClientKey(caller.clientId), token: refreshTokenKey(tokenHash) }),
  readsNext: (_command, { token }) => ({ family: token && tokenFamilyKey(token.familyId) }),
  readsLast: ({ now }, { token, family }) => ({
    customer: family && customerKey(family.mobile),
    ...ssoTokensToLock(!token || !family ? [] : isReuse(token, family, now) ? family.ssoTokens : room(family, now).leave),
  }),
  decide(command, { client, token, family, customer, ...ssoTokens }) {
    const { caller, now } = command
    if (!client) return refuse(codes.invalidAuthorization)
    if (!token || !family) return refuse(codes.notRefreshable, undefined, 'refreshToken')
    if (family.clientId !== caller.clientId) return refuse(codes.clientMismatch)
    if (family.deviceHash !== caller.deviceHash) return refuse(codes.deviceMismatch)
    if (family.status === 'REVOKED' || now >= token.expiresAt) return refuse(codes.notRefreshable, undefined, 'refreshToken')
    if (isReuse(token, family, now))
      return { ...refuse(codes.notRefreshable, undefined, 'refreshToken'), ...revoke(family, ssoTokens, 'reuse', now) }
    if (isPending(customer, now)) return refuse(codes.pendingVerification)
    if (isOfFormerOwner(family, customer)) return refuse(codes.notRefreshable, undefined, 'refreshToken')
    if (!mayAskFor(client, family.scopes)) return refuse(codes.scopeNotAllowed)
    if (token.successor) return { ...NOTHING, reply: replyOf(token.successor, family) }
    return rotate(token, family, ssoTokens, command)
  },
})

/**
 * True when a used token comes again, unless only its answer may have been lost. Then the token comes within a minute, and before any use
 * of its successor. The family's version rises with every generation, so it shows whether the successor was used.
 */
const isReuse = (token: Token, family: Family, now: number) =>
  token.usedAt !== null && !(token.successor !== null && now < (token.successorUntil ?? 0) && family.version === token.generation + 1)

const replyOf = ({ ssoToken, refreshToken, expiresAt }: NonNullable<Token['successor']>, { scopes }: Family) => ({
  result: codes.success,
  body: { scope: scopes.join(' '), accessToken: ssoToken, tokenType: 'BEARER', expiresIn: String(expiresAt), refreshToken },
})

/** Makes the next generation. It expires when the first generation would have, after any number of renewals. */
function rotate(
  token: Token,
  family: Family,
  ssoTokens: SsoTokens,
  { limits, now, fresh }: RefreshToken,
): Decision<(typeof codes)['success']> {
  const { stay, leave } = room(family, now)
  const joins = { tokenHash: fresh.ssoTokenHash, expiresAt: now + limits.ssoValidityMs }
  const after: Family = { ...family, version: family.version + 1, ssoTokens: [...stay, joins] }
  const successor = { refreshToken: fresh.refreshToken, ssoToken: fresh.ssoToken, expiresAt: joins.expiresAt }
  const used: Token = { ...token, usedAt: now, successor, successorUntil: now + SUCCESSOR_MS }
  const next: Token = {
    tokenHash: fresh.refreshTokenHash,
    familyId: family.familyId,
    generation: token.generation + 1,
    issuedAt: now,
    expiresAt: token.expiresAt,
    usedAt: null,
    successor: null,
    successorUntil: null,
  }
  const changes: Change[] = [
    { kind: 'update', key: tokenFamilyKey(family.familyId), row: after },
    { kind: 'update', key: refreshTokenKey(token.tokenHash), row: used },
    { kind: 'insert', key: refreshTokenKey(next.tokenHash), row: next },
    { kind: 'insert', key: newSsoTokenKey(joins.tokenHash), row: ssoTokenRow(family, joins, now) },
    ...revokeSsoTokens(leave, ssoTokens, now),
  ]
  return { reply: replyOf(successor, family), changes, events: [familyEvent('signin.refreshed', family, after, now)], tasks: [] }
}
