// Rules of an approval, by which a second person lets an action happen: docs/console.md, "A second person".

import { lastsUntil } from '../../engine/clock.ts'
import type { Change } from '../../engine/decision.ts'
import { approvalKey } from '../../tables/keys.ts'
import type { OperatorRole } from '../../tables/operator.ts'
import type { Row } from '../../tables/tables.ts'
import type { AuditBy } from '../audit/audit.ts'
import { isWithin, type Operator } from './operator.ts'

export type ApprovalRow = Row<'approvals'>

export const APPROVAL_MS = 72 * 60 * 60_000 // docs/console.md

export const isOpen = ({ status, until }: Pick<ApprovalRow, 'status' | 'until'>, now: number): boolean =>
  status === 'ASKED' && lastsUntil(until, APPROVAL_MS, now)

/** A person of an approval. `emailHash` is absent for `shell` and `sandbox`, which no row describes. */
export interface Party {
  operatorId: string
  emailHash?: string
  /** The person needs one of these. The caller knows the permissions. */
  roles: readonly OperatorRole[]
}

/** The reason for which a person may not act on this approval now. Undefined when they may. */
export function barOf(person: Operator | undefined, { operatorId, emailHash, roles }: Party, mid: ApprovalRow['mid']) {
  if (emailHash === undefined) return undefined
  if (person?.operatorId !== operatorId || person.status !== 'ACTIVE') return 'Disabled'
  if (!person.roles.some((role) => roles.includes(role))) return 'Role'
  return isWithin(mid === null ? null : [mid], person.mids) ? undefined : 'Merchant'
}

/**
 * True when an admin may act in the person's name: an admin can invite people, reset their apps, and set their passwords by a link. So a
 * request needs a person who could sign in already when it was asked.
 */
export const isNewerThan = (person: Operator | undefined, { askedAt }: Pick<ApprovalRow, 'askedAt'>): boolean =>
  person !== undefined && person.factorsSetAt > askedAt

/** Why nobody decides about the approval at this moment, or not this person. `row` was read under a lock. */
export function refusalOf(row: ApprovalRow, operatorId: string, now: number): 'own' | 'decided' | 'over' | undefined {
  if (row.askedBy === operatorId) return 'own'
  if (row.status !== 'ASKED') return 'decided'
  return isOpen(row, now) ? undefined : 'over'
}

export const decided = (row: ApprovalRow, status: 'GIVEN' | 'REFUSED', { operatorId, at }: AuditBy): Change => ({
  kind: 'update',
  key: approvalKey(row.approvalId),
  row: { ...row, version: row.version + 1, status, decidedBy: operatorId, decidedAt: at },
})
