// The Idempotency-Key header: docs/interface.md section 4. A request that has one is given ports of its own, on which
// the operation of the request answers once; everything that a handler does besides stays as it is.

import type { Clock } from '../engine/clock.ts'
import type { Reply } from '../engine/decision.ts'
import { isStillKept, keepAnswer, type Once, type OnceReply, once, replyOf, reusedKey } from '../engine/kept-replies.ts'
import { saltOf } from '../flows/merchant-keys.ts'
import type { Ports } from '../flows/ports.ts'
import { idempotencyKey } from '../tables/keys.ts'
import type { KeyName } from '../tables/merchant.ts'
import type { Asked, Received } from './handler.ts'
import { isNamed } from './request-headers.ts'

const HEADER = 'idempotency-key'
const KEY_FORM = /^[ -~]{1,255}$/ // docs/interface.md section 8 (Mohur)

/** Answered with a HTTP status of its own and no row of a table (http/server.ts). */
export class KeyRefused extends Error {
  override readonly name = 'KeyRefused'
  readonly statusCode: 400 | 409

  constructor(statusCode: 400 | 409, message: string) {
    super(message)
    this.statusCode = statusCode
  }
}

/** What a write was sent with, or undefined; a key that cannot be one is refused before anything is read. */
export function keyOf({ operation, rawHeaders }: Pick<Received, 'operation' | 'rawHeaders'>): string | undefined {
  if (!operation.writes) return undefined
  let key: string | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (!isNamed(rawHeaders[at]!, HEADER)) continue
    if (key !== undefined) throw new KeyRefused(400, 'The Idempotency-Key was given twice')
    key = rawHeaders[at + 1]!.trim()
  }
  if (key !== undefined && !KEY_FORM.test(key)) throw new KeyRefused(400, 'An Idempotency-Key is 1 to 255 printable ASCII characters')
  return key
}

/** Whose keys they are, as far as the request says; of a payer's calls the order's, so that no other payer meets them. */
export function keyOwner({ operation }: Pick<Received, 'operation'>, { mid, orderId }: Pick<Asked, 'mid' | 'orderId'>): string | undefined {
  if (!operation.byOrder || mid === undefined) return mid
  return orderId === undefined ? undefined : `${mid}|${orderId}` // a pipe is in neither
}

export interface Keyed {
  /** For the handler: the first submit of the operation that the request is for answers once. */
  ports: Ports
  /** When the request was first answered: a request that is repeated after midnight is still that of yesterday. */
  readAt: number
  /** The same for the same request, so that the same reply has the same signature. */
  salt: string
  /** What the caller was told before, where that is more than a decision: then there is nothing to do. */
  keptReply: Reply | undefined
  /** The same request was answered before, and its answer still stands. */
  isKept: boolean
  /** The key that signs the answer: the same each time, while it lives. */
  signedBy(): KeyName | undefined
  /** To be called with what the caller is about to be told: where that is more than was decided, it is kept beside it. */
  keep(reply: Reply): Promise<void>
  /** For the rendering: its clock says when the reply was first given. */
  rendering(): Ports
}

export interface Keying {
  /** What else makes the request this one: headers that the operation reads. */
  more?: string
  /** Which key would sign the answer now. */
  signer?(): Promise<KeyName | undefined>
}

export async function keyed(received: Received, key: string, owner: string, ports: Ports, { more = '', signer }: Keying): Promise<Keyed> {
  const { vault, clock, query } = ports
  const { operation, url, bytes } = received
  const { name, codes } = operation
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  const keyHash = vault.hash('idempotencyKey', key)
  const requestHash = vault.hash('request', JSON.stringify([url, received.query, more, text]))
  const occasion = keyHash + requestHash
  const asked: Once = { owner, keyHash, requestHash, at: clock.now() }

  const row = await query.row(idempotencyKey(owner, name, keyHash))
  const before = row && isStillKept(row, asked.at) ? row : undefined
  if (before && before.requestHash !== requestHash) throw reused()

  let answeredAt = before?.at ?? asked.at
  let signedBy = before?.reply.signedBy
  let submitted: OnceReply | undefined
  const engine: Ports['engine'] = {
    async submit(of, command, lease) {
      if (of.name !== name || submitted) return ports.engine.submit(of, command, lease)
      signedBy ??= await signer?.()
      const answering = once(of, { ...asked, signedBy })
      submitted = (await ports.engine.submit(answering, command, lease)) as OnceReply
      // A refusal may have been for what the same request has just done elsewhere, between two readings of this one.
      if (!submitted.isKept && (await query.row(idempotencyKey(owner, name, keyHash))))
        submitted = (await ports.engine.submit(answering, command, lease)) as OnceReply
      if (submitted.result === reusedKey) throw reused()
      answeredAt = submitted.answeredAt
      signedBy = submitted.signedBy ?? signedBy
      return submitted
    },
  }
  return {
    ports: { ...ports, engine, isAnswered: before !== undefined, occasion },
    readAt: answeredAt,
    salt: saltOf(vault, occasion),
    keptReply: before?.reply.keptReply && replyOf(before.reply.keptReply, codes),
    isKept: before !== undefined,
    signedBy: () => signedBy,
    async keep(reply) {
      if (!submitted?.isKept || submitted.isAgain) return
      if (submitted !== reply) await ports.engine.submit(keepAnswer, { operation: name, key: asked, reply })
    },
    rendering: () => ({ ...ports, clock: standingAt(answeredAt, clock) }),
  }
}

const reused = () => new KeyRefused(409, 'The Idempotency-Key was used with another request; send the same bytes again, signature included')

const standingAt = (at: number, clock: Clock): Clock => ({
  now: () => at,
  realNow: () => clock.realNow(),
  elapsed: () => clock.elapsed(),
  sleep: (ms) => clock.sleep(ms),
  every: (everyMs, work) => clock.every(everyMs, work),
})
