// The embedded store's driver: one connection, which its users share by waiting in line, because SQLite has one writer. Calls block the
// process while SQLite works.

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import { CommitUnknown, Unreachable } from '../../engine/store.ts'
import type { DatabaseValue } from './codec.ts'
import type { BeginSettings, Session, Sessions } from './session.ts'

export class SqliteDriver implements Sessions {
  readonly #database: DatabaseSync
  readonly #connection: SqliteConnection
  #last: Promise<void> = Promise.resolve()
  #release: () => void = () => {}

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#connection = new SqliteConnection(database)
  }
  async init() {}
  async acquireConnection() {
    const before = this.#last
    let release = () => {}
    this.#last = new Promise((resolve) => {
      release = resolve
    })
    await before
    this.#release = release
    return this.#connection
  }
  async beginTransaction(_: DatabaseConnection, { isReading = false }: BeginSettings) {
    this.#database.exec(isReading ? 'begin' : 'begin immediate')
  }
  async commitTransaction() {
    try {
      this.#database.exec('commit')
    } catch (error) {
      // When a transaction finds no room, SQLite undoes all of it. It can write again as soon as there is room.
      if (isFull(error) && !this.#database.isTransaction) throw noRoom(error)
      throw new CommitUnknown('COMMIT failed', { cause: error })
    }
  }
  async rollbackTransaction() {
    if (this.#database.isTransaction) this.#database.exec('rollback')
  }
  async releaseConnection() {
    this.#release()
  }
  async destroy() {
    this.#database.close()
  }
}

class SqliteConnection implements Session {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, { statement: StatementSync; returnsRows: boolean }>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }
  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { statement, returnsRows } = this.#prepared(sql)
    const values = parameters as readonly SQLInputValue[]
    try {
      if (returnsRows) return { rows: statement.all(...values) as R[] }
      const { changes } = statement.run(...values)
      return { rows: [], numAffectedRows: BigInt(changes) }
    } catch (error) {
      throw isFull(error) ? noRoom(error) : error
    }
  }
  write(query: CompiledQuery) {
    return this.executeQuery(query)
  }
  /** One row at a time. A statement of 64 rows takes SQLite twice as long for each row. The cache would need a statement for each size. */
  async writeRows(sql: string, rows: readonly (readonly DatabaseValue[])[]) {
    const { statement } = this.#prepared(sql)
    let changed = 0
    try {
      for (const row of rows) changed += Number(statement.run(...row).changes)
    } catch (error) {
      throw isFull(error) ? noRoom(error) : error
    }
    return { numAffectedRows: BigInt(changed) }
  }
  #prepared(sql: string) {
    let prepared = this.#statements.get(sql)
    if (!prepared) {
      const statement = this.#database.prepare(sql)
      prepared = { statement, returnsRows: statement.columns().length > 0 }
      this.#statements.set(sql, prepared)
    }
    return prepared
  }
  // biome-ignore lint/correctness/useYield: nothing here streams; the interface wants the method
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error('the embedded store does not stream')
  }
}

const SQLITE_FULL = 13
const isFull = (error: unknown) => ((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_FULL // the rest of the code is detail
/** Unreachable, because a smaller batch would need room too. */
const noRoom = (error: unknown) => new Unreachable('the disk has no room', { cause: error })
