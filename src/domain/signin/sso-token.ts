// Rules for an SSO token in every operation that takes one: docs/interface.md sections 4.2, 4.6 and 4.9.

import type { Change } from '../../engine/decision.ts'
import { isGuest } from '../../interface/fields.ts'
import { customerLinkKey } from '../../tables/keys.ts'
import type { Payer } from '../../tables/signin.ts'
import type { Row } from '../../tables/tables.ts'

export function valid(ssoToken: Row<'ssoTokens'> | undefined, now: number): Row<'ssoTokens'> | undefined {
  return ssoToken && ssoToken.revokedAt === null && now < ssoToken.expiresAt ? ssoToken : undefined
}

const WALLET_SCOPE = 'wallet' // docs/interface.md section 4.7

/** The payer whose wallet the token opens. Null when the token's scopes lack the wallet. */
export const payerOf = ({ userId, mobile, familyId, scopes }: Row<'ssoTokens'>): Payer | null =>
  scopes.includes(WALLET_SCOPE) ? { userId, mobile, familyId } : null

/** The first valid token that arrives with a custId links the custId to the token's user. An existing link stays. */
export function linkChanges(
  mid: string,
  custId: string,
  { userId }: Row<'ssoTokens'>,
  link: Row<'customerLinks'> | undefined,
  now: number,
): Change<'customerLinks'>[] {
  return link || isGuest(custId) ? [] : [{ kind: 'insert', key: customerLinkKey(mid, custId), row: { mid, custId, userId, linkedAt: now } }]
}
