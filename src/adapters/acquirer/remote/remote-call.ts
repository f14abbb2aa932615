// One call to the adapter of docs/acquirer.md: signed, bound in time and size, and its answer read by whoever knows what was
// asked. What cannot be read is a doubt: one line for the operator, never with what it held.

import type { Clock } from '../../../engine/clock.ts'
import type { Random } from '../../../engine/random.ts'
import { AdapterConnections, type Sending } from './connections.ts'
import type { AskedCall, ReceivedAnswer } from './remote-answer.ts'
import { type AdapterCall, callId, signatureHeaders } from './signature.ts'

/** From the first byte to the last; docs/acquirer.md. The rest of the task's lease (30 s) is for taking the answer over. */
export const TOTAL_MS = 20_000
const ID_BYTES = 16

export interface RemoteParts {
  url: string
  secret: string
  clock: Pick<Clock, 'realNow' | 'elapsed'>
  fresh: Pick<Random, 'hex'>
  /** For the operator's log: which call of which key was not answered, and why. Never what it held. */
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
  /** The body as it is sent. */
  text: string
  /** Of a call that may come again. */
  name?: string | undefined
  /** In the key's place, where that holds what somebody has typed. */
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

  /** `answer` is undefined when there was none that could be read. */
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

  /** For what is understood and still not as it has to be. */
  doubted(call: AdapterCall, key: string, why: string) {
    this.#parts.doubted(call, key, why)
  }

  /** What is under way is broken off: it is unknown now, and asked about after the next start. */
  close() {
    this.#connections.close()
  }
}
