// Connections to a bank's adapter, and to nothing else. Environment variables cannot change this: no proxy is asked, no redirect is
// followed, and every certificate is checked.
// A connection that has answered is kept for the next call. It may end just when that call is written, and then Mohur cannot know whether
// the adapter received the call. So a call that must not be sent twice uses a kept connection only after the adapter has proved to keep
// them open.

import { connect as connectTcp, isIP } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { Clock } from '../../../engine/clock.ts'
import { type AdapterLine, ANSWER_BYTES_MAX, exchangeWithAdapter, type NoAnswer, type Sent } from './exchange.ts'
import type { ReceivedAnswer } from './remote-answer.ts'

const STOPPED = 'the process stops'
const IDLE_MAX = 64 // Mohur's choice: connections that wait for a call
const IDLE_MS = 4_000 // Mohur's choice: adapters keep a connection for ten seconds (docs/acquirer.md), or announce a shorter time
const IDLE_ONCE_MS = 1_000 // Mohur's choice: for a call that is not sent again
const HINT_MARGIN_MS = 1_000 // Mohur's choice: a connection is dropped this long before the end that its adapter announces
const AGE_MS = 60_000 // Mohur's choice: then a new connection resolves the name again
const PROVED_AFTER_MS = 1_000 // Mohur's choice: a connection that has stood idle for this time proves that the adapter keeps them
const DISPROVED_FOR_MS = 10 * 60_000 // Mohur's choice: how long a connection that ended counts against the adapter

export interface Sending {
  /** From the first byte to the last. */
  withinMs: number
  /** The call may arrive twice, so it takes any kept connection. If that connection breaks, the call is sent once more, on a fresh one. */
  mayRepeat: boolean
  /** Absent: POST. */
  method?: 'GET' | 'PATCH'
  /** Absent: `ANSWER_BYTES_MAX` (docs/acquirer.md). */
  answerBytesMax?: number
}

interface Connection extends AdapterLine {
  openedAt: number
  idleSince: number
  idleUntil: number
  unwatch(): void
}

export class AdapterConnections {
  readonly #url: string
  readonly #clock: Pick<Clock, 'elapsed'>
  /** The connection that has been idle longest is first. */
  readonly #idle: Connection[] = []
  readonly #underWay = new Set<AbortController>()
  #isClosed = false
  #isProved = false
  #disprovedUntil = 0

  constructor(url: string, clock: Pick<Clock, 'elapsed'>) {
    this.#url = url
    this.#clock = clock
  }

  /** One call to `{url}/{path}`. Never rejects. */
  async post(path: string, headers: Readonly<Record<string, string>>, text: string, sending: Sending): Promise<ReceivedAnswer | NoAnswer> {
    if (this.#isClosed) return { doubt: STOPPED, isBroken: false }
    const url = new URL(`${this.#url}/${path}`)
    const ending = new AbortController()
    const timer = setTimeout(() => ending.abort('there was no answer in time'), sending.withinMs)
    this.#underWay.add(ending)
    const { method = 'POST', answerBytesMax = ANSWER_BYTES_MAX } = sending
    const sent: Sent = { method, url, headers, text, answerBytesMax }
    const over = (connection: Connection) =>
      exchangeWithAdapter(connection, sent, ending.signal, (hint) => this.#give(connection, keepMsOf(hint)))
    try {
      const kept = this.#take(sending.mayRepeat)
      const result = await over(kept ?? this.#dial(url))
      if (!(kept && 'doubt' in result && result.isBroken)) return result
      this.#disprove()
      return sending.mayRepeat && !ending.signal.aborted ? await over(this.#dial(url)) : result
    } finally {
      clearTimeout(timer)
      this.#underWay.delete(ending)
    }
  }

  close() {
    this.#isClosed = true
    for (const ending of this.#underWay) ending.abort(STOPPED)
    for (const connection of [...this.#idle]) this.#drop(connection)
  }

  // --------------------------------------------------------------------------------------------------- kept connections

  /** Takes the connection that answered last: it is the likeliest to be open still. */
  #take(mayRepeat: boolean): Connection | undefined {
    const now = this.#clock.elapsed()
    const last = this.#idle.at(-1)
    if (!last || now >= last.idleUntil || now - last.openedAt >= AGE_MS) return undefined
    if (!mayRepeat && (now - last.idleSince >= IDLE_ONCE_MS || !this.#isSafe(now))) return undefined
    this.#idle.pop()
    last.unwatch()
    last.socket.ref()
    return last
  }

  /**
   * True once a connection has stood idle for `PROVED_AFTER_MS`. When a connection ends under a call or while idle, the proof must begin
   * again, after `DISPROVED_FOR_MS`.
   */
  #isSafe(now: number): boolean {
    const [longest] = this.#idle
    this.#isProved ||= now >= this.#disprovedUntil && longest !== undefined && now - longest.idleSince >= PROVED_AFTER_MS
    return this.#isProved
  }

  #disprove() {
    this.#isProved = false
    this.#disprovedUntil = this.#clock.elapsed() + DISPROVED_FOR_MS
  }

  #give(connection: Connection, keepMs: number) {
    const { socket } = connection
    const now = this.#clock.elapsed()
    if (this.#isClosed || this.#idle.length >= IDLE_MAX || keepMs <= 0 || now - connection.openedAt >= AGE_MS) return void socket.destroy()
    const over = () => this.#drop(connection)
    // Bytes on an idle connection belong to no call. An end comes too early: the adapter promised to close the connection later.
    const lost = () => {
      this.#disprove()
      over()
    }
    socket.setTimeout(keepMs, over).on('data', lost).on('end', lost).on('error', lost).on('close', lost).unref()
    connection.unwatch = () =>
      socket.setTimeout(0).off('timeout', over).off('data', lost).off('end', lost).off('error', lost).off('close', lost)
    Object.assign(connection, { idleSince: now, idleUntil: now + keepMs })
    this.#idle.push(connection)
  }

  #drop(connection: Connection) {
    connection.unwatch()
    this.#idle.splice(this.#idle.indexOf(connection), 1)
    connection.socket.destroy()
  }

  #dial({ protocol, hostname, port }: URL): Connection {
    const host = hostname.replace(/^\[(.*)\]$/, '$1')
    const isTls = protocol === 'https:'
    const to = { host, port: Number(port || (isTls ? 443 : 80)) }
    const servername = isIP(host) === 0 ? { servername: host } : {}
    const socket = isTls ? connectTls({ ...to, ...servername, ALPNProtocols: ['http/1.1'], rejectUnauthorized: true }) : connectTcp(to)
    const now = this.#clock.elapsed()
    const connection = { socket, openedAt: now, isOpen: false, idleSince: now, idleUntil: now, unwatch: () => {} }
    socket.setNoDelay(true).on('error', () => {}) // a late error concerns no call
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      connection.isOpen = true
      if (isTls) (socket as TLSSocket).disableRenegotiation()
    })
    return connection
  }
}

/** How long to keep a connection after an answer, by the adapter's `Keep-Alive` header. */
function keepMsOf(hint = ''): number {
  const seconds = /(?:^|[\s,])timeout=(\d{1,9})/i.exec(hint)?.[1]
  return seconds === undefined ? IDLE_MS : Math.min(IDLE_MS, Number(seconds) * 1_000 - HINT_MARGIN_MS)
}
