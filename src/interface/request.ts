// From parsed JSON to a request that an operation can trust, or to what is wrong with it.

import { Ajv, type ErrorObject } from 'ajv'
import type { Static, TSchema } from 'typebox'
import { isObject, type Json, type JsonObject } from './envelope.ts'
import { formats } from './fields.ts'
import type { Reason } from './reason.ts'
import type { ResultCode } from './result-codes.ts'

/** One thing that is wrong with a member; `path` is as merchants write it: `enablePaymentMode[0].mode`. */
export interface Fault {
  kind: 'missing' | 'wrong'
  path: string
  /** The last part of the path. */
  name: string
  /** Inside an array or a map, where the interface answers 1011 and not 1001. */
  nested: boolean
  value: unknown
  asks: Requirement
}

/** What a value had to be: a keyword of JSON Schema, or a word of ours, with its limit or list. */
export interface Requirement {
  keyword: string
  limit?: unknown
}

/** A refusal: a code of the operation's table, its message when it differs, and the parameter at fault. */
export interface Refusal<Code extends ResultCode = ResultCode> {
  result: Code
  message?: string
  parameter?: string
  /** For the hint of the sandbox, which nothing else reads: docs/sandbox.md. */
  cause?: Cause
}

/** Why: what the schema asks for, or the rule or row that stands against it, where a code has several of those. */
export type Cause = Requirement | Reason

export type ReadValue<T> = { value: T; faults?: never } | { value?: never; faults: Fault[] }

/** Merchants' own maps keep what they hold, also empty strings and nulls (docs/interface.md section 4). */
const MAPS = new Set(['extendInfo', 'gatewayInfo', 'txnRoutingParams'])

/** Other spellings that clients of this interface send: docs/interface.md section 4, aliases. */
const MEMBER_ALIASES = new Map([
  ['goods', 'goodsInfo'],
  ['paytmSsoToken', 'svcSsoToken'],
  ['requestTimestamp', 'requestTimeStamp'],
  ['paytmReferenceId', 'noticeId'],
  ['numericID', 'numericId'],
])
/** The other spelling of a member, where it has one. */
export const otherSpelling = (member: string): string => [...MEMBER_ALIASES].find(([, first]) => first === member)?.[0] ?? member
/** What published clients call a notice's own id in a reply. */
export const NOTICE_ID = 'paytmReferenceId'
/** Of these one object may stand for an array of one. */
export const ARRAYS: ReadonlySet<string> = new Set([
  'goodsInfo',
  'shippingInfo',
  'enablePaymentMode',
  'disablePaymentMode',
  'paymentOptions',
  'items',
])
const MODE_MEMBERS = new Set(['mode', 'payMethod', 'paymentMode', 'payMode'])

/** Each letter as it is, or as the escape that a key may have in its place. */
const QUANTITY = [...'quantity'].map((letter) => `(?:${letter}|\\\\u00${letter.charCodeAt(0).toString(16)})`).join('')
const NUMBER_OF_PIECES = new RegExp(`"${QUANTITY}"\\s*:\\s*[-0-9]`, 'i')
/** Whether the text of a body may have a quantity that is a number: then `normalise` wants its numbers as they were written. */
export const holdsNumberForText = (bodyText: string) => NUMBER_OF_PIECES.test(bodyText)

/**
 * A null or empty member counts as absent, an empty array as none given; aliases take their first name, which counts when both are
 * given. `written` is the same with each number as its text: a double has lost how a number was written, and of a long one what it was.
 */
export function normalise(given: JsonObject, written = given): JsonObject {
  const kept: JsonObject = {}
  for (const key in given) {
    const value = given[key]!
    if (isAbsent(value)) continue
    const first = MEMBER_ALIASES.get(key)
    if (first !== undefined && !isAbsent(given[first] ?? null)) continue
    const member = first ?? key
    kept[member] = normaliseMember(member, value, written[key]!)
  }
  return kept
}

const isAbsent = (value: Json) => value === null || value === '' || (Array.isArray(value) && value.length === 0)

function normaliseMember(member: string, value: Json, written: Json): Json {
  if (MAPS.has(member)) return value
  if (ARRAYS.has(member) && isObject(value)) return [normalise(value, written as JsonObject)]
  if (member === 'quantity' && typeof value === 'number') return String(written)
  if (MODE_MEMBERS.has(member) && value === 'PAYTM_DIGITAL_CREDIT') return 'SVC_DIGITAL_CREDIT'
  if (Array.isArray(value))
    return value.map((element, at) => (isObject(element) ? normalise(element, (written as JsonObject[])[at]) : element))
  return isObject(value) ? normalise(value, written as JsonObject) : value
}

/** That our schemas are schemas is tested: to look at each start compiles that of all schemas, a tenth of the start. */
const ajv = new Ajv({ allErrors: true, strict: true, ownProperties: true, verbose: true, formats, meta: false, validateSchema: false })

/** Compiles a schema at first use: start-up pays for no schema that nobody calls. */
export function reader<T extends TSchema>(schema: T): (value: JsonObject) => ReadValue<Static<T>> {
  let compiled: ReturnType<typeof ajv.compile> | undefined
  return (value) => {
    compiled ??= ajv.compile(schema)
    if (compiled(value)) return { value: value as Static<T> }
    return { faults: withoutBranches(compiled.errors ?? []).map((error) => toFault(error)) }
  }
}

/** Of a member that may have several forms, what each form misses says nothing of the others; those of a whole body say which members it needs. */
const withoutBranches = (errors: readonly ErrorObject[]) => {
  const forms = errors.filter(({ keyword, instancePath }) => keyword === 'anyOf' && instancePath !== '')
  const open = new Set(forms.map(({ instancePath }) => instancePath))
  return open.size === 0 ? errors : errors.filter(({ instancePath, keyword }) => keyword === 'anyOf' || !open.has(instancePath))
}

function toFault(error: ErrorObject): Fault {
  const parts = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const missing = error.keyword === 'required'
  if (missing) parts.push(error.params['missingProperty'])
  const isIndex = (at: number) => /^\d{1,4}$/.test(parts[at]!) && !MAPS.has(parts[at - 1] ?? '')
  const path = parts.map((part, at) => (isIndex(at) ? `[${part}]` : `${at === 0 ? '' : '.'}${shownMember(part)}`)).join('')
  const name = shownMember(parts.findLast((part) => !/^\d+$/.test(part)) ?? '')
  return {
    kind: missing ? 'missing' : 'wrong',
    path,
    name,
    nested: path.includes('[') || parts.slice(0, -1).some((part) => MAPS.has(part)),
    value: error.data,
    asks: { keyword: error.keyword, limit: error.schema },
  }
}

/** A map's members are named by whoever sends it, and where a fault lies is told in logs and in replies: a name that only looks like one of ours. */
export const shownMember = (member: string) => (/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(member) && !/\d{9}/.test(member) ? member : '?')

/** What each kind of fault answers in one operation. */
export interface FaultCodes<Code extends ResultCode = ResultCode> {
  missing(fault: Fault): Refusal<Code>
  wrong(fault: Fault): Refusal<Code>
}

/** What an operation answers to each of these values, and why. */
export const refusalsOf = <Code extends ResultCode>(
  faults: readonly Fault[],
  { wrong }: Pick<FaultCodes<Code>, 'wrong'>,
): Refusal<Code>[] => faults.map((fault) => ({ parameter: fault.path, cause: fault.asks, ...wrong(fault) }))

/** Of several refusals the one whose code stands earliest in the operation's table (docs/interface.md section 7). */
export const earliest = (refusals: readonly Refusal[]): Refusal | undefined =>
  refusals.length === 0 ? undefined : refusals.reduce((first, next) => (next.result.rank < first.result.rank ? next : first))

const SHOWN_VALUE_LENGTH = 64 // ours: enough to recognise the value, too short to carry an attack
const SECRET_MEMBERS = new Set([
  'token',
  'cardNo',
  'accountNumber',
  'otp',
  'signature',
  'svcSsoToken',
  'cardTokenInfo',
  'savedCardId',
  'vpa',
])

/** `Parameter '[<field path>]' has invalid value '[<value>]'`: printable ASCII without pipes, never a secret. */
function illegalParameterMessage(fault: Fault): string {
  const text = typeof fault.value === 'string' ? fault.value : (JSON.stringify(fault.value) ?? '')
  const shown = SECRET_MEMBERS.has(fault.name) || /\d{9}/.test(text) ? 'hidden' : text.slice(0, SHOWN_VALUE_LENGTH)
  return `Parameter '[${fault.path}]' has invalid value '[${shown.replace(/[^ !#-&(-[\]-{}~]/g, '?')}]'`
}

/** A wrong value without a code of its own: 1011 inside an array, 1001 elsewhere (docs/interface.md section 7). */
export const wrongValue = <Code extends ResultCode>(fault: Fault, codes: { illegalParameter: Code; invalidField: Code }): Refusal<Code> =>
  fault.nested
    ? { result: codes.illegalParameter, message: illegalParameterMessage(fault) }
    : { result: codes.invalidField, message: `Invalid ${fault.name}` }
