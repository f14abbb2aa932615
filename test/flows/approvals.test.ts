// A refund that needs a second person: what asking and giving write (docs/console.md, "A second person").

import { type AskApproval, askApproval, type GiveApproval, giveApproval } from '../../src/flows/approvals.ts'
import { decides } from '../support/decided/decides.ts'
import { approval, HOUR, MID, merchant, NOW, operator, order, paid, refund, SIGNED, TXN } from '../support/decided/rows.ts'

const by = { auditId: 'AUDIT', operatorId: 'ASKER', network: 'net', at: NOW }
const giver = { ...by, operatorId: 'GIVER' }
const command = {
  request: { mid: MID, txnType: 'REFUND', orderId: 'O', txnId: TXN, refId: 'CA', refundAmount: '30.00', comments: 'why' },
  ...{ contentHash: 'content', caller: SIGNED, version: 9, now: NOW, fresh: { refundId: 'RX' } },
}
const reason = { text: 'why', hash: 'hash' }
const row = { approvalId: 'A', mid: MID, subject: `transaction:${TXN}`, subjectVersion: 9, amountPaise: 30_00 }
const asking = (more: Partial<AskApproval> = {}): AskApproval => ({ action: 'payment.refund', command, approval: row, reason, by, ...more })
const around = [merchant(), order({ status: 'PAID', version: 3, txnId: TXN, transactionCount: 1 })]
const payment = paid({ version: 9 })
const data = { approvalId: 'A', amountPaise: 30_00 }
const wrote = (action: string, outcome: string, operatorId = 'ASKER', auditId = 'AUDIT', network = 'net') =>
  [`insert auditLog ${auditId}`, { action, outcome, operatorId, network, mid: MID, subject: `transaction:${TXN}`, data }] as const
const refunds = {
  changes: [
    ['update transactions T', { refundedPaise: 30_00, bankRefundedPaise: 30_00 }],
    ['insert refunds CA', { status: 'PENDING', amountPaise: 30_00, details: { comments: 'why', keyedBy: 'refId' } }],
  ] as const,
  events: ['transaction.refund-set-aside SUCCESS>SUCCESS', 'refund.requested >PENDING'],
  tasks: ['refund.due M:CA +0'],
  ledger: ['refund merchant_payable 3000', 'refund refund_payable -3000'],
  notified: ['REFUND PENDING'],
}
const asked = {
  ...row,
  version: 1,
  action: 'payment.refund',
  askedBy: 'ASKER',
  askedAt: NOW,
  until: NOW + 72 * HOUR,
}
const kept = ['insert approvalCommands A', { command, reason: 'why' }] as const
const unasked = (outcome: string) => ({ reply: outcome, changes: [wrote('approval.ask', outcome)] })
const sandbox = { by: { ...by, auditId: 'AUDIT2', operatorId: 'sandbox', network: '' }, actionId: 'AUDIT3' }

decides(askApproval, {
  'a request is kept, and no money is set aside': {
    given: [...around, payment],
    when: asking(),
    comes: {
      reply: 'asked',
      changes: [
        ['insert approvals A', { ...asked, status: 'ASKED', decidedBy: null, decidedAt: null }],
        kept,
        wrote('approval.ask', 'asked'),
      ],
    },
  },
  'where nobody is asked the sandbox gives in the same decision': {
    given: [...around, payment],
    when: { ...asking({ sandbox }), now: NOW } as AskApproval,
    comes: {
      reply: 'given',
      ...refunds,
      changes: [
        ['insert approvals A', { ...asked, status: 'GIVEN', decidedBy: 'sandbox', decidedAt: NOW }],
        kept,
        ...refunds.changes,
        wrote('approval.give', 'given', 'sandbox', 'AUDIT2', ''),
        wrote('payment.refund', 'success', 'ASKER', 'AUDIT3', ''),
        wrote('approval.ask', 'given'),
      ],
    },
  },
  'the same form again is the same request': { given: [...around, payment, approval()], when: asking(), comes: unasked('asked') },
  'also once it is given': {
    given: [...around, payment, approval({ status: 'GIVEN', decidedBy: 'GIVER', decidedAt: NOW })],
    when: asking(),
    comes: unasked('given'),
  },
  'once it is refused': {
    given: [...around, payment, approval({ status: 'REFUSED', decidedBy: 'GIVER', decidedAt: NOW })],
    when: asking(),
    comes: unasked('decided'),
  },
  'and once it is over': { given: [...around, payment, approval({ until: NOW })], when: asking(), comes: unasked('over') },
  'another amount under the same id is none': {
    given: [...around, payment, approval({ amountPaise: 1 })],
    when: asking(),
    comes: unasked('known'),
  },
  'nor another person': { given: [...around, payment, approval({ askedBy: 'ELSE' })], when: asking(), comes: unasked('known') },
  'a refund that was made needs no request': {
    given: [...around, payment, refund({ refId: 'CA' })],
    when: asking(),
    comes: unasked('again'),
  },
  'nobody is asked for a payment that has changed': {
    given: [...around, paid({ version: 10 })],
    when: asking(),
    comes: unasked('changed'),
  },
  'nor for more than is left': {
    given: [...around, paid({ version: 9, refundedPaise: 80_00, bankRefundedPaise: 80_00 })],
    when: asking(),
    comes: { reply: 'invalidAmount', changes: [wrote('approval.ask', 'invalidAmount')] },
  },
})

const people = [
  operator({ emailHash: 'ASKER@', operatorId: 'ASKER', roles: ['finance'] }),
  operator({ emailHash: 'GIVER@', operatorId: 'GIVER', roles: ['operations'] }),
]
const roles = ['finance', 'operations'] as const
const giving = (more: Partial<GiveApproval> = {}): GiveApproval => ({
  ...{ approval: approval().row, action: 'payment.refund', command, reason, by: giver, actionId: 'AUDIT2' },
  ...{ asker: { operatorId: 'ASKER', emailHash: 'ASKER@', roles }, giver: { operatorId: 'GIVER', emailHash: 'GIVER@', roles } },
  ...more,
})
const given = (more: Parameters<typeof approval>[0] = {}) => [...around, payment, ...people, approval(more)]
const ungiven = (outcome: string, operatorId = 'GIVER') => ({ reply: outcome, changes: [wrote('approval.give', outcome, operatorId)] })
const without = (id: string, more: Parameters<typeof operator>[0]) => [
  ...around,
  payment,
  approval(),
  ...people.map((each) => (each.row.operatorId === id ? operator({ ...each.row, ...more }) : each)),
]
const shell = { by: { ...by, operatorId: 'shell' }, giver: { operatorId: 'shell', roles } }

decides(giveApproval, {
  'the refund, the approval and both audit rows are one decision': {
    given: given(),
    when: { ...giving(), now: NOW } as GiveApproval,
    comes: {
      reply: 'given',
      ...refunds,
      changes: [
        ['update approvals A', { version: 2, status: 'GIVEN', decidedBy: 'GIVER', decidedAt: NOW }],
        ...refunds.changes,
        wrote('approval.give', 'given', 'GIVER'),
        wrote('payment.refund', 'success', 'ASKER', 'AUDIT2', ''),
      ],
    },
  },
  'the shell gives as nobody of the staff': {
    given: [...around, payment, people[0]!, approval()],
    when: { ...giving(shell), now: NOW } as GiveApproval,
    comes: {
      reply: 'given',
      ...refunds,
      changes: [
        ['update approvals A', { version: 2, status: 'GIVEN', decidedBy: 'shell', decidedAt: NOW }],
        ...refunds.changes,
        wrote('approval.give', 'given', 'shell'),
        wrote('payment.refund', 'success', 'ASKER', 'AUDIT2', ''),
      ],
    },
  },
  'a request that is not there': { given: [...around, payment, ...people], when: giving(), comes: ungiven('unknown') },
  'nobody gives their own request': { given: given({ askedBy: 'GIVER' }), when: giving(), comes: ungiven('own') },
  'nor a decided one': {
    given: given({ status: 'REFUSED', decidedBy: 'X', decidedAt: NOW }),
    when: giving(),
    comes: ungiven('decided'),
  },
  'nor one that is over': { given: given({ until: NOW }), when: giving(), comes: ungiven('over') },
  'nor that of a disabled asker': { given: without('ASKER', { status: 'DISABLED' }), when: giving(), comes: ungiven('askerDisabled') },
  'nor that of an asker without the role': { given: without('ASKER', { roles: ['support'] }), when: giving(), comes: ungiven('askerRole') },
  'nor of one without the merchant': { given: without('ASKER', { mids: [] }), when: giving(), comes: ungiven('askerMerchant') },
  'the shell gives none of these either': {
    given: without('ASKER', { status: 'DISABLED' }),
    when: giving(shell),
    comes: ungiven('askerDisabled', 'shell'),
  },
  'nor that of another than the asker': {
    given: given(),
    when: giving({ asker: { operatorId: 'GIVER', emailHash: 'GIVER@', roles } }),
    comes: ungiven('askerDisabled'),
  },
  'a disabled giver gives nothing': { given: without('GIVER', { status: 'DISABLED' }), when: giving(), comes: ungiven('giverDisabled') },
  'nor one without the role': { given: without('GIVER', { roles: ['admin'] }), when: giving(), comes: ungiven('giverRole') },
  'nor one without the merchant': { given: without('GIVER', { mids: ['ELSE'] }), when: giving(), comes: ungiven('giverMerchant') },
  'nor one whose password or app was set since, because another may hold them': {
    given: without('GIVER', { factorsSetAt: approval().row.askedAt + 1 }),
    when: giving(),
    comes: ungiven('giverNew'),
  },
  'a payment that has changed needs another request': {
    given: [...around, paid({ version: 10 }), ...people, approval()],
    when: giving(),
    comes: ungiven('changed'),
  },
  'and so does a refund that was made otherwise': {
    given: [...given(), refund({ refId: 'CA' })],
    when: giving(),
    comes: ungiven('again'),
  },
  'and a payment of which too little is left': {
    given: [...around, paid({ version: 9, refundedPaise: 80_00, bankRefundedPaise: 80_00 }), ...people, approval()],
    when: giving(),
    comes: { reply: 'invalidAmount', changes: [wrote('approval.give', 'invalidAmount', 'GIVER')] },
  },
})
