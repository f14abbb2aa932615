// Checks the invariants of a store (docs/operating/watch.md). Each is a query that finds nothing while the invariant holds.

import { sqlName } from '../adapters/store/codec.ts'
import { type TableName, tables } from '../tables/tables.ts'
import { approvals } from './approvals.ts'
import { constraints } from './constraints.ts'
import { debits } from './debits.ts'
import { events } from './events.ts'
import { type Invariant, wordsOf } from './invariant.ts'
import { ledger } from './ledger.ts'
import { mandates } from './mandates.ts'
import { movements } from './movements.ts'
import { notifications } from './notifications.ts'
import { orders } from './orders.ts'
import { promotions } from './promotions.ts'
import { rowsMatchEvents } from './rows-match-events.ts'
import { signIn } from './signin.ts'
import { type Found, type Snapshot, withSnapshot } from './snapshot.ts'

export const invariants: readonly Invariant[] = [
  orders,
  ledger,
  movements,
  promotions,
  mandates,
  debits,
  events,
  rowsMatchEvents,
  notifications,
  signIn,
  approvals,
  constraints,
]
  .flat()
  .toSorted((a, b) => (a.id < b.id ? -1 : 1))

export interface InvariantVerdict {
  id: string
  says: string
  /** How many rows the invariant is about. */
  rows: number
  breaches: number
  first: Found | undefined
}

/** All invariants, at one moment. */
export const verify = (place: Parameters<typeof withSnapshot>[0]): Promise<InvariantVerdict[]> => withSnapshot(place, judge)

export async function judge({ engine, ask }: Snapshot, asked: readonly Invariant[] = invariants): Promise<InvariantVerdict[]> {
  const rows = new Map<string, number>()
  for (const table of Object.keys(tables) as TableName[])
    rows.set(table, Number((await ask(`select count(*) as n from ${sqlName(table)}`))[0]!['n']))
  rows.set(
    'every table',
    [...rows.values()].reduce((sum, count) => sum + count, 0),
  )
  const verdicts: InvariantVerdict[] = []
  // Materialized: otherwise the planner looks for the quickest way to one row, and that row does not exist.
  const firstOf = async (text: string) => {
    const [row] = await ask(`with found as materialized (${text}) select found.*, (select count(*) from found) as found from found limit 1`)
    const { found = 0, ...first } = row ?? {}
    return { found: Number(found), first: row && first }
  }
  for (const { id, says, over, query } of asked) {
    const { found: breaches, first } = await firstOf(typeof query === 'string' ? query : query(wordsOf[engine]))
    verdicts.push({ id, says, rows: rows.get(over)!, breaches, first })
  }
  return verdicts
}

/** One line, as an operator reads it. */
export function lineOf({ id, says, rows, breaches, first }: InvariantVerdict): string {
  if (!first) return `${id}  ok      ${String(rows).padStart(9)} rows  ${says}`
  return `${id}  BREACH  ${String(rows).padStart(9)} rows  NOT: ${says}\n     ${breaches} of them, the first: ${keysOf(first)}`
}
const keysOf = (found: Found) =>
  Object.entries(found)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')
