// Process Transaction: docs/interface.md section 4.10. Begins one attempt to pay an order. After the commit flows/pay.ts calls the
// acquirer, and apply-transaction-result.ts applies the answer. A payment that needs no bank ends in this decision.

import Type from 'typebox'
import { dateInIndia } from '../../engine/clock.ts'
import { type Decision, latest, NOTHING, operation, refuse, refuseWith } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import { isOfCards } from '../../interface/payment-modes.ts'
import { type FaultCodes, type Refusal, wrongValue } from '../../interface/request.ts'
import { F, resultCodes } from '../../interface/result-code.ts'
import { processTransaction as codes } from '../../interface/result-codes.ts'
import type { Wire } from '../../interface/wire.ts'
import type { Reference } from '../../reference/reference.ts'
import { merchantKey, newCustomerKey, orderKey, promotionKey, savedCardKey, subscriptionKey } from '../../tables/keys.ts'
import type { Payer } from '../../tables/signin.ts'
import type { Row } from '../../tables/tables.ts'
import type { Instrument } from '../../tables/transaction.ts'
import { takesPayments } from '../merchant/merchant.ts'
import { notificationReads } from '../notification/notification.ts'
import { TXN_TOKEN_VALIDITY_MS } from '../order/order.ts'
import { isOpen } from '../payment-page/page.ts'
import { counterReads } from '../promotion/redemption.ts'
import { signInOf, standing } from '../signin/signed-in-payer.ts'
import { isTooLateFor, mandateTermsOf } from '../subscription/consent-result.ts'
import { notifyOfMoves, recipientKeys } from '../subscription/mandate-notifications.ts'
import { outcomeRules } from '../subscription/outcome-rules.ts'
import { beginTransaction, type FreshAttempt, modeOf, type Plan, paymentPlan } from './begin-transaction.ts'
import { describeInstrument, invalid, isPast, savedInstrument } from './instrument.ts'
import { body, type PaymentRequest } from './payment-request.ts'
import { isAtBank } from './status-inquiry.ts'
import { attemptsLeft, hasCodesLeft, isCode, payeeOf } from './transaction.ts'
import { outcomeOf } from './transaction-outcome.ts'

const head = Type.Object({
  channelId: Type.Optional(fields.channelId),
  requestTimeStamp: Type.Optional(fields.requestTimestamp),
  txnToken: fields.string(),
})

type Codes = (typeof codes)['success']

const faults: FaultCodes<Codes> = {
  missing: () => ({ result: codes.missingElement }),
  wrong: (fault) => wrongValue(fault, codes),
}

/** Members that a mode requires, and faults of a card. Needs no stored row. */
function check(given: Partial<PaymentRequest>): Refusal<Codes>[] {
  const { paymentMode, cardInfo } = given
  const missing = (name: string): Refusal<Codes>[] => [{ result: codes.missingElement, parameter: name, cause: 'needed' }]
  if (paymentMode === undefined) return []
  if (paymentMode === 'NET_BANKING' && given.channelCode === undefined) return missing('channelCode')
  if (paymentMode === 'UPI' && given.payerAccount === undefined && !isPush(given)) return missing('payerAccount')
  if (paymentMode === 'EMI' && given.planId === undefined) return missing('planId')
  if (paymentMode === 'UPI' && given.channelCode !== undefined && !fields.UPI_CHANNELS.some((channel) => channel === given.channelCode))
    return [invalid('channelCode', 'unknownChannel')]
  if (!isOfCards(paymentMode)) return []
  if (!cardInfo) return missing('cardInfo')
  if (cardInfo.form === 'broken' || cardInfo.cvv === 'invalid') return [invalid('cardInfo', 'cardForm')]
  if (cardInfo.number === 'invalid') return [{ result: codes.cardNotSupported, parameter: 'cardInfo' }]
  if (cardInfo.expiry === 'invalid' || cardInfo.expiry === 'past') return [{ result: codes.invalidExpiry, parameter: 'cardInfo' }]
  return []
}
const isPush = ({ channelCode }: Partial<PaymentRequest>) => channelCode === 'UPIPUSH' || channelCode === 'UPIPUSHEXPRESS'

export const wire: Wire<typeof head, typeof body, Codes> = {
  query: ['mid', 'orderId'],
  head,
  body,
  faults,
  unreadable: codes.invalidBody,
  missingParam: () => ({ result: codes.missingParam }),
  wrongHead: ({ name }) => ({ result: codes.invalidField, message: `Invalid ${name}` }),
  midMismatch: codes.midMismatch,
  orderIdMismatch: codes.orderIdMismatch,
  systemError: codes.systemError,
  check,
}

/** What a payment page showed when its payer pressed the button: docs/pages.md. */
export interface Shown {
  /** The payer may pay from the page until this time, even if the order's txnToken is older. */
  until: number
  /** The number of the attempt that the page said it would begin. */
  attempt: number
  /** The amount that the page showed. It is the most that may be paid, and with EMI the exact amount. */
  amountPaise: number
  /** The wallet's part of it that the page showed: the most that the wallet pays. The instrument may take at most the rest. */
  walletPaise: number
  /** The cashback that the page showed for this way to pay. */
  cashback?: { promocode: string; paise: number } | undefined
  /**
   * The payer whom the page showed; empty when the form named another than the order has now. Undefined when the page showed nobody.
   * Then it pays as nobody, even if somebody has signed in to the order.
   */
  userId: string | undefined
}

/** The amount, the cashback or the payer is not what the page showed. The reply contains the amount to pay; no client receives this code. */
export const { otherThanShown } = resultCodes('processTransaction', { otherThanShown: F('', 'The page showed another amount') })
export interface OtherThanShown {
  paise: number
  /** The shown amount and its present value: of the whole payment, or else of the instrument's part. */
  wasPaise: number
  isPaise: number
  /** The amount is right, but the payment does not get the shown cashback. */
  isCashbackGone?: true
  /** The payment would use the sign-in of another payer, or one that has ended. */
  isOtherPayer?: true
  isSignInOver?: true
}

/**
 * More than the page showed: in all, or by the instrument because the wallet pays less. With EMI also less, because the terms were
 * calculated from the shown amount. Also when the shown cashback is gone, and no other offer gives as much. Also when the page did not
 * show the payer whose wallet pays, who keeps the card, gets the cashback or agrees to the mandate.
 */
function otherOf(
  { amountPaise, walletPaise, cashback, userId }: Shown,
  { paymentMode, offer, ...plan }: Plan,
  { payer, subscription, request: { storeInstrument } }: { payer: Payer | undefined; subscription: unknown; request: PaymentRequest },
): OtherThanShown | undefined {
  const paise = plan.walletPaise + plan.bankPaise
  const isByWallet = paymentMode === 'BALANCE' || plan.walletPaise > 0
  const hasCashback = cashback !== undefined || offer?.promotion.kind === 'CASHBACK'
  if ((isByWallet || hasCashback || storeInstrument !== undefined || subscription) && payer?.userId !== userId)
    return { paise, wasPaise: amountPaise, isPaise: paise, ...(payer ? { isOtherPayer: true } : { isSignInOver: true }) }
  const restPaise = amountPaise - walletPaise
  if (paise > amountPaise || (paymentMode === 'EMI' && paise !== amountPaise)) return { paise, wasPaise: amountPaise, isPaise: paise }
  if (plan.bankPaise > restPaise) return { paise, wasPaise: restPaise, isPaise: plan.bankPaise }
  const isCashbackGone = cashback && offer?.promotion.promocode !== cashback.promocode && (offer?.paise ?? 0) < cashback.paise
  return isCashbackGone ? { paise, wasPaise: amountPaise, isPaise: paise, isCashbackGone } : undefined
}

export interface ProcessTransaction {
  request: PaymentRequest
  /** The payer's right to pay: the order's token, or a page that was opened with it. */
  by: { txnTokenHash: string } | { shown: Shown }
  /** From the lists, by the card's first digits, the plan and the UPI id. For a saved card, the decision itself finds the instrument. */
  instrument: Instrument
  /**
   * The first eight digits of a typed card, by which offers are judged. Fewer digits of a short number are kept (api/card/card-input.ts).
   * Written nowhere.
   */
  firstDigits?: string | undefined
  reference: Reference
  /** The offer to try: named by the request or the order, or found as the best. */
  promocode: string | undefined
  now: number
  fresh: FreshAttempt
}

/** Why the order's state or the payer's right forbids this payment now. */
function notNow(
  order: Row<'orders'>,
  subscription: Row<'subscriptions'> | undefined,
  { by, request, instrument, now }: Pick<ProcessTransaction, 'by' | 'request' | 'instrument' | 'now'>,
): Refusal<Codes> | undefined {
  const shown = 'shown' in by ? by.shown : undefined
  switch (order.status) {
    case 'PAID':
      return { result: codes.orderPaid }
    case 'CLOSED':
      return { result: attemptsLeft(order) <= 0 ? codes.attemptsExceeded : codes.orderClosed }
    case 'IN_PROCESS':
      return { result: codes.duplicateRequest }
    case 'CREATED':
      break
    default:
      return order.status satisfies never
  }
  const paymentMode = modeOf(request)
  if (isCode({ paymentMode, instrument }) && !hasCodesLeft(order)) return { result: codes.attemptsExceeded, cause: 'codesUsedUp' }
  if (subscription && isTooLateFor(subscription, now)) return { result: codes.orderClosed, cause: 'mandateOver' }
  const isOver = shown ? !isOpen(shown, now) : now >= order.txnTokenIssuedAt + TXN_TOKEN_VALIDITY_MS
  if (isOver) return { result: codes.invalidToken, cause: 'tokenOver' }
  // Another tab, or a second press of the button, has begun and ended an attempt since.
  return shown && shown.attempt !== order.transactionCount + 1 ? { result: codes.duplicateRequest } : undefined
}

export const processTransaction = operation({
  name: 'processTransaction',
  codes,
  reads: ({ request: { mid, orderId } }: ProcessTransaction) => ({
    order: orderKey(mid, orderId),
    merchant: merchantKey(mid),
    ...notificationReads(mid, orderId),
  }),
  readsNext: ({ request: { mid, cardInfo }, promocode }, { order }) => ({
    owner: order?.payer ? newCustomerKey(order.payer.mobile) : undefined,
    family: signInOf(order?.payer),
    promotion: promocode === undefined ? undefined : promotionKey(mid, promocode),
    savedCard:
      order && cardInfo?.savedCardId && !fields.isGuest(order.custId) ? savedCardKey(mid, order.custId, cardInfo.savedCardId) : undefined,
    subscription: order?.subscriptionId ? subscriptionKey(mid, order.subscriptionId) : undefined,
    ...(order && promocode !== undefined ? counterReads(mid, promocode, order.custId) : {}),
    ...recipientKeys(order),
  }),
  decide({ request: r, by, instrument: typed, firstDigits, reference, promocode, now, fresh }, state): Decision<Codes> {
    const { order, merchant, owner, family, promotion, savedCard, subscription, merchantStream, peonStream, ...more } = state
    const { everybody, ofCustomer } = more as Partial<typeof more>
    if (!order) return refuseWith({ result: codes.invalidToken, cause: 'unknownOrder' })
    if (!takesPayments(merchant)) return refuseWith({ result: codes.invalidToken, cause: 'disabledMid' })
    if ('txnTokenHash' in by && order.txnTokenHash !== by.txnTokenHash)
      return refuseWith({ result: codes.invalidToken, cause: 'otherToken' })
    const early = notNow(order, subscription, { by, request: r, instrument: typed, now })
    if (early) return refuseWith(early)
    const isNobodys = 'shown' in by && by.shown.userId === undefined
    const payer = isNobodys ? undefined : standing(order.payer, { customer: owner, family }, now)
    const customer = payer && owner
    if (r.cardInfo?.savedCardId && (!savedCard || savedCard.card.userId !== payer?.userId))
      return refuseWith(invalid('cardInfo', 'unknownCard'))
    if (savedCard && isPast(savedCard.card.expiry, dateInIndia(now))) return refuse(codes.invalidExpiry, undefined, 'cardInfo')
    const instrument = savedCard ? describeInstrument(r, savedInstrument(savedCard), reference) : typed
    if ('result' in instrument) return refuseWith(instrument)
    const counters = { everybody, ofCustomer }
    const plan = paymentPlan({
      ...{ request: r, order, merchant, customer, subscription, instrument, firstDigits },
      ...{ reference, promocode, promotion, counters, now },
      shownWalletPaise: 'shown' in by ? by.shown.walletPaise : undefined,
    })
    if ('result' in plan) return refuseWith(plan)
    const other = 'shown' in by ? otherOf(by.shown, plan, { payer, subscription, request: r }) : undefined
    if (other) return { ...NOTHING, reply: { result: otherThanShown, body: other } }

    const attempt = beginTransaction(plan, { order, payer, customer, counters, now, fresh })
    const payee = payeeOf(merchant)
    const paying = {
      merchant,
      savedCard,
      rules: outcomeRules({ subscription, category: reference.category(merchant.mcc) }),
      merchantStream,
      peonStream,
      ...counters,
      ...attempt.rows,
      firstAskedAt: now,
    }
    if (isAtBank(paying))
      return {
        reply: {
          result: codes.success,
          body: {
            order: attempt.rows.order,
            transaction: attempt.rows.transaction,
            payee,
            ...(subscription && { mandate: mandateTermsOf(subscription, attempt.rows.transaction) }),
          },
        },
        changes: attempt.changes,
        events: attempt.events,
        tasks: attempt.tasks,
      }
    // The counters moved when the offer was reserved. A success does not change them again.
    const applied = outcomeOf(paying, { outcome: 'success', reference: fresh.txnId, amountPaise: 0 }, now)
    return notifyOfMoves(state, now, {
      reply: { result: codes.success, body: { order: applied.order, transaction: applied.transaction, payee } },
      changes: latest([...attempt.changes, ...applied.changes]),
      events: [...attempt.events, ...applied.events],
      tasks: applied.tasks.filter(({ kind }) => kind === 'add'),
    })
  },
})
