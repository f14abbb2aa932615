// What one socket may do: how many requests run at once, when it is read, how many requests it lives for, and how it ends. Node reads
// pipelined requests as fast as they come and begins all of them. Here later requests wait unread for their turn.

import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../engine/clock.ts'
import { networkOf } from './networks.ts'
import { isHeldBack, takeParser, throwAway } from './node-internals.ts'
import { SocketScheduler } from './socket-scheduler.ts'

const UNDER_WAY_MAX = 8 // docs/interface.md section 8 (Mohur), as are the next two constants
const REQUESTS_MAX = 1_000
const PARSED_AT_ONCE = 4 * 1_024 // bytes: as many requests as may be under way, or a few more
const REQUEST_TIMEOUT_MS = 10_000 // from the first byte of a request to its last: slow senders are cut off
const HEADERS_TIMEOUT_MS = 5_000
const CHECKED_EVERY_MS = 1_000 // how often Node checks for slow senders; its default is 30 seconds
const CONNECTION_TIMEOUT_MS = 30_000 // a socket that neither sends nor receives, unless it is owed a reply; docs/operating/watch.md
const KEEP_ALIVE_MS = 72_000 // longer than the usual proxy's, so that the proxy closes first
const HEADER_BYTES_MAX = 16 * 1024 // docs/interface.md section 4
const LINGER_MS = 1_000 // for the other side to read the last reply and close: a socket closed with bytes unread is reset

export interface SocketParts {
  clock: Clock
  /** For all addresses together. */
  connectionsMax: number
  connectionsPerAddress: number
  /** True for a proxy. Proxies bring the requests of all callers, so their addresses have no limit. */
  isProxy(address: string): boolean
  refused(why: 'all' | 'address'): void
  /** The last reply to a caller that sends no readable request. */
  unreadable(status: 400 | 408 | 413 | 431): string
}

/** All sockets of one server, which `serverFactory` makes for Fastify. */
export class Sockets {
  readonly #parts: SocketParts
  readonly #lines = new Map<Socket, SocketQueue>()
  readonly #perNetwork = new Map<string, number>()
  readonly #turns = new SocketScheduler()
  #stopsAt: number | undefined

  constructor(parts: SocketParts) {
    this.#parts = parts
  }

  get count() {
    return this.#lines.size
  }

  /** How long an idle socket may still bring its next request at a stop. Set before the server is closed. */
  graceMs = 0

  serverFactory(handle: RequestListener): Server {
    const take: RequestListener = (request, response) => this.#lines.get(request.socket)?.take(request, response)
    const server = createServer(
      {
        requestTimeout: REQUEST_TIMEOUT_MS,
        headersTimeout: HEADERS_TIMEOUT_MS,
        connectionsCheckingInterval: CHECKED_EVERY_MS,
        keepAliveTimeout: KEEP_ALIVE_MS,
        maxHeaderSize: HEADER_BYTES_MAX,
        // The other parser of Node 26.10, `relaxed`, reads on for ever at a NUL in a header. The whole process then stands still.
        httpValidation: 'strict',
      },
      take,
    )
    server.on('checkExpectation', take) // Node would answer 417 by itself; an expectation may be ignored (RFC 9110 section 10.1.1)
    server.setTimeout(CONNECTION_TIMEOUT_MS)
    // Node would destroy the socket, and with it a slow reply. The request would be done all the same, and its caller would never know.
    server.on('timeout', (socket: Socket) => !this.#lines.get(socket)?.isOwed && socket.destroy())
    server.maxConnections = this.#parts.connectionsMax
    server.on('drop', () => this.#parts.refused('all'))
    server.on('connection', (socket) => this.#open(socket, handle))
    // Node calls this function when the server is closed. Node's own would cut off callers that are about to send a request.
    server.closeIdleConnections = () => this.#stop()
    return server
  }

  /** A caller that sends no HTTP, or sends too slowly, gets the reason after the replies that it is still owed. */
  clientError(error: Error & { code?: string }, socket: Socket) {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const status = STATUSES[error.code ?? ''] ?? 400
    const line = this.#lines.get(socket)
    if (!line) socket.destroy()
    else if (status === 408) line.tooSlow(this.#parts.unreadable(status))
    else line.fail(this.#parts.unreadable(status))
  }

  #open(socket: Socket, handle: RequestListener) {
    const { clock, connectionsPerAddress, isProxy, refused } = this.#parts
    const address = socket.remoteAddress ?? ''
    if (!isProxy(address)) {
      const network = networkOf(address)
      const others = this.#perNetwork.get(network) ?? 0
      if (others >= connectionsPerAddress) {
        refused('address')
        return void socket.destroy()
      }
      this.#perNetwork.set(network, others + 1)
      socket.once('close', () => this.#leave(network))
    }
    const line = new SocketQueue(socket, handle, clock, this.#turns)
    this.#lines.set(socket, line)
    socket.once('close', () => this.#lines.delete(socket))
    if (this.#stopsAt !== undefined) line.stop(this.#stopsAt)
  }

  #leave(network: string) {
    const left = this.#perNetwork.get(network)! - 1
    if (left > 0) this.#perNetwork.set(network, left)
    else this.#perNetwork.delete(network)
  }

  #stop() {
    this.#stopsAt ??= this.#parts.clock.elapsed() + this.graceMs
    for (const line of this.#lines.values()) line.stop(this.#stopsAt)
  }
}

const STATUSES: Readonly<Record<string, 408 | 413 | 431>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
}

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
}

/** The requests of one socket, in the order in which they came. */
class SocketQueue {
  readonly #socket: Socket
  readonly #handle: RequestListener
  readonly #clock: Clock
  readonly #turns: SocketScheduler
  readonly #waiting: Exchange[] = []
  readonly #underWay = new Set<Exchange>()
  #taken = 0
  #newest: Exchange | undefined
  /** True when no further request begins. The requests already taken are answered, and then the socket ends. */
  #isOver = false
  #isStopping = false
  #graceIsOver = false
  #isEnding = false
  #isResting = false
  #readsInPieces = false
  /** The time by `elapsed` at which reading went on after the last rest. */
  #readsSince = Number.NEGATIVE_INFINITY
  #lastWords: string | undefined

  constructor(socket: Socket, handle: RequestListener, clock: Clock, turns: SocketScheduler) {
    this.#socket = socket
    this.#handle = handle
    this.#clock = clock
    this.#turns = turns
    socket.on('drain', () => this.#beginNext())
    socket.on('resume', () => this.#rest()) // reading a body makes Node read on, even after a pause here
    socket.destroySoon = () => this.#end() // Node calls this after a reply with `connection: close`
  }

  /**
   * One read of Node may hold hundreds of requests, and Node would parse and keep all of them. Once a socket has sent a request before its
   * previous one was answered, its parser gets one piece at a time. The rest goes back unread. While a socket waits for each reply, the
   * parser reads by itself: that costs an order a twentieth less.
   */
  #readInPieces() {
    this.#readsInPieces = true
    const socket = this.#socket
    const parse = takeParser(socket)
    socket.on('data', (chunk: Buffer) => {
      parse(chunk.subarray(0, PARSED_AT_ONCE))
      this.#rest() // Node reads on at the end of each request
      if (chunk.length > PARSED_AT_ONCE) socket.unshift(chunk.subarray(PARSED_AT_ONCE))
    })
  }

  take(request: IncomingMessage, response: ServerResponse) {
    if (this.#isOver) return this.#rest() // what comes after the last reply was never read
    const exchange = { request, response }
    const isAlone = this.#isIdle
    if (!isAlone && !this.#readsInPieces) this.#readInPieces()
    this.#newest = exchange
    if (++this.#taken === REQUESTS_MAX || this.#isStopping) this.#makeLast()
    if (isAlone && this.#mayBegin) {
      this.#begin(exchange) // no other request is in its way
    } else {
      this.#waiting.push(exchange)
      this.#beginNext()
    }
    this.#rest()
  }

  /** Answers the requests that have come, the last with `connection: close`. An idle socket may send one more request until `endsAt`. */
  stop(endsAt: number) {
    if (this.#isStopping) return
    this.#isStopping = true
    if (!this.#isIdle) this.#makeLast()
    this.#after(Math.max(endsAt - this.#clock.elapsed(), 1), () => {
      this.#graceIsOver = true
      if (this.#isIdle) this.#end()
    })
  }

  /**
   * The half-read request has taken too long by Node's clock. That clock also runs while this process reads nothing, because other requests
   * of the socket wait. The request gets its whole time again, from the moment when reading went on.
   */
  tooSlow(lastWords: string) {
    const [taken, newest] = [this.#taken, this.#newest?.request]
    const hasHead = newest?.complete === false
    const look = () => {
      if (this.#socket.destroyed || (hasHead ? newest.complete : this.#taken > taken)) return
      const leftMs = this.#isResting ? REQUEST_TIMEOUT_MS : this.#readsSince + REQUEST_TIMEOUT_MS - this.#clock.elapsed()
      if (leftMs > 0) this.#after(leftMs, look)
      else this.fail(lastWords)
    }
    look()
  }

  fail(lastWords: string) {
    if (this.#isEnding) return
    this.#isOver = true
    this.#lastWords = lastWords
    this.#socket.pause()
    this.#beginNext()
  }

  get #isIdle() {
    return this.#waiting.length === 0 && this.#underWay.size === 0
  }

  /** True while a request was read and is unanswered. A caller that does not take the bytes already sent is owed nothing. */
  get isOwed(): boolean {
    const isOpen = ({ request, response }: Exchange) => request.complete && !response.writableEnded
    return this.#socket.writableLength === 0 && (this.#waiting.some(isOpen) || [...this.#underWay].some(isOpen))
  }

  #makeLast() {
    const { response } = this.#newest!
    if (response.headersSent) return
    response.setHeader('connection', 'close')
    this.#isOver = true
  }

  #beginNext() {
    if (this.#canBegin) this.#turns.ask(this)
    this.#goOn()
  }

  beginOne(): boolean {
    if (this.#canBegin) this.#begin(this.#waiting.shift()!)
    this.#goOn()
    return this.#canBegin
  }

  #begin(exchange: Exchange) {
    this.#underWay.add(exchange)
    exchange.response.on('close', () => this.#done(exchange))
    this.#handle(exchange.request, exchange.response)
  }

  get #canBegin() {
    return this.#waiting.length > 0 && this.#mayBegin
  }

  get #mayBegin() {
    return this.#underWay.size < UNDER_WAY_MAX && !this.#socket.writableNeedDrain && !this.#socket.destroyed
  }

  #goOn() {
    if (this.#lastWords !== undefined && this.#isAnswered) this.#sayLastWords(this.#lastWords)
    else if (this.#isResting && this.#waiting.length === 0 && !this.#isOver && !isHeldBack(this.#socket)) {
      this.#isResting = false
      this.#readsSince = this.#clock.elapsed()
      this.#socket.resume()
    }
  }

  #done(exchange: Exchange) {
    this.#underWay.delete(exchange)
    if (this.#socket.destroyed) return
    this.#beginNext()
    if (this.#graceIsOver && !this.#isOver && this.#isIdle) this.#end()
  }

  /** True when every complete request has been answered. A request whose end has not arrived can never be answered. */
  get #isAnswered() {
    return this.#waiting.length === 0 && [...this.#underWay].every(({ request }) => !request.complete)
  }

  #sayLastWords(words: string) {
    this.#lastWords = undefined
    const isHalfSaid = [...this.#underWay].some(({ response }) => response.headersSent)
    if (isHalfSaid || !this.#socket.writable) this.#socket.destroy()
    else this.#socket.end(words, () => this.#socket.destroy())
  }

  /**
   * Pauses reading while a request waits, because a further request would wait too. Once the last request was read, the pause is for good.
   */
  #rest() {
    if (this.#waiting.length === 0 && (!this.#isOver || this.#newest?.request.complete === false)) return
    this.#isResting = true
    this.#socket.pause()
  }

  /** Tells the other side that nothing more comes, and waits until that side ends too. Bytes that still come are thrown away unread. */
  #end() {
    const socket = this.#socket
    if (this.#isEnding || socket.destroyed) return
    this.#isEnding = true
    this.#isOver = true
    socket.end()
    throwAway(socket)
    socket.once(
      'close',
      this.#after(LINGER_MS, () => socket.destroy()),
    )
  }

  /** Runs `then` once, unless the returned function is called before. */
  #after(ms: number, then: () => void): () => void {
    const forget = this.#clock.every(ms, () => {
      forget()
      then()
    })
    return forget
  }
}
