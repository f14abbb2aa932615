// Three processes begin together on one database. One of them makes the schema once, wholly or not at all.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { onBothStores, type StoreName } from '../../../support/run/service.ts'
import { declared, found } from '../../../support/store/schema.ts'
import { emptyPlace, openDatabase, openStore } from '../../../support/store/stores.ts'

const PROGRAM = join(import.meta.dirname, '../../../support/store/migrate-beside.ts')
const FIRST = '0001-schema'
/** Each of these would fail if it ran twice. */
const PLANTED = [
  'create table planted (name text not null, primary key (name))',
  "insert into planted (name) values ('once')",
  'alter table merchants add column planted text',
]
const SPOILT = [...PLANTED, "insert into planted (name) values ('once')"]

interface Ended {
  made?: string[]
  refused?: string
}

async function together(store: StoreName, place: string, statements: readonly string[] = []): Promise<Ended[]> {
  const children = [1, 2, 3].map(() => {
    const child = spawn(process.execPath, [PROGRAM, store, place, ...statements], { stdio: ['pipe', 'pipe', 'inherit'] })
    return { child, lines: createInterface(child.stdout)[Symbol.asyncIterator](), ended: once(child, 'close') }
  })
  for (const { lines } of children) assert.equal((await lines.next()).value, 'ready')
  for (const { child } of children) child.stdin.write('go\n')
  return Promise.all(
    children.map(async ({ lines, ended }) => {
      const { value } = await lines.next()
      await ended
      return JSON.parse(value as string) as Ended
    }),
  )
}

/** One process has made it. The others found it made; on the embedded store they may have found another process instead. */
function assertMadeOnce(store: StoreName, ended: readonly Ended[], made: readonly string[]) {
  assert.deepEqual(
    ended.flatMap((each) => each.made ?? []),
    made,
    JSON.stringify(ended),
  )
  const refused = ended.flatMap((each) => each.refused ?? [])
  assert.ok(store === 'sqlite' ? refused.every((name) => name === 'InUseError') : refused.length === 0, refused.join())
}

onBothStores('three processes that begin together', (store) => {
  test('make an empty database once', async () => {
    const place = await emptyPlace(store)
    assertMadeOnce(store, await together(store, place), [FIRST])
    const database = openDatabase(store, place)
    assert.deepEqual(await found(database), await declared(database))
    await database.close()
  })

  test('make the next migration once and wholly; one that fails in the middle leaves nothing, by whichever it was tried', async () => {
    const { place, close } = await openStore(store)
    await close()
    const beside = async () => {
      const database = openDatabase(store, place)
      try {
        return await found(database)
      } finally {
        await database.close()
      }
    }
    const before = await beside()
    const failed = await together(store, place, SPOILT)
    assert.deepEqual(
      failed.map(({ refused }) => refused === 'InUseError' || refused === 'Error'),
      [true, true, true],
      JSON.stringify(failed),
    )
    assert.ok(failed.some(({ refused }) => refused === 'Error'))
    assert.deepEqual(await beside(), before)
    assertMadeOnce(store, await together(store, place, PLANTED), ['0002-planted'])
    const after = await beside()
    assert.deepEqual(after['planted']!.columns, ['name text not null'])
    assert.deepEqual(after['merchants']!.columns, [...before['merchants']!.columns, 'planted text'])
    assert.deepEqual(Object.keys(after).sort(), [...Object.keys(before), 'planted'].sort())
  })
})
