// Kept times never go back, even when clocks do: docs/decisions/0013. Processes' clocks differ a little, and some are set back now and
// then. So a decision's `now` may lie before the times in its rows. Only this file moves the times that a decision writes forward to the
// times of its rows. A decision compares deadlines with its own `now`.

import type { Table } from '../tables/columns.ts'
import { aggregateOf } from '../tables/keys.ts'
import { type Row, type TableName, tables } from '../tables/tables.ts'
import type { Change, Decision, Event } from './decision.ts'

type Times = Readonly<Record<string, number | null>>

const instants = Object.fromEntries(
  Object.entries(tables as unknown as Record<string, Table>).map(([name, { columns }]) => [
    name,
    Object.keys(columns).filter((column) => columns[column]!.isInstant),
  ]),
) as unknown as Readonly<Record<TableName, readonly string[]>>

/** The latest time in a row; 0 when it has none. */
const latestOf = (table: TableName, row: Row<TableName> | undefined): number =>
  row ? instants[table].reduce((latest, column) => Math.max(latest, (row as unknown as Times)[column] ?? 0), 0) : 0

const notBefore = <T extends TableName>(now: number, table: T, row: Row<T> | undefined): number => Math.max(now, latestOf(table, row))

/**
 * A decision's changes and events, with their times moved forward. No time that a change sets lies before a time that the row had. No event
 * lies before a time in its own row, whose `updatedAt` is then the event's time.
 */
export function forwardOnly(
  { changes, events }: Pick<Decision, 'changes' | 'events'>,
  before: (name: string) => Row<TableName> | undefined,
): { changes: readonly Change[]; events: readonly Event[] } {
  const after = changes.map((change) => forward(change, before(change.key.name)))
  const dated = events.map((event) => {
    const aggregate = aggregateOf(event)
    const place = after.findLastIndex(({ key }) => key.name === aggregate?.name)
    const change = after[place]
    if (!aggregate || !change || change.kind === 'delete') return event
    const at = notBefore(event.at, aggregate.table, change.row as Row<TableName>)
    if ('updatedAt' in change.row && change.row.updatedAt < at) after[place] = withTimes(change, { updatedAt: at })
    return at === event.at ? event : { ...event, at }
  })
  return { changes: after, events: dated }
}

function forward(change: Change, before: Row<TableName> | undefined): Change {
  if (change.kind === 'delete' || !before) return change
  const { table } = change.key
  const [was, is] = [before as unknown as Times, change.row as unknown as Times]
  const floor = latestOf(table, before)
  const early = instants[table].filter((column) => is[column] !== was[column] && is[column] !== null && is[column]! < floor)
  return early.length === 0 ? change : withTimes(change, Object.fromEntries(early.map((column) => [column, floor])))
}

const withTimes = (change: Exclude<Change, { kind: 'delete' }>, times: Times) => ({ ...change, row: { ...change.row, ...times } }) as Change
