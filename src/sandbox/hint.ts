// Why a request was refused, where one code has several causes: a word in the header `Mohur-Hint` (docs/sandbox.md). In production
// that of a checksum would tell, signature by signature, whether it decrypts: a padding oracle on the merchant's key. So this file is
// loaded by a sandbox alone (main.ts), and reads every request anew, so that nothing of production knows it.

import { createDecipheriv } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { cutCard } from '../api/card/card-input.ts'
import { knownCard } from '../domain/transaction/instrument.ts'
import type { Edge } from '../flows/edge.ts'
import { SIGNATURE_LENGTH } from '../interface/checksum.ts'
import { isObject, type JsonObject, readRequest } from '../interface/envelope.ts'
import { operations } from '../interface/operations.ts'
import { normalise } from '../interface/request.ts'
import { isBorrowed } from '../interface/signed-members.ts'
import { BIN_DIGITS } from '../reference/reference.ts'
import { merchantKeysOf } from '../tables/keys.ts'
import type { Row } from '../tables/tables.ts'

type ChecksumHint = 'merchant' | 'client' | 'form' | 'key' | 'operation' | 'bytes'
type CardHint = 'digits' | 'network' | 'kind' | 'order' | 'unknown'

const CHECKSUM_CODE = '2005'
const CARD_CODE = '312'
type Hinted = typeof CHECKSUM_CODE | typeof CARD_CODE
const HINTED = new RegExp(`"resultCode":"(${CHECKSUM_CODE}|${CARD_CODE})"`)

type Parts = Pick<Edge, 'query' | 'clock' | 'reference'>

export function addHints(server: FastifyInstance, edge: Parts) {
  // By a callback, so that an answer without a hint, as nearly all are, waits for nothing.
  server.addHook('onSend', (request, reply, payload, done) => {
    const code = typeof payload === 'string' && payload.startsWith('{"head":') ? HINTED.exec(payload)?.[1] : undefined
    if (code === undefined) return done(null, payload)
    hintOf(request, code as Hinted, edge).then((hint) => {
      if (hint) reply.header('mohur-hint', hint)
      done(null, payload)
    }, done)
  })
}

async function hintOf(request: FastifyRequest, code: Hinted, edge: Parts): Promise<ChecksumHint | CardHint | undefined> {
  const read = Buffer.isBuffer(request.body) ? readRequest(request.body) : undefined
  const [head, body] = [read?.root['head'], read?.root['body']]
  if (!read || !isObject(head) || !isObject(body)) return undefined
  if (code === CARD_CODE) return cardHint(body, edge)
  const mid = typeof body['mid'] === 'string' ? body['mid'] : String((request.query as { mid?: unknown }).mid)
  const hint = checksumHint(head, await livingKeys(mid, edge))
  const operation = operationAt.get(request.routeOptions.url ?? '')
  return hint === 'bytes' && operation && isBorrowed(operation, normalise(body)) ? 'operation' : hint
}

const operationAt = new Map<string, keyof typeof operations>(
  Object.entries(operations).flatMap(([name, { paths }]) => paths.map((path) => [path, name as keyof typeof operations] as const)),
)

const livingKeys = async (mid: string, { query, clock }: Parts) =>
  (await query.rows(merchantKeysOf(mid))).filter(({ retiresAt }) => retiresAt === null || clock.realNow() < retiresAt)

/** `key` also of a key that was rotated away, or of another clientId; `bytes` when the key is right and the body was another. */
function checksumHint(head: JsonObject, keys: readonly Row<'merchantKeys'>[]): ChecksumHint {
  if (keys.length === 0) return 'merchant'
  const wanted = head['clientId'] ?? keys[0]!.clientId
  const named = keys.filter(({ clientId }) => clientId === String(wanted))
  if (named.length === 0) return 'client'
  const signature = head['signature'] ?? head['token']
  if (
    typeof signature !== 'string' ||
    signature.length !== SIGNATURE_LENGTH ||
    Buffer.from(signature, 'base64').toString('base64') !== signature
  )
    return 'form'
  return named.some(({ key }) => decrypts(signature, key)) ? 'bytes' : 'key'
}

/** Whether it was encrypted with this key: 64 hexadecimal digits and a salt come out. */
function decrypts(signature: string, key: string): boolean {
  const bytes = Buffer.from(key)
  const decipher = createDecipheriv(`aes-${bytes.length * 8}-cbc`, bytes, Buffer.from('@@@@&&&&####$$$$')).setAutoPadding(false)
  return /^[0-9a-f]{64}.{4}\f{12}$/s.test(decipher.update(signature, 'base64').toString('latin1'))
}

/** In the order in which a payment looks at its card; `unknown` of a BIN that no list has. */
function cardHint(body: JsonObject, { clock, reference }: Parts): CardHint {
  if (body['cardInfo'] === undefined) return 'unknown'
  const {
    cardInfo,
    card: { means },
  } = cutCard(body['cardInfo'], clock.now())
  if (cardInfo['number'] === 'invalid') return 'digits'
  if (means?.kind !== 'card') return 'order' // a saved card was good when it was kept
  const known = knownCard(means.number.slice(0, BIN_DIGITS), reference)
  if (!known) return 'network'
  const mode = body['paymentMode']
  return mode !== 'EMI' && known.paymentMode !== undefined && known.paymentMode !== mode ? 'kind' : 'order'
}
