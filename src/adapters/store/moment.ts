// Reads of one moment, beside the writer: a commit between two reads is in neither answer. PostgreSQL keeps a snapshot for them, and SQLite
// ignores later commits in its log.

import type { Looks } from '../../engine/decision.ts'
import type { Find, Key, Row } from '../../tables/tables.ts'
import type { Asks } from './read-batcher.ts'
import type { Session, Sessions } from './session.ts'

export async function atOneMoment<T>(driver: Sessions, session: Session, asks: Asks, work: (looks: Looks) => Promise<T>): Promise<T> {
  await driver.beginTransaction(session, { isReading: true })
  try {
    return await work({
      row: async <R extends Key['table']>(key: Key<R>) =>
        (await asks.read([{ ...key, mode: 'look' } as Key])).get(key.name) as Row<R> | undefined,
      rows: async <R extends Key['table']>(find: Find<R>) => (await asks.find(find)) as unknown as readonly Row<R>[],
    })
  } finally {
    await driver.rollbackTransaction(session).catch(() => {}) // a connection that cannot roll back is not used again
  }
}
