// The sandbox bank's books as the calls of one transaction see them: the rows read, and over them the writes of earlier calls. Thus all
// these calls share one read, one write and one commit. Two calls with one key are one request.

import type { BankRequest, Behaviour, JournalLine } from './bank-request.ts'

/** An empty mid stands for any merchant that has the order. */
export const scriptSubject = (mid: string, orderId: string) => `${mid}:${orderId}`

export type RequestEnd = { state: 'success' } | { state: 'failure'; failure: NonNullable<BankRequest['failure']> }

export class OpenBooks {
  readonly #requests: Map<string, BankRequest>
  readonly #scripts: Map<string, readonly Behaviour[]>
  readonly #taken = new Set<string>()
  readonly #changed = new Set<string>()
  readonly #played = new Set<string>()
  readonly journal: JournalLine[] = []

  constructor(requests: readonly BankRequest[], scripts: ReadonlyMap<string, readonly Behaviour[]>) {
    this.#requests = new Map(requests.map((request) => [request.key, request]))
    this.#scripts = new Map(scripts)
  }

  request(key: string): BankRequest | undefined {
    return this.#requests.get(key)
  }

  /** Includes refunds under way. */
  refundedPaise(authorizeKey: string): number {
    const refunds = [...this.#requests.values()].filter((request) => request.authorize_key === authorizeKey)
    return refunds.filter(({ state }) => state !== 'failure').reduce((sum, { amount_paise }) => sum + amount_paise, 0)
  }

  /** Uses up the next behaviour of the script. */
  nextOf({ mid, orderId }: { mid: string; orderId: string }): Behaviour | undefined {
    const subject = [scriptSubject(mid, orderId), scriptSubject('', orderId)].find((each) => this.#scripts.has(each))
    if (subject === undefined) return undefined
    const [next, ...rest] = this.#scripts.get(subject)!
    this.#played.add(subject)
    if (rest.length > 0) this.#scripts.set(subject, rest)
    else this.#scripts.delete(subject)
    return next
  }

  /** The behaviours of the next calls. Uses up none. */
  scriptOf({ mid, orderId }: { mid: string; orderId: string }): readonly Behaviour[] {
    return this.#scripts.get(scriptSubject(mid, orderId)) ?? this.#scripts.get(scriptSubject('', orderId)) ?? []
  }

  take(request: BankRequest) {
    this.#taken.add(request.key)
    this.#requests.set(request.key, request)
    if (request.state !== 'pending') this.#note(request, request.at)
  }

  /** Ends a waiting request. A second end changes nothing and writes no journal line. */
  end({ key }: BankRequest, end: RequestEnd, at: number) {
    const before = this.#requests.get(key)
    if (before?.state !== 'pending') return
    const ended = { ...before, state: end.state, failure: end.state === 'failure' ? end.failure : null }
    this.#change(ended)
    this.#note(ended, at)
  }

  /** A payer who declined approves after all. */
  reconsider({ key }: BankRequest, at: number) {
    const after: BankRequest = { ...this.#requests.get(key)!, state: 'success', failure: null }
    this.#change(after)
    this.#note(after, at)
  }

  wrongOtp(request: BankRequest) {
    this.#change({ ...request, tries: request.tries + 1 })
  }

  change(request: BankRequest) {
    this.#change(request)
  }

  /** In key order, so that no two processes wait for each other's rows. */
  get taken(): BankRequest[] {
    return this.#named(this.#taken)
  }
  get changed(): BankRequest[] {
    return this.#named(this.#changed)
  }
  get played(): { subject: string; rest: readonly Behaviour[] }[] {
    return [...this.#played].sort().map((subject) => ({ subject, rest: this.#scripts.get(subject) ?? [] }))
  }

  #named = (keys: ReadonlySet<string>) => [...keys].sort().map((key) => this.#requests.get(key)!)

  #change(request: BankRequest) {
    this.#requests.set(request.key, request)
    if (!this.#taken.has(request.key)) this.#changed.add(request.key)
  }

  #note({ key, kind, reference, amount_paise, state, failure }: BankRequest, at: number) {
    this.journal.push({ at, key, kind, reference, amount_paise, outcome: failure ?? state })
  }
}
