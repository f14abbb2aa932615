// The acquirer's key of a refund. When the store has lost a refund that was sent, and the merchant requests it again, it is not paid twice.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, test } from 'node:test'
import pg from 'pg'
import { operation } from '../../../src/engine/decision.ts'
import { ownCodes } from '../../../src/interface/result-code.ts'
import { refundKey } from '../../../src/tables/keys.ts'
import { booksEqualJournal } from '../../support/bank/books.ts'
import { bankJournal, script } from '../../support/paying/paying.ts'
import { type Paid, paidOrder, refund, refundStatusOf, transactionOf } from '../../support/paying/refunds.ts'
import { codeOf } from '../../support/run/replies.ts'
import { MID, onBothStores, type Service, sharedService } from '../../support/run/service.ts'
import { assertHolds } from '../../support/store/verify.ts'

const MINUTE_MS = 60_000
const codes = ownCodes('storedBefore', 'done')

async function run({ place: { databaseUrl, dataFolder } }: Service, ...statements: string[]) {
  if (databaseUrl) {
    const client = new pg.Client(databaseUrl)
    await client.connect()
    for (const statement of statements) await client.query(statement)
    return client.end()
  }
  const database = new DatabaseSync(join(dataFolder, 'mohur.sqlite'), { timeout: 5_000 })
  for (const statement of statements) database.exec(statement)
  database.close()
}

/** A refund as it was stored when Mohur's own number was its key at the bank. */
const storedBefore = operation({
  name: 'storedBefore',
  codes,
  reads: ({ refId }: { refId: string }) => ({ refund: refundKey(MID, refId) }),
  decide: (_command, { refund }) => ({
    reply: { result: codes.done },
    changes: [{ kind: 'update', key: refundKey(MID, refund!.refId), row: { ...refund!, details: {} } }],
    events: [],
    tasks: [],
  }),
})

onBothStores('the key of a refund', (store) => {
  const service = sharedService(store)
  afterEach(async () => {
    await booksEqualJournal(await service())
    await assertHolds(await service())
  })

  const given = async (service: Service) =>
    (await bankJournal(service)).flatMap(({ kind, outcome, key, amountPaise }) =>
      kind === 'refund' && outcome === 'success' ? [[key, amountPaise]] : [],
    )

  /** Sets the store back to before the refund was requested. The bank's books keep the refund. */
  async function lose(service: Service, { txnId }: Paid, refId: string, version: number) {
    const { refundId } = (await service.ports.query.row(refundKey(MID, refId)))!
    await run(
      service,
      `delete from refunds where ref_id = '${refId}'`,
      `delete from ledger_entries where movement in ('refund:${refundId}', 'refunded:${refundId}')`,
      `delete from events where aggregate = 'refund' and id = '${refId}'`,
      `delete from events where aggregate = 'transaction' and id = '${txnId}' and version > ${version}`,
      `update transactions set version = ${version}, refunded_paise = 0, bank_refunded_paise = 0, returned_paise = 0 where txn_id = '${txnId}'`,
    )
    assert.equal(codeOf(await refundStatusOf(service, { orderId: `O${refId}` }, refId)), '800')
  }

  test('a refund that the store has lost is not paid twice when it is asked for again', async () => {
    const running = await service()
    const paid = await paidOrder(running, 'OLOST')
    const { version } = await transactionOf(running, paid)
    const first = await refund(running, paid, 'LOST', '40.00')
    await running.tasks.runDue()
    assert.deepEqual(await given(running), [[`${MID}:refund:ref:LOST`, 40_00]])
    await lose(running, paid, 'LOST', version)
    const again = await refund(running, paid, 'LOST', '40.00')
    assert.equal(codeOf(again), '601')
    assert.notEqual(again.body.refundId, first.body.refundId)
    await running.tasks.runDue()
    assert.equal(codeOf(await refundStatusOf(running, paid, 'LOST')), '10')
    assert.deepEqual(await given(running), [[`${MID}:refund:ref:LOST`, 40_00]])
  })

  test('a refund that was stored before keeps the key under which it was sent', async () => {
    const running = await service()
    const paid = await paidOrder(running, 'OBEFORE')
    await script(running, paid, 'timeout')
    const { body } = await refund(running, paid, 'BEFORE', '40.00')
    await running.ports.engine.submit(storedBefore, { refId: 'BEFORE' })
    await running.tasks.runDue()
    const { clock } = running
    await running.tasks.advance(clock.now() + 3 * MINUTE_MS, async (instant) => clock.advance(Math.max(0, instant - clock.now())))
    assert.equal(codeOf(await refundStatusOf(running, paid, 'BEFORE')), '10')
    assert.deepEqual((await given(running)).at(-1), [`${MID}:refund:${body.refundId}`, 40_00])
  })

  test('no refId makes the key of another refund or of a payment', async () => {
    const running = await service()
    const paid = await paidOrder(running, 'OALIKE')
    const own = ['10.00', '20.00', '30.00']
    const likes = [`A${paid.txnId}`, paid.txnId, 'ref']
    for (const [at, refId] of likes.entries()) assert.equal(codeOf(await refund(running, paid, refId, own[at]!)), '601')
    await running.tasks.runDue()
    assert.deepEqual(
      (await given(running)).slice(-3).sort(),
      likes.map((refId, at) => [`${MID}:refund:ref:${refId}`, Number(own[at]) * 100]).sort(),
    )
  })
})
