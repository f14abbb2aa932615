// Writes rows by the million into a new store, as earlier orders and subscriptions would have left them. The store's own code encodes each
// row. SQLite then takes the rows without a log, and PostgreSQL by COPY in one transaction.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { codecs, type DatabaseValue, type TableCodec } from '../src/adapters/store/codec.ts'
import { openPostgres, openSqlite } from '../src/adapters/store/database.ts'
import { migrate } from '../src/adapters/store/migrate.ts'
import { eventRow, SqlStore, taskRow } from '../src/adapters/store/sql-store.ts'
import { Vault } from '../src/adapters/store/vault.ts'
import type { Change, Event, TaskChange } from '../src/engine/decision.ts'
import type { Row, TableName } from '../src/tables/tables.ts'
import { MASTER_KEY, type Place } from './processes.ts'

const PER_PORTION = 5_000
const SQLITE_CACHE_KIB = 256 * 1024

export interface Made {
  /** Inserts alone. */
  changes: readonly Change[]
  events?: readonly Event[]
  tasks?: readonly TaskChange[]
}

/** Fills a store with `count` results of `make`, and closes it. */
export async function fill(place: Place, count: number, make: (at: number) => Made): Promise<void> {
  await (await openStore(place)).close() // it has its tables now
  const codecOf = codecs(benchVault())
  const { put, end } = place.databaseUrl ? await intoPostgres(place.databaseUrl) : intoSqlite(join(place.folder, 'mohur.sqlite'))
  for (let from = 0; from < count; from += PER_PORTION) {
    const made = Array.from({ length: Math.min(PER_PORTION, count - from) }, (_, at) => make(from + at))
    const rows = made.flatMap(rowsOf)
    await put(
      [...Map.groupBy(rows, ({ table }) => table)].map(([table, of]) => [codecOf[table], of.map(({ row }) => codecOf[table].encode(row))]),
    )
  }
  await end()
}

/** Rows of one table, as the database takes them. */
type Encoded = readonly [codec: TableCodec, rows: readonly (readonly DatabaseValue[])[]]
interface Into {
  put(all: readonly Encoded[]): Promise<void>
  end(): Promise<void>
}

function rowsOf({ changes, events = [], tasks = [] }: Made): { table: TableName; row: Row<TableName> }[] {
  return [
    ...changes.map((change) => {
      if (change.kind !== 'insert' && change.kind !== 'ensure') throw new Error(`a fill only inserts, and has no ${change.kind}`)
      return { table: change.key.table, row: change.row }
    }),
    ...events.map((event) => ({ table: 'events' as const, row: eventRow(event) })),
    ...tasks.map((task) => {
      if (task.kind !== 'add') throw new Error(`a fill only adds tasks, and has no ${task.kind}`)
      return { table: 'tasks' as const, row: taskRow(task) }
    }),
  ]
}

function intoSqlite(file: string): Into {
  const database = new DatabaseSync(file)
  database.exec(`pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -${SQLITE_CACHE_KIB}; begin`)
  return {
    async put(all) {
      for (const [{ sqlTable, sqlColumns }, rows] of all) {
        const insert = database.prepare(
          `insert into ${sqlTable} (${sqlColumns.join(', ')}) values (${sqlColumns.map(() => '?').join(', ')})`,
        )
        for (const row of rows) insert.run(...row)
      }
    },
    async end() {
      database.exec('commit; pragma journal_mode = wal')
      database.close()
    },
  }
}

/** PostgreSQL writes no log of a table that the same transaction has truncated if `wal_level` is `minimal`. */
async function intoPostgres(databaseUrl: string): Promise<Into> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('begin')
  const wasEmpty = new Map<string, boolean>()
  const copyAll = async (all: readonly { codec: TableCodec; text: string }[]) => {
    for (const { codec, text } of all) {
      const { sqlTable, sqlColumns } = codec
      if (!wasEmpty.has(sqlTable)) {
        const { rowCount } = await client.query(`select 1 from ${sqlTable} limit 1`)
        if (rowCount === 0) await client.query(`truncate ${sqlTable}`)
        wasEmpty.set(sqlTable, rowCount === 0)
      }
      await copied(client, `copy ${sqlTable} (${sqlColumns.join(', ')}) from stdin with (freeze ${wasEmpty.get(sqlTable)})`, text)
    }
  }
  let last: Promise<void> = Promise.resolve()
  return {
    async put(all) {
      const texts = all.map(([codec, rows]) => ({ codec, text: rows.map((row) => `${row.map(asCopied).join('\t')}\n`).join('') }))
      await last
      last = copyAll(texts) // while this process makes the next portion
      last.catch(() => {}) // the next `await` throws it
    },
    async end() {
      await last
      await client.query('commit')
      for (const sqlTable of wasEmpty.keys()) await client.query(`vacuum analyze ${sqlTable}`)
      await client.end()
    },
  }
}

/** The part of pg's connection that its types leave out. */
type CopyingConnection = pg.Connection & { sendCopyFromChunk(chunk: Buffer): void; endCopyFrom(): void }

const copied = (client: pg.Client, statement: string, text: string) =>
  new Promise<void>((resolve, reject) => {
    const copy = {
      submit: (connection: pg.Connection) => connection.query(statement),
      handleCopyInResponse(connection: CopyingConnection) {
        connection.sendCopyFromChunk(Buffer.from(text))
        connection.endCopyFrom()
      },
      handleCommandComplete() {},
      handleReadyForQuery: () => resolve(),
      handleError: reject,
    }
    client.query(copy)
  })

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }
/** A value in the text format of COPY. */
const asCopied = (value: DatabaseValue) =>
  value === null ? '\\N' : typeof value === 'number' ? String(value) : value.replace(/[\\\n\r\t]/g, (letter) => ESCAPES[letter]!)

export const benchVault = () => new Vault(Buffer.from(MASTER_KEY, 'base64'))

export async function openStore({ folder, databaseUrl }: Place): Promise<SqlStore> {
  const database = databaseUrl ? openPostgres(databaseUrl) : openSqlite(join(folder, 'mohur.sqlite'))
  await migrate(database)
  return new SqlStore(database, benchVault())
}
