// What a store promises the engine. test/adapters/store/store.test.ts holds both engines (SQLite, PostgreSQL) to it.

import type { Find, Key, Row, TableName } from '../tables/tables.ts'
import type { Change, Event, Query, TaskChange } from './decision.ts'

export interface Store {
  /**
   * Runs `work` in one transaction and commits it durably. Throws TryAgain, Held, Unreachable, CommitUnknown, or what the database said.
   * A row that somebody else holds is waited for as long as the store waits for one, or for `lockWaitMs`.
   */
  transaction<T>(work: (transaction: StoreTransaction) => Promise<T>, lockWaitMs?: number): Promise<T>
  /** Committed rows, without a lock, beside the writer. */
  query: Query
  /**
   * Tasks of a kind that are due at `now` and free, the longest due first, each leased until `leaseUntil` (real time) under a fence raised
   * by one. `unreadable` hears of each that cannot be opened: it is leased with the others, and left out.
   */
  claimTasks(
    kind: string,
    now: number,
    realNow: number,
    leaseUntil: number,
    limit: number,
    unreadable?: (error: Error) => void,
  ): Promise<readonly Row<'tasks'>[]>
  /** How many batches may be under way at once: a single writer has no use for a second. */
  readonly concurrency: number
  ping(): Promise<void>
  close(): Promise<void>
}

export interface StoreTransaction {
  /** Rows by the `name` of their key; those with mode `lock` stay locked until the end, taken in key order. */
  read(keys: readonly Key[]): Promise<ReadonlyMap<string, Row<TableName>>>
  find(find: Find): Promise<readonly Row<TableName>[]>
  write(writes: Writes): Promise<void>
}

export interface Writes {
  changes: readonly Change[]
  events: readonly Event[]
  tasks: readonly TaskChange[]
}

const ATTEMPTS_MAX = 5 // of one transaction, when another process was faster

/** A transaction outside the engine's batches: `work` is run again when another process was faster, so it must bear that. */
export async function transact<T>(store: Store, work: (transaction: StoreTransaction) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await store.transaction(work)
    } catch (error) {
      if (!(error instanceof TryAgain || error instanceof RowLocked) || attempt === ATTEMPTS_MAX) throw error
    }
  }
}

/** Nothing was committed and the same work may succeed when it is done again: a lost race, 40001, 40P01. */
export class TryAgain extends Error {
  override readonly name = 'TryAgain'
}

/** Nothing was committed: a row or a table is held by somebody who has not let go of it in time, 55P03. Whoever does not want it would fare better. */
export class RowLocked extends Error {
  override readonly name = 'RowLocked'
}

/** Nothing was committed, and nobody in the batch would fare better alone: the database is away, held by somebody else, may only be read, or has no room. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

/**
 * Nobody knows whether the commit happened, or whether it stays, so that no caller hears either. Where only a fail-over can lose the rows
 * the process goes on. Else it ends, and its next start reads the truth.
 */
export class CommitUnknown extends Error {
  override readonly name = 'CommitUnknown'
  readonly process: 'ends' | 'goes on'

  constructor(message: string, options: ErrorOptions & { process?: CommitUnknown['process'] } = {}) {
    super(message, options)
    this.process = options.process ?? 'ends'
  }
}
