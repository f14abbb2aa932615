// What a store was made as, it stays: a production store is never served with the sandbox's published key, bank and clock.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { statements as initial } from '../../src/store/migrations/0001-initial.ts'
import { statements as paying } from '../../src/store/migrations/0002-paying.ts'
import { forPostgres } from '../../src/store/schema.ts'
import { Vault } from '../../src/store/vault.ts'
import { sharedPostgres } from '../support/postgres.ts'
import { mohurCommand, serveProcess } from '../support/process.ts'
import { MID as DEMO, onBothStores, type StoreName } from '../support/service.ts'

const MOHUR_MASTER_KEY = Buffer.alloc(32, 3).toString('base64')
const SHOP = 'SHOP1'

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Where a store may be made, as settings. */
async function place(store: StoreName): Promise<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-mode-'))
  folders.push(folder)
  const databaseUrl = store === 'postgres' ? await (await sharedPostgres()).createDatabase() : ''
  return { MOHUR_DATA: join(folder, 'data'), DATABASE_URL: databaseUrl, MOHUR_LOG: 'silent', PORT: '0' }
}
const production = (at: Record<string, string>) => ({ ...at, MOHUR_MODE: 'production', MOHUR_MASTER_KEY })

async function productionStore(store: StoreName) {
  const at = await place(store)
  assert.equal((await mohurCommand(['merchant', 'add', '--mid', SHOP], production(at))).code, 0)
  return at
}

/** Runs statements on a store that nobody serves. */
async function run({ DATABASE_URL, MOHUR_DATA }: Record<string, string>, ...statements: string[]): Promise<Record<string, unknown>[]> {
  let rows: Record<string, unknown>[] = []
  if (DATABASE_URL) {
    const client = new pg.Client(DATABASE_URL)
    await client.connect()
    for (const statement of statements) rows = (await client.query(statement)).rows
    await client.end()
    return rows
  }
  const database = new DatabaseSync(join(MOHUR_DATA!, 'mohur.sqlite'))
  for (const statement of statements) rows = database.prepare(statement).all()
  database.close()
  return rows
}

/** Every row of every table, and the names of the files. */
async function all(at: Record<string, string>): Promise<Record<string, unknown>> {
  const names = at['DATABASE_URL']
    ? "select tablename as name from pg_tables where schemaname = 'public' order by 1"
    : "select name from sqlite_master where type = 'table' order by 1"
  const tables: Record<string, unknown> = {}
  for (const { name } of await run(at, names)) tables[String(name)] = await run(at, `select * from ${name} order by 1, 2`)
  const files = at['DATABASE_URL'] ? [] : readdirSync(at['MOHUR_DATA']!).filter((name) => !/-(wal|shm)$/.test(name))
  return { ...tables, files: files.sort() }
}

/** What `serve` says when it does not; a service that starts is stopped, and is a failure. */
async function refusedToServe(environment: Record<string, string>): Promise<string> {
  let service: Awaited<ReturnType<typeof serveProcess>>
  try {
    service = await serveProcess(environment)
  } catch (error) {
    return (error as Error).message
  }
  await service.kill('SIGTERM')
  return assert.fail('it was served')
}

async function serves(environment: Record<string, string>) {
  await (await serveProcess(environment)).kill('SIGTERM')
}

onBothStores('the mode of a store', (store) => {
  describe('a store that was made in production', () => {
    let at: Record<string, string>
    before(async () => {
      at = await productionStore(store)
    })

    test('is not served as a sandbox, and nothing is written or made when somebody tries', async () => {
      const untouched = await all(at)
      for (const key of [{ MOHUR_MASTER_KEY }, {}]) {
        const said = await refusedToServe({ ...at, ...key })
        assert.match(said, /ended with 2: this store is of the mode production and MOHUR_MODE says sandbox/)
        assert.deepEqual(await all(at), untouched)
      }
      await serves(production(at))
    })

    test('is production to every command, whatever MOHUR_MODE says', async () => {
      const merchant = (...args: string[]) => mohurCommand(['merchant', ...args], { ...at, MOHUR_MASTER_KEY })
      assert.equal((await merchant('add', '--mid', 'SHOP2')).code, 0)
      assert.match((await merchant('list')).out, /SHOP2\t.*signedModify=amount/)
      const keyless = await mohurCommand(['merchant', 'add', '--mid', 'SHOP3'], at)
      assert.deepEqual([keyless.code, /MOHUR_MASTER_KEY is needed/.test(keyless.err)], [2, true], keyless.err)
      assert.ok(!((await all(at))['files'] as string[]).includes('master-key'))
    })
  })

  test('a sandbox is not served as production', async () => {
    const at = await place(store)
    await serves({ ...at, MOHUR_MASTER_KEY })
    const untouched = await all(at)
    assert.match(await refusedToServe(production(at)), /of the mode sandbox and MOHUR_MODE says production/)
    assert.deepEqual(await all(at), untouched)
  })

  test('a store from before modes were remembered is a sandbox when the demo merchant is in it, and else production', async () => {
    const shop = await storeFromBefore(store, SHOP)
    const untouched = await all(shop)
    assert.match(await refusedToServe({ ...shop, MOHUR_MASTER_KEY }), /of the mode production and MOHUR_MODE says sandbox/)
    assert.deepEqual(await all(shop), untouched) // not even its schema
    await serves(production(shop))
    assert.match(await refusedToServe({ ...shop, MOHUR_MASTER_KEY }), /of the mode production/)

    const sandbox = await storeFromBefore(store, DEMO)
    assert.match(await refusedToServe(production(sandbox)), /of the mode sandbox and MOHUR_MODE says production/)
    await serves({ ...sandbox, MOHUR_MASTER_KEY })
  })

  test('a store that nobody has kept anything in takes the mode that it is first opened in', async () => {
    for (const mode of ['sandbox', 'production']) {
      const at = await place(store)
      assert.equal((await mohurCommand(['migrate'], { ...production(at), MOHUR_MODE: mode })).code, 0)
      assert.equal((await run(at, "select value from settings where name = 'mode'"))[0]!['value'], mode)
    }
  })
})

/** A store as the version with the second schema left it, with one merchant. */
async function storeFromBefore(store: StoreName, mid: string) {
  const at = await place(store)
  mkdirSync(at['MOHUR_DATA']!, { recursive: true })
  const statements = [...initial, ...paying].map((statement) => (store === 'postgres' ? forPostgres(statement) : statement))
  const check = new Vault(Buffer.from(MOHUR_MASTER_KEY, 'base64')).hash('masterKeyCheck', '')
  await run(
    at,
    ...statements,
    'create table kysely_migration (name varchar(255) not null primary key, timestamp varchar(255) not null)',
    'create table kysely_migration_lock (id varchar(255) not null primary key, is_locked integer default 0 not null)',
    "insert into kysely_migration_lock (id, is_locked) values ('migration_lock', 0)",
    ...['0001-initial', '0002-paying'].map((name) => `insert into kysely_migration (name, timestamp) values ('${name}', '2026-11-20')`),
    `insert into settings (name, value) values ('masterKeyCheck', '${check}')`,
    `insert into merchants (mid, name, mcc, checksum_enabled, signed_modify, debit_card_emi, websites, payment_modes)
      values ('${mid}', 'Shop', '5999', 1, 'amount', 0, '{}', '[]')`,
  )
  return at
}
