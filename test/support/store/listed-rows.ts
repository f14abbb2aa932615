// Rows as payments leave them, for tests of lists. A test gives what a list shows; other columns have any value that the CHECKs allow.

import type { Change } from '../../../src/engine/decision.ts'
import { termsOf } from '../../../src/flows/search-keys.ts'
import { orderKey, refundKey, transactionKey } from '../../../src/tables/keys.ts'
import type { Row } from '../../../src/tables/tables.ts'
import { plainHash } from './terms-kept.ts'

type Some<T extends 'orders' | 'transactions' | 'refunds'> = Partial<Row<T>> & { mid: string }

export function aTransaction(of: Some<'transactions'> & { txnId: string; initiatedAt: number }): Change {
  const { amountPaise = 100, walletPaise = 0, bankPaise = amountPaise, status = 'SUCCESS' } = of
  const isPaid = status === 'SUCCESS'
  const row: Row<'transactions'> = {
    ...{ version: 1, orderId: `O${of.txnId}`, attempt: 1, status, result: isPaid ? 'success' : 'declined', paymentMode: 'UPI' },
    ...{ channel: 'UPI', flow: 'NONE', amountPaise, orderVersion: 1, discountPaise: 0, walletPaise, bankPaise },
    ...{ capturedPaise: isPaid ? walletPaise + bankPaise : 0, refundedPaise: 0, bankRefundedPaise: 0, returnedPaise: 0, promocode: null },
    ...{ bankTxnId: null, instrument: { kind: 'upi' } as never, payer: null, next: null, updatedAt: of.initiatedAt, collectionId: null },
    ...{ collectionAttempt: null, sentAt: null, openAtBank: false, isLeft: false, isCancelRefused: false },
    ...of,
  }
  return { kind: 'insert', key: transactionKey(row.mid, row.txnId), row }
}

export function aRefund(of: Some<'refunds'> & { refId: string; requestedAt: number }): Change {
  const { amountPaise = 100 } = of
  const row: Row<'refunds'> = {
    ...{
      refundId: `R${of.refId}`,
      version: 1,
      orderId: 'O',
      txnId: 'T',
      contentHash: '',
      result: 'success',
      status: 'SUCCESS',
      amountPaise,
    },
    ...{ bankPaise: amountPaise, walletPaise: 0, bankTxnId: null, details: {}, updatedAt: of.requestedAt, checks: 0 },
    ...of,
  }
  return { kind: 'insert', key: refundKey(row.mid, row.refId), row }
}

/** Its search terms are those of `plainHash`, where none are given. */
export function anOrder(of: Some<'orders'> & { orderId: string; txnTokenIssuedAt: number }): Change {
  const { custId = 'CUST', details } = of
  const row: Row<'orders'> = {
    ...{ version: 1, status: 'CREATED', requestType: 'PAYMENT', subscriptionId: null, amountPaise: 100, modifyCount: 0, custId },
    searchTerms: termsOf(plainHash, { ...details?.userInfo, custId }),
    ...{ websiteName: 'DEFAULT', callbackUrl: null, peonUrl: null, txnTokenHash: of.orderId, expiresAt: of.txnTokenIssuedAt + 1 },
    ...{
      paymentModes: {},
      details: { userInfo: { custId } },
      transactionCount: 0,
      txnId: null,
      payer: null,
      unsignedModifyCount: 0,
    },
    ...{ updatedAt: of.txnTokenIssuedAt, consentOrderId: null, leftCount: 0 },
    ...of,
  }
  return { kind: 'insert', key: orderKey(row.mid, row.orderId), row }
}
