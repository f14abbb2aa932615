// `mohur verify` on a store with some history: it finds nothing, and names the very invariant that is broken when one row is
// not what it should be.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { newCustomerKey } from '../src/tables.ts'
import type { Found, Snapshot } from '../src/verify/snapshot.ts'
import { invariants, judge, lineOf, verify } from '../src/verify/verify.ts'
import { CARD, createOrder, pay, script } from './support/paying.ts'
import { promotionWorld } from './support/promotions.ts'
import { receiver, SECRET } from './support/receiver.ts'
import { paidOrder, refund } from './support/refunds.ts'
import { MID, onBothStores, type Service, type StoreName, startService } from './support/service.ts'
import { initiated, subscription } from './support/subscription.ts'
import { refreshed, revoke, signIn } from './support/tokens.ts'

const DAY_MS = 24 * 60 * 60_000
const PENDING = { paymentMode: 'UPI', payerAccount: 'pending@upi' }

/** A service with some history; closed when making it fails. */
async function withHistory(store: StoreName): Promise<Service> {
  const { url } = await receiver(({ path }) => (path === '/peon-down' ? 500 : 200))
  const world = promotionWorld([
    { promocode: 'OFF10', flat: '10.00', budget: '1000.00', maxPerCustomer: 5, fundedBy: 'bank' },
    { promocode: 'BACK5', kind: 'CASHBACK', flat: '5.00' },
  ])
  world.merchants![0] = { ...world.merchants![0]!, fee: '2', notification: { url, form: 'json', secret: SECRET } }
  const service = await startService(store, { world })
  try {
    await makeHistory(service, url)
    return service
  } catch (error) {
    await service.close()
    throw error
  }
}

/** Something of everything: paid, failed, in flight, late, refunded in part and whole, promotions, wallets, sign-ins, notifications. */
async function makeHistory(service: Service, url: string) {
  const { clock, tasks } = service

  const late = await createOrder(service, 'LATE')
  await script(service, late, 'late')
  await pay(service, late, CARD)
  await tasks.advance(clock.now() + 5 * DAY_MS, async (instant) => clock.advance(Math.max(0, instant - clock.now())))

  const { ssoToken, refreshToken } = await signIn(service, '9999900001')
  await refreshed(service, refreshToken)
  await revoke(service, (await signIn(service, '9999900002')).ssoToken)
  const payer = { paytmSsoToken: ssoToken, userInfo: { custId: 'C1' } }

  const modified = await createOrder(service, 'MODIFIED', { peonUrl: `${url}/peon` })
  const amount = { txnAmount: { value: '200.00', currency: 'INR' } }
  await service.signed(`/aoa-acquiring-biz/v2/modifyOrder?mid=${MID}&orderId=MODIFIED`, amount, {
    head: { tokenType: 'TXN_TOKEN', token: modified.txnToken },
  })
  await pay(service, modified, { ...CARD, cardInfo: '|4000000000000002|123|122032' })
  const paid = await pay(service, modified, { ...CARD, promoCode: 'OFF10' })
  await refund(service, { orderId: 'MODIFIED', txnId: paid.body.txnId }, 'PART', '50.00')
  await tasks.runDue()
  await script(service, modified, 'declined')
  await refund(service, { orderId: 'MODIFIED', txnId: paid.body.txnId }, 'NOT', '50.00')

  const whole = await paidOrder(service, 'WHOLE', { order: payer, means: { ...CARD, promoCode: 'BACK5' } })
  await refund(service, whole, 'WHOLE', '100.00')
  const open = await paidOrder(service, 'OPEN', { order: { peonUrl: `${url}/peon-down` } })
  await script(service, open, 'slow')
  await refund(service, open, 'OPEN', '30.00')
  await paidOrder(service, 'KEPT', { order: payer, means: { ...CARD, promoCode: 'BACK5' } })

  const wide = { ...payer, txnAmount: { value: '6000.00', currency: 'INR' } }
  await pay(service, await createOrder(service, 'FLIGHT', wide), { ...PENDING, paymentFlow: 'HYBRID', promoCode: 'OFF10' })
  await initiated(service, subscription('MANDATE', { subscriptionStartDate: '2026-07-01' }))
  await tasks.runDue()
}

/** What a tampering does, and what is then named: `id` alone, if nothing else is said. */
interface Tampering {
  id: string
  /** Tables whose keys, indexes and CHECKs are lost first, as in a database that was mended by hand. */
  loses?: readonly string[]
  does: readonly string[]
  /** What the same row breaks besides. */
  also?: readonly string[]
}
const anyOf = (table: string, id: string, where: string) => `(select min(${id}) from ${table} where ${where})`
const ofOrder = (orderId: string) => anyOf('transactions', 'txn_id', `order_id = '${orderId}' and status = 'SUCCESS'`)
const paid = ofOrder('MODIFIED')
const KEYED = "insert into idempotency_keys values ('M', 'o', 'k', 'r', 's', 1)"
const twin = (table: string, where: string) => `insert into ${table} select * from ${table} where ${where}`

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
  { id: 'I36', does: ["update orders set txn_token_issued_at = txn_token_issued_at - 900000 where order_id = 'KEPT'"] },
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
]

/** Tampers, looks, and takes it all back. */
async function named(service: Service, { loses = [], does }: Tampering): Promise<string[]> {
  const { databaseUrl, dataFolder } = service.place
  const statements = [
    ...loses.flatMap((table) => [
      `create table copied as select * from ${table}`,
      `drop table ${table}`,
      `alter table copied rename to ${table}`,
    ]),
    ...does,
  ]
  const look = async (run: (statement: string) => Promise<Found[]>, snapshot: Omit<Snapshot, 'ask'>) => {
    try {
      for (const statement of statements) await run(statement)
      const verdicts = await judge({ ...snapshot, ask: run })
      return verdicts.filter(({ breaches }) => breaches > 0).map(({ id }) => id)
    } finally {
      await run('rollback')
    }
  }
  if (!databaseUrl) {
    const database = new DatabaseSync(join(dataFolder, 'mohur.sqlite'), { timeout: 5_000 })
    try {
      database.exec('begin immediate')
      return await look(async (statement) => database.prepare(statement).all() as Found[], { engine: 'sqlite' })
    } finally {
      database.close()
    }
  }
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    await client.query('begin')
    return await look(async (statement) => (await client.query(statement)).rows, { engine: 'postgres' })
  } finally {
    await client.end()
  }
}

onBothStores('mohur verify', (store) => {
  let service: Service
  before(async () => {
    service = await withHistory(store)
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
    assert.deepEqual(empty, ['I37']) // every other has something to look at
  })

  for (const tampering of tamperings) {
    const { id, also = [] } = tampering
    test(`names ${id} when it is not true that ${invariants.find((one) => one.id === id)!.says}`, async () => {
      assert.deepEqual(await named(service, tampering), [id, ...also].sort())
    })
  }

  test('has an invariant for each tampering, and a tampering for each invariant', () => {
    assert.deepEqual(
      tamperings.map(({ id }) => id),
      invariants.map(({ id }) => id),
    )
  })

  test('is a command: a line for each invariant and exit 0; the broken one and exit 1', async () => {
    const { databaseUrl = '', dataFolder } = service.place
    const run = () => {
      const env = { ...process.env, MOHUR_DATA: dataFolder, DATABASE_URL: databaseUrl }
      return spawnSync(process.execPath, ['src/cli/mohur.ts', 'verify'], { encoding: 'utf8', env, cwd: join(import.meta.dirname, '..') })
    }
    const whole = run()
    assert.equal(whole.stderr, '')
    assert.equal(whole.status, 0)
    assert.equal(whole.stdout.trim().split('\n').length, invariants.length + 1)
    const key = newCustomerKey('9999900001')
    const customer = (await service.edge.query.row(key))!
    const row = { ...customer, walletBalancePaise: customer.walletBalancePaise + 1 }
    await service.store.transaction((transaction) => transaction.write({ changes: [{ kind: 'update', key, row }], events: [], tasks: [] }))
    const broken = run()
    assert.equal(broken.status, 1)
    assert.match(broken.stdout, /^I45 {2}BREACH .*\n.*1 of them, the first: ledger=\d+ wallets=\d+$/m)
    assert.equal(broken.stderr, 'broken: I45\n')
  })
})
