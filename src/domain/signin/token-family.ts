// The tokens of one sign-in: how they are made, and how they end together (docs/interface.md sections 4.1, 4.20 and 4.21).

import { type Change, type Event, eventOf } from '../../engine/decision.ts'
import { newSsoTokenKey, tokenFamilyKey } from '../../tables/keys.ts'
import type { Key, Row } from '../../tables/tables.ts'
import { REFRESH_TOKEN_VALIDITY_MS } from './signin.ts'

export const SUCCESSOR_MS = 60_000 // docs/interface.md section 8 (Mohur): how long a lost answer is given again
const SSO_TOKENS_MAX = 20 // docs/interface.md section 8 (Mohur): valid at once in one family

type Family = Row<'tokenFamilies'>
type SsoTokenOf = Family['ssoTokens'][number]

export function familyEvent(
  type: `signin.${string}`,
  before: Family | undefined,
  after: Family,
  at: number,
  data: Event['data'] = {},
): Event {
  return eventOf({ type, owner: after.clientId, id: after.familyId, before, after, at, data })
}

/** A family lives until it is revoked, or its time is over. After that none of its tokens is valid. */
export const isAlive = ({ status, createdAt, ssoTokens }: Family, now: number) =>
  status === 'ACTIVE' && (now < createdAt + REFRESH_TOKEN_VALIDITY_MS || ssoTokens.some(({ expiresAt }) => now < expiresAt))

export const ssoTokenRow = (
  { familyId, clientId, userId, mobile, scopes }: Omit<Family, 'ssoTokens'>,
  { tokenHash, expiresAt }: SsoTokenOf,
  now: number,
): Row<'ssoTokens'> => ({ tokenHash, userId, mobile, clientId, familyId, scopes, issuedAt: now, expiresAt, revokedAt: null })

/**
 * Valid tokens stay in the family. When there are too many, the oldest leave. A token that leaves is revoked even when it has expired by
 * this process's clock. Another process's clock may find it valid, and the family could no longer end it.
 */
export function room(family: Family, now: number): { stay: readonly SsoTokenOf[]; leave: readonly SsoTokenOf[] } {
  const [live, over] = [true, false].map((isLive) => family.ssoTokens.filter(({ expiresAt }) => now < expiresAt === isLive))
  const excess = Math.max(0, live!.length - (SSO_TOKENS_MAX - 1)) // one more is about to join
  return { stay: live!.slice(excess), leave: [...over!, ...live!.slice(0, excess)] }
}

type SsoKeys = Readonly<Record<`sso ${string}`, Key<'ssoTokens'>>>
/** SSO tokens as rows that a decision may revoke: keys for `reads`, and rows in its state. */
export const ssoTokensToLock = (tokens: readonly SsoTokenOf[]): SsoKeys =>
  Object.fromEntries(tokens.map(({ tokenHash }) => [`sso ${tokenHash}`, newSsoTokenKey(tokenHash)]))
export type SsoTokens = Readonly<Record<`sso ${string}`, Row<'ssoTokens'> | undefined>>

export const revokeSsoTokens = (tokens: readonly SsoTokenOf[], state: SsoTokens, now: number): Change[] =>
  tokens
    .map(({ tokenHash }) => state[`sso ${tokenHash}`])
    .filter((row): row is Row<'ssoTokens'> => row !== undefined && row.revokedAt === null)
    .map((row) => ({ kind: 'update', key: newSsoTokenKey(row.tokenHash), row: { ...row, revokedAt: now } }))

export function revoke(
  family: Family,
  state: SsoTokens,
  reason: 'reuse' | 'sign-out',
  now: number,
): { changes: Change[]; events: Event[] } {
  const row: Family = { ...family, version: family.version + 1, status: 'REVOKED', ssoTokens: [] }
  return {
    changes: [{ kind: 'update', key: tokenFamilyKey(family.familyId), row }, ...revokeSsoTokens(family.ssoTokens, state, now)],
    events: [familyEvent('signin.revoked', family, row, now, { reason })],
  }
}
