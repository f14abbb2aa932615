// The engine that adds audit rows: one for each decision, in the decision's own commit, also for a refusal.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeAudit } from '../../src/domain/audit/write-audit.ts'
import { addMerchant } from '../../src/domain/merchant/keys.ts'
import { auditIdAt, auditing } from '../../src/flows/auditing.ts'
import { find, look } from '../../src/tables/tables.ts'
import { MID, type Service, sharedService, whereSqlDiffers } from '../support/run/service.ts'
import { run } from '../support/store/at-rest.ts'

const WHO = { operatorId: 'OP', network: '10.0.0.0/24' }
const REASON = 'asked by <b>phone</b>'

const beside = ({ place }: Service, statement: string) =>
  run({ MOHUR_DATA: place.dataFolder, DATABASE_URL: place.databaseUrl ?? '' }, statement)
const rowsOf = ({ ports }: Service) =>
  ports.query.rows(find('auditLog', { equals: { operatorId: 'OP' }, orderBy: ['auditId'], limit: 100 }))

whereSqlDiffers('an engine that audits', 'the row that fails is refused by the database itself', (store) => {
  const running = sharedService(store)
  const act = { action: 'merchant.add', subject: 'merchant:NEW', mid: 'NEW', reason: REASON, data: { amountPaise: 1 } } as const
  const added = async (service: Service, mid: string) => {
    const merchant = (await service.ports.query.row(look('merchants', MID)))!
    return { merchant: { ...merchant, mid, version: 0, status: 'ACTIVE' as const }, clientId: 'C11', fresh: { key: 'ABCDEFGHIJKLMNOP' } }
  }

  test('writes one row a decision, the refused one included, with the name of the result', async () => {
    const service = await running()
    const engine = auditing(service.ports, WHO, act)
    assert.equal((await engine.submit(addMerchant, await added(service, 'NEW'))).result.name, 'added')
    assert.equal((await engine.submit(addMerchant, await added(service, 'NEW'))).result.name, 'known')
    const rows = (await rowsOf(service)).toSorted((a, b) => a.outcome.localeCompare(b.outcome)) // two of one millisecond have no order
    const { reason, ...more } = { ...act, ...WHO }
    for (const [at, outcome] of ['added', 'known'].entries()) {
      const { auditId, at: when, reasonHash, ...row } = rows[at]!
      assert.deepEqual(row, { ...more, reason, outcome, number: null, hash: null })
      assert.equal(reasonHash, service.ports.vault.hash('audit reason', REASON))
      assert.match(auditId, /^[0-9]{13}[0-9a-f]{8}$/)
      assert.ok(Math.abs(when - service.clock.realNow()) < 60_000, 'the time is real')
    }
    assert.equal(rows.length, 2)
    const { operatorId: _, ...by } = { ...WHO, auditId: auditIdAt(service.ports), at: 1 }
    const own = { by: { ...by, operatorId: 'OP' }, act: { action: 'note', subject: 's', outcome: 'done' } } as const
    await engine.submit(writeAudit, own)
    assert.equal((await rowsOf(service)).length, 3, 'a decision with a row of its own gets no second one')
  })

  test('names each of several decisions by its command, and leaves out what a lease covers', async () => {
    const service = await running()
    const before = (await rowsOf(service)).length
    const engine = auditing(service.ports, WHO, (operation, { merchant }: Awaited<ReturnType<typeof added>>) => ({
      ...{ action: 'merchant.add', subject: `${operation}:${merchant.mid}` },
    }))
    await Promise.all([engine.submit(addMerchant, await added(service, 'A')), engine.submit(addMerchant, await added(service, 'B'))])
    const lease = { task: 'none.due', subject: 's', fence: 1 }
    await assert.rejects(engine.submit(addMerchant, await added(service, 'C'), lease), /none\.due/)
    const rows = (await rowsOf(service)).slice(before)
    assert.deepEqual(rows.map(({ action, subject }) => `${action} ${subject}`).sort(), [
      'merchant.add addMerchant:A',
      'merchant.add addMerchant:B',
    ])
  })

  test('changes nothing when its row cannot be written', async () => {
    const service = await running()
    const engine = auditing(service.ports, WHO, act)
    await beside(service, 'alter table audit_log rename to audit_away')
    await assert.rejects(engine.submit(addMerchant, await added(service, 'FAILS')), /audit_log/)
    await beside(service, 'alter table audit_away rename to audit_log')
    assert.equal(await service.ports.query.row(look('merchants', 'FAILS')), undefined)
    assert.equal((await engine.submit(addMerchant, await added(service, 'FAILS'))).result.name, 'added')
  })
})
