// A merchant's account at Cashfree as an acquirer (docs/acquirer-cashfree.md). Each key has one order there, paid by UPI links, QR
// codes or net banking. An answer that is late, broken or not understood is `unknown`, and a later query reads the result.

import { type AcquirerAnswer, UNKNOWN } from '../../../domain/transaction/acquirer-answer.ts'
import type { Bank, TakenMode } from '../../../reference/reference.ts'
import type { Acquirer, Authorize, CancelAnswer, RefundCall } from '../acquirer.ts'
import { rupeesOf } from './amounts.ts'
import { type CallName, type CashfreeCallParts, CashfreeCalls, type CashfreeQuestion, TooManyCalls } from './calls.ts'
import { type CashfreeOrder, type CashfreePayment, type CashfreeRefund, orderIn, paymentsIn, refundIn, refundsIn } from './entities.ts'
import { orderIdOf, refundIdOf } from './ids.ts'
import { nextIn } from './next-step.ts'
import { closingOrder, deviceOf, methodOf, orderFor, PAISE_MIN } from './requests.ts'
import { openSumOf, stateOf, sumOf } from './state.ts'

const TOTAL_MS = 15_000 // docs/acquirer-cashfree.md: both calls of a payment, for which a payer waits
const READS_MAX = 3 // Mohur's choice: one query reads an order as found, once it is ended or paid, and once more to be certain
const MAY_BE_PAID = new Set(['ACTIVE', 'TERMINATION_REQUESTED'])
const OVER_UNPAID = new Set(['TERMINATED', 'EXPIRED'])
const MADE_NOTHING = new Set([400, 401, 422, 429])
const DUPLICATE = 409
const NOT_FOUND = 404
const TOO_MANY = 429

export interface CashfreeParts extends CashfreeCallParts {
  publicUrl(): string
  /** The operator's list, with Cashfree's number of each bank that net banking may use. */
  banks: readonly Pick<Bank, 'code' | 'cashfree'>[]
  /** Reports a conflict for a person to resolve: an amount that Mohur did not ask for, or an order that was paid twice. */
  conflict(key: string, why: string): void
  /** Sent to Cashfree when the payer has given no number. Cashfree accepts a dummy. */
  phone?: string | undefined
}

export class CashfreeAcquirer implements Acquirer {
  readonly name = 'cashfree'
  readonly takes: readonly TakenMode[]
  readonly wantsPayer = true
  readonly #parts: CashfreeParts
  readonly #calls: CashfreeCalls

  constructor(parts: CashfreeParts) {
    this.#parts = parts
    const limits = { paiseMin: PAISE_MIN, ...(parts.phone === undefined && ({ needs: 'userInfo.mobile' } as const)) }
    const banks = parts.banks.flatMap(({ code, cashfree }) => (cashfree === undefined ? [] : [code]))
    this.takes = [
      { mode: 'UPI', channels: ['UPIPUSH'], ...limits },
      { mode: 'NET_BANKING', banks, ...limits },
    ]
    this.#calls = new CashfreeCalls(parts)
  }

  /** Only the call that made the key's order goes on to pay. So of ten calls with one key at once, one pays. */
  authorize(call: Authorize): Promise<AcquirerAnswer> {
    return this.#answer('authorize', call.key, (asking) => this.#authorize(asking, call))
  }

  async #authorize(asking: CashfreeQuestion, call: Authorize): Promise<AcquirerAnswer> {
    const { key, amountPaise } = call
    const method = methodOf(call.means, this.#parts.banks)
    const body = method && orderFor(call, method, { ...this.#parts, publicUrl: this.#parts.publicUrl(), now: this.#calls.realNow() })
    if (!method || !body) return { outcome: 'failure', failure: 'invalidInstrument' }
    const made = await this.#calls.post(asking, 'orders', body)
    if (made === undefined) return UNKNOWN
    if (made.status === DUPLICATE) return this.#resultOfEarlierOrder(asking, amountPaise)
    if (MADE_NOTHING.has(made.status)) {
      this.#reportRefusal(asking, 'the order', made.status)
      return { outcome: 'failure', failure: 'declined' }
    }
    const order = made.status === 200 && made.json ? orderIn(made.json, orderIdOf(key)) : undefined
    if (order?.session === undefined || order.amountPaise !== amountPaise) return this.#misunderstood(asking, 'the order', made.status)
    const headers = deviceOf(call.payer?.userAgent)
    const paid = await this.#calls.post(asking, 'orders/sessions', { payment_session_id: order.session, payment_method: method }, headers)
    if (paid === undefined) return UNKNOWN
    if (MADE_NOTHING.has(paid.status)) {
      this.#reportRefusal(asking, 'the payment', paid.status)
      const hasEnded = await this.#terminate(asking, orderIdOf(key))
      // A payment beyond the rate limit never began. The answer comes without a read, because reads have limits too.
      if (paid.status === TOO_MANY && hasEnded) return { outcome: 'failure', failure: 'declined' }
      return this.#resultOfEarlierOrder(asking, amountPaise)
    }
    const next = paid.status === 200 && paid.json ? nextIn(paid.json) : undefined
    return next ? { outcome: 'pending', next } : this.#misunderstood(asking, 'the payment', paid.status)
  }

  /** For a refund, `authorizeKey` is the key of its payment. Without `authorizeKey`, `key` is a payment's own key. */
  status(key: string, logged = key, authorizeKey?: string): Promise<AcquirerAnswer> {
    return this.#answer('status', logged, async (asking) => {
      if (authorizeKey === undefined) return this.#paymentResult(asking, key)
      const refund = await this.#readRefund(asking, authorizeKey, key)
      return refund === undefined ? UNKNOWN : refund === 'absent' ? { outcome: 'absent' } : this.#refundResult(asking, refund)
    })
  }

  cancel(key: string): Promise<CancelAnswer> {
    return this.#answer('cancel', key, async (asking) => {
      await this.#terminate(asking, orderIdOf(key)) // Cashfree refuses this when the order was paid or never made; the next read says which
      return this.#paymentResult(asking, key)
    })
  }

  refund(call: RefundCall): Promise<AcquirerAnswer> {
    return this.#answer('refund', call.logged, (asking) => this.#refund(asking, call))
  }

  async #refund(asking: CashfreeQuestion, { key, authorizeKey, amountPaise }: RefundCall): Promise<AcquirerAnswer> {
    const orderId = orderIdOf(authorizeKey)
    const body = { refund_id: refundIdOf(key), refund_amount: rupeesOf(amountPaise), refund_speed: 'STANDARD' }
    const made = await this.#calls.postLimited(asking, `orders/${orderId}/refunds`, body)
    if (made === undefined) return UNKNOWN
    if (made.status === 400) return this.#resultOfRefusedRefund(asking, authorizeKey, key, amountPaise)
    if (made.status === NOT_FOUND) return this.#resultWithoutOrder(asking, authorizeKey)
    if (made.status !== DUPLICATE) {
      const refund = made.status === 200 && made.json ? refundIn(made.json, orderId, refundIdOf(key)) : undefined
      return refund ? this.#refundResultFor(asking, refund, amountPaise) : this.#misunderstood(asking, 'the refund', made.status)
    }
    const refund = await this.#readRefund(asking, authorizeKey, key)
    return refund === undefined || refund === 'absent' ? UNKNOWN : this.#refundResultFor(asking, refund, amountPaise)
  }

  /** No call of this adapter leads to a password, so the answer is the payment's status. */
  otp(key: string): Promise<AcquirerAnswer> {
    return this.status(key)
  }

  async close() {
    this.#calls.close()
  }

  /** Unknown when Cashfree takes no more calls, with the time after which to call again. */
  async #answer(call: CallName, key: string, work: (asking: CashfreeQuestion) => Promise<AcquirerAnswer>): Promise<AcquirerAnswer> {
    try {
      return await work({ call, key, until: this.#calls.elapsed() + TOTAL_MS })
    } catch (error) {
      if (error instanceof TooManyCalls) return { ...UNKNOWN, retryAfterMs: error.waitMs }
      throw error
    }
  }

  // ----------------------------------------------------------------------------------------------------------- payments

  /**
   * The result of a payment. If Cashfree has never seen the key, this closes the key first. So no payment can begin under the key later.
   */
  async #paymentResult(asking: CashfreeQuestion, key: string, amountPaise?: number): Promise<AcquirerAnswer> {
    const orderId = orderIdOf(key)
    for (let reads = 0; reads < READS_MAX; reads++) {
      const order = await this.#readOrder(asking, orderId)
      if (order === undefined) return UNKNOWN
      if (order === 'absent') {
        if (!(await this.#closeKey(asking, key, orderId))) return UNKNOWN
        continue
      }
      if (order.isAbsent) {
        if (OVER_UNPAID.has(order.status)) return { outcome: 'absent' }
        await this.#terminate(asking, orderId)
        continue
      }
      if (amountPaise !== undefined && order.amountPaise !== amountPaise) return this.#conflict(asking, 'the order is for another amount')
      const answer = await this.#resultOrEnd(asking, orderId, order, reads === READS_MAX - 1)
      if (answer !== 'readAgain') return answer
    }
    return UNKNOWN
  }

  async #resultOrEnd(
    asking: CashfreeQuestion,
    orderId: string,
    order: CashfreeOrder,
    isLastRead: boolean,
  ): Promise<AcquirerAnswer | 'readAgain'> {
    const payments = await this.#readPayments(asking, orderId)
    if (payments === undefined) return UNKNOWN
    let state = stateOf(order, payments, undefined, this.#calls.realNow())
    if ('ask' in state && state.ask === 'refunds') {
      // The payer has paid since the order was read, or Cashfree's order lags. A success is late only if its order has ended.
      if (MAY_BE_PAID.has(order.status) && !isLastRead) return 'readAgain'
      const refunds = await this.#readRefunds(asking, orderId)
      if (refunds === undefined) return UNKNOWN
      state = stateOf(order, payments, refunds, this.#calls.realNow())
    }
    if ('ask' in state) {
      await this.#terminate(asking, orderId)
      return 'readAgain'
    }
    return state.conflict === undefined ? state.answer : this.#conflict(asking, state.conflict)
  }

  async #readPayments(asking: CashfreeQuestion, orderId: string): Promise<readonly CashfreePayment[] | undefined> {
    const list = await this.#calls.get(asking, `orders/${orderId}/payments`, true)
    const payments = list?.status === 200 && list.json ? paymentsIn(list.json, orderId) : undefined
    if (list && payments === undefined) this.#misunderstood(asking, 'the list of payments', list.status)
    return payments
  }

  /** The result when the key has an order already: from this call, from an earlier call, or from the call that closed the key. */
  async #resultOfEarlierOrder(asking: CashfreeQuestion, amountPaise: number): Promise<AcquirerAnswer> {
    const answer = await this.#paymentResult(asking, asking.key, amountPaise)
    return answer.outcome === 'absent' ? { outcome: 'failure', failure: 'timedOut' } : answer
  }

  /** Makes an order under the key, so that Cashfree refuses a later payment under this key. True when the key has an order. */
  async #closeKey(asking: CashfreeQuestion, key: string, orderId: string): Promise<boolean> {
    const made = await this.#calls.postLimited(asking, 'orders', closingOrder(key, this.#calls.realNow()))
    if (made === undefined) return false
    if (made.status !== 200 && made.status !== DUPLICATE) {
      this.#misunderstood(asking, 'the order that closes the key', made.status)
      return false
    }
    // 409: the key has an order already. That order may be the payer's, so only its state, read next, may end it.
    if (made.status !== DUPLICATE) await this.#terminate(asking, orderId)
    return true
  }

  async #readOrder(asking: CashfreeQuestion, orderId: string): Promise<CashfreeOrder | 'absent' | undefined> {
    const found = await this.#calls.get(asking, `orders/${orderId}`)
    if (found === undefined) return undefined
    if (found.status === NOT_FOUND) return 'absent'
    const order = found.status === 200 && found.json ? orderIn(found.json, orderId) : undefined
    if (order === undefined) this.#misunderstood(asking, 'the order', found.status)
    return order
  }

  /**
   * Asks Cashfree to end the order, so that no payer can begin to pay it. True when Cashfree confirms the end at once. Otherwise a later
   * read finds the result.
   */
  async #terminate(asking: CashfreeQuestion, orderId: string): Promise<boolean> {
    const ended = await this.#calls.patch(asking, `orders/${orderId}`, { order_status: 'TERMINATED' })
    return ended?.status === 200 && ended.json !== undefined && orderIn(ended.json, orderId)?.status === 'TERMINATED'
  }

  // ------------------------------------------------------------------------------------------------------------ refunds

  async #readRefunds(asking: CashfreeQuestion, orderId: string): Promise<readonly CashfreeRefund[] | undefined> {
    const list = await this.#calls.get(asking, `orders/${orderId}/refunds`, true)
    if (list?.status === NOT_FOUND && list.json) return [] // the order is known, so only its refunds can be missing
    const refunds = list?.status === 200 && list.json ? refundsIn(list.json, orderId) : undefined
    if (list && refunds === undefined) this.#misunderstood(asking, 'the list of refunds', list.status)
    return refunds
  }

  async #readRefund(asking: CashfreeQuestion, authorizeKey: string, key: string): Promise<CashfreeRefund | 'absent' | undefined> {
    const [orderId, refundId] = [orderIdOf(authorizeKey), refundIdOf(key)]
    const found = await this.#calls.get(asking, `orders/${orderId}/refunds/${refundId}`)
    if (found === undefined) return undefined
    if (found.status === NOT_FOUND) return 'absent'
    const refund = found.status === 200 && found.json ? refundIn(found.json, orderId, refundId) : undefined
    if (refund === undefined) this.#misunderstood(asking, 'the refund', found.status)
    return refund
  }

  #refundResult = (asking: CashfreeQuestion, refund: CashfreeRefund): AcquirerAnswer =>
    answerOf(refund) ?? this.#conflict(asking, 'the refund has a status, an amount or a number that is not known')

  #refundResultFor(asking: CashfreeQuestion, refund: CashfreeRefund, amountPaise: number): AcquirerAnswer {
    return refund.amountPaise === amountPaise
      ? this.#refundResult(asking, refund)
      : this.#conflict(asking, 'the refund is for another amount')
  }

  /**
   * Cashfree refused the refund. If Cashfree has the refund after all, that refund is the answer. Otherwise the refund has failed only if
   * the sums of successful payments and open refunds show that its amount does not fit. The failure then says what others have refunded. In
   * any other case the result is unknown.
   */
  async #resultOfRefusedRefund(asking: CashfreeQuestion, authorizeKey: string, key: string, amountPaise: number): Promise<AcquirerAnswer> {
    const orderId = orderIdOf(authorizeKey)
    const [payments, refunds] = [await this.#readPayments(asking, orderId), await this.#readRefunds(asking, orderId)]
    if (payments === undefined || refunds === undefined) return UNKNOWN
    const own = await this.#readRefund(asking, authorizeKey, key)
    if (own !== 'absent') return own === undefined ? UNKNOWN : this.#refundResultFor(asking, own, amountPaise)
    const taken = payments.filter(({ status }) => status === 'SUCCESS')
    if (taken.length === 0 && !(await this.#isOverUnpaid(asking, orderId))) return this.#misunderstood(asking, 'the refund', 400)
    const [takenPaise, givenBackPaise] = [sumOf(taken), openSumOf(refunds)]
    if (takenPaise === undefined || givenBackPaise === undefined) return UNKNOWN
    if (amountPaise <= takenPaise - givenBackPaise) return this.#misunderstood(asking, 'the refund', 400)
    const others = refunds.filter(({ isOwn, status }) => !isOwn && status === 'SUCCESS')
    const [reference, refundedPaise] = [others.at(-1)?.reference, sumOf(others)!]
    return { outcome: 'failure', failure: 'declined', ...(reference && { givenBack: { reference, paise: refundedPaise } }) }
  }

  /** Otherwise the list of payments may lag behind an order that was paid. */
  async #isOverUnpaid(asking: CashfreeQuestion, orderId: string): Promise<boolean> {
    const order = await this.#readOrder(asking, orderId)
    return order !== undefined && order !== 'absent' && OVER_UNPAID.has(order.status)
  }

  /**
   * Cashfree has no order for the payment, so nothing was paid. The refund has failed once the payment's key is closed, because then
   * nothing will be paid.
   */
  async #resultWithoutOrder(asking: CashfreeQuestion, authorizeKey: string): Promise<AcquirerAnswer> {
    const { outcome } = await this.#paymentResult(asking, authorizeKey)
    return outcome === 'absent' ? { outcome: 'failure', failure: 'declined' } : this.#misunderstood(asking, 'the refund', NOT_FOUND)
  }

  // ------------------------------------------------------------------------------------------------ lines for the operator

  #misunderstood(asking: CashfreeQuestion, what: string, status: number): AcquirerAnswer {
    this.#calls.doubt(asking, `${what} was answered HTTP ${status}, or not in form`)
    return UNKNOWN
  }

  #reportRefusal({ key }: CashfreeQuestion, what: string, status: number) {
    this.#parts.conflict(key, `Cashfree refused ${what} with HTTP ${status}`)
  }

  #conflict({ key }: CashfreeQuestion, why: string): AcquirerAnswer {
    this.#parts.conflict(key, why)
    return UNKNOWN
  }
}

/** Undefined when a person has to look. */
function answerOf({ status, amountPaise, reference }: CashfreeRefund): AcquirerAnswer | undefined {
  switch (status) {
    case 'SUCCESS':
      return amountPaise !== undefined && reference !== undefined ? { outcome: 'success', reference, amountPaise } : undefined
    case 'PENDING':
    case 'ONHOLD':
      return { outcome: 'pending' }
    case 'CANCELLED':
    case 'FAILED':
      return { outcome: 'failure', failure: 'declined' }
    default:
      return undefined
  }
}
