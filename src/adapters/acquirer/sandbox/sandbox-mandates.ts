// Mandates at the sandbox's bank: consents, notices, debits, and later changes by the payer or by Mohur (docs/sandbox.md). Each is a
// row of the bank's requests, under the key of its call.

import { type AcquirerAnswer, UNKNOWN } from '../../../domain/transaction/acquirer-answer.ts'
import { type Clock, dayBegins } from '../../../engine/clock.ts'
import type { Random } from '../../../engine/random.ts'
import { SUBSCRIPTION_PAYMENT_MODES } from '../../../interface/fields.ts'
import type { Amend, Collect, MandateAnswer, Mandates, NoticeAnswer, Notify, Register } from '../acquirer.ts'
import type { BankRequest, Behaviour } from './bank-request.ts'
import type { OpenBooks } from './open-books.ts'
import type { SandboxBank } from './sandbox-bank.ts'
import {
  answerOf,
  approvalKey,
  failureIn,
  mandateAnswer,
  mandateReferenceOf,
  noticeAnswer,
  noticeKeyOf,
  readMandateReference,
} from './sandbox-mandate-answer.ts'
import { dueAfterMs, FAILURE_OF, type OwnMembers, requestOf, unknownAfterFault, withRefunds } from './sandbox-request.ts'

const DAY_MS = 24 * 60 * 60_000
const ACCEPTED_AFTER_MS = { E: DAY_MS, paper: 5 * DAY_MS } // docs/sandbox.md: how long a bank takes to accept a mandate
const REFUSED_ACCOUNTS = /0002$/ // docs/sandbox.md

export interface SandboxMandateParts {
  bank: SandboxBank
  clock: Clock
  fresh: Random
  /** The bank's page for the payer, at its address from outside. */
  pageUrl(): string
  /** The bank reports that something happened to a key. The receiver then queries the key. */
  onEvent(key: string): void
}

const APPROVAL_WAITS_MS = 366 * DAY_MS // Mohur's choice: after the debit's day, for as long as a yearly mandate's grace
const LATE_EDIT_MS = 7 * DAY_MS // Mohur's choice: how long a payer may approve new terms after their validity
const ON_PAGE_MS = 15 * 60_000 // Mohur's choice: how long the bank waits for a payer on its page
const UNDECIDED_MS = 90 * DAY_MS // Mohur's choice: for a registration without a decision, longer than Mohur queries it
/** The payer's actions on a mandate (docs/sandbox.md). */
export const PAYER_ACTIONS = ['approve', 'decline', 'revoke', 'pause', 'resume', 'skip'] as const
export type PayerAction = (typeof PAYER_ACTIONS)[number]
type Changes = Readonly<Record<'revoke' | 'pause' | 'resume', (failure: BankRequest['failure']) => BankRequest['failure']>>
/** The failure of a mandate after each change. A payer's pause outranks the merchant's, and a merchant lifts only their own. */
const BY_PAYER: Changes = { revoke: () => 'mandateRevoked', pause: () => 'mandatePaused', resume: () => null }
const BY_MERCHANT: Changes = {
  revoke: BY_PAYER.revoke,
  pause: (failure) => failure ?? 'mandateHeld',
  resume: (failure) => (failure === 'mandateHeld' ? null : failure),
}

interface Named {
  mid: string
  subscriptionId: string
}

/** `mid:subscriptionId:…`: the first two parts of every key about a mandate. */
const subjectOf = (key: string) => {
  const [mid = '', subscriptionId = ''] = key.split(':')
  return { mid, subscriptionId }
}

export class SandboxMandates implements Mandates {
  readonly #parts: SandboxMandateParts

  constructor(parts: SandboxMandateParts) {
    this.#parts = parts
  }

  async modes() {
    return SUBSCRIPTION_PAYMENT_MODES
  }

  notify({ key, mandateReference, amountPaise, debitDate, authenticationNeeded }: Notify): Promise<NoticeAnswer> {
    const mandate = readMandateReference(mandateReference)
    return this.#call<NoticeAnswer>(key, [mandate.key, approvalKey(key)], 'notify', (books, now, next) => {
      const before = books.request(key)
      if (before) return noticeAnswer(before, books.request(approvalKey(key)))
      const scripted = next()
      if (scripted === 'timeout') return UNKNOWN
      const agreed = books.request(mandate.key)
      const isTooMuch = agreed !== undefined && amountPaise > agreed.amount_paise
      const failure =
        scripted === 'optedOut' ? 'optedOut' : (failureOf(agreed) ?? (isTooMuch ? 'declined' : (FAILURE_OF[scripted ?? 'success'] ?? null)))
      const request = this.#request(key, 'notify', amountPaise, failure, scripted, now)
      books.take(request)
      if (authenticationNeeded && failure === null) {
        const asked = this.#request(approvalKey(key), 'approve', amountPaise, null, 'pending', now)
        books.take({ ...asked, due_at: dayBegins(debitDate) + APPROVAL_WAITS_MS })
      }
      return scripted === 'lost' ? UNKNOWN : noticeAnswer(request, books.request(approvalKey(key)))
    })
  }

  noticeStatus(key: string): Promise<NoticeAnswer> {
    return this.#call<NoticeAnswer>(key, [approvalKey(key)], undefined, (books) => {
      const request = books.request(key)
      return request ? noticeAnswer(request, books.request(approvalKey(key))) : { outcome: 'absent' }
    })
  }

  async collect({ key, mandateReference, orderId, amountPaise, notifyKey, authenticated }: Collect): Promise<AcquirerAnswer> {
    const mandate = readMandateReference(mandateReference)
    const ofNotice = notifyKey === undefined ? [] : [notifyKey, approvalKey(notifyKey)]
    let [isKnown, isDuplicate] = [false, false]
    const answer = await this.#call<AcquirerAnswer>(key, [mandate.key, ...ofNotice], 'collect', (books, now, next) => {
      const before = books.request(key)
      isKnown = before !== undefined
      if (before) return answerOf(before)
      const behaviour = next() ?? mandate.debits
      if (behaviour === 'timeout') return UNKNOWN
      const agreed = books.request(mandate.key)
      const notice = notifyKey === undefined ? undefined : books.request(notifyKey)
      // A notice that reached the payer before the maximum was lowered still covers its amount.
      const noticePaise = notice?.state === 'success' ? notice.amount_paise : 0
      const isTooMuch = agreed !== undefined && amountPaise > Math.max(agreed.amount_paise, noticePaise)
      const isSkipped = notice?.failure === 'optedOut'
      const approval = notifyKey === undefined ? undefined : books.request(approvalKey(notifyKey))
      const isNotApproved = approval !== undefined && (approval.state !== 'success' || !authenticated)
      const refusal = isTooMuch || isSkipped ? 'declined' : isNotApproved ? 'notAuthenticated' : (FAILURE_OF[behaviour] ?? null)
      const failure = agreed === undefined ? 'declined' : (failureOf(agreed) ?? refusal)
      const wrong = behaviour === 'wrongAmount' ? 100 : 0
      const debit = { ...this.#request(key, 'collect', amountPaise + wrong, failure, behaviour, now), order_id: orderId }
      const request = agreed && isOnAccount(agreed) && debit.state !== 'pending' ? tomorrow(debit) : debit
      books.take(request)
      isDuplicate = behaviour === 'duplicate'
      return behaviour === 'lost' ? UNKNOWN : answerOf(request)
    })
    const { bank, clock, onEvent } = this.#parts
    if (isDuplicate) for (const _ of [1, 2]) onEvent(key)
    return isKnown ? withRefunds(bank, key, clock.now(), answer) : answer
  }

  async takesMany() {
    return true
  }

  /** The calls wait in one queue at the bank's books, which take many at a time. */
  collectMany(calls: readonly Collect[]): Promise<readonly AcquirerAnswer[]> {
    return Promise.all(calls.map((call) => this.collect(call)))
  }

  /**
   * A mandate on an account. The bank decides in a day, or in five days for paper. A script can let the payer decide first, on the bank's
   * page.
   */
  register(call: Register): Promise<AcquirerAnswer> {
    const isRefused = REFUSED_ACCOUNTS.test(call.account['account_number'] ?? call.account['accountNumber'] ?? '')
    return this.#call<AcquirerAnswer>(call.key, [], 'mandate', (books, now, next) => {
      const before = books.request(call.key)
      if (before) return this.#registration(before)
      const behaviour = next()
      if (behaviour === 'timeout') return UNKNOWN
      const wait =
        behaviour === 'page' ? ON_PAGE_MS : behaviour === 'pending' ? UNDECIDED_MS : ACCEPTED_AFTER_MS[call.isPaper ? 'paper' : 'E']
      const request: BankRequest = {
        ...this.#request(call.key, 'mandate', call.maxAmountPaise, FAILURE_OF[behaviour ?? 'success'] ?? null, 'slow', now),
        ...(behaviour === 'page' && { asks: 'bankForm' as const }),
        return_url: call.returnUrl,
        card_token: mandateReferenceOf('success', call.key),
        due_at: now + wait,
        due: isRefused || behaviour === 'page' || behaviour === 'pending' ? 'timedOut' : 'success',
      }
      books.take(request)
      return behaviour === 'lost' ? UNKNOWN : this.#registration(request)
    })
  }

  #registration({ key, state, failure, asks, card_token }: BankRequest): AcquirerAnswer {
    if (state === 'failure') return { outcome: 'failure', failure: failureIn(failure) }
    const isOnPage = state === 'pending' && asks === 'bankForm'
    const next = isOnPage && { kind: 'bankForm' as const, actionUrl: this.#parts.pageUrl(), content: { key } }
    return { outcome: 'pending', mandateReference: card_token!, ...(next && { next }) }
  }

  status(key: string): Promise<MandateAnswer> {
    return this.#call<MandateAnswer>(key, [], undefined, (books) => {
      const request = books.request(key)
      return request ? mandateAnswer(request) : { outcome: 'absent' }
    })
  }

  revoke(key: string, mandateReference: string) {
    return this.#change('revoke', key, mandateReference)
  }
  pause(key: string, mandateReference: string) {
    return this.#change('pause', key, mandateReference)
  }
  resume(key: string, mandateReference: string) {
    return this.#change('resume', key, mandateReference)
  }

  /** The bank asks the payer in their app. The request waits for the payer's answer until a week after `validUntil`. */
  amend({ key, mandateReference, maxAmountPaise, validUntil }: Amend): Promise<MandateAnswer> {
    const mandate = readMandateReference(mandateReference)
    return this.#call<MandateAnswer>(key, [mandate.key], 'mandate', (books, now, next) => {
      const [before, agreed] = [books.request(key), books.request(mandate.key)]
      if (before) return mandateAnswer(before)
      if (!agreed) return { outcome: 'absent' }
      const scripted = next()
      if (scripted === 'timeout') return UNKNOWN
      const failure = FAILURE_OF[scripted ?? 'pending'] ?? null
      const request: BankRequest = {
        ...this.#request(key, 'amend', maxAmountPaise ?? agreed.amount_paise, failure, scripted === 'success' ? undefined : 'pending', now),
        card_token: mandateReference,
        due_at: validUntil + LATE_EDIT_MS,
        due: 'timedOut',
      }
      books.take(request)
      if (request.state === 'success') books.change({ ...agreed, amount_paise: request.amount_paise })
      return scripted === 'lost' ? UNKNOWN : mandateAnswer(request)
    })
  }

  /** The payer acts in their app or at their bank. Undefined when there is nothing to act on. */
  async payerActs({ mid, subscriptionId }: Named, action: PayerAction): Promise<string | undefined> {
    const { bank, fresh } = this.#parts
    const mandateKey = await bank.mandateOf(mid, subscriptionId)
    if (mandateKey === undefined) return undefined
    if (action === 'skip') return this.#skip(await bank.noticeOf(mid, subscriptionId))
    if (action === 'approve' || action === 'decline') return this.#decide(mandateKey, { mid, subscriptionId }, action)
    const key = `${mid}:${subscriptionId}:payer:${fresh.hex(4)}`
    const answer = await this.#change(action, key, mandateReferenceOf('success', mandateKey), BY_PAYER)
    return answer.outcome === 'absent' || answer.outcome === 'unknown' ? undefined : mandateKey
  }

  async #skip(key: string | undefined): Promise<string | undefined> {
    if (key === undefined) return undefined
    return this.#acts(key, [], (books) => {
      const notice = books.request(key)
      if (notice?.state === 'success') books.change({ ...notice, state: 'failure', failure: 'optedOut' })
      return key
    })
  }

  /**
   * Decides the payer's last open request: a registration, new terms or a debit. The payer may still approve a debit that they
   * declined.
   */
  async #decide(mandateKey: string, of: Named, action: 'approve' | 'decline'): Promise<string | undefined> {
    const { bank } = this.#parts
    const notice = await bank.noticeOf(of.mid, of.subscriptionId)
    const key = (await bank.waitingOf(of.mid, of.subscriptionId)) ?? (notice && approvalKey(notice))
    if (key === undefined) return undefined
    return this.#acts(key, [mandateKey], (books, now) => {
      const [waiting, agreed] = [books.request(key), books.request(mandateKey)]
      if (waiting?.kind === 'approve' && waiting.failure === 'cancelled' && action === 'approve') {
        books.reconsider(waiting, now)
        return notice
      }
      if (waiting?.state !== 'pending') return undefined
      books.end(waiting, action === 'approve' ? { state: 'success' } : { state: 'failure', failure: 'cancelled' }, now)
      if (waiting.kind === 'amend' && action === 'approve' && agreed) books.change({ ...agreed, amount_paise: waiting.amount_paise })
      return noticeKeyOf(key)
    })
  }

  #acts(key: string, others: readonly string[], run: (books: OpenBooks, now: number) => string | undefined): Promise<string | undefined> {
    const now = this.#parts.clock.now()
    return this.#parts.bank.call({ keys: [key, ...others], now, run: (books) => run(books, now) })
  }

  #change(kind: keyof Changes, key: string, mandateReference: string, changes = BY_MERCHANT): Promise<MandateAnswer> {
    const mandate = readMandateReference(mandateReference)
    return this.#call<MandateAnswer>(key, [mandate.key], changes === BY_MERCHANT ? 'mandate' : undefined, (books, now, next) => {
      const before = books.request(mandate.key)
      if (!before) return { outcome: 'absent' }
      const scripted = next()
      if (scripted === 'timeout') return UNKNOWN
      if (!books.request(key)) {
        books.take({ ...this.#request(key, kind, before.amount_paise, null, undefined, now), card_token: mandateReference })
        // A mandate that is revoked before any decision needs no decision any more.
        if (kind === 'revoke' && before.state === 'pending') books.end(before, { state: 'failure', failure: 'mandateRevoked' }, now)
        else if (before.failure !== 'mandateRevoked') books.change({ ...before, failure: changes[kind](before.failure) })
      }
      if (scripted === 'lost') return UNKNOWN
      return mandateAnswer(books.request(mandate.key)!)
    })
  }

  /**
   * The mandate that the payer consents to with a payment. The mandate exists from then on, even if the payment fails. The bank reports it
   * only with the payment's success.
   */
  consented(books: OpenBooks, terms: { key: string; maxAmountPaise: number }, debits: Behaviour, now: number): string {
    const reference = mandateReferenceOf(debits, terms.key)
    const request = this.#request(terms.key, 'mandate', terms.maxAmountPaise, null, undefined, now)
    if (!books.request(terms.key)) books.take({ ...request, card_token: reference })
    return reference
  }

  async #call<A extends object>(
    key: string,
    others: readonly string[],
    scripted: string | undefined,
    run: (books: OpenBooks, now: number, next: () => Behaviour | undefined) => A,
  ): Promise<A | { outcome: 'unknown' }> {
    const { bank, clock } = this.#parts
    const { mid, subscriptionId } = subjectOf(key)
    const scriptOf = { mid, orderId: `${subscriptionId}:${scripted}` }
    const now = clock.now()
    const next = (books: OpenBooks) => () => (scripted === undefined ? undefined : books.nextOf(scriptOf))
    return bank
      .call({ keys: [key, ...others], ...(scripted && { scriptOf }), now, run: (books) => run(books, now, next(books)) })
      .catch(unknownAfterFault)
  }

  #request(
    key: string,
    kind: BankRequest['kind'],
    amountPaise: number,
    failure: BankRequest['failure'],
    behaviour: Behaviour | undefined,
    now: number,
  ): BankRequest {
    const waits = failure === null && (behaviour === 'pending' || behaviour === 'slow' || behaviour === 'late')
    const { mid, subscriptionId } = subjectOf(key)
    const said: OwnMembers = {
      key,
      kind,
      mid,
      order_id: subscriptionId,
      failure,
      amount_paise: amountPaise,
      asks: waits ? 'time' : 'nothing',
      due_at: now + dueAfterMs(behaviour, DAY_MS),
      due: behaviour === 'pending' ? 'timedOut' : 'success',
    }
    return requestOf(said, this.#parts.fresh, now)
  }
}

/** True for a mandate that was registered on an account. A mandate that came with a payment has `asks: 'nothing'`. */
const isOnAccount = ({ asks }: BankRequest) => asks !== 'nothing'
/** A clearing house gives any answer a day later. */
const tomorrow = (debit: BankRequest): BankRequest => ({
  ...debit,
  ...{ state: 'pending', asks: 'time', due: debit.state === 'success' ? 'success' : 'timedOut', due_at: debit.at + DAY_MS },
})

const failureOf = (mandate: BankRequest | undefined) => (mandate?.failure ? failureIn(mandate.failure) : null)
