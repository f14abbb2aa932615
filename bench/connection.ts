// A client's connection to the measured service: raw bytes, one request at a time, so that the generator costs little. It opens a new
// socket after the service has announced an end. Any other end is an error.

import { connect, type Socket } from 'node:net'

const HEAD_END = Buffer.from('\r\n\r\n')
const LENGTHS = ['ontent-length: ', 'ontent-Length: '].map((name) => Buffer.from(name)) // servers differ in capitals
const CLOSE = Buffer.from('onnection: close')

export class Connection {
  readonly #port: number
  #socket: Socket | undefined
  #received: Buffer | undefined
  #answer = Promise.withResolvers<Buffer>()
  #failure: Error | undefined

  constructor(port: number) {
    this.#port = port
  }

  /** Sends a whole HTTP request and returns the whole reply. Allowed only after the last request was answered. */
  ask(request: Buffer): Promise<Buffer> {
    if (this.#failure) throw this.#failure
    this.#answer = Promise.withResolvers()
    this.#socket ??= this.#open()
    this.#socket.write(request)
    return this.#answer.promise
  }

  close() {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  #open(): Socket {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true })
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    const fail = (error: Error) => {
      if (this.#socket !== socket) return
      this.#failure ??= error
      this.#answer.reject(this.#failure)
    }
    socket.on('error', fail)
    socket.on('close', () => fail(new Error('the service ended a connection and had not said that it would')))
    return socket
  }

  #take(chunk: Buffer) {
    const received = this.#received ? Buffer.concat([this.#received, chunk]) : chunk
    const headEnd = received.indexOf(HEAD_END)
    if (headEnd < 0 || received.length < headEnd + HEAD_END.length + lengthOf(received)) {
      this.#received = received
      return
    }
    this.#received = undefined
    const end = received.indexOf(CLOSE)
    if (end >= 0 && end < headEnd) this.close()
    this.#answer.resolve(received)
  }
}

/** Compares bytes, not text, because the generator shares the machine with the measured service. */
function lengthOf(received: Buffer): number {
  let length = 0
  const [found] = LENGTHS.map((name) => received.indexOf(name)).filter((at) => at >= 0)
  for (let at = found! + LENGTHS[0]!.length; received[at]! >= 48; at++) length = length * 10 + received[at]! - 48
  return length
}
