// How much is due and not done, and what was given up: two counts for whoever watches (docs/operating.md).

import { CompiledQuery } from 'kysely'
import type { Engine } from './database.ts'

export interface Backlog {
  /** By kind: how many are due, and since when the oldest is. */
  tasks: readonly { task: string; waiting: number; oldestDueAt: number }[]
  deadStreams: number
}

/** Read beside the writer, through indexes: what is due only later is not looked at. */
export async function readBacklog({ reading }: Pick<Engine, 'reading'>, now: number): Promise<Backlog> {
  const session = await reading.acquireConnection()
  try {
    const rows = async (text: string) => (await session.executeQuery<Record<string, string | number>>(CompiledQuery.raw(text, []))).rows
    const due = `from tasks where task = kinds.task and due_at <= ${Math.trunc(now)}`
    // Kind by kind, by a step in the index from each to the next.
    const tasks = await rows(`
      with recursive kinds (task) as (
        select min(task) from tasks union all select (select min(task) from tasks where task > kinds.task) from kinds where task is not null
      )
      select task, (select count(*) ${due}) as waiting, (select min(due_at) ${due}) as oldest from kinds where exists (select 1 ${due})`)
    const [dead] = await rows("select count(*) as count from notification_streams where status = 'DEAD'")
    return {
      tasks: tasks.map(({ task, waiting, oldest }) => ({ task: String(task), waiting: Number(waiting), oldestDueAt: Number(oldest) })),
      deadStreams: Number(dead?.['count'] ?? 0),
    }
  } finally {
    await reading.releaseConnection(session)
  }
}
