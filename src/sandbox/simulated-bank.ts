// A bank for `mohur mandate simulate` and for tests that simulate a decade. Each call ends as its caller says. The bank keeps books by
// keys, as every acquirer must (docs/acquirer.md), and loses the books with its process.

import type { Acquirer, Amend, Collect, MandateAnswer, Mandates, NoticeAnswer, Notify, Register } from '../adapters/acquirer/acquirer.ts'
import type { PayerAction } from '../adapters/acquirer/sandbox/sandbox-mandates.ts'
import type { AcquirerAnswer, Failure } from '../domain/transaction/acquirer-answer.ts'
import type { Clock } from '../engine/clock.ts'
import { paymentModes, SUBSCRIPTION_PAYMENT_MODES } from '../interface/payment-modes.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DECIDES_AFTER_MS = { E: 24 * HOUR_MS, paper: 5 * 24 * HOUR_MS } // docs/sandbox.md: how long a bank takes to decide on a mandate

/** The modes by which the bank collects: all but the wallet, which is in Mohur's own books. */
export const COLLECTED_MODES = SUBSCRIPTION_PAYMENT_MODES.filter((mode) => paymentModes[mode].rail !== 'WALLET')

/** The outcomes of a call, in the words of docs/sandbox.md, "The script". */
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
/** When a waiting call ends, and how. */
const waits: Partial<Record<SimulatedOutcome, { ms: number; failure?: Failure }>> = {
  pending: { ms: 15 * MINUTE_MS, failure: 'timedOut' },
  slow: { ms: 2 * MINUTE_MS },
  late: { ms: 90 * HOUR_MS },
}

const NEVER = Number.MAX_SAFE_INTEGER
/** The payer's answer to a notice that asked for approval of its debit. The bank knows the answer from `at` on. */
export interface Approval {
  said: 'approved' | 'declined'
  at: number
}

/** One call that the bank has taken, under its key. */
export interface TakenCall {
  key: string
  kind: 'notify' | 'collect' | 'refund' | 'amend' | 'mandate'
  at: number
  amountPaise: number
  outcome: SimulatedOutcome
  failure: Failure | undefined
  /** When the bank knows the outcome. */
  knownAt: number
  /** When the payer opted out of the notice's debit. */
  optedOutAt?: number
}

export class SimulatedBank implements Acquirer {
  readonly name = 'simulated'
  readonly taken = new Map<string, TakenCall>()
  /** Every call that reached the bank, even one without an effect. */
  readonly received: { kind: TakenCall['kind']; key: string; at: number }[] = []
  state: 'active' | 'paused' | 'revoked' = 'active'
  /** The registration of a mandate on an account: the bank's own decision, and its time if the payer does not decide first. */
  #registered: { key: string; accepts: boolean; at: number } | undefined
  /** By the key of each notice that asked for approval of a debit. Undefined while the payer has not answered and no answer is planned. */
  readonly approvals = new Map<string, Approval | undefined>()
  readonly #clock: Clock
  readonly #outcomeOf: (kind: TakenCall['kind']) => SimulatedOutcome
  readonly #approvalOf: () => Approval | undefined

  /** `approvalOf`: the answer that the payer will give without notifying the service. */
  constructor(
    clock: Clock,
    outcomeOf: (kind: TakenCall['kind']) => SimulatedOutcome,
    approvalOf: () => Approval | undefined = () => undefined,
  ) {
    this.#clock = clock
    this.#outcomeOf = outcomeOf
    this.#approvalOf = approvalOf
  }

  readonly mandates: Mandates = {
    modes: async () => COLLECTED_MODES,
    takesMany: async () => false,
    notify: async (call: Notify) => {
      const outcome = this.#call('notify', call.key, call.amountPaise)
      if (call.authenticationNeeded && !this.approvals.has(call.key)) this.approvals.set(call.key, this.#approvalOf())
      return outcome === 'optedOut' ? { outcome: 'optedOut' } : this.#noticeOf(call.key, this.#answer(call.key, outcome))
    },
    noticeStatus: async (key) => {
      const taken = this.taken.get(key)
      const isOptedOut = taken?.outcome === 'optedOut' || taken?.optedOutAt !== undefined
      return isOptedOut ? { outcome: 'optedOut' } : this.#noticeOf(key, this.#known(key))
    },
    collect: async (call: Collect) => this.#answer(call.key, this.#call('collect', call.key, call.amountPaise, this.#missing(call))),
    register: async (call: Register) => {
      const outcome = this.#outcomeOf('mandate')
      const decidesAt = this.#clock.now() + DECIDES_AFTER_MS[call.isPaper ? 'paper' : 'E']
      this.#registered ??= { key: call.key, accepts: !failures[outcome], at: outcome === 'pending' ? NEVER : decidesAt }
      return { outcome: 'pending', mandateReference: 'S' }
    },
    amend: async (call: Amend) => this.#amendment(call.key, this.#call('amend', call.key, call.maxAmountPaise ?? 0)),
    revoke: async () => this.#turn('revoked'),
    pause: async () => this.#turn('paused'),
    resume: async () => this.#turn('active'),
    status: async (key) => (key.endsWith(':mandate') ? this.#mandate() : this.#amendment(key)),
  }

  /** Returns the key that the action changed. Undefined when the payer could do nothing. */
  payerActs(action: PayerAction, mandateKey: string): string | undefined {
    if (action === 'approve' || action === 'decline') return this.#decide(action === 'approve')
    if (action === 'skip') return this.#skip()
    this.#turn(({ revoke: 'revoked', pause: 'paused', resume: 'active' } as const)[action])
    return mandateKey
  }

  /**
   * Answers a registration that the bank has not decided, else the newest question: other terms, or a debit. The payer may still approve a
   * debit after declining it.
   */
  #decide(accepts: boolean): string | undefined {
    const now = this.#clock.now()
    if (this.#registered && now < this.#registered.at) {
      this.#registered = { ...this.#registered, accepts, at: now }
      return this.#registered.key
    }
    const isOpen = (key: string) => {
      const said = this.#said(key)
      return said === 'pending' || (accepts && said === 'declined')
    }
    const asked = [...this.taken.values()].findLast(({ kind, key, outcome }) => (kind === 'amend' && outcome === 'pending') || isOpen(key))
    if (asked?.kind === 'notify') this.approvals.set(asked.key, { said: accepts ? 'approved' : 'declined', at: now })
    else if (asked)
      this.taken.set(asked.key, {
        ...asked,
        outcome: accepts ? 'success' : 'declined',
        failure: accepts ? undefined : 'declined',
        knownAt: now,
      })
    return asked?.key
  }

  /** Opts out of the debit of the newest successful notice. Undefined when there is no such notice. */
  #skip(): string | undefined {
    const notice = [...this.taken.values()].findLast(({ kind }) => kind === 'notify')
    if (!notice || notice.failure || notice.knownAt > this.#clock.now()) return undefined
    this.taken.set(notice.key, { ...notice, optedOutAt: this.#clock.now() })
    return notice.key
  }

  async authorize(): Promise<AcquirerAnswer> {
    return { outcome: 'unknown' }
  }
  async otp(): Promise<AcquirerAnswer> {
    return { outcome: 'unknown' }
  }
  async cancel() {
    return { outcome: 'cannot' as const }
  }
  async status(key: string): Promise<AcquirerAnswer> {
    return this.#known(key)
  }
  async refund({ key, amountPaise }: { key: string; amountPaise: number }): Promise<AcquirerAnswer> {
    return this.#answer(key, this.#call('refund', key, amountPaise))
  }
  async close() {}

  /** Takes a call under its key. A key that was taken before has no second effect. */
  #call(kind: TakenCall['kind'], key: string, amountPaise: number, missing?: Failure): SimulatedOutcome | undefined {
    const at = this.#clock.now()
    this.received.push({ kind, key, at })
    if (this.taken.has(key)) return undefined
    const outcome = this.#outcomeOf(kind)
    if (outcome === 'timeout') return outcome
    const wait = waits[outcome]
    const ofMandate: Failure | undefined =
      kind === 'refund' || this.state === 'active' ? undefined : this.state === 'paused' ? 'mandatePaused' : 'mandateRevoked'
    this.taken.set(key, {
      ...{ key, kind, at, outcome, knownAt: at + (ofMandate ? 0 : (wait?.ms ?? 0)) },
      amountPaise: amountPaise + (outcome === 'wrongAmount' ? 100 : 0),
      failure: ofMandate ?? missing ?? wait?.failure ?? failures[outcome],
    })
    return outcome
  }

  #answer(key: string, outcome: SimulatedOutcome | undefined): AcquirerAnswer {
    return outcome === 'timeout' || outcome === 'lost' ? { outcome: 'unknown' } : this.#known(key)
  }

  #known(key: string): AcquirerAnswer {
    const taken = this.taken.get(key)
    if (!taken) return { outcome: 'absent' }
    if (taken.knownAt > this.#clock.now()) return { outcome: 'pending' }
    const reference = `S${[...this.taken.keys()].indexOf(key) + 1}`
    return taken.failure
      ? { outcome: 'failure', failure: taken.failure, reference }
      : { outcome: 'success', reference, amountPaise: taken.amountPaise }
  }

  /** Returns the failure when the notice asked for an approval that is missing. */
  #missing({ notifyKey = '', authenticated }: Collect): Failure | undefined {
    const said = this.#said(notifyKey)
    return said === undefined || (said === 'approved' && authenticated) ? undefined : 'notAuthenticated'
  }

  /** The payer's answer so far. Undefined when the payer was not asked. */
  #said(key: string): NonNullable<Extract<NoticeAnswer, { outcome: 'success' }>['authentication']> | undefined {
    if (!this.approvals.has(key)) return undefined
    const approval = this.approvals.get(key)
    return approval && approval.at <= this.#clock.now() ? approval.said : 'pending'
  }

  #noticeOf(key: string, answer: AcquirerAnswer): NoticeAnswer {
    const authentication = this.#said(key)
    if (answer.outcome !== 'success') return { outcome: answer.outcome }
    return { outcome: 'success', reference: answer.reference, ...(authentication && { authentication }) }
  }

  #turn(state: SimulatedBank['state']): MandateAnswer {
    if (this.state !== 'revoked') this.state = state
    return this.#mandate()
  }
  #mandate(): MandateAnswer {
    if (this.state !== 'active') return { outcome: this.state }
    const { accepts = true, at = 0 } = this.#registered ?? {}
    if (this.#clock.now() < at) return { outcome: 'pending' }
    return accepts ? { outcome: 'active', mandateReference: 'S' } : { outcome: 'refused' }
  }

  /** New terms stay pending until the payer answers. */
  #amendment(key: string, outcome?: SimulatedOutcome): MandateAnswer {
    const taken = this.taken.get(key)
    if (outcome === 'timeout' || outcome === 'lost') return { outcome: 'unknown' }
    if (!taken) return { outcome: 'absent' }
    if (taken.outcome === 'pending' || taken.knownAt > this.#clock.now()) return { outcome: 'pending' }
    return taken.failure ? { outcome: 'refused' } : { outcome: 'active', mandateReference: 'S' }
  }
}
