// docs/acquirer-cashfree.md, "Settings": a store asks about its payments at the account that made them, and at no other.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type OpenedStore, openStore } from '../../../src/adapters/store/open.ts'
import type { Change } from '../../../src/engine/decision.ts'
import { transact } from '../../../src/engine/store.ts'
import { readSettings } from '../../../src/settings.ts'
import { collectionKey, settingKey } from '../../../src/tables/keys.ts'
import { inFlight } from '../../support/decided/rows.ts'
import { onBothStores } from '../../support/run/service.ts'
import { copyMigrated, migratedDatabase } from '../../support/store/migrated.ts'

const cashfree = (clientId: string) => ({ MOHUR_CASHFREE_CLIENT_ID: clientId, MOHUR_CASHFREE_CLIENT_SECRET: 'secret' })
const adapter = { MOHUR_ACQUIRER_URL: 'https://psp.example', MOHUR_ACQUIRER_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}` }

onBothStores('the account of a store', (store) => {
  let folder: string
  let databaseUrl = ''
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mohur-account-'))
    if (store === 'postgres') databaseUrl = await migratedDatabase()
    else copyMigrated(folder)
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** The account in the store after a start with these settings. */
  async function started(environment: Record<string, string>, then?: (opened: OpenedStore) => Promise<unknown>) {
    const opened = await openStore(readSettings({ MOHUR_DATA: folder, DATABASE_URL: databaseUrl, ...environment }))
    try {
      await then?.(opened)
      return (await opened.store.query.row(settingKey('acquirerAccount')))?.value
    } finally {
      await opened.store.close()
    }
  }
  const asking = (kind: 'add' | 'cancel', task: string) => (opened: OpenedStore) => {
    const of = { task, subject: `SHOP1:${task}` }
    const change = kind === 'add' ? { kind, ...of, dueAt: 1, payload: {} } : { kind, ...of }
    return transact(opened.store, (transaction) => transaction.write({ changes: [], events: [], tasks: [change] }))
  }
  const refused = (environment: Record<string, string>, sentence: RegExp) =>
    assert.rejects(started(environment), (error: Error) => {
      assert.equal(error.name, 'SettingError')
      assert.match(error.message, sentence)
      return true
    })

  test('it is a hash, which another account replaces while nothing is open', async () => {
    assert.equal(await started({}), undefined)
    const first = await started(cashfree('ONE'))
    assert.match(first!, /^[A-Za-z0-9_-]{43}$/)
    assert.equal(await started(cashfree('ONE')), first)
    assert.notEqual(await started(cashfree('TWO')), first)
    assert.equal(await started({}), '')
    assert.equal(await started(adapter), '')
    assert.equal(await started({ ...cashfree('ONE'), MOHUR_CASHFREE_CLIENT_SECRET: 'rotated' }), first)
  })

  for (const task of ['transaction.due', 'refund.due'])
    test(`while ${task} waits for the account, no other acquirer is served`, async () => {
      const first = await started(cashfree('ONE'), asking('add', task))
      await refused(
        cashfree('TWO'),
        /^MOHUR_CASHFREE_CLIENT_ID names another account than before, but payments, debits or refunds are still open/,
      )
      await refused({}, /^MOHUR_CASHFREE_CLIENT_ID is gone, but/)
      await refused(adapter, /^MOHUR_CASHFREE_CLIENT_ID is gone, but/)
      assert.equal(await started(cashfree('ONE'), asking('cancel', task)), first)
      assert.notEqual(await started(cashfree('TWO')), first)
    })

  test('while a payment waits for another acquirer, no account is served', async () => {
    await started(adapter, asking('add', 'transaction.due'))
    await refused(cashfree('ONE'), /^MOHUR_CASHFREE_CLIENT_ID is new, but/)
    assert.equal(await started({ ...adapter, MOHUR_ACQUIRER_URL: 'https://moved.psp.example' }, asking('cancel', 'transaction.due')), '')
  })

  test('while a bank has not answered a debit, no other acquirer is served', async () => {
    const { row } = inFlight()
    const key = collectionKey(row.mid, row.collectionId)
    const written = (change: Change) => (opened: OpenedStore) =>
      transact(opened.store, (transaction) => transaction.write({ changes: [change], events: [], tasks: [] }))
    await started(adapter, written({ kind: 'insert', key, row }))
    await refused(cashfree('ONE'), /^MOHUR_CASHFREE_CLIENT_ID is new, but payments, debits or refunds/)
    const ended = { ...row, version: row.version + 1, status: 'COLLECTED' as const, nextAt: null }
    assert.equal(await started(adapter, written({ kind: 'update', key, row: ended })), '')
    assert.notEqual(await started(cashfree('ONE')), '')
  })

  test('other due work keeps no account', async () => {
    const first = await started(cashfree('ONE'), asking('add', 'notification.due'))
    assert.notEqual(await started(cashfree('TWO'), asking('cancel', 'notification.due')), first)
  })
})
