// One client's connection to what is measured: raw bytes, one request at a time, so that the generator costs little. It is
// opened anew when the service has said that it ends it; one that ends otherwise is an error.

import { connect, type Socket } from 'node:net'

const HEAD_END = Buffer.from('\r\n\r\n')
const LENGTH = Buffer.from('ontent-length: ') // bare node:http and Fastify begin it differently
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

  /** Sends a whole HTTP request and gives the whole reply. Only when the last one has been answered. */
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

/** Bytes are compared, not text: the generator shares the machine with what it measures. */
function lengthOf(received: Buffer): number {
  let length = 0
  for (let at = received.indexOf(LENGTH) + LENGTH.length; received[at]! >= 48; at++) length = length * 10 + received[at]! - 48
  return length
}
