// The payer of an order or page, as far as their wallet and cards go: docs/interface.md section 4.10. Each use checks the sign-in again,
// because a number may get another owner, and a sign-in may end meanwhile.

import { signInKey } from '../../tables/keys.ts'
import type { Payer } from '../../tables/signin.ts'
import type { Row } from '../../tables/tables.ts'
import { isOfFormerOwner, isPending } from './signin.ts'
import { isAlive } from './token-family.ts'

/** The sign-in by which a payer came. A payer who signed in at the checkout has none, because that counts for their order alone. */
export const signInOf = (payer: Payer | null | undefined) => (payer?.familyId === undefined ? undefined : signInKey(payer.familyId))

/**
 * The payer, as long as their sign-in stands: their number is not under verification. If they came by an SSO token, no verification of the
 * number began after that sign-in, and the token's family is neither revoked nor over. The token itself may have expired: it named the
 * payer, and that stays true.
 */
export function standing(
  payer: Payer | null | undefined,
  { customer, family }: { customer: Row<'customers'> | undefined; family: Row<'tokenFamilies'> | undefined },
  now: number,
): Payer | undefined {
  if (!payer || isPending(customer, now)) return undefined
  return payer.familyId === undefined || (family && isAlive(family, now) && !isOfFormerOwner(family, customer)) ? payer : undefined
}
