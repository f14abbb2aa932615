// EndpointConnections to merchants' endpoints that wait for the next notification. One of a merchant's is never another's, also where both
// name one host; and one that anything comes over while nothing was asked is over itself (docs/decisions/0015).

import type { Socket } from 'node:net'
import { PER_QUICK_HOST } from './host-slots.ts'

const PER_OWNER = PER_QUICK_HOST // as many as may be under way
const IN_ALL = 512 // docs/interface.md section 8 (Mohur)
/** Likewise: since the last answer; since it was dialled; since something came unasked. */
export const KEPT = { idleMs: 4_000, ageMs: 60_000, doubtMs: 60_000 }

/** `wire` is the TCP that TLS stands on, or the socket itself. */
export class Connection {
  readonly socket: Socket
  readonly openedAt = performance.now()
  /** What becomes of it once it is closed. */
  closed = () => {}
  /** What becomes of it when it brings what nobody asked for. */
  disturbed = () => {}
  readonly #wire: Socket
  #bytesAtRest = 0
  #isHeard = false
  #hear: (part: Buffer) => void = () => {}

  constructor(socket: Socket, wire: Socket) {
    this.socket = socket
    this.#wire = wire
    socket.on('close', () => this.closed())
  }

  get wasUsed() {
    return this.#isHeard
  }

  get address() {
    return this.socket.remoteAddress ?? ''
  }

  /** As it was left: no byte has come, not even of TLS, and no end. */
  get isQuiet() {
    return this.socket.readable && this.socket.writable && this.#wire.bytesRead === this.#bytesAtRest
  }

  /** From now on, what comes is told to `listener`. Call it when a parser listens already: bytes begin to flow. */
  hear(listener: (part: Buffer) => void) {
    this.#hear = listener
    if (this.#isHeard) return
    this.#isHeard = true
    this.socket.on('data', (part: Buffer) => this.#hear(part))
  }

  /** From now on nothing is to come: whatever does destroys it. */
  rest() {
    this.#bytesAtRest = this.#wire.bytesRead
    this.#hear = () => {
      this.socket.destroy()
      this.disturbed()
    }
  }

  /**
   * Writes `beginning` of a request, and answers whether everything was quiet until then. Two turns of the event loop have one between them
   * that began after the writing: whatever was there before it has been read by then, and is not taken for the answer.
   */
  async begin(beginning: string): Promise<boolean> {
    if (!this.isQuiet) return false
    this.socket.write(beginning)
    await new Promise((turned) => setImmediate(() => setImmediate(turned)))
    return this.isQuiet
  }
}

interface Rest {
  owner: string
  until: number
  timer: NodeJS.Timeout
}

export class EndpointConnections {
  readonly #limits: typeof KEPT
  /** The one that has waited longest first. */
  readonly #resting = new Map<Connection, Rest>()
  readonly #byOwner = new Map<string, readonly Connection[]>()
  /** Until when nothing is kept of theirs, since something came unasked: whoever answers twice is not always caught in time. */
  readonly #doubted = new Map<string, number>()
  #isClosed = false

  constructor(limits: typeof KEPT) {
    this.#limits = limits
  }

  /** The one of this owner's that was used last, when it is still good; it is nobody else's then. */
  take(owner: string, mayDial: (address: string) => boolean): Connection | undefined {
    for (const connection of (this.#byOwner.get(owner) ?? []).toReversed()) {
      const { until } = this.#resting.get(connection)!
      this.#forget(connection)
      if (connection.isQuiet && performance.now() < until && mayDial(connection.address)) {
        connection.socket.ref()
        return connection
      }
      connection.socket.destroy()
    }
    return undefined
  }

  /** Keeps a resting one for `forMs` at most, or destroys it. It does not keep the process alive. */
  keep(owner: string, connection: Connection, forMs: number) {
    const { openedAt, socket } = connection
    const now = performance.now()
    const ms = Math.min(forMs, this.#limits.idleMs, openedAt + this.#limits.ageMs - now)
    const others = this.#byOwner.get(owner) ?? []
    const isDoubted = (this.#doubted.get(owner) ?? 0) > now
    if (this.#isClosed || isDoubted || ms <= 0 || others.length >= PER_OWNER || !connection.isQuiet) {
      socket.destroy()
      return
    }
    const [oldest] = this.#resting.keys()
    if (oldest && this.#resting.size >= IN_ALL) this.#drop(oldest)
    this.#resting.set(connection, { owner, until: now + ms, timer: setTimeout(() => this.#drop(connection), ms).unref() })
    this.#byOwner.set(owner, [...(this.#byOwner.get(owner) ?? []), connection])
    connection.closed = () => this.#forget(connection)
    connection.disturbed = () => this.#doubt(owner)
    socket.unref()
  }

  /** Destroys all that wait, and all that would. */
  close() {
    this.#isClosed = true
    for (const connection of this.#resting.keys()) this.#drop(connection)
  }

  #doubt(owner: string) {
    for (const connection of this.#byOwner.get(owner) ?? []) this.#drop(connection)
    const [first] = this.#doubted.keys()
    if (first !== undefined && this.#doubted.size >= IN_ALL) this.#doubted.delete(first)
    this.#doubted.delete(owner)
    this.#doubted.set(owner, performance.now() + this.#limits.doubtMs)
  }

  #drop(connection: Connection) {
    this.#forget(connection)
    connection.socket.destroy()
  }

  #forget(connection: Connection) {
    const rest = this.#resting.get(connection)
    if (!rest) return
    clearTimeout(rest.timer)
    this.#resting.delete(connection)
    const left = this.#byOwner.get(rest.owner)!.filter((other) => other !== connection)
    if (left.length > 0) this.#byOwner.set(rest.owner, left)
    else this.#byOwner.delete(rest.owner)
  }
}
