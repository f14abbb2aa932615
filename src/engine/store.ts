// The promises of a store to the engine. test/adapters/store/store.test.ts holds SQLite and PostgreSQL to them.

import type { Find, Key, Row, TableName } from '../tables/tables.ts'
import type { Change, Event, Query, TaskChange } from './decision.ts'

export interface Store {
  /**
   * Runs `work` in one transaction and commits it durably. Throws TryAgain, RowLocked, Unreachable, CommitUnknown, or the database's own
   * error. For a row that another party has locked, it waits for `lockWaitMs`, else for the store's own time.
   */
  transaction<T>(work: (transaction: StoreTransaction) => Promise<T>, lockWaitMs?: number): Promise<T>
  /** Committed rows, without a lock, beside the writer. */
  query: Query
  /**
   * Tasks of a kind that are due at `now` and free, the longest due first. Each is leased until `leaseUntil` (real time) under a fence
   * raised by one. `unreadable` gets the error of each task that cannot be opened. That task is leased with the others, and left out.
   */
  claimTasks(
    kind: string,
    now: number,
    realNow: number,
    leaseUntil: number,
    limit: number,
    unreadable?: (error: Error) => void,
  ): Promise<readonly Row<'tasks'>[]>
  /** How many batches may be under way at once. A single writer has no use for a second. */
  readonly concurrency: number
  ping(): Promise<void>
  close(): Promise<void>
}

export interface StoreTransaction {
  /** Rows by the `name` of their key. Those with mode `lock` stay locked until the end; the locks are taken in key order. */
  read(keys: readonly Key[]): Promise<ReadonlyMap<string, Row<TableName>>>
  find(find: Find): Promise<readonly Row<TableName>[]>
  write(writes: Writes): Promise<void>
}

export interface Writes {
  changes: readonly Change[]
  events: readonly Event[]
  tasks: readonly TaskChange[]
}

const ATTEMPTS_MAX = 5 // of one transaction, when another process was first

/** A transaction outside the engine's batches. `work` runs again when another process was first, so it must allow a second run. */
export async function transact<T>(store: Store, work: (transaction: StoreTransaction) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await store.transaction(work)
    } catch (error) {
      if (!(error instanceof TryAgain || error instanceof RowLocked) || attempt === ATTEMPTS_MAX) throw error
    }
  }
}

/** Nothing was committed, and the same work may succeed when it is repeated: a lost race, 40001, 40P01. */
export class TryAgain extends Error {
  override readonly name = 'TryAgain'
}

/** Nothing was committed: another party kept a row or a table locked for too long, 55P03. Work that needs neither would fare better. */
export class RowLocked extends Error {
  override readonly name = 'RowLocked'
}

/** A sealed value in the store does not open: another key sealed it, or somebody changed it. */
export class Unopened extends Error {
  override readonly name = 'Unopened'
}

/**
 * Nothing was committed, and no command of the batch would fare better alone. The database is unreachable, locked by another party,
 * read-only, or full.
 */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

/**
 * It is unknown whether the commit happened, or whether it stays, so no caller gets a result. If only a fail-over can lose the rows, the
 * process goes on. Otherwise it ends, and its next start reads the truth.
 */
export class CommitUnknown extends Error {
  override readonly name = 'CommitUnknown'
  readonly process: 'ends' | 'goes on'

  constructor(message: string, options: ErrorOptions & { process?: CommitUnknown['process'] } = {}) {
    super(message, options)
    this.process = options.process ?? 'ends'
  }
}
