// `mohur verify` on a store with some history finds nothing. When one row is wrong, it names exactly the broken invariant.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { newCustomerKey } from '../../src/tables/keys.ts'
import { wordsOf } from '../../src/verify/invariant.ts'
import { invariants, lineOf, verify } from '../../src/verify/verify.ts'
import { personOf } from '../support/console/desk.ts'
import { paidRupees, refundBy } from '../support/console/refunds.ts'
import { program } from '../support/run/checkout.ts'
import { type Service, whereSqlDiffers } from '../support/run/service.ts'
import { cycleOf, named, ofCycle, ofOrder, paid, type Tampering, twin, withHistory } from '../support/store/tampering.ts'

const KEYED = "insert into idempotency_keys values ('M', 'o', 'k', 'r', 's', 1)"

const tamperings: readonly Tampering[] = [
  { id: 'I01', loses: ['orders'], does: [twin('orders', "order_id = 'MANDATE'")], also: ['I13', 'I47'] },
  { id: 'I02', loses: ['orders'], does: ["update orders set amount_paise = 0 where order_id = 'FLIGHT'"], also: ['I04', 'I46'] },
  { id: 'I03', does: ["update orders set modify_count = 2 where order_id = 'MODIFIED'"] },
  { id: 'I04', does: ["update orders set amount_paise = amount_paise + 1 where order_id = 'FLIGHT'"] },
  {
    id: 'I05',
    does: ["update events set type = 'order.modified' where id = 'KEPT' and aggregate = 'order' and version = 3"],
    also: ['I03'],
  },
  {
    id: 'I06',
    loses: ['transactions'],
    does: ["update transactions set status = 'SUCCESS' where order_id = 'MODIFIED'"],
    also: ['I07', 'I08', 'I12', 'I15', 'I18', 'I46', 'I47'],
  },
  {
    id: 'I07',
    loses: ['transactions'],
    does: ["update transactions set status = 'PENDING' where order_id = 'MODIFIED' and attempt = 1"],
    also: ['I15', 'I41', 'I47'],
  },
  {
    id: 'I08',
    loses: ['transactions'],
    does: [`update transactions set captured_paise = captured_paise - 1 where txn_id = ${paid}`],
    also: ['I12', 'I46'],
  },
  {
    id: 'I09',
    does: ["update transactions set order_version = order_version - 1 where order_id = 'MODIFIED' and attempt = 1"],
  },
  { id: 'I10', does: [`update transactions set refunded_paise = refunded_paise + 1 where txn_id = ${paid}`], also: ['I18'] },
  { id: 'I11', loses: ['refunds'], does: [twin('refunds', "ref_id = 'PART'")], also: ['I10', 'I13', 'I18', 'I47'] },
  { id: 'I12', does: ["update orders set status = 'CLOSED' where order_id = 'KEPT'"], also: ['I15'] },
  { id: 'I13', does: [`delete from events where aggregate = 'redemption' and version = 2 and id = ${ofOrder('KEPT')}`] },
  { id: 'I14', does: ["update events set from_status = 'IN_PROCESS' where aggregate = 'order' and id = 'KEPT' and version = 2"] },
  { id: 'I15', does: ["update events set to_status = 'IN_PROCESS' where aggregate = 'order' and id = 'KEPT' and version = 3"] },
  {
    id: 'I16',
    does: [
      "update events set to_status = 'CLOSED' where aggregate = 'order' and id = 'KEPT' and version = 2",
      "update events set from_status = 'CLOSED' where aggregate = 'order' and id = 'KEPT' and version = 3",
    ],
  },
  { id: 'I17', does: ["update ledger_entries set movement = 'x' || movement where movement like 'opening:%' and line = '1'"] },
  {
    id: 'I18',
    does: [`update ledger_entries set account = 'wallet_float' where movement = 'capture:' || ${paid} and account = 'fees_income'`],
  },
  {
    id: 'I19',
    does: ["update promotion_counters set amount_paise = amount_paise + 1 where promocode = 'OFF10' and cust_id = ''"],
  },
  { id: 'I20', does: ["update promotion_counters set uses = uses + 1 where promocode = 'OFF10' and cust_id = 'C1'"] },
  { id: 'I21', does: ["update redemptions set kind = 'CASHBACK' where order_id = 'FLIGHT'"] },
  {
    id: 'I22',
    does: [`update collections set txn_id = ${ofOrder('KEPT')} where ${cycleOf('WEEKLY', 1)}`],
  },
  { id: 'I23', does: [`update transactions set collection_attempt = 3 where collection_attempt = 2 and ${ofCycle('FAILING', 1)}`] },
  {
    id: 'I24',
    loses: ['collections'],
    does: [`update collections set amount_paise = 100, max_paise = 100 where ${cycleOf('WEEKLY', 1)}`],
    also: ['I46', 'I48'],
  },
  { id: 'I25', does: [`update collections set window_to = window_from where ${cycleOf('FAILING', 1)}`] },
  { id: 'I26', does: [`delete from collections where ${cycleOf('PAUSED', 2)}`], also: ['I13'] },
  { id: 'I27', does: [`update collections set noticed_at = noticed_at + 43200001, sent_at = null where ${cycleOf('WEEKLY', 1)}`] },
  {
    id: 'I28',
    loses: ['transactions'],
    does: [`update transactions set collection_attempt = 1 where ${ofCycle('FAILING', 1)}`],
    also: ['I23', 'I47'],
  },
  {
    id: 'I29',
    does: ["update notifications set event = 'order|NONE|1' where order_id = 'MODIFIED' and endpoint = 'peon' and sequence = '000001'"],
  },
  {
    id: 'I30',
    does: [
      "update notifications set status = 'OPEN', delivered_at = null where order_id = 'MODIFIED' and endpoint = 'peon' and sequence = '000001'",
    ],
  },
  { id: 'I31', does: ["update delivery_attempts set http_status = 500 where notification_id like '%MODIFIED:peon:1'"] },
  { id: 'I32', does: ["delete from tasks where task = 'refund.due'"] },
  {
    id: 'I33',
    loses: ['otp_challenges'],
    does: ['update otp_challenges set tries = tries_max where consumed_at is not null'],
    also: ['I46'],
  },
  { id: 'I34', does: ['update refresh_tokens set used_at = null where generation = 1'] },
  { id: 'I35', does: ['update otp_challenges set consumed_at = null'] },
  { id: 'I36', does: ["update orders set expires_at = txn_token_issued_at where order_id = 'KEPT'"] },
  {
    id: 'I37',
    loses: ['idempotency_keys'],
    does: [KEYED, KEYED],
    also: ['I47'],
  },
  { id: 'I38', does: ["update subscriptions set order_id = 'NONE'"] },
  { id: 'I40', loses: ['tasks'], does: [twin('tasks', "task = 'refund.due'")], also: ['I47'] },
  { id: 'I41', does: ["update orders set txn_id = null where order_id = 'FLIGHT'"] },
  { id: 'I42', does: ["update refunds set ref_id = 'auto' where ref_id like 'auto:%'"], also: ['I13'] },
  {
    id: 'I43',
    does: ["update ledger_entries set account = 'wallet_float' where account = 'wallet_hold' and movement like 'hold:%'"],
  },
  { id: 'I44', does: ["delete from ledger_entries where movement like 'opening:%' and line = '1'"], also: ['I17'] },
  { id: 'I45', does: ['update customers set wallet_balance_paise = wallet_balance_paise + 1'] },
  { id: 'I46', loses: ['merchants'], does: ['update merchants set checksum_enabled = 7'] },
  { id: 'I47', loses: ['settings'], does: [twin('settings', "name = 'masterKeyCheck'")] },
  { id: 'I48', does: [`update transactions set bank_txn_id = 'ANOTHER' where txn_id = ${paid}`] },
  { id: 'I49', does: [`update transactions set result = 'declined' where txn_id = ${paid}`] },
  {
    id: 'I50',
    does: [
      "update customers set wallet_balance_paise = wallet_balance_paise + 1 where mobile = '9999900001'",
      "update customers set wallet_balance_paise = wallet_balance_paise - 1 where mobile = (select max(mobile) from customers where wallet_balance_paise > 0 and mobile <> '9999900001')",
    ],
  },
  { id: 'I51', does: [`update ledger_entries set movement = 'gift:' || ${paid} where movement = 'capture:' || ${paid}`] },
  { id: 'I52', does: ["update promotion_counters set budget_paise = null where promocode = 'OFF10' and cust_id = ''"] },
  { id: 'I53', does: ["update orders set expires_at = expires_at + 1 where order_id = 'KEPT'"] },
  { id: 'I54', does: ["update sso_tokens set user_id = 'another'"] },
  { id: 'I55', does: ["update settings set value = 'production' where name = 'mode'"] },
  { id: 'I56', does: [`delete from collections where ${cycleOf('WEEKLY', 3)}`], also: ['I13'] },
  { id: 'I57', does: [`update collections set authentication = 'APPROVED' where ${cycleOf('WEEKLY', 1)}`] },
  { id: 'I58', does: ["insert into merchant_keys select mid, client_id, '1', position, key, null, 0, null, 0 from merchant_keys"] },
  {
    id: 'I59',
    does: [`update transactions set sent_at = sent_at - 172800000 where collection_attempt = 2 and ${ofCycle('FAILING', 1)}`],
  },
  { id: 'I60', does: ["update events set type = 'order.paid' where type = 'order.modified'"] },
  { id: 'I61', does: ["delete from audit_log where action = 'approval.give'"] },
]

whereSqlDiffers('mohur verify', 'each invariant is SQL of its own', (store) => {
  let service: Service
  before(async () => {
    service = await withHistory(store)
    const { txnId } = await paidRupees(service, 'APPROVED', 15_000)
    await refundBy(service, await personOf(service, ['finance']), txnId)
    await service.tasks.runDue()
  })
  after(() => service.close())

  test('finds nothing where nothing is wrong, beside the running service', async () => {
    const verdicts = await verify(service.place)
    assert.equal(
      verdicts
        .filter(({ breaches }) => breaches > 0)
        .map(lineOf)
        .join('\n'),
      '',
    )
    const empty = verdicts.filter(({ rows }) => rows === 0).map(({ id }) => id)
    assert.deepEqual(empty, ['I37']) // every other one has rows to check
  })

  for (const tampering of tamperings) {
    const { id, also = [] } = tampering
    test(`names ${id} when it is not true that ${invariants.find((one) => one.id === id)!.says}`, async () => {
      const found = await named(service, tampering)
      assert.deepEqual(
        [id, ...also].filter((wanted) => !found.includes(wanted)),
        [],
        found.join(' '),
      )
    })
  }

  test('has an invariant for each tampering, and a tampering for each invariant', () => {
    assert.deepEqual(
      tamperings.map(({ id }) => id),
      invariants.map(({ id }) => id),
    )
  })

  if (store === 'sqlite')
    test('never looks through a table, or all that is of one merchant, for each row of another', () => {
      const database = new DatabaseSync(join(service.place.dataFolder, 'mohur.sqlite'), { readOnly: true })
      const perRow = invariants.flatMap(({ id, query }) => {
        const plan = database
          .prepare(`explain query plan ${typeof query === 'string' ? query : query(wordsOf.sqlite)}`)
          .all() as unknown as Step[]
        return rowByRow(plan).map(({ detail }) => `${id} ${detail}`)
      })
      database.close()
      assert.deepEqual(perRow, [])
    })

  test('is a command: a line for each invariant and exit 0; the broken one and exit 1', async () => {
    const { databaseUrl = '', dataFolder } = service.place
    const run = () => {
      const env = { ...process.env, MOHUR_DATA: dataFolder, DATABASE_URL: databaseUrl }
      return spawnSync(process.execPath, [program, 'verify'], { encoding: 'utf8', env, cwd: join(import.meta.dirname, '../..') })
    }
    const whole = run()
    assert.equal(whole.stderr, '')
    assert.equal(whole.status, 0)
    assert.equal(whole.stdout.trim().split('\n').length, invariants.length + 1)
    const key = newCustomerKey('9999900001')
    const customer = (await service.ports.query.row(key))!
    const row = { ...customer, walletBalancePaise: customer.walletBalancePaise + 1 }
    await service.store.transaction((transaction) => transaction.write({ changes: [{ kind: 'update', key, row }], events: [], tasks: [] }))
    const broken = run()
    assert.equal(broken.status, 1)
    assert.match(broken.stdout, /^I45 {2}BREACH .*\n.*1 of them, the first: ledger=\d+ wallets=\d+$/m)
    assert.equal(broken.stderr, 'broken: I45, I50\n')
  })
})

/** A step of SQLite's plan. The steps of one loop inside another have one parent. */
interface Step {
  parent: number
  detail: string
}

/**
 * Steps whose work grows with the square of a store's rows. `w` are three words. `merchants` finds one row by its mid, and the ledger a
 * wallet's lines by their owner.
 */
function rowByRow(plan: readonly Step[]): Step[] {
  const isScan = ({ detail }: Step) => detail.startsWith('SCAN') && !/^SCAN (w|CONSTANT ROW)\b/.test(detail)
  return plan.filter((step, place) => {
    if (/^SEARCH .*\((mid|owner)=\?\)/.test(step.detail)) return !/(merchants_1|ledger_by_subject) /.test(step.detail)
    return isScan(step) && plan.slice(0, place).some((before) => before.parent === step.parent && isScan(before))
  })
}
