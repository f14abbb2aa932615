// Rules for an SSO token in every operation that takes one: docs/interface.md sections 4.1, 4.2, 4.6 and 4.9.

import type { Change, Query, State } from '../../engine/decision.ts'
import { isGuest } from '../../interface/fields.ts'
import { customerKey, customerLinkKey, signInKey, ssoTokenKey } from '../../tables/keys.ts'
import type { Payer } from '../../tables/signin.ts'
import type { Row } from '../../tables/tables.ts'
import { isOfFormerOwner } from './signin.ts'

type SsoToken = Row<'ssoTokens'>

/** Rows of the token's sign-in, for `valid`. */
export const signInReads = (ssoToken: SsoToken | undefined) => ({
  customer: ssoToken && customerKey(ssoToken.mobile),
  family: ssoToken && signInKey(ssoToken.familyId),
})
type SignIn = State<ReturnType<typeof signInReads>>

/**
 * The token of a known sign-in, while it is neither revoked nor over. No change of its number's owner may have been reported after the
 * sign-in.
 */
export function valid(ssoToken: SsoToken | undefined, { customer, family }: SignIn, now: number): SsoToken | undefined {
  const stands = ssoToken && family && ssoToken.revokedAt === null && now < ssoToken.expiresAt
  return stands && !isOfFormerOwner(family, customer) ? ssoToken : undefined
}

/** The valid token with this hash, for a question. */
export async function validNow(tokenHash: string, now: number, query: Query): Promise<SsoToken | undefined> {
  const ssoToken = await query.row(ssoTokenKey(tokenHash))
  if (!ssoToken) return undefined
  const [customer, family] = await Promise.all([query.row(customerKey(ssoToken.mobile)), query.row(signInKey(ssoToken.familyId))])
  return valid(ssoToken, { customer, family }, now)
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
