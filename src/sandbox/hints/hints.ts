// Why a request was refused: the header `Mohur-Hint` (docs/sandbox.md). In production a checksum's hint would say of each signature whether
// it decrypts: a padding oracle on the merchant's key. So only a sandbox loads this file (main.ts). The file reads each refused request a
// second time, so production's code knows nothing of hints.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { cutCard } from '../../api/card/card-input.ts'
import { foreignTo, operations } from '../../api/operations.ts'
import { knownCard } from '../../domain/transaction/instrument.ts'
import { keysOfClient, livingKeys } from '../../flows/merchant-keys.ts'
import type { Ports } from '../../flows/ports.ts'
import type { RouteAnswer } from '../../http/handler.ts'
import { isRefusal } from '../../http/request-log.ts'
import { isSignatureForm, openSignature } from '../../interface/checksum.ts'
import { midOf, readMaterial } from '../../interface/doctor/material.ts'
import { isObject, type JsonObject, readRequest, utf8Of } from '../../interface/envelope.ts'
import { normalise } from '../../interface/request.ts'
import { isBorrowed } from '../../interface/signed-members.ts'
import { BIN_DIGITS } from '../../reference/reference.ts'
import { merchantKeysOf } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'
import { withCause } from './checksum-cause.ts'
import { askedBy, type Explanation, RULES, reasonFor } from './rules.ts'

type ChecksumHint = 'merchant' | 'client' | 'unsigned' | 'form' | 'key' | 'operation' | 'bytes'
type CardHint = 'digits' | 'network' | 'kind' | 'order' | 'unknown'
type BytesHint = 'empty' | 'json' | 'limits' | 'head' | 'body'
type Word = ChecksumHint | CardHint | BytesHint

const SENTENCES: Readonly<Record<Word, string>> = {
  merchant: 'no merchant has this mid',
  client: 'no key of this merchant has this clientId',
  unsigned: 'the head has no signature: sign the bytes of the body with the merchant key',
  form: 'the signature is not base64 of 108 characters',
  key: 'another key made the signature: use the newest key of this merchant',
  operation: 'the key is right, but the body has a member of another operation',
  bytes: 'the key is right, but other bytes were signed: sign exactly the bytes that are sent as body',
  digits: 'the card number needs 12 to 19 digits and a right check digit',
  network: 'no known card network has such numbers',
  kind: 'the paymentMode is not the kind of this card, credit or debit',
  order: 'the order or the merchant does not take this network, bank or kind of card',
  unknown: 'no list has these first digits, or they are too few',
  empty: 'the request has no bytes: send one JSON object with a head and a body',
  json: 'the bytes are not JSON in UTF-8',
  limits: 'this JSON is not an object, nests too deep, is too long, or names a member twice',
  head: 'the JSON object needs a member head that is an object',
  body: 'the JSON object needs a member body that is an object',
}

const CARD_CODE = '312'
const PLACE_LENGTH_MAX = 40 // Mohur's choice: enough to recognise a member

type Parts = Pick<Ports, 'query' | 'clock' | 'reference'>

export function addHints(server: FastifyInstance, ports: Parts) {
  // Uses a callback, so that an answer without a hint waits for nothing. Nearly all answers have no hint.
  server.addHook('onSend', (request, reply, payload, done) => {
    const { answered } = request
    if (!answered || !isRefusal(answered.result)) return done(null, payload)
    hintOf(request, answered, ports).then(
      (hint) => {
        reply.header('mohur-hint', hint)
        done(null, payload)
        // When no hint can be made, the answer goes out without one.
      },
      () => done(null, payload),
    )
  })
}

async function hintOf(request: FastifyRequest, answer: RouteAnswer, ports: Parts): Promise<string> {
  const place = placeOf(answer)
  const { word, sentence } = await saidOf(request, answer, place, ports)
  const hint = [word, ...(place ? [`at ${place}`] : []), sentence].join('; ')
  return isOfChecksum(answer) && Buffer.isBuffer(request.body) ? await explained(hint, request.body, request, ports) : hint
}

/** The place of the fault, cut and with harmless characters only, so that no request can break the header. */
const placeOf = ({ parameter }: RouteAnswer) => parameter?.replace(/[^A-Za-z0-9_.[\]-]/g, '?').slice(0, PLACE_LENGTH_MAX)

/** True for a fault of the checksum. A checksum stands in the head alone, or in a flat message. A text in another place is no signature. */
function isOfChecksum({ result, parameter, cause }: RouteAnswer): boolean {
  if (cause === 'signature') return true
  if (typeof cause === 'object') return parameter === 'head.signature'
  return cause === undefined && result.name === 'invalidChecksum' && (parameter === undefined || parameter.startsWith('head.'))
}

/** Adds the causes that the doctor finds by this merchant's keys, if it finds any. */
async function explained(hint: string, bytes: Buffer, request: FastifyRequest, ports: Parts): Promise<string> {
  const material = readMaterial(bytes)
  const mid = midOf(material) ?? (request.query as { mid?: unknown }).mid
  if (typeof mid !== 'string') return hint
  const all = await ports.query.rows(merchantKeysOf(mid))
  const living = ofClient(material.kind === 'envelope' ? material.head : {}, livingKeys(all, ports.clock.realNow()))
  return withCause(hint, material, { own: living.map(({ key }) => key), others: all.map(({ key }) => key) }, ports.clock)
}

/** The sentence of the refusal's own cause. Without a cause, the sentence of its code. */
async function saidOf(request: FastifyRequest, answer: RouteAnswer, place: string | undefined, ports: Parts): Promise<Explanation> {
  const { result, cause } = answer
  const word = await wordOf(request, answer, ports)
  if (word) return { word, sentence: SENTENCES[word] }
  if (typeof cause === 'object') return askedBy(cause, place)
  if (cause !== undefined && cause !== 'signature' && cause !== 'unreadable') return reasonFor(cause, place)
  return { word: result.name, sentence: RULES[result.name] ?? result.message.replaceAll(';', ',') }
}

async function wordOf(request: FastifyRequest, answer: RouteAnswer, ports: Parts): Promise<Word | undefined> {
  const bytes = Buffer.isBuffer(request.body) ? request.body : undefined
  const read = bytes && readRequest(bytes)
  if (answer.cause === 'unreadable') return bytesHint(bytes, read?.root)
  const [head, body] = [read?.root['head'], read?.root['body']]
  const envelope = isObject(head) && isObject(body) ? { head, body } : undefined
  if (!envelope) return undefined
  if (answer.result.code === CARD_CODE) return cardHint(envelope.body, ports)
  return isOfChecksum(answer) ? await signatureHint(request, envelope, ports) : undefined
}

async function signatureHint(request: FastifyRequest, { head, body }: Record<'head' | 'body', JsonObject>, ports: Parts) {
  const mid = typeof body['mid'] === 'string' ? body['mid'] : String((request.query as { mid?: unknown }).mid)
  const hint = checksumHint(head, livingKeys(await ports.query.rows(merchantKeysOf(mid)), ports.clock.realNow()))
  const foreign = foreignAt.get(request.routeOptions.url ?? '')
  return hint === 'bytes' && foreign && isBorrowed(foreign, normalise(body)) ? 'operation' : hint
}

function bytesHint(bytes: Buffer | undefined, root: JsonObject | undefined): BytesHint {
  if (!bytes || bytes.length === 0) return 'empty'
  if (root) return isObject(root['head']) ? 'body' : 'head'
  try {
    JSON.parse(utf8Of(bytes) ?? '')
    return 'limits'
  } catch {
    return 'json'
  }
}

const foreignAt: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.values(operations).flatMap(({ name, paths }) => paths.map((path) => [path, foreignTo(name)] as const)),
)

type MerchantKeyRow = Row<'merchantKeys'>
/** Clients of the payment host may name a key by a number. */
const ofClient = (head: JsonObject, living: readonly MerchantKeyRow[]) => {
  const { clientId } = normalise({ clientId: head['clientId'] ?? null })
  return keysOfClient(living, typeof clientId === 'number' ? String(clientId) : typeof clientId === 'string' ? clientId : undefined)
}

/** `key`: another key signed, perhaps a rotated one or another clientId's. `bytes`: the key is right, and another body was signed. */
function checksumHint(head: JsonObject, keys: readonly MerchantKeyRow[]): ChecksumHint {
  const signature = head['signature'] ?? (head['tokenType'] === 'CHECKSUM' ? head['token'] : undefined)
  if (signature === undefined || signature === null) return 'unsigned'
  if (keys.length === 0) return 'merchant'
  const named = ofClient(head, keys)
  if (named.length === 0) return 'client'
  if (typeof signature !== 'string' || !isSignatureForm(signature)) return 'form'
  return named.some(({ key }) => openSignature(signature, Buffer.from(key))) ? 'bytes' : 'key'
}

/** Checks in the order in which a payment checks its card. `unknown` means that no list has the BIN. */
function cardHint(body: JsonObject, { clock, reference }: Parts): CardHint {
  if (body['cardInfo'] === undefined) return 'unknown'
  const {
    cardInfo,
    card: { means },
  } = cutCard(body['cardInfo'], clock.now())
  if (cardInfo['number'] === 'invalid') return 'digits'
  if (means?.kind !== 'card') return 'order' // a saved card was valid when it was saved
  const known = knownCard(means.number.slice(0, BIN_DIGITS), reference)
  if (!known) return 'network'
  const mode = body['paymentMode']
  return mode !== 'EMI' && known.paymentMode !== undefined && known.paymentMode !== mode ? 'kind' : 'order'
}
