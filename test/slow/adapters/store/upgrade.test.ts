// A store of the version that gave a debit up after 72 hours, as its service left it with everything pending (test/fixtures/README.md).
// This version brings it over, goes on where the older one stood, and keeps no cycle twice.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { DatabaseEngine as Database } from '../../../../src/adapters/store/database.ts'
import { migrate } from '../../../../src/adapters/store/migrate.ts'
import { authorizeKey } from '../../../../src/domain/transaction/transaction.ts'
import { find, type Row, tables } from '../../../../src/tables/tables.ts'
import { verify } from '../../../../src/verify/verify.ts'
import { rupees } from '../../../support/mandates/scenario.ts'
import { moveTo } from '../../../support/mandates/timeline.ts'
import { read } from '../../../support/notifications/receiver.ts'
import { ask, formOf } from '../../../support/pages/pages.ts'
import { bankJournal, CARD, pay, statusOf } from '../../../support/paying/paying.ts'
import { refundStatusOf } from '../../../support/paying/refunds.ts'
import { MID, onBothStores, type Service, storeNames } from '../../../support/run/service.ts'
import { validate } from '../../../support/signin/signin.ts'
import { details, validateAt } from '../../../support/signin/tokens.ts'
import { oldStore, opened as openedOn, rowsOf } from '../../../support/store/old-store.ts'
import { openDatabase } from '../../../support/store/stores.ts'
import { assertHolds } from '../../../support/store/verify.ts'

/** Tables that the older version does not have. */
const CAME_SINCE = new Set(['operators', 'operatorTokens', 'operatorSessions', 'signInFailures', 'auditLog', 'searchTerms'])

const BEFORE = '0019'
const LATER = '2026-08-12 12:00:00'

/** The cycles that were under way, as `status, attempt order result`. In brackets what the bank may still do, or has not given back. */
const AT_OPENING: Readonly<Record<string, readonly string[]>> = {
  // Given up, and nothing sent since: the cycle ends.
  'AWAITS-RETRY': ['FAILED', '1 CLOSED timedOut (open)'],
  MERCHANTS: ['FAILED', '1 CLOSED timedOut (open)'],
  CANCELLED: ['FAILED', '1 CLOSED timedOut (open)'],
  // Given up, and another sent beside it.
  'SENT-BESIDE': ['IN_FLIGHT', '1 CLOSED timedOut (open)', '2 IN_PROCESS pending'],
  'SENT-BESIDE-IN-TIME': ['IN_FLIGHT', '1 CLOSED timedOut (open)', '2 IN_PROCESS pending'],
  'SENT-BESIDE-IN-VAIN': ['IN_FLIGHT', '1 CLOSED timedOut (open)', '2 IN_PROCESS pending'],
  'SENT-BESIDE-DECLINED': ['FAILED', '1 CLOSED timedOut (open)', '2 CLOSED declined'],
  'SECOND-KEPT': ['COLLECTED', '1 CLOSED timedOut (open)', '2 PAID success'],
  'SECOND-KEPT-RETURNING': ['COLLECTED', '1 CLOSED returned (open)', '2 PAID success'],
  // Another was asked for, and has not been sent.
  'RENEWED-LATER': ['IN_FLIGHT', '1 CLOSED timedOut (open)', '2 IN_PROCESS pending'],
  // Money that was not to be taken is on its way back, and another may follow.
  RETURNING: ['NOTIFIED', '1 CLOSED returned (open)'],
  'OTHER-AMOUNT': ['NOTIFIED', '1 CLOSED returned (open)'],
  // In flight for 69 and a half hours.
  'IN-FLIGHT': ['IN_FLIGHT', '1 IN_PROCESS pending'],
  'IN-FLIGHT-NO-GRACE': ['IN_FLIGHT', '1 IN_PROCESS pending'],
  // Sent and not asked after; never heard of and to be sent again; to be sent at its hour.
  UNASKED: ['IN_FLIGHT', '1 IN_PROCESS unconfirmed'],
  'UNHEARD-UNASKED': ['IN_FLIGHT', '1 IN_PROCESS unconfirmed'],
  UNHEARD: ['IN_FLIGHT', '1 IN_PROCESS unconfirmed'],
  DEFERRED: ['IN_FLIGHT', '1 IN_PROCESS pending'],
  // Not begun.
  SCHEDULED: ['SCHEDULED'],
  NOTIFIED: ['NOTIFIED'],
  'NOTICE-PENDING': ['SCHEDULED'],
  FRESH: ['NOTIFIED'],
}
const [RETURNED, PAID] = ['1 CLOSED returned', '1 PAID success']
const AT_THE_END: Readonly<Record<string, readonly string[]>> = {
  'AWAITS-RETRY': ['FAILED', RETURNED],
  MERCHANTS: ['FAILED', RETURNED],
  CANCELLED: ['FAILED', RETURNED],
  'SENT-BESIDE': ['FAILED', RETURNED, '2 CLOSED returned'],
  'SENT-BESIDE-IN-TIME': ['COLLECTED', RETURNED, '2 PAID success'],
  'SENT-BESIDE-IN-VAIN': ['COLLECTED', RETURNED, '2 CLOSED timedOut', '3 PAID success'],
  'SENT-BESIDE-DECLINED': ['FAILED', RETURNED, '2 CLOSED declined'],
  'SECOND-KEPT': ['COLLECTED', RETURNED, '2 PAID success'],
  'SECOND-KEPT-RETURNING': ['COLLECTED', RETURNED, '2 PAID success'],
  'RENEWED-LATER': ['COLLECTED', RETURNED, '2 PAID success'],
  RETURNING: ['FAILED', RETURNED],
  'OTHER-AMOUNT': ['COLLECTED', RETURNED, '2 PAID success'],
  'IN-FLIGHT': ['COLLECTED', PAID],
  'IN-FLIGHT-NO-GRACE': ['FAILED', RETURNED],
  ...Object.fromEntries(
    ['UNASKED', 'UNHEARD-UNASKED', 'UNHEARD', 'DEFERRED', 'SCHEDULED', 'NOTIFIED', 'NOTICE-PENDING', 'FRESH'].map((name) => [
      name,
      ['COLLECTED', PAID],
    ]),
  ),
}
const SENT_IN_PAIRS = Object.keys(AT_OPENING).filter((name) => /^(SENT-BESIDE|SECOND-KEPT)/.test(name))

onBothStores('a store of the version before debits stayed with their banks', (store) => {
  test('keeps every word of every row: columns that came since aside, the cycles in doubt have ended, and each link has its event', async () => {
    const { place, mandates } = await oldStore(store, BEFORE)
    const before = await beside(dump)
    assert.equal((await beside(migrate))[0], '0019-open-at-bank')
    const after = await beside(dump)
    const changed = [...before].filter((row) => !after.has(row)).map((row) => JSON.parse(row))
    const added = [...after].filter((row) => !before.has(row)).map((row) => JSON.parse(row))
    const [links, made] = [true, false].map((isOfLink) => added.filter(({ type }) => (type === 'link.kept') === isOfLink))
    const ended = ['AWAITS-RETRY', 'MERCHANTS', 'SENT-BESIDE-DECLINED'].map((name) => `${mandates[name]}.20260707`)
    const said = (rows: readonly { table: string; [column: string]: unknown }[]) =>
      rows.map(({ table, collection_id, id, status, type }) => [table, collection_id ?? id, status ?? type].join(' ')).sort()
    assert.deepEqual(said(changed), ended.map((id) => `collections ${id} NOTIFIED`).sort())
    assert.deepEqual(said(made!), ended.flatMap((id) => [`collections ${id} FAILED`, `events ${id} collection.failed`]).sort())
    const kept = [...after].map((row) => JSON.parse(row)).filter(({ table }) => table === 'mandate_links')
    assert.deepEqual(links!.map(({ id }) => id).sort(), kept.map(({ subscription_id: id }) => id).sort())
    for (const was of changed) {
      const is = made!.find(({ table, collection_id: id }) => table === 'collections' && id === was.collection_id)
      assert.deepEqual(is, { ...was, status: 'FAILED', version: was.version + 1, next_at: null })
    }

    async function beside<T>(work: (database: Database) => Promise<T>): Promise<T> {
      const database = openDatabase(store, place)
      return work(database).finally(() => database.close())
    }

    /** Each row as its text, without what is new. */
    async function dump(database: Database): Promise<Set<string>> {
      const lines = new Set<string>()
      for (const name of Object.keys(tables).filter((each) => !CAME_SINCE.has(each))) {
        const table = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
        for (const { sent_at: sentAt, ...row } of await rowsOf(database, table)) {
          for (const since of ['open_at_bank', 'left_count', 'is_left', 'is_cancel_refused']) delete row[since]
          if (table === 'merchants') for (const since of ['version', 'status', 'support_contact']) delete row[since]
          lines.add(JSON.stringify({ table, ...row, ...(table === 'collections' && { sent_at: sentAt }) }))
        }
      }
      return lines
    }
  })

  let opening: ReturnType<typeof openedOn> | undefined
  after(async () => (await opening)?.close())
  const running = () => {
    opening ??= openedOn(store, BEFORE)
    return opening
  }

  test('opens with each cycle as it was left; of a cycle in doubt no other debit can be asked for', async () => {
    const { service, old } = await running()
    assert.deepEqual(await cyclesOf(service, old.mandates), AT_OPENING)
    await assertSound(service, old.mandates)
    const renew = async (name: string) => {
      const orderId = `AGAIN-${name}`
      const body = { mid: MID, orderId, subscriptionId: old.mandates[name], txnAmount: rupees('199.00') }
      return (await service.signed(`/subscription/renew?mid=${MID}&orderId=${orderId}`, body)).body.resultInfo.resultCode
    }
    assert.deepEqual(await Promise.all(['MERCHANTS', 'RETURNING', 'RENEWED-LATER'].map(renew)), ['3908', '3909', '3909'])
  })

  test('answers those who hold something of it as before', async () => {
    const { service, old } = await running()
    const { kept, openOrder, challenge, checkout } = old
    assert.equal((await service.post(kept.path, kept.text, { 'idempotency-key': kept.key })).text, kept.reply)
    assert.equal((await details(service, old.ssoToken)).status, 200)
    assert.equal((await validate(service, challenge)).body.responseCode, 'BE1400001')
    assert.equal((await validateAt(service, checkout, checkout.otp)).body.resultInfo.resultCode, '01')
    assert.equal((await pay(service, openOrder, CARD)).body.resultInfo.resultStatus, 'S')
    const shown = await ask(service, old.page)
    assert.equal(shown.status, 200)
    assert.ok(formOf(shown.text, { panel: 'card' }))
    assert.match((await ask(service, old.mandatePage)).text, /199\.00/)
    const { page, otp } = old.mandateCode
    const { action, fields } = formOf((await ask(service, page)).text, '/open')
    const entered = await ask(service, action, { ...fields, code: otp })
    assert.equal(entered.status, 303)
    assert.match((await ask(service, page)).text, /199\.00/)
  })

  test('gives up a debit whose days are over, asks its bank on, and sends no other before money is back', async () => {
    const { service, old } = await running()
    await moveTo(service, '2026-07-10 13:00:00')
    const { 'IN-FLIGHT-NO-GRACE': over, 'IN-FLIGHT': within } = await cyclesOf(service, old.mandates)
    assert.deepEqual(over, ['FAILED', '1 CLOSED undecided (open)'])
    assert.deepEqual(within, ['IN_FLIGHT', '1 IN_PROCESS pending (open)'])
    await moveTo(service, '2026-07-13 12:00:00')
    const { 'SENT-BESIDE': beside, 'OTHER-AMOUNT': returning } = await cyclesOf(service, old.mandates)
    assert.deepEqual(beside, ['FAILED', RETURNED, '2 CLOSED undecided (open)'])
    assert.deepEqual(returning, ['NOTIFIED', '1 CLOSED returned (open)'])
    await assertSound(service, old.mandates)
  })

  test('ends with one debit kept of a cycle at most, and every other given back whole', async () => {
    const { service, old } = await running()
    await moveTo(service, LATER)
    assert.deepEqual(await cyclesOf(service, old.mandates), AT_THE_END)
    await assertReturned(service)
    for (const name of Object.keys(AT_THE_END).filter((name) => name !== 'CANCELLED'))
      assert.ok((await cyclesByDay(service, old.mandates[name]!)).length > 1, `${name} has gone on`)
    await assertSound(service, old.mandates)
  })

  test('ends its payments and refunds as the bank has decided, and its merchant hears of everything', async () => {
    const { service, old, heard } = await running()
    await moveTo(service, LATER)
    const payments = { begun: '01', pending: '141', slow: '01', timeout: '141', lost: '01', late: '810' }
    for (const [name, code] of Object.entries(payments))
      assert.equal((await statusOf(service, { orderId: `PAY-${name}` })).body.resultInfo.resultCode, code, name)
    for (const name of ['slow', 'lost', 'timeout', 'late'])
      assert.equal((await refundStatusOf(service, { orderId: `REFUND-${name}` }, `R-${name}`)).body.resultInfo.resultCode, '10', name)
    const [registered] = await cyclesByDay(service, old.mandates['REGISTRATION']!)
    assert.equal(registered!.status, 'COLLECTED')
    const open = await service.edge.query.rows(find('notifications', { equals: { status: 'OPEN' }, limit: 100 }))
    assert.deepEqual(open, [])
    const reached = heard.map((received) => read(received)).map((each) => (typeof each === 'string' ? each : each.orderId))
    for (const orderId of ['UNDELIVERED', 'BEING-DELIVERED', 'PAY-lost']) assert.ok(reached.includes(orderId), orderId)
    await assertHolds(service)
  })

  test('is sound for the operator: `mohur verify` names the old pairs as history, and exits with 0', async () => {
    const { service } = await running()
    const { dataFolder, databaseUrl = '' } = service.place
    const env = { ...process.env, MOHUR_DATA: dataFolder, DATABASE_URL: databaseUrl }
    const asked = spawnSync(process.execPath, ['src/cli/mohur.ts', 'verify'], {
      encoding: 'utf8',
      env,
      cwd: join(import.meta.dirname, '../../../..'),
    })
    assert.deepEqual([asked.status, asked.stderr], [0, ''])
    assert.match(asked.stdout, /^ {5}history: sent by an older version beside one that it had given up: 6 of them, the first: /m)
  })
})

test('a store of that version that is opened three weeks late keeps one debit of a cycle at most, too', async () => {
  const { service, old, close } = await openedOn(storeNames[0]!, BEFORE, 21 * 24 * 60 * 60_000)
  try {
    await assertSound(service, old.mandates)
    await moveTo(service, LATER)
    await assertReturned(service)
    await assertSound(service, old.mandates)
  } finally {
    await close()
  }
})

const debitsOf = async ({ edge }: Service) =>
  (await edge.query.rows(find('transactions', { equals: { mid: MID }, limit: 1_000 }))).filter(({ collectionId }) => collectionId !== null)
const cyclesByDay = ({ edge }: Service, subscriptionId: string) =>
  edge.query.rows(find('collections', { equals: { mid: MID, subscriptionId }, orderBy: ['dueDate'], limit: 9 }))

/** The first cycle of each mandate, which was under way. */
async function cyclesOf(service: Service, mandates: Readonly<Record<string, string>>): Promise<Record<string, string[]>> {
  const transactions = await debitsOf(service)
  const orders = await service.edge.query.rows(find('orders', { equals: { mid: MID }, limit: 1_000 }))
  const statusOf = new Map(orders.map(({ orderId, status }) => [orderId, status]))
  const said = ({ collectionAttempt, orderId, result, openAtBank }: Row<'transactions'>) =>
    `${collectionAttempt} ${statusOf.get(orderId)} ${result}${openAtBank ? ' (open)' : ''}`
  const cycles = await Promise.all(
    Object.keys(AT_OPENING).map(async (name): Promise<[string, string[]]> => {
      const [cycle] = await cyclesByDay(service, mandates[name]!)
      const attempts = transactions.filter(({ collectionId }) => collectionId === cycle!.collectionId)
      attempts.sort((a, b) => a.collectionAttempt! - b.collectionAttempt!)
      return [name, [cycle!.status, ...attempts.map(said)]]
    }),
  )
  return Object.fromEntries(cycles)
}

/** The bank took what we say, and has given back whole what is not kept; nothing was sent by us before that. */
async function assertReturned(service: Service) {
  const journal = (await bankJournal(service)).filter(({ outcome }) => outcome === 'success')
  const debits = await debitsOf(service)
  // The older version sent them under another key.
  const returnsOf = (debit: Row<'transactions'>) => {
    const keys = [`${MID}:refund:A${debit.txnId}`, `${authorizeKey(debit)}:refund:1`]
    return journal.filter(({ key }) => keys.includes(key))
  }
  for (const debit of debits) {
    const { collectionId, collectionAttempt: attempt, capturedPaise, status, openAtBank, sentAt } = debit
    const key = authorizeKey(debit)
    const sums = [journal.filter((line) => line.key === key), returnsOf(debit)].map((lines) => lines.map(({ amountPaise }) => amountPaise))
    const captured = capturedPaise > 0 ? [capturedPaise] : []
    assert.deepEqual([...sums, openAtBank], [captured, status === 'SUCCESS' ? [] : captured, false], key)
    const others = debits.filter((other) => other.collectionId === collectionId && other.collectionAttempt! !== attempt)
    assert.ok(status !== 'SUCCESS' || others.every((other) => other.status === 'FAILURE'), key)
    if (sentAt === null) continue
    for (const other of others.filter(({ collectionAttempt }) => collectionAttempt! < attempt!))
      assert.ok(other.capturedPaise === 0 || returnsOf(other).every(({ at }) => Date.parse(at) <= sentAt), `${key} was sent beside another`)
  }
}

/** No breach; and of history the pairs that the older version had sent, and no others. */
async function assertSound(service: Service, mandates: Readonly<Record<string, string>>) {
  await assertHolds(service)
  const history = (await verify(service.place)).filter((verdict) => verdict.history)
  assert.deepEqual(
    history.map(({ id, history }) => [id, history!.found]),
    [['I59', SENT_IN_PAIRS.length]],
  )
  const named = (await debitsOf(service)).find(({ txnId }) => txnId === history[0]!.history!.first['id'])
  const pairs = SENT_IN_PAIRS.map((name) => mandates[name]!)
  assert.ok(pairs.some((subscriptionId) => named!.collectionId!.startsWith(`${subscriptionId}.`)))
  assert.equal(named!.collectionAttempt, 2)
}
