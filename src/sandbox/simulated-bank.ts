// A bank for `mohur mandate simulate` and for tests that look at a decade at once: it does to each call what it is told to, keeps
// books by keys as every acquirer must (docs/acquirer.md), and forgets them with its process.

import type { Acquirer, Collect, MandateAnswer, Mandates, NoticeAnswer, Notify } from '../acquirer/acquirer.ts'
import type { Clock } from '../engine/clock.ts'
import type { Answer, Failure } from '../transaction/answer.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** It collects by everything; a wallet is in our own books. */
export const COLLECTED_MODES = ['UPI', 'CREDIT_CARD', 'DEBIT_CARD', 'PPBL', 'SVC_DIGITAL_CREDIT', 'BANK_MANDATE'] as const

/** What a call ends as: the words of docs/sandbox.md, "The script". */
export const OUTCOMES = [
  ...['success', 'declined', 'insufficient', 'invalid', 'optedOut'],
  ...['pending', 'slow', 'late', 'timeout', 'lost', 'wrongAmount'],
] as const
export type SimulatedOutcome =
  | 'success'
  | 'declined'
  | 'insufficient'
  | 'invalid'
  | 'optedOut'
  | 'pending'
  | 'slow'
  | 'late'
  | 'timeout'
  | 'lost'
  | 'wrongAmount'

const failures: Partial<Record<SimulatedOutcome, Failure>> = {
  declined: 'declined',
  insufficient: 'insufficientFunds',
  invalid: 'invalidInstrument',
}
/** When what waits is over, and how it ends. */
const waits: Partial<Record<SimulatedOutcome, { ms: number; failure?: Failure }>> = {
  pending: { ms: 15 * MINUTE_MS, failure: 'timedOut' },
  slow: { ms: 2 * MINUTE_MS },
  late: { ms: 90 * HOUR_MS },
}

/** One call that the bank has taken, under its key. */
export interface Taken {
  key: string
  kind: 'notify' | 'collect' | 'refund'
  at: number
  amountPaise: number
  outcome: SimulatedOutcome
  failure: Failure | undefined
  /** From when it is known. */
  knownAt: number
}

export class SimulatedBank implements Acquirer {
  readonly name = 'simulated'
  readonly taken = new Map<string, Taken>()
  /** Every call that reached it, also those of which it took nothing. */
  readonly heard: { kind: Taken['kind']; key: string; at: number }[] = []
  state: 'active' | 'paused' | 'revoked' = 'active'
  readonly #clock: Clock
  readonly #outcomeOf: (kind: Taken['kind']) => SimulatedOutcome

  constructor(clock: Clock, outcomeOf: (kind: Taken['kind']) => SimulatedOutcome) {
    this.#clock = clock
    this.#outcomeOf = outcomeOf
  }

  readonly mandates: Mandates = {
    modes: async () => COLLECTED_MODES,
    takesMany: async () => false,
    notify: async (call: Notify) => {
      const outcome = this.#call('notify', call.key, call.amountPaise)
      return outcome === 'optedOut' ? { outcome: 'optedOut' } : noticeOf(this.#answer(call.key, outcome))
    },
    noticeStatus: async (key) => {
      const before = this.taken.get(key)
      return before?.outcome === 'optedOut' ? { outcome: 'optedOut' } : noticeOf(this.#known(key))
    },
    collect: async (call: Collect) => this.#answer(call.key, this.#call('collect', call.key, call.amountPaise)),
    register: async () => ({ outcome: 'pending' }),
    amend: async () => this.#mandate(),
    revoke: async () => this.#turn('revoked'),
    pause: async () => this.#turn('paused'),
    resume: async () => this.#turn('active'),
    status: async () => this.#mandate(),
  }

  async authorize(): Promise<Answer> {
    return { outcome: 'unknown' }
  }
  async otp(): Promise<Answer> {
    return { outcome: 'unknown' }
  }
  async cancel() {
    return { outcome: 'cannot' as const }
  }
  async status(key: string): Promise<Answer> {
    return this.#known(key)
  }
  async refund({ key, amountPaise }: { key: string; amountPaise: number }): Promise<Answer> {
    return this.#answer(key, this.#call('refund', key, amountPaise))
  }
  async close() {}

  /** A key is worked on once, whatever is asked for under it again. */
  #call(kind: Taken['kind'], key: string, amountPaise: number): SimulatedOutcome | undefined {
    const at = this.#clock.now()
    this.heard.push({ kind, key, at })
    if (this.taken.has(key)) return undefined
    const outcome = this.#outcomeOf(kind)
    if (outcome === 'timeout') return outcome
    const wait = waits[outcome]
    const ofMandate: Failure | undefined =
      kind === 'refund' || this.state === 'active' ? undefined : this.state === 'paused' ? 'mandatePaused' : 'mandateRevoked'
    this.taken.set(key, {
      ...{ key, kind, at, outcome, knownAt: at + (ofMandate ? 0 : (wait?.ms ?? 0)) },
      amountPaise: amountPaise + (outcome === 'wrongAmount' ? 100 : 0),
      failure: ofMandate ?? wait?.failure ?? failures[outcome],
    })
    return outcome
  }

  #answer(key: string, outcome: SimulatedOutcome | undefined): Answer {
    return outcome === 'timeout' || outcome === 'lost' ? { outcome: 'unknown' } : this.#known(key)
  }

  #known(key: string): Answer {
    const taken = this.taken.get(key)
    if (!taken) return { outcome: 'absent' }
    if (taken.knownAt > this.#clock.now()) return { outcome: 'pending' }
    const reference = `S${[...this.taken.keys()].indexOf(key) + 1}`
    return taken.failure
      ? { outcome: 'failure', failure: taken.failure, reference }
      : { outcome: 'success', reference, amountPaise: taken.amountPaise }
  }

  #turn(state: SimulatedBank['state']): MandateAnswer {
    if (this.state !== 'revoked') this.state = state
    return this.#mandate()
  }
  #mandate = (): MandateAnswer => (this.state === 'active' ? { outcome: 'active', mandateReference: 'S' } : { outcome: this.state })
}

const noticeOf = (answer: Answer): NoticeAnswer =>
  answer.outcome === 'success' ? { outcome: 'success', reference: answer.reference } : { outcome: answer.outcome }
