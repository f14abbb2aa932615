// What a second person gave: docs/console.md.

import type { Invariant } from './invariant.ts'

export const approvals: readonly Invariant[] = [
  {
    id: 'I61',
    says: 'what needed a second person was given by another than the asker; the audit log has both, and the action',
    over: 'approvals',
    query: ({ text }) => {
      const logged = (action: string, by: string) =>
        `exists (select 1 from audit_log l where l.subject = a.subject and l.action = ${action} and l.operator_id = ${by}
          and ${text('l.data', 'approvalId')} = a.approval_id)`
      return `select a.approval_id as id from approvals a where a.status = 'GIVEN'
        and (a.decided_by = a.asked_by or not ${logged("'approval.give'", "a.decided_by and l.outcome = 'given'")} or not ${logged('a.action', 'a.asked_by')})`
    },
  },
]
