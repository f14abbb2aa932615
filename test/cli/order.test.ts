// `mohur order show|pending|ask`, as an operator runs them: docs/operating/commands.md.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import pg from 'pg'
import { ASKED_AFTER_MS } from '../../src/domain/transaction/transaction.ts'
import { dateTimeInIndia } from '../../src/engine/clock.ts'
import { merchantKey, transactionKey } from '../../src/tables/keys.ts'
import { lock } from '../../src/tables/tables.ts'
import { scripted } from '../support/mandates/scenario.ts'
import { fix } from '../support/mandates/subscription.ts'
import { consented, moveTo } from '../support/mandates/timeline.ts'
import { notifiedWorld, receiver } from '../support/notifications/receiver.ts'
import { orderBody } from '../support/paying/order-body.ts'
import { createOrder, type Order, pay, script } from '../support/paying/paying.ts'
import { paidOrder, refund, transactionOf } from '../support/paying/refunds.ts'
import { mohurHere } from '../support/run/process.ts'
import { MID, type Service, startService, whereSqlDiffers } from '../support/run/service.ts'
import { anOrder } from '../support/store/listed-rows.ts'

const MINUTE_MS = 60_000
const SECOND = 'SECONDSHOP'
const VPA = '9876512345@upi'

/** The events, movements, notifications and deliveries in the text of `order show`: each with its subject. */
const reported = (out: string) =>
  out
    .split('\n\n')[1]!
    .split('\n')
    .slice(1)
    .map((line) => line.split(/\s{2,}/))
    .map(([, what, of]) => `${what} ${of}`)

whereSqlDiffers('mohur order', 'it finds by indexes that hold a part of the rows, and reads beside the writer', (store) => {
  let begun: Promise<{ service: Service; merchant: Awaited<ReturnType<typeof receiver>> }> | undefined
  const started = async () => {
    begun ??= receiver(undefined, { endsWithTest: false }).then(async (merchant) => {
      const world = notifiedWorld(`${merchant.url}/merchant`, 'json', [{ mid: SECOND, url: `${merchant.url}/second` }])
      return { merchant, service: await startService(store, { world }) }
    })
    return (await begun).service
  }
  after(async () => {
    await (await begun)?.service.close()
    ;(await begun)?.merchant.close()
  })
  const mohur = ({ place: { dataFolder, databaseUrl = '' } }: Service, ...args: string[]) =>
    mohurHere(args, { MOHUR_DATA: dataFolder, DATABASE_URL: databaseUrl })
  const waiting = async (service: Service, orderId: string, payerAccount = 'pending@upi'): Promise<Order & { txnId: string }> => {
    const order = await createOrder(service, orderId)
    await script(service, order, 'pending')
    const { body } = await pay(service, order, { paymentMode: 'UPI', payerAccount })
    return { ...order, txnId: body.txnId }
  }

  test('show prints the whole of a paid and refunded order, in the order in which it happened', async () => {
    const service = await started()
    const paid = await paidOrder(service, 'SHOWN')
    await service.tasks.runDue()
    service.clock.advance(MINUTE_MS)
    await refund(service, paid, 'BACK_1', '40.00')
    await service.tasks.runDue()
    const { out, code } = await mohur(service, 'order', 'show', 'SHOWN')
    assert.equal(code, 0)
    const { bankTxnId } = await transactionOf(service, paid)
    const lines = out.split('\n')
    assert.equal(lines[0], `order SHOWN of ${MID}  PAID  Rs 100.00  PAYMENT`)
    assert.equal(
      lines[1],
      `payment 1 ${paid.txnId}  SUCCESS (success)  Rs 100.00  CREDIT_CARD VISA 41111111****1111 HDFC  bank's number ${bankTxnId}  refunded Rs 40.00 of 40.00`,
    )
    assert.match(lines[2]!, new RegExp(`^refund BACK_1 \\([A-Z0-9]+\\) of ${paid.txnId}  SUCCESS \\(success\\)  Rs 40.00  bank's number `))
    assert.deepEqual(reported(out), [
      ...['created order', 'initiated transaction', 'payment-initiated order', 'succeeded transaction', 'paid order'],
      ...[
        'ledger capture acquirer_receivable',
        'ledger capture merchant_payable',
        'notification delivered merchant',
        'delivery delivered merchant',
      ],
      ...['requested refund', 'succeeded refund', 'refund-set-aside transaction', 'refunded transaction'],
      ...['ledger refund merchant_payable', 'ledger refund refund_payable'],
      ...['ledger refunded refund_payable', 'ledger refunded acquirer_receivable'],
      // A refund that was accepted, and one that has arrived.
      ...[
        'notification delivered merchant',
        'notification delivered merchant',
        'delivery delivered merchant',
        'delivery delivered merchant',
      ],
    ])
    assert.match(out, /\n2026-06-15 10:01:00 {2}requested +refund +BACK_1 +40\.00 +PENDING/)
    assert.match(out, /\nnext: nothing is due\n$/)
  })

  test("the order is found by its payment, the bank's numbers, and its refund by both of its names", async () => {
    const service = await started()
    const paid = await paidOrder(service, 'FOUND')
    await refund(service, paid, 'BACK_2', '10.00')
    await service.tasks.runDue()
    const [back] = await service.ports.query.rows({ find: 'refunds', equals: { mid: MID, refId: 'BACK_2' }, limit: 1 })
    const { bankTxnId } = await transactionOf(service, paid)
    const { refundId, bankTxnId: bankRefundId } = back as { refundId: string; bankTxnId: string }
    const byOrder = await mohur(service, 'order', 'show', 'FOUND')
    assert.equal(byOrder.code, 0)
    assert.equal(new Set([bankTxnId, bankRefundId, refundId]).size, 3)
    for (const number of [paid.txnId, bankTxnId!, 'BACK_2', refundId, bankRefundId]) {
      assert.deepEqual(await mohur(service, 'order', 'show', number), byOrder, number)
      assert.deepEqual(await mohur(service, 'order', 'show', number, MID), byOrder, number)
    }
  })

  test('an order id of two merchants is answered with both, and --mid says which', async () => {
    const service = await started()
    await createOrder(service, 'SHARED')
    const other = { ...orderBody('SHARED'), mid: SECOND }
    const made = await service.signed(`/aoa-acquiring-biz/v2/order?mid=${SECOND}&orderId=SHARED`, other)
    assert.equal(made.body.resultInfo.resultCode, '0000')
    const { code, out, err } = await mohur(service, 'order', 'show', 'SHARED')
    assert.deepEqual([code, out], [2, ''])
    assert.equal(
      err,
      `SHARED belongs to several orders. Choose one:\n  mohur order show SHARED --mid ${MID}   (order)\n  mohur order show SHARED --mid ${SECOND}   (order)\n`,
    )
    const { out: shown } = await mohur(service, 'order', 'show', 'SHARED', '--mid', SECOND)
    assert.match(shown, new RegExp(`^order SHARED of ${SECOND} {2}CREATED {2}Rs 10\\.00`))
    assert.match(shown, /\nnext: the order closes, unless it is paid; due since 2026-06-16 /)
  })

  test('an order id of 101 merchants is answered with a hundred, and a sentence that there are more', async () => {
    const service = await started()
    const merchant = (await service.ports.query.row(merchantKey(MID)))!
    const changes = Array.from({ length: 101 }, (_, nth) => {
      const mid = `SHOP${String(nth).padStart(3, '0')}`
      const row = { ...merchant, mid, notification: null }
      return [
        { kind: 'insert', key: merchantKey(mid), row } as const,
        anOrder({ mid, orderId: 'OF_MANY', txnTokenIssuedAt: service.clock.now() }),
      ]
    })
    await service.store.transaction((transaction) => transaction.write({ changes: changes.flat(), events: [], tasks: [] }))
    const { err } = await mohur(service, 'order', 'show', 'OF_MANY')
    assert.equal(err.match(/mohur order show OF_MANY --mid/g)?.length, 100)
    assert.match(err, /\nthere are more, so name the merchant by --mid\n$/)
  })

  test('an unknown order is named in a sentence, with and without a merchant', async () => {
    const service = await started()
    for (const [args, said] of [
      [['NOWHERE'], 'no merchant has an order, payment or refund with the number NOWHERE\n'],
      [['SHOWN', SECOND], `${SECOND} has no order, payment or refund with the number SHOWN\n`],
    ] as const) {
      const { code, out, err } = await mohur(service, 'order', 'show', ...args)
      assert.deepEqual({ code, out, err }, { code: 2, out: '', err: said })
    }
  })

  test("a payment that waits says when the bank is asked next, and no payer's UPI id is shown whole", async () => {
    const service = await started()
    const { txnId } = await waiting(service, 'WAITS', VPA)
    const begunAt = service.clock.now()
    const { out } = await mohur(service, 'order', 'show', 'WAITS')
    assert.match(out, new RegExp(`^payment 1 ${txnId} {2}PENDING`, 'm'))
    assert.match(out, /UPI \S* ?X+@upi/)
    assert.doesNotMatch(out, /98765/)
    assert.ok(out.includes(`next: the bank is asked again about ${txnId}`), out)
    const [task] = await service.ports.query.rows({ find: 'tasks', equals: { subject: `${MID}:${txnId}` }, limit: 1 })
    const { dueAt } = task as { dueAt: number }
    assert.equal(dueAt, begunAt + ASKED_AFTER_MS[0])
    // A command uses the store's clock, by which that was long ago.
    assert.ok(out.includes(`due since ${dateTimeInIndia(dueAt)} (IST)`), out)
  })

  test('pending lists payments that wait for their bank, the oldest first, older than the given age and no more than the given number', async () => {
    const service = await started()
    const first = await waiting(service, 'OLDER')
    service.clock.advance(5 * MINUTE_MS)
    const paid = await paidOrder(service, 'PAID_LATER')
    await script(service, paid, 'pending')
    await refund(service, paid, 'BACK_3', '25.00')
    await service.tasks.runDue()
    const rows = (out: string) =>
      out
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.split(/\s{2,}/))
    const all = await mohur(service, 'order', 'pending')
    const wanted = rows(all.out).filter(([, , , , orderId]) => ['OLDER', 'PAID_LATER'].includes(orderId!))
    assert.deepEqual(
      wanted.map(([, , what, mid, orderId, number, state, ...rest]) => [what, mid, orderId, number, state, rest.at(-2)]),
      [
        ['payment', MID, 'OLDER', first.txnId, 'PENDING', '100.00'],
        ['refund', MID, 'PAID_LATER', 'BACK_3', 'PENDING', '25.00'],
      ],
    )
    // The process that began it has died before the query, and no other has run since.
    const key = transactionKey(MID, first.txnId)
    const row = { ...(await transactionOf(service, first)), status: 'INITIATED' } as const
    const write = (status: Partial<typeof row> | { status: 'PENDING' }) =>
      service.store.transaction((transaction) =>
        transaction.write({ changes: [{ kind: 'update', key, row: { ...row, ...status } }], events: [], tasks: [] }),
      )
    await write({})
    const begun = rows((await mohur(service, 'order', 'pending')).out).find(([, , , , orderId]) => orderId === 'OLDER')
    assert.equal(begun?.[6], 'INITIATED')
    await write({ status: 'PENDING' })
    const limited = await mohur(service, 'order', 'pending', '--limit', '1', '--mid', MID)
    assert.equal(rows(limited.out).length, 2)
    assert.match(limited.out, /\nthere are more: raise --limit\n$/)
    assert.equal(rows((await mohur(service, 'order', 'pending', '--mid', SECOND)).out).length, 0)
    // By the store's clock they have waited since June.
    assert.ok((await mohur(service, 'order', 'pending', '--older', '30d')).out.includes('OLDER'))
    assert.ok(!(await mohur(service, 'order', 'pending', '--older', '99999d')).out.includes('OLDER'))
    for (const [args, said] of [
      [['--older', '1w'], '--older is a number of minutes, hours or days: 30m, 1h, 3d\n'],
      [['--limit', '0'], '--limit is a whole number from 1 to 10000\n'],
      [['--mid', 'NOBODY'], 'no merchant has the mid NOBODY\n'],
    ] as const) {
      const { code, err } = await mohur(service, 'order', 'pending', ...args)
      assert.deepEqual([code, err], [2, said])
    }
  })

  test("a renewal's order has its debit, its cycle's events and its own notifications, and names its mandate", async () => {
    const service = await started()
    const terms = { ...fix('199.00'), subscriptionStartDate: '2026-07-15', userInfo: { custId: 'C9', mobile: '9876500009' } }
    const { subscriptionId } = await consented(service, 'CONSENTED', terms)
    await moveTo(service, '2026-07-15 20:00:00')
    const orderId = `A${subscriptionId}.20260715.1`
    const [debit] = await service.ports.query.rows({ find: 'transactions', equals: { mid: MID, orderId }, limit: 1 })
    const { bankTxnId, txnId } = debit as { bankTxnId: string; txnId: string }
    const { out } = await mohur(service, 'order', 'show', bankTxnId)
    assert.match(out, new RegExp(`^order ${orderId} of ${MID} {2}PAID {2}Rs 199\\.00 {2}RENEWAL\npayment 1 ${txnId} {2}SUCCESS`))
    assert.deepEqual(reported(out), [
      ...['scheduled collection', 'noticed collection', 'notification delivered merchant', 'delivery delivered merchant'],
      ...['created order', 'initiated transaction', 'paid order', 'succeeded transaction', 'attempted collection', 'collected collection'],
      ...['ledger capture acquirer_receivable', 'ledger capture merchant_payable'],
      ...['notification delivered merchant', 'delivery delivered merchant'],
    ])
    assert.match(out, new RegExp(`\nits mandate: mohur mandate show ${MID} ${subscriptionId}\n$`))
    // The consent's stream also has the renewals' notifications, which do not belong to the consent.
    const first = reported((await mohur(service, 'order', 'show', 'CONSENTED')).out)
    assert.deepEqual(first.filter((line) => line.startsWith('notification')).length, 1, first.join('\n'))
  })

  test('a debit that its bank has not decided is shown with its cycle, and queried by the service', async () => {
    const service = await started()
    const terms = { ...fix('199.00'), subscriptionStartDate: '2026-08-15', userInfo: { custId: 'C9', mobile: '9876500009' } }
    const { subscriptionId } = await consented(service, 'CONSENTED_2', terms)
    await scripted(service, { subscriptionId }, 'collect', ['pending'])
    await moveTo(service, '2026-08-15 07:00:00')
    const orderId = `A${subscriptionId}.20260815.1`
    const collectionId = `${subscriptionId}.20260815`
    const shown = await mohur(service, 'order', 'show', orderId)
    assert.match(shown.out, new RegExp(`\nnext: the service checks the cycle ${collectionId}; due since 2026-08-15 `))
    const line = (await mohur(service, 'order', 'pending')).out.split('\n').find((each) => each.includes(orderId))
    assert.match(line!, / payment +DEMO\S+ .* PENDING +UPI +199\.00 +due now$/)
    const { code, out, err } = await mohur(service, 'order', 'ask', orderId)
    if (store === 'sqlite') {
      assert.deepEqual([code, out], [75, ''])
      assert.match(err, /^the service is using the store in \S+\. To ask now, stop the service, run this again/)
    } else {
      assert.deepEqual([code, err], [0, ''])
      assert.match(out, /: it is a debit on a mandate: the running service asks its bank now/)
    }
  })

  test("among more than 2,000 merchants the bank's numbers are found, and for another number a merchant has to be named", async () => {
    const service = await started()
    const paid = await paidOrder(service, 'AMONG_MANY')
    const { bankTxnId } = await transactionOf(service, paid)
    const like = (await service.ports.query.row(merchantKey(SECOND)))!
    const changes = Array.from({ length: 2_000 }, (_, number) => {
      const mid = `MANY${number}`
      return { kind: 'insert', key: lock('merchants', mid), row: { ...like, mid, notification: null } } as const
    })
    await service.store.transaction((transaction) => transaction.write({ changes, events: [], tasks: [] }))
    const byBank = await mohur(service, 'order', 'show', bankTxnId!)
    assert.match(byBank.out, /^order AMONG_MANY of /)
    assert.deepEqual(await mohur(service, 'order', 'show', 'AMONG_MANY', MID), byBank)
    const { code, err } = await mohur(service, 'order', 'show', 'AMONG_MANY')
    const said =
      'no merchant has an order, payment or refund with the number AMONG_MANY; there are more than 2,000 merchants, so name the merchant by --mid\n'
    assert.deepEqual([code, err], [2, said])
  })

  test("a bank's number and a payment that waits are found without reading the others", async () => {
    const { place } = await started()
    for (const [statement, index] of [
      ["select txn_id from transactions where bank_txn_id = '1' order by bank_txn_id, mid, txn_id limit 100", 'transactions_by_bank'],
      ["select ref_id from refunds where bank_txn_id = '1' order by bank_txn_id, mid, ref_id limit 100", 'refunds_by_bank'],
      [
        "select txn_id from transactions where status = 'PENDING' and initiated_at <= 1 order by initiated_at, mid, txn_id limit 9",
        'transactions_pending',
      ],
      [
        "select txn_id from transactions where status = 'UNKNOWN' and initiated_at <= 1 order by initiated_at, mid, txn_id limit 9",
        'transactions_unknown',
      ],
      [
        "select ref_id from refunds where status = 'PENDING' and requested_at <= 1 order by requested_at, mid, ref_id limit 9",
        'refunds_pending',
      ],
    ] as const)
      assert.match(await queryPlan(place, statement), new RegExp(index))
  })
})

/** With the service's own settings: PostgreSQL reads no whole table where an index serves. */
async function queryPlan({ dataFolder, databaseUrl }: Service['place'], statement: string): Promise<string> {
  if (databaseUrl) {
    const client = new pg.Client({ connectionString: databaseUrl, options: '-c enable_seqscan=off -c enable_bitmapscan=off' })
    await client.connect()
    const { rows } = await client.query(`explain ${statement}`)
    await client.end()
    return JSON.stringify(rows)
  }
  const database = new DatabaseSync(join(dataFolder, 'mohur.sqlite'), { readOnly: true })
  try {
    return JSON.stringify(database.prepare(`explain query plan ${statement}`).all())
  } finally {
    database.close()
  }
}
