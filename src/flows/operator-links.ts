// Gives a person of the operator's staff a link by which they set their password. A command, a start of the sandbox, or an admin asks for
// it.

import type { Vault } from '../adapters/store/vault.ts'
import type { AuditBy } from '../domain/audit/audit.ts'
import { isMisleading } from '../domain/audit/reason.ts'
import type { Operator } from '../domain/operator/operator.ts'
import { type ResetAuthenticator, resetAuthenticator } from '../domain/operator/reset-authenticator.ts'
import { type SetUpOperator, setUpOperator } from '../domain/operator/set-up-operator.ts'
import { auditIdAt } from './auditing.ts'
import type { Ports } from './ports.ts'

const LINK_BYTES = 32 // docs/console.md: 256 bits
const ID_BYTES = 8
const EMAIL = /^[^\s@<>"']{1,64}@[^\s@<>"']{1,189}$/
export const NAME_MAX = 100 // Mohur's choice: of a person

type Hashing = Pick<Vault, 'hash'>

export const isEmail = (given: string): boolean => EMAIL.test(given) && !isMisleading(given)
export const isPersonName = (given: string): boolean => given.trim() !== '' && given.length <= NAME_MAX && !isMisleading(given)
export const emailHashOf = (vault: Hashing, email: string): string => vault.hash('operator', email.trim().toLowerCase())
export const linkHashOf = (vault: Hashing, link: string): string => vault.hash('operator link', link)

export interface LinkAsked {
  kind: SetUpOperator['kind']
  person: Pick<Operator, 'email' | 'name' | 'roles' | 'mids'>
  /** The merchants of the person who asks; absent: all. */
  within?: Operator['mids']
  by: Pick<AuditBy, 'operatorId' | 'network'>
}

/** The last part of the link's address, shown once and kept as a hash; or the reason for a refusal. */
export async function operatorLink(
  { engine, vault, clock, fresh }: Pick<Ports, 'engine' | 'vault' | 'clock' | 'fresh'>,
  { kind, person, within = null, by }: LinkAsked,
): Promise<{ link: string } | { refused: 'known' | 'unknown' | 'disabled' | 'foreign' }> {
  const link = fresh.text(LINK_BYTES)
  const drawn = { operatorId: fresh.hex(ID_BYTES), tokenHash: linkHashOf(vault, link) }
  const audit = { ...by, auditId: auditIdAt({ clock, fresh }), at: clock.realNow() }
  const command = { emailHash: emailHashOf(vault, person.email), kind, person, within, fresh: drawn, by: audit }
  const { result } = await engine.submit(setUpOperator, command)
  if (result.name === 'made' || result.name === 'linked') return { link }
  return { refused: result.name as 'known' | 'unknown' | 'disabled' | 'foreign' }
}

export type ResetAsked = Pick<ResetAuthenticator, 'version'> & Pick<LinkAsked, 'within' | 'by'> & { email: string }

/** Gives a link to a person whose authenticator app is lost. Their password, app, codes, sessions and links end. */
export async function authenticatorReset(
  { engine, vault, clock, fresh }: Pick<Ports, 'engine' | 'vault' | 'clock' | 'fresh'>,
  { email, version, within = null, by }: ResetAsked,
): Promise<{ link: string } | { refused: 'unknown' | 'foreign' | 'own' | 'disabled' | 'noApp' | 'stale' }> {
  const link = fresh.text(LINK_BYTES)
  const audit = { ...by, auditId: auditIdAt({ clock, fresh }), at: clock.realNow() }
  const asked = { emailHash: emailHashOf(vault, email), within, tokenHash: linkHashOf(vault, link), by: audit }
  const { result } = await engine.submit(resetAuthenticator, { ...asked, ...(version !== undefined && { version }) })
  if (result.name === 'linked') return { link }
  return { refused: result.name as 'unknown' | 'foreign' | 'own' | 'disabled' | 'noApp' | 'stale' }
}
