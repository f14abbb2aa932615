// An event under another name that its state allows misreports what happened, so `verify` must name it.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { named, withHistory } from '../../support/store/tampering.ts'

/** By `statesOfEvents` of src/verify/events.ts: names that lead to the same state, for every kind of history here. */
const ALIKE: readonly (readonly string[])[] = [
  ['order.modified', 'order.reopened', 'order.payer-signed-in'],
  ['transaction.pending', 'transaction.undecided', 'transaction.cancel-refused'],
  ['transaction.failed', 'transaction.decided', 'transaction.undecided', 'transaction.captured-late'],
  ['transaction.captured-late', 'transaction.decided', 'transaction.refund-set-aside', 'transaction.refund-freed', 'transaction.refunded'],
  ['transaction.succeeded', 'transaction.refund-set-aside', 'transaction.refund-freed', 'transaction.refunded'],
  ['collection.scheduled', 'collection.attempt-failed', 'collection.terms-changed', 'collection.unwanted'],
  ['collection.collected', 'collection.unwanted'],
  ['collection.failed', 'collection.unwanted'],
  ['collection.missed', 'collection.unwanted'],
  ['subscription.paused', 'subscription.edit-requested', 'subscription.edited', 'subscription.edit-declined'],
]

/** Events that the history does not have, so this test proves nothing about them. */
const ABSENT: readonly string[] = [
  ...['collection.terms-changed', 'collection.unwanted', 'order.payer-signed-in'],
  ...['subscription.edit-declined', 'subscription.edit-requested', 'subscription.edited'],
  ...['transaction.decided', 'transaction.undecided'],
]

test('an event that bears another name of its state is found', async (t) => {
  const service = await withHistory('sqlite')
  t.after(() => service.close())
  const database = new DatabaseSync(join(service.place.dataFolder, 'mohur.sqlite'), { readOnly: true })
  t.after(() => database.close())
  const passed: string[] = []
  const absent = new Set<string>()
  let exchanged = 0
  for (const alike of ALIKE)
    for (const type of alike)
      for (const other of alike.filter((name) => name !== type)) {
        const row = database.prepare('select max(rowid) as id from events where type = ?').get(type) as { id: number | null }
        if (row.id === null) {
          absent.add(type)
          continue
        }
        exchanged++
        const names = await named(service, { does: [`update events set type = '${other}' where rowid = ${row.id}`] })
        if (names.length === 0) passed.push(`${type} as ${other}`)
      }
  t.diagnostic(`names exchanged ${exchanged}, found ${exchanged - passed.length}`)
  assert.deepEqual([...absent].sort(), ABSENT)
  assert.deepEqual(passed, [])
})
