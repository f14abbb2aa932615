// The embedded store without room: docs/operating/postgresql.md, "When the store fails". A test forbids SQLite's file to grow, which SQLite
// treats as a full disk.

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import { operation } from '../../../src/engine/decision.ts'
import { Unreachable } from '../../../src/engine/store.ts'
import { orderKey, settingKey } from '../../../src/tables/keys.ts'
import { CARD, createOrder, pay, statusOf } from '../../support/paying/paying.ts'
import { MID, type Service, startService } from '../../support/run/service.ts'
import { assertHolds } from '../../support/store/verify.ts'

const codes = { kept: { operation: 'keep', name: 'kept', code: '', status: 'S', message: '', rank: 0 } } as const
const keep = operation({
  name: 'keep',
  codes,
  reads: ({ name }: { name: string }) => ({ before: settingKey(name) }),
  decide({ name }) {
    const row = { name, value: 'x'.repeat(10_000) }
    return { reply: { result: codes.kept }, changes: [{ kind: 'insert', key: settingKey(name), row }], events: [], tasks: [] }
  },
})

const exec = DatabaseSync.prototype.exec
after(() => {
  DatabaseSync.prototype.exec = exec
})

/** The connections that begin transactions, and the fate of their next COMMIT. */
const writers = new Set<DatabaseSync>()
let begun = 0
let atCommit: ((database: DatabaseSync) => void) | undefined
DatabaseSync.prototype.exec = function (sql) {
  if (sql === 'begin immediate') {
    writers.add(this)
    begun++
  }
  const instead = sql === 'commit' ? atCommit : undefined
  if (!instead) return exec.call(this, sql)
  atCommit = undefined
  instead(this)
}

/** The error of a real SQLite that is full. */
function errorOfFull(): Error {
  const small = new DatabaseSync(':memory:')
  exec.call(small, 'pragma max_page_count = 1')
  try {
    exec.call(small, 'create table t (a)')
  } catch (error) {
    return error as Error
  } finally {
    small.close()
  }
  throw new Error('there was room')
}

const writerOf = ({ place }: Service) => [...writers].find((each) => each.isOpen && each.location() === `${place.dataFolder}/mohur.sqlite`)!

async function served(work: (service: Service, exits: number[]) => Promise<void>) {
  const exits: number[] = []
  const service = await startService('sqlite', { exit: (code) => exits.push(code) })
  try {
    await work(service, exits)
    await assertHolds(service)
    assert.deepEqual(exits, [])
  } finally {
    await service.close()
  }
}

describe('a full disk', () => {
  test('refuses what would write, answers what only reads, and is over when there is room', () =>
    served(async (service) => {
      const kept = await createOrder(service, 'KEPT')
      const writer = writerOf(service)
      exec.call(writer, 'pragma max_page_count = 1') // not below its size, so it uses up its free pages first
      const large = { extendInfo: { udf1: 'x'.repeat(250) } }
      const made: string[] = []
      let refused: string | undefined
      for (let at = 0; at < 5_000 && refused === undefined; at++) {
        await createOrder(service, `A${at}`, large).then(
          () => made.push(`A${at}`),
          (error: Error) => {
            refused = error.message
          },
        )
      }
      assert.match(refused ?? 'there was room', /"resultCode":"501"/)
      const unmade = `A${made.length}`
      assert.equal((await statusOf(service, kept)).status, 200)
      assert.equal((await fetch(`${service.url}/readyz`)).status, 200)
      assert.equal(await service.ports.query.row(orderKey(MID, unmade)), undefined)

      begun = 0
      const together = Array.from({ length: 256 }, (_, at) => service.ports.engine.submit(keep, { name: `large ${at}` }))
      const outcomes = await Promise.allSettled(together)
      assert.ok(outcomes.every((outcome) => outcome.status === 'rejected' && outcome.reason instanceof Unreachable))
      assert.equal(begun, 1, 'nobody is tried again alone')

      exec.call(writer, 'pragma max_page_count = 1073741823')
      assert.equal((await createOrder(service, unmade, large)).orderId, unmade)
      assert.equal((await pay(service, kept, CARD)).body.resultInfo.resultStatus, 'S')
    }))

  test('at COMMIT is no unknown outcome: SQLite has undone the transaction, and no caller reads that it may have happened', () =>
    served(async (service) => {
      const kept = await createOrder(service, 'KEPT')
      atCommit = (database) => {
        exec.call(database, 'rollback')
        throw errorOfFull()
      }
      await assert.rejects(createOrder(service, 'FULL'), /"resultCode":"501"/)
      assert.equal((await statusOf(service, kept)).status, 200)
      assert.equal((await fetch(`${service.url}/readyz`)).status, 200)
      await createOrder(service, 'FULL')
    }))
})
