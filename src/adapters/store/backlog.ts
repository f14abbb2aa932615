// How much is due and not done, what was given up, and what no bank decides: counts for the operator (docs/operating/watch.md).

import { sql } from 'kysely'
import { GIVEN_UP_AFTER_MS } from '../../domain/transaction/transaction.ts'
import type { DatabaseEngine } from './database.ts'

export interface Backlog {
  /** By kind: how many are due, and since when the oldest is. */
  tasks: readonly { task: string; waiting: number; oldestDueAt: number }[]
  deadStreams: number
  /** Debits that their bank has not decided for longer than any other payment is waited for. */
  undecidedDebits: number
}

type Count = string | number // as a driver gives what may be larger than its own numbers

/** Read beside the writer, through indexes: what is due only later is not looked at. The text is the same at every time: drivers keep what they have prepared. */
export async function readBacklog({ reader }: Pick<DatabaseEngine, 'reader'>, now: number): Promise<Backlog> {
  const due = sql`from tasks where task = kinds.task and due_at <= ${now}`
  // Kind by kind, by a step in the index from each to the next.
  const kinds = await sql<{ task: string; waiting: Count; oldest: Count }>`
    with recursive kinds (task) as (
      select min(task) from tasks union all select (select min(task) from tasks where task > kinds.task) from kinds where task is not null
    )
    select task, (select count(*) ${due}) as waiting, (select min(due_at) ${due}) as oldest from kinds where exists (select 1 ${due})`.execute(
    reader,
  )
  const dead = await sql<{ count: Count }>`select count(*) as count from notification_streams where status = 'DEAD'`.execute(reader)
  const undecided = await sql<{ count: Count }>`
    select count(*) as count from transactions
    where open_at_bank = 1 and captured_paise = 0 and initiated_at <= ${now - GIVEN_UP_AFTER_MS}`.execute(reader)
  return {
    tasks: kinds.rows.map(({ task, waiting, oldest }) => ({ task, waiting: Number(waiting), oldestDueAt: Number(oldest) })),
    deadStreams: Number(dead.rows[0]?.count ?? 0),
    undecidedDebits: Number(undecided.rows[0]?.count ?? 0),
  }
}
