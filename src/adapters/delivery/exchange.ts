// One request and its answer, over a connection that egress.ts has dialled. Only the answer's status counts. The rest of the answer decides
// only whether the connection can be kept.

import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { Connection } from './connections.ts'
import { keepAliveMs } from './keep-alive.ts'

const BODY_BYTES_MAX = 64 * 1024 // docs/interface.md section 8 (Mohur)
const HEADER_BYTES_MAX = 16 * 1024 // docs/interface.md section 8 (Mohur)
const INTERIM_MAX = 10 // Mohur's choice: 1xx answers before the final one
const METHOD = 'POST'

export interface DeliveryRequest {
  url: URL
  headers: Readonly<Record<string, string>>
  body: string
  /** Aborts when the answer is late. */
  total: AbortSignal
}
/** `keepMs`: how long the connection may be kept; 0 for not at all. */
export interface Answered {
  httpStatus: number
  keepMs: number
}

/** A kept connection was over before it brought any byte. Nothing is known of the endpoint yet. */
export class Stale extends Error {
  override readonly name = 'Stale'
}

export async function exchangeWithEndpoint(connection: Connection, asked: DeliveryRequest): Promise<Answered> {
  if (!connection.wasUsed) return await ask(connection, METHOD, asked)
  if (!(await connection.begin(METHOD.slice(0, 1)))) throw new Stale('it was over, or something came unasked')
  return await ask(connection, METHOD.slice(1), asked)
}

/** `method` is the part of the method's name that is still to be written. */
function ask(connection: Connection, method: string, { url, headers, body, total }: DeliveryRequest): Promise<Answered> {
  const { socket, wasUsed } = connection
  const came = new ReceivedBytes()
  return new Promise((resolve, reject) => {
    let interim = 0
    let answered: Answered | undefined
    const isEarly = socket.readableLength > 0
    const request = httpRequest({
      createConnection: () => socket, // so there is no agent, no proxy, and no name to resolve
      method,
      path: url.pathname + url.search,
      setHost: false,
      headers: {
        host: url.host,
        ...headers,
        'content-length': Buffer.byteLength(body),
        'accept-encoding': 'identity',
        connection: 'keep-alive',
      },
      maxHeaderSize: HEADER_BYTES_MAX,
      insecureHTTPParser: false,
      signal: total,
    })
    connection.listen((part) => came.add(part, request.writableFinished))
    /** Once the status has arrived, no later fault changes the outcome. */
    const fail = (error: Error) => {
      if (answered) resolve(answered)
      else reject(total.aborted ? total.reason : wasUsed && came.bytes === 0 ? new Stale(error.message) : error)
      request.destroy()
    }
    request.on('error', fail)
    request.on('information', () => ++interim > INTERIM_MAX && fail(new Error('answers that lead to no answer')))
    request.on('upgrade', () => fail(new Error('another protocol')))
    request.on('close', () => fail(new Error('no answer'))) // after an answer this resolves, once no listener is left on the socket
    request.on('response', (response) => {
      answered = { httpStatus: response.statusCode!, keepMs: 0 }
      readAway(response, () => {
        const keepMs = response.complete && !isEarly && interim === 0 ? came.keepableMs : 0
        if (keepMs === 0) return resolve(answered!)
        answered!.keepMs = keepMs
        connection.rest()
      })
    })
    request.end(body)
  })
}

class ReceivedBytes {
  bytes = 0
  readonly #parts: Buffer[] = []
  #isInTime = true

  /** `isAsked`: the whole request was written before this part arrived. */
  add(part: Buffer, isAsked: boolean) {
    this.bytes += part.length
    this.#isInTime &&= isAsked
    if (this.bytes <= HEADER_BYTES_MAX + BODY_BYTES_MAX) this.#parts.push(part)
  }

  get keepableMs() {
    return this.#isInTime && this.bytes <= HEADER_BYTES_MAX + BODY_BYTES_MAX ? keepAliveMs(Buffer.concat(this.#parts)) : 0
  }
}

/** Reads until the answer ends, breaks off, or is longer than `BODY_BYTES_MAX`. `done` runs before any other listener learns of the end. */
function readAway(response: IncomingMessage, done: () => void) {
  let bytes = 0
  response.on('data', (part: Buffer) => {
    bytes += part.length
    if (bytes > BODY_BYTES_MAX) response.destroy()
  })
  response.on('error', done)
  response.once('close', done)
  response.once('end', () => {
    response.off('close', done)
    done()
  })
}
