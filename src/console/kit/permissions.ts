// Roles and permissions: docs/console.md, "Roles", which a test holds equal to this table. `mids` narrows each permission to merchants.

import type { ApprovalRoles } from '../../flows/approvals.ts'
import type { OperatorRole } from '../../tables/operator.ts'

export const permissions = {
  see: ['admin', 'finance', 'operations', 'support', 'developer', 'auditor'],
  showHidden: ['admin', 'finance', 'operations'],
  raw: ['admin', 'operations', 'developer'],
  csv: ['admin', 'finance', 'operations', 'auditor'],
  note: ['admin', 'finance', 'operations', 'support'],
  refundSmall: ['finance', 'operations', 'support'],
  refund: ['finance', 'operations'],
  orders: ['operations', 'support'],
  notify: ['operations', 'support', 'developer'],
  mandates: ['operations'],
  people: ['admin'],
  audit: ['admin', 'auditor'],
  approve: ['admin', 'finance', 'operations', 'auditor'],
} as const satisfies Record<string, readonly OperatorRole[]>

/** The roles that may ask for what a second person gives, and those that may give it. */
export const approvalRoles: ApprovalRoles = { 'payment.refund': { asks: permissions.refund, gives: permissions.refund } }

export type Permission = keyof typeof permissions

/** A permission, `signedIn` for a person's own pages, or `anyone` for pages before a sign-in. */
export type Admission = Permission | 'signedIn' | 'anyone'

export const mayDo = (roles: readonly OperatorRole[], permission: Permission): boolean =>
  roles.some((role) => (permissions[permission] as readonly OperatorRole[]).includes(role))
