// The merchant's endpoint of bench/pay-load.ts. It answers at once and keeps each post. When the clock has stopped, the public libraries of
// receivers check the posts, without Mohur's code.

import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { KEY, MID } from './requests.ts'

export const SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
const webhook = new Webhook(SECRET)
const checksum: { verifySignature(data: string, key: string, signature: string): boolean } = createRequire(import.meta.url)('paytmchecksum')

const PATIENCE_MS = 60_000

interface Post {
  at: number
  headers: IncomingHttpHeaders
  text: string
}

export interface Endpoint {
  url: string
  /** Resolves when this many posts have come since the start. Rejects when none comes for a minute. */
  received(posts: number): Promise<void>
  /** Throws the first fault of all posts. Returns the time of each order's last post. */
  check(expected: ReadonlyMap<string, readonly string[]>): Map<string, number>
  close(): void
}

export async function startEndpoint(): Promise<Endpoint> {
  const posts: Post[] = []
  const nothing = { posts: Number.POSITIVE_INFINITY, came: () => {}, resolve: () => {} }
  let awaited = nothing
  const server = createServer((request, reply) => {
    let text = ''
    request.setEncoding('utf8').on('data', (piece) => {
      text += piece
    })
    request.on('end', () => {
      reply.end('ok')
      posts.push({ at: performance.now(), headers: request.headers, text })
      awaited.came()
      if (posts.length >= awaited.posts) awaited.resolve()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/notify`,
    received: (count) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`${posts.length} notifications came of ${count}`)), PATIENCE_MS)
        awaited = {
          posts: count,
          came: () => timer.refresh(),
          resolve() {
            awaited = nothing
            clearTimeout(timer)
            resolve()
          },
        }
        if (posts.length >= count) awaited.resolve()
      }),
    check: (expected) => check(posts, expected),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** `expected` has the states of each order's posts, in their order. */
function check(posts: readonly Post[], expected: ReadonlyMap<string, readonly string[]>): Map<string, number> {
  const ids = new Set<unknown>()
  const reported = new Map<string, string[]>()
  const lastAt = new Map<string, number>()
  for (const { at, headers, text } of posts) {
    if (!isSigned(headers, text)) throw new Error(`a notification with a wrong signature in its headers: ${text}`)
    const [, signature, body] = /^\{"head":\{"signature":"([^"]+)"\},"body":(\{.*\})\}$/.exec(text) ?? []
    if (!body || !checksum.verifySignature(body, KEY, signature!)) throw new Error(`a notification with a wrong checksum: ${text}`)
    if (ids.has(headers['webhook-id'])) throw new Error(`a notification that came twice: ${text}`)
    ids.add(headers['webhook-id'])
    const { orderId, status } = JSON.parse(body)
    reported.set(orderId, [...(reported.get(orderId) ?? []), status])
    lastAt.set(orderId, at)
  }
  for (const [orderId, states] of reported)
    if (!expected.has(orderId)) throw new Error(`a notification of an order that nobody made: ${orderId} ${states}`)
  for (const [orderId, states] of expected)
    if (`${reported.get(orderId)}` !== `${states}`) throw new Error(`notified of ${orderId}: ${reported.get(orderId)}, expected ${states}`)
  return lastAt
}

/** Signs again and compares, because the package's `verify` refuses posts older than five minutes. */
function isSigned(headers: IncomingHttpHeaders, text: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = headers as Record<string, string>
  return webhook.sign(id!, new Date(Number(at) * 1_000), text) === signature
}

/** Sets `url` as the endpoint of the running service's demo merchant. */
export async function nameEndpoint(port: number, url: string) {
  const merchants = [{ mid: MID, notification: { url, form: 'json', secret: SECRET } }]
  const reply = await fetch(`http://127.0.0.1:${port}/sandbox/world`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ merchants }),
  })
  if (!reply.ok) throw new Error(await reply.text())
}
