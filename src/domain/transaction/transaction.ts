// A transaction is one attempt to pay an order. Its states and moves: docs/interface.md section 3.

import { dateTimeInIndia } from '../../engine/clock.ts'
import { type Event, eventOf } from '../../engine/decision.ts'
import { definedMembers } from '../../interface/defined-members.ts'
import { toRupees } from '../../interface/money.ts'
import { BANK_PAGE_PATH } from '../../interface/page-paths.ts'
import { shortMode } from '../../interface/payment-modes.ts'
import { orderStatus } from '../../interface/result-codes.ts'
import { ATTEMPTS_MAX, CODES_LEFT_MAX } from '../../tables/order.ts'
import type { Row } from '../../tables/tables.ts'
import type { NextStep } from '../../tables/transaction.ts'
import { collectKey, mandateKey } from './acquirer-keys.ts'

export type Transaction = Row<'transactions'>
export type TransactionStatus = Transaction['status']

/** Codes that were left unpaid do not count as attempts: docs/decisions/0026. */
export const attemptsLeft = ({ transactionCount, leftCount }: Pick<Row<'orders'>, 'transactionCount' | 'leftCount'>): number =>
  ATTEMPTS_MAX - (transactionCount - leftCount)
/** A QR code or an app's link asks no payer for money until a payer opens it. A payer whom a UPI id names is asked at once. */
export const isCode = ({ paymentMode, instrument }: Pick<Transaction, 'paymentMode' | 'instrument'>): boolean =>
  paymentMode === 'UPI' && instrument.vpa === undefined
/** After `CODES_LEFT_MAX` unpaid codes an order begins no other code. */
export const hasCodesLeft = ({ leftCount }: Pick<Row<'orders'>, 'leftCount'>): boolean => leftCount < CODES_LEFT_MAX

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/**
 * The schedule of status inquiries while the acquirer has not answered, counted from the transaction's beginning. The first waits 90
 * seconds (docs/interface.md section 8, Mohur). At 72 hours, the fourth inquiry from the end, the service gives the transaction up.
 */
export const ASKED_AFTER_MS = [
  1.5 * MINUTE_MS,
  2.5 * MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  30 * MINUTE_MS,
  1 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
  48 * HOUR_MS,
  72 * HOUR_MS,
  96 * HOUR_MS,
  120 * HOUR_MS,
  168 * HOUR_MS,
] as const
const FAILURE_ASKED_AFTER_MS = 24 * HOUR_MS // docs/interface.md section 8 (Mohur); a failure that is reported twice is believed
export const GIVEN_UP_AFTER_MS = 72 * HOUR_MS // docs/interface.md section 8 (Mohur); a later success is given back
/** A delayed call may still arrive. Until then `absent` is not believed. */
export const ABSENT_BELIEVED_AFTER_MS = 2 * MINUTE_MS
/**
 * Mohur's choice, in business time: a debit is sent within this time of its decision or not at all. The time is longer than any call to an
 * acquirer with the way back of its answer.
 */
export const COLLECT_LEASE_MS = 90_000
/**
 * Counted from the decision. The acquirer refuses a signed call that arrives five minutes after its making (docs/acquirer.md). So a debit
 * that is absent after this time stays absent.
 */
export const DEBIT_ARRIVES_WITHIN_MS = COLLECT_LEASE_MS + 5 * MINUTE_MS

/** Every move of a transaction. No other can happen. */
export const transitions = {
  INITIATED: { succeed: 'SUCCESS', fail: 'FAILURE', wait: 'PENDING', lose: 'UNKNOWN' },
  PENDING: { succeed: 'SUCCESS', fail: 'FAILURE', wait: 'PENDING', lose: 'UNKNOWN' },
  UNKNOWN: { succeed: 'SUCCESS', fail: 'FAILURE', wait: 'PENDING', lose: 'UNKNOWN' },
  SUCCESS: {},
  /** A late success is captured and given back. So the failure that the merchant was notified of stays true. */
  FAILURE: { giveBack: 'FAILURE' },
} as const satisfies Record<TransactionStatus, Record<string, TransactionStatus>>

export const isInFlight = ({ status }: Pick<Transaction, 'status'>) => status !== 'SUCCESS' && status !== 'FAILURE'
/** The order's current attempt: the one under way, the one that paid it, or the last that failed. */
export const latestOf = ({ txnId }: Pick<Row<'orders'>, 'txnId'>, attempts: readonly Transaction[]): Transaction | undefined =>
  attempts.find((attempt) => attempt.txnId === txnId) ?? attempts.at(-1)
export const payablePaise = ({ walletPaise, bankPaise }: Pick<Transaction, 'walletPaise' | 'bankPaise'>) => walletPaise + bankPaise

/**
 * The payment's beginning for the schedule, never later than the clock of the process that asks now. A beginning from a clock far ahead
 * would postpone every inquiry until then. So the schedule counts from the first inquiry since, which the task carries as `from`.
 */
export const begunAt = ({ initiatedAt }: Pick<Transaction, 'initiatedAt'>, from: number | undefined, now: number) =>
  Math.min(from ?? initiatedAt, now)

/** The next time of the schedule after `now`. Undefined when the schedule is over. */
export function nextStatusInquiry(firstAskedAt: number, now: number): number | undefined {
  // The schedule goes by time and not by number. A payer who asks for the password again and again must not use up the inquiries.
  const after = ASKED_AFTER_MS.find((ms) => firstAskedAt + ms > now)
  return after === undefined ? undefined : firstAskedAt + after
}

/** The last inquiry about a failure falls on a full hour, so that many run together. */
export const lastStatusInquiry = (now: number) => Math.ceil((now + FAILURE_ASKED_AFTER_MS) / HOUR_MS) * HOUR_MS
/** For a debit, the full hour 22 to 23 hours after its failure. So its bank is asked before the next day's debit is sent. */
export const lastAskOfDebit = (now: number) => Math.floor((now + FAILURE_ASKED_AFTER_MS - HOUR_MS) / HOUR_MS) * HOUR_MS

const BEGINNING = {
  version: 1,
  status: 'INITIATED',
  result: 'pending',
  capturedPaise: 0,
  refundedPaise: 0,
  bankRefundedPaise: 0,
  returnedPaise: 0,
  bankTxnId: null,
  next: null,
  openAtBank: false,
  isLeft: false,
  isCancelRefused: false,
} as const satisfies Partial<Transaction>
/** For an attempt that a payer begins: it collects no cycle. */
export const OF_NO_CYCLE = { collectionId: null, collectionAttempt: null, sentAt: null } as const satisfies Partial<Transaction>
/** For an attempt that no payer begins: no channel is chosen, no money is shared, no offer is tried. */
export const OF_NO_PAYER = { channel: '', flow: 'NONE', discountPaise: 0, promocode: null } as const satisfies Partial<Transaction>

export const newTransaction = (of: Omit<Transaction, keyof typeof BEGINNING | 'updatedAt'>): Transaction => ({
  ...BEGINNING,
  ...of,
  updatedAt: of.initiatedAt,
})

export function transactionEvent(
  type: `transaction.${string}`,
  before: Transaction | undefined,
  after: Transaction,
  at: number,
  more: Event['data'] = {},
): Event {
  const { orderId, capturedPaise, result, bankTxnId, openAtBank, sentAt, isLeft } = after
  const ofDebit = { ...(openAtBank && { openAtBank }), ...(sentAt !== null && { sentAt }) }
  return eventOf({
    type,
    owner: after.mid,
    id: after.txnId,
    before,
    after,
    at,
    data: {
      orderId,
      amountPaise: payablePaise(after),
      capturedPaise,
      result,
      bankTxnId: bankTxnId ?? '',
      ...ofDebit,
      ...(isLeft && { isLeft }),
      ...more,
    },
  })
}

/**
 * The form that takes a browser to the bank. A bank's page that opens by GET alone is reached through Mohur's page (docs/interface.md
 * section 4.10). So shops have one kind of form.
 */
export function bankFormOf(
  next: Extract<NextStep, { kind: 'bankForm' }>,
  { mid, txnId }: Pick<Transaction, 'mid' | 'txnId'>,
  publicUrl: string,
) {
  const isGet = next.method === 'get'
  return {
    actionUrl: isGet ? `${publicUrl}${BANK_PAGE_PATH}?${new URLSearchParams({ mid, txnId })}` : next.actionUrl,
    content: next.content,
  }
}

export const transactionSubject = ({ mid, txnId }: Pick<Transaction, 'mid' | 'txnId'>) => `${mid}:${txnId}`
/** The merchant's facts that the bank and the payer's browser receive. */
export type Payee = Pick<Row<'merchants'>, 'name' | 'mcc' | 'callbackFields'>
export const payeeOf = ({ name, mcc, callbackFields }: Payee): Payee => ({ name, mcc, callbackFields })

/** The key under which the acquirer knows the payment. */
export const authorizeKey = (transaction: Pick<Transaction, 'mid' | 'txnId' | 'collectionId' | 'collectionAttempt'>) =>
  transaction.collectionId === null || transaction.collectionAttempt === null
    ? transactionSubject(transaction)
    : collectKey(transaction.mid, transaction.collectionId, transaction.collectionAttempt)

type Asked = Parameters<typeof authorizeKey>[0] & Pick<Transaction, 'paymentMode' | 'attempt'>
/**
 * The key of a status inquiry. The first payment of a bank mandate is the mandate itself. A debit of the mandate is a payment like any
 * other, and the mandate's state says nothing about the debit.
 */
export const askedKey = (transaction: Asked, subscriptionId: string | null | undefined) =>
  transaction.paymentMode === 'BANK_MANDATE' && transaction.collectionId === null && subscriptionId
    ? mandateKey(transaction.mid, subscriptionId, transaction.attempt)
    : authorizeKey(transaction)

// ---------------------------------------------------------------------------------- texts for replies and notifications

export const resultOf = ({ result }: Pick<Transaction, 'result'>) => orderStatus[result as keyof typeof orderStatus]

/** `yyyy-MM-dd HH:mm:ss.S` in India. */
export const txnDate = (at: number) => `${dateTimeInIndia(at)}.0`

/** All members are strings, by the names of the JSON notification. Order Status, callback and notification are made from these members. */
export function contentOf(order: Row<'orders'>, transaction: Transaction): Record<string, string> {
  const { code, status, message } = resultOf(transaction)
  const { vpa, maskedCardNo, cardScheme, bank, bin, cardLast4 } = transaction.instrument
  const udf = textsOf(order.details.extendInfo)
  const known: Record<string, string | undefined> = {
    mid: order.mid,
    orderId: order.orderId,
    custId: order.custId,
    txnId: transaction.txnId,
    bankTxnId: transaction.bankTxnId ?? '',
    txnAmount: toRupees(payablePaise(transaction)),
    currency: 'INR',
    status,
    respCode: code,
    respMsg: message,
    txnType: order.requestType === 'RENEWAL' ? 'SUBSCRIPTION_DEBIT' : 'SALE',
    consentOrderId: order.consentOrderId ?? undefined,
    paymentMode: shortMode(transaction.paymentMode),
    gatewayName: gatewayOf(transaction),
    bankName: bank,
    txnDate: txnDate(transaction.initiatedAt),
    subscriptionId: order.subscriptionId ?? undefined,
    mercUnqRef: mercUnqRefOf(order),
    udf1: udf['udf1'],
    udf2: udf['udf2'],
    udf3: udf['udf3'],
    comments: udf['comments'],
    vpa,
    maskedCardNo,
    cardScheme,
    binNumber: bin,
    cardLastNums: cardLast4,
    ...(transaction.promocode && { promoCampId: transaction.promocode, ...(!isInFlight(transaction) && promoResultOf(transaction)) }),
  }
  return definedMembers(known)
}

/** Only after the payment has ended: until then the offer is reserved. */
const promoResultOf = ({ status }: Transaction) =>
  status === 'SUCCESS' ? { promoStatus: 'PROMO_SUCCESS', promoRespCode: '01' } : { promoStatus: 'PROMO_FAILURE', promoRespCode: '702' }

/** The members above that are a merchant's own texts and mean nothing to others. */
const REFERENCE_TEXTS = ['mercUnqRef', 'udf1', 'udf2', 'udf3', 'comments'] as const

/**
 * Official clients verify a signed reply over JSON that they have parsed and written again, or cut out of the text. One client writes a
 * slash with a backslash. Another fails on quotes, backslashes and characters outside ASCII. No bytes suit every client. So a signed reply
 * omits a merchant's text that contains any of these characters, and the merchant can read the payment.
 */
export const isReadableByAll = (name: string, value: unknown) =>
  !(name === 'merchantUniqueReference' || (REFERENCE_TEXTS as readonly string[]).includes(name)) ||
  /^[ !#-%(-.0-;=?-[\]-{}~]*$/.test(String(value))

/**
 * An older kit omits every value that contains `REFUND` when it verifies a form. So a form omits a merchant's own text that contains the
 * word.
 */
export const isLostOnOlderKits = (name: string, value: string) =>
  (REFERENCE_TEXTS as readonly string[]).includes(name) && value.includes('REFUND')

/** The order's own value, else the first value that any of its goods has (docs/interface.md section 2, GoodsInfo). */
function mercUnqRefOf({ details: { extendInfo, goodsInfo } }: Pick<Row<'orders'>, 'details'>): string | undefined {
  const maps = [extendInfo, ...(Array.isArray(goodsInfo) ? goodsInfo : []).map((goods) => (goods as { extendInfo?: unknown }).extendInfo)]
  const first = maps.find((map) => isText((map as { mercUnqRef?: unknown } | undefined)?.mercUnqRef))
  return textsOf(first)['mercUnqRef']
}
const isText = (value: unknown) => typeof value === 'string' && value !== ''

function gatewayOf({ bankPaise, walletPaise, channel, paymentMode }: Transaction): string {
  if (bankPaise > 0) return channel || paymentMode
  return walletPaise > 0 ? 'WALLET' : 'NONE' // nothing was left to pay
}

/**
 * The merchant's own texts that may be repeated. A text with a pipe is left out: it would let one field pass for two under the checksum's
 * map form. The text "null" is left out: the checksum's libraries read it as nothing.
 */
function textsOf(map: unknown): Record<string, string> {
  if (typeof map !== 'object' || map === null) return {}
  const texts = Object.entries(map).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return Object.fromEntries(texts.filter(([, value]) => !value.includes('|') && value.toLowerCase() !== 'null'))
}
