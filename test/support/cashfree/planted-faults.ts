// Ten mistakes that an adapter to Cashfree may have. Each is planted into a copy of Mohur's, with the line by which `mohur acquirer check
// --cashfree` names it.

import type { PlantedFault } from '../run/planted-source.ts'
import type { CashfreeSimulator } from './simulator.ts'

/**
 * Behaviour that Cashfree's documents allow and the simulator shows on demand only. The unchanged adapter keeps the contract in all of it.
 */
export type Unkind = Partial<Pick<CashfreeSimulator, 'listsAfterMs' | 'paysLateMs' | 'feePaise' | 'refundAgain' | 'payLinks'>>
/** Longer than the check's first pause, so that the check asks in between. */
export const UNKIND = { listsAfterMs: 200, paysLateMs: 300, feePaise: 118, refundAgain: 400 } as const satisfies Unkind

interface Planted {
  fault: string
  source: readonly PlantedFault[]
  named: RegExp
  /** Without it a check is too short to show the fault. */
  where?: Unkind
}

const CASHFREE = 'adapters/acquirer/cashfree/cashfree.ts'
const STATE = 'adapters/acquirer/cashfree/state.ts'
const { listsAfterMs, paysLateMs, feePaise, refundAgain } = UNKIND

export const PLANTED: readonly Planted[] = [
  {
    fault: 'an order that is there already is paid all the same',
    source: [
      {
        file: CASHFREE,
        from: "const made = await this.#calls.post(asking, 'orders', body)",
        to: "let made = await this.#calls.post(asking, 'orders', body)\n    if (made?.status === DUPLICATE) made = await this.#calls.get(asking, 'orders/' + orderIdOf(key))",
      },
      { file: CASHFREE, from: 'if (made.status === DUPLICATE) return this.#resultOfEarlierOrder(asking, amountPaise)', to: '' },
    ],
    named: /^the same call ten times at once is one payment: /,
  },
  {
    // Only time shows this fault: an order expires under a payment that is FAILED first and SUCCESS at last.
    fault: 'an order that has expired is a failure at once',
    source: [
      {
        file: STATE,
        from: "return now - order.expiresAt < EXPIRED_FOR_MS ? PENDING : failed(payments, 'timedOut')",
        to: "return failed(payments, 'timedOut')",
      },
    ],
    named: /: the means of --paid ended as failure$/,
    where: { paysLateMs },
  },
  {
    fault: 'a key that Cashfree has never seen is absent, and stays open',
    source: [
      {
        file: CASHFREE,
        from: 'if (!(await this.#closeKey(asking, key, orderId))) return UNKNOWN\n        continue',
        to: "return { outcome: 'absent' }",
      },
    ],
    named: /^a key that was called absent is never paid: it was called absent and then ended as success$/,
  },
  {
    fault: 'a young order without payments is a failure',
    source: [
      {
        file: STATE,
        from: 'const isYoung = payments.length === 0 && now - order.createdAt < ABSENT_BELIEVED_AFTER_MS',
        to: "if (payments.length === 0) return failed(payments, 'timedOut')\n      const isYoung = false",
      },
    ],
    named: /: the means of --paid ended as failure$/,
    where: { listsAfterMs },
  },
  {
    fault: 'each attempt of a refund has an id of its own',
    source: [
      {
        file: CASHFREE,
        from: 'const body = { refund_id: refundIdOf(key),',
        to: 'const attempt = refundIdOf(key + Math.random())\n    const body = { refund_id: attempt,',
      },
      { file: CASHFREE, from: 'refundIn(made.json, orderId, refundIdOf(key))', to: 'refundIn(made.json, orderId, attempt)' },
    ],
    named: /^a part is refunded, and the same call again is the same refund: two answers differ/,
  },
  {
    fault: 'rupees are cut to paise, and not rounded',
    source: [
      {
        file: 'adapters/acquirer/cashfree/amounts.ts',
        from: 'const paise = Math.round(value * 100)',
        to: 'const paise = Math.trunc(value * 100)',
      },
    ],
    named: /^a part is refunded, and the same call again is the same refund: the refund is for another amount$/,
  },
  {
    fault: 'a refund that is refused with 400 has failed',
    source: [
      {
        file: CASHFREE,
        from: 'if (made.status === 400) return this.#resultOfRefusedRefund(asking, authorizeKey, key, amountPaise)',
        to: "if (made.status === 400) return { outcome: 'failure', failure: 'declined' }",
      },
    ],
    named: /^a part is refunded, and the same call again is the same refund: two answers differ/,
    where: { refundAgain },
  },
  {
    fault: 'a payment that is cancelled has failed, and nobody reads it again',
    source: [
      {
        file: CASHFREE,
        from: '; the next read says which\n      return this.#paymentResult(asking, key)',
        to: "\n      return { outcome: 'failure', failure: 'cancelled' }",
      },
    ],
    named: /^a payment that waits for its payer and is cancelled has failed, in status too, .*: two answers differ/,
  },
  {
    fault: 'a payment begins twice',
    source: [
      {
        file: CASHFREE,
        from: 'const headers = deviceOf(call.payer?.userAgent)',
        to: "const headers = deviceOf(call.payer?.userAgent)\n    await this.#calls.post(asking, 'orders/sessions', { payment_session_id: order.session, payment_method: method }, headers)",
      },
    ],
    named: /^the same call ten times at once is one payment: one order was paid twice$/,
  },
  {
    fault: 'a success has the amount that the payer was charged, and nobody compares it',
    source: [
      {
        file: 'adapters/acquirer/cashfree/entities.ts',
        from: 'return paid === ordered || paid === ordered + charge + tax ? ordered : undefined',
        to: 'return paid',
      },
      { file: STATE, from: 'amountPaise !== order.amountPaise', to: 'amountPaise === undefined' },
    ],
    named: /^a payment takes the requested amount: amountPaise is another amount$/,
    where: { feePaise },
  },
]
