// What lists by time share: docs/interface.md sections 4.16 and 4.17.

import Type, { type Static, type TSchema } from 'typebox'
import * as fields from './fields.ts'
import { instantOf } from './instant.ts'
import { type Fault, type FaultCodes, type Requirement, refusalsOf } from './request.ts'
import type { ResultCode } from './result-codes.ts'
import type { Wire } from './wire.ts'

const PAGE_SIZE = 20 // docs/interface.md section 8 (Mohur)
const PAGE_SIZE_MAX = 50 // docs/interface.md section 8 (Mohur)
const ROWS_MAX = 10_000 // docs/interface.md section 8 (Mohur): the page's number times its size
const PERIOD_MS_MAX = 31 * 24 * 60 * 60_000 // docs/interface.md section 8 (Mohur)

export const head = Type.Object({
  clientId: Type.Optional(fields.name),
  channelId: Type.Optional(fields.string()),
  tokenType: Type.Optional(fields.string()),
  requestTimeStamp: Type.Optional(fields.requestTimestamp),
  signature: Type.Optional(Type.Unknown()),
})

/** The code tables of both lists have the same rows. */
type Codes<Code> = Readonly<
  Record<'invalidBody' | 'missingElement' | 'invalidMid' | 'invalidChecksum' | 'invalidField' | 'systemError', Code>
>

const faultsOf = <Code extends ResultCode>(codes: Codes<Code>): FaultCodes<Code> => ({
  missing: ({ name }) => ({ result: codes.missingElement, parameter: name }),
  wrong: ({ name }) =>
    name === 'mid'
      ? { result: codes.invalidMid }
      : name === 'signature'
        ? { result: codes.invalidChecksum }
        : { result: codes.invalidField, message: `Invalid ${name}` },
})

export const instant = Type.String({ format: 'instant' })
/** Clients write numbers and truth values as JSON values or as text. */
export const count = Type.Unsafe<number | string>({
  anyOf: [
    { type: 'integer', minimum: 1, maximum: ROWS_MAX },
    { type: 'string', pattern: '^[1-9][0-9]{0,4}$' },
  ],
})
export const sorted = Type.Unsafe<boolean | 'true' | 'false'>({ enum: [true, false, 'true', 'false'] })

/** Each list's own names for the members of its page. */
export type PageNames = Readonly<Record<'from' | 'to' | 'number' | 'size', string>>

/** The request's members by their meaning. `from` and `to` are still text. */
interface AskedPage {
  from: string | undefined
  to: string | undefined
  number: number | string | undefined
  size: number | string | undefined
  isSort: boolean | string | undefined
}

const WHOLE_SECOND_MS = 999 // a named second is included whole: a client asks up to now

function asked(request: object, { from, to, number, size }: PageNames): AskedPage {
  const members = request as Readonly<Record<string, string | undefined>>
  return { from: members[from], to: members[to], number: members[number], size: members[size], isSort: members['isSort'] }
}

/** The wire form of both lists, which differ only in the names of their members. */
export function listWire<Body extends TSchema, Code extends ResultCode>(
  body: Body,
  codes: Codes<Code>,
  names: Readonly<Record<keyof PageNames, string & keyof Static<Body>>>,
): Wire<typeof head, Body, Code> {
  const faults = faultsOf(codes)
  return {
    query: [],
    head,
    body,
    faults,
    unreadable: codes.invalidBody,
    missingParam: () => ({ result: codes.invalidChecksum }),
    systemError: codes.systemError,
    check: (request) => refusalsOf(pageFaults(asked(request, names), names), faults),
  }
}

/** The period in epoch milliseconds, the order, and the limits of the requested rows. The newest come first, unless `isSort` is false. */
export function pageOf(request: object, names: PageNames) {
  const { from, to, number = 1, size = PAGE_SIZE, isSort } = asked(request, names)
  const limit = Number(size)
  const direction: 'asc' | 'desc' = String(isSort) === 'false' ? 'asc' : 'desc'
  return { from: instantOf(from!)!, to: instantOf(to!)! + WHOLE_SECOND_MS, direction, limit, offset: (Number(number) - 1) * limit }
}

/**
 * Faults of members that have the right form, but break a limit or do not fit each other. `names` names the members. An absent member has
 * no fault.
 */
function pageFaults(page: AskedPage, names: PageNames): Fault[] {
  const { number = 1, size = PAGE_SIZE } = page
  const [from, to] = [page.from, page.to].map((text) => (text === undefined ? undefined : instantOf(text)))
  const isPeriod = from === undefined || to === undefined || (from <= to && to - from <= PERIOD_MS_MAX)
  const fitting = Number(size) <= PAGE_SIZE_MAX
  return [
    ...(isPeriod ? [] : [faultOf(names.to, { keyword: 'period' })]),
    ...(fitting ? [] : [faultOf(names.size, { keyword: 'maximum', limit: PAGE_SIZE_MAX })]),
    ...(fitting && Number(size) * Number(number) > ROWS_MAX ? [faultOf(names.number, { keyword: 'rows', limit: ROWS_MAX })] : []),
  ]
}

const faultOf = (name: string, asks: Requirement): Fault => ({ kind: 'wrong', path: name, name, nested: false, value: undefined, asks })
