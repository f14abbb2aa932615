// Order List and Refund List over HTTP: docs/interface.md sections 4.16 and 4.17.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../src/api/operations.ts'
import { orderList, refundList } from '../../src/interface/result-codes.ts'
import { demoWorld } from '../../src/sandbox/world.ts'
import { CARD, createOrder, pay, script, statusOf } from '../support/paying/paying.ts'
import { paidOrder, refund } from '../support/paying/refunds.ts'
import { KEY, MID, onBothStores, type Reply, type Service, sharedService, whereSqlDiffers } from '../support/run/service.ts'
import { withFailingQuery } from '../support/store/faults.ts'

const ORDERS = operations.orderList.paths[0]
const REFUNDS = operations.refundList.paths[0]
const OTHER_MID = 'OTHER000000000000001'
const DAY_MS = 24 * 60 * 60_000

const june = { fromDate: '2026-06-01T00:00:00+05:30', toDate: '2026-06-30T23:59:59+05:30', orderSearchType: 'TRANSACTION' }
const orders = (service: Service, more: object = {}): Promise<Reply> => service.signed(ORDERS, { mid: MID, ...june, ...more })
const refunds = (service: Service, more: object = {}): Promise<Reply> =>
  service.signed(REFUNDS, { mid: MID, startDate: june.fromDate, endDate: june.toDate, ...more })

type Listed = Record<string, string>
const idsOf = ({ body }: Reply): string[] => body.orders.map(({ merchantOrderId }: Listed) => merchantOrderId)
const refIdsOf = ({ body }: Reply): string[] => body.orders.map(({ refId }: Listed) => refId)

whereSqlDiffers('Order List', 'a page is found by ranges over indexes, and ordered by text', (store) => {
  const service = sharedService(store, {
    world: { ...demoWorld, merchants: [...demoWorld.merchants!, { mid: OTHER_MID, keys: [{ clientId: 'C11', key: KEY }] }] },
  })
  /** Five orders, a minute apart: paid; failed, then paid; failed; in flight; never attempted. */
  let filled: Promise<Service> | undefined
  const filledOnce = () => (filled ??= fill())
  async function fill() {
    const running = await service()
    const later = () => running.clock.advance(60_000)
    await paidOrder(running, 'L1')
    later()
    const second = await createOrder(running, 'L2')
    await pay(running, second, { ...CARD, cardInfo: '|4000000000000002|123|122032' })
    later()
    assert.equal((await pay(running, second, CARD)).body.resultInfo.resultCode, '0000')
    later()
    await pay(running, await createOrder(running, 'L3'), { ...CARD, cardInfo: '|4000000000000002|123|122032' })
    later()
    await pay(running, await createOrder(running, 'L4'), { paymentMode: 'UPI', payerAccount: 'pending@upi' })
    later()
    await createOrder(running, 'L5')
    return running
  }

  test('each order that was tried is listed once, newest first, as it stands', async () => {
    const running = await filledOnce()
    const reply = await orders(running)
    assert.deepEqual(reply.body.resultInfo, { resultStatus: 'SUCCESS', resultCode: '0000', resultMsg: 'Success' })
    assert.deepEqual(
      reply.body.orders.map(({ merchantOrderId, orderSearchStatus }: Listed) => [merchantOrderId, orderSearchStatus]),
      [
        ['L4', 'PENDING'],
        ['L3', 'FAILURE'],
        ['L2', 'SUCCESS'],
        ['L1', 'SUCCESS'],
      ],
    )
    assert.ok(reply.head.signature, reply.text)
    const { body: known } = await statusOf(running, { orderId: 'L2' })
    const { bankTxnId, ...second } = reply.body.orders[2]
    assert.deepEqual(second, {
      mid: MID,
      merchantName: 'Demo Stores',
      merchantOrderId: 'L2',
      txnId: known.txnId,
      orderSearchType: 'TRANSACTION',
      orderSearchStatus: 'SUCCESS',
      amount: '100.00',
      currency: 'INR',
      payMode: 'CREDIT_CARD',
      refundAmount: '0.00',
      responseCode: '01',
      responseMessage: known.resultInfo.resultMsg,
      orderCreatedTime: '2026-06-15T10:02:00+05:30',
      orderCompletedTime: '2026-06-15T10:02:00+05:30',
    })
    assert.equal(bankTxnId, known.bankTxnId)
    assert.equal('orderCompletedTime' in reply.body.orders[0], false)
  })

  test('status, mode, order and direction narrow and turn the list; numbers and truth may be texts', async () => {
    const running = await filledOnce()
    for (const [asked, expected] of [
      [{ orderSearchStatus: 'SUCCESS' }, ['L2', 'L1']],
      [{ orderSearchStatus: 'FAILURE|PENDING' }, ['L4', 'L3']],
      [{ orderSearchStatus: 'SUCCESS|FAILURE|PENDING', isSort: false }, ['L1', 'L2', 'L3', 'L4']],
      [{ isSort: 'false', pageSize: '2' }, ['L1', 'L2']],
      [{ isSort: 'true', pageSize: 3, pageNumber: '2' }, ['L1']],
      [{ payMode: 'UPI' }, ['L4']],
      [{ payMode: 'CC', orderSearchStatus: 'SUCCESS' }, ['L2', 'L1']],
      [{ payMode: 'CREDIT_CARD', orderSearchStatus: 'PENDING' }, []],
      [{ payMode: 'BANK_TRANSFER' }, []],
      [{ merchantOrderId: 'L2' }, ['L2']],
      [{ merchantOrderId: 'L2', orderSearchStatus: 'FAILURE' }, []],
      [{ merchantOrderId: 'L2', payMode: 'UPI' }, []],
      [{ merchantOrderId: 'L2', pageNumber: 2 }, []],
      [{ merchantOrderId: 'L2', toDate: '2026-06-15T10:01:59+05:30' }, []],
      [{ merchantOrderId: 'NONE' }, []],
      [{ orderSearchType: 'ALL' }, ['L4', 'L3', 'L2', 'L1']],
      [{ orderSearchType: 'REFUND|TRANSACTION' }, ['L4', 'L3', 'L2', 'L1']],
      [{ orderSearchType: 'CHARGEBACK|REFUND' }, []],
      [{ fromDate: '2026-06-15T10:02:00+05:30', toDate: '2026-06-15T10:03:00+05:30' }, ['L3', 'L2']],
      [{ fromDate: '2026-06-15T04:32:00Z', toDate: '2026-06-15T10:03:00' }, ['L3', 'L2']],
      [{ pageNumber: 200, pageSize: 50 }, []],
      [{ fromDate: '2026-06-15T10:00:00+05:30', toDate: '2026-07-16T10:00:00+05:30' }, ['L4', 'L3', 'L2', 'L1']],
    ] as const) {
      const reply = await orders(running, asked)
      assert.equal(reply.body.resultInfo.resultCode, '0000', `${JSON.stringify(asked)}: ${reply.text}`)
      assert.deepEqual(idsOf(reply), expected, JSON.stringify(asked))
    }
  })

  test('a named second counts whole, because clients ask up to now', async () => {
    const running = await filledOnce()
    running.clock.advance(999)
    await paidOrder(running, 'L6')
    const [until, before] = await Promise.all(
      ['2026-06-15T10:05:00+05:30', '2026-06-15T10:04:59+05:30'].map((toDate) => orders(running, { toDate, merchantOrderId: 'L6' })),
    )
    assert.deepEqual([idsOf(until!), idsOf(before!)], [['L6'], []])
    assert.equal(idsOf(await orders(running, { toDate: '2026-06-15T10:05:00+05:30' }))[0], 'L6')
  })

  test('no merchant sees the orders of another', async () => {
    const running = await filledOnce()
    const reply = await running.signed(ORDERS, { mid: OTHER_MID, ...june })
    assert.deepEqual(reply.body.orders, [])
  })

  test('pages of one time do not overlap and leave nothing out', async () => {
    const running = await service()
    running.clock.advance(40 * DAY_MS)
    const period = { fromDate: '2026-07-20T00:00:00+05:30', toDate: '2026-07-31T00:00:00+05:30' }
    for (let at = 0; at < 7; at++) await paidOrder(running, `P${at}`)
    const pages = await Promise.all(
      [1, 2, 3, 4].map(async (pageNumber) => idsOf(await orders(running, { ...period, pageSize: 2, pageNumber }))),
    )
    assert.deepEqual(
      pages.map((page) => page.length),
      [2, 2, 2, 1],
    )
    assert.equal(new Set(pages.flat()).size, 7)
    assert.deepEqual(pages.flat(), idsOf(await orders(running, period)))
  })
})

whereSqlDiffers('Refund List', 'a page is found by ranges over indexes, and ordered by text', (store) => {
  const service = sharedService(store)

  test('refunds of a period are listed, newest first, without an envelope', async () => {
    const running = await service()
    const order = await paidOrder(running, 'R1')
    await refund(running, order, 'REF1', '30.00')
    await running.tasks.runDue()
    running.clock.advance(60_000)
    await script(running, order, 'declined')
    await refund(running, order, 'REF2', '20.00')
    await running.tasks.runDue()
    running.clock.advance(60_000)
    await refund(running, order, 'REF3', '5.00')
    await running.tasks.runDue()
    const reply = await refunds(running)
    const { status, resultCode, count, orders: listed, ...rest } = JSON.parse(reply.text)
    assert.deepEqual([status, resultCode, count, rest], ['SUCCESS', '0000', 3, {}])
    assert.deepEqual(
      listed.map(({ refId, resultStatus }: Listed) => [refId, resultStatus]),
      [
        ['REF3', 'TXN_SUCCESS'],
        ['REF2', 'TXN_FAILURE'],
        ['REF1', 'TXN_SUCCESS'],
      ],
    )
    const { refundId, refundDetailInfoList, ...first } = listed[2]
    assert.match(refundId, /^[0-9]+$/)
    assert.equal(refundDetailInfoList.length, 1)
    assert.deepEqual(first, {
      mid: MID,
      orderId: 'R1',
      txnId: order.txnId,
      refId: 'REF1',
      txnAmount: '100.00',
      refundAmount: '30.00',
      totalRefundAmount: '35.00',
      paymentMode: 'CC',
      txnTimestamp: '2026-06-15 10:00:00.0',
      resultStatus: 'TXN_SUCCESS',
      resultCode: '10',
      resultMsg: 'Refund Successful',
      merchantRefundRequestTimestamp: '2026-06-15 10:00:00.0',
      acceptRefundTimestamp: '2026-06-15 10:00:00.0',
      acceptRefundTimeStamp: '2026-06-15 10:00:00.0',
      acceptRefundStatus: 'SUCCESS',
      userCreditInitiateStatus: 'SUCCESS',
      userCreditInitiateTimestamp: '2026-06-15 10:00:00.0',
      refundType: 'TO_SOURCE',
    })
    for (const [asked, expected] of [
      [{ isSort: 'false', pageSize: '2', pageNum: '1' }, ['REF1', 'REF2']],
      [{ isSort: false, pageSize: 2, pageNum: 2 }, ['REF3']],
      [{ pageNum: 3, pageSize: 50 }, []],
      [{ startDate: '2026-06-15T10:01:00+05:30', endDate: '2026-06-15T10:01:00+05:30' }, ['REF2']],
    ] as const)
      assert.deepEqual(refIdsOf(await refunds(running, asked)), expected, JSON.stringify(asked))
  })
})

/** Values that each list refuses, by the name of their row. Each also has the faults of the rows after it. */
const wrongValues: readonly [string, object][] = [
  ['FROM', { FROM: '2026-06-01' }],
  ['FROM', { FROM: '2026-02-30T00:00:00+05:30' }],
  ['FROM', { FROM: '2026-06-01T24:00:00+05:30' }],
  ['FROM', { FROM: '2026-06-01T23:59:60+05:30' }],
  ['FROM', { FROM: 1780000000000 }],
  ['TO', { FROM: '2026-06-02T00:00:00+05:30', TO: '2026-06-01T00:00:00+05:30' }],
  ['TO', { FROM: '2026-06-01T00:00:00+05:30', TO: '2026-07-02T00:00:01+05:30' }],
  ['NUMBER', { NUMBER: 0 }],
  ['NUMBER', { NUMBER: '1.5' }],
  ['NUMBER', { NUMBER: 1.5 }],
  ['NUMBER', { NUMBER: '0x1' }],
  ['NUMBER', { NUMBER: 201, pageSize: 50 }],
  ['NUMBER', { NUMBER: 100_000 }],
  ['pageSize', { pageSize: 51 }],
  ['pageSize', { pageSize: '-1' }],
  ['isSort', { isSort: 'yes' }],
]

for (const { name, path, table, names, good } of [
  {
    name: 'Order List',
    path: ORDERS,
    table: orderList,
    names: { FROM: 'fromDate', TO: 'toDate', NUMBER: 'pageNumber' },
    good: { mid: MID, ...june },
  },
  {
    name: 'Refund List',
    path: REFUNDS,
    table: refundList,
    names: { FROM: 'startDate', TO: 'endDate', NUMBER: 'pageNum' },
    good: { mid: MID, startDate: june.fromDate, endDate: june.toDate },
  },
] as const) {
  onBothStores(`codes of ${name}`, (store) => {
    const failing = { now: false }
    const service = sharedService(store, { store: (real) => withFailingQuery(real, failing) })
    const spelled = (text: string) => (names as Readonly<Record<string, string>>)[text] ?? text
    const said = ({ body }: Reply) => [body.resultInfo?.resultCode ?? body.resultCode, body.resultInfo?.resultMsg ?? body.errorMessage]
    const is = (row: keyof typeof table, message: string = table[row].message) => [table[row].code, message]

    test('2222: bytes that are no envelope', async () => {
      assert.deepEqual(said(await (await service()).post(path, '{"head":{},"body":')), is('invalidBody'))
    })
    test('1007: a mandatory member is missing, whatever else is wrong', async () => {
      const running = await service()
      for (const member of Object.keys(good))
        assert.deepEqual(
          said(await running.signed(path, { ...good, pageSize: 51, [member]: '' }, { signature: 'x' })),
          is('missingElement'),
        )
    })
    test('1001: wrong values, named, whatever the signature', async () => {
      const running = await service()
      for (const [wrong, values] of wrongValues) {
        const given = Object.fromEntries(Object.entries(values).map(([member, value]) => [spelled(member), value]))
        const reply = await running.signed(path, { ...good, ...given }, { signature: 'x' })
        assert.deepEqual(said(reply), is('invalidField', `Invalid ${spelled(wrong)}`), JSON.stringify(given))
      }
    })
    test('2006: a mid that is wrong or not known, whatever the signature', async () => {
      const running = await service()
      for (const mid of ['A B', 'NOBODY'])
        assert.deepEqual(said(await running.signed(path, { ...good, mid }, { signature: 'x' })), is('invalidMid'))
    })
    test('2005: no signature, a wrong one, one over other bytes', async () => {
      const running = await service()
      for (const signature of [null, 'x', `${'A'.repeat(107)}=`])
        assert.deepEqual(said(await running.signed(path, good, { signature })), is('invalidChecksum'))
      assert.deepEqual(said(await running.signed(path, good, { key: 'QRSTUVWXYZABCDEF' })), is('invalidChecksum'))
    })
    test('501: the store fails', async () => {
      const running = await service()
      failing.now = true
      try {
        assert.deepEqual(said(await running.signed(path, good)), is('systemError'))
      } finally {
        failing.now = false
      }
      assert.deepEqual(said(await running.signed(path, good))[0], '0000')
    })
  })
}

onBothStores('codes of Order List alone', (store) => {
  const service = sharedService(store)
  test('1001: words that are none, an order id that cannot be one', async () => {
    const running = await service()
    for (const [member, value] of [
      ['orderSearchType', 'SALE'],
      ['orderSearchType', 'TRANSACTION|'],
      ['orderSearchStatus', 'ALL'],
      ['orderSearchStatus', 'SUCCESS,FAILURE'],
      ['merchantOrderId', 'a b'],
      ['payMode', 'upi'],
    ]) {
      const reply = await orders(running, { [member!]: value })
      assert.equal(reply.body.resultInfo.resultMsg, `Invalid ${member}`, `${member} ${value}`)
    }
  })
})
