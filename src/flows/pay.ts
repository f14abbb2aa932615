// A payment from its decision to the acquirer's answer. An operation over JSON (api/transaction/process-transaction.ts) or a payment page
// (pages/) begins it. The acquirer is called only after the commit. The call is made under the lease of the task that would ask the
// acquirer if this process died here.

import type { Acquirer, AuthorizePayer, Means } from '../adapters/acquirer/acquirer.ts'
import type { MandateTerms } from '../domain/subscription/consent-result.ts'
import type { AcquirerAnswer } from '../domain/transaction/acquirer-answer.ts'
import { applyTransactionResult } from '../domain/transaction/apply-transaction-result.ts'
import { offerGone, payerMobile, walletPart } from '../domain/transaction/begin-transaction.ts'
import { describeInstrument } from '../domain/transaction/instrument.ts'
import { BANK_ACCOUNT } from '../domain/transaction/payment-request.ts'
import { type ProcessTransaction, processTransaction } from '../domain/transaction/process-transaction.ts'
import {
  askedKey,
  authorizeKey,
  isInFlight,
  type Payee,
  payeeOf,
  type Transaction,
  transactionSubject,
} from '../domain/transaction/transaction.ts'
import type { Query, Reply } from '../engine/decision.ts'
import { type Lease, LeaseLost } from '../engine/engine.ts'
import { numberAt } from '../engine/number-at.ts'
import { FIRST_FENCE_MAX, LEASE_MS } from '../engine/tasks.ts'
import { BIN_DIGITS } from '../reference/reference.ts'
import { customerKey, merchantKey, orderKey, transactionKey } from '../tables/keys.ts'
import { look, type Row } from '../tables/tables.ts'
import type { Instrument } from '../tables/transaction.ts'
import { candidatePromocode } from './best-offer.ts'
import type { Ports } from './ports.ts'
import { registered } from './register-bank-mandate.ts'
import { statusOf } from './transaction-due.ts'

const OFFERS_TRIED = 8 // Mohur's choice: for one payment; then it goes on without an offer

/** The rows as the latest decision left them, so that no row is read again. */
export interface Paid {
  order: Row<'orders'>
  transaction: Transaction
  payee: Payee
  mandate?: MandateTerms
}

export type CardMeans = Extract<Means, { kind: 'card' }> | { kind: 'savedCard'; cvv: string }

export interface Attempt {
  request: ProcessTransaction['request']
  by: ProcessTransaction['by']
  /** The card that `cutCard` took aside. */
  card?: { means?: CardMeans; instrument: Instrument } | undefined
  /** The address to which the bank's page sends the payer's browser. Absent: Mohur's own page for it. */
  returnUrl?: string
  /** Sent by the payer's own browser. Absent when a server may have sent the request for it. */
  userAgent?: string | undefined
}

/** The first digits of a typed card, by which the lists know it. A short number keeps fewer of them (`instrument.bin`). */
export const firstDigitsOf = (card: Attempt['card']): string | undefined =>
  card?.means?.kind === 'card' ? card.means.number.slice(0, BIN_DIGITS) : undefined

/** Nothing has begun. Without `isDecided` no decision was asked, so no row has changed. */
interface Unpaid {
  refusal: Reply
  isDecided: boolean
}

/** Begins an attempt and asks the acquirer. Returns the refusal when nothing has begun, else the payment's state after the answer. */
export async function pay(ports: Ports, { request, by, card, returnUrl, userAgent }: Attempt): Promise<Unpaid | { paid: Paid }> {
  const { clock, fresh, query, reference } = ports
  const acquirer = ports.acquirer()
  const firstDigits = firstDigitsOf(card)
  const instrument = describeInstrument(request, card?.instrument ?? {}, reference, firstDigits)
  if ('result' in instrument) return { refusal: instrument, isDecided: false }
  const order = await query.row(look('orders', request.mid, request.orderId))
  const saved = order && (await savedCardOf(request, order, query))
  const now = clock.now()
  const txnId = numberAt(now, fresh)
  const lease = { fence: Math.floor(fresh.fraction() * FIRST_FENCE_MAX), until: clock.realNow() + LEASE_MS }
  const attempt = await withBestOffer(
    ports,
    { order, saved },
    { request, by, instrument, firstDigits, reference, now, fresh: { txnId, lease } },
  )
  if (attempt.result !== processTransaction.codes.success) return { refusal: attempt, isDecided: true }
  const paid = attempt.body as Paid
  // A repeated request has begun nothing. Its answer is the payment's present state.
  if (paid.transaction.txnId !== txnId) return { paid: await current(ports, paid) }
  if (!isInFlight(paid.transaction)) return { paid }
  const wanted = await meansOf(request, { card: card?.means, saved }, paid, ports)
  const comesBackTo = returnUrl ?? `${ports.publicUrl()}/transaction/return?mid=${request.mid}&txnId=${txnId}`
  return {
    paid: await ports.follow(
      authorizeNow(ports, acquirer, paid, { wanted, returnUrl: comesBackTo, userAgent }, { ...leaseOf(paid), ...lease }),
    ),
  }
}

/** Other payers may use up the best offer before this payment is decided, or an operator may end it. Then the next best offer is tried. */
async function withBestOffer(
  ports: Ports,
  { order, saved }: { order: Row<'orders'> | undefined; saved: Row<'savedCards'> | undefined },
  attempt: Omit<ProcessTransaction, 'promocode'>,
): Promise<Reply> {
  const { request, instrument, firstDigits, now } = attempt
  const walletPaise = order ? await expectedWalletPart(ports, attempt, order) : 0
  const gone = new Set<string>()
  for (;;) {
    const find = () => candidatePromocode(ports, request, order, { typed: instrument, saved, firstDigits, walletPaise, gone }, now)
    const promocode = gone.size < OFFERS_TRIED ? await find() : undefined
    const reply = await ports.engine.submit(processTransaction, { ...attempt, promocode })
    if (reply.result !== offerGone) return reply
    gone.add(promocode!)
  }
}

/** The part that the wallet would pay beside the instrument, as far as is known before the decision. */
async function expectedWalletPart(
  { query }: Ports,
  { request: { paymentMode, paymentFlow }, by }: Pick<ProcessTransaction, 'request' | 'by'>,
  order: Row<'orders'>,
): Promise<number> {
  if (!order.payer || paymentMode === 'BALANCE' || (paymentFlow !== 'HYBRID' && paymentFlow !== 'ADDANDPAY')) return 0
  const customer = await query.row(customerKey(order.payer.mobile))
  return customer ? walletPart(customer, order, 'shown' in by ? by.shown.walletPaise : undefined) : 0
}

const leaseOf = ({ transaction }: Paid): Omit<Lease, 'fence'> => ({ task: 'transaction.due', subject: transactionSubject(transaction) })

async function authorizeNow(
  ports: Ports,
  acquirer: Acquirer,
  paid: Paid,
  { wanted, returnUrl, userAgent }: { wanted: PaymentMeans; returnUrl: string; userAgent: string | undefined },
  lease: Lease & { until: number },
): Promise<Paid> {
  const { transaction, payee, mandate } = paid
  const { mid, txnId, orderId, bankPaise } = transaction
  if (ports.clock.realNow() >= lease.until) return paid // this process was held up for so long that another process is asking already
  if (mandate && wanted.account) {
    const { account, isPaper = false } = wanted
    const call = { ...mandate, mid, merchantName: payee.name, orderId, isPaper, account, returnUrl }
    return applyResultUnder(ports, paid, await registered(acquirer, call, txnId), lease)
  }
  const { account: _, isPaper: __, ...means } = wanted
  const answer = await acquirer.authorize({
    key: authorizeKey(transaction),
    mid,
    merchantName: payee.name,
    mcc: payee.mcc,
    orderId,
    amountPaise: bankPaise,
    returnUrl,
    ...(acquirer.wantsPayer && { payer: payerOf(paid, userAgent) }),
    ...means,
    ...(mandate && { mandate }),
  })
  return applyResultUnder(ports, paid, answer, lease)
}

function payerOf({ order, transaction }: Paid, userAgent: string | undefined): AuthorizePayer {
  const mobile = payerMobile(transaction.payer, order)
  const { email } = order.details.userInfo
  return { custId: order.custId, ...(mobile && { mobile }), ...(email && { email }), ...(userAgent && { userAgent }) }
}

async function applyResultUnder(ports: Ports, paid: Paid, answer: AcquirerAnswer, lease: Lease): Promise<Paid> {
  try {
    return await applyResult(ports, paid, answer, lease)
  } catch (error) {
    if (error instanceof LeaseLost) return current(ports, paid) // the lease's holder asks the acquirer now
    throw error
  }
}

/** A task's run gives its lease. There is no lease when the acquirer or the payer has just reported something. */
export async function applyResult(ports: Ports, paid: Paid, answer: AcquirerAnswer, lease?: Lease): Promise<Paid> {
  const { mid, txnId, orderId } = paid.transaction
  const { engine, reference, clock } = ports
  const reply = await engine.submit(applyTransactionResult, { mid, txnId, orderId, answer, reference, now: clock.now() }, lease)
  return (reply.body as Paid | undefined) ?? paid
}

async function current({ query }: Ports, paid: Paid): Promise<Paid> {
  const { mid, txnId, orderId } = paid.transaction
  const rows = [query.row(transactionKey(mid, txnId)), query.row(orderKey(mid, orderId)), query.row(merchantKey(mid))] as const
  const [transaction, order, merchant] = await Promise.all(rows)
  return transaction && order && merchant ? { transaction, order, payee: payeeOf(merchant) } : paid
}

// ---------------------------------------------------------------------------------------------------- status inquiries

/** Asks the acquirer now, without the task's lease. When two ask at once, the second finds the result applied and changes nothing. */
export async function inquireStatusNow(ports: Ports, paid: Paid): Promise<Paid> {
  const { order, transaction } = paid
  const answer = await statusOf(ports.acquirer(), transaction, askedKey(transaction, order.subscriptionId))
  return answer.outcome === 'success' || answer.outcome === 'failure' ? applyResult(ports, paid, answer) : paid
}

/** The card's one-time password, typed on a page of Mohur's. The acquirer judges it. */
export async function submitOtp(
  ports: Ports,
  paid: Paid,
  action: Parameters<Acquirer['otp']>[1],
): Promise<{ wrongOtp: true } | { paid: Paid }> {
  const answer = await ports.acquirer().otp(authorizeKey(paid.transaction), action)
  return answer.outcome === 'wrongOtp' ? { wrongOtp: true } : { paid: await applyResult(ports, paid, answer) }
}

// ------------------------------------------------------------------------------------------- what the acquirer receives

/** The saved card that the request names. Read before the decision, so a payment goes on when the payer removes the card afterwards. */
async function savedCardOf({ mid, cardInfo }: ProcessTransaction['request'], { custId }: Row<'orders'>, query: Query) {
  const id = cardInfo?.savedCardId
  return id === undefined ? undefined : query.row(look('savedCards', mid, custId, id))
}

interface PaymentMeans {
  means: Means
  emi?: { tenure: number; planId: string }
  keepCard: boolean
  directOtp: boolean
  /** The account of a bank mandate. Nothing is paid with it. */
  account?: Readonly<Record<string, string>>
  isPaper?: boolean
}

async function meansOf(
  body: ProcessTransaction['request'],
  { card, saved }: { card: CardMeans | undefined; saved: Row<'savedCards'> | undefined },
  { order, transaction }: Paid,
  { query }: Ports,
): Promise<PaymentMeans> {
  // A saved card that pays again is kept already. A card without a signed-in payer would never be found again.
  const keepCard =
    transaction.payer !== null &&
    card?.kind === 'card' &&
    (body.storeInstrument === '1' || body.storeInstrument === 1 || body.storeInstrument === true)
  const [bank, months] = body.planId?.split('|') ?? []
  const emi = body.paymentMode === 'EMI' && bank && months ? { emi: { tenure: Number(months), planId: body.planId! } } : {}
  const wanted = { keepCard, directOtp: body.authMode === 'otp', ...emi }
  switch (body.paymentMode) {
    case 'CREDIT_CARD':
    case 'DEBIT_CARD':
    case 'EMI': {
      if (card?.kind !== 'savedCard') return { means: card!, ...wanted }
      const known = saved ?? (await savedCardOf(body, order, query)) // the card may have been saved since the first read
      return { means: { kind: 'savedCard', token: known!.card.token, cvv: card.cvv }, ...wanted }
    }
    case 'UPI_INTENT':
      return { means: { kind: 'upiIntent' }, ...wanted }
    case 'UPI':
      if (body.channelCode === 'UPIPUSH') return { means: { kind: 'upiIntent' }, ...wanted }
      if (body.channelCode === 'UPIPUSHEXPRESS')
        return { means: { kind: 'upiPush', ...(body.payerAccount && { vpa: body.payerAccount }) }, ...wanted }
      return { means: { kind: 'upiCollect', vpa: body.payerAccount! }, ...wanted }
    case 'NET_BANKING':
      return { means: { kind: 'netBanking', bank: body.channelCode! }, ...wanted }
    case 'BANK_MANDATE': {
      const subscription = await query.row(look('subscriptions', body.mid, order.subscriptionId!))
      const typed = BANK_ACCOUNT.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]] as const]))
      const bank = body.channelCode === undefined ? {} : { channelCode: body.channelCode }
      const account = { ...subscription?.details.mandateAccountDetails, ...Object.fromEntries(typed), ...bank }
      return { means: { kind: 'account' }, ...wanted, account, isPaper: subscription?.mandateType === 'PAPER_MANDATE' }
    }
    case 'SVC_DIGITAL_CREDIT':
      return { means: { kind: 'postpaid' }, ...wanted }
    case 'PPBL':
    case 'BALANCE':
      return { means: { kind: 'account' }, ...wanted }
    default:
      return body.paymentMode satisfies never
  }
}
