// Rows in which every text is a stranger's. No request can make them, but a restored or altered store may hold them.

import type { Change, Event } from '../../../src/engine/decision.ts'
import type { Table } from '../../../src/tables/columns.ts'
import { auditKey, operatorKey, refundKey, streamKey, subscriptionKey, transactionKey } from '../../../src/tables/keys.ts'
import { lock, type Row, type TableName, tables } from '../../../src/tables/tables.ts'

/** Fills each column that is not given: with its first word, one, or the text. Optional columns stay null unless they hold text. */
function filled<T extends TableName>(name: T, text: string, own: Partial<Row<T>>): Row<T> {
  const { columns } = tables[name] as unknown as Table
  const values = Object.entries(columns).map(([column, { kind, optional, oneOf }]) => {
    if (column in own) return [column, (own as Record<string, unknown>)[column]]
    if (kind === 'text') return [column, oneOf ? oneOf[0] : text]
    if (kind === 'boolean') return [column, false]
    if (optional) return [column, null]
    return [column, kind === 'integer' ? 1 : { text }]
  })
  return Object.fromEntries(values) as Row<T>
}

export interface Planted {
  mid: string
  orderId: string
  txnId: string
  subscriptionId: string
  operatorId: string
}

/**
 * An order with its payment, refund, event, notifications and note, a subscription and a person. `nth` keeps them apart, `text` is in all of
 * them, and `inIds` ends the ids of payment and refund.
 */
export function plantedRows({
  mid,
  nth,
  at,
  auditedAt = at,
  text,
  inIds = text,
}: {
  mid: string
  nth: number
  at: number
  /** Real time. */
  auditedAt?: number
  text: string
  inIds?: string
}): Planted & { changes: Change[]; events: Event[] } {
  const own = {
    ...{ mid, orderId: `PLANTED_${nth}`, txnId: `TXN${nth}${inIds}`, subscriptionId: `SUBS_${nth}`, operatorId: `PERSON_${nth}` },
  }
  const { orderId, txnId, subscriptionId, operatorId } = own
  const userInfo = { custId: text, mobile: text, email: text, firstName: text, [text]: text }
  const order = filled('orders', text, {
    ...{ mid, orderId, status: 'CLOSED', requestType: 'PAYMENT', consentOrderId: null, amountPaise: 100, modifyCount: 0 },
    ...{ unsignedModifyCount: 0, leftCount: 0, transactionCount: 1, txnTokenIssuedAt: at, updatedAt: at, expiresAt: at, payer: null },
    ...{ txnTokenHash: `hash ${mid} ${nth}`, details: { userInfo, extendInfo: { comments: text } }, paymentModes: {} },
  })
  const payment = filled('transactions', text, {
    ...{ mid, orderId, txnId, status: 'FAILURE', amountPaise: 100, discountPaise: 0, walletPaise: 0, bankPaise: 100, capturedPaise: 0 },
    ...{ refundedPaise: 0, bankRefundedPaise: 0, returnedPaise: 0, initiatedAt: at, updatedAt: at, collectionId: null },
    ...{ instrument: { maskedCardNo: text, vpa: text, bank: text }, next: null, payer: null },
  })
  const refund = filled('refunds', text, {
    ...{ mid, orderId, txnId, refId: `REF${nth}${inIds}`, refundId: `R${mid}${nth}`, status: 'FAILURE', amountPaise: 100, bankPaise: 100 },
    ...{ walletPaise: 0, requestedAt: at, updatedAt: at, details: {}, checks: 0 },
  })
  const subscription = filled('subscriptions', text, {
    ...{ mid, subscriptionId, orderId, amountType: 'VARIABLE', renewalAmountPaise: null, txnAmountPaise: 1, maxAmountPaise: 100 },
    ...{ startDate: text, expiryDate: text, createdAt: at, updatedAt: at, paymentModes: [] },
  })
  const stream = filled('notificationStreams', text, {
    ...{ mid, orderId, endpoint: 'merchant', status: 'DEAD', next: 1, last: 1, updatedAt: at },
  })
  const person = filled('operators', text, {
    ...{ operatorId, emailHash: `hash ${mid} ${nth}`, email: text, name: text, roles: ['support'], mids: null, status: 'DISABLED' },
    ...{
      formerHashes: [],
      totp: null,
      mustSetUpApp: false,
      recoveryHashes: [],
      createdAt: at,
      factorsSetAt: at,
      seenAt: 0,
      passwordHash: null,
    },
  })
  const note = filled('auditLog', text, {
    ...{ auditId: `${auditedAt}${nth.toString(16).padStart(8, '0')}`, at: auditedAt, mid, operatorId, action: 'note', reason: text },
    ...{ subject: `order:${orderId}`, reasonHash: text, data: {} },
  })
  const data = { result: text, why: text, rule: text, subStatus: text, dueDate: text }
  const event = { owner: mid, version: 1, from: '', to: text, at, data }
  const insert = (key: Change['key'], row: object) => ({ kind: 'insert', key, row }) as unknown as Change
  return {
    ...own,
    changes: [
      insert(lock('orders', mid, orderId), order),
      insert(transactionKey(mid, txnId), payment),
      insert(refundKey(mid, refund.refId), refund),
      insert(subscriptionKey(mid, subscriptionId), subscription),
      insert(streamKey(mid, orderId, 'merchant'), stream),
      insert(operatorKey(person.emailHash), person),
      insert(auditKey(note.auditId), note),
    ],
    events: [
      { ...event, type: `order.${text}`, id: orderId },
      { ...event, type: `transaction.${text}`, id: txnId },
      { ...event, type: `subscription.${text}`, id: subscriptionId },
    ],
  }
}
