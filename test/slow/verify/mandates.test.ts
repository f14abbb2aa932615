// `mohur verify` against cycles, attempts, notices and mandates that were altered by hand, with every CHECK and index of their tables lost.
// The invariant that an alteration breaks names it.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Service, whereSqlDiffers } from '../../support/run/service.ts'
import { anyOf, cycleOf, named, ofCycle, ofOrder, subscriptionOf, twin, withHistory } from '../../support/store/tampering.ts'

const LOST = ['subscriptions', 'collections', 'notices', 'transactions', 'orders']
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const idOf = (orderId: string, number: number) => anyOf('collections', 'collection_id', cycleOf(orderId, number))
const [first, second, last, failed] = [cycleOf('WEEKLY', 1), cycleOf('WEEKLY', 2), cycleOf('WEEKLY', 3), cycleOf('FAILING', 1)]
const [debit, tries, notice] = [ofCycle('WEEKLY', 1), ofCycle('FAILING', 1), `collection_id = ${idOf('WEEKLY', 1)}`]
const of = (table: string, where: string) => (set: string) => `update ${table} set ${set} where ${where}`
const [mandate, over, cycle, attempt, reported] = [
  of('subscriptions', "order_id = 'WEEKLY'"),
  of('subscriptions', "order_id = 'OVER'"),
  of('collections', first),
  of('transactions', debit),
  of('notices', notice),
]

/** An attempt of the cycle whose attempts fail. */
const txnOf = (attempt: number) => `(select txn_id from transactions where collection_attempt = ${attempt} and ${tries})`
const failure = `type = 'transaction.failed' and id = ${txnOf(1)}`
const open = `data = substr(data, 1, length(data) - 1) || ',"openAtBank":true}'`

const lowered = `update collections set amount_paise = 10000, max_paise = 10000 where ${failed}`

/** The invariant that does not name it, and the alteration. */
const lawful: Readonly<Record<string, readonly [id: string, ...does: string[]]>> = {
  'a debit above terms that are younger than it': [
    'I24',
    lowered,
    `insert into events (owner, aggregate, id, version, type, from_status, to_status, at, data)
      select owner, aggregate, id, version + 1, 'collection.terms-changed', to_status, to_status, at, data from events
      where id = ${idOf('FAILING', 1)} and version = (select max(version) from events where id = ${idOf('FAILING', 1)})`,
  ],
  'a notice that failed, for a day that an earlier last day has left out': [
    'I27',
    `insert into notices (mid, notice_id, subscription_id, collection_id, number, reference_id, order_id, status, amount_paise, debit_date, content, requested_at, answered_at)
      select mid, 'FAILED', subscription_id, ${idOf('WEEKLY', 3)}, 1, reference_id, order_id, 'FAILURE', amount_paise, '2026-07-20', content, requested_at, answered_at
      from notices where ${notice}`,
    `update collections set notices = 1 where ${last}`,
  ],
}

/** The invariant that names it, and the alteration. */
const planted: Readonly<Record<string, readonly [id: string, ...does: string[]]>> = {
  // one debit
  'a cycle that was debited twice': ['I22', `update transactions set status = 'SUCCESS' where ${tries}`],
  'a cycle that is being debited twice': ['I22', `update transactions set status = 'UNKNOWN' where ${tries}`],
  'a debit beside a cycle that failed': ['I22', `update transactions set status = 'SUCCESS' where collection_attempt = 2 and ${tries}`],
  'a debit that is of no cycle': ['I22', attempt('collection_id = null, collection_attempt = null')],
  'a debit of another cycle': ['I22', `update collections set txn_id = ${ofOrder('KEPT')}, order_id = 'KEPT' where ${first}`],
  'a debit for two cycles': ['I22', `update collections set txn_id = (select txn_id from collections where ${first}) where ${second}`],
  'a first payment that is a later cycle': [
    'I22',
    `update collections set txn_id = (select txn_id from collections where ${cycleOf('WEEKLY', 0)}), order_id = 'WEEKLY' where ${last}`,
  ],
  'a first payment that was too little for its cycle': [
    'I22',
    `update collections set amount_paise = 20001, max_paise = 20001 where ${cycleOf('WEEKLY', 0)}`,
  ],
  'a cycle that is collected and was not debited': ['I22', attempt("status = 'FAILURE'")],
  'a cycle that was debited and is missed': ['I22', cycle("status = 'MISSED'")],
  'a cycle whose debit failed and that is in flight': ['I22', cycle("status = 'IN_FLIGHT'"), attempt("status = 'FAILURE'")],
  'a cycle whose order is another': ['I22', cycle("order_id = 'KEPT'")],
  // attempts
  'an attempt that is gone': ['I23', `delete from transactions where collection_attempt = 1 and ${tries}`],
  'an attempt with another number': ['I23', `update transactions set collection_attempt = 4 where collection_attempt = 2 and ${tries}`],
  'a cycle that was tried less': ['I23', `update collections set attempts = 1 where ${failed}`],
  'an attempt that was never begun': ['I23', `delete from events where type = 'collection.attempted' and id = ${idOf('WEEKLY', 1)}`],
  'more attempts than the terms allow': ['I23', `update collections set attempts_max = 3 where ${failed}`],
  'more attempts than there may be': ['I23', `update collections set attempts_max = 1 where ${failed}`],
  'a retry where retry is disabled': ['I23', "update subscriptions set enable_retry = 0 where order_id = 'FAILING'"],
  'five attempts on UPI': [
    'I23',
    "update subscriptions set retry_count = 9 where order_id = 'FAILING'",
    `update collections set attempts_max = 5 where ${failed}`,
  ],
  'two attempts on a bank mandate': ['I23', `update collections set rail = 'ENACH' where ${failed}`],
  // amounts
  'a debit for less than is fixed': ['I24', attempt('amount_paise = amount_paise - 1')],
  'a debit above the maximum': ['I24', cycle("amount_type = 'VARIABLE', max_paise = 19999")],
  'a debit above what the payer was told': ['I24', cycle("amount_type = 'VARIABLE', noticed_paise = 19999")],
  'a debit above what the payer was told, where he need not be': [
    'I24',
    cycle("amount_type = 'VARIABLE', noticed_paise = 19999, notice_needed = 0"),
  ],
  'a debit above terms that are older than it': [
    'I24',
    lowered,
    `update events set type = 'collection.terms-changed' where version = 1 and id = ${idOf('FAILING', 1)}`,
  ],
  'a debit for nothing': ['I24', attempt('amount_paise = 0')],
  'a debit by another mode than was consented to': ['I24', mandate("payment_mode = 'CREDIT_CARD'")],
  // times
  'a debit before its window': ['I25', attempt(`initiated_at = initiated_at - ${DAY_MS}`)],
  'a debit after its window': ['I25', attempt(`initiated_at = initiated_at + 3 * ${DAY_MS}`)],
  'a debit that was sent after its window': ['I25', cycle(`sent_at = sent_at + 3 * ${DAY_MS}`)],
  'a debit at ten in the morning': ['I25', attempt(`initiated_at = initiated_at + 4 * ${HOUR_MS}`)],
  'a debit two minutes before ten': ['I25', attempt(`initiated_at = initiated_at + 4 * ${HOUR_MS} - 120000`)],
  'a debit that was sent in the last second before half past nine in the evening': [
    'I25',
    cycle(`sent_at = sent_at + 15.5 * ${HOUR_MS} - 1`),
  ],
  'a debit after the end of its mandate': [
    'I25',
    `update events set at = at - 3 * ${DAY_MS} where id = ${subscriptionOf('OVER')} and to_status = 'EXPIRED'`,
  ],
  // the calendar
  'a cycle that is left out': ['I26', `delete from collections where ${cycleOf('PAUSED', 2)}`],
  'windows that share a day': ['I26', cycle("window_to = '2026-06-29'")],
  'a window that begins before its due day': ['I26', cycle("window_from = '2026-06-21'")],
  'a window that ends before it begins': ['I26', cycle("window_to = '2026-06-21'")],
  'a cycle on another day': ['I26', `update collections set due_date = '2026-07-07' where ${last}`],
  'a cycle with another number': ['I26', `update collections set number = 9 where ${last}`],
  'a cycle without a number': ['I26', `update collections set number = null where ${last}`],
  'a mandate that began on another day': ['I26', mandate("start_date = '2026-06-14'")],
  'a mandate by the month whose cycles go by weeks': ['I26', mandate("frequency_unit = 'MONTH'")],
  'a mandate every other week whose cycles go by weeks': ['I26', mandate('frequency = 2')],
  'a mandate on demand whose cycles have a calendar': ['I26', mandate("frequency_unit = 'ONDEMAND'")],
  // notices
  'a debit 23 hours after its notice': [
    'I27',
    attempt(`initiated_at = (select noticed_at + 23 * ${HOUR_MS} from collections where ${first})`),
  ],
  'a debit that was sent 23 hours after its notice': ['I27', cycle(`noticed_at = sent_at - 23 * ${HOUR_MS}`)],
  'a debit without a notice': ['I27', cycle('noticed_at = null, noticed_paise = null')],
  'a notice that was heard of an hour earlier': ['I27', cycle(`noticed_at = noticed_at - ${HOUR_MS}`)],
  'a notice that failed': ['I27', reported("status = 'FAILURE'")],
  'a notice of another amount': ['I27', reported('amount_paise = 100')],
  'a notice for a day outside the window': ['I27', reported("debit_date = '2026-06-21'")],
  'a debit before the day that its payer was told of': ['I27', reported("debit_date = '2026-06-23'")],
  'a notice with another number': ['I27', reported('number = 2')],
  'a notice that is gone': ['I27', `delete from notices where ${notice}`],
  'a notice above the maximum': ['I27', reported('amount_paise = 20001'), cycle('noticed_paise = 20001')],
  // names
  'two attempts under one key': ['I28', `update transactions set collection_attempt = 1 where ${tries}`],
  'an attempt that is there twice': ['I28', twin('transactions', debit)],
  'a notice that is there twice': ['I28', twin('notices', notice)],
  'a cycle under another name': ['I28', `update collections set collection_id = collection_id || '0' where ${last}`],
  'a renewal that is an ordinary order': [
    'I28',
    `update orders set request_type = 'PAYMENT' where order_id = (select order_id from collections where ${first})`,
  ],
  'a renewal of another consent': [
    'I28',
    `update orders set consent_order_id = 'KEPT' where order_id = (select order_id from collections where ${first})`,
  ],
  'a notice of no cycle': ['I38', reported("collection_id = 'NONE.20260101'")],
  'a debit of a cycle that is gone': ['I38', attempt("collection_id = 'NONE.20260101'")],
  // open and ended
  'a cycle that nobody looks at again': ['I56', `update collections set next_at = null where ${last}`],
  'a cycle that has ended and is looked at': ['I56', cycle('next_at = 1')],
  'a cycle that outlives its mandate': [
    'I56',
    `update collections set status = 'NOTIFIED', next_at = 4000000000000 where ${cycleOf('OVER', 1)}`,
  ],
  'a cycle of a mandate that nobody consented to': ['I56', mandate('payment_mode = null, consented_at = null')],
  'a cycle that is looked at weeks after its window': [
    'I56',
    `update collections set next_at = next_at + ${30 * DAY_MS} where ${cycleOf('WEEKLY', 3)}`,
  ],
  'a cycle that is looked at in 2255': ['I56', `update collections set next_at = 9000000000000 where ${last}`],
  'a cycle that is looked at when nobody lives': ['I56', `update collections set next_at = 9000000000000000 where ${last}`],
  'a live mandate that never wakes': ['I56', mandate('wakes_at = null')],
  'a paused mandate that never wakes': ['I56', "update subscriptions set wakes_at = null where order_id = 'PAUSED'"],
  'a mandate that has ended and wakes': ['I56', over('wakes_at = 1')],
  'a mandate that wakes the second after its last day': ['I56', mandate('wakes_at = wakes_at + 1')],
  'a mandate that no bank is asked about': ['I56', mandate("status = 'IN_AUTHORIZATION', wakes_at = null")],
  'a mandate that a bank is asked about in a year': [
    'I56',
    mandate(`status = 'IN_AUTHORIZATION', wakes_at = updated_at + ${365 * DAY_MS}`),
  ],
  // one debit at a time
  'a debit that was sent before its bank had decided the one before': [
    'I59',
    `update transactions set sent_at = sent_at - 2 * ${DAY_MS} where collection_attempt = 2 and ${tries}`,
  ],
  'a debit that was sent beside one in flight': ['I59', `update events set to_status = 'PENDING' where ${failure}`],
  'a debit that was sent beside one that its bank might still make': ['I59', `update events set ${open} where ${failure}`],
  'a debit that its row calls over and its event open': [
    'I59',
    `update events set ${open} where id = ${txnOf(2)} and version = (select version from transactions where collection_attempt = 2 and ${tries})`,
  ],
  'a debit that its row calls open and its event over': [
    'I59',
    `update transactions set open_at_bank = 1 where collection_attempt = 2 and ${tries}`,
  ],
  'a debit that its bank has not given back, and that bars no other': [
    'I59',
    `update transactions set captured_paise = 1 where collection_attempt = 2 and ${tries}`,
  ],
  'an undecided debit that bars no other': [
    'I59',
    `update transactions set result = 'undecided' where collection_attempt = 2 and ${tries}`,
  ],
  // facts of the moment
  'a cycle that nobody wanted and that was collected': ['I48', cycle("unwanted = 'SKIPPED'")],
  'a cycle that nobody wanted and that waits': ['I48', `update collections set unwanted = 'PAUSED' where ${last}`],
  'a mandate that was agreed to earlier': ['I48', mandate('consented_at = consented_at - 1')],
  'a notice by another number': ['I48', reported("notice_id = 'ANOTHER'")],
  'a notice that the merchant calls otherwise': ['I48', reported("reference_id = 'ANOTHER'")],
  'a debit that was sent an hour earlier': ['I48', attempt(`sent_at = sent_at - ${HOUR_MS}`)],
  'a debit by another channel': ['I48', attempt("channel = 'AMEX'")],
  'a debit of another version of its order': ['I48', attempt('order_version = 2')],
  'an event of a cycle by another name': [
    'I60',
    `update events set type = 'collection.skipped' where type = 'collection.noticed' and id = ${idOf('WEEKLY', 1)}`,
  ],
  // agreed terms
  'a mandate that ends five years later': ['I48', mandate("expiry_date = '2032-06-15'")],
  'a mandate that is over and ended later': ['I48', over("expiry_date = '2026-06-24'")],
  'a mandate that began earlier': ['I48', mandate("start_date = '2026-06-14'")],
  'a mandate every other week': ['I48', mandate('frequency = 2')],
  'a mandate by the year': ['I48', mandate("frequency_unit = 'YEAR'")],
  'a mandate with more days of grace': ['I48', mandate('grace_days = grace_days + 1')],
  'a mandate that is tried more often': ['I48', mandate('retry_count = retry_count + 1')],
  'a mandate that is tried once': ['I48', mandate('enable_retry = 1 - enable_retry')],
  'a mandate that somebody else collects': ['I48', mandate('auto_renewal = 1 - auto_renewal')],
  'a mandate that somebody else tries again': ['I48', mandate('auto_retry = 1 - auto_retry')],
  'a mandate whose payer somebody else tells': ['I48', mandate('communication_manager = 1 - communication_manager')],
  'a mandate of another kind': [
    'I48',
    `update events set data = replace(data, '"mandateType":null', '"mandateType":"E_MANDATE"') where id = ${subscriptionOf('WEEKLY')}`,
  ],
  'a mandate whose latest event says another last day': [
    'I48',
    `update events set data = replace(data, '"expiryDate":"', '"expiryDate":"9') where id = ${subscriptionOf('WEEKLY')}`,
  ],
  // approvals
  'a debit that was asked for and not approved': ['I57', cycle("authentication = 'ASKED'")],
  'a debit that was declined': ['I57', cycle("authentication = 'DECLINED', sent_at = null")],
  'an approval that nobody gave': ['I57', cycle("authentication = 'APPROVED'")],
  'an approval of what nobody was told of': ['I57', `update collections set authentication = 'DECLINED' where ${last}`],
  'an approval after the debit': [
    'I57',
    cycle("authentication = 'APPROVED'"),
    `update events set type = 'collection.approved', at = at + 9 * ${DAY_MS} where type = 'collection.noticed' and id = ${idOf('WEEKLY', 1)}`,
  ],
  'an approval on his page of a debit that his bank asks for': [
    'I57',
    cycle("authentication = 'APPROVED'"),
    `update events set type = 'collection.approved', data = '{"by":"page"}' where type = 'collection.noticed' and id = ${idOf('WEEKLY', 1)}`,
  ],
  'a live mandate without a cycle before it': ['I56', `delete from collections where ${last}`],
  'a mandate that goes on after its end': ['I15', over("status = 'ACTIVE', sub_status = 'ACTIVE'")],
  'a cycle that came back': ['I15', `update collections set status = 'SCHEDULED', next_at = 1 where ${cycleOf('PAUSED', 2)}`],
  'a cycle that came back, and its history with it': [
    'I16',
    `update events set to_status = 'NOTIFIED' where aggregate = 'collection' and version = (select max(version) from events where id = ${idOf('FAILING', 1)}) and id = ${idOf('FAILING', 1)}`,
    `update events set from_status = 'MISSED' where aggregate = 'collection' and version = (select max(version) from events where id = ${idOf('FAILING', 1)}) and id = ${idOf('FAILING', 1)}`,
  ],
  'a cycle that says less of itself than its history': ['I48', cycle('attempts = 0')],
}

whereSqlDiffers('mohur verify, of mandates,', 'each invariant is SQL of its own', (store) => {
  let service: Service
  before(async () => {
    service = await withHistory(store)
  })
  after(() => service.close())

  test(`names each of ${Object.keys(planted).length} planted breaches by its invariant, and none where nothing is planted`, async () => {
    assert.deepEqual(await named(service, { loses: LOST, does: [] }), [])
    const missed: string[] = []
    for (const [wrong, [id, ...does]] of Object.entries(planted)) {
      const found = await named(service, { loses: LOST, does }, id)
      if (!found.includes(id)) missed.push(`${wrong}: not named by ${id}`)
    }
    assert.deepEqual(missed, [])
  })
  test('names no lawful row', async () => {
    for (const [right, [id, ...does]] of Object.entries(lawful))
      assert.deepEqual(await named(service, { loses: LOST, does }, id), [], right)
  })
})
