// Where the portions of a history begin. A place stands only in the address, so a link works without script.

import type { OrderPlace, RefundPlace } from '../../flows/order-history.ts'
import type { LinesPlace } from '../../flows/order-lines.ts'
import type { SubscriptionPlace } from '../../flows/subscription-history.ts'
import { textIn } from '../../pages/kit/page-parts.ts'
import { ConsoleError } from '../kit/console-error.ts'

const REFUNDS = /^([0-9]{1,16})~([\s\S]{1,200})$/
const LINES = /^(?:([0-9]{1,3})\.([0-9]{1,9}))?~([A-Za-z0-9]{0,40})~([0-9]{0,4})$/
const CYCLES = /^([0-9]{4}-[0-9]{2}-[0-9]{2})?~([0-9]{0,9})~([A-Za-z0-9]{0,40})$/

export function orderPlaceOf(query: unknown): OrderPlace {
  const [, at, refId] = readIn(query, 'refunds', REFUNDS) ?? []
  return { ...(at !== undefined && { refunds: { at: Number(at), refId: refId! } }), lines: linesIn(readIn(query, 'before', LINES)) }
}

function linesIn(read: RegExpExecArray | undefined): LinesPlace | undefined {
  if (!read) return undefined
  const [, attempt, version, auditId, own] = read
  return {
    step: attempt === undefined ? undefined : { attempt: Number(attempt), version: Number(version) },
    auditId: auditId || undefined,
    own: own ? Number(own) : undefined,
  }
}

export function subscriptionPlaceOf(query: unknown): SubscriptionPlace {
  const [, dueDate, version, auditId] = readIn(query, 'before', CYCLES) ?? []
  return { dueDate, version: version ? Number(version) : undefined, auditId: auditId || undefined }
}

/** Refuses an unreadable place. With the newest portion instead, a person who walks the portions would see that portion twice. */
function readIn(query: unknown, name: string, form: RegExp): RegExpExecArray | undefined {
  if (((query as Record<string, unknown>)[name] ?? '') === '') return undefined
  const read = form.exec(textIn(query, name) ?? '')
  if (!read) throw new ConsoleError('place')
  return read
}

export function withPlace(address: string, { refunds, lines }: OrderPlace): string {
  return withQuery(address, { refunds: refunds && textOfRefund(refunds), before: lines && textOfLines(lines) })
}

const textOfRefund = ({ at, refId }: RefundPlace) => `${at}~${refId}`
const textOfLines = ({ step, auditId, own }: LinesPlace) => `${step ? `${step.attempt}.${step.version}` : ''}~${auditId ?? ''}~${own ?? ''}`

export const withSubscriptionPlace = (address: string, { dueDate, version, auditId }: SubscriptionPlace): string =>
  withQuery(address, { before: `${dueDate ?? ''}~${version ?? ''}~${auditId ?? ''}` })

function withQuery(address: string, given: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams(Object.entries(given).filter((each): each is [string, string] => each[1] !== undefined))
  return query.size > 0 ? `${address}?${query}` : address
}
