// A second person refuses what another asked for (docs/console.md). The decisions that ask and give stand in test/flows/approvals.test.ts.

import { type RefuseApproval, refuseApproval } from '../../../src/domain/operator/refuse-approval.ts'
import { decides } from '../../support/decided/decides.ts'
import { approval, HOUR, MID, NOW, operator } from '../../support/decided/rows.ts'

const by = { auditId: 'AUDIT', operatorId: 'OP', network: 'net', at: NOW }
const refuse = (more: Partial<RefuseApproval['giver']> = {}, operatorId = 'OP'): RefuseApproval => ({
  ...{ approvalId: 'A', giver: { operatorId, emailHash: 'E', roles: ['finance'], ...more }, by: { ...by, operatorId } },
})
const wrote = (outcome: string, operatorId = 'OP') =>
  [
    'insert auditLog AUDIT',
    { action: 'approval.refuse', outcome, operatorId, mid: MID, subject: 'transaction:T', data: { approvalId: 'A' } },
  ] as const
const refused = (outcome: string, operatorId?: string) => ({ reply: outcome, changes: [wrote(outcome, operatorId)] })
const finance = operator({ roles: ['finance'] })

decides(refuseApproval, {
  'a second person refuses': {
    given: [approval(), finance],
    when: refuse(),
    comes: {
      reply: 'refused',
      changes: [['update approvals A', { version: 2, status: 'REFUSED', decidedBy: 'OP', decidedAt: NOW }], wrote('refused')],
    },
  },
  'the shell has every role': {
    given: [approval()],
    when: { approvalId: 'A', giver: { operatorId: 'shell', roles: ['finance'] }, by: { ...by, operatorId: 'shell' } },
    comes: {
      reply: 'refused',
      changes: [['update approvals A', { version: 2, status: 'REFUSED', decidedBy: 'shell', decidedAt: NOW }], wrote('refused', 'shell')],
    },
  },
  'an approval that is not there': { given: [finance], when: refuse(), comes: 'unknown' },
  'nobody decides about their own request': {
    given: [approval({ askedBy: 'OP', status: 'REFUSED', decidedBy: 'X', decidedAt: NOW }), finance],
    when: refuse(),
    comes: refused('own'),
  },
  'nor about one that is decided': {
    given: [approval({ status: 'GIVEN', decidedBy: 'X', decidedAt: NOW - 1, until: NOW }), finance],
    when: refuse(),
    comes: refused('decided'),
  },
  'nor after its 72 hours': { given: [approval({ until: NOW }), finance], when: refuse(), comes: refused('over') },
  'nor about one that a wrong clock made': {
    given: [approval({ askedAt: NOW + HOUR, until: NOW + 73 * HOUR }), finance],
    when: refuse(),
    comes: refused('over'),
  },
  'nor when disabled': {
    given: [approval(), operator({ roles: ['finance'], status: 'DISABLED' })],
    when: refuse(),
    comes: refused('giverDisabled'),
  },
  'nor as a person who is not there': { given: [approval()], when: refuse(), comes: refused('giverDisabled') },
  'nor under the name of another': { given: [approval(), finance], when: refuse({ operatorId: 'ELSE' }), comes: refused('giverDisabled') },
  'nor without the role': { given: [approval(), operator()], when: refuse(), comes: refused('giverRole') },
  'nor for another merchant': {
    given: [approval(), operator({ roles: ['finance'], mids: ['ELSE'] })],
    when: refuse(),
    comes: refused('giverMerchant'),
  },
  'nor of no merchant without seeing all': {
    given: [approval({ mid: null }), finance],
    when: refuse(),
    comes: { reply: 'giverMerchant', changes: [['insert auditLog AUDIT', { mid: null, outcome: 'giverMerchant' }]] },
  },
})
