// Decisions about a payment that is left for another, a password that its bank checks, and a status inquiry that does not wait.

import type { AcquirerAnswer } from '../../../src/domain/transaction/acquirer-answer.ts'
import { cancelTransaction } from '../../../src/domain/transaction/cancel-transaction.ts'
import { directBankRequest } from '../../../src/domain/transaction/direct-bank-request.ts'
import { recheckTransaction } from '../../../src/domain/transaction/recheck-transaction.ts'
import { directBankRequest as codes } from '../../../src/interface/result-codes.ts'
import { decides } from '../../support/decided/decides.ts'
import {
  capture,
  debits,
  done,
  FAILED,
  failed,
  failedBefore,
  failure,
  free,
  kept,
  NO_SALE,
  ofDebit,
  open,
  orderPaid,
  PENDING,
  paying,
  reopened,
  returned,
  SALE,
  SUCCEEDED,
  say,
  success,
  UNKNOWN,
} from '../../support/decided/payment.ts'
import { attempt, inFlight, MID, merchant, NOW, paid, reference, TXN, task, transaction } from '../../support/decided/rows.ts'

decides(cancelTransaction, {
  'a payment that its bank has called back frees the order': {
    given: open,
    when: say({ outcome: 'failure', failure: 'cancelled' }),
    comes: {
      reply: 'ended',
      changes: [failed('cancelled'), reopened],
      events: FAILED,
      tasks: ['transaction.due M:T +24h30m'],
      notified: NO_SALE,
    },
  },
  'one that was paid meanwhile pays the order': {
    given: open,
    when: say(success()),
    comes: { reply: 'paid', changes: [kept, orderPaid], events: SUCCEEDED, tasks: [done], ledger: capture, notified: SALE },
  },
  'a bank that will not call it back is not asked twice': {
    given: open,
    when: say(PENDING),
    comes: {
      reply: 'stands',
      changes: [['update transactions T', { isCancelRefused: true }]],
      events: ['transaction.cancel-refused INITIATED>INITIATED'],
    },
  },
  'and stays at it': { given: [merchant(), paying(), transaction({ isCancelRefused: true })], when: say(PENDING), comes: 'stands' },
  'without an answer it stands': { given: open, when: say(UNKNOWN), comes: 'stands' },
  'what has failed is over': { given: [...free, failedBefore()], when: say(PENDING), comes: 'ended' },
  'what is paid is paid': { given: [merchant(), paying({ status: 'PAID' }), paid()], when: say(PENDING), comes: 'paid' },
  'a debit is no payer’s to cancel': { given: [...debits, attempt(), inFlight()], when: ofDebit(failure), comes: 'gone' },
  'nor is what is not there': { given: open.slice(0, 2), when: say(failure), comes: 'gone' },
  'nor a payment without its order': { given: [merchant(), transaction()], when: say(failure), comes: 'gone' },
})

const said = (answer: AcquirerAnswer | { outcome: 'wrongOtp' }) => ({
  mid: MID,
  orderId: 'O',
  reference,
  now: NOW,
  said: { txnId: TXN, answer },
})

decides(directBankRequest, {
  'the right password pays': {
    given: open,
    when: said(success()),
    comes: { reply: 'success', changes: [kept, orderPaid], events: SUCCEEDED, tasks: [done], ledger: capture, notified: SALE },
  },
  'a wrong one changes nothing': { given: open, when: said({ outcome: 'wrongOtp' }), comes: 'wrongOtp' },
  'a refusal that was found before is the reply': {
    given: open,
    when: { mid: MID, orderId: 'O', reference, now: NOW, said: { refusal: { result: codes.noTransaction } } },
    comes: 'noTransaction',
  },
  'what is not there is not paid': { given: open.slice(0, 2), when: said(success()), comes: 'noTransaction' },
})

const recheck = (more: object = {}) => ({ mid: MID, txnId: TXN, now: NOW, realNow: NOW, ...more })
const waits = task({ task: 'transaction.due', subject: 'M:T', payload: { mid: MID, txnId: TXN } })
const asked = { reply: 'asking', tasks: ['transaction.due M:T +0'] }

decides(recheckTransaction, {
  'a payment under way is queried now': { given: [transaction(), waits], when: recheck(), comes: asked },
  'also where no query waits': { given: [transaction()], when: recheck({ key: 'K' }), comes: asked },
  'and one that was given up': { given: [failedBefore(), waits], when: recheck(), comes: asked },
  'while one process queries, no other does': {
    given: [transaction(), task({ ...waits.row, leaseUntil: NOW + 1 })],
    when: recheck(),
    comes: 'busy',
  },
  'what is paid is not queried': { given: [paid()], when: recheck(), comes: 'applied' },
  'nor what was given back': { given: [failedBefore(returned)], when: recheck(), comes: 'applied' },
  'nor for a second report of its success': { given: [paid()], when: recheck({ reported: paid().row.bankTxnId }), comes: 'applied' },
  'but another success of it is': { given: [paid()], when: recheck({ reported: 'ANOTHER' }), comes: 'paidOtherwise' },
  'also after the first was given back': {
    given: [failedBefore(returned)],
    when: recheck({ reported: 'ANOTHER' }),
    comes: 'paidOtherwise',
  },
  'nor what is not there': { given: [], when: recheck(), comes: 'applied' },
})
