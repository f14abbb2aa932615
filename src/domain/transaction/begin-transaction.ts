// Plans how an order is paid (mode, wallet's and bank's parts, offer), and makes the rows of the attempt. A plan keeps within everything
// that the order, the merchant and the rails allow. Otherwise a refusal gives the reason.

import type { Static } from 'typebox'
import { dateInIndia } from '../../engine/clock.ts'
import type { Change, Event, TaskChange } from '../../engine/decision.ts'
import { type goodsInfo, indianMobile, TENURES } from '../../interface/fields.ts'
import { paymentMode } from '../../interface/payment-modes.ts'
import { F, resultCodes } from '../../interface/result-code.ts'
import { processTransaction as codes } from '../../interface/result-codes.ts'
import type { Reference } from '../../reference/reference.ts'
import { orderKey, transactionKey } from '../../tables/keys.ts'
import type { Payer } from '../../tables/signin.ts'
import type { Row } from '../../tables/tables.ts'
import type { Instrument } from '../../tables/transaction.ts'
import { movement } from '../ledger/ledger.ts'
import { orderEvent, transitions as orderTransitions, vouchedGoods } from '../order/order.ts'
import { isTooLittle, leaves, type ModeLimits, modesOf, takesDebitCardEmi, type Way } from '../order/payment-modes.ts'
import { type Cart, judgePromotion, type Offer } from '../promotion/evaluate.ts'
import { type Item, itemPricePaise, prepare } from '../promotion/promotion.ts'
import { type Counters, limitOf, reserve } from '../promotion/redemption.ts'
import { walletChange } from './capture.ts'
import { invalid, type Refused } from './instrument.ts'
import type { PaymentRequest } from './payment-request.ts'
import { askedKey, newTransaction, OF_NO_CYCLE, type Transaction, transactionEvent, transactionSubject } from './transaction.ts'

export const isOverLimit = (mode: string, paise: number) => paise > (paymentMode(mode)?.amountPaiseMax ?? Number.MAX_SAFE_INTEGER)

export interface Plan {
  paymentMode: Transaction['paymentMode']
  channel: string
  flow: Transaction['flow']
  discountPaise: number
  walletPaise: number
  bankPaise: number
  instrument: Instrument
  offer: Offer | undefined
  fundedBy: string
}

interface WantedPayment {
  request: PaymentRequest
  order: Row<'orders'>
  merchant: Row<'merchants'>
  customer: Row<'customers'> | undefined
  subscription: Row<'subscriptions'> | undefined
  instrument: Instrument
  firstDigits?: string | undefined
  reference: Reference
  promocode: string | undefined
  promotion: Row<'promotions'> | undefined
  counters: Counters
  /** The wallet's part that a payment page showed, if a page asks. */
  shownWalletPaise?: number | undefined
  now: number
}

/** A link that opens a UPI app is UPI too. */
export const modeOf = ({ paymentMode }: Pick<PaymentRequest, 'paymentMode'>) => (paymentMode === 'UPI_INTENT' ? 'UPI' : paymentMode)

/** The refusals in the order of docs/interface.md section 7: mode, way, plan, wallet, offer, plan again, limit, balance. */
export function paymentPlan(wanted: WantedPayment): Plan | Refused {
  const { request: r, order, merchant, subscription, instrument, customer } = wanted
  const mode = modeOf(r)
  const modes = modesOf(merchant, order, subscription, wanted.reference.taken)
  const limits = modes.get(mode)
  if (mode === 'BANK_MANDATE' && !hasAccount(wanted)) return invalid('paymentMode', 'modeNotOffered')
  if (!limits) return invalid('paymentMode', 'modeNotOffered')
  const way = wayOf(wanted)
  const wrong = wayRefusal(mode, way, limits)
  if (wrong) return wrong
  const needs = wanted.reference.taken?.find((taken) => taken.mode === mode)?.needs
  if (needs && payerMobile(customer ? order.payer : null, order) === undefined)
    return { result: codes.missingElement, parameter: needs, cause: 'needed' }
  if (mode === 'EMI' && instrument.cardType === 'DEBIT_CARD' && !takesDebitCardEmi(merchant, modes, order))
    return { result: codes.cardNotSupported }
  const fromPaise = (mode === 'EMI' && wanted.reference.emiPlan(r.planId!)?.minAmountPaise) || 0
  if (order.amountPaise < fromPaise) return invalid('planId', 'unknownPlan')
  const isShareWanted = r.paymentFlow === 'HYBRID' || r.paymentFlow === 'ADDANDPAY'
  // A payment that begins a mandate adds no money to a wallet.
  if (isShareWanted && (!modes.has('BALANCE') || (r.paymentFlow === 'ADDANDPAY' && subscription)))
    return invalid('paymentFlow', 'wayNotOffered')
  const isWalletWanted = mode === 'BALANCE' || isShareWanted
  if (isWalletWanted && !customer) return invalid(mode === 'BALANCE' ? 'paymentMode' : 'paymentFlow', 'noPayer') // no payer signed in: docs/interface.md section 4.10

  const mostPaise = mode === 'BALANCE' ? undefined : wanted.shownWalletPaise
  const walletFirst = isWalletWanted ? walletPart(customer!, order, mostPaise) : 0
  const isShared = mode !== 'BALANCE' && walletFirst > 0
  const offer = offerOf(wanted, mode, order.amountPaise - (mode === 'BALANCE' ? 0 : walletFirst), { isShared, limits })
  if (offer !== undefined && 'result' in offer) return offer
  const discountPaise = offer?.promotion.kind === 'DISCOUNT' ? offer.paise : 0
  const payable = order.amountPaise - discountPaise
  const walletPaise = Math.min(walletFirst, payable)
  const bankPaise = payable - walletPaise
  if (bankPaise > 0 && bankPaise < fromPaise) return invalid('planId', 'unknownPlan')
  if (isTooLittle(limits, bankPaise)) return invalid('paymentFlow', 'wayNotOffered') // only the wallet's part leaves so little
  if (isOverLimit(mode, mode === 'BALANCE' ? payable : bankPaise)) return { result: codes.amountOverLimit }
  if (mode === 'BALANCE' && bankPaise > 0) return { result: codes.insufficientFunds }
  // An empty wallet pays no part, but the payer may still add money to it.
  const flow = bankPaise === 0 ? 'NONE' : r.paymentFlow === 'ADDANDPAY' ? 'ADDANDPAY' : walletPaise > 0 ? 'HYBRID' : 'NONE'
  return {
    paymentMode: mode,
    channel: way.channel ?? '',
    flow,
    discountPaise,
    walletPaise,
    bankPaise,
    instrument,
    offer,
    fundedBy: wanted.promotion?.fundedBy ?? '',
  }
}

/** The part that the wallet pays first. A page takes no more from the wallet than it showed. */
export const walletPart = (
  { walletBalancePaise }: Pick<Row<'customers'>, 'walletBalancePaise'>,
  { amountPaise }: Pick<Row<'orders'>, 'amountPaise'>,
  shownPaise = amountPaise,
) => Math.min(walletBalancePaise, amountPaise, shownPaise)

/** Ten digits: the number of a payer whose sign-in stands, else the order's number. Undefined when the number is missing or foreign. */
export const payerMobile = (payer: { mobile: string } | null, { details }: Pick<Row<'orders'>, 'details'>): string | undefined =>
  indianMobile(payer?.mobile ?? details.userInfo['mobile'])

/** True when a bank mandate is possible. The order must be for a subscription, not an ordinary payment, and an account must be known. */
const hasAccount = ({ request, order, subscription }: WantedPayment) =>
  order.requestType === 'NATIVE_SUBSCRIPTION' &&
  (request.account_number !== undefined || subscription?.details.mandateAccountDetails !== undefined)

/** Compared with `channels`, `banks` and `tenures` of a PaymentMode. */
function wayOf({ request: { paymentMode, channelCode }, instrument: { cardScheme, bank, tenure } }: WantedPayment): Way {
  switch (paymentMode) {
    case 'UPI_INTENT':
      return { channel: 'UPIPUSH' }
    case 'UPI':
      return { channel: channelCode ?? 'UPI' }
    case 'NET_BANKING':
    case 'BANK_MANDATE':
      return { channel: channelCode, bank: channelCode }
    case 'CREDIT_CARD':
    case 'DEBIT_CARD':
      return { channel: cardScheme, bank }
    case 'EMI':
      return { channel: cardScheme, bank, tenure }
    case 'BALANCE':
    case 'PPBL':
    case 'SVC_DIGITAL_CREDIT':
      return {}
    default:
      return paymentMode satisfies never
  }
}

function wayRefusal(mode: string, way: Way, limits: ModeLimits): Refused | undefined {
  if (leaves(limits, way)) return undefined
  if (mode === 'UPI' || mode === 'NET_BANKING') return invalid('channelCode', 'wayNotOffered')
  const isOnlyTenureWrong = mode === 'EMI' && TENURES.some((tenure) => leaves(limits, { ...way, tenure }))
  return isOnlyTenureWrong ? invalid('planId', 'wayNotOffered') : { result: codes.cardNotSupported }
}

/** The best offer is used up or ended, and the payment tries the next offer. No client receives this code. */
export const { offerGone } = resultCodes('processTransaction', { offerGone: F('', 'The best offer is gone') })

/**
 * Calculates the offer again with the rows read now. If the offer cannot be given, the payment is refused only when the request or the
 * order insists on the offer.
 */
function offerOf(
  { order, promocode, promotion, counters, instrument, firstDigits, now, request }: WantedPayment,
  mode: string,
  amountPaise: number,
  beside: { isShared: boolean; limits: ModeLimits },
): Offer | Refused | undefined {
  const ofOrder = order.details.simplifiedPaymentOffers
  const named = request.promoCode ?? ofOrder?.promoCode
  const insists = request.promoCode !== undefined || (ofOrder?.validatePromo === true && named !== undefined)
  const none = insists && promocode !== undefined ? invalid('promoCode', 'noSuchOffer') : undefined
  if (order.requestType === 'NATIVE_SUBSCRIPTION') return none
  const refused = named === undefined && promocode !== undefined ? { result: offerGone } : none
  if (!promotion) return refused
  const live = prepare([promotion], dateInIndia(now)).byCode.get(promotion.promocode)
  const offer = live && judgePromotion(live, cartToPay(order, mode, amountPaise, instrument, firstDigits))
  if (offer === undefined || typeof offer === 'string' || limitOf(offer, counters) !== undefined) return refused
  return leavesTooLittle(offer, amountPaise, beside) ? none : offer
}

/**
 * True when the discount leaves less than the acquirer takes, or beside the wallet nothing. The payment then gets no offer. The wallet
 * alone would pay, and must not use up an instrument's offer.
 */
export const leavesTooLittle = (
  { promotion, paise }: Offer,
  amountPaise: number,
  { isShared, limits }: { isShared: boolean; limits: ModeLimits },
) => promotion.kind === 'DISCOUNT' && ((isShared && paise >= amountPaise) || isTooLittle(limits, amountPaise - paise))

export const cartToPay = (
  order: Row<'orders'>,
  payMethod: string,
  amountPaise: number,
  { bank, bin }: Instrument,
  firstDigits = bin,
): Cart => ({
  options: [{ amountPaise, payMethod, bankCode: bank, bin: firstDigits }],
  totalPaise: amountPaise,
  items: itemsOf(order),
  custId: order.custId,
})

/** The goods that an offer may count. A holder of the token may have changed the other goods. */
const itemsOf = (order: Row<'orders'>): Item[] =>
  (vouchedGoods(order) as readonly Static<typeof goodsInfo>[]).map(({ merchantGoodsId, price, quantity }) => ({
    skus: merchantGoodsId === undefined ? [] : [merchantGoodsId],
    paise: itemPricePaise(price?.value, quantity),
  }))

/** `lease`: the lease of the task under which the request calls the acquirer at once. */
export interface FreshAttempt {
  txnId: string
  lease: { fence: number; until: number }
}

interface Beginning {
  order: Row<'orders'>
  /** The payer whose sign-in is valid now. The order may name a payer whose sign-in is not valid any more. */
  payer: Payer | undefined
  customer: Row<'customers'> | undefined
  counters: Counters
  now: number
  fresh: FreshAttempt
}

export function beginTransaction(plan: Plan, { order: before, payer, customer, counters, now, fresh }: Beginning) {
  const { txnId, lease } = fresh
  const { mid, orderId, custId } = before
  const { paymentMode, channel, flow, discountPaise, walletPaise, bankPaise, instrument } = plan
  const initiatedAt = Math.max(now, before.txnTokenIssuedAt) // the clock of the process that made the order may be ahead
  const transaction = newTransaction({
    mid,
    txnId,
    orderId,
    attempt: before.transactionCount + 1,
    paymentMode,
    channel,
    flow,
    amountPaise: before.amountPaise,
    orderVersion: before.version,
    discountPaise,
    walletPaise,
    bankPaise,
    promocode: plan.offer?.promotion.promocode ?? null,
    instrument,
    payer: payer ?? null,
    initiatedAt,
    ...OF_NO_CYCLE,
  })
  const order: Row<'orders'> = {
    ...before,
    version: before.version + 1,
    status: orderTransitions.CREATED.pay,
    transactionCount: before.transactionCount + 1,
    txnId,
  }
  const reserved = plan.offer && reserve(plan.offer, { mid, txnId, orderId, custId, fundedBy: plan.fundedBy }, counters, now)
  const held = walletPaise > 0 ? holdOf(customer!, transaction, now) : undefined
  const changes: Change[] = [
    { kind: 'insert', key: transactionKey(mid, txnId), row: transaction },
    { kind: 'update', key: orderKey(mid, orderId), row: order },
    ...(held?.changes ?? []),
    ...(reserved?.changes ?? []),
  ]
  const events: Event[] = [
    transactionEvent('transaction.initiated', undefined, transaction, now, {
      paymentMode,
      channel,
      flow,
      orderVersion: transaction.orderVersion,
    }),
    orderEvent('order.payment-initiated', before, order, now),
    ...(reserved?.events ?? []),
  ]
  const [subject, key] = [transactionSubject(transaction), askedKey(transaction, before.subscriptionId)]
  const payload = { mid, txnId, orderId, ...(key !== subject && { key }) }
  const tasks: TaskChange[] = [{ kind: 'add', task: 'transaction.due', subject, dueAt: now, payload, lease }]
  const rows = { order, transaction, customer: held?.customer ?? customer, redemption: reserved?.redemption }
  return { rows, changes, events, tasks }
}

export function holdOf(customer: Row<'customers'>, { mid, txnId, walletPaise }: Transaction, now: number) {
  const change = walletChange(customer, -walletPaise)
  return {
    customer: { ...customer, walletBalancePaise: customer.walletBalancePaise - walletPaise },
    changes: [
      change,
      ...movement(mid, `hold:${txnId}`, txnId, now, [
        ['customer_wallet', walletPaise, customer.userId],
        ['wallet_hold', -walletPaise],
      ]),
    ],
  }
}
