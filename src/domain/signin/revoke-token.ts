// Revoke Token: docs/interface.md section 4.21. Signing out ends the whole family, so that neither a refresh token nor another SSO token of
// the sign-in outlives it.

import { operation, refuse } from '../../engine/decision.ts'
import { revokeToken as codes } from '../../interface/result-codes.ts'
import { signInClientKey, ssoTokenKey, tokenFamilyKey } from '../../tables/keys.ts'
import type { SignInCaller } from './signin.ts'
import { revoke, ssoTokensToLock } from './token-family.ts'

export interface RevokeToken {
  ssoTokenHash: string
  caller: SignInCaller
  now: number
}

export const revokeToken = operation({
  name: 'revokeToken',
  codes,
  reads: ({ caller, ssoTokenHash }: RevokeToken) => ({ client: signInClientKey(caller.clientId), ssoToken: ssoTokenKey(ssoTokenHash) }),
  readsNext: (_command, { ssoToken }) => ({ family: ssoToken && tokenFamilyKey(ssoToken.familyId) }),
  readsLast: (_command, { family }) => ssoTokensToLock(family?.ssoTokens ?? []),
  decide({ caller, now }, { client, ssoToken, family, ...ssoTokens }) {
    if (!client) return refuse(codes.invalidAuthorization)
    if (!ssoToken || !family) return refuse(codes.badRequest, undefined, 'session_token', 'unknownToken')
    if (family.clientId !== caller.clientId || family.deviceHash !== caller.deviceHash) return refuse(codes.invalidAuthorization)
    const done = { reply: { result: codes.success }, tasks: [] }
    // A repeated request, perhaps after a lost answer. The family has ended already.
    if (family.status === 'REVOKED') return { ...done, changes: [], events: [] }
    return { ...done, ...revoke(family, ssoTokens, 'sign-out', now) }
  },
})
