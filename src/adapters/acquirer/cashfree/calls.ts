// One call to Cashfree's API over HTTPS. An answer that is incomplete, or no JSON, is a doubt: one line for the operator, never with
// the answer's content.

import type { Clock } from '../../../engine/clock.ts'
import type { JsonObject } from '../../../interface/envelope.ts'
import { AdapterConnections, type Sending } from '../remote/connections.ts'
import { jsonOf } from './entities.ts'

export const HOSTS = { sandbox: 'https://sandbox.cashfree.com/pg', production: 'https://api.cashfree.com/pg' } as const
const API_VERSION = '2025-01-01'
const TOO_MANY = 429
const RATE_WAIT_MAX_MS = 60_000 // Cashfree's limits are per minute
const RATE_WAIT_MIN_MS = 1_000 // Mohur's choice: a header that asks for no wait leads to no storm of calls
const MS = 1_000

export type CallName = 'authorize' | 'status' | 'refund' | 'cancel'

export interface CashfreeCallParts {
  /** Without a slash at its end. */
  url: string
  clientId: string
  clientSecret: string
  clock: Pick<Clock, 'realNow' | 'elapsed'>
  /** Reports an answer that was not understood. `why` never contains a value of the answer. */
  doubted(call: CallName, key: string, why: string): void
}

/** One call and its deadline. `key` stands in the operator's log. */
export interface CashfreeQuestion {
  call: CallName
  key: string
  /** By `elapsed`, in milliseconds. */
  until: number
}

export type CashfreeReply = { status: number; json: JsonObject | undefined; rateLimitRetry?: string | undefined } | undefined

/** Cashfree takes no more calls of one kind for this long. It has not executed this call. */
export class TooManyCalls extends Error {
  override readonly name = 'TooManyCalls'
  readonly waitMs: number
  constructor(waitMs: number) {
    super(`no call of this kind for ${waitMs} ms`)
    this.waitMs = waitMs
  }
}

export class CashfreeCalls {
  readonly #parts: CashfreeCallParts
  readonly #connections: AdapterConnections
  /** The earliest time of the next call of each kind, by `elapsed`. Cashfree limits each kind by itself. */
  readonly #opensAt = new Map<string, number>()

  constructor(parts: CashfreeCallParts) {
    this.#parts = parts
    this.#connections = new AdapterConnections(parts.url, parts.clock)
  }

  elapsed = () => this.#parts.clock.elapsed()
  realNow = () => this.#parts.clock.realNow()

  /** Undefined when no answer could be read. The caller's answer is then `unknown`. Throws `TooManyCalls`. */
  get(asking: CashfreeQuestion, path: string, isList = false): Promise<CashfreeReply> {
    return this.#limited(asking, `GET ${kindOf(path)}`, () => this.#send(asking, path, '', { mayRepeat: true, method: 'GET' }, isList))
  }

  /** For a call that no payer waits for. Throws `TooManyCalls`. */
  postLimited(asking: CashfreeQuestion, path: string, body: object): Promise<CashfreeReply> {
    return this.#limited(asking, `POST ${kindOf(path)}`, () => this.post(asking, path, body))
  }

  /** Mohur never sends this call a second time. */
  post(asking: CashfreeQuestion, path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<CashfreeReply> {
    return this.#send(asking, path, JSON.stringify(body), { mayRepeat: false }, false, headers)
  }

  patch(asking: CashfreeQuestion, path: string, body: object): Promise<CashfreeReply> {
    return this.#send(asking, path, JSON.stringify(body), { mayRepeat: true, method: 'PATCH' }, false)
  }

  async #send(
    asking: CashfreeQuestion,
    path: string,
    text: string,
    sending: Omit<Sending, 'withinMs'>,
    isList: boolean,
    more: Readonly<Record<string, string>> = {},
  ): Promise<CashfreeReply> {
    const withinMs = asking.until - this.elapsed()
    if (withinMs <= 0) return this.doubt(asking, 'there was no time left')
    const { clientId, clientSecret } = this.#parts
    const headers = { 'x-api-version': API_VERSION, 'x-client-id': clientId, 'x-client-secret': clientSecret, ...more }
    const received = await this.#connections.post(path, headers, text, { ...sending, withinMs })
    if ('doubt' in received) return this.doubt(asking, received.doubt)
    const { httpStatus: status, contentType = '', bytes, rateLimitRetry } = received
    const json = /^application\/json\s*(;|$)/i.test(contentType) ? jsonOf(bytes, isList && status === 200) : undefined
    return { status, json, rateLimitRetry }
  }

  /** One line for many calls that meet the limit together. */
  async #limited(asking: CashfreeQuestion, kind: string, send: () => Promise<CashfreeReply>): Promise<CashfreeReply> {
    this.#assertOpen(kind)
    const reply = await send()
    if (reply?.status !== TOO_MANY) return reply
    this.#assertOpen(kind)
    this.doubt(asking, 'too many calls a minute; Cashfree asks to wait')
    this.#opensAt.set(kind, this.elapsed() + waitMsOf(reply.rateLimitRetry))
    throw new TooManyCalls(waitMsOf(reply.rateLimitRetry))
  }

  #assertOpen(kind: string) {
    const waitMs = (this.#opensAt.get(kind) ?? 0) - this.elapsed()
    if (waitMs > 0) throw new TooManyCalls(Math.ceil(waitMs))
  }

  doubt({ call, key }: CashfreeQuestion, why: string): undefined {
    this.#parts.doubted(call, key, why)
    return undefined
  }

  close() {
    this.#connections.close()
  }
}

/** The path without its ids, which are as long as a digest. */
const kindOf = (path: string) => path.replaceAll(/\/[\w-]{40,}/g, '/*')

function waitMsOf(seconds: string | undefined): number {
  const ms = /^[0-9]{1,9}$/.test(seconds ?? '') ? Number(seconds) * MS : RATE_WAIT_MAX_MS
  return Math.min(Math.max(ms, RATE_WAIT_MIN_MS), RATE_WAIT_MAX_MS)
}
