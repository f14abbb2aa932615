// Counts for the operator: overdue tasks, dead streams, and debits that no bank decides (docs/operating/watch.md).

import { type RawBuilder, sql } from 'kysely'
import { GIVEN_UP_AFTER_MS } from '../../domain/transaction/transaction.ts'
import type { DatabaseEngine } from './database.ts'

/** Mohur's choice: a figure is counted so far, because SQLite blocks the process while it counts. */
export const COUNTED_MAX = 10_000

/** Each count ends at `COUNTED_MAX`. */
export interface Backlog {
  /** For each kind: how many are overdue, and since when the oldest is. */
  tasks: readonly { task: string; waiting: number; oldestDueAt: number }[]
  deadStreams: number
  /** Debits that their bank has left undecided for longer than Mohur waits for any other payment. */
  undecidedDebits: number
}

type Count = string | number // a driver gives text for a number that may be too large for it

/**
 * Read beside the writer, through indexes that skip tasks due later. The text is always the same, because drivers keep each statement
 * they prepared.
 */
export async function readBacklog({ reader }: Pick<DatabaseEngine, 'reader'>, now: number): Promise<Backlog> {
  const counted = (set: RawBuilder<unknown>) =>
    sql`select count(*) as count from (select 1 ${set} limit ${sql.lit(COUNTED_MAX)}) as counted`
  const due = sql`from tasks where task = kinds.task and due_at <= ${now}`
  // Each step goes through the index from one kind of task to the next.
  const kinds = await sql<{ task: string; waiting: Count; oldest: Count }>`
    with recursive kinds (task) as (
      select min(task) from tasks union all select (select min(task) from tasks where task > kinds.task) from kinds where task is not null
    )
    select task, (${counted(due)}) as waiting, (select min(due_at) ${due}) as oldest from kinds where exists (select 1 ${due})`.execute(
    reader,
  )
  const dead = await sql<{ count: Count }>`${counted(sql`from notification_streams where status = 'DEAD'`)}`.execute(reader)
  const open = sql`from transactions where open_at_bank = 1 and captured_paise = 0 and initiated_at <= ${now - GIVEN_UP_AFTER_MS}`
  const undecided = await sql<{ count: Count }>`${counted(open)}`.execute(reader)
  return {
    tasks: kinds.rows.map(({ task, waiting, oldest }) => ({ task, waiting: Number(waiting), oldestDueAt: Number(oldest) })),
    deadStreams: Number(dead.rows[0]?.count ?? 0),
    undecidedDebits: Number(undecided.rows[0]?.count ?? 0),
  }
}
