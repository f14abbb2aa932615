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
    const tasks = await rows(
      `select task, count(*) as waiting, min(due_at) as oldest from tasks where due_at <= ${Math.trunc(now)} group by task`,
    )
    const [dead] = await rows("select count(*) as count from notification_streams where status = 'DEAD'")
    return {
      tasks: tasks.map(({ task, waiting, oldest }) => ({ task: String(task), waiting: Number(waiting), oldestDueAt: Number(oldest) })),
      deadStreams: Number(dead?.['count'] ?? 0),
    }
  } finally {
    await reading.releaseConnection(session)
  }
}
