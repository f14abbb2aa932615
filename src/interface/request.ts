// From parsed JSON to a request that an operation can trust, or to its faults.

import { Ajv, type ErrorObject } from 'ajv'
import type { Static, TSchema } from 'typebox'
import { isObject, type Json, type JsonObject } from './envelope.ts'
import { formats } from './fields.ts'
import type { Reason } from './reason.ts'
import type { ResultCode } from './result-codes.ts'

/** One fault of a member. `path` is as merchants write it: `enablePaymentMode[0].mode`. */
export interface Fault {
  kind: 'missing' | 'wrong'
  path: string
  /** The last part of the path. */
  name: string
  /** True inside an array or a map. There the interface answers 1011 and not 1001. */
  nested: boolean
  value: unknown
  asks: Requirement
}

/** The requirement that a value failed: a keyword of JSON Schema or Mohur's own word, with its limit or list. */
export interface Requirement {
  keyword: string
  limit?: unknown
}

/** A code of the operation's table, a message when it differs from the table's, and the parameter at fault. */
export interface Refusal<Code extends ResultCode = ResultCode> {
  result: Code
  message?: string
  parameter?: string
  /** Only the sandbox's hint reads it: docs/sandbox.md. */
  cause?: Cause
}

/** The schema's requirement. For a code with several rules or rows behind it, the rule or row that refuses the request. */
export type Cause = Requirement | Reason

export type ReadValue<T> = { value: T; faults?: never } | { value?: never; faults: Fault[] }

/** Merchants' own maps keep all their members, even empty strings and nulls (docs/interface.md section 4). */
const MAPS = new Set(['extendInfo', 'gatewayInfo', 'txnRoutingParams'])

/** Other spellings that clients of this interface send: docs/interface.md section 4, aliases. */
const MEMBER_ALIASES = new Map([
  ['goods', 'goodsInfo'],
  ['paytmSsoToken', 'svcSsoToken'],
  ['requestTimestamp', 'requestTimeStamp'],
  ['paytmReferenceId', 'noticeId'],
  ['numericID', 'numericId'],
])
export const otherSpelling = (member: string): string => [...MEMBER_ALIASES].find(([, first]) => first === member)?.[0] ?? member
/** The name that published clients give a notice's own id in a reply. */
export const NOTICE_ID = 'paytmReferenceId'
/** In these members one object may stand for an array of one. */
export const ARRAYS: ReadonlySet<string> = new Set([
  'goodsInfo',
  'shippingInfo',
  'enablePaymentMode',
  'disablePaymentMode',
  'paymentOptions',
  'items',
])
const MODE_MEMBERS = new Set(['mode', 'payMethod', 'paymentMode', 'payMode'])

/** Each letter itself, or the escape that may replace the letter in a key. */
const QUANTITY = [...'quantity'].map((letter) => `(?:${letter}|\\\\u00${letter.charCodeAt(0).toString(16)})`).join('')
const NUMBER_OF_PIECES = new RegExp(`"${QUANTITY}"\\s*:\\s*[-0-9]`, 'i')
/** True when a body may give a `quantity` as a number and not as text. Then `normalise` needs the numbers as they were written. */
export const holdsNumberForText = (bodyText: string) => NUMBER_OF_PIECES.test(bodyText)

/**
 * A null or empty member counts as absent, and so does an empty array. An alias gets the member's first name. When both names came, the
 * value under the first name counts. `written` has each number as its text. A double loses a number's spelling, and the value of a long
 * number.
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

/**
 * A test checks that the schemas are valid. A check at each start would compile the schema of schemas, which takes a tenth of the start.
 */
const ajv = new Ajv({ allErrors: true, strict: true, ownProperties: true, verbose: true, formats, meta: false, validateSchema: false })

/** Compiles a schema at first use, so a start pays for no unused schema. */
export function reader<T extends TSchema>(schema: T): (value: JsonObject) => ReadValue<Static<T>> {
  let compiled: ReturnType<typeof ajv.compile> | undefined
  return (value) => {
    compiled ??= ajv.compile(schema)
    if (compiled(value)) return { value: value as Static<T> }
    return { faults: withoutBranches(compiled.errors ?? []).map((error) => toFault(error)) }
  }
}

/**
 * When a member may have several forms, the faults of one form say nothing of the other forms. So those faults are dropped. The faults of a
 * whole body's forms stay: they say which members the body needs.
 */
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

/**
 * The sender names the members of a map, and logs and replies say where a fault lies. So a name is shown only if it looks like one of the
 * interface's.
 */
export const shownMember = (member: string) => (/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(member) && !/\d{9}/.test(member) ? member : '?')

/** The refusal for each kind of fault in one operation. */
export interface FaultCodes<Code extends ResultCode = ResultCode> {
  missing(fault: Fault): Refusal<Code>
  wrong(fault: Fault): Refusal<Code>
}

export const refusalsOf = <Code extends ResultCode>(
  faults: readonly Fault[],
  { wrong }: Pick<FaultCodes<Code>, 'wrong'>,
): Refusal<Code>[] => faults.map((fault) => ({ parameter: fault.path, cause: fault.asks, ...wrong(fault) }))

/** The refusal whose code stands earliest in the operation's table (docs/interface.md section 7). */
export const earliest = (refusals: readonly Refusal[]): Refusal | undefined =>
  refusals.length === 0 ? undefined : refusals.reduce((first, next) => (next.result.rank < first.result.rank ? next : first))

const SHOWN_VALUE_LENGTH = 64 // Mohur's choice: enough to recognise the value, too short to carry an attack
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
