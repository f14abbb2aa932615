// Holds every answer of the adapter against the simulator's books at once. The adapter may not call a payment failed while the payer can
// pay it, nor a success before its rupees are final. It also repeats calls, as a network or a second process would.

import type { Acquirer } from '../../../src/adapters/acquirer/acquirer.ts'
import { orderIdOf, refundIdOf } from '../../../src/adapters/acquirer/cashfree/ids.ts'
import type { AcquirerAnswer } from '../../../src/domain/transaction/acquirer-answer.ts'
import { paiseOf } from './books.ts'
import type { CashfreeSimulator, SimulatedOrder } from './simulator.ts'

const MINUTE = 60_000
const EXPIRED_FOR_MS = 30 * MINUTE // docs/acquirer-cashfree.md, "States"
const GIVEN_BACK_BY_THEN_MS = 84 * 60 * MINUTE // docs/acquirer-cashfree.md, "Paid after the end"

export interface HeldAnswers {
  /** The answers that were false. A life takes them out. */
  wrong: string[]
  /** Whether to make this call once more. A life sets it. */
  isRepeated(): boolean
  /** True while a call is repeated; then no fault is planted, because the refusal of a repeat proves nothing about the first call. */
  isRepeating: boolean
}

const isOpenRefund = ({ status }: { status: string }) => status !== 'FAILED' && status !== 'CANCELLED'
const successesOf = ({ payments }: SimulatedOrder) => payments.filter(({ status }) => status === 'SUCCESS')
const automaticOf = ({ refunds }: SimulatedOrder) => refunds.filter(({ type }) => type !== 'MERCHANT_INITIATED')

/** Why an answer to a payment contradicts the simulator's books; undefined where it agrees. */
function unlikeBooks(
  answer: { outcome: string; amountPaise?: number },
  order: SimulatedOrder | undefined,
  now: number,
): string | undefined {
  const { outcome } = answer
  if (outcome === 'failure') return order && whyAlive(order, now)
  if (outcome === 'absent')
    return order?.tags['state'] === 'absent' && order.status === 'TERMINATED' ? undefined : `its key is not closed (${order?.status})`
  if (outcome === 'pending') return order ? undefined : 'there is no order'
  return outcome === 'success' ? whyNoSuccess(answer.amountPaise, order, now) : undefined
}

function whyAlive(order: SimulatedOrder, now: number): string | undefined {
  const successes = successesOf(order)
  const given = automaticOf(order).filter(({ status }) => status === 'SUCCESS')
  if (successes.length > 0)
    return order.status !== 'PAID' && paiseOf(given) === paiseOf(successes) ? undefined : `it has ${paiseOf(successes)} paise`
  if (order.payments.some(({ status }) => status === 'PENDING')) return 'its payer may approve it'
  const isOver = order.status === 'TERMINATED' || (order.status === 'EXPIRED' && now - order.expiresAt >= EXPIRED_FOR_MS)
  return isOver ? undefined : `it is ${order.status}`
}

function whyNoSuccess(amountPaise: number | undefined, order: SimulatedOrder | undefined, now: number): string | undefined {
  const [success, second] = order ? successesOf(order) : []
  if (!order || !success) return 'nobody paid it'
  if (second) return 'it was paid twice'
  if (amountPaise !== paiseOf([order]) || amountPaise !== paiseOf([success]) || 'payment_amount' in success.more)
    return 'its amount is another'
  if (order.status === 'PAID') return undefined
  if (automaticOf(order).some(isOpenRefund)) return 'Cashfree gives it back'
  return now - success.completedAt! >= GIVEN_BACK_BY_THEN_MS ? undefined : 'Cashfree may give it back'
}

function unlikeRefund(answer: AcquirerAnswer, order: SimulatedOrder | undefined, key: string, amountPaise?: number): string | undefined {
  const made = order?.refunds.find(({ refund_id }) => refund_id === refundIdOf(key))
  switch (answer.outcome) {
    case 'success':
      return made?.status === 'SUCCESS' && answer.amountPaise === paiseOf([made]) ? undefined : `it is ${made?.status}`
    case 'failure': {
      if (made) return isOpenRefund(made) ? `it is ${made.status}` : undefined
      const left = order ? paiseOf(successesOf(order)) - paiseOf(order.refunds.filter(isOpenRefund)) : 0
      return amountPaise !== undefined && amountPaise > left ? undefined : `${left} paise are left`
    }
    case 'absent':
      return made && `it is ${made.status}`
    default:
      return undefined
  }
}

/** Wraps the acquirer of a service, and hands its answers on. */
export function holdAnswers(acquirer: Acquirer, bank: CashfreeSimulator, now: () => number): HeldAnswers {
  const { authorize, status, cancel, refund } = acquirer
  const held: HeldAnswers = { wrong: [], isRepeated: () => false, isRepeating: false }
  const orderOf = (key: string) => bank.orders.get(orderIdOf(key))
  const hold = <Answer extends { outcome: string }>(call: string, key: string, answer: Answer, why: string | undefined): Answer => {
    if (why !== undefined) held.wrong.push(`${call} of ${key} said ${answer.outcome}, and ${why}`)
    return answer
  }
  const ofPayment = <Answer extends { outcome: string }>(call: string, key: string, answer: Answer) =>
    hold(call, key, answer, unlikeBooks(answer, orderOf(key), now()))
  const ofRefund = (call: string, key: string, of: string, answer: AcquirerAnswer, amountPaise?: number) =>
    hold(call, key, answer, unlikeRefund(answer, orderOf(of), key, amountPaise))
  async function repeat(work: () => Promise<unknown>) {
    held.isRepeating = true
    await work()
    held.isRepeating = false
  }
  const replaced: Pick<Acquirer, 'authorize' | 'status' | 'cancel' | 'refund'> = {
    async authorize(of) {
      const answer = ofPayment('authorize', of.key, await authorize(of))
      if (orderOf(of.key) && held.isRepeated()) await repeat(async () => ofPayment('authorize again', of.key, await authorize(of)))
      return answer
    },
    async status(key, logged, authorizeKey) {
      const answer = await status(key, logged, authorizeKey)
      return authorizeKey === undefined ? ofPayment('status', key, answer) : ofRefund('status', key, authorizeKey, answer)
    },
    async cancel(key) {
      return ofPayment('cancel', key, await cancel(key))
    },
    async refund(of) {
      const answer = ofRefund('refund', of.key, of.authorizeKey, await refund(of), of.amountPaise)
      if (answer.outcome !== 'failure' && held.isRepeated())
        await repeat(async () => ofRefund('refund again', of.key, of.authorizeKey, await refund(of), of.amountPaise))
      return answer
    },
  }
  Object.assign(acquirer, replaced)
  return held
}
