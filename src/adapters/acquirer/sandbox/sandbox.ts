// The sandbox's acquirer: test instruments and scripts decide what the bank does and what it answers (docs/sandbox.md). The two may differ:
// the journal has what the bank really did.

import { type AcquirerAnswer, UNKNOWN } from '../../../domain/transaction/acquirer-answer.ts'
import type { Clock } from '../../../engine/clock.ts'
import type { Random } from '../../../engine/random.ts'
import { toRupees } from '../../../interface/money.ts'
import type { Acquirer, Authorize, CancelAnswer, Means, RefundCall } from '../acquirer.ts'
import type { BankRequest, Behaviour } from './bank-request.ts'
import type { OpenBooks, RequestEnd } from './open-books.ts'
import type { SandboxBank } from './sandbox-bank.ts'
import { failureIn, isMandateReference } from './sandbox-mandate-answer.ts'
import { SandboxMandates } from './sandbox-mandates.ts'
import { dueAfterMs, FAILURE_OF, LATE_MS, type OwnMembers, requestOf, unknownAfterFault, withRefunds } from './sandbox-request.ts'

const PAYER_WAITS_MS = 15 * 60_000 // Mohur's choice: how long the bank waits for a payer
export const SANDBOX_OTP = '123123' // docs/sandbox.md
const OTP_TRIES_MAX = 3

/** docs/sandbox.md: what a card number does. Any other well-formed number pays. */
const CARDS: Readonly<Record<string, Behaviour>> = {
  '4000000000000002': 'declined',
  '4000000000009995': 'insufficient',
  '4000000000003220': 'page',
  '4000000000003063': 'bankPage',
}
/** docs/sandbox.md: cards that consent, and fail later. */
const DEBITS_OF_CARDS: Readonly<Record<string, Behaviour>> = {
  '4000000000000341': 'insufficient',
  '4000000000000259': 'declined',
}

/**
 * Actions on a payment that waits for its payer (docs/sandbox.md). With `expire` the payer does nothing until the time is over. With `late`
 * the money arrives after Mohur has given the payment up. With `lost` the money is taken, and the bank does not report it.
 */
export const PAYMENT_ACTIONS = ['approve', 'decline', 'insufficient', 'expire', 'late', 'lost'] as const
export type PaymentAction = (typeof PAYMENT_ACTIONS)[number]
const END_OF: Readonly<Record<Exclude<PaymentAction, 'late'>, RequestEnd>> = {
  approve: { state: 'success' },
  decline: { state: 'failure', failure: 'cancelled' },
  insufficient: { state: 'failure', failure: 'insufficientFunds' },
  expire: { state: 'failure', failure: 'timedOut' },
  lost: { state: 'success' },
}

export interface SandboxAcquirerParts {
  bank: SandboxBank
  clock: Clock
  fresh: Random
  /** The address of this service. The bank's page lies under it. */
  publicUrl(): string
  /** The bank reports that something happened to a key. The receiver then queries the key. */
  onEvent(key: string): void
}

export class SandboxAcquirer implements Acquirer {
  readonly name = 'sandbox'
  readonly #parts: SandboxAcquirerParts
  readonly mandates: SandboxMandates

  constructor(parts: SandboxAcquirerParts) {
    this.#parts = parts
    this.mandates = new SandboxMandates({ ...parts, pageUrl: () => this.#pageUrl() })
  }

  async authorize(call: Authorize): Promise<AcquirerAnswer> {
    const { bank, clock, onEvent } = this.#parts
    const now = clock.now()
    const answering = bank.call({
      keys: [call.key, ...(call.mandate ? [call.mandate.key] : [])],
      scriptOf: call,
      now,
      run: (books): { answer: AcquirerAnswer; isKnown?: true; isDuplicate?: true } => {
        const before = books.request(call.key)
        if (before) return { answer: this.#answer(before), isKnown: true }
        const behaviour = books.nextOf(call) ?? behaviourOf(call)
        if (behaviour === 'timeout') return { answer: UNKNOWN }
        const agreed = call.mandate && this.mandates.consented(books, call.mandate, debitsOf(call.means), now)
        const request = { ...this.#request(call, behaviour, now), ...(agreed !== undefined && { card_token: agreed }) }
        books.take(request)
        const answer: AcquirerAnswer = behaviour === 'lost' ? UNKNOWN : this.#answer(request)
        return { answer, ...(behaviour === 'duplicate' && { isDuplicate: true }) }
      },
    })
    const answered = await answering.catch(unknownAfterFault)
    if (!('answer' in answered)) return answered
    if (answered.isDuplicate) for (const _ of [1, 2]) onEvent(call.key)
    return answered.isKnown ? withRefunds(bank, call.key, now, answered.answer) : answered.answer
  }

  async status(key: string): Promise<AcquirerAnswer> {
    const { bank, clock } = this.#parts
    const now = clock.now()
    const run = (books: OpenBooks): AcquirerAnswer => {
      const request = books.request(key)
      return request ? this.#answer(request) : { outcome: 'absent' }
    }
    return withRefunds(bank, key, now, await bank.call({ keys: [key], now, run }).catch(unknownAfterFault))
  }

  refund(call: RefundCall): Promise<AcquirerAnswer> {
    const { bank, clock, fresh } = this.#parts
    const now = clock.now()
    const run = (books: OpenBooks): AcquirerAnswer => {
      const before = books.request(call.key)
      if (before) return this.#answer(before)
      const behaviour = books.nextOf(call) ?? 'success'
      if (behaviour === 'timeout') return UNKNOWN
      const paid = books.request(call.authorizeKey)
      const fits = paid?.state === 'success' && call.amountPaise <= paid.amount_paise - books.refundedPaise(call.authorizeKey)
      const failure = fits ? FAILURE_OF[behaviour] : 'declined'
      const waits = behaviour === 'slow' || behaviour === 'pending' || behaviour === 'late'
      const said: OwnMembers = {
        key: call.key,
        kind: 'refund',
        mid: call.mid,
        order_id: call.orderId,
        failure: failure ?? null,
        amount_paise: call.amountPaise,
        authorize_key: call.authorizeKey,
        asks: waits ? 'time' : 'nothing',
        due_at: now + dueAfterMs(behaviour),
        due: 'success',
      }
      const request = requestOf(said, fresh, now)
      books.take(request)
      return behaviour === 'lost' ? UNKNOWN : this.#answer(request)
    }
    const { key, authorizeKey } = call
    return bank.call({ keys: [key, authorizeKey], refundsOf: authorizeKey, scriptOf: call, now, run }).catch(unknownAfterFault)
  }

  otp(key: string, action: Parameters<Acquirer['otp']>[1]): ReturnType<Acquirer['otp']> {
    const { bank, clock } = this.#parts
    const now = clock.now()
    const run = (books: OpenBooks): Awaited<ReturnType<Acquirer['otp']>> => {
      const request = books.request(key)
      if (!request) return { outcome: 'absent' }
      if (request.state !== 'pending' || request.asks !== 'otp' || action.type === 'resend') return this.#answer(request)
      if (action.type === 'submit' && action.otp !== SANDBOX_OTP && request.tries + 1 < OTP_TRIES_MAX) {
        books.wrongOtp(request)
        return { outcome: 'wrongOtp' }
      }
      const failure = action.type === 'cancel' ? 'cancelled' : action.otp === SANDBOX_OTP ? undefined : 'notAuthenticated'
      books.end(request, failure ? { state: 'failure', failure } : { state: 'success' }, now)
      return this.#answer(books.request(key)!)
    }
    return bank.call({ keys: [key], now, run }).catch(unknownAfterFault)
  }

  /** Cancels a payment that waits for its payer. A payment that waits only for time is on its way, and stands. */
  async cancel(key: string): Promise<CancelAnswer> {
    const { bank, clock } = this.#parts
    const now = clock.now()
    const find = () => bank.call({ keys: [key], now, run: (books) => books.request(key) })
    const run = (books: OpenBooks): CancelAnswer => {
      const request = books.request(key)
      if (!request) return { outcome: 'absent' }
      if (request.state !== 'pending') return this.#answer(request)
      const scripted = books.nextOf(cancelScript(request))
      if (scripted === 'timeout') return UNKNOWN
      if (request.asks === 'time' || scripted === 'declined') return this.#answer(request)
      if (scripted === 'late') {
        books.change({ ...request, asks: 'time', due: 'success', due_at: now + LATE_MS })
        return { outcome: 'failure', failure: 'cancelled', reference: request.reference }
      }
      books.end(request, scripted === 'success' ? { state: 'success' } : { state: 'failure', failure: 'cancelled' }, now)
      return scripted === 'lost' ? UNKNOWN : this.#answer(books.request(key)!)
    }
    try {
      const request = await find()
      return request ? await bank.call({ keys: [key], scriptOf: cancelScript(request), now, run }) : { outcome: 'absent' }
    } catch {
      return unknownAfterFault()
    }
  }

  /** The payer acts in their UPI app or on the bank's page. Undefined when nothing waits for the payer. */
  async payerActs(of: { key: string } | { mid: string; orderId: string }, action: PaymentAction): Promise<BankRequest | undefined> {
    const { bank, clock, onEvent } = this.#parts
    const key = 'key' in of ? of.key : await bank.waitingOf(of.mid, of.orderId)
    if (key === undefined) return undefined
    const now = clock.now()
    const run = (books: OpenBooks) => {
      const waiting = books.request(key)
      if (waiting?.state !== 'pending' || waiting.asks === 'time') return undefined
      if (action === 'late') books.change({ ...waiting, asks: 'time', due: 'success', due_at: now + LATE_MS })
      else books.end(waiting, END_OF[action], now)
      return waiting
    }
    const request = await bank.call({ keys: [key], now, run })
    if (request && action !== 'lost') onEvent(request.key)
    return request
  }

  close() {
    return this.#parts.bank.completed()
  }

  #pageUrl = () => `${this.#parts.publicUrl()}/sandbox/bank/page`

  #request(
    { key, mid, merchantName, mcc, orderId, amountPaise, means, keepCard, directOtp, returnUrl }: Authorize,
    behaviour: Behaviour,
    now: number,
  ): BankRequest {
    const { fresh } = this.#parts
    const said: OwnMembers = {
      key,
      kind: 'authorize',
      mid,
      order_id: orderId,
      failure: FAILURE_OF[behaviour] ?? null,
      amount_paise: behaviour === 'wrongAmount' ? amountPaise + 100 : amountPaise,
      asks: directOtp && behaviour === 'page' ? 'otp' : asksOf(behaviour, means),
      return_url: returnUrl,
      payee: merchantName,
      mcc,
      due_at: now + dueAfterMs(behaviour, PAYER_WAITS_MS),
      due: behaviour === 'late' || behaviour === 'slow' ? 'success' : 'timedOut',
    }
    const request = requestOf(said, fresh, now)
    const isKept = keepCard && (means.kind === 'card' || means.kind === 'savedCard')
    return isKept ? { ...request, card_token: `sbx_${behaviour}_${fresh.hex(8)}` } : request
  }

  #answer(request: BankRequest): AcquirerAnswer {
    const { key, state, failure, reference, amount_paise, asks, card_token } = request
    if (state === 'failure') return { outcome: 'failure', failure: failureIn(failure), reference }
    if (state === 'success') {
      const named = isMandateReference(card_token) ? { mandateReference: card_token } : card_token ? { cardToken: card_token } : {}
      return { outcome: 'success', reference, amountPaise: amount_paise, ...named }
    }
    switch (asks) {
      case 'bankForm':
        return {
          outcome: 'pending',
          next: { kind: 'bankForm', actionUrl: this.#pageUrl(), content: { key } },
        }
      case 'deepLink':
        return { outcome: 'pending', next: { kind: 'deepLink', deepLink: upiLink(request) } }
      case 'otp':
        return { outcome: 'pending', next: { kind: 'otp' } }
      case 'collect':
        return { outcome: 'pending', next: { kind: 'collect' } }
      default:
        return { outcome: 'pending' }
    }
  }
}

const PAYEE_LENGTH = 99 // UPI linking specification: `pn`

/** As UPI apps read it: `@` unencoded, and a space as `%20`. Some apps show a form's `%40` and `+` unchanged. */
function upiLink({ payee, mcc, reference, amount_paise, order_id }: BankRequest): string {
  const members = {
    pa: 'mohur@sandbox',
    pn: [...payee.toWellFormed()].slice(0, PAYEE_LENGTH).join(''),
    mc: mcc,
    tr: reference,
    am: toRupees(amount_paise),
    cu: 'INR',
    tn: order_id,
  }
  const written = Object.entries(members).map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%40', '@')}`)
  return `upi://pay?${written.join('&')}`
}

/** docs/sandbox.md: the calls of one kind may have their own script. */
const cancelScript = ({ mid, order_id }: BankRequest) => ({ mid, orderId: `${order_id}:cancel` })

function behaviourOf({ means }: Authorize): Behaviour {
  switch (means.kind) {
    case 'card':
      return CARDS[means.number] ?? 'success'
    case 'savedCard':
      return (means.token.split('_')[1] as Behaviour | undefined) ?? 'declined'
    case 'upiCollect':
      return ofVpa(means.vpa)
    case 'upiPush':
      return means.vpa === undefined ? 'pending' : ofVpa(means.vpa)
    case 'upiIntent':
      return 'pending'
    case 'netBanking':
      return 'page'
    case 'account':
    case 'postpaid':
      return 'success'
    default:
      return means satisfies never
  }
}

/** The behaviour of debits on a mandate that the payer consented to by this means. A UPI id names it after `debit-`. */
function debitsOf(means: Means): Behaviour {
  if (means.kind === 'card') return DEBITS_OF_CARDS[means.number] ?? 'success'
  const debits = means.kind === 'upiCollect' ? /^debit-([a-z]+)@/.exec(means.vpa)?.[1] : undefined
  return debits !== undefined && DEBITS_OF_VPA.includes(debits) ? (debits as Behaviour) : 'success'
}
const DEBITS_OF_VPA: readonly string[] = ['declined', 'insufficient', 'pending', 'lost', 'timeout', 'late']

const OF_VPA: readonly string[] = ['declined', 'insufficient', 'invalid', 'pending', 'slow', 'timeout', 'lost']
function ofVpa(vpa: string): Behaviour {
  const name = vpa.slice(0, vpa.indexOf('@'))
  return OF_VPA.includes(name) ? (name as Behaviour) : 'success'
}

function asksOf(behaviour: Behaviour, means: Means): BankRequest['asks'] {
  if (behaviour === 'slow' || behaviour === 'late') return 'time'
  if (behaviour === 'page' || behaviour === 'bankPage') return 'bankForm'
  if (behaviour === 'otp') return 'otp'
  if (behaviour !== 'pending') return 'nothing'
  return means.kind === 'upiIntent' || means.kind === 'upiPush' ? 'deepLink' : 'collect'
}
