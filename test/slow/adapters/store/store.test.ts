// Rows that a transaction locks for seconds, on PostgreSQL: which callers wait for them, and for how long.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { CommitUnknown, RowLocked } from '../../../../src/engine/store.ts'
import { createOrder as codes } from '../../../../src/interface/result-codes.ts'
import { settingKey } from '../../../../src/tables/keys.ts'
import { claim, lockBoth } from '../../../support/store/lock-rows.ts'
import { emptyPlace, newEngine, openStore } from '../../../support/store/stores.ts'

test('postgres: when a batch meets a locked row, only the command that wants it fails, soon, and the next one waits for it no longer', async () => {
  const place = await emptyPlace('postgres')
  const beside = await openStore('postgres', place)
  await beside.run("insert into settings values ('held', 'h'), ('other', 'o')")
  const patient = await openStore('postgres', `${place}?lock_timeout=6000`)
  const holder = new pg.Client(place)
  await holder.connect()
  await holder.query("begin; select 1 from settings where name = 'held' for update")
  const engine = newEngine(patient.store)
  const timed = async (work: Promise<unknown>) => {
    const before = performance.now()
    const [outcome] = await Promise.allSettled([work])
    return { reported: outcome.status === 'rejected' ? outcome.reason.constructor : outcome.status, ms: performance.now() - before }
  }
  const held = () => timed(engine.submit(lockBoth, { first: 'held', second: 'other' }))
  const made = (at: number) => timed(engine.submit(claim, { name: `beside ${at}`, value: '' }))
  const all = await Promise.all([...[1, 2, 3].map(made), held(), ...[4, 5, 6, 7].map(made)])
  assert.deepEqual(
    all.map(({ reported }) => reported),
    ['fulfilled', 'fulfilled', 'fulfilled', RowLocked, 'fulfilled', 'fulfilled', 'fulfilled', 'fulfilled'],
  )
  assert.ok(
    all.every(({ ms }) => ms < 12_000),
    'one wait of six seconds, three of half a second',
  )
  const again = await held()
  assert.equal(again.reported, RowLocked)
  assert.ok(again.ms < 5_000, `${again.ms} ms`)
  await holder.query('rollback')
  assert.equal((await held()).reported, 'fulfilled')
  await holder.end()
  await Promise.all([beside.close(), patient.close()])
})

test('postgres: a command that waits for a row of a frozen process gets it once that process has lost its transaction', async () => {
  const mine = await openStore('postgres')
  const theirs = await openStore('postgres', mine.place)
  await mine.run("insert into settings values ('held', 'h'), ('other', 'o')")
  const [isHeld, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const standing = theirs.store.transaction(async (transaction) => {
    await transaction.read([settingKey('held')])
    isHeld.resolve()
    await goesOn.promise
  })
  await isHeld.promise
  assert.equal((await newEngine(mine.store).submit(lockBoth, { first: 'held', second: 'other' })).result, codes.success)
  goesOn.resolve()
  await assert.rejects(standing, (error) => !(error instanceof CommitUnknown))
  await Promise.all([mine.close(), theirs.close()])
})
