// A store that lives as long as its process. It decides what may happen to rows as a database does, and keeps nothing. `mohur mandate
// simulate` uses this store, and so do thousands of histories in a test. It keeps the promises of store.ts that
// test/support/store/store-contract.ts asks for. CHECKs and unique indexes are the databases' own, and this store has none.

import { taskKey } from '../tables/keys.ts'
import { type Filter, type Find, type Key, nameOf, type Row, type TableName } from '../tables/tables.ts'
import type { Event, Looks, Query, TaskChange } from './decision.ts'
import { type Store, type StoreTransaction, TryAgain, Unreachable, type Writes } from './store.ts'

type AnyRow = Row<TableName>
type Values = Readonly<Record<string, string | number | null>>

export class MemoryStore implements Store {
  readonly concurrency = 1
  readonly #tables = new Map<TableName, Map<string, AnyRow>>()
  /** The transaction that began last. Transactions follow each other. */
  #last: Promise<unknown> = Promise.resolve()
  /** The last fence of a task that was added, moved or claimed. No fence comes twice, so that no old lease fits. */
  #fence = 0
  #revision = 0
  #isClosed = false

  readonly #looks: Looks = {
    row: async <T extends TableName>(key: Key<T>) => this.#rows(key.table).get(key.name) as Row<T> | undefined,
    rows: async <T extends TableName>(find: Find<T>) => this.#find(find) as Row<T>[],
  }
  readonly query: Query = {
    ...this.#looks,
    count: async (find) => this.#find(find).length,
    tasksBeyond: async ({ added, leased }) => ({
      tasks: [...(this.#rows('tasks').values() as Iterable<Row<'tasks'>>)].filter(
        (task) => task.addedAt > added || task.leaseUntil > leased,
      ),
    }),
    revision: async () => String(this.#revision),
    atOneMoment: (work) => this.transaction(() => work(this.#looks)),
  }

  /** All readers, and the transaction itself, see its writes once it has ended. */
  transaction<T>(work: (transaction: StoreTransaction) => Promise<T>): Promise<T> {
    const done = this.#last.then(() => this.#alone(work))
    this.#last = done.catch(() => {})
    return done
  }

  async #alone<T>(work: (transaction: StoreTransaction) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new Unreachable('the store is closed')
    const written: Writes[] = []
    const result = await work({
      read: async (keys) => new Map(keys.flatMap(({ table, name }) => this.#named(table, name))),
      find: async (find) => this.#find(find),
      write: async (writes) => {
        this.#mayInsert(writes)
        written.push(writes)
      },
    })
    for (const writes of written) this.#write(writes)
    return result
  }

  /** Writes outside a transaction and at once, as a transaction of one write would. */
  write(writes: Writes) {
    this.#mayInsert(writes)
    this.#write(writes)
  }

  #named(table: TableName, name: string): [string, AnyRow][] {
    const row = this.#rows(table).get(name)
    return row ? [[name, row]] : []
  }

  #mayInsert({ changes, events }: Writes) {
    for (const { kind, key } of changes) if (kind === 'insert' && this.#rows(key.table).has(key.name)) throw new TryAgain(key.table)
    for (const event of events) if (this.#rows('events').has(nameOfEvent(event))) throw new TryAgain('events')
  }

  #write({ changes, events, tasks }: Writes) {
    this.#revision++
    for (const change of changes) {
      const rows = this.#rows(change.key.table)
      if (change.kind === 'delete') rows.delete(change.key.name)
      else if (change.kind !== 'ensure' || !rows.has(change.key.name)) rows.set(change.key.name, change.row as AnyRow)
    }
    for (const event of events) this.#rows('events').set(nameOfEvent(event), eventRow(event))
    for (const change of tasks) this.#writeTask(change)
  }

  #writeTask(change: TaskChange) {
    const rows = this.#rows('tasks')
    const { name } = taskKey(change.task, change.subject)
    if (change.kind === 'cancel') {
      rows.delete(name)
      return
    }
    const { kind: _, lease, attempts = 0, addedAt = 0, ...rest } = change
    const fence = lease?.fence ?? ++this.#fence
    rows.set(name, { ...rest, attempts, addedAt, fence, leaseUntil: lease?.until ?? 0 } satisfies Row<'tasks'>)
  }

  async claimTasks(kind: string, now: number, realNow: number, leaseUntil: number, limit: number) {
    const due = this.#find({
      find: 'tasks',
      equals: { task: kind },
      atMost: { dueAt: now, leaseUntil: realNow },
      orderBy: ['dueAt'],
      limit,
    })
    this.#revision++
    return (due as Row<'tasks'>[]).map((task) => {
      const claimed = { ...task, leaseUntil, attempts: task.attempts + 1, fence: ++this.#fence }
      this.#rows('tasks').set(taskKey(task.task, task.subject).name, claimed)
      return claimed
    })
  }

  async ping() {}
  async close() {
    this.#isClosed = true
  }

  #rows(table: TableName): Map<string, AnyRow> {
    const rows = this.#tables.get(table) ?? new Map<string, AnyRow>()
    this.#tables.set(table, rows)
    return rows
  }

  #find({ each, ...find }: Find): AnyRow[] {
    if (!each) return this.#findOnce(find)
    return each.values.flatMap((value) => this.#findOnce({ ...find, equals: { ...find.equals, [each.column]: value } }))
  }

  #findOnce({
    find: table,
    equals = {},
    in: among,
    atMost = {},
    atLeast = {},
    lastOf,
    orderBy = [],
    direction = 'asc',
    beyond,
    filter,
    only,
    ...page
  }: Find) {
    const values = (row: Values) => orderBy.map((column) => row[column]!)
    const sign = direction === 'asc' ? 1 : -1
    const all = [...this.#rows(table).values()] as unknown as Values[]
    const [is, most, least] = [Object.entries(equals), Object.entries(atMost), Object.entries(atLeast)]
    const found = all.filter(
      (row) =>
        is.every(([column, value]) => row[column] === value) &&
        most.every(([column, value]) => row[column] !== null && (row[column] as number) <= (value as number)) &&
        least.every(([column, value]) => row[column] !== null && (row[column] as number) >= (value as number)) &&
        (!among || among.values.includes(row[among.column]!)) &&
        (!beyond || sign * compared(values(row), beyond) > 0) &&
        (!lastOf ||
          !all.some((other) => lastOf.of.every((column) => other[column] === row[column]) && other[lastOf.by]! > row[lastOf.by]!)),
    )
    if (orderBy.length > 0) found.sort((a, b) => sign * compared(values(a), values(b)))
    const wanted = filter ? found.slice(0, filter.firstOf).filter((row) => isWanted(row, filter)) : found
    const portion = wanted.slice(page.offset ?? 0, (page.offset ?? 0) + page.limit)
    const asked = (row: Values) => (only ? Object.fromEntries(only.map((column) => [column, row[column]!])) : row)
    return portion.map(asked) as unknown as AnyRow[]
  }
}

const isWanted = (row: Values, { equals = {}, sum, in: among }: Filter) =>
  Object.entries(equals).every(([column, value]) => row[column] === value) &&
  (!sum || sum.columns.reduce((total, column) => total + (row[column] as number), 0) === sum.is) &&
  (!among || among.values.includes(row[among.column]!))

/** The first difference decides; null sorts first. */
function compared(a: readonly (string | number | null)[], b: readonly (string | number | null)[]): number {
  const at = a.findIndex((value, place) => value !== b[place])
  if (at < 0) return 0
  const [left, right] = [a[at]!, b[at]!]
  return left === null || (right !== null && left < right) ? -1 : 1
}

const nameOfEvent = ({ owner, id, version, type }: Event) => nameOf('events', [owner, aggregateOf(type), id, String(version)])
const aggregateOf = (type: string) => type.slice(0, type.indexOf('.'))
const eventRow = ({ owner, id, version, type, from, to, at, data }: Event): Row<'events'> => ({
  ...{ owner, aggregate: aggregateOf(type), id, version, type, fromStatus: from, toStatus: to, at, data },
})
