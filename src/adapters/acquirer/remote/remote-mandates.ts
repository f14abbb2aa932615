// Mandates behind the contract of docs/acquirer.md. The adapter states its capabilities. Without a statement about mandates, no
// subscription is offered through it. A notice, or a change of a mandate, may arrive twice; a debit is sent once and then queried.

import { type AcquirerAnswer, UNKNOWN } from '../../../domain/transaction/acquirer-answer.ts'
import {
  type Amend,
  COLLECTS_AT_ONCE_MAX,
  type Collect,
  type MandateAnswer,
  type Mandates,
  type NoticeAnswer,
  type Notify,
  type Register,
} from '../acquirer.ts'
import { plain, readAnswer } from './remote-answer.ts'
import type { ReadAnswer, RemoteCalls } from './remote-call.ts'
import {
  ANSWERS_BYTES_MAX,
  type Capabilities,
  NO_CAPABILITIES,
  readCapabilities,
  readMandate,
  readMany,
  readNotice,
} from './remote-mandate-answer.ts'
import type { AdapterCall } from './signature.ts'

const HOUR_MS = 60 * 60_000 // docs/acquirer.md: how long the adapter's statement of its capabilities is valid
const ASKED_AGAIN_MS = 60_000 // Mohur's choice: after a 404, or no readable answer
const CAPABILITIES_WITHIN_MS = 5_000 // Mohur's choice: a payer who wants a subscription waits for the answer

export class RemoteMandates implements Mandates {
  readonly #calls: RemoteCalls
  /** The last signed answer of the adapter. */
  #signed: Capabilities | undefined
  /** `NO_CAPABILITIES` if the last answer was a 404. A proxy also sends a 404 while the adapter behind it is starting. */
  #unsigned: Capabilities | undefined
  /** The earliest time of the next query, by `elapsed`. */
  #stands = Number.NEGATIVE_INFINITY
  #asking: Promise<Capabilities | undefined> | undefined

  constructor(calls: RemoteCalls) {
    this.#calls = calls
  }

  async modes() {
    return (await this.#capabilities())?.modes
  }

  async takesMany() {
    return (await this.#capabilities())?.collectMany === true
  }

  register({ key, ...of }: Register): Promise<AcquirerAnswer> {
    return this.#money('register', key, of)
  }

  notify({ key, ...of }: Notify): Promise<NoticeAnswer> {
    return this.#say('notify', key, of, readNotice)
  }

  collect({ key, ...of }: Collect): Promise<AcquirerAnswer> {
    return this.#money('collect', key, of)
  }

  async collectMany(calls: readonly Collect[]): Promise<readonly AcquirerAnswer[]> {
    if (!(await this.takesMany()) || calls.length === 1 || calls.length > COLLECTS_AT_ONCE_MAX)
      return Promise.all(calls.map((call) => this.collect(call)))
    const keys = calls.map(({ key }) => key)
    const [key = ''] = keys
    const sending = { withinMs: this.#calls.totalMs, mayRepeat: false, answerBytesMax: ANSWERS_BYTES_MAX }
    const text = JSON.stringify({ calls })
    const { answer } = await this.#calls.ask({ call: 'collectMany', key, text }, sending, (...of) => readMany(keys, ...of))
    return keys.map((key) => {
      const read = answer?.get(key)
      if (read && 'doubt' in read) this.#calls.doubted('collectMany', key, read.doubt)
      return read && 'answer' in read ? plain(read.answer) : UNKNOWN
    })
  }

  amend({ key, ...of }: Amend): Promise<MandateAnswer> {
    return this.#say('amend', key, of, readMandate)
  }
  revoke(key: string, mandateReference: string): Promise<MandateAnswer> {
    return this.#say('revoke', key, { mandateReference }, readMandate)
  }
  pause(key: string, mandateReference: string): Promise<MandateAnswer> {
    return this.#say('pause', key, { mandateReference }, readMandate)
  }
  resume(key: string, mandateReference: string): Promise<MandateAnswer> {
    return this.#say('resume', key, { mandateReference }, readMandate)
  }
  status(key: string): Promise<MandateAnswer> {
    return this.#say('status', key, {}, readMandate)
  }
  noticeStatus(key: string): Promise<NoticeAnswer> {
    return this.#say('status', key, {}, readNotice)
  }

  /** Sent once. A later query by its key finds the result. */
  async #money(call: 'register' | 'collect', key: string, more: object): Promise<AcquirerAnswer> {
    const sending = { withinMs: this.#calls.totalMs, mayRepeat: false }
    const asked = { call, key, text: JSON.stringify({ key, ...more }) }
    const { answer } = await this.#calls.ask(asked, sending, (of, ...received) => readAnswer({ ...of, call }, ...received))
    return answer ? plain(answer) : UNKNOWN
  }

  async #say<A extends object>(call: AdapterCall, key: string, more: object, read: ReadAnswer<A>): Promise<A | { outcome: 'unknown' }> {
    const sending = { withinMs: this.#calls.totalMs, mayRepeat: true }
    return (await this.#calls.ask({ call, key, text: JSON.stringify({ key, ...more }) }, sending, read)).answer ?? UNKNOWN
  }

  /**
   * The last signed answer is valid until a newer one arrives. Undefined when the adapter has never answered: it may still have
   * capabilities.
   */
  async #capabilities(): Promise<Capabilities | undefined> {
    if (this.#calls.elapsed() >= this.#stands && !this.#asking) {
      this.#asking = this.#ask().finally(() => {
        this.#asking = undefined
      })
    }
    return this.#signed ?? this.#asking ?? this.#unsigned
  }

  async #ask(): Promise<Capabilities | undefined> {
    const sending = { withinMs: Math.min(CAPABILITIES_WITHIN_MS, this.#calls.totalMs), mayRepeat: true, method: 'GET' as const }
    const { answer } = await this.#calls.ask({ call: 'capabilities', key: '', text: '' }, sending, readCapabilities)
    const isSigned = answer !== undefined && answer !== NO_CAPABILITIES
    if (isSigned) this.#signed = answer
    this.#unsigned = isSigned ? undefined : answer
    this.#stands = this.#calls.elapsed() + (isSigned ? HOUR_MS : ASKED_AGAIN_MS)
    return this.#signed ?? this.#unsigned
  }
}
