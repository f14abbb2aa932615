// Counts how many alterations `mohur verify` finds among rows that were altered, deleted or added by hand, with constraints dropped first.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { onBothStores, type Service } from '../../support/run/service.ts'
import { named, ofOrder, paid, type Tampering, twin, withHistory } from '../../support/store/tampering.ts'

type Planted = Pick<Tampering, 'loses' | 'does'>
const one = (...does: string[]): Planted => ({ does })
const lost = (table: string, ...does: string[]): Planted => ({ loses: [table], does })

const KEPT = ofOrder('KEPT')
const PART = "ref_id = 'PART'"
const FLIGHT = "order_id = 'FLIGHT'"
const wallet = (mobile: string) => `(select user_id from customers where mobile = '${mobile}')`
const RICH = '9999900001'
const swap = (paise: number) => [
  `update customers set wallet_balance_paise = wallet_balance_paise + ${paise} where mobile = '9999900002'`,
  `update customers set wallet_balance_paise = wallet_balance_paise - ${paise} where mobile = '9999900003'`,
]

/** Alterations that led to this test. */
const namedOnes: Readonly<Record<string, Planted>> = {
  'money in the wrong wallet': one(...swap(100)),
  'money in the wrong wallet, and one line of the ledger with it': one(
    ...swap(500),
    `update ledger_entries set wallet = ${wallet('9999900002')} where account = 'customer_wallet' and movement = 'cashback:' || ${KEPT}`,
  ),
  'a promotion over the budget that its payments had': lost(
    'promotion_counters',
    "update promotion_counters set budget_paise = 1 where promocode = 'OFF10' and cust_id = ''",
  ),
  'a promotion whose budget is no more': one(
    "update promotion_counters set budget_paise = null where promocode = 'OFF10' and cust_id = ''",
    "update promotions set budget_paise = null where promocode = 'OFF10'",
  ),
  'deleted notifications, the end of a stream': one(
    "delete from delivery_attempts where notification_id like '%MODIFIED:merchant:%'",
    "delete from notifications where order_id = 'MODIFIED' and endpoint = 'merchant'",
    "delete from notification_streams where order_id = 'MODIFIED' and endpoint = 'merchant'",
  ),
  'deleted notifications, all that there are': one(
    'delete from delivery_attempts',
    'delete from notifications',
    'delete from notification_streams',
    "delete from tasks where task like 'notification%'",
  ),
  'an SSO token of no sign-in': one("update sso_tokens set family_id = 'of none'"),
  'SUCCESS with declined': one(`update transactions set result = 'declined' where txn_id = ${paid}`),
  'a refund that is SUCCESS with declined': one(`update refunds set result = 'declined' where ${PART}`),
  'another bank number of a payment': one(`update transactions set bank_txn_id = 'ANOTHER' where txn_id = ${paid}`),
  'another bank number of a refund': one(`update refunds set bank_txn_id = 'ANOTHER' where ${PART}`),
  'no bank number of a payment': one(`update transactions set bank_txn_id = null where txn_id = ${paid}`),
}

/** All other alterations of that kind, table by table. */
const others: Readonly<Record<string, Planted>> = {
  // orders
  'an order of another amount': one(`update orders set amount_paise = amount_paise + 1 where ${FLIGHT}`),
  'an order of another customer': one("update orders set cust_id = 'OTHER' where order_id = 'LATE'"),
  'an order that is paid and was not': one("update orders set status = 'PAID' where order_id = 'MANDATE'"),
  'an order that is open and was paid': one("update orders set status = 'CREATED', txn_id = null where order_id = 'KEPT'"),
  'an order with another payment': one(`update orders set txn_id = ${paid} where order_id = 'KEPT'`),
  'an order that counts too few payments': one("update orders set transaction_count = 0 where order_id = 'KEPT'"),
  'an order that counts a code that was left': one("update orders set left_count = left_count + 1 where order_id = 'MODIFIED'"),
  'a payment that was left and was not': one(
    "update transactions set payment_mode = 'UPI', is_left = 1 where order_id = 'MODIFIED' and attempt = 1",
  ),
  'a payment whose cancel was refused and was not': one("update transactions set is_cancel_refused = 1 where order_id = 'KEPT'"),
  'a payment whose cancel was refused and says nothing of it': one(`update transactions set is_cancel_refused = 0 where ${FLIGHT}`),
  'an order that counts too few changes': one("update orders set modify_count = 0 where order_id = 'MODIFIED'"),
  'an order that lives a day longer': one("update orders set expires_at = expires_at + 86400000 where order_id = 'KEPT'"),
  'an order whose token is younger': one("update orders set txn_token_issued_at = txn_token_issued_at + 900000 where order_id = 'KEPT'"),
  'an order of another kind': one("update orders set request_type = 'SUBSCRIPTION' where order_id = 'KEPT'"),
  'an order without its mandate': one("update orders set subscription_id = null, request_type = 'PAYMENT' where order_id = 'MANDATE'"),
  'an order that tells somebody else': one("update orders set peon_url = 'https://else.example/' where order_id = 'MODIFIED'"),
  'an order that is gone': lost('orders', "delete from orders where order_id = 'KEPT'"),
  'an order without its history': one("delete from events where aggregate = 'order' and id = 'KEPT'"),
  'an order that is there twice': lost('orders', twin('orders', "order_id = 'KEPT'")),
  'a state that there is not': lost('orders', "update orders set status = 'LOST' where order_id = 'MANDATE'"),
  // transactions
  'a payment of another mode': one(`update transactions set payment_mode = 'UPI' where txn_id = ${paid}`),
  'a payment by another channel': one(`update transactions set channel = 'AMEX' where txn_id = ${paid}`),
  'a payment of another version of its order': one(`update transactions set order_version = order_version + 1 where txn_id = ${paid}`),
  'an event by a name that there is not': one("update events set type = 'order.lost' where type = 'order.closed'"),
  'an event by the name of another state': one("update events set type = 'refund.failed' where type = 'refund.succeeded'"),
  'a payment whose flow is another': one(`update transactions set flow = 'ADDANDPAY' where ${FLIGHT}`),
  'a payment without its offer': one(`update transactions set promocode = null where txn_id = ${paid}`),
  'a payment with another share of the wallet': one(
    `update transactions set wallet_paise = wallet_paise - 1, bank_paise = bank_paise + 1 where ${FLIGHT}`,
  ),
  'a payment that captured less': lost(
    'transactions',
    `update transactions set captured_paise = captured_paise - 1 where txn_id = ${paid}`,
  ),
  'a payment that gave more back': one(`update transactions set refunded_paise = refunded_paise + 1 where txn_id = ${paid}`),
  'a payment that says that nothing came back': one(`update transactions set returned_paise = 0 where txn_id = ${paid}`),
  'a failed payment that succeeded': lost(
    'transactions',
    "update transactions set status = 'SUCCESS', result = 'success' where order_id = 'MODIFIED' and attempt = 1",
  ),
  'a payment in flight that nobody asks after': one("delete from tasks where task = 'transaction.due'"),
  'a failed payment that is gone': lost('transactions', "delete from transactions where order_id = 'MODIFIED' and attempt = 1"),
  'a failed payment that is gone, with its history': lost(
    'transactions',
    "delete from events where aggregate = 'transaction' and id in (select txn_id from transactions where order_id = 'MODIFIED' and attempt = 1)",
    "delete from transactions where order_id = 'MODIFIED' and attempt = 1",
  ),
  'a payment of another order': one(`update transactions set order_id = 'LATE', attempt = 2 where txn_id = ${KEPT}`),
  'a payment that failed for another reason': one(
    "update transactions set result = 'timedOut' where order_id = 'MODIFIED' and attempt = 1",
  ),
  // refunds
  'a refund of another amount': one(`update refunds set amount_paise = amount_paise + 1, bank_paise = bank_paise + 1 where ${PART}`),
  'a refund to the wallet instead': one(`update refunds set bank_paise = 0, wallet_paise = amount_paise where ${PART}`),
  'a failed refund to the wallet instead': one("update refunds set bank_paise = 0, wallet_paise = amount_paise where status = 'FAILURE'"),
  'a refund that is over and is not': one("update refunds set status = 'SUCCESS', result = 'success' where ref_id = 'OPEN'"),
  'a refund that is gone': one(`delete from refunds where ${PART}`),
  'a refund of another payment': one(`update refunds set txn_id = ${KEPT}, order_id = 'KEPT' where ${PART}`),
  'a refund that nobody asks after': one("delete from tasks where task = 'refund.due'"),
  'a refund by another number': one(`update refunds set refund_id = 'ANOTHER' where ${PART}`),
  // ledger
  'a line that is gone': one(`delete from ledger_entries where movement = 'capture:' || ${paid} and line = '1'`),
  'a movement that is gone': one(`delete from ledger_entries where movement = 'capture:' || ${paid}`),
  'money from nowhere into a wallet': one(
    `insert into ledger_entries (owner, movement, line, account, debit_paise, credit_paise, subject, at, wallet)
      values ('wallet', 'gift:x', '1', 'wallet_float', 100, 0, ${wallet(RICH)}, 1, null), ('wallet', 'gift:x', '2', 'customer_wallet', 0, 100, ${wallet(RICH)}, 1, ${wallet(RICH)})`,
    `update customers set wallet_balance_paise = wallet_balance_paise + 100 where mobile = '${RICH}'`,
  ),
  'another fee than was kept': one(
    `update ledger_entries set credit_paise = credit_paise + 1 where movement = 'capture:' || ${paid} and account = 'fees_income'`,
    `update ledger_entries set debit_paise = debit_paise + 1 where movement = 'capture:' || ${paid} and account = 'merchant_payable' and debit_paise > 0`,
  ),
  "a movement under another's name": one(
    `update ledger_entries set subject = ${KEPT} where movement = 'capture:' || ${paid} and line = '1'`,
  ),
  'a movement at two times': one(`update ledger_entries set at = at + 1 where movement = 'capture:' || ${paid} and line = '1'`),
  'money at a bank that was in a wallet': one(
    "update ledger_entries set account = 'wallet_float' where account = 'wallet_hold' and movement like 'hold:%'",
  ),
  'a wallet without its customer': one(`delete from customers where mobile = '${RICH}'`),
  // promotions
  'an offer of another sum': one("update redemptions set amount_paise = amount_paise + 1 where order_id = 'KEPT'"),
  'an offer that somebody else funds': one("update redemptions set funded_by = 'merchant' where order_id = 'MODIFIED'"),
  'an offer that somebody else used': one("update redemptions set cust_id = 'OTHER' where order_id = 'KEPT'"),
  'an offer of another kind': one("update redemptions set kind = 'DISCOUNT' where order_id = 'KEPT'"),
  'an offer that is free again': one("update redemptions set status = 'RELEASED' where order_id = 'KEPT'"),
  'an offer that is used up less often': one("update promotion_counters set uses = uses - 1 where promocode = 'OFF10' and cust_id = 'C1'"),
  'a customer without a limit': one("update promotion_counters set uses_max = null where promocode = 'OFF10' and cust_id <> ''"),
  'an offer that nobody used': one("update transactions set promocode = 'OFF10' where order_id = 'LATE'"),
  'a promotion that is gone': one("delete from promotions where promocode = 'OFF10'"),
  // events
  'a history that ends elsewhere': one(
    "update events set to_status = 'IN_PROCESS' where aggregate = 'order' and id = 'KEPT' and version = 3",
  ),
  'a history with a gap': one(`delete from events where aggregate = 'transaction' and version = 1 and id = ${paid}`),
  'a history of nothing': one("update events set id = 'NOBODY' where aggregate = 'order' and id = 'KEPT'"),
  // notifications
  'a notification that was not delivered': one(
    "update notifications set status = 'OPEN', delivered_at = null where order_id = 'MODIFIED' and endpoint = 'peon' and sequence = '000001'",
  ),
  'a notification that nobody received': one(
    "update delivery_attempts set http_status = 500 where notification_id like '%MODIFIED:peon:1'",
  ),
  'a notification under another name': one(
    "update notifications set notification_id = 'x' where order_id = 'MODIFIED' and endpoint = 'peon' and sequence = '000001'",
  ),
  'a notification to somebody else': one(
    "update notifications set url = 'https://else.example/' where order_id = 'MODIFIED' and endpoint = 'peon' and sequence = '000001'",
  ),
  'a notification of something else': one(
    "update notifications set event = 'order|NONE|1' where order_id = 'MODIFIED' and endpoint = 'peon' and sequence = '000001'",
  ),
  'a stream that nobody sends': one("delete from tasks where task = 'notification.due'"),
  'an attempt that was not made': one("delete from delivery_attempts where notification_id like '%MODIFIED:peon:1'"),
  'work for nobody': one(
    "insert into tasks (task, subject, due_at, attempts, fence, lease_until, payload, added_at) values ('transaction.due', 'M:NONE', 1, 0, 0, 0, 'x', 1)",
  ),
  // subscriptions
  'a mandate over more money': one("update subscriptions set max_amount_paise = max_amount_paise + 1 where order_id = 'MANDATE'"),
  'a mandate of another customer': one("update subscriptions set cust_id = 'OTHER'"),
  'a mandate that is active': one("update subscriptions set status = 'ACTIVE', sub_status = 'ACTIVE'"),
  // sign-in
  'a token of somebody else': one("update sso_tokens set user_id = 'ANOTHER'"),
  'a token for another number': one("update sso_tokens set mobile = '9999900009'"),
  'a token that may do more': one(`update sso_tokens set scopes = '["wallet","everything"]'`),
  'a sign-in that works again': one('update sso_tokens set revoked_at = null'),
  'a sign-in that was not revoked': one("update token_families set status = 'ACTIVE'"),
  'a refresh token that is unused again': one('update refresh_tokens set used_at = null where generation = 1'),
  'a sign-in without an OTP': one('update otp_challenges set consumed_at = null'),
  'a sign-in that is gone': one('delete from token_families', 'delete from refresh_tokens', 'delete from sso_tokens'),
  'a customer who is somebody else': one(`update customers set user_id = 'ANOTHER' where mobile = '9999900002'`),
  'a custId of nobody': one("update customer_links set user_id = 'NOBODY'"),
  // the store
  'a store of the other mode': one("update settings set value = 'production' where name = 'mode'"),
  'a store that forgot its mode': one("delete from settings where name = 'mode'"),
  'a store that forgot its key': one("delete from settings where name = 'masterKeyCheck'"),
  'a merchant who is gone': lost('merchants', 'delete from merchants'),
}

/** Configuration, sealed values, and values without a second record: docs/operating/watch.md lists them. */
const notFound: Readonly<Record<string, Planted>> = {
  "a merchant's fee": one('update merchants set fee_hundredths = 9999'),
  "a promotion's budget, lowered below what is used": one("update promotions set budget_paise = 1 where promocode = 'OFF10'"),
  'what a refund was asked with': one(`update refunds set content_hash = 'x' where ${PART}`),
  'an answer that was kept': one('delete from idempotency_keys'),
  'a card that a customer kept': one('delete from saved_cards'),
  "what a merchant's URL was told": one("update notifications set url = 'https://else.example/' where endpoint = 'merchant'"),
  'how an order may be paid': one(`update orders set payment_modes = '{"disable":[{"mode":"UPI"}]}' where order_id = 'MANDATE'`),
  'a custId of another customer': one(`update customer_links set user_id = ${wallet('9999900003')}`),
  'a number that is being verified': one(`update customers set pending_verification_since = 1 where mobile = '${RICH}'`),
  'where a browser comes back to': one("update orders set callback_url = 'https://else.example/' where order_id = 'KEPT'"),
}

onBothStores('mohur verify', (store) => {
  let service: Service
  before(async () => {
    service = await withHistory(store)
  })
  after(() => service.close())

  test('finds nothing where nothing was altered', async () => {
    assert.deepEqual(await named(service, { does: [] }), [])
  })

  for (const [what, planted] of [
    ['the wrongs that it used to pass', namedOnes],
    ['other wrongs, table by table', others],
  ] as const) {
    test(`finds each of ${what}`, async (t) => {
      const passed: string[] = []
      for (const [wrong, planting] of Object.entries(planted)) if ((await named(service, planting)).length === 0) passed.push(wrong)
      const count = Object.keys(planted).length
      t.diagnostic(`planted ${count}, found ${count - passed.length}, not found ${passed.length}`)
      assert.deepEqual(passed, [])
    })
  }

  test('passes what docs/operating/watch.md says that it cannot find', async (t) => {
    const found: string[] = []
    for (const [wrong, planting] of Object.entries(notFound)) if ((await named(service, planting)).length > 0) found.push(wrong)
    t.diagnostic(`planted ${Object.keys(notFound).length}, found ${found.length}`)
    assert.deepEqual(found, [])
  })
})
