// An order's history, line by line.

import { actionWords } from '../../domain/audit/actions.ts'
import { dateTimeInIndia } from '../../engine/clock.ts'
import type { Looks } from '../../engine/decision.ts'
import { openedRows } from '../../flows/opened-rows.ts'
import { auditLine, type HistoryLine } from '../../flows/order-lines.ts'
import { html } from '../../pages/html.ts'
import { formatRupees } from '../../pages/kit/amounts.ts'
import { find, type Row } from '../../tables/tables.ts'

const SIGNS: Readonly<Record<string, string>> = {
  ...{ SUCCESS: 'good', PAID: 'good', delivered: 'good', DELIVERED: 'good' },
  ...{ FAILURE: 'bad', dead: 'bad', refused: 'bad', failed: 'bad' },
  ...{ PENDING: 'wait', UNKNOWN: 'wait' },
}

const TITLES: Readonly<Record<HistoryLine['kind'], (line: Pick<HistoryLine, 'of' | 'what'>) => string>> = {
  event: ({ of, what }) => `${of} ${what.replaceAll('-', ' ')}`,
  ledger: ({ of, what }) => `ledger: ${what}, ${of.replaceAll('_', ' ')}`,
  notification: ({ of, what }) => `notification to ${of}: ${what}`,
  delivery: ({ of, what }) => `delivery to ${of}: ${what}`,
  audit: ({ of, what }) => `${actionWords(what)} by ${of}`,
}

/** Audit lines with people's names instead of their ids. */
export async function withNames(looks: Looks, lines: readonly HistoryLine[]): Promise<readonly HistoryLine[]> {
  const nameOf = await namesOf(
    looks,
    lines.flatMap(({ kind, of }) => (kind === 'audit' ? [of] : [])),
  )
  return lines.map((line) => (line.kind === 'audit' ? { ...line, of: nameOf(line.of) } : line))
}

/** People's names by their ids. `shell` keeps its name. A name that cannot be opened hides no other. */
export async function namesOf(looks: Looks, operatorIds: readonly string[]): Promise<(operatorId: string) => string> {
  const ids = [...new Set(operatorIds)]
  const people = ids.length === 0 ? [] : await openedRows(looks, namedIn(ids), ({ operatorId }) => namedIn([operatorId]))
  const names = new Map(people.map(({ operatorId, name }) => [operatorId, name]))
  return (operatorId) => names.get(operatorId) ?? operatorId
}

/** Opens no password and no app's secret. */
const namedIn = (values: readonly string[]) =>
  find('operators', { in: { column: 'operatorId', values }, only: ['emailHash', 'operatorId', 'name'], limit: values.length })

/** One act of a person on a subscription, as `lineOf` draws an order's. */
export const auditItem = (row: Row<'auditLog'>, nameOf: (operatorId: string) => string) =>
  lineOf({ ...auditLine(row), of: nameOf(row.operatorId) })

export function lineOf({ at, kind, of, id, what, amountPaise, state, why }: HistoryLine) {
  const sign = SIGNS[state ?? ''] ?? SIGNS[what] ?? ''
  const title = TITLES[kind]({ of, what })
  const money = amountPaise !== undefined && html` ${amountPaise < 0 ? '− ' : ''}${formatRupees(Math.abs(amountPaise))}`
  const rest = [state?.toLowerCase().replaceAll('_', ' '), why]
  const about = [...new Set(rest)].filter((each) => each !== undefined && each !== '').join(' · ')
  return html`<li class="${sign}"><time datetime="${new Date(at).toISOString()}">${dateTimeInIndia(at)}</time><div><b>${title}</b>${money}${about !== '' && html` <span class="quiet"><bdi>${about}</bdi></span>`} <span class="quiet"><bdi>${id}</bdi></span></div></li>`
}
