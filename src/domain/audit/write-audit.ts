// Writes an audit row before an operator sees or exports data for which they are accountable.

import { NOTHING, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { type AuditBy, type AuditedAct, audited } from './audit.ts'

const codes = ownCodes('writeAudit', 'written')

export const writeAudit = operation({
  name: 'writeAudit',
  codes,
  reads: (_: { by: AuditBy; act: AuditedAct }) => ({}),
  decide: ({ by, act }) => ({ ...NOTHING, reply: { result: codes.written }, changes: [audited(by, act)] }),
})
