// Puts a store back to an earlier day while its bank goes on, as a restored backup does. The bank's own books stay as they are.

import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import pg from 'pg'
import type { Service } from '../run/service.ts'

export type PutBack = () => Promise<void>

const isOurs = (table: string) => !/^(bank_|kysely_|sqlite_)/.test(table)

export const backup = ({ place }: Pick<Service, 'place'>): Promise<PutBack> =>
  place.databaseUrl ? ofPostgres(place.databaseUrl) : ofSqlite(join(place.dataFolder, 'mohur.sqlite'))

async function ofSqlite(file: string): Promise<PutBack> {
  const open = <A>(work: (database: DatabaseSync) => A): A => {
    const database = new DatabaseSync(file)
    database.exec('pragma busy_timeout = 5000')
    try {
      return work(database)
    } finally {
      database.close()
    }
  }
  const copies = open((database) => {
    const tables = database.prepare("select name from sqlite_master where type = 'table'").all() as { name: string }[]
    return tables
      .filter(({ name }) => isOurs(name))
      .map(({ name }) => ({ name, rows: database.prepare(`select * from ${name}`).all() as Record<string, SQLInputValue>[] }))
  })
  return async () =>
    open((database) => {
      database.exec('begin immediate')
      for (const { name, rows } of copies) {
        database.exec(`delete from ${name}`)
        const columns = Object.keys(rows[0] ?? {})
        if (columns.length === 0) continue
        const insert = database.prepare(`insert into ${name} (${columns.join()}) values (${columns.map(() => '?').join()})`)
        for (const row of rows) insert.run(...columns.map((column) => row[column]!))
      }
      database.exec('commit')
    })
}

let schemas = 0

async function ofPostgres(url: string): Promise<PutBack> {
  const run = async <A>(work: (client: pg.Client) => Promise<A>): Promise<A> => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      return await work(client)
    } finally {
      await client.end()
    }
  }
  const schema = `backup_${schemas++}`
  const tables = await run(async (client) => {
    const found = await client.query<{ tablename: string }>("select tablename from pg_tables where schemaname = 'public'")
    const names = found.rows.map(({ tablename }) => tablename).filter(isOurs)
    await client.query('begin isolation level repeatable read')
    await client.query(`create schema ${schema}`)
    for (const name of names) await client.query(`create table ${schema}.${name} as select * from public.${name}`)
    await client.query('commit')
    return names
  })
  return () =>
    run(async (client) => {
      await client.query('begin')
      await client.query(`truncate ${tables.map((name) => `public.${name}`).join()}`)
      for (const name of tables) await client.query(`insert into public.${name} select * from ${schema}.${name}`)
      await client.query('commit')
    })
}
