// Migrations make the schema that src/tables declares, on both stores. A database of another version is refused.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { sqlName } from '../../../src/adapters/store/codec.ts'
import {
  FINGERPRINT,
  type Migration,
  type Migrations,
  migrate,
  migrations,
  requireNewestSchema,
} from '../../../src/adapters/store/migrate.ts'
import { createStatements, forPostgres } from '../../../src/adapters/store/schema.ts'
import { start } from '../../../src/main.ts'
import { readSettings, SettingError } from '../../../src/settings.ts'
import type { Table } from '../../../src/tables/columns.ts'
import { tables } from '../../../src/tables/tables.ts'
import { whereSqlDiffers } from '../../support/run/service.ts'
import { frozenSchema } from '../../support/store/freeze-schema.ts'
import { declared, found } from '../../support/store/schema.ts'
import { emptyPlace, openDatabase, openStore } from '../../support/store/stores.ts'

const folder = mkdtempSync(join(tmpdir(), 'mohur-frozen-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** A second, unreleased migration. */
const PLANTED: Migrations = {
  ...migrations,
  '0002-planted': {
    statements: ['create table planted (name text not null) strict', 'alter table merchants add column planted integer'],
  },
}

whereSqlDiffers('migrations', 'each statement is rewritten for PostgreSQL', (name) => {
  test('an empty database gets every table, column, key, index and CHECK of src/tables, word for word, and no others', async () => {
    const database = openDatabase(name, await emptyPlace(name))
    assert.deepEqual(await migrate(database), ['0001-schema'])
    assert.deepEqual(await found(database), await declared(database))
    await database.close()
  })

  test('migrating again does nothing and keeps what is there', async () => {
    const first = await openStore(name)
    await first.run("insert into settings (name, value) values ('kept', 'yes')")
    const before = await found(first.database)
    assert.deepEqual(await migrate(first.database), [])
    await first.close()
    const again = await openStore(name, first.place)
    assert.deepEqual(await migrate(again.database), [])
    assert.deepEqual(await found(again.database), before)
    assert.deepEqual(
      (await again.rows<{ value: string }>("select value from settings where name = 'kept'")).map(({ value }) => value),
      ['yes'],
    )
    await again.close()
  })

  test('a migration that cannot be finished leaves nothing of it behind, and is made when nothing stands in its way', async () => {
    const { database, ...store } = await openStore(name)
    await store.run("insert into settings (name, value) values ('one', 'same'), ('other', 'same')")
    const unique = [...PLANTED['0002-planted']!.statements, 'create unique index planted_values on settings (value)']
    const all = { ...PLANTED, '0002-planted': { statements: unique } }
    await assert.rejects(requireNewestSchema(database, all), /has the schema of an older Mohur; `mohur migrate`/)
    const [before, had] = [await found(database), await store.rows('select name from kysely_migration')]
    await assert.rejects(migrate(database, all), { message: 'the database could not be migrated' })
    assert.deepEqual([await found(database), await store.rows('select name from kysely_migration')], [before, had])
    await store.run("update settings set value = 'another' where name = 'other'")
    assert.deepEqual(await migrate(database, all), ['0002-planted'])
    assert.deepEqual(Object.keys(await found(database)).sort(), [...Object.keys(before), 'planted'].sort())
    await requireNewestSchema(database, all)
    await store.close()
  })

  test('a frozen first migration is the one that stores have had, and the next is made behind it, on an empty database too', async () => {
    const file = join(folder, `${name}.ts`)
    writeFileSync(file, frozenSchema())
    const frozen: Migration = await import(pathToFileURL(file).href)
    const all = { ...PLANTED, '0001-schema': frozen }
    const old = await openStore(name)
    assert.deepEqual(await migrate(old.database, all), ['0002-planted'])
    const database = openDatabase(name, await emptyPlace(name))
    assert.deepEqual(await migrate(database, all), ['0001-schema', '0002-planted'])
    assert.deepEqual(await found(database), await found(old.database))
    await Promise.all([old.close(), database.close()])
  })

  test('a database that a newer version has migrated is refused in a sentence', async () => {
    const first = await openStore(name)
    await migrate(first.database, PLANTED)
    for (const ask of [migrate, requireNewestSchema])
      await assert.rejects(ask(first.database), (error) => {
        assert.ok(error instanceof SettingError)
        assert.match(error.message, /newer Mohur: this version does not know its migration 0002-planted\. Run that version, or restore/)
        return true
      })
    await first.close()
  })

  test('a database of other tables is refused too, whichever version was first', async () => {
    const others = { '0001-schema': { statements: ['create table settings (name text, value text) strict'] } }
    const database = openDatabase(name, await emptyPlace(name))
    await migrate(database, others)
    const before = await found(database)
    for (const ask of [migrate, requireNewestSchema]) await assert.rejects(ask(database), /made by an unreleased version of Mohur/)
    assert.deepEqual(await found(database), before)
    await database.close()
  })

  test('a database of the same tables whose rows are written in other words is refused too', async () => {
    const { database, ...store } = await openStore(name)
    const others = { '0001-schema': { ...migrations['0001-schema']!, words: 'of yesterday' } }
    for (const ask of [migrate, requireNewestSchema]) await assert.rejects(ask(database, others), /made by an unreleased version of Mohur/)
    assert.deepEqual(await migrate(database), [])
    await store.close()
  })
})

test('postgres: an index that begins with a time says that it ascends; no other statement changes so', () => {
  const indexes = createStatements().filter((statement) => /^create (unique )?index/.test(statement))
  const kinds = Object.entries(tables as unknown as Record<string, Table>).flatMap(([table, { columns }]) =>
    Object.entries(columns).map(([column, { kind }]): [string, string] => [`${sqlName(table)} ${sqlName(column)}`, kind]),
  )
  const kindOf = new Map(kinds)
  let ascending = 0
  for (const statement of indexes) {
    const [begin, table, first] = / on (\w+) \((\w+)/.exec(statement)!
    const isTime = kindOf.get(`${table} ${first}`) === 'integer' // no other integer comes first in an index
    assert.equal(forPostgres(statement), isTime ? statement.replace(begin, `${begin} asc`) : statement)
    if (isTime) ascending++
  }
  assert.ok(ascending > 20, String(ascending))
})

test('postgres: processes of two versions that meet an empty database make one schema, and the other version is refused', async () => {
  const others = { '0001-schema': { statements: [...createStatements(), 'create table others (name text) strict'] } }
  for (let times = 0; times < 3; times++) {
    const place = await emptyPlace('postgres')
    const databases = [1, 2].map(() => openDatabase('postgres', place))
    const done = await Promise.allSettled([migrate(databases[0]!), migrate(databases[1]!, others)])
    const refused = done.filter((each) => each.status === 'rejected')
    assert.equal(refused.length, 1)
    assert.match(String(refused[0]!.reason), /made by an unreleased version/)
    const { rows } = await sql<{ value: string }>`select value from settings where name = ${FINGERPRINT}`.execute(databases[0]!.reader)
    assert.equal(rows.length, 1)
    await Promise.all(databases.map((database) => database.close()))
  }
})

test('postgres: three services that start at once on an empty database all start', async () => {
  for (let times = 0; times < 3; times++) {
    const settings = readSettings({
      PORT: '0',
      DATABASE_URL: await emptyPlace('postgres'),
      MOHUR_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
      MOHUR_LOG: 'silent',
    })
    const services = await Promise.allSettled([start(settings), start(settings), start(settings)])
    for (const service of services) if (service.status === 'fulfilled') await service.value.close()
    assert.deepEqual(
      services.map((service) => (service.status === 'rejected' ? service.reason : 'started')),
      ['started', 'started', 'started'],
    )
  }
})
