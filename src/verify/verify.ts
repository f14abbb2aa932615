// Whether everything that must always be true of a store is: docs/operating.md. Each invariant is a query that finds nothing.

import { sqlName } from '../store/codec.ts'
import { type TableName, tables } from '../tables.ts'
import { constraints } from './constraints.ts'
import { events } from './events.ts'
import { type Invariant, wordsOf } from './invariant.ts'
import { ledger } from './ledger.ts'
import { mandates } from './mandates.ts'
import { movements } from './movements.ts'
import { notifications } from './notifications.ts'
import { orders } from './orders.ts'
import { promotions } from './promotions.ts'
import { signIn } from './signin.ts'
import { type Found, type Snapshot, withSnapshot } from './snapshot.ts'
import { told } from './told.ts'

export const invariants: readonly Invariant[] = [
  orders,
  ledger,
  movements,
  promotions,
  mandates,
  events,
  told,
  notifications,
  signIn,
  constraints,
]
  .flat()
  .toSorted((a, b) => (a.id < b.id ? -1 : 1))

export interface Verdict {
  id: string
  says: string
  /** Rows that it is about. */
  rows: number
  breaches: number
  first: Found | undefined
}

/** Every invariant, asked of one moment. */
export const verify = (place: Parameters<typeof withSnapshot>[0]): Promise<Verdict[]> => withSnapshot(place, judge)

export async function judge({ engine, ask }: Snapshot, asked: readonly Invariant[] = invariants): Promise<Verdict[]> {
  const rows = new Map<string, number>()
  for (const table of Object.keys(tables) as TableName[])
    rows.set(table, Number((await ask(`select count(*) as n from ${sqlName(table)}`))[0]!['n']))
  rows.set(
    'every table',
    [...rows.values()].reduce((sum, count) => sum + count, 0),
  )
  const verdicts: Verdict[] = []
  for (const { id, says, over, query } of asked) {
    const text = typeof query === 'string' ? query : query(wordsOf[engine])
    // Materialized: a planner that is asked for one row only looks for the quickest way to a row that is not there.
    const [found] = await ask(
      `with breach as materialized (${text}) select breach.*, (select count(*) from breach) as breaches from breach limit 1`,
    )
    const { breaches = 0, ...first } = found ?? {}
    verdicts.push({ id, says, rows: rows.get(over)!, breaches: Number(breaches), first: found && first })
  }
  return verdicts
}

/** One line, as an operator reads it. */
export function lineOf({ id, says, rows, breaches, first }: Verdict): string {
  if (!first) return `${id}  ok      ${String(rows).padStart(9)} rows  ${says}`
  const keys = Object.entries(first).map(([name, value]) => `${name}=${value}`)
  return `${id}  BREACH  ${String(rows).padStart(9)} rows  NOT: ${says}\n     ${breaches} of them, the first: ${keys.join(' ')}`
}
