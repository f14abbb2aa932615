// A list's filters, from the address. An unreadable filter gets a fault beside its field, and the list is not queried.

import { dateTimeInIndia } from '../../engine/clock.ts'
import type { Place } from '../../flows/list-portions.ts'
import { parseRupees } from '../../flows/search-by-text.ts'
import { textIn } from '../../pages/kit/page-parts.ts'
import { LAST_INSTANT_MS } from '../../tables/search.ts'
import type { Viewer } from '../kit/parts.ts'

const DAYS = 7 // docs/console.md
const DAY_MS = 24 * 60 * 60_000
const MINUTE_MS = 60_000
const INSTANT = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}$/
const MID = /^[A-Za-z0-9_-]{1,20}$/
const SUBJECT = /^[a-z]+:\S*$/
const [WORD, TEXT_MAX] = [/^[A-Za-z0-9_]{1,40}$/, 200]
const PLACE = /^([0-9]{1,16})~([A-Za-z0-9_-]{0,20})~([A-Za-z0-9@_.:-]{0,80})$/

/** `given` is the text as typed, to be shown again. */
export interface Filters {
  given: Readonly<Record<string, string>>
  faults: Readonly<Record<string, string>>
  mids: readonly string[] | null
  from: number
  to: number
  after: Place | undefined
  /** The chosen state's name. */
  state: string
  mode?: string
  amountPaise?: number
  code?: string
  /** An e-mail address, or the id of a person, as typed. */
  person?: string
  subject?: string
}

interface Offered {
  now: number
  viewer: Viewer
  states: Readonly<Record<string, unknown>>
}

export function readFilters(query: unknown, { now, viewer, states }: Offered): Filters {
  const names = ['merchant', 'from', 'to', 'state', 'mode', 'amount', 'code', 'person', 'subject'] as const
  const given = Object.fromEntries(names.map((name) => [name, (textIn(query, name) ?? '').trim().slice(0, TEXT_MAX)])) as Record<
    (typeof names)[number],
    string
  >
  const faults: Record<string, string> = {}
  // Ignoring an unreadable filter would widen the list.
  for (const name of [...names, 'after']) if (isUnread(query, name)) faults[name] = 'Enter it once, as plain text.'
  const instant = (name: 'from' | 'to', otherwise: number) => {
    if (given[name] === '') return otherwise
    const at = INSTANT.test(given[name]) ? Date.parse(`${given[name]}:00+05:30`) : Number.NaN
    if (Number.isNaN(at) || minuteOf(at) !== given[name]) faults[name] = 'Enter a day and a time, as 2026-11-23T14:05.'
    return at
  }
  const [from, to] = [instant('from', now - DAYS * DAY_MS), instant('to', LAST_INSTANT_MS) + (given.to === '' ? 0 : MINUTE_MS - 1)]
  if (from > to) faults['to'] = 'Choose an end after the beginning.'
  const { merchant, mode, amount, code, person, subject } = given
  if (merchant !== '' && !MID.test(merchant)) faults['merchant'] = 'Enter a mid.'
  const state = given.state === '' ? Object.keys(states)[0]! : given.state
  if (!Object.hasOwn(states, state)) faults['state'] = 'Choose one of the list.'
  const amountPaise = amount === '' ? undefined : parseRupees(`₹${amount.replace(/^₹/, '')}`)
  if (amount !== '' && amountPaise === undefined) faults['amount'] = 'Enter rupees, as 499.00.'
  if (mode !== '' && !WORD.test(mode)) faults['mode'] = 'Enter a payment mode.'
  if (code !== '' && !WORD.test(code)) faults['code'] = 'Enter a result, as declined.'
  if (subject !== '' && !SUBJECT.test(subject)) faults['subject'] = 'Enter it with its kind, as order:ORDER_1.'
  const place = textIn(query, 'after')
  const [, at, mid, id] = PLACE.exec(place ?? '') ?? []
  if (place !== undefined && at === undefined) faults['after'] = 'This portion cannot be read. Press Show to begin again.'
  return {
    ...{ given, faults, from, to, state },
    mids: merchant === '' ? viewer.mids : viewer.sees(merchant) ? [merchant] : [],
    after: at === undefined ? undefined : { at: Number(at), mid: mid!, id: id! },
    ...(mode !== '' && { mode }),
    ...(amountPaise !== undefined && { amountPaise }),
    ...(code !== '' && { code }),
    ...(person !== '' && { person }),
    ...(subject !== '' && { subject }),
  }
}

/** True when the parameter is repeated, or has a character that no text has. */
const isUnread = (query: unknown, name: string) =>
  textIn(query, name) === undefined && ((query as Record<string, unknown>)[name] ?? '') !== ''
/** An instant in the form's spelling. It differs from the typed text when the typed day or minute does not exist. */
const minuteOf = (at: number) => dateTimeInIndia(at).slice(0, 16).replace(' ', 'T')

/** A place in the spelling of an address. */
export const textOf = ({ at, mid, id }: Place) => `${at}~${mid}~${id}`

/** An address with the same filters and `more`. */
export function addressOf(base: string, { given }: Pick<Filters, 'given'>, more: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(Object.entries({ ...given, ...more }).filter(([, value]) => value !== ''))
  return query.size > 0 ? `${base}?${query}` : base
}
