// What a caller sends to an operation, on each of its paths. Mohur's schemas describe requests after aliases and other spellings are
// replaced. This file describes requests as sent (docs/interface.md sections 4 and 4.9).

import type { TSchema } from 'typebox'
import { type Schema, text } from '../../api/kit/as-sent.ts'
import { type DescribedWire, type Descriptor, isHostPath } from '../../api/kit/descriptor.ts'
import { type CredentialName, credentialPlaces } from '../../interface/credentials.ts'
import { ARRAYS, otherSpelling } from '../../interface/request.ts'
import { inDocument, type Say } from './schemas.ts'
import type { InterfacePage, OperationTexts } from './texts.ts'

/** The objects of section 2, by the members that hold one. */
const SHARED: Readonly<Record<string, string>> = {
  txnAmount: 'Money',
  price: 'Money',
  chargeAmount: 'Money',
  maxAmount: 'Money',
  minAmount: 'Money',
  userInfo: 'UserInfo',
  goodsInfo: 'GoodsInfo',
  goods: 'GoodsInfo',
  shippingInfo: 'ShippingInfo',
  enablePaymentMode: 'PaymentMode',
  disablePaymentMode: 'PaymentMode',
  resultInfo: 'ResultInfo',
}

/** Finds a member's own sentence, or else the sentence of the object that has the member. */
export const sayOf =
  (members: ReadonlyMap<string, string>, { shared, elsewhere }: InterfacePage): Say =>
  (path) => {
    const [name, parent] = [path.at(-1)!, path.at(-2)]
    if (parent !== undefined)
      return members.get(`${parent}.${name}`) ?? members.get(path.join('.')) ?? shared.get(`${SHARED[parent]}.${name}`)
    const own = members.get(name) ?? members.get(otherSpelling(name))
    return own?.startsWith('as elsewhere') ? elsewhere.get(name) : own
  }

const checksum: Schema = { type: 'string', minLength: 108, maxLength: 108 }
/**
 * The document's schemas for credentials of the head. Mohur's own schemas take anything, because a malformed credential counts as a wrong
 * one.
 */
const CREDENTIALS: Readonly<Record<string, Schema>> = {
  signature: checksum,
  token: text,
  requestTimeStamp: { type: ['string', 'integer'] },
}
/** Members that every head may have. */
const COMMON_HEAD: Readonly<Record<string, Schema>> = { clientId: text, version: text, requestTimeStamp: CREDENTIALS['requestTimeStamp']! }

/** Adds the other forms that any body may use: section 4, "Aliases of members". */
function aliased(schema: Schema): Schema {
  const { properties, items } = schema
  return {
    ...schema,
    ...(items && { items: aliased(items) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, asAlias(name, member)])),
    }),
  }
}
function asAlias(name: string, given: Schema): Schema {
  const member = aliased(given)
  if (name === 'quantity') return { anyOf: [member, { type: 'number' }] }
  return ARRAYS.has(name) && member.items ? { anyOf: [member, member.items] } : member
}

export interface PathRequest {
  parameters: readonly object[]
  /** By media type. */
  content: Readonly<Record<string, object>> | undefined
}

export function askedOn(operation: Descriptor, path: string, texts: OperationTexts, page: InterfacePage): PathRequest {
  const say = sayOf(texts.requests, page)
  const { name, wire, host, flat, flatPaths, writes, asSent } = operation
  if (flatPaths?.includes(path)) return { parameters: [], content: flatContent(flat!.members, name, say) }
  const isHost = isHostPath(operation, path)
  const { head, body, query, idsFromSignedBody, mayLackBody } = (isHost && host?.wire) || wire || {}
  const parameters = [
    ...(idsFromSignedBody ? queryBesideBody(query, say) : queryOf(query, head, say)),
    ...headersOf(operation, say),
    ...(writes ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ]
  if (!body) return { parameters, content: undefined }
  const sent = inDocument(asSent?.(aliased(body as Schema), isHost) ?? aliased(body as Schema), say)
  const signature = signatureOf(operation)
  const schema =
    head === undefined ? sent : enveloped(headOf(head, say, operation, isHost), sent, mayLackBody ? ['head'] : ['head', 'body'])
  return { parameters, content: { 'application/json': { schema, ...(signature && { 'x-signature': signature }) } } }
}

const enveloped = (head: Schema, body: Schema, required: readonly string[]): Schema => ({
  type: 'object',
  required,
  properties: { head, body },
})

function headOf(head: TSchema, say: Say, { name, credentials }: Descriptor, isHost: boolean): Schema {
  const { properties = {}, required = [], ...schema } = inDocument(head, say)
  const own = Object.entries(properties).map(([name, member]) => [name, CREDENTIALS[name] ? { ...member, ...CREDENTIALS[name] } : member])
  const known = Object.fromEntries(own) as Record<string, Schema>
  const common = Object.entries(COMMON_HEAD).filter(([name]) => !(name in known))
  const all = { ...known, ...Object.fromEntries(common), ...(isHost && { clientId: NUMBER_TOO }) }
  // A missing signature has its own code, so the schema does not require a signature. The document requires it.
  const isSigned = credentials.every((each) => each.includes('signature'))
  const needed = [...required, ...(isSigned && !required.includes('signature') ? ['signature'] : [])]
  // Modify Order's own path takes one spelling of a token. All other paths take both spellings.
  const takesEither = credentials.flat().includes('txnToken') && (name !== 'modifyOrder' || isHost)
  if (!takesEither) return { ...schema, type: 'object', ...(needed.length > 0 && { required: needed }), properties: all }
  const tokenType = known['tokenType'] ?? { type: 'string', enum: ['TXN_TOKEN'] }
  return {
    ...schema,
    type: 'object',
    properties: { ...all, txnToken: known['txnToken'] ?? { ...text, description: say(['txnToken']) ?? BEARER }, tokenType, token: text },
    anyOf: [{ required: ['txnToken'] }, { required: ['tokenType', 'token'] }],
  }
}
/** Clients of the payment host may send a number. */
const NUMBER_TOO: Schema = { type: ['string', 'number'] }
const BEARER = "the order's transaction token; stands for `tokenType` `TXN_TOKEN` and `token`"

const queryParameter = (say: Say, name: string, required: boolean, schema: Schema = text) => {
  const description = say([name])
  return { name, in: 'query', required, ...(description && { description }), schema }
}
/** A signed body may replace any of these parameters: section 4.9. */
const queryBesideBody = (query: DescribedWire['query'], say: Say): object[] =>
  [...(query as readonly string[]), 'ORDER_ID'].map((name) => queryParameter(say, name, false))

function queryOf(query: DescribedWire['query'], head: unknown, say: Say): object[] {
  if (query !== undefined && 'properties' in query) {
    const { properties = {}, required = [] } = inDocument(query) // the members' sentences stand beside the members
    return Object.entries(properties).map(([name, schema]) => queryParameter(say, name, required.includes(name), schema))
  }
  const named = (query ?? []) as readonly string[]
  const kinds = ((head as Schema | undefined)?.properties?.['tokenType']?.['enum'] ?? []) as readonly string[]
  const also = kinds.includes('ACCESS') ? [...(kinds.includes('TXN_TOKEN') ? ['orderId'] : []), 'referenceId'] : []
  return [...named.map((name) => queryParameter(say, name, true)), ...also.map((name) => queryParameter(say, name, false))]
}

/** Credentials with a header of their own. A security scheme has the client's credential. */
const HEADERS: readonly CredentialName[] = ['device', 'sessionToken', 'requestChecksum']

function headersOf({ credentials }: Descriptor, say: Say): object[] {
  const needed = new Set(credentials.flat())
  return HEADERS.filter((credential) => needed.has(credential)).map((credential) => {
    const header = credentialPlaces[credential]
    const description = say([header])
    return { name: header, in: 'header', required: true, ...(description && { description }), schema: text }
  })
}

/** Section 5.1: the bytes that the caller signs, and the place of the signature. */
function signatureOf({ credentials }: Descriptor): object | undefined {
  const names = new Set(credentials.flat())
  if (names.has('requestChecksum')) return { over: '', bytes: 'as sent', rule: 'text', in: { header: credentialPlaces.requestChecksum } }
  const credential = (['signature', 'checksum'] as const).find((each) => names.has(each))
  return credential && { over: '/body', bytes: 'as sent', rule: 'text', in: `/${credentialPlaces[credential].replace('.', '/')}` }
}

function flatContent(members: ReadonlySet<string>, name: string, say: Say): Readonly<Record<string, object>> {
  const checksumName = [...members].find((member) => member.startsWith('CHECKSUM'))!
  const optional = new Set(['TXNTYPE', 'COMMENTS'])
  const orderNames = ['ORDERID', 'ORDER_ID'].filter((member) => members.has(member))
  const isEither = orderNames.length > 1
  const isRequired = (member: string) => !optional.has(member) || (member === 'TXNTYPE' && name === 'applyRefund')
  const schema: Schema = {
    type: 'object',
    required: [...members].filter((member) => isRequired(member) && !(isEither && orderNames.includes(member))),
    ...(isEither && { oneOf: orderNames.map((member) => ({ required: [member] })) }),
    properties: Object.fromEntries([...members].map((member) => [member, flatMember(member, say)])),
    additionalProperties: false,
  }
  const flat = { schema, 'x-signature': { over: 'the other members', bytes: 'their values', rule: 'map', in: `/${checksumName}` } }
  return { 'application/json': flat, 'application/x-www-form-urlencoded': flat }
}
function flatMember(member: string, say: Say): Schema {
  const description = say([member])
  return { ...text, ...(description && { description }) }
}
