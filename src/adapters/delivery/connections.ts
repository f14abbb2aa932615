// Connections to merchants' endpoints that wait for the next notification. Two merchants never share a connection, even if both name one
// host. Bytes that arrive without a request end their connection (docs/decisions/0015).

import type { Socket } from 'node:net'
import { PER_QUICK_HOST } from './host-slots.ts'

const PER_OWNER = PER_QUICK_HOST // as many as may be under way to one quick host
const IN_ALL = 512 // docs/interface.md section 8 (Mohur)
/** docs/interface.md section 8 (Mohur): time since the last answer, since dialling, and since unrequested bytes. */
export const KEPT = { idleMs: 4_000, ageMs: 60_000, doubtMs: 60_000 }

/** `wire` is the TCP socket below TLS, or the socket itself. */
export class Connection {
  readonly socket: Socket
  readonly openedAt = performance.now()
  /** Runs once the connection is closed. */
  closed = () => {}
  /** Runs when the connection brings bytes that no request asked for. */
  disturbed = () => {}
  readonly #wire: Socket
  #bytesAtRest = 0
  #hasListened = false
  #listener: (part: Buffer) => void = () => {}

  constructor(socket: Socket, wire: Socket) {
    this.socket = socket
    this.#wire = wire
    socket.on('close', () => this.closed())
  }

  get wasUsed() {
    return this.#hasListened
  }

  get address() {
    return this.socket.remoteAddress ?? ''
  }

  /** True when no byte, not even of TLS, and no end has arrived since the connection came to rest. */
  get isQuiet() {
    return this.socket.readable && this.socket.writable && this.#wire.bytesRead === this.#bytesAtRest
  }

  /** From now on `listener` receives the bytes. Call `listen` only when a parser listens already, because bytes begin to flow. */
  listen(listener: (part: Buffer) => void) {
    this.#listener = listener
    if (this.#hasListened) return
    this.#hasListened = true
    this.socket.on('data', (part: Buffer) => this.#listener(part))
  }

  /** From now on no byte is expected. Any byte destroys the connection. */
  rest() {
    this.#bytesAtRest = this.#wire.bytesRead
    this.#listener = () => {
      this.socket.destroy()
      this.disturbed()
    }
  }

  /**
   * Writes the `beginning` of a request, and returns true when the connection was quiet until then. Between two `setImmediate` lies a turn
   * of the event loop that began after the write. So bytes that arrived before the write have been read, and do not pass for the answer.
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
  /** The connection that has waited longest is first. */
  readonly #resting = new Map<Connection, Rest>()
  readonly #byOwner = new Map<string, readonly Connection[]>()
  /**
   * The time until which no connection of an owner is kept, because bytes came without a request. An endpoint that answers twice is not
   * always noticed in time.
   */
  readonly #doubted = new Map<string, number>()
  #isClosed = false

  constructor(limits: typeof KEPT) {
    this.#limits = limits
  }

  /** Returns the owner's connection that was used last and is still good. From then on only the caller uses this connection. */
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

  /** Keeps a resting connection for at most `forMs`, or destroys it. A kept connection does not keep the process alive. */
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

  /** Destroys all waiting connections, and all that would wait later. */
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
