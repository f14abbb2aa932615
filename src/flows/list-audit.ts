// The audit log as a list, newest first. Its ids begin with the time, so the period is a range of the key.

import type { Looks, Query } from '../engine/decision.ts'
import { find, type Row } from '../tables/tables.ts'
import { AUDIT_TIME_DIGITS } from './auditing.ts'
import { EXAMINED_MAX, type Listing, type Portion } from './list-portions.ts'
import { openedRows } from './opened-rows.ts'

export interface AuditListing extends Pick<Listing, 'mids' | 'from' | 'to' | 'after' | 'limit'> {
  operatorId?: string
  subject?: string
}

const timeOf = (at: number) => String(at).padStart(AUDIT_TIME_DIGITS, '0')
const LAST = '~' // behind every id of an instant

/** Rows without a merchant are only for people who see all merchants. The rows lack reason and data. */
export async function auditListed(
  query: Query,
  { mids, from, to, after, limit, operatorId, subject }: AuditListing,
  most = EXAMINED_MAX,
): Promise<Portion<'auditLog'>> {
  if (mids?.length === 0) return { rows: [], isCut: false }
  const own = subject !== undefined ? { subject } : operatorId !== undefined ? { operatorId } : {}
  const others = subject !== undefined && operatorId !== undefined ? { equals: { operatorId } } : {}
  const range = {
    ...{ equals: own, atLeast: { auditId: timeOf(from) }, atMost: { auditId: `${timeOf(to)}${LAST}` } },
    ...(after && { beyond: [after.id] }),
    ...({ orderBy: ['auditId'], direction: 'desc', unopened: true } as const),
  }
  const isFiltered = mids !== null || 'equals' in others
  const filter = isFiltered && { firstOf: most.rows, ...others, ...(mids && { in: { column: 'mid' as const, values: mids } }) }
  // Rows are written meanwhile. Both statements must count the same ones.
  return query.atOneMoment(async (looks) => {
    const found = await looks.rows(find('auditLog', { ...range, limit: limit + 1, ...(filter && { filter }) }))
    if (found.length > limit) return { rows: found.slice(0, limit), next: placeOf(found[limit - 1]!), isCut: false }
    const [last] = filter ? await looks.rows(find('auditLog', { ...range, limit: 1, offset: most.rows - 1 })) : []
    return { rows: found, isCut: last !== undefined, ...(last && { next: placeOf(last) }) }
  })
}

const placeOf = ({ at, auditId }: Row<'auditLog'>) => ({ at, mid: '', id: auditId })

/** Stands for a text that cannot be opened. */
export const UNOPENED = '(cannot be opened)'

/** Rows that were read unopened, with what people wrote. */
export async function withReasons(looks: Looks, rows: readonly Row<'auditLog'>[]): Promise<readonly Row<'auditLog'>[]> {
  const ids = rows.flatMap(({ auditId, reasonHash }) => (reasonHash === null ? [] : [auditId]))
  if (ids.length === 0) return rows
  const reasonOf = (values: readonly string[]) =>
    find('auditLog', { in: { column: 'auditId', values }, only: ['auditId', 'reason'], limit: values.length })
  const whole = await openedRows(looks, reasonOf(ids), ({ auditId }) => reasonOf([auditId]))
  const reasons = new Map(whole.map(({ auditId, reason }) => [auditId, reason ?? UNOPENED]))
  return rows.map((row) => ({ ...row, reason: reasons.get(row.auditId) ?? null }))
}
