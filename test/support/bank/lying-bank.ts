// A bank whose debits arrive late or never, and which decides and gives back at drawn times. Unless it keeps the contract's promise that a
// result is final, it also changes final answers. It replaces the debits and refunds of a simulated bank, and its books are the truth.

import type { Acquirer, Collect, RefundCall } from '../../../src/adapters/acquirer/acquirer.ts'
import type { AcquirerAnswer } from '../../../src/domain/transaction/acquirer-answer.ts'
import type { Random } from '../text/random.ts'

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000]
const NEVER = Number.MAX_SAFE_INTEGER
const FAILURES = ['insufficientFunds', 'declined'] as const
/**
 * How long the bank takes to decide. Mostly it decides at once; the other times lie around every instant at which another party times out.
 */
const DECIDES_AFTER = [
  ...[0, 0, 0, 0, 2 * MINUTE, 6 * HOUR, 30 * HOUR, 71 * HOUR, 72 * HOUR, 73 * HOUR, 90 * HOUR],
  ...[5 * DAY, 7 * DAY, 8 * DAY, 15 * DAY, 40 * DAY],
]
/** A call that takes longer than five minutes is refused by its signature. */
const ARRIVES_AFTER = [0, 0, 0, 0, 0, 0, 20 * SECOND, 2 * MINUTE, 5 * MINUTE - SECOND, NEVER]

type Say = 'success' | 'failure' | 'pending' | 'unknown' | 'absent'
interface Debit {
  key: string
  amountPaise: number
  arrivesAt: number
  /** The answers, each from some time after the arrival on. */
  says: readonly { after: number; say: Say }[]
  failure: (typeof FAILURES)[number]
  takesPaise: number
}
interface Refund {
  debit: string
  amountPaise: number
  doneAt: number
  isRefused: boolean
}

export class LyingBank {
  readonly debits = new Map<string, Debit>()
  readonly refunds = new Map<string, Refund>()
  readonly #random: Random
  readonly #now: () => number
  readonly #isHonest: boolean

  constructor(random: Random, now: () => number, isHonest: boolean) {
    this.#random = random
    this.#now = now
    this.#isHonest = isHonest
  }

  /** Replaces the debits and refunds of another bank. */
  standIn(bank: Acquirer) {
    const { status } = bank
    Object.assign(bank.mandates!, { collect: async (call: Collect) => this.#collect(call) })
    Object.assign(bank, {
      status: async (key: string) => (this.#isOurs(key) ? this.#statusOf(key) : status.call(bank, key)),
      refund: async (call: RefundCall) => this.#refund(call),
    })
  }
  #isOurs = (key: string) => /:\d{8}:\d+$/.test(key) || this.refunds.has(key) || key.includes('refund')

  /** What the bank has taken under a key by now. */
  takenPaise(key: string): number {
    const debit = this.debits.get(key)
    const made = debit?.says.find(({ say }) => say === 'success')
    return debit && made && debit.arrivesAt !== NEVER && debit.arrivesAt + made.after <= this.#now() ? debit.takesPaise : 0
  }
  givenBackPaise(key: string): number {
    const done = [...this.refunds.values()].filter((refund) => refund.debit === key && !refund.isRefused && refund.doneAt <= this.#now())
    return done.reduce((sum, { amountPaise }) => sum + amountPaise, 0)
  }

  #collect({ key, amountPaise }: Collect): AcquirerAnswer {
    const now = this.#now()
    const before = this.debits.get(key)
    const arrivesAt = now + this.#pick(ARRIVES_AFTER)
    if (!before) this.debits.set(key, this.#drawn(key, amountPaise, Math.min(arrivesAt, NEVER)))
    else if (before.arrivesAt > arrivesAt) this.debits.set(key, { ...before, arrivesAt })
    if (this.#random.below(10) === 0) throw new Error('the process died')
    const answer = this.#statusOf(key)
    return answer.outcome === 'absent' || this.#random.below(10) === 0 ? { outcome: 'unknown' } : answer
  }

  #drawn(key: string, amountPaise: number, arrivesAt: number): Debit {
    const after = this.#pick(DECIDES_AFTER)
    const end: Say = this.#random.below(2) === 0 ? 'success' : 'failure'
    const waits = { after: 0, say: this.#pick(['pending', 'unknown'] as const) }
    const honest = after === 0 ? [{ after, say: end }] : [waits, { after, say: end }]
    const says = this.#isHonest || this.#random.below(3) > 0 ? honest : this.#pick(lies)
    const takesPaise = amountPaise + (this.#random.below(12) === 0 ? 100 : 0)
    return { key, amountPaise, arrivesAt, says, failure: this.#pick(FAILURES), takesPaise }
  }

  #statusOf(key: string): AcquirerAnswer {
    if (this.#random.below(12) === 0) return { outcome: 'unknown' }
    const refund = this.refunds.get(key)
    if (refund) return this.#refundOf(refund)
    const debit = this.debits.get(key)
    if (!debit || debit.arrivesAt > this.#now()) return { outcome: 'absent' }
    const { say } = debit.says.findLast(({ after }) => debit.arrivesAt + after <= this.#now())!
    if (say === 'success') return { outcome: say, reference: 'S1', amountPaise: debit.takesPaise }
    return say === 'failure' ? { outcome: say, failure: debit.failure } : { outcome: say }
  }

  #refund({ key, authorizeKey, amountPaise }: RefundCall): AcquirerAnswer {
    const drawn = { isRefused: this.#random.below(6) === 0, doneAt: this.#now() + this.#pick([0, 0, 2 * MINUTE, 30 * HOUR, 6 * DAY]) }
    const fits = this.takenPaise(authorizeKey) >= this.givenBackPaise(authorizeKey) + amountPaise
    if (!this.refunds.has(key)) this.refunds.set(key, { debit: authorizeKey, amountPaise, ...drawn, ...(!fits && { isRefused: true }) })
    return this.#statusOf(key)
  }
  #refundOf({ doneAt, isRefused, amountPaise }: Refund): AcquirerAnswer {
    if (doneAt > this.#now()) return { outcome: 'pending' }
    return isRefused ? { outcome: 'failure', failure: 'declined' } : { outcome: 'success', reference: 'S2', amountPaise }
  }

  #pick = <T>(from: readonly T[]): T => this.#random.pick(from)
}

/** Answers that change while the service still asks. It asks about a failure once more, a day later. */
const lies: readonly Debit['says'][] = [
  says('failure', [12, 'success']),
  says('failure', [12, 'pending'], [60, 'failure']),
  says('failure', [12, 'pending'], [60, 'success']),
  says('failure', [12, 'unknown'], [200, 'success']),
  says('pending', [20, 'absent'], [30, 'pending'], [80, 'success']),
  says('absent', [1, 'success']),
  says('absent', [1, 'pending'], [100, 'failure']),
  says('pending', [80, 'failure'], [90, 'success']),
]
function says(first: Say, ...then: readonly (readonly [hours: number, say: Say])[]): Debit['says'] {
  return [{ after: 0, say: first }, ...then.map(([hours, say]) => ({ after: hours * HOUR, say }))]
}
