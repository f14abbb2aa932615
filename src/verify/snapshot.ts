// One moment of a database, read beside the processes that use it. On PostgreSQL it is a REPEATABLE READ transaction. On the embedded
// store it is a read-only connection, for which the writer does not wait.

import { sql } from 'kysely'
import { openBeside } from '../adapters/store/open.ts'
import type { Settings } from '../settings.ts'

/** A row of an answer. The database may give sums as texts. */
export type Found = Readonly<Record<string, string | number | null>>

export interface Snapshot {
  engine: 'sqlite' | 'postgres'
  ask(query: string): Promise<readonly Found[]>
}

const BEGIN = {
  sqlite: ['begin'],
  // Whole tables are compared. If they have grown since the last ANALYZE, a nested loop looks cheap to the planner and is not.
  postgres: ['begin isolation level repeatable read read only', 'set local enable_nestloop = off'],
} as const

/** Runs `work` on what was committed when it began. Writes nothing. */
export async function withSnapshot<T>(
  place: Pick<Settings, 'databaseUrl' | 'dataFolder'>,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const engine = await openBeside(place)
  try {
    return await engine.reader.connection().execute(async (connection) => {
      const ask = async (query: string) => (await sql.raw<Found>(query).execute(connection)).rows
      for (const statement of BEGIN[engine.name]) await ask(statement)
      try {
        return await work({ engine: engine.name, ask })
      } finally {
        await ask('rollback')
      }
    })
  } finally {
    await engine.close()
  }
}
