// From the bytes of an envelope to the text of its reply, in the order of docs/interface.md section 7 ("Order of refusals").

import type { Static, TSchema } from 'typebox'
import type { Reply } from '../engine/decision.ts'
import type { OnceReply } from '../engine/kept-replies.ts'
import type { RequestKeys } from '../flows/merchant-keys.ts'
import type { Ports } from '../flows/ports.ts'
import { isObject, type JsonObject, readRequest, signable, utf8Of, withNumberTexts, writeEnvelope } from '../interface/envelope.ts'
import { earliest, holdsNumberForText, normalise, type ReadValue, type Refusal, reader, refusalsOf } from '../interface/request.ts'
import type { ResultCode } from '../interface/result-codes.ts'
import { isBorrowed } from '../interface/signed-members.ts'
import type { Signed, Wire } from '../interface/wire.ts'
import { merchantKey } from '../tables/keys.ts'
import type { Asked, Handler, QueryString, Received, Rendered, RouteAnswer } from './handler.ts'
import { type Keyed, KeyRefused, keyed, keyOf, keyOwner } from './idempotency.ts'
import { TooManyRequests } from './rate-limit.ts'
import { signFor } from './render.ts'

/** A parameter counts as absent when it is repeated, is empty, or contains U+0000, which no store keeps (docs/interface.md section 4). */
export function singleParameters(query: QueryString): Record<string, string> {
  const single: Record<string, string> = Object.create(null)
  for (const name in query) {
    const value = query[name]
    if (typeof value === 'string' && value !== '' && !value.includes('\0')) single[name] = value
  }
  return single
}

export interface Envelope<Head extends TSchema, Body extends TSchema> {
  query: Readonly<Record<string, string>>
  head: Static<Head>
  body: Static<Body>
  /** The refusal of `body`. Set only where the operation judges its body after something else. */
  bodyRefusal?: Refusal
  /** The exact text of `body`, which signatures cover. */
  bodyText: string
  /** The verdict on the head's signature. `absent` where the route is not `signed`. */
  signature: Signed['signature']
  /** The part of the body that `translate` took out because no validation or log may see it: a card's number. */
  aside?: unknown
}

export interface EnvelopeRoute<Head extends TSchema = TSchema, Body extends TSchema = TSchema, Code extends ResultCode = ResultCode> {
  wire: Wire<Head, Body, Code>
  /** Turns the spellings of another path's clients into this operation's own form. */
  translate?(
    root: { head: JsonObject; body: JsonObject },
    path: string,
    now: number,
    /** The request, with each number as the text that it was written with. */
    written: () => JsonObject,
  ): { head: JsonObject; body: JsonObject; aside?: unknown }
  /** The reply is its body alone, without head and signature: docs/interface.md section 4.17. */
  unwrapped?: true
  /** The operation gets the faults of the body, because it must answer something else first. */
  judgesBodyLater?: true
  /**
   * The merchant signs the body, in `head.signature`. `wrong` is set when a wrong signature is the next possible refusal. It answers a
   * signature that none of a known merchant's keys made. A request with that signature takes no place in a batch. `unlessDisabled`: the
   * operation refuses a disabled merchant before it judges the signature (docs/decisions/0027).
   */
  signed?: { wrong?: Code; unlessDisabled?: true }
  perform(envelope: Envelope<Head, Body>, ports: Ports): Promise<Reply>
  render(reply: Reply, request: Asked, ports: Ports): Rendered
}

export function envelopeHandler<Head extends TSchema, Body extends TSchema, Code extends ResultCode>(
  route: EnvelopeRoute<Head, Body, Code>,
  portsOfAll: Ports,
): Handler {
  const { wire } = route
  const readers = { head: reader(wire.head), body: reader(wire.body) }

  return async (received) => {
    const asked: Asked = { path: received.url, head: {}, mid: undefined, orderId: undefined }
    const merchantKeys = portsOfAll.merchantKeys.ofRequest()
    const ports: Ports = { ...portsOfAll, merchantKeys }
    const key = keyOf(received)
    let once: Keyed | undefined
    let about: RouteAnswer['about']
    let reply: Reply
    let error: Error | undefined
    try {
      const opened = openEnvelope(route, received, asked, ports.clock.now())
      const owner = key === undefined ? undefined : keyOwner(received, asked)
      if (key !== undefined && owner !== undefined)
        once = await keyed(received, key, owner, ports, { signer: () => signerOf(asked, merchantKeys) })
      const read = readEnvelope(route, readers, opened, once?.readAt ?? ports.clock.now())
      reply = once?.keptReply ?? ('refusal' in read ? read.refusal : await perform(route, read.envelope, asked.mid, ports, once))
      if ('envelope' in read && isForHolder(read.envelope, reply)) about = orderOf(read.envelope, asked.mid)
      await once?.keep(reply)
    } catch (thrown) {
      if (thrown instanceof KeyRefused || thrown instanceof TooManyRequests) throw thrown
      error = thrown as Error // the store failed or a decision threw: the caller may know only the table's own row
      reply = { result: wire.systemError }
    }
    const { head, body, signFor } = route.render(reply, asked, once?.rendering() ?? ports)
    const bodyText = signable(JSON.stringify(body))
    try {
      const by = once?.signedBy() ?? (signFor && merchantKeys.verifiedBy(signFor.mid))
      const signed = signFor && (await merchantKeys.sign(signFor.mid, signFor.clientId, bodyText, once?.salt, by))
      if (signed) head['signature'] = signed.signature
      if (signed && signFor?.namesKey) head['clientId'] = signed.clientId
    } catch (thrown) {
      error ??= thrown as Error // the reply stands, unsigned: its change has been committed
    }
    return {
      text: route.unwrapped ? bodyText : writeEnvelope(head, bodyText),
      result: reply.result,
      parameter: reply.parameter,
      cause: reply.cause,
      error,
      ...((reply as Partial<OnceReply>).isAgain && { isAgain: true as const }),
      ...(about && { about }),
    }
  }
}

/**
 * A merchant that signed with a key being rotated out certainly knows that key, so that key signs the reply. The newest key signs the reply
 * to an unsigned request.
 */
async function signerOf(asked: Asked, keys: RequestKeys) {
  const { signFor: whose } = signFor(asked)
  return whose && (keys.verifiedBy(whose.mid) ?? (await keys.newest(whose.mid, whose.clientId)))
}

async function perform<Head extends TSchema, Body extends TSchema, Code extends ResultCode>(
  route: EnvelopeRoute<Head, Body, Code>,
  envelope: Envelope<Head, Body>,
  mid: string | undefined,
  ports: Ports,
  once: Keyed | undefined,
): Promise<Reply> {
  const { signed } = route
  if (!signed || mid === undefined) return route.perform(envelope, once?.ports ?? ports)
  const { clientId, signature } = envelope.head as { clientId?: string; signature?: unknown }
  const worth = await ports.merchantKeys.check(mid, clientId, envelope.bodyText, signature)
  // An earlier answer is repeated, even if the key has changed or gone since.
  if (worth === 'invalid' && signed.wrong && !once?.isKept && (await isNextRefusal(signed, mid, ports)))
    return { result: signed.wrong, parameter: 'head.signature', cause: 'signature' }
  envelope.signature = worth
  return route.perform(envelope, once?.ports ?? ports)
}

const isNextRefusal = async ({ unlessDisabled }: NonNullable<EnvelopeRoute['signed']>, mid: string, { merchantKeys, query }: Ports) =>
  (await merchantKeys.knows(mid)) && !(unlessDisabled && (await query.row(merchantKey(mid)))?.status === 'DISABLED')

/** True when the caller may learn about the order. They signed, or the reply shows that they hold the order's token. */
const isForHolder = ({ signature }: Pick<Envelope<TSchema, TSchema>, 'signature'>, { result, body }: Reply) =>
  signature === 'valid' || body !== undefined || STATES.has(result.name)
const STATES: ReadonlySet<string> = new Set(['orderPaid', 'orderClosed', 'transactionInProcess', 'attemptsExceeded', 'duplicateRequest'])

function orderOf(
  { query, body }: { query: Readonly<Record<string, string>>; body: unknown },
  mid: string | undefined,
): RouteAnswer['about'] {
  const { orderId } = (body ?? {}) as { orderId?: unknown } // a body that is judged later may be invalid
  return { mid, orderId: typeof orderId === 'string' ? orderId : query['orderId'] }
}

interface Opened {
  parameters: Readonly<Record<string, string>>
  head: JsonObject
  body: JsonObject
  /** The body as sent, before any renaming, omission or cut. Only the wire's `answersFirst` reads it. */
  asSent: JsonObject
  bodyText: string
  aside: unknown
}

/**
 * Opens the envelope in the bytes. Undefined when they are no envelope. Also fills `asked` with the caller, as far as the request names
 * one.
 */
function openEnvelope<Head extends TSchema, Body extends TSchema, Code extends ResultCode>(
  { wire, translate }: EnvelopeRoute<Head, Body, Code>,
  { operation, url, query, bytes }: Received,
  asked: Asked,
  now: number,
): Opened | undefined {
  let parameters: Readonly<Record<string, string>> = singleParameters(query)
  asked.mid = parameters['mid']
  asked.orderId = parameters['orderId']
  const read = readRequest(bytes)
  if (read && wire.mayLackBody && (read.root['body'] ?? null) === null) {
    read.root['body'] = {}
    read.bodyText = '{}'
  }
  if (!read || !isObject(read.root['head']) || !isObject(read.root['body']) || read.bodyText === undefined) return undefined
  const written = () => withNumberTexts(utf8Of(bytes)!)
  const texts = holdsNumberForText(read.bodyText) ? (written()['body'] as JsonObject) : undefined
  const plain = { head: normalise(read.root['head']), body: normalise(read.root['body'], texts) }
  const given = translate?.(plain, url, now, written) ?? { ...plain, aside: undefined }
  const { body, aside } = given
  const head = isBorrowed(operation.foreign, plain.body) ? wronglySigned(given.head) : given.head
  asked.head = head
  if (wire.idsFromSignedBody && 'signature' in head) parameters = withIdsOf(body, parameters)
  asked.orderId = parameters['orderId']
  if ((wire.midMismatch || !wire.query.includes('mid')) && typeof body['mid'] === 'string') asked.mid = body['mid']
  return { parameters, head, body, asSent: read.root['body'], bodyText: read.bodyText, aside }
}

/**
 * The query, with the ids of a signed body where the query lacks them: docs/interface.md section 4.9. The signature proves them. A shop kit
 * names the order ORDER_ID in the query. If the query has two ids, the id that the body contradicts counts, and is refused.
 */
function withIdsOf(body: JsonObject, parameters: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const named = [parameters['orderId'], parameters['ORDER_ID']].filter((id) => id !== undefined)
  const mid = parameters['mid'] ?? body['mid']
  const orderId = named.find((id) => id !== body['orderId']) ?? named[0] ?? body['orderId']
  return { ...parameters, ...(typeof mid === 'string' && { mid }), ...(typeof orderId === 'string' && { orderId }) }
}

const WRONG = null // invalid as a signature
/** Marks the signature of a body that was signed for another operation. For an operation on promotions `token` is the signature. */
const wronglySigned = (head: JsonObject): JsonObject => ({
  ...head,
  ...('signature' in head && { signature: WRONG }),
  ...(head['tokenType'] === 'CHECKSUM' && 'token' in head && { token: WRONG }),
})

function readEnvelope<Head extends TSchema, Body extends TSchema, Code extends ResultCode>(
  route: EnvelopeRoute<Head, Body, Code>,
  readers: { head: (value: JsonObject) => ReadValue<Static<Head>>; body: (value: JsonObject) => ReadValue<Static<Body>> },
  opened: Opened | undefined,
  now: number,
): { refusal: Refusal } | { envelope: Envelope<Head, Body> } {
  const { wire } = route
  const refusal = (of: Refusal) => ({ refusal: of })

  // 1. bytes that are no envelope
  if (!opened) return refusal({ result: wire.unreadable, cause: 'unreadable' })
  const { parameters, head, body, bodyText, aside } = opened

  // 2. missing query and head parameters, then missing members
  const missing = [...wire.query, ...(wire.queryFor?.(head) ?? [])].find((name) => parameters[name] === undefined)
  if (missing) return refusal({ parameter: missing, cause: 'query', ...wire.missingParam(missing) })
  const headRead = readers.head(head)
  const headMissing = headRead.faults?.find((fault) => fault.kind === 'missing')
  if (headMissing)
    return refusal({ parameter: `head.${headMissing.path}`, cause: headMissing.asks, ...wire.missingParam(headMissing.path) })
  const bodyRead = readers.body(body)
  const bodyMissing = inOrder(wire.body, bodyRead.faults?.filter((fault) => fault.kind === 'missing') ?? [], ({ path }) => path)[0]
  const lacking = bodyMissing && { parameter: bodyMissing.path, cause: bodyMissing.asks, ...wire.faults.missing(bodyMissing) }
  if (lacking && !route.judgesBodyLater) return refusal(lacking)

  // 3. query against body
  const unequal = (result: Code, parameter: string) => refusal({ result, parameter, cause: 'differs' })
  const differs = (name: string) => parameters[name] !== undefined && body[name] !== undefined && body[name] !== parameters[name]
  if (wire.midMismatch && differs('mid')) return unequal(wire.midMismatch, 'mid')
  if (wire.orderIdMismatch && differs('orderId')) return unequal(wire.orderIdMismatch, 'orderId')
  if (wire.referenceIdMismatch && differs('referenceId')) return unequal(wire.referenceIdMismatch, 'referenceId')

  // 4. wrong values that need no stored row, in the order of the operation's table
  const wrong: Refusal[] = (headRead.faults ?? []).map((fault) => ({
    parameter: `head.${fault.path}`,
    cause: fault.asks,
    ...(wire.wrongHead ?? wire.faults.wrong)(fault),
  }))
  const bodyWrong = bodyRefusals(wire, bodyRead, body, now)
  if (!route.judgesBodyLater) wrong.push(...bodyWrong)
  const first = wire.answersFirst?.(opened.asSent) ?? earliest(wrong)
  if (first) return refusal(first)

  const later = route.judgesBodyLater && (lacking ?? earliest(bodyWrong))
  return {
    envelope: {
      query: parameters,
      head: headRead.value as Static<Head>,
      body: bodyRead.value as Static<Body>,
      ...(later && { bodyRefusal: later }),
      bodyText,
      signature: 'absent',
      ...(aside !== undefined && { aside }),
    },
  }
}

function bodyRefusals<Body extends TSchema>(
  wire: Wire<TSchema, Body>,
  read: ReadValue<Static<Body>>,
  given: JsonObject,
  now: number,
): readonly Refusal[] {
  const wrong = (read.faults ?? []).filter(({ kind }) => kind === 'wrong')
  const refusals: Refusal[] = refusalsOf(wrong, wire.faults)
  if (wire.check) refusals.push(...wire.check(wellFormed<Body>(read, given), now, given))
  return inOrder(wire.body, refusals, ({ parameter }) => parameter)
}

/** Sorts faults in the order of the operation's field table. A fault of several members takes the place of the member at fault. */
function inOrder<T>(body: TSchema, faults: readonly T[], nameOf: (fault: T) => string | undefined): readonly T[] {
  if (faults.length < 2) return faults
  const members = Object.keys((body as TSchema & { properties?: object }).properties ?? {})
  const placeOf = (fault: T) => {
    const place = members.indexOf(/^[^.[]*/.exec(nameOf(fault) ?? '')![0])
    return place < 0 ? members.length : place
  }
  return faults.toSorted((one, other) => placeOf(one) - placeOf(other))
}

/** The members of a body that have no fault, at any depth. */
function wellFormed<Body extends TSchema>({ value, faults }: ReadValue<Static<Body>>, given: JsonObject): Partial<Static<Body>> {
  if (!faults) return value as Partial<Static<Body>>
  const faulty = new Set(faults.map(({ path }) => /^[^.[]*/.exec(path)![0]))
  return Object.fromEntries(Object.entries(given).filter(([member]) => !faulty.has(member))) as Partial<Static<Body>>
}
