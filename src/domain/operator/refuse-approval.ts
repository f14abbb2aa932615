// A second person refuses an action. Nothing of the action happens.

import { type Decision, NOTHING, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { approvalKey, operatorKey } from '../../tables/keys.ts'
import { type AuditBy, audited } from '../audit/audit.ts'
import { barOf, decided, type Party, refusalOf } from './approval.ts'

const codes = ownCodes(
  'refuseApproval',
  ...(['refused', 'unknown', 'own', 'decided', 'over', 'giverDisabled', 'giverRole', 'giverMerchant'] as const),
)

export interface RefuseApproval {
  approvalId: string
  giver: Party
  by: AuditBy
}

export const refuseApproval = operation({
  name: 'refuseApproval',
  codes,
  reads: ({ approvalId, giver }: RefuseApproval) => ({
    approval: approvalKey(approvalId),
    person: giver.emailHash === undefined ? undefined : operatorKey(giver.emailHash),
  }),
  decide({ approvalId, giver, by }, { approval, person }): Decision<(typeof codes)['refused']> {
    if (!approval) return { ...NOTHING, reply: { result: codes.unknown } }
    const bar = barOf(person, giver, approval.mid)
    const refusal = refusalOf(approval, giver.operatorId, by.at) ?? (bar && (`giver${bar}` as const))
    const outcome = refusal ?? 'refused'
    const about = { action: 'approval.refuse', subject: approval.subject, outcome, data: { approvalId } } as const
    const row = audited(by, { ...about, ...(approval.mid !== null && { mid: approval.mid }) })
    return {
      ...NOTHING,
      reply: { result: codes[outcome] },
      changes: [...(refusal ? [] : [decided(approval, 'REFUSED', by)]), row],
    }
  },
})
