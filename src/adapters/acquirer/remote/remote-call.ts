// One signed call to the adapter of docs/acquirer.md, limited in time and size. The caller, which knows the question, reads the answer.
// An unreadable answer is a doubt: one line for the operator, never with its content.

import type { Clock } from '../../../engine/clock.ts'
import type { Random } from '../../../engine/random.ts'
import { AdapterConnections, type Sending } from './connections.ts'
import type { AskedCall, ReceivedAnswer } from './remote-answer.ts'
import { type AdapterCall, callId, signatureHeaders } from './signature.ts'

/** From the first byte to the last (docs/acquirer.md). The rest of the task's lease (30 s) is for applying the answer. */
export const TOTAL_MS = 20_000
const ID_BYTES = 16

export interface RemoteParts {
  url: string
  secret: string
  clock: Pick<Clock, 'realNow' | 'elapsed'>
  fresh: Pick<Random, 'hex'>
  /** For the operator's log: the call and the key without a readable answer, and why. Never a value of the answer. */
  doubted(call: AdapterCall, key: string, why: string): void
  totalMs?: number
}

export type ReadAnswer<A> = (
  asked: AskedCall,
  received: ReceivedAnswer,
  secret: string,
  realNow: number,
) => { answer: A } | { doubt: string }

export interface Asking {
  call: AdapterCall
  key: string
  /** The body as sent. */
  text: string
  /** The name of a call that may be repeated. Absent: a random one. */
  name?: string | undefined
  /** Logged instead of the key, if the key contains free text. */
  logged?: string | undefined
}

export class RemoteCalls {
  readonly #parts: RemoteParts
  readonly #connections: AdapterConnections

  constructor(parts: RemoteParts) {
    this.#parts = parts
    this.#connections = new AdapterConnections(parts.url, parts.clock)
  }

  get totalMs() {
    return this.#parts.totalMs ?? TOTAL_MS
  }
  elapsed = () => this.#parts.clock.elapsed()

  /** `answer` is undefined when no answer could be read. */
  async ask<A>(asking: Asking, sending: Sending, read: ReadAnswer<A>): Promise<{ answer: A | undefined; isBroken?: boolean }> {
    const { call, key, text, name, logged = key } = asking
    const { secret, clock, fresh, doubted } = this.#parts
    const id = callId(call, name ?? fresh.hex(ID_BYTES))
    const received = await this.#connections.post(call, signatureHeaders(secret, id, clock.realNow(), text), text, sending)
    const reading = 'doubt' in received ? received : read({ call, id, key }, received, secret, clock.realNow())
    if ('answer' in reading) return reading
    doubted(call, logged, reading.doubt)
    return { answer: undefined, isBroken: 'doubt' in received && received.isBroken }
  }

  /** Reports an answer that was understood and is still wrong. */
  doubted(call: AdapterCall, key: string, why: string) {
    this.#parts.doubted(call, key, why)
  }

  /** Breaks off the calls under way. Their results are unknown now, and queried after the next start. */
  close() {
    this.#connections.close()
  }
}
