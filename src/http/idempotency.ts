// The Idempotency-Key header: docs/interface.md section 4. A request with a key gets ports of its own, on which its operation answers once.
// The handler does everything else as without a key.

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

/** Has an HTTP status of its own and no row of a code table (http/server.ts). */
export class KeyRefused extends Error {
  override readonly name = 'KeyRefused'
  readonly statusCode: 400 | 409

  constructor(statusCode: 400 | 409, message: string) {
    super(message)
    this.statusCode = statusCode
  }
}

/** The key of a write, or undefined. An invalid key is refused before anything is read. */
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

/** The owner of the key, as the request names it. The order owns the key of a payer's call, so that no other payer meets the key. */
export function keyOwner({ operation }: Pick<Received, 'operation'>, { mid, orderId }: Pick<Asked, 'mid' | 'orderId'>): string | undefined {
  if (!operation.byOrder || mid === undefined) return mid
  return orderId === undefined ? undefined : `${mid}|${orderId}` // neither id holds a pipe
}

export interface Keyed {
  /** For the handler. The first submit of the request's operation that is kept answers once. */
  ports: Ports
  /** When the request was first answered. A request that is repeated after midnight is still yesterday's. */
  readAt: number
  /** Equal for each repetition of the request, so a repeated reply has the same signature. */
  salt: string
  /** The reply that the caller received before, if it holds more than the decision. Then the handler has nothing to do. */
  keptReply: Reply | undefined
  /** True when this request was answered before, and that answer is still kept. */
  isKept: boolean
  /** The key that signs the answer. Each repetition uses the same key, as long as that key exists. */
  signedBy(): KeyName | undefined
  /** Called with the reply that the caller is about to get. Keeps a reply that holds more than the decision, beside the decision. */
  keep(reply: Reply): Promise<void>
  /** The ports for rendering. Their clock gives the time of the first reply. */
  rendering(): Ports
}

export interface Keying {
  /** Headers that the operation reads. Two requests are the same only if these are equal too. */
  more?: string
  /** The key that would sign the answer now. */
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
      // A payment whose offer is gone decides again. Only the decision that is kept answers a repeat.
      if (of.name !== name || submitted?.isKept) return ports.engine.submit(of, command, lease)
      signedBy ??= await signer?.()
      const answering = once(of, { ...asked, signedBy })
      submitted = (await ports.engine.submit(answering, command, lease)) as OnceReply
      // The same request may have been answered in another process, between two readings here. The refusal may be about that change, so
      // this submits once more.
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
