// One call over one connection, and the one answer to it.

import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { ReceivedAnswer } from './remote-answer.ts'

export const ANSWER_BYTES_MAX = 64 * 1024 // docs/acquirer.md
const HEADER_BYTES_MAX = 16 * 1024 // Mohur's choice
const INTERIM_MAX = 10 // Mohur's choice: 1xx answers before the final one
const BLANK_LINE = Buffer.from('\r\n\r\n')

/** No answer. `isBroken`: the connection ended during the call, so Mohur cannot know whether the adapter received it. */
export interface NoAnswer {
  doubt: string
  isBroken: boolean
}

export interface Sent {
  method: 'GET' | 'POST' | 'PATCH'
  url: URL
  headers: Readonly<Record<string, string>>
  text: string
  answerBytesMax: number
}

export interface AdapterLine {
  socket: Socket
  /** True once TCP, and TLS if it is used, is ready. Before that, no byte of a call has left. */
  isOpen: boolean
}

/**
 * Never rejects. A doubt names only the code of an error, because the error's text may contain the request. When `ending` is aborted, the
 * abort's reason is the doubt. `clean` receives the adapter's `Keep-Alive` header when nothing but the answer came over the connection.
 */
export function exchangeWithAdapter(
  line: AdapterLine,
  sent: Sent,
  ending: AbortSignal,
  clean: (hint: string | undefined) => void,
): Promise<ReceivedAnswer | NoAnswer> {
  const { socket } = line
  return new Promise((resolve) => {
    let isOver = false
    let interim = 0
    let whole: { hint: string | undefined } | undefined
    const came = new ReceivedBytes(HEADER_BYTES_MAX + sent.answerBytesMax)
    const note = (part: Buffer) => came.add(part)
    const over = (result: ReceivedAnswer | NoAnswer) => {
      isOver = true
      ending.removeEventListener('abort', stop)
      resolve(result)
    }
    const fail = (doubt: string, isBroken = false) => {
      if (!isOver) over({ doubt, isBroken })
      socket.destroy()
    }
    const stop = () => fail(String(ending.reason))
    ending.addEventListener('abort', stop)
    socket.on('data', note)
    const request = requestOver(socket, sent)
    request.on('error', ({ code }: NodeJS.ErrnoException) => fail(`the connection failed${code ? ` (${code})` : ''}`, line.isOpen))
    request.on('information', () => ++interim > INTERIM_MAX && fail('there are answers that lead to no answer'))
    request.on('response', (response) => {
      const isClean = request.writableFinished && interim === 0 && response.httpVersion === '1.1'
      const parts: Buffer[] = []
      let length = 0
      response.on('data', (part: Buffer) => {
        parts.push(part)
        length += part.length
        if (length > sent.answerBytesMax) fail(`the answer is longer than ${sent.answerBytesMax} bytes`)
      })
      response.on('error', () => {}) // the request reports the error
      response.on('end', () => {
        if (!isOver) over(receivedOf(response, Buffer.concat(parts)))
        if (isClean && isAll(came, response, length)) whole = { hint: response.headersDistinct['keep-alive']?.[0] }
        else socket.destroy()
      })
    })
    request.on('close', () => {
      socket.off('data', note)
      if (isOver && whole && request.shouldKeepAlive && !socket.destroyed) clean(whole.hint)
      else fail('the connection failed', line.isOpen)
    })
    request.end(sent.text)
  })
}

function requestOver(socket: Socket, { method, url, headers, text }: Sent) {
  const body = method !== 'GET' ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) } : {}
  return httpRequest({
    createConnection: () => socket, // so there is no agent, and no proxy of the environment
    method,
    path: url.pathname,
    setHost: false,
    headers: {
      host: url.host,
      connection: 'keep-alive',
      ...headers,
      ...body,
      accept: 'application/json',
      'accept-encoding': 'identity', // the signature covers the bytes as sent, so nothing may be compressed
    },
    maxHeaderSize: HEADER_BYTES_MAX,
    insecureHTTPParser: false,
  })
}

/**
 * The bytes of an answer as received. Beyond the limit all bytes are dropped. No answer needs so many, but chunks can add any number of
 * bytes around an answer.
 */
class ReceivedBytes {
  readonly #bytesMax: number
  #length = 0
  #parts: Buffer[] = []

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  add(part: Buffer) {
    this.#length += part.length
    if (this.#length <= this.#bytesMax) this.#parts.push(part)
    else this.#parts = []
  }

  get bytes(): Buffer | undefined {
    return this.#length <= this.#bytesMax ? Buffer.concat(this.#parts) : undefined
  }
}

/** True when no byte follows the answer. The parser silently skips half of a second answer, and the other half would meet the next call. */
function isAll({ bytes }: ReceivedBytes, { headers }: IncomingMessage, bodyLength: number): boolean {
  if (bytes === undefined) return false
  if (headers['content-length'] === undefined) return bytes.subarray(-4).equals(BLANK_LINE) // chunks end as a head does
  return bytes.indexOf(BLANK_LINE) + BLANK_LINE.length + bodyLength === bytes.length
}

function receivedOf(response: IncomingMessage, bytes: Uint8Array): ReceivedAnswer {
  const header = (name: string) => response.headersDistinct[name]?.join(', ') // a header that comes twice must not pass for one
  return {
    httpStatus: response.statusCode!,
    contentType: header('content-type'),
    id: header('webhook-id'),
    timestamp: header('webhook-timestamp'),
    signature: header('webhook-signature'),
    rateLimitRetry: header('x-ratelimit-retry'),
    bytes,
  }
}
