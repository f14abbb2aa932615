// `mohur listen`: a merchant's server for trying things out on this machine. It takes notifications and the browser's callback
// (docs/interface.md section 6), checks their signatures, and prints a line for each.

import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { signatureDoubt } from '../adapters/acquirer/remote/signature.ts'
import { SystemClock } from '../engine/clock.ts'
import { isChecksumKey, joinedValues, verify } from '../interface/checksum.ts'
import { BODY_BYTES_MAX, isObject, readRequest } from '../interface/envelope.ts'
import { demoWorld } from '../sandbox/world.ts'
import { AddressError, SECRET_FORM, SettingError } from '../settings.ts'
import { portOf } from './command.ts'

const HOST = '127.0.0.1' // only this machine need reach it
const PORT = 9_000 // the world of docs/sandbox.md sends to this port
const REQUEST_TIMEOUT_MS = 10_000 // Mohur's choice: from the first byte of a request to its last
const CALLBACK_PATH = '/callback' // docs/sandbox.md
const SHOWN_LENGTH = 64 // Mohur's choice: characters of one value, so that a notification stays one line
const WEBHOOK_ID_FORM = /^[!-\-/-~]{1,255}$/ // docs/interface.md section 6: no point, which separates the signed parts

export interface ListenKeys {
  key: string
  /** Without a secret the headers of Standard Webhooks are not checked. */
  secret: string | undefined
}

export async function listen(given: { port?: string; key?: string; secret?: string }) {
  const port = given.port === undefined ? PORT : portOf(given.port)
  const { key = demoWorld.merchants![0]!.keys![0]!.key, secret } = given
  if (!isChecksumKey(key)) throw new SettingError('--key must be a merchant key of 16, 24 or 32 bytes')
  if (secret !== undefined && !SECRET_FORM.test(secret)) throw new SettingError('--secret must be whsec_ and 24 to 64 bytes in base64')
  const server = receiver({ key, secret }, new SystemClock(), (line) => console.log(line))
  server.listen(port, HOST)
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code } = error as { code?: string }
    throw new AddressError(
      `port ${port} on ${HOST} ${code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${code})`}. Choose another one by --port (0 for any free one).`,
    )
  }
  console.log(
    `Listening on http://${HOST}:${(server.address() as AddressInfo).port}: callbacks at ${CALLBACK_PATH}, notifications elsewhere`,
  )
}

export function receiver(keys: ListenKeys, clock: SystemClock, print: (line: string) => void) {
  return createServer({ requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS }, async (request, response) => {
    const bytes = await bodyOf(request)
    if (request.method !== 'POST') return response.writeHead(405, { allow: 'POST' }).end()
    if (bytes === undefined) return response.writeHead(413, { connection: 'close' }).end()
    const path = request.url?.split('?')[0]
    const line = path === CALLBACK_PATH ? callbackLine(bytes, keys) : notificationLine(bytes, request.headers, keys, clock.realNow())
    print(line)
    // 200 even for a wrong signature: the command only shows it, and the service would retry a refusal.
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }).end(`${line}\n`)
  })
}

/** Undefined when the body is longer than any that the service sends, or when the sender closed the connection. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      size += part.length
      if (size > BODY_BYTES_MAX) return undefined
      parts.push(part)
    }
  } catch {
    return undefined // the sender closed the connection
  }
  return Buffer.concat(parts)
}

// -------------------------------------------------------------------------------------------------------- what it says

function callbackLine(bytes: Buffer, { key }: ListenKeys): string {
  const fields = formOf(bytes)
  return `callback ${summaryOf(fields)}: ${checksumOfForm(fields, key)}`
}

function notificationLine(bytes: Buffer, headers: IncomingHttpHeaders, { key, secret }: ListenKeys, realNow: number): string {
  const webhook = webhookSignature(bytes, headers, secret, realNow)
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded')
  if (isForm) {
    const fields = formOf(bytes)
    return `notification ${summaryOf(fields)}: ${checksumOfForm(fields, key)}, ${webhook}`
  }
  const read = readRequest(bytes)
  const [head, body] = [read?.root['head'], read?.root['body']]
  if (read?.bodyText === undefined || !isObject(body)) return `notification that cannot be read, ${bytes.length} bytes: ${webhook}`
  const signature = isObject(head ?? null) ? (head as Record<string, unknown>)['signature'] : undefined
  return `notification ${summaryOf(body)}: ${verdict('checksum', signature === undefined, verify(read.bodyText, signature, key))}, ${webhook}`
}

const formOf = (bytes: Buffer): Record<string, string> => Object.fromEntries(new URLSearchParams(bytes.toString()))

const checksumOfForm = (fields: Record<string, string>, key: string) =>
  verdict('checksum', fields['CHECKSUMHASH'] === undefined, verify(joinedValues(fields), fields['CHECKSUMHASH'], key))

const verdict = (what: string, isMissing: boolean, holds: boolean) => `${what} ${isMissing ? 'MISSING' : holds ? 'verified' : 'WRONG'}`

function webhookSignature(bytes: Buffer, headers: IncomingHttpHeaders, secret: string | undefined, realNow: number): string {
  if (secret === undefined) return 'webhook-signature not checked (no --secret)'
  const header = (name: string) => headers[name]?.toString()
  const given = { id: header('webhook-id'), timestamp: header('webhook-timestamp'), signature: header('webhook-signature') }
  if (given.signature === undefined) return 'webhook-signature MISSING'
  const doubt = signatureDoubt(secret, given, bytes, realNow, WEBHOOK_ID_FORM)
  return doubt === undefined ? 'webhook-signature verified' : `webhook-signature WRONG (it ${doubt})`
}

/** The members that a person looks for, in either form's spelling. */
function summaryOf(fields: Readonly<Record<string, unknown>>): string {
  const value = (...names: string[]) => {
    const text = names.map((name) => fields[name]).find((found) => typeof found === 'string' && found !== '')
    return text === undefined ? undefined : printable(String(text))
  }
  const [type, orderId, refId] = [value('txnType', 'TXNTYPE'), value('orderId', 'ORDERID'), value('refId', 'REFID')]
  const amount = value('refundAmount', 'REFUNDAMT') ?? value('txnAmount', 'TXNAMOUNT')
  const parts = [
    type,
    `order ${orderId ?? '?'}`,
    refId && `refund ${refId}`,
    amount && `Rs ${amount}`,
    value('status', 'STATUS') ?? 'without a status',
    value('respCode', 'RESPCODE'),
  ]
  return parts.filter((part) => part !== undefined).join(' ')
}

/** Any program on this machine can send here, and a terminal obeys control characters. */
const printable = (text: string) => text.slice(0, SHOWN_LENGTH).replace(/[^ -~]/g, '?')
