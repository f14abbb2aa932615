// What the two engines' drivers promise: a connection, and transactions on it.

import type { CompiledQuery, DatabaseConnection, Driver, TransactionSettings } from 'kysely'
import type { DatabaseValue } from './codec.ts'

export interface Session extends DatabaseConnection {
  /**
   * Sends a statement that returns no rows. If the server is a round trip away, no caller waits for the answer: a failure comes with the
   * next read or the COMMIT.
   */
  write(query: CompiledQuery): Promise<{ numAffectedRows?: bigint }>
  /** As `write`, for many rows, each a list of values. SQLite takes the rows one by one, PostgreSQL as one array for each column. */
  writeRows(sql: string, rows: readonly (readonly DatabaseValue[])[]): Promise<{ numAffectedRows?: bigint }>
}
export type BeginSettings = TransactionSettings & { lockWaitMs?: number | undefined; isReading?: boolean }
/** A COMMIT that may have happened, but has no clear success, throws CommitUnknown. Any other error means that nothing was committed. */
export interface Sessions extends Driver {
  acquireConnection(): Promise<Session>
  /** `isReading`: all reads are of one moment, and nothing is written. */
  beginTransaction(session: DatabaseConnection, settings: BeginSettings): Promise<void>
}
