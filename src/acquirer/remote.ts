// The acquirer behind the contract of docs/acquirer.md: a processor's adapter, asked by signed JSON over HTTPS. An answer that
// is late, broken, unsigned or not understood is `unknown`; what the adapter really did is found by asking again.

import type { Clock } from '../engine/clock.ts'
import type { Fresh } from '../engine/fresh.ts'
import type { Acquirer, Authorize, RefundCall } from './acquirer.ts'
import { type Reading, type Received, type RemoteAnswer, readAnswer } from './remote-answer.ts'
import { type Call, callId, signatureHeaders } from './signature.ts'

/** From the first byte to the last; docs/acquirer.md. The rest of the task's lease (30 s) is for taking the answer over. */
export const TOTAL_MS = 20_000
export const ANSWER_BYTES_MAX = 64 * 1024 // docs/acquirer.md
const ID_BYTES = 16

export interface RemoteParts {
  url: string
  secret: string
  clock: Pick<Clock, 'realNow'>
  fresh: Pick<Fresh, 'hex'>
  /** For the operator's log: which call of which key was not answered, and why. Never what it held. */
  doubted(call: Call, key: string, why: string): void
  totalMs?: number
}

export class RemoteAcquirer implements Acquirer {
  readonly name = 'remote'
  readonly #parts: RemoteParts
  readonly #stopping = new AbortController()

  constructor(parts: RemoteParts) {
    this.#parts = parts
  }

  authorize(call: Authorize) {
    const { key, mid, merchantName, orderId, amountPaise, means, emi, keepCard, directOtp, returnUrl } = call
    return this.#ask('authorize', key, { mid, merchantName, orderId, amountPaise, means, emi, keepCard, directOtp, returnUrl })
  }

  status(key: string) {
    return this.#ask('status', key, {})
  }

  refund({ key, authorizeKey, mid, orderId, amountPaise }: RefundCall) {
    return this.#ask('refund', key, { authorizeKey, mid, orderId, amountPaise })
  }

  async otp(key: string, action: Parameters<Acquirer['otp']>[1]): ReturnType<Acquirer['otp']> {
    const reading = await this.#read('otp', key, { action: action.type, ...(action.type === 'submit' && { otp: action.otp }) })
    return 'answer' in reading ? reading.answer : { outcome: 'unknown' }
  }

  /** What is under way is broken off: it is unknown now, and asked about after the next start. */
  async close() {
    this.#stopping.abort()
  }

  async #ask(call: Exclude<Call, 'otp'>, key: string, more: object): Promise<Exclude<RemoteAnswer, { outcome: 'wrongOtp' }>> {
    const reading = await this.#read(call, key, more)
    return 'answer' in reading && reading.answer.outcome !== 'wrongOtp' ? reading.answer : { outcome: 'unknown' }
  }

  async #read(call: Call, key: string, more: object): Promise<Reading> {
    const { url, secret, clock, fresh, doubted, totalMs = TOTAL_MS } = this.#parts
    const id = callId(call, fresh.hex(ID_BYTES))
    const text = JSON.stringify({ key, ...more })
    const headers = signatureHeaders(secret, id, clock.realNow(), text)
    const received = await post(`${url}/${call}`, headers, text, AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(totalMs)]))
    const reading = 'doubt' in received ? received : readAnswer(call, id, key, received, secret, clock.realNow())
    if ('doubt' in reading) doubted(call, key, reading.doubt)
    return reading
  }
}

/** One POST; never rejects. An error's own text may hold what was sent, so of it only the code is told. */
export async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  text: string,
  signal: AbortSignal,
): Promise<Received | { doubt: string }> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      // The signature covers bytes as they are sent, so nothing may be packed.
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json', 'accept-encoding': 'identity' },
      body: text,
      redirect: 'manual', // a card goes nowhere that the operator did not name
      signal,
    })
    const bytes = await readBytes(response)
    if (!bytes) return { doubt: `the answer is longer than ${ANSWER_BYTES_MAX} bytes` }
    const header = (name: string) => response.headers.get(name) ?? undefined
    return {
      httpStatus: response.status,
      contentType: header('content-type'),
      id: header('webhook-id'),
      timestamp: header('webhook-timestamp'),
      signature: header('webhook-signature'),
      bytes,
    }
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: unknown }
    if (signal.aborted)
      return { doubt: (signal.reason as Error)?.name === 'TimeoutError' ? 'there was no answer in time' : 'the process stops' }
    return { doubt: `the connection failed${typeof code === 'string' ? ` (${code})` : ''}` }
  }
}

/** Undefined when there are too many; the rest is then not waited for. */
async function readBytes(response: Response): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of response.body ?? []) {
    length += part.length
    if (length > ANSWER_BYTES_MAX) return undefined // leaving the loop cancels the stream
    parts.push(part)
  }
  return Buffer.concat(parts)
}
