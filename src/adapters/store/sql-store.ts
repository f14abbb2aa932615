// One store over the drivers of SQLite and PostgreSQL. It uses only the drivers' interface of Kysely.
// A batch names many rows at once. So that each engine prepares few statements, lists of keys are cut into a few sizes, and a statement
// is compiled once for each size.

import { randomInt } from 'node:crypto'
import { CompiledQuery } from 'kysely'
import type { Change, Query, TaskChange, TasksBeyond } from '../../engine/decision.ts'
import { type Store, type StoreTransaction, TryAgain, Unreachable, type Writes } from '../../engine/store.ts'
import { FIRST_FENCE_MAX } from '../../engine/tasks.ts'
import { type Find, type Key, nameOf, type Row, type TableName } from '../../tables/tables.ts'
import { codecs, type DatabaseValue, type TableCodec } from './codec.ts'
import type { DatabaseEngine } from './database.ts'
import { countStatement, findStatement, findValues, row } from './find-statement.ts'
import { atOneMoment } from './moment.ts'
import { type Asks, ReadBatcher } from './read-batcher.ts'
import type { Session, Sessions } from './session.ts'
import type { Vault } from './vault.ts'

const SIZES = [64, 16, 4, 1] // keys of one statement
const WRITE_ORDER: readonly Change['kind'][] = ['delete', 'update', 'insert', 'ensure']

/** SQLite: of the connection that reads, which commits nothing itself. */
const REVISION = { sqlite: 'pragma data_version', postgres: 'select pg_current_snapshot()::text' }
const PING = "select name from settings where name = ''"

const PORTION = 5_000 // Mohur's choice: tasks of one look, 6 ms; two looks a second reach 600,000 within a minute
const BEYOND_MAX = 500 // of one look
const BEYOND = '(added_at > ? or lease_until > ?) limit ?'
/** In the order of the file, because rows in the order of a key lie scattered. The last row says where to go on. */
const PORTION_BEYOND = `with last (place) as materialized (select rowid from tasks where rowid > ? order by rowid limit 1 offset ${PORTION - 1})
  select * from (
    select task, subject, null as place from tasks
    where rowid > ? and rowid <= coalesce((select place from last), ${Number.MAX_SAFE_INTEGER}) and ${BEYOND}
  ) union all select '', '', (select place from last)`
const ALL_BEYOND = `select task, subject from tasks where ${BEYOND}`

type Stored = Readonly<Record<string, DatabaseValue>>
type AnyRow = Row<TableName>

/** The parts of a database that the store uses: all except those that go through Kysely. */
type Spoken = Omit<DatabaseEngine, 'writer' | 'reader' | 'migrating' | 'warnings'>

export class SqlStore implements Store {
  readonly #engine: Spoken
  readonly #codecs: Readonly<Record<TableName, TableCodec>>
  readonly #compiled = new Map<string, string>()
  readonly query: Query
  readonly concurrency: number

  constructor(engine: Spoken, vault: Vault) {
    this.#engine = engine
    this.#codecs = codecs(vault)
    this.concurrency = engine.concurrency
    const reading = <T>(work: (session: Session) => Promise<T>) => this.#session(engine.reading, work)
    const asksOf = (session: Session): Asks => ({ read: (keys) => this.#read(session, keys), find: (find) => this.#find(session, find) })
    const { row, rows } = new ReadBatcher({
      read: (keys) => reading((session) => asksOf(session).read(keys)),
      find: (find) => reading((session) => asksOf(session).find(find)),
    })
    const count: Query['count'] = (find) => reading((session) => this.#count(session, find))
    this.query = {
      row,
      rows,
      count,
      tasksBeyond: (times, after = 0) => reading((session) => this.#tasksBeyond(session, times, after)),
      revision: () => reading(async (session) => String(Object.values((await this.#run(session, REVISION[engine.name], []))[0]!)[0])),
      atOneMoment: (work) => reading((session) => atOneMoment(engine.reading, session, asksOf(session), work)),
    }
  }

  transaction<T>(work: (transaction: StoreTransaction) => Promise<T>, lockWaitMs?: number): Promise<T> {
    const { writing } = this.#engine
    return this.#writing(async (session) => {
      await writing.beginTransaction(session, { lockWaitMs }).catch(unreachable)
      try {
        const result = await work({
          read: (keys) => this.#read(session, keys),
          find: (find) => this.#find(session, find),
          write: (writes) => this.#write(session, writes),
        })
        await writing.commitTransaction(session)
        return result
      } catch (error) {
        // Afterwards the connection must not be within a transaction. The first error says more than an error of the rollback.
        await writing.rollbackTransaction(session).catch(() => {})
        throw error
      }
    })
  }

  async #writing<T>(work: (session: Session) => Promise<T>): Promise<T> {
    try {
      return await this.#session(this.#engine.writing, work)
    } catch (error) {
      throw this.#engine.meaningOf(error)
    }
  }

  /** Kysely's drivers without Kysely between: its layers cost as much as the statements (docs/decisions/README.md). */
  async #session<T>(driver: Sessions, work: (session: Session) => Promise<T>): Promise<T> {
    const session = await driver.acquireConnection().catch(unreachable)
    try {
      return await work(session)
    } finally {
      await driver.releaseConnection(session)
    }
  }

  async claimTasks(...[kind, now, realNow, leaseUntil, limit, unreadable = () => {}]: Parameters<Store['claimTasks']>) {
    const { name, lockClause } = this.#engine
    const { sqlColumns } = this.#codecs.tasks
    // Claims one kind, so that the index gives the order: a long queue is not sorted for its first few. Materialized: a join that asked the
    // list again and again would each time lock and lease more than `limit`. Rows are found by their place, and not by their keys.
    // PostgreSQL plans the statement without knowing the limit, so it would find keys by reading the whole table.
    const text = this.#text('claim tasks', () => {
      const [place, isDue] =
        name === 'postgres' ? ['ctid', '= any (array(select place from due))'] : ['rowid', 'in (select place from due)']
      return `with due as materialized (
          select ${place} as place from tasks where task = ? and due_at <= ? and lease_until <= ? order by due_at limit ?${lockClause && `${lockClause} skip locked`}
        )
        update tasks set fence = fence + 1, attempts = attempts + 1, lease_until = ? where ${place} ${isDue} returning ${sqlColumns.join(', ')}`
    })
    const values = [kind, now, realNow, limit, leaseUntil]
    const rows = await this.#writing((session) => this.#run(session, text, values))
    const claimed: Row<'tasks'>[] = []
    for (const row of rows) {
      try {
        claimed.push(this.#codecs.tasks.decode(row) as Row<'tasks'>)
      } catch (cause) {
        unreadable(new Error(`the task of ${row['subject']} cannot be opened`, { cause }))
      }
    }
    return claimed.sort((a, b) => a.dueAt - b.dueAt)
  }

  /** Reads a row that does not exist, as if to change it: a server that may only be read refuses even that. */
  async ping() {
    await this.#session(this.#engine.reading, (session) => this.#run(session, `${PING}${this.#engine.lockClause}`, []))
  }
  close() {
    return this.#engine.close()
  }

  async #run(session: Session, text: string, values: readonly DatabaseValue[]): Promise<readonly Stored[]> {
    return (await session.executeQuery<Stored>(CompiledQuery.raw(this.#placeholders(text), values as DatabaseValue[]))).rows
  }

  // -------------------------------------------------------------------------------------------------------- reading

  async #read(session: Session, keys: readonly Key[]): Promise<Map<string, AnyRow>> {
    const found = new Map<string, AnyRow>()
    // Every process takes its locks table by table and key by key in the same order, so that no two wait for each other.
    const sorted = [...keys].sort((a, b) => (a.name < b.name ? -1 : 1))
    const asked = [...this.#grouped(sorted)].flatMap(({ codec, mode, group }) =>
      [...padded(group)].map(async (chunk) => {
        const text = this.#text(`read ${mode} ${codec.table} ${chunk.length}`, () =>
          readStatement(codec, chunk.length, mode === 'lock' ? this.#engine.lockClause : ''),
        )
        const rows = await this.#run(
          session,
          text,
          chunk.flatMap((key) => key.id),
        )
        for (const row of rows) found.set(nameOf(codec.table, codec.id(row)), codec.decode(row))
      }),
    )
    await Promise.all(asked) // all are sent before the first is answered
    return found
  }

  *#grouped(keys: readonly Key[]) {
    for (const group of Map.groupBy(keys, (key) => `${key.table} ${key.mode}`).values()) {
      yield { codec: this.#codecs[group[0]!.table], mode: group[0]!.mode, group }
    }
  }

  async #find(session: Session, find: Find): Promise<readonly AnyRow[]> {
    if (find.each?.values.length === 0) return []
    const codec = this.#codecs[find.find]
    const rows = await this.#run(session, findStatement(codec, find), findValues(codec, find))
    return rows.map((row) => codec.decode(row, find))
  }

  async #count(session: Session, find: Find): Promise<number> {
    const codec = this.#codecs[find.find]
    const [counted] = await this.#run(session, countStatement(codec, find), findValues(codec, find))
    return Number(counted!['entries'])
  }

  async #tasksBeyond(session: Session, { added, leased }: { added: number; leased: number }, after: number): Promise<TasksBeyond> {
    const beyond = [added, leased, BEYOND_MAX]
    if (this.#engine.name === 'postgres')
      return { tasks: (await this.#run(session, ALL_BEYOND, beyond)) as unknown as TasksBeyond['tasks'] }
    const rows = await this.#run(session, PORTION_BEYOND, [after, after, ...beyond])
    const next = rows.at(-1)!['place'] as number | null
    return { tasks: rows.slice(0, -1) as unknown as TasksBeyond['tasks'], ...(next !== null && { next }) }
  }

  // -------------------------------------------------------------------------------------------------------- writing

  async #write(session: Session, { changes, events, tasks }: Writes) {
    // Rows that give up a place in a unique index come before those that take it.
    const inOrder = changes.toSorted((a, b) => WRITE_ORDER.indexOf(a.kind) - WRITE_ORDER.indexOf(b.kind))
    for (const [, of] of Map.groupBy(inOrder, (change) => `${change.kind} ${change.key.table}`)) {
      const codec = this.#codecs[of[0]!.key.table]
      if (of[0]!.kind === 'delete')
        await this.#delete(
          session,
          codec,
          of.map((change) => change.key.id),
        )
      else
        await this.#put(
          session,
          codec,
          of[0]!.kind,
          (of as Extract<Change, { row: unknown }>[]).map((change) => change.row),
        )
    }
    await this.#put(session, this.#codecs.events, 'insert', events.map(eventRow))
    await this.#put(session, this.#codecs.tasks, 'task', tasks.filter((task) => task.kind === 'add').map(taskRow))
    await this.#delete(
      session,
      this.#codecs.tasks,
      tasks.filter((task) => task.kind === 'cancel').map((task) => [task.task, task.subject]),
    )
  }

  async #put(session: Session, codec: TableCodec, kind: PutKind, rows: readonly AnyRow[]) {
    if (rows.length === 0) return
    const { takesArrays, insertsGiveWay } = this.#engine
    const text = this.#text(`${kind} ${codec.table}`, () => putStatement(codec, takesArrays, kind, insertsGiveWay))
    const { numAffectedRows } = await session.writeRows(
      text,
      rows.map((row) => codec.encode(row)),
    )
    if (kind === 'insert' && insertsGiveWay && Number(numAffectedRows) !== rows.length)
      throw new TryAgain(`another process was first in ${codec.table}`)
  }

  async #delete(session: Session, codec: TableCodec, ids: readonly (readonly string[])[]) {
    for (const chunk of padded(ids)) {
      const text = this.#text(
        `delete ${codec.table} ${chunk.length}`,
        () => `delete from ${codec.sqlTable} where ${inKeys(codec, chunk.length)}`,
      )
      await session.write(CompiledQuery.raw(this.#placeholders(text), chunk.flat()))
    }
  }

  #text(name: string, make: () => string): string {
    let text = this.#compiled.get(name)
    if (text === undefined) {
      text = make()
      this.#compiled.set(name, text)
    }
    return text
  }

  /** SQLite numbers its question marks itself; PostgreSQL wants them numbered. */
  #placeholders(text: string): string {
    if (this.#engine.name === 'sqlite') return text
    return this.#text(`$ ${text}`, () => {
      let number = 0
      return text.replaceAll('?', () => `$${++number}`)
    })
  }
}

const unreachable = (error: unknown): never => {
  throw new Unreachable('the database cannot be reached', { cause: error })
}

/**
 * `task` adds a task, or moves one that exists. A moved task's lease is replaced and its fence changes, so that a running claim cannot
 * complete the task.
 */
type PutKind = 'insert' | 'update' | 'ensure' | 'task'

/** One key is compared plainly: to SQLite a list is a table of its own, which costs a third more. */
const inKeys = ({ sqlKey }: TableCodec, size: number) =>
  size === 1
    ? sqlKey.map((column) => `${column} = ?`).join(' and ')
    : `(${sqlKey.join(', ')}) in (values ${Array(size).fill(row(sqlKey.length)).join(', ')})`

function readStatement(codec: TableCodec, size: number, lockClause: string): string {
  const inOrder = size === 1 ? '' : ` order by ${codec.sqlKey.join(', ')}`
  return `select ${codec.sqlColumns.join(', ')} from ${codec.sqlTable} where ${inKeys(codec, size)}${inOrder}${lockClause}`
}

function putStatement(codec: TableCodec, takesArrays: boolean, kind: PutKind, insertsGiveWay: boolean): string {
  const arrays = () => codec.sqlTypes.map((type, at) => `$${at + 1}::${type}[]`).join(', ')
  const source = takesArrays ? `select * from unnest(${arrays()})` : `values ${row(codec.sqlColumns.length)}`
  const into = `insert into ${codec.sqlTable} (${codec.sqlColumns.join(', ')}) ${source}`
  const found = `on conflict (${codec.sqlKey.join(', ')}) do`
  if (kind === 'ensure') return `${into} ${found} nothing`
  if (kind === 'insert') return insertsGiveWay ? `${into} ${found} nothing` : into
  const fence = 'case when excluded.lease_until > 0 then excluded.fence else tasks.fence + 1 end' // the leasing process knows the fence that it drew
  const set = codec.sqlRest.map((column) => `${column} = ${kind === 'task' && column === 'fence' ? fence : `excluded.${column}`}`)
  // An update is an insert over the row that was read and locked: one statement for many rows in both engines.
  return `${into} ${found} update set ${set.join(', ')}`
}

/** Cuts a list into pieces of the fixed sizes, and fills the last piece with its last element. Reading a key twice does no harm. */
function* padded<T>(list: readonly T[]): Generator<readonly T[]> {
  const largest = SIZES[0]!
  for (let at = 0; at < list.length; at += largest) {
    const piece = list.slice(at, at + largest)
    const size = SIZES.findLast((size) => size >= piece.length)!
    yield [...piece, ...Array<T>(size - piece.length).fill(piece.at(-1)!)]
  }
}

export const eventRow = (event: Writes['events'][number]): Row<'events'> => ({
  owner: event.owner,
  aggregate: event.type.slice(0, event.type.indexOf('.')),
  id: event.id,
  version: event.version,
  type: event.type,
  fromStatus: event.from,
  toStatus: event.to,
  at: event.at,
  data: event.data,
})

export const taskRow = (task: Extract<TaskChange, { kind: 'add' }>): Row<'tasks'> => ({
  task: task.task,
  subject: task.subject,
  dueAt: task.dueAt,
  attempts: task.attempts ?? 0,
  fence: task.lease?.fence ?? randomInt(FIRST_FENCE_MAX),
  leaseUntil: task.lease?.until ?? 0,
  payload: task.payload,
  addedAt: task.addedAt ?? 0,
})
