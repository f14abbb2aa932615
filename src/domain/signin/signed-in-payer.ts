// Who stands before an order or a page, when it comes to his wallet and his cards: docs/interface.md section 4.10. What was
// true when he signed in is asked again, because a number may get another owner and a sign-in may be ended meanwhile.

import { signInKey } from '../../tables/keys.ts'
import type { Payer } from '../../tables/signin.ts'
import type { Row } from '../../tables/tables.ts'
import { isOfFormerOwner, isPending } from './signin.ts'
import { isAlive } from './token-family.ts'

/** The sign-in that a payer came by; none where he signed in at the checkout, which is for his order alone. */
export const signInOf = (payer: Payer | null | undefined) => (payer?.familyId === undefined ? undefined : signInKey(payer.familyId))

/**
 * The payer, as long as his sign-in stands: its number is not being verified, nor has been since, and an SSO token's family has
 * neither been revoked nor ended. That very token may be over: it said who he is, and that stays true.
 */
export function standing(
  payer: Payer | null | undefined,
  { customer, family }: { customer: Row<'customers'> | undefined; family: Row<'tokenFamilies'> | undefined },
  now: number,
): Payer | undefined {
  if (!payer || isPending(customer, now)) return undefined
  return payer.familyId === undefined || (family && isAlive(family, now) && !isOfFormerOwner(family, customer)) ? payer : undefined
}
