// The decision about a row of the audit log: docs/console.md.

import { writeAudit } from '../../../src/domain/audit/write-audit.ts'
import { decides } from '../../support/decided/decides.ts'
import { MID, NOW } from '../../support/decided/rows.ts'

const by = { auditId: 'AUDIT', operatorId: 'OP', network: 'net', at: NOW }
const act = { action: 'console.show', subject: 'order:O', outcome: 'done' } as const
const row = {
  ...{ auditId: 'AUDIT', at: NOW, operatorId: 'OP', network: 'net', action: 'console.show', subject: 'order:O', outcome: 'done' },
  ...{ mid: null, data: {}, reason: null, reasonHash: null, number: null, hash: null },
}

decides(writeAudit, {
  'an act is written before it has its place in the chain of hashes': {
    given: [],
    when: { by, act },
    comes: { reply: 'written', changes: [['insert auditLog AUDIT', row]] },
  },
  'an act is written with its merchant and its figures': {
    given: [],
    when: { by, act: { ...act, mid: MID, data: { rows: 2 } } },
    comes: { reply: 'written', changes: [['insert auditLog AUDIT', { ...row, mid: MID, data: { rows: 2 } }]] },
  },
})
