// What a wallet's SSO token proves: docs/interface.md sections 4.2 and 4.6.

import type { Row } from '../tables.ts'

/** The token when it was issued by us, is not revoked and has not expired. */
export function valid(ssoToken: Row<'ssoTokens'> | undefined, now: number): Row<'ssoTokens'> | undefined {
  return ssoToken && ssoToken.revokedAt === null && now < ssoToken.expiresAt ? ssoToken : undefined
}
