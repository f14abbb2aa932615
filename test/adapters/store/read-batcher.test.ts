// Reads beside the writer in one turn go to the database together.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { ReadBatcher } from '../../../src/adapters/store/read-batcher.ts'
import { Unreachable } from '../../../src/engine/store.ts'
import { settingKey } from '../../../src/tables/keys.ts'
import { find, type Key, lock, type Row, type TableName } from '../../../src/tables/tables.ts'

const row = (name: string): Row<'settings'> => ({ name, value: `of ${name}` })

/** Settings of every name but `none`. `broken` cannot be read, and no key can while the database is `away`. */
function asked(isAway = false) {
  const reads: string[][] = []
  const finds: string[] = []
  const read = async (keys: readonly Key[]) => {
    const names = keys.map(({ id }) => id[0]!)
    reads.push(names)
    assert.ok(keys.every(({ mode }) => mode === 'look'))
    if (isAway || names.includes('broken')) throw new Error(`${names} cannot be read`)
    const found = keys.filter(({ id }) => id[0] !== 'none').map(({ name, id }): [string, Row<TableName>] => [name, row(id[0]!)])
    return new Map(found)
  }
  const gathered = new ReadBatcher({
    read,
    find: async ({ limit }) => {
      finds.push(String(limit))
      return [row('found')]
    },
  })
  return { gathered, reads, finds }
}

test('keys of one turn are read together, each once, and those of the next apart', async () => {
  const { gathered, reads } = asked()
  const both = await Promise.all(['a', 'b', 'none', 'a'].map((name) => gathered.row(lock('settings', name))))
  assert.deepEqual(both, [row('a'), row('b'), undefined, row('a')])
  assert.deepEqual(await gathered.row(settingKey('c')), row('c'))
  assert.deepEqual(reads, [['a', 'b', 'none'], ['c']])
})

test('callers of one turn of the event loop are read together, whatever each has done before', async () => {
  const { gathered, reads } = asked()
  const later = Promise.resolve()
    .then(() => Promise.resolve())
    .then(() => gathered.row(settingKey('later')))
  const first = new Promise<unknown>((resolve) => process.nextTick(() => resolve(gathered.row(settingKey('first')))))
  assert.deepEqual(await Promise.all([gathered.row(settingKey('now')), later, first]), ['now', 'later', 'first'].map(row))
  assert.deepEqual(reads, [['now', 'later', 'first']])
})

test('a row that cannot be read fails only the caller that asked for it', async () => {
  const { gathered, reads } = asked()
  const [good, broken] = await Promise.allSettled(['a', 'broken'].map((name) => gathered.row(settingKey(name))))
  assert.deepEqual(good, { status: 'fulfilled', value: row('a') })
  assert.equal(broken?.status === 'rejected' && String(broken.reason), 'Error: broken cannot be read')
  assert.deepEqual(reads, [['a', 'broken'], ['a'], ['broken']])
})

test('a database that is away is asked once for all the keys of a turn', async () => {
  const away = new Unreachable('injected')
  let reads = 0
  const read = () => {
    reads++
    return Promise.reject(away)
  }
  const gathered = new ReadBatcher({ read, find: async () => [] })
  const outcomes = await Promise.allSettled(Array.from({ length: 512 }, (_, at) => gathered.row(settingKey(`key ${at}`))))
  assert.equal(reads, 1)
  assert.ok(outcomes.every((outcome) => outcome.status === 'rejected' && outcome.reason === away))
})

test('a read that fails alone is not repeated, and the next turn reads anew', async () => {
  const { gathered, reads } = asked(true)
  for (const _ of [1, 2]) await assert.rejects(gathered.row(settingKey('a')), /cannot be read/)
  assert.deepEqual(reads, [['a'], ['a']])
})

test('one query that several callers make in one turn runs once', async () => {
  const { gathered, finds } = asked()
  const [two, three] = [find('settings', { limit: 2 }), find('settings', { limit: 3 })]
  assert.deepEqual(
    await Promise.all([two, { ...two }, three].map((each) => gathered.rows(each))),
    [1, 2, 3].map(() => [row('found')]),
  )
  assert.deepEqual(finds, ['2', '3'])
  await gathered.rows(two)
  assert.deepEqual(finds, ['2', '3', '2'])
})

test('keys that are requested while two reads are under way are read together when the first read ends, and fail with neither', async () => {
  const reads: { names: string[]; ends: (error?: Error) => void }[] = []
  const read = (keys: readonly Key[]) =>
    new Promise<ReadonlyMap<string, Row<TableName>>>((resolve, reject) => {
      const found = new Map(keys.map(({ name, id }): [string, Row<TableName>] => [name, row(id[0]!)]))
      reads.push({ names: keys.map(({ id }) => id[0]!), ends: (error) => (error ? reject(error) : resolve(found)) })
    })
  const gathered = new ReadBatcher({ read, find: async () => [] })
  const asked: Promise<Row<'settings'> | string | undefined>[] = []
  const ask = async (...names: string[]) => {
    for (const name of names) {
      asked.push(gathered.row(settingKey(name)).catch(String))
      await turn()
    }
    return reads.map((each) => each.names)
  }
  assert.deepEqual(await ask('a', 'b', 'c', 'd'), [['a'], ['b']])
  reads[0]!.ends(new Unreachable('lost'))
  await turn()
  assert.deepEqual(await ask('e', 'f'), [['a'], ['b'], ['c', 'd']])
  reads[2]!.ends()
  reads[1]!.ends()
  await turn()
  assert.deepEqual(await ask('g'), [['a'], ['b'], ['c', 'd'], ['e', 'f'], ['g']])
  for (const { ends } of reads) ends()
  assert.deepEqual(await Promise.all(asked), ['Unreachable: lost', ...['b', 'c', 'd', 'e', 'f', 'g'].map(row)])
})
