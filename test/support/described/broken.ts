// Requests with one fault each, and the kind and place that a hint must name. They come from each operation's sample and schema, which this
// file reads by its own rules.

import type { TSchema } from 'typebox'
import type { Sample } from '../../../src/api/kit/sample.ts'
import { type OperationName, operations } from '../../../src/api/operations.ts'
import { formats } from '../../../src/interface/fields.ts'

export interface Broken {
  operation: OperationName
  /** What was done to which part, for the reader of a failure. */
  what: string
  sample: Sample
  kind: string
  place: string
}

/** The words of JSON Schema that Mohur's schemas use. */
interface Shape extends TSchema {
  type?: string
  properties?: Record<string, Shape>
  required?: readonly string[]
  items?: Shape
  anyOf?: readonly Shape[]
  not?: object
  enum?: readonly unknown[]
  pattern?: string
  format?: string
  maxLength?: number
  maxItems?: number
  maxProperties?: number
  maximum?: number
}
type Path = readonly (string | number)[]

const NO_TEXT_OF_OURS = '\u2603 \u2603'
const CONTROL = 'a\u0001b'

/** Wrong values for a member, each with the kind of its fault. */
function wrongValues({ type, properties, items, ...shape }: Shape): [kind: string, value: unknown][] {
  if (shape.not) return [['unwanted', 'x']]
  if (shape.enum) return [['value', 'NO_SUCH_VALUE']]
  if (shape.anyOf) return [['form', [[]]]]
  switch (type) {
    case 'string':
      return [['type', 5], ['type', true], ['type', { a: 'b' }], ['type', [1]], ...wrongTexts(shape)]
    case 'object':
      return [['type', 'x'], ...(shape.maxProperties ? [['count', members(shape.maxProperties + 1)] as [string, unknown]] : [])]
    case 'array':
      return [['type', 'x'], ...(items && shape.maxItems ? [['count', elements(items, shape.maxItems + 1)] as [string, unknown]] : [])]
    case 'integer':
      return [['type', 'x'], ...(shape.maximum ? [['range', shape.maximum + 1] as [string, unknown]] : [])]
    case 'boolean':
      return [['type', 'x']]
    default:
      return [] // any value is right
  }
}

function wrongTexts({ pattern, format, maxLength }: Shape): [string, string][] {
  const isLong = maxLength !== undefined && pattern === undefined && (format === undefined || format === 'text')
  const unlike = format === 'text' ? CONTROL : NO_TEXT_OF_OURS
  const isUnlike =
    (pattern !== undefined && !new RegExp(pattern, 'u').test(unlike)) || (format && !formats[format as keyof typeof formats](unlike))
  return [
    ...(isLong ? [['length', 'a'.repeat(maxLength + 1)] as [string, string]] : []),
    ...(isUnlike ? [['form', unlike] as [string, string]] : []),
  ]
}

const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, {}]))
const elements = (items: Shape, count: number) => Array.from({ length: count }, () => rightValue(items))

/** A value that fits a schema; undefined where this function finds none. */
function rightValue({ type, properties, required = [], enum: values, pattern, format }: Shape): unknown {
  if (values) return values[0]
  if (type === 'object') {
    const given = required.map((name) => [name, rightValue(properties![name]!)] as const)
    return given.every(([, value]) => value !== undefined) ? Object.fromEntries(given) : undefined
  }
  const texts = ['1.00', '9999900001', 'CUST_1', 'a@example.com', 'https://example.com/', '2026-06-20']
  const fits = (text: string) =>
    (!pattern || new RegExp(pattern, 'u').test(text)) && (!format || formats[format as keyof typeof formats](text))
  return type === 'string' ? texts.find(fits) : undefined
}

/** All members of a schema, at any depth, that a request without another fault can reach. */
function* places(shape: Shape, at: Path): Generator<{ path: Path; shape: Shape; isRequired: boolean }> {
  for (const [name, member] of Object.entries(shape.properties ?? {})) {
    const path = [...at, name]
    yield { path, shape: member, isRequired: shape.required?.includes(name) ?? false }
    if (member.properties) yield* places(member, path)
    if (member.type === 'array' && member.items?.properties) yield* places(member.items, [...path, 0])
  }
}

/** Sets or removes the value at a path; false where the path cannot be made. */
function put(root: object, schema: Shape, path: Path, value: unknown): boolean {
  let [here, shape] = [root as Record<string, unknown>, schema]
  for (const step of path.slice(0, -1)) {
    const next = typeof step === 'number' ? shape.items! : shape.properties![step]!
    const made = next.type === 'array' ? [] : rightValue(next)
    if (here[step] === undefined && made === undefined) return false
    here[step] ??= made
    if (typeof here[step] !== 'object')
      return false // sent in another form than the schema's
    ;[here, shape] = [here[step] as Record<string, unknown>, next]
  }
  const last = path.at(-1)!
  if (value === undefined && here[last] === undefined) return false
  if (value === undefined) delete here[last]
  else here[last] = value
  return true
}

/** Members whose value is cut out, converted or ignored before a schema sees it. */
const PASSED_OVER = new Set(['cardInfo', 'quantity', 'requestTimeStamp', 'requestTimestamp'])
const written = (path: Path) =>
  path.reduce<string>((text, step) => `${text}${typeof step === 'number' ? `[${step}]` : text ? `.${step}` : step}`, '')

/** There a number counts as the text of its digits, because published clients send numbers (docs/interface.md section 4, "Aliases"). */
const TAKES_NUMBERS = new Set(['amount', 'bin', 'cardNo', 'numericId', 'orderId', 'refId', 'subscriptionFrequency', 'txnId'])
/** Cut out of the request as text, whatever their type was. */
const ALWAYS_TEXT = new Set(['bin', 'cardNo'])

/** The kind that the hint reports. A value that differs from the query is reported first, and a missing signature counts as `unsigned`. */
function reportedOf(kind: string, place: string, { query = {} }: Sample): string {
  if (place === 'grantType' && kind === 'value') return 'unsupportedGrantType' // it has a code of its own
  if (place === 'head.signature' && kind === 'missing') return 'unsigned'
  return kind !== 'missing' && place in query ? 'differs' : kind
}

export function* brokenBySchema(operation: OperationName): Generator<Broken> {
  const { wire } = operations[operation]
  for (const part of ['head', 'body'] as const) {
    const schema = wire?.[part] as Shape | undefined
    if (!schema) continue
    for (const { path, shape, isRequired } of places(schema, [])) {
      const name = String(path.at(-1))
      if (PASSED_OVER.has(name)) continue
      const place = `${part === 'head' ? 'head.' : ''}${written(path)}`
      for (const [kind, value] of [...(isRequired ? [['missing', undefined] as const] : []), ...wrongValues(shape)]) {
        if (typeof value === 'number' ? TAKES_NUMBERS.has(name) : kind === 'type' && ALWAYS_TEXT.has(name)) continue
        const sample: Sample = JSON.parse(JSON.stringify(operations[operation].sample)) // a copy, because `put` alters it
        const root = (sample[part] ?? {}) as object
        if (!put(root, schema, path, value)) continue
        yield { operation, what: `${place} ${kind}`, sample: { ...sample, [part]: root }, kind: reportedOf(kind, place, sample), place }
      }
    }
  }
}

/** A member that differs between query and body, and a missing member of the query. */
export function* brokenByQuery(operation: OperationName): Generator<Broken> {
  const sample = operations[operation].sample
  for (const name of Object.keys(sample.query ?? {})) {
    const { [name]: _, ...others } = sample.query!
    const isInBody = name in (sample.body ?? {})
    if (name === 'locale') continue
    const takesFromBody = operations[operation].wire?.idsFromSignedBody
    if (!takesFromBody) yield { operation, what: `query ${name} missing`, sample: { ...sample, query: others }, kind: 'query', place: name }
    if (isInBody)
      yield {
        operation,
        what: `query ${name} differs`,
        sample: { ...sample, query: { ...others, [name]: 'ANOTHER0000' } },
        kind: 'differs',
        place: name,
      }
  }
}
