// What a log contains of an error: a database quotes the row that it refuses, and a row contains what people sent.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { SystemClock } from '../../src/engine/clock.ts'
import { loggedError, loggedStack } from '../../src/engine/logged-error.ts'
import { dueWork } from '../../src/flows/due-work.ts'
import { RequestLog } from '../../src/http/request-log.ts'
import { whereSqlDiffers } from '../support/run/service.ts'
import { sharedStore } from '../support/store/stores.ts'

const SENT = '9999900001'

/** The error of a refused row that contains a sent value. */
async function refusedBy(run: (statement: string) => Promise<void>): Promise<Error> {
  await run('create table told (mobile varchar(10) primary key, amount_paise bigint check (amount_paise >= 0))')
  return run(`insert into told values ('${SENT}', -${SENT})`).then(
    () => assert.fail('it was not refused'),
    (error: unknown) => error as Error,
  )
}

whereSqlDiffers('an error of the database', 'each engine has errors of its own', (store) => {
  const opened = sharedStore(store)

  test('is logged by its name and code and without a value, wherever it comes from', async () => {
    const error = await refusedBy((await opened()).run)
    const lines: string[] = []
    const logger = pino({ base: null }, { write: (line) => void lines.push(line) })
    const log = () => new RequestLog(logger, new SystemClock()) // a new log for each error, because a log only counts repeated lines
    log().unexpected('request-1', error)
    log().unexpected('request-2', new Error('the database asked for another try', { cause: error }))
    log().answered('request-3', 'initiateTransaction', { result: { code: '501', name: 'system' }, error } as never)
    const submit = () => Promise.reject(error)
    const rows = async () => [{ mid: 'A', collectionId: 'S.1', subscriptionId: 'S' }]
    const ports = { engine: { submit }, query: { rows }, clock: { now: () => 1 }, fresh: { hex: () => '0' } }
    const { sweeps } = dueWork(ports as never, { logger, again() {} } as never)
    for (const name of ['collection.due', 'subscription.due']) await sweeps.find((sweep) => sweep.name === name)!.run(1)

    const code = store === 'postgres' ? /"code":"23514"/ : /"code":"ERR_SQLITE_ERROR","errcode":275/
    assert.equal(lines.length, 5)
    for (const line of lines) assert.match(line, code)
    assert.match(lines[1]!, /the database asked for another try/)
    const all = lines.join('') + loggedStack(error) + loggedStack(new Error('ours', { cause: error }))
    assert.doesNotMatch(all, new RegExp(`${SENT}|${error.message.slice(0, 20)}`))
  })
})

test('an error of Mohur’s own is logged with its sentence; one that quotes a value is not', () => {
  const of = (work: () => unknown) => {
    try {
      work()
    } catch (error) {
      return loggedError(error)
    }
    return assert.fail('nothing was thrown')
  }
  assert.deepEqual(loggedError(new RangeError('no acquirer is connected')), { name: 'RangeError', message: 'no acquirer is connected' })
  assert.deepEqual(
    of(() => assert(false, 'orders: changed without a lock')),
    { name: 'AssertionError', code: 'ERR_ASSERTION', message: 'orders: changed without a lock' },
  )
  assert.deepEqual(
    of(() => assert.equal(SENT, '')),
    { name: 'AssertionError', code: 'ERR_ASSERTION' },
  )
  assert.deepEqual(
    of(() => JSON.parse(SENT.concat('x'))),
    { name: 'SyntaxError' },
  )
  assert.deepEqual(
    of(() => new URL(SENT)),
    { name: 'TypeError', code: 'ERR_INVALID_URL' },
  )
  assert.deepEqual(loggedError(SENT), { name: 'string' })
})

test('an unforeseen error is logged with the place where it happened', () => {
  const lines = loggedStack(new Error('ours', { cause: Object.assign(new Error(SENT), { code: '23514' }) })).split('\n')
  assert.equal(lines[0], 'Error: ours')
  assert.match(lines[1]!, /^ {4}at .*logged-error\.test\.ts(?:\?\w+)?:\d+:\d+\)?$/)
  assert.ok(lines.includes('caused by Error (23514)'), lines.join('\n'))
})
