// Rules for an SSO token in every operation that takes one: docs/interface.md sections 4.1, 4.2, 4.6 and 4.9.

import type { Change, Query } from '../../engine/decision.ts'
import { isGuest } from '../../interface/fields.ts'
import { customerLinkKey, ssoTokenKey } from '../../tables/keys.ts'
import type { Payer } from '../../tables/signin.ts'
import { look, type Row } from '../../tables/tables.ts'
import { isOfFormerOwner } from './signin.ts'

type SsoToken = Row<'ssoTokens'>

/** The token, while it is neither revoked nor over. No change of its number's owner may have been reported after it was issued. */
export function valid(ssoToken: SsoToken | undefined, customer: Row<'customers'> | undefined, now: number): SsoToken | undefined {
  const stands = ssoToken && ssoToken.revokedAt === null && now < ssoToken.expiresAt
  return stands && !isOfFormerOwner({ createdAt: ssoToken.issuedAt }, customer) ? ssoToken : undefined
}

/** The row that `valid` compares the token with. */
export const customerOf = (ssoToken: SsoToken | undefined) => ssoToken && look('customers', ssoToken.mobile)

/** The valid token with this hash, for a question. */
export async function validNow(tokenHash: string, now: number, query: Query): Promise<SsoToken | undefined> {
  const ssoToken = await query.row(ssoTokenKey(tokenHash))
  return ssoToken && valid(ssoToken, await query.row(customerOf(ssoToken)!), now)
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
