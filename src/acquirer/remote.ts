// The acquirer behind the contract of docs/acquirer.md: a processor's adapter, asked by signed JSON over HTTPS. An answer that
// is late, broken, unsigned or not understood is `unknown`; what the adapter really did is found by asking again.

import type { Clock } from '../engine/clock.ts'
import type { Fresh } from '../engine/fresh.ts'
import type { Answer } from '../transaction/answer.ts'
import type { Acquirer, Authorize, RefundCall } from './acquirer.ts'
import { Connections, type Sending } from './connections.ts'
import { type RemoteAnswer, readAnswer } from './remote-answer.ts'
import { type Call, callId, signatureHeaders } from './signature.ts'

/** From the first byte to the last; docs/acquirer.md. The rest of the task's lease (30 s) is for taking the answer over. */
export const TOTAL_MS = 20_000
const ID_BYTES = 16
const UNKNOWN = { outcome: 'unknown' } as const

export interface RemoteParts {
  url: string
  secret: string
  clock: Pick<Clock, 'realNow' | 'elapsed'>
  fresh: Pick<Fresh, 'hex'>
  /** For the operator's log: which call of which key was not answered, and why. Never what it held. */
  doubted(call: Call, key: string, why: string): void
  totalMs?: number
}

export class RemoteAcquirer implements Acquirer {
  readonly name = 'remote'
  readonly #parts: RemoteParts
  readonly #connections: Connections

  constructor(parts: RemoteParts) {
    this.#parts = parts
    this.#connections = new Connections(parts.url, parts.clock)
  }

  async authorize(call: Authorize): Promise<Answer> {
    const { key, mid, merchantName, orderId, amountPaise, means, emi, keepCard, directOtp, returnUrl } = call
    const sent = { mid, merchantName, orderId, amountPaise, means, emi, keepCard, directOtp, returnUrl }
    return plain(await this.#once('authorize', key, sent))
  }

  async status(key: string): Promise<Answer> {
    const { totalMs = TOTAL_MS } = this.#parts
    return plain((await this.#call('status', key, {}, { withinMs: totalMs, mayRepeat: true })).answer)
  }

  async refund({ key, authorizeKey, mid, orderId, amountPaise }: RefundCall): Promise<Answer> {
    return plain(await this.#once('refund', key, { authorizeKey, mid, orderId, amountPaise }))
  }

  otp(key: string, action: Parameters<Acquirer['otp']>[1]): ReturnType<Acquirer['otp']> {
    return this.#once('otp', key, { action: action.type, ...(action.type === 'submit' && { otp: action.otp }) })
  }

  /** What is under way is broken off: it is unknown now, and asked about after the next start. */
  async close() {
    this.#connections.close()
  }

  /** A call that is never sent again. When its connection ended under it, what became of it is asked at once. */
  async #once(call: Exclude<Call, 'status'>, key: string, more: object): Promise<RemoteAnswer> {
    const { clock, totalMs = TOTAL_MS } = this.#parts
    const began = clock.elapsed()
    const { answer, isBroken } = await this.#call(call, key, more, { withinMs: totalMs, mayRepeat: false })
    const leftMs = totalMs - (clock.elapsed() - began)
    if (!isBroken || leftMs <= 0) return answer
    const asked = await this.#call('status', key, {}, { withinMs: leftMs, mayRepeat: true })
    // It may still be on its way: "never heard of it" is believed later (../transaction/transaction.ts).
    return asked.answer.outcome === 'absent' ? UNKNOWN : asked.answer
  }

  async #call(call: Call, key: string, more: object, sending: Sending): Promise<{ answer: RemoteAnswer; isBroken?: boolean }> {
    const { secret, clock, fresh, doubted } = this.#parts
    const id = callId(call, fresh.hex(ID_BYTES))
    const text = JSON.stringify({ key, ...more })
    const received = await this.#connections.post(call, signatureHeaders(secret, id, clock.realNow(), text), text, sending)
    const reading = 'doubt' in received ? received : readAnswer(call, id, key, received, secret, clock.realNow())
    if ('answer' in reading) return reading
    doubted(call, key, reading.doubt)
    return { answer: UNKNOWN, isBroken: 'doubt' in received && received.isBroken }
  }
}

/** Of calls to which no password can be wrong; the compiler cannot know that `readAnswer` refuses it. */
const plain = (answer: RemoteAnswer): Answer => (answer.outcome === 'wrongOtp' ? UNKNOWN : answer)
