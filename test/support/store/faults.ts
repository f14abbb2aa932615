// A store that fails where a test says. The store underneath is real; the test only chooses the moment of the failure.

import type { Looks } from '../../../src/engine/decision.ts'
import { CommitUnknown, type Store, type StoreTransaction, TryAgain, type Writes } from '../../../src/engine/store.ts'
import type { Key, Row, TableName } from '../../../src/tables/tables.ts'

export type FaultPoint = 'begin' | 'read' | 'write' | 'commit' | 'after commit'

export interface Faults {
  store: Store
  /** The next time that a call reaches this point, it gets `error`. Several errors wait in line. */
  fail(at: FaultPoint, error: Error): void
  /** While `work` runs, every call that reaches this point gets the error. So due work beside a request cannot use up the fault. */
  during<T>(at: FaultPoint, error: Error, work: () => Promise<T>): Promise<T>
  /** Transactions that were begun, and those whose COMMIT succeeded. */
  readonly counts: { begun: number; committed: number }
}

export function withFaults(store: Store): Faults {
  const planned: { at: FaultPoint; error: Error }[] = []
  const standing = new Map<FaultPoint, Error>()
  const counts = { begun: 0, committed: 0 }
  const reach = (at: FaultPoint) => {
    if (standing.has(at)) throw standing.get(at)!
    const place = planned.findIndex((fault) => fault.at === at)
    if (place >= 0) throw planned.splice(place, 1)[0]!.error
  }
  const failing: Store = {
    query: store.query,
    concurrency: store.concurrency,
    claimTasks: (...given) => store.claimTasks(...given),
    ping: () => store.ping(),
    close: () => store.close(),
    async transaction<T>(work: (transaction: StoreTransaction) => Promise<T>): Promise<T> {
      reach('begin')
      counts.begun++
      const result = await store.transaction(async (transaction) => {
        const done = await work({
          async read(keys) {
            reach('read')
            return transaction.read(keys)
          },
          async find(find) {
            reach('read')
            return transaction.find(find)
          },
          async write(writes) {
            reach('write')
            await transaction.write(writes)
          },
        })
        reach('commit') // thrown inside, so the real transaction is rolled back, as if COMMIT had never arrived
        return done
      })
      counts.committed++
      reach('after commit') // COMMIT arrived, and its answer is lost
      return result
    },
  }
  return {
    store: failing,
    counts,
    fail: (at, error) => void planned.push({ at, error }),
    async during(at, error, work) {
      standing.set(at, error)
      try {
        return await work()
      } finally {
        standing.delete(at)
      }
    },
  }
}

/** The errors that PostgreSQL's 40001 and 40P01 become on their way through the store. */
export const lostRace = (sqlState: '40001' | '40P01') =>
  new TryAgain('injected', { cause: Object.assign(new Error(sqlState), { code: sqlState }) })
export const commitUnknown = () => new CommitUnknown('injected')

type Rows = ReadonlyMap<string, Row<TableName>>
interface Seen {
  query?(table: TableName): void
  /** Replaces the rows that the engine gets. */
  read?(rows: Rows, keys: readonly Key[]): Rows
  write?(writes: Writes): void
}

/**
 * The real store, with the additions of `seen`: before rows are read beside the writer, after rows were read for a batch, before anything
 * is written.
 */
export function watched(store: Store, seen: Seen): Store {
  const looksOf = (looks: Looks): Looks => ({
    async row(key) {
      seen.query?.(key.table)
      return looks.row(key)
    },
    async rows(find) {
      seen.query?.(find.find)
      return looks.rows(find)
    },
  })
  const { query } = store
  return {
    query: { ...query, ...looksOf(query), atOneMoment: (work) => query.atOneMoment((looks) => work(looksOf(looks))) },
    concurrency: store.concurrency,
    transaction: (work) =>
      store.transaction((transaction) =>
        work({
          async read(keys) {
            const rows = await transaction.read(keys)
            return seen.read?.(rows, keys) ?? rows
          },
          find: (find) => transaction.find(find),
          async write(writes) {
            seen.write?.(writes)
            await transaction.write(writes)
          },
        }),
      ),
    claimTasks: (...given) => store.claimTasks(...given),
    ping: () => store.ping(),
    close: () => store.close(),
  }
}

/** A store whose reads beside the writer fail while `failing.now` is true. */
export const withFailingQuery = (store: Store, failing: { now: boolean }) =>
  watched(store, {
    query() {
      if (failing.now) throw new Error('injected')
    },
  })
