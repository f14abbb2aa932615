// Serves one of Mohur's own acquirers by the contract of docs/acquirer.md, on this machine. So the checks for external adapters check
// Mohur's own too. The served acquirer remembers keys only until the process ends.

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Acquirer, Authorize, RefundCall } from '../../adapters/acquirer/acquirer.ts'
import { answerId, signatureDoubt, signatureHeaders } from '../../adapters/acquirer/remote/signature.ts'
import { SystemClock } from '../../engine/clock.ts'
import { type JsonObject, readRequest } from '../../interface/envelope.ts'

const HOST = '127.0.0.1'
const BODY_BYTES_MAX = 64 * 1024 // Mohur's choice: the check's own calls are far shorter
const CALLS = ['authorize', 'status', 'refund', 'otp', 'cancel'] as const
type Call = (typeof CALLS)[number]
type Body = JsonObject & { key: string }

export interface ServedAcquirer {
  url: string
  close(): void
}

/** `onPending` gets each payment that asks its payer for a step, after the answer was sent. */
export async function serveAcquirer(acquirer: Acquirer, secret: string, onPending: (call: Authorize) => void): Promise<ServedAcquirer> {
  const clock = new SystemClock()
  /** By key: a digest of the first call with the key. */
  const contents = new Map<string, string>()

  async function serve(request: IncomingMessage, response: ServerResponse) {
    const bytes = await bytesOf(request)
    const call = CALLS.find((name) => request.url === `/${name}`)
    if (request.method !== 'POST' || !call) return void response.writeHead(404).end()
    const id = request.headersDistinct['webhook-id']?.join(', ') ?? ''
    if (!id.startsWith(`${call}_`) || doubtOf(request, id, bytes)) return void response.writeHead(401).end()
    const body = readRequest(bytes)?.root
    if (!isBody(body)) return void response.writeHead(400).end()
    if (!isFirstContent(call, body)) return void response.writeHead(409).end()
    const answer = await answerTo(acquirer, call, body)
    const text = JSON.stringify({ key: body.key, ...answer })
    const signed = signatureHeaders(secret, answerId(id), clock.realNow(), text)
    response.writeHead(200, { 'content-type': 'application/json', ...signed }).end(text)
    if (call === 'authorize' && answer.outcome === 'pending' && answer.next) onPending(body as unknown as Authorize)
  }

  function doubtOf({ headersDistinct }: IncomingMessage, id: string, bytes: Uint8Array): string | undefined {
    const [timestamp, signature] = (['webhook-timestamp', 'webhook-signature'] as const).map((name) => headersDistinct[name]?.join(', '))
    return signatureDoubt(secret, { id, timestamp, signature }, bytes, clock.realNow())
  }

  /** False for another payment, refund or amount under a used key. */
  function isFirstContent(call: Call, body: Body): boolean {
    if (call !== 'authorize' && call !== 'refund') return true
    const content = createHash('sha256')
      .update(JSON.stringify([call, body]))
      .digest('hex')
    const first = contents.get(body.key) ?? content
    contents.set(body.key, first)
    return first === content
  }

  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()))
  await once(server.listen(0, HOST), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${HOST}:${port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function answerTo(acquirer: Acquirer, call: Call, body: Body) {
  const { key } = body
  switch (call) {
    case 'authorize':
      return acquirer.authorize(body as unknown as Authorize)
    case 'status':
      return acquirer.status(key, key, typeof body['authorizeKey'] === 'string' ? body['authorizeKey'] : undefined)
    case 'refund':
      return acquirer.refund({ ...(body as unknown as RefundCall), logged: key })
    case 'otp':
      return acquirer.otp(key, { type: 'cancel' })
    case 'cancel':
      return acquirer.cancel(key)
    default:
      return call satisfies never
  }
}

const isBody = (root: JsonObject | undefined): root is Body => typeof root?.['key'] === 'string'

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length
    if (length > BODY_BYTES_MAX) throw new Error('the body is too long')
    parts.push(part)
  }
  return Buffer.concat(parts)
}
