// The payer whose wallet and cards an order or page may use: docs/interface.md section 4.10. Each use checks the sign-in again, because a
// number may get another owner, and a sign-in may end meanwhile.

import { signInKey } from '../../tables/keys.ts'
import type { Payer } from '../../tables/signin.ts'
import type { Row } from '../../tables/tables.ts'
import { isOfFormerOwner, isPending } from './signin.ts'
import { isAlive } from './token-family.ts'

/**
 * The sign-in by which a payer came. A payer who signed in at the checkout has none, because a checkout's login counts for its order alone.
 */
export const signInOf = (payer: Payer | null | undefined) => (payer?.familyId === undefined ? undefined : signInKey(payer.familyId))

/**
 * The payer, while their sign-in is valid. The payer's number must not be under verification. For a payer who came by an SSO token, no
 * verification of the number may have begun after that sign-in. The token's family must then be neither revoked nor over. The token itself
 * may have expired, because it has named the payer already.
 */
export function standing(
  payer: Payer | null | undefined,
  { customer, family }: { customer: Row<'customers'> | undefined; family: Row<'tokenFamilies'> | undefined },
  now: number,
): Payer | undefined {
  if (!payer || isPending(customer, now)) return undefined
  return payer.familyId === undefined || (family && isAlive(family, now) && !isOfFormerOwner(family, customer)) ? payer : undefined
}
