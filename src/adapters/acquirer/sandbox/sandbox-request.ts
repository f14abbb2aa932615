// A request as the sandbox's bank stores it, and the code that sandbox.ts and sandbox-mandates.ts share.

import { type AcquirerAnswer, type Failure, UNKNOWN } from '../../../domain/transaction/acquirer-answer.ts'
import type { Random } from '../../../engine/random.ts'
import type { BankRequest, Behaviour } from './bank-request.ts'
import type { SandboxBank } from './sandbox-bank.ts'

const SLOW_MS = 2 * 60_000 // docs/sandbox.md
export const LATE_MS = 90 * 3_600_000 // after Mohur has given the payment up

export const FAILURE_OF: Partial<Record<Behaviour, Failure>> = {
  declined: 'declined',
  insufficient: 'insufficientFunds',
  invalid: 'invalidInstrument',
}

/** A fault inside the bank is only `unknown` to the caller: two calls with one key at once, or an unreachable database. */
export const unknownAfterFault = () => UNKNOWN

/** How long until a waiting request ends by itself. `elseMs` is for a request that is neither slow nor late. */
export const dueAfterMs = (behaviour: Behaviour | undefined, elseMs = SLOW_MS) =>
  behaviour === 'late' ? LATE_MS : behaviour === 'slow' ? SLOW_MS : elseMs

/** The members that each request sets itself. The other members nearly always have the values below. */
export type OwnMembers = Pick<BankRequest, 'key' | 'kind' | 'mid' | 'order_id' | 'failure' | 'amount_paise' | 'asks' | 'due_at' | 'due'> &
  Partial<BankRequest>

export const requestOf = (said: OwnMembers, fresh: Random, now: number): BankRequest => ({
  state: said.failure ? 'failure' : said.asks === 'nothing' ? 'success' : 'pending',
  authorize_key: null,
  reference: String(Number.parseInt(fresh.hex(6), 16) % 1e12).padStart(12, '0'), // twelve digits, as a bank's have
  return_url: '',
  payee: '',
  mcc: '',
  tries: 0,
  card_token: null,
  at: now,
  ...said,
})

/** The answer about a payment that the bank knows already, with the amount refunded since. */
export async function withRefunds(bank: SandboxBank, key: string, now: number, answer: AcquirerAnswer): Promise<AcquirerAnswer> {
  if (answer.outcome !== 'success') return answer
  const refundedPaise = await bank.call({ keys: [], refundsOf: key, now, run: (books) => books.refundedPaise(key) }).catch(() => undefined)
  if (refundedPaise === undefined) return UNKNOWN
  return refundedPaise > 0 ? { ...answer, refundedPaise } : answer
}
