// A store that lives as long as its process: what may happen to rows is decided as in a database, and nothing is kept. For what
// would happen (`mohur mandate simulate`) and for thousands of histories in a test; CHECKs are the databases' own.

import { type Find, type Key, nameOf, type Row, type TableName, taskKey } from '../tables.ts'
import type { Query } from './decision.ts'
import { type Store, type Transaction, TryAgain, type Writes } from './store.ts'

type AnyRow = Row<TableName>
type Values = Readonly<Record<string, string | number | null>>

export class MemoryStore implements Store {
  readonly concurrency = 1
  readonly #tables = new Map<TableName, Map<string, AnyRow>>()

  readonly query: Query = {
    row: async <T extends TableName>(key: Key<T>) => this.#rows(key.table).get(key.name) as Row<T> | undefined,
    rows: async <T extends TableName>(find: Find<T>) => this.#find(find) as Row<T>[],
  }

  async transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return work({
      read: async (keys) =>
        new Map(keys.flatMap(({ table, name }) => (this.#rows(table).has(name) ? [[name, this.#rows(table).get(name)!]] : []))),
      find: async (find) => this.#find(find),
      write: async (writes) => this.write(writes),
    })
  }

  write({ changes, events, tasks }: Writes) {
    for (const { kind, key } of changes) if (kind === 'insert' && this.#rows(key.table).has(key.name)) throw new TryAgain(key.table)
    for (const change of changes) {
      const rows = this.#rows(change.key.table)
      if (change.kind === 'delete') rows.delete(change.key.name)
      else rows.set(change.key.name, change.row as AnyRow)
    }
    for (const { owner, id, version, type, from, to, at, data } of events) {
      const aggregate = type.slice(0, type.indexOf('.'))
      const row: Row<'events'> = { owner, aggregate, id, version, type, fromStatus: from, toStatus: to, at, data }
      this.#rows('events').set(nameOf('events', [owner, aggregate, id, String(version)]), row)
    }
    for (const change of tasks) {
      const { name } = taskKey(change.task, change.subject)
      const rows = this.#rows('tasks')
      if (change.kind === 'cancel') {
        rows.delete(name)
        continue
      }
      const { kind: _, lease, attempts = 0, addedAt = 0, ...rest } = change
      const fence = lease?.fence ?? ((rows.get(name) as Row<'tasks'> | undefined)?.fence ?? 0) + 1
      rows.set(name, { ...rest, attempts, addedAt, fence, leaseUntil: lease?.until ?? 0 } satisfies Row<'tasks'>)
    }
  }

  async claimTasks(kind: string, now: number, realNow: number, leaseUntil: number, limit: number) {
    const due = this.#find({
      find: 'tasks',
      equals: { task: kind },
      atMost: { dueAt: now, leaseUntil: realNow },
      orderBy: ['dueAt'],
      limit,
    })
    return (due as Row<'tasks'>[]).map((task) => {
      const claimed = { ...task, leaseUntil, attempts: task.attempts + 1, fence: task.fence + 1 }
      this.#rows('tasks').set(taskKey(task.task, task.subject).name, claimed)
      return claimed
    })
  }

  async ping() {}
  async close() {}

  #rows(table: TableName): Map<string, AnyRow> {
    const rows = this.#tables.get(table) ?? new Map<string, AnyRow>()
    this.#tables.set(table, rows)
    return rows
  }

  #find({
    find: table,
    equals = {},
    in: among,
    atMost = {},
    atLeast = {},
    lastOf,
    orderBy = [],
    direction = 'asc',
    beyond,
    ...page
  }: Find) {
    const sign = direction === 'asc' ? 1 : -1
    const all = [...this.#rows(table).values()] as unknown as Values[]
    const found = all.filter(
      (row) =>
        Object.entries(equals).every(([column, value]) => row[column] === value) &&
        Object.entries(atMost).every(([column, value]) => row[column] !== null && (row[column] as number) <= (value as number)) &&
        Object.entries(atLeast).every(([column, value]) => row[column] !== null && (row[column] as number) >= (value as number)) &&
        (!among || among.values.includes(row[among.column]!)) &&
        (!beyond ||
          sign *
            compared(
              orderBy.map((column) => row[column]!),
              beyond,
            ) >
            0) &&
        (!lastOf ||
          !all.some((other) => lastOf.of.every((column) => other[column] === row[column]) && other[lastOf.by]! > row[lastOf.by]!)),
    )
    const values = (row: Values) => orderBy.map((column) => row[column]!)
    if (orderBy.length > 0) found.sort((a, b) => sign * compared(values(a), values(b)))
    return found.slice(page.offset ?? 0, (page.offset ?? 0) + page.limit) as unknown as AnyRow[]
  }
}

/** The first difference decides; null sorts first. */
function compared(a: readonly (string | number | null)[], b: readonly (string | number | null)[]): number {
  const at = a.findIndex((value, place) => value !== b[place])
  if (at < 0) return 0
  const [left, right] = [a[at]!, b[at]!]
  return left === null || (right !== null && left < right) ? -1 : 1
}
