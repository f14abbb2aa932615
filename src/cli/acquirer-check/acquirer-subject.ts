// The adapter that `mohur acquirer check` checks. The adapter gets calls that the service makes, and calls that the service never makes.

import type { Means } from '../../adapters/acquirer/acquirer.ts'
import { AdapterConnections } from '../../adapters/acquirer/remote/connections.ts'
import {
  type MoneyCall,
  type Reading,
  type ReceivedAnswer,
  type RemoteAnswer,
  readAnswer,
} from '../../adapters/acquirer/remote/remote-answer.ts'
import { type ReadAnswer, TOTAL_MS } from '../../adapters/acquirer/remote/remote-call.ts'
import { type Capabilities, readCapabilities, readMany } from '../../adapters/acquirer/remote/remote-mandate-answer.ts'
import { type AdapterCall, callId, signatureHeaders } from '../../adapters/acquirer/remote/signature.ts'
import { DEFAULT_MCC } from '../../domain/merchant/keys.ts'
import { dateInIndia, SystemClock } from '../../engine/clock.ts'
import { SystemRandom } from '../../engine/random.ts'

export const AMOUNT_PAISE = 1_005 // Rs 10.05 for every payment of the check, so an adapter that rounds is found
const ENDS_WITHIN_MS = 30_000 // Mohur's choice: a test means pays without a person, so a slower adapter cannot be checked
const ASKED_FIRST_AFTER_MS = 50
const ASKED_EVERY_MAX_MS = 4_000 // Mohur's choice: processors limit status inquiries

/** The adapter breaks the contract. The message says how, and quotes only outcomes and statuses from the adapter's answers. */
export class Broken extends Error {
  override readonly name = 'Broken'
}
export function expect(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Broken(otherwise)
}

interface SubjectParts {
  url: string
  secret: string
  mid: string
  /** The longest time that a test means may take to end a payment. */
  endsWithinMs?: number
  /** A fault about the key that only a person can settle. Undefined while the check knows of none. */
  conflictOf?(key: string): string | undefined
}

/** Requires two answers about one key to be equal. Only for a key whose payment, refund or debit has ended. */
export function same(again: object, first: object) {
  const answerText = (answer: object) => {
    const { outcome, reference, amountPaise } = answer as Record<string, unknown>
    return JSON.stringify([outcome, reference, amountPaise])
  }
  expect(answerText(again) === answerText(first), 'two answers differ in outcome, reference or amount')
}

/** The faults that a check makes in a call on purpose. */
export interface Wrong {
  secret?: string
  /** The call that the signature is for. The bytes go to another call. */
  signedFor?: AdapterCall
  agoMs?: number
  /** Sent instead of the signed text. */
  sent?: string
  headers?: 'none'
  lostAfterMs?: number
  /** The id of an earlier call, to send it again. */
  again?: string
}

/** `key` begins every key of the mandate: merchant and subscription. */
export interface Agreed {
  key: string
  mandateReference: string
}
const DAY_MS = 24 * 60 * 60_000
const MANDATE_DAYS = 365

/** Returns the answer. The message of a doubt names the call, so the adapter's author finds their code by it. */
function answerOf<A>(call: AdapterCall, reading: { answer: A } | { doubt: string }): A {
  if ('doubt' in reading) throw new Broken(`${call}: ${reading.doubt} (docs/acquirer.md, "Answers")`)
  return reading.answer
}

export class Subject {
  readonly #connections: AdapterConnections
  readonly #secret: string
  readonly #mid: string
  readonly #endsWithinMs: number
  readonly #conflictOf: (key: string) => string | undefined
  readonly #clock = new SystemClock()
  readonly #fresh = new SystemRandom()

  constructor({ url, secret, mid, endsWithinMs = ENDS_WITHIN_MS, conflictOf = () => undefined }: SubjectParts) {
    this.#connections = new AdapterConnections(url, this.#clock)
    this.#secret = secret
    this.#mid = mid
    this.#endsWithinMs = endsWithinMs
    this.#conflictOf = conflictOf
  }

  newKey = () => `${this.#mid}:check${this.#fresh.hex(8)}`

  payment(means: Means, key = this.newKey()) {
    return {
      key,
      mid: this.#mid,
      merchantName: 'Contract check',
      mcc: DEFAULT_MCC,
      orderId: key.slice(key.indexOf(':') + 1),
      amountPaise: AMOUNT_PAISE,
      means,
      keepCard: false,
      directOtp: false,
      returnUrl: 'https://merchant.example/return',
    }
  }

  refundOf(payment: { key: string; orderId: string }, amountPaise: number) {
    return { key: `${this.newKey()}R`, authorizeKey: payment.key, mid: this.#mid, orderId: payment.orderId, amountPaise }
  }

  /** One call and the adapter's answer, right or wrong. */
  async send(
    call: AdapterCall,
    body: object | string,
    wrong: Wrong = {},
  ): Promise<{ received: ReceivedAnswer | { doubt: string }; id: string }> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const id = wrong.again ?? callId(wrong.signedFor ?? call, this.#fresh.hex(16))
    const at = this.#clock.realNow() - (wrong.agoMs ?? 0)
    const headers = wrong.headers === 'none' ? {} : signatureHeaders(wrong.secret ?? this.#secret, id, at, text)
    const sending = { withinMs: wrong.lostAfterMs ?? TOTAL_MS, mayRepeat: false }
    return { id, received: await this.#connections.post(call, headers, wrong.sent ?? text, sending) }
  }

  /** The answer to a correct call. An answer that the service would not understand breaks the contract. */
  async answer(call: MoneyCall, body: { key: string } & Record<string, unknown>): Promise<RemoteAnswer> {
    return this.#read(call, body, await this.send(call, body))
  }

  /** The answers to one call that arrives `times` times. */
  async answers(times: number, call: MoneyCall, body: { key: string } & Record<string, unknown>): Promise<RemoteAnswer[]> {
    const first = await this.send(call, body)
    const answers = [this.#read(call, body, first)]
    while (answers.length < times) answers.push(this.#read(call, body, await this.send(call, body, { again: first.id })))
    return answers
  }

  #read(
    call: MoneyCall,
    body: { key: string },
    { received, id }: { received: ReceivedAnswer | { doubt: string }; id: string },
  ): RemoteAnswer {
    if ('doubt' in received) return answerOf(call, received)
    return answerOf(call, readAnswer({ call, id, key: body.key }, received, this.#secret, this.#clock.realNow()))
  }

  /** Only for an adapter that has the call. */
  cancel = (key: string) => this.answer('cancel', { key })

  async cancels(): Promise<boolean> {
    const { received } = await this.send('cancel', { key: this.newKey() })
    return 'doubt' in received || received.httpStatus !== 404
  }

  /** `authorizeKey` names the payment of a refund, as in the service's own call. */
  status = (key: string, authorizeKey?: string) => this.answer('status', { key, authorizeKey })

  /** Like `answer`, but asks for the status until the payment, refund or debit has ended. */
  async over(call: 'authorize' | 'refund' | 'collect', body: { key: string } & Record<string, unknown>): Promise<RemoteAnswer> {
    const { authorizeKey } = body as { authorizeKey?: string }
    return this.untilOver(body.key, await this.answer(call, body), authorizeKey)
  }

  async untilOver(key: string, given: RemoteAnswer, authorizeKey?: string): Promise<RemoteAnswer> {
    const until = this.#clock.elapsed() + this.#endsWithinMs
    let [answer, waitMs] = [given, ASKED_FIRST_AFTER_MS]
    for (;;) {
      const conflict = this.#conflictOf(key)
      expect(conflict === undefined, conflict!)
      if (answer.outcome !== 'pending' && answer.outcome !== 'unknown') return answer
      expect(this.#clock.elapsed() < until, `still ${answer.outcome} after ${this.#endsWithinMs / 1_000} seconds`)
      await this.#clock.sleep(waitMs)
      waitMs = Math.min(waitMs * 2, ASKED_EVERY_MAX_MS)
      answer = await this.status(key, authorizeKey)
    }
  }

  /** The adapter must answer a wrong call with one of these statuses. */
  async refuses(statuses: readonly number[], call: AdapterCall, body: object | string, wrong: Wrong = {}) {
    const { received } = await this.send(call, body, wrong)
    if ('doubt' in received) return void answerOf(call, received)
    expect(statuses.includes(received.httpStatus), `HTTP ${received.httpStatus}, not ${statuses.join(' or ')}`)
  }

  /** Returns no modes when the adapter has nothing at that address. */
  async capabilities(): Promise<Capabilities> {
    const id = callId('capabilities', this.#fresh.hex(16))
    const realNow = this.#clock.realNow()
    const sending = { withinMs: TOTAL_MS, mayRepeat: true, method: 'GET' as const }
    const received = await this.#connections.post('capabilities', signatureHeaders(this.#secret, id, realNow, ''), '', sending)
    if ('doubt' in received) return answerOf('capabilities', received)
    return answerOf('capabilities', readCapabilities({ call: 'capabilities', id, key: '' }, received, this.#secret, this.#clock.realNow()))
  }

  /** A call about a notice or a mandate. */
  async says<A>(call: AdapterCall, body: { key: string } & Record<string, unknown>, read: ReadAnswer<A>): Promise<A> {
    const { received, id } = await this.send(call, body)
    if ('doubt' in received) return answerOf(call, received)
    return answerOf(call, read({ call, id, key: body.key }, received, this.#secret, this.#clock.realNow()))
  }

  async collectMany(calls: readonly { key: string }[]): Promise<ReadonlyMap<string, Reading>> {
    const keys = calls.map(({ key }) => key)
    const { received, id } = await this.send('collectMany', { calls })
    if ('doubt' in received) return answerOf('collectMany', received)
    return answerOf('collectMany', readMany(keys, { call: 'collectMany', id, key: '' }, received, this.#secret, this.#clock.realNow()))
  }

  /** A mandate that the payer agreed to with a payment of the check. */
  async agrees(means: Means): Promise<Agreed> {
    const subscriptionId = `check${this.#fresh.hex(8)}`
    const key = `${this.#mid}:${subscriptionId}`
    const mandate = {
      ...{ key: `${key}:mandate`, amountType: 'FIX', maxAmountPaise: AMOUNT_PAISE, frequencyUnit: 'MONTH', frequency: 1 },
      ...{ startDate: this.#day(0), expiryDate: this.#day(MANDATE_DAYS) },
    }
    const { answer } = await this.pays(means, { mandate })
    const mandateReference = answer.outcome === 'success' ? answer.mandateReference : undefined
    if (mandateReference === undefined) throw new Broken('there is no mandateReference')
    return { key, mandateReference }
  }

  notice({ key, mandateReference }: Agreed, authenticationNeeded = false) {
    return {
      key: `${key}:${this.#cycle()}:notify:1`,
      mandateReference,
      amountPaise: AMOUNT_PAISE,
      debitDate: this.#day(1),
      reason: 'check',
      authenticationNeeded,
    }
  }

  debit({ key, mandateReference }: Agreed, attempt: number, notifyKey: string) {
    return {
      ...{ key: `${key}:${this.#cycle()}:${attempt}`, mandateReference, mid: this.#mid, orderId: `A${this.#fresh.hex(8)}` },
      ...{ amountPaise: AMOUNT_PAISE, notifyKey, attempt, authenticated: false },
    }
  }

  #day = (after: number) => dateInIndia(this.#clock.realNow() + after * DAY_MS)
  #cycle = () => this.#day(1).replaceAll('-', '')

  async pays(means: Means, more: object = {}) {
    const payment = { ...this.payment(means), ...more }
    const answer = await this.over('authorize', payment)
    expect(answer.outcome === 'success', `the means of --paid ended as ${answer.outcome}`)
    return { payment, answer }
  }
}
