// Check Subscription Status, Cancel Subscription and Modify Subscription Status over HTTP, on both stores (docs/interface.md sections 4.34
// to 4.36). Tests every row of their tables by name, and the rows that each operation leaves.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../../src/api/operations.ts'
import {
  cancelSubscription,
  checkSubscriptionStatus,
  modifySubscriptionStatus,
  type ResultCode,
} from '../../../src/interface/result-codes.ts'
import { demoWorld } from '../../../src/sandbox/world.ts'
import { transactionKey } from '../../../src/tables/keys.ts'
import { find, type Row } from '../../../src/tables/tables.ts'
import { addCycle, consented, cycleRow, manage, orderRow, setSubscription, subscriptionRow } from '../../support/mandates/mandates.ts'
import { type Body, fix, initiated, LIST, subscription, TODAY } from '../../support/mandates/subscription.ts'
import { createOrder, pay } from '../../support/paying/paying.ts'
import { codeOf } from '../../support/run/replies.ts'
import { MID, onBothStores, type Reply, type Service, sharedService } from '../../support/run/service.ts'
import { type Faults, withFailingQuery, withFaults } from '../../support/store/faults.ts'

const OTHER = 'OTHER000000000000001'
const OTHER_KEY = 'PONMLKJIHGFEDCBA'
const world = { ...demoWorld, merchants: [...demoWorld.merchants!, { mid: OTHER, keys: [{ clientId: 'C11', key: OTHER_KEY }] }] }

const [CHECK] = operations.checkSubscriptionStatus.paths
const [CANCEL] = operations.cancelSubscription.paths
const [MODIFY] = operations.modifySubscriptionStatus.paths
const DAY_MS = 24 * 60 * 60_000

const eventsOf = async ({ ports }: Service, id: string) =>
  (await ports.query.rows(find('events', { equals: { owner: MID }, limit: 10_000 }))).filter((event) => event.id.startsWith(id))
const typesOf = async (service: Service, id: string) => (await eventsOf(service, id)).map(({ type }) => type)

function is(reply: Reply, code: ResultCode, more = '') {
  assert.equal(reply.status, 200)
  const message = code.message + more
  const resultStatus = code.status === 'SUCCESS' ? 'S' : 'F'
  assert.deepEqual(
    reply.body.resultInfo,
    { status: code.status, code: code.code, message, resultStatus, resultCode: code.code, resultMsg: message },
    reply.text,
  )
}

/** States in which a subscription is not active, and the code by which each is refused. */
const ended: [string, Partial<Row<'subscriptions'>>, 'expired' | 'notActive', string][] = [
  ['a cancelled one', { status: 'REJECT', subStatus: 'MERCHANT_CANCELLED' }, 'notActive', ': REJECT, MERCHANT_CANCELLED'],
  ['a revoked one', { status: 'REJECT', subStatus: 'USER_CANCELLED' }, 'notActive', ': REJECT, USER_CANCELLED'],
  ['one that nobody consented to', { status: 'REJECT', subStatus: 'TIMED_OUT' }, 'notActive', ': REJECT, TIMED_OUT'],
  [
    'one that the bank refused',
    { status: 'AUTHORIZATION_FAILED', subStatus: 'BANK_REFUSED' },
    'notActive',
    ': AUTHORIZATION_FAILED, BANK_REFUSED',
  ],
  ['one that the operator closed', { status: 'CLOSED', subStatus: 'OPERATOR_CLOSED' }, 'notActive', ': CLOSED, OPERATOR_CLOSED'],
  ['an expired one', { status: 'EXPIRED', subStatus: 'EXPIRED' }, 'expired', ''],
  ['one whose last day was yesterday, whatever its row says', { startDate: '2026-06-01', expiryDate: '2026-06-14' }, 'expired', ''],
]

onBothStores('operations on a subscription', (store) => {
  const service = sharedService(store, { world })

  for (const [name, path, codes] of [
    ['checkSubscriptionStatus', CHECK, checkSubscriptionStatus],
    ['cancelSubscription', CANCEL, cancelSubscription],
    ['modifySubscriptionStatus', MODIFY, modifySubscriptionStatus],
  ] as const) {
    const more = name === 'modifySubscriptionStatus' ? { status: 'SUSPENDED' } : {}

    test(`${name}: 400 request cannot be validated, for whatever is missing, wrong or unsigned`, async () => {
      const running = await service()
      const id = await consented(running, `bad-${name}`)
      const before = await subscriptionRow(running, id)
      const wrong: [Body, Parameters<typeof manage>[3]?, string?][] = [
        [{ subsId: 'x'.repeat(65) }],
        [{ subsId: [id] }],
        [{ subsId: id, mid: null }],
        [{ subsId: id, mid: 'NOBODY' }],
        [{ subsId: id, mid: OTHER }],
        [{ subsId: id }, { head: { tokenType: 'SSO' } }],
        [{ subsId: id }, { signature: null }],
        [{ subsId: id }, { key: OTHER_KEY }],
        [{ subsId: id, subscriptionId: `${id}1` }],
        [{ subsId: id }, {}, `${path}?subscriptionId=${id}1`],
        ...(name === 'modifySubscriptionStatus'
          ? [null, 'PAUSED', 'active', ['ACTIVE']].map((status): [Body] => [{ subsId: id, status }])
          : []),
        ...(name === 'checkSubscriptionStatus' ? [[{}], [{ orderId: 'x' }], [{ custId: 'C1' }]].map(([body]): [Body] => [body!]) : []),
      ]
      for (const [body, options, at = path] of wrong) is(await manage(running, at, { ...more, ...body }, options), codes.badRequest)
      for (const text of ['', 'null', '{"head":{},"body":', '{"head":{},"body":1}']) is(await running.post(path, text), codes.badRequest)
      assert.deepEqual(await subscriptionRow(running, id), before)
    })

    test(`${name}: 3004 Subscription Not Found, another merchant’s included`, async () => {
      const running = await service()
      const id = await consented(running, `foreign-${name}`)
      is(await manage(running, path, { subsId: '1', ...more }), codes.notFound)
      is(await manage(running, path, { mid: OTHER, subsId: id, ...more }, { key: OTHER_KEY }), codes.notFound)
    })

    test(`${name}: 3006 by either name of the id, on each of its paths, and signed; in the query it may only agree`, async () => {
      const running = await service()
      for (const [at, each] of operations[name].paths.entries()) {
        const id = await consented(running, `named-${name}-${at}`)
        const spellings: [string, Body][] = [
          [each, { subsId: id }],
          [each, { subscriptionId: id }],
          [`${each}?subsId=${id}&mid=${MID}`, { subscriptionId: id }],
          [`${each}?subscriptionId=${id}`, { subsId: id, subscriptionId: id }],
        ]
        const unsaid = name === 'cancelSubscription' ? cancelSubscription.idMissing : codes.badRequest
        is(await manage(running, `${each}?subsId=${id}&subscriptionId=${id}`, more), unsaid)
        for (const [url, body] of spellings) {
          const reply = await manage(running, url, { ...body, ...more }, { head: { clientId: 'C11', version: 'v2', channelId: 'WEB' } })
          is(reply, codes.success)
          assert.equal(reply.body.subsId, id)
          assert.deepEqual(Object.keys(reply.head), ['responseTimestamp', 'version', 'clientId', 'signature'])
          assert.equal(reply.head.version, 'v2')
        }
      }
    })
  }

  test('cancelSubscription: 400 Subscription Id field can not be empty', async () => {
    const running = await service()
    for (const body of [{}, { subsId: '' }, { subscriptionId: null }]) is(await manage(running, CANCEL, body), cancelSubscription.idMissing)
  })

  for (const [at, [what, row, name, more]] of ended.entries()) {
    test(`${name === 'expired' ? '3902 Subscription is expired' : '3901 Subscription is not active'}: ${what} is neither cancelled nor paused`, async () => {
      const running = await service()
      const id = await consented(running, `ended-${at}`, {}, row)
      const before = await subscriptionRow(running, id)
      for (const status of ['SUSPENDED', 'ACTIVE'])
        is(await manage(running, MODIFY, { subsId: id, status }), modifySubscriptionStatus[name], more)
      // Cancelled again, it does not change.
      const isCancelled = row.subStatus === 'MERCHANT_CANCELLED'
      is(await manage(running, CANCEL, { subsId: id }), cancelSubscription[isCancelled ? 'success' : name], isCancelled ? '' : more)
      assert.deepEqual(await subscriptionRow(running, id), before)
      assert.deepEqual(await typesOf(running, id), ['subscription.created'])
    })
  }
})

onBothStores('cancelling', (store) => {
  const service = sharedService(store, { world })

  test('ends every live state, the first order that is still open, a pending edit and the cycles that were not sent', async () => {
    const running = await service()
    const live = ['INIT', 'IN_AUTHORIZATION', 'AUTHORIZED', 'ACTIVE', 'SUSPENDED'] as const
    for (const status of live) {
      const id = await consented(
        running,
        `live-${status}`,
        {},
        { status, subStatus: status, edit: { editId: '1', maxAmountPaise: 1, validUntil: 2 ** 42 } },
      )
      const untried = await addCycle(running, id)
      const tried = await addCycle(running, id, { dueDate: '2026-07-15', attempts: 1 })
      const over = await addCycle(running, id, { dueDate: '2026-05-15', status: 'SKIPPED', nextAt: null })
      is(await manage(running, CANCEL, { subsId: id }), cancelSubscription.success)
      const after = await subscriptionRow(running, id)
      assert.deepEqual([after!.status, after!.subStatus, after!.version, after!.edit], ['REJECT', 'MERCHANT_CANCELLED', 3, null])
      assert.equal((await orderRow(running, `live-${status}`))!.status, 'CLOSED')
      const states = await Promise.all([untried, tried, over].map(async (each) => (await cycleRow(running, each))!))
      assert.deepEqual(
        states.map(({ status, nextAt, version }) => [status, nextAt, version]),
        [
          ['MISSED', null, 2],
          ['FAILED', null, 2],
          ['SKIPPED', null, 1],
        ],
      )
      assert.deepEqual((await typesOf(running, id)).toSorted(), [
        'collection.failed',
        'collection.missed',
        'subscription.cancelled',
        'subscription.created',
      ])
    }
  })

  test('leaves an attempt that the acquirer has to its end, and a first order that is paid', async () => {
    const running = await service()
    const order = { orderId: 'paid-first', txnToken: '' }
    const id = await initiatedAndPaid(running, order)
    await setSubscription(running, id, { paymentMode: 'CREDIT_CARD' })
    const row = {
      dueDate: '2026-08-15',
      status: 'IN_FLIGHT',
      attempts: 1,
      orderId: 'o',
      txnId: 't',
      noticedAt: 0,
      noticedPaise: 100,
      sentAt: 2 ** 40,
    } as const
    const sent = await addCycle(running, id, row)
    is(await manage(running, CANCEL, { subsId: id }), cancelSubscription.success)
    assert.deepEqual(await cycleRow(running, sent), sent)
    assert.equal((await orderRow(running, order.orderId))!.status, 'PAID')
  })

  test('gives a consent payment back that succeeds after it', async () => {
    const running = await service()
    const reply = await running.signed(
      `/subscription/create?mid=${MID}&orderId=late`,
      subscription('late', { userInfo: { custId: 'LATE' } }),
    )
    const begun = await pay(running, { orderId: 'late', txnToken: reply.body.txnToken }, { paymentMode: 'UPI', payerAccount: 'slow@upi' })
    assert.equal(begun.body.resultInfo.resultCode, '0000', begun.text)
    is(await manage(running, CANCEL, { subsId: reply.body.subscriptionId }), cancelSubscription.success)
    assert.equal((await orderRow(running, 'late'))!.status, 'CLOSED')
    running.clock.advance(3 * 60_000)
    await running.tasks.runDue()
    const transactions = await running.ports.query.rows(find('transactions', { equals: { mid: MID, orderId: 'late' }, limit: 5 }))
    assert.deepEqual(
      transactions.map(({ status, capturedPaise, refundedPaise }) => [status, capturedPaise, refundedPaise]),
      [['FAILURE', 1000, 1000]],
    )
    assert.equal((await subscriptionRow(running, reply.body.subscriptionId))!.subStatus, 'MERCHANT_CANCELLED')
  })

  test('a hundred times at once is done once', async () => {
    const running = await service()
    const id = await consented(running, 'hundred')
    const replies = await Promise.all(Array.from({ length: 100 }, () => manage(running, CANCEL, { subsId: id })))
    assert.deepEqual(new Set(replies.map(codeOf)), new Set(['3006']))
    assert.deepEqual(await typesOf(running, id), ['subscription.created', 'subscription.cancelled'])
  })
})

onBothStores('pausing', (store) => {
  const service = sharedService(store, { world })
  const set = (running: Service, id: string, status: string) => manage(running, MODIFY, { subsId: id, status })

  test('and resuming move an active subscription there and back; asked again nothing changes', async () => {
    const running = await service()
    const id = await consented(running, 'pause')
    for (const [status, subStatus] of [
      ['SUSPENDED', 'MERCHANT_PAUSED'],
      ['ACTIVE', 'ACTIVE'],
    ] as const) {
      for (const _ of ['once', 'again']) {
        const reply = await set(running, id, status)
        is(reply, modifySubscriptionStatus.success)
        assert.deepEqual([reply.body.subsId, reply.body.status], [id, status])
        const row = (await subscriptionRow(running, id))!
        assert.deepEqual([row.status, row.subStatus], [status, subStatus])
      }
    }
    assert.deepEqual(await typesOf(running, id), ['subscription.created', 'subscription.paused', 'subscription.resumed'])
  })

  test('3901: the merchant does not lift a pause of the payer’s, nor pause what is not active yet', async () => {
    const running = await service()
    const id = await consented(running, 'users', {}, { status: 'SUSPENDED', subStatus: 'USER_PAUSED' })
    is(await set(running, id, 'ACTIVE'), modifySubscriptionStatus.notActive, ': SUSPENDED, USER_PAUSED')
    is(await set(running, id, 'SUSPENDED'), modifySubscriptionStatus.success)
    assert.equal((await subscriptionRow(running, id))!.subStatus, 'USER_PAUSED')
    const init = await initiated(running, subscription('init'))
    for (const status of ['ACTIVE', 'SUSPENDED']) is(await set(running, init, status), modifySubscriptionStatus.notActive, ': INIT, INIT')
  })

  test('misses the cycle whose window has begun, and leaves the next and one that is in flight', async () => {
    const running = await service()
    const id = await consented(running, 'begun')
    const [begun, next] = [
      await addCycle(running, id, { windowTo: '2026-06-17' }),
      await addCycle(running, id, { dueDate: '2026-07-15', number: 1 }),
    ]
    is(await set(running, id, 'SUSPENDED'), modifySubscriptionStatus.success)
    assert.deepEqual([(await cycleRow(running, begun))!.status, (await cycleRow(running, next))!.status], ['MISSED', 'SCHEDULED'])
    is(await set(running, id, 'ACTIVE'), modifySubscriptionStatus.success)
    assert.deepEqual([(await cycleRow(running, begun))!.status, (await cycleRow(running, next))!.status], ['MISSED', 'SCHEDULED'])
    const flying = await consented(running, 'flying')
    const sent = await addCycle(running, flying, {
      status: 'IN_FLIGHT',
      attempts: 1,
      orderId: 'o',
      txnId: 'f',
      noticedAt: 0,
      noticedPaise: 1,
      sentAt: 2 ** 40,
    })
    is(await set(running, flying, 'SUSPENDED'), modifySubscriptionStatus.success)
    // The debit in flight keeps its result, and there is no retry.
    const { version, updatedAt, ...after } = (await cycleRow(running, sent))!
    const { version: before, updatedAt: _, ...same } = sent
    assert.deepEqual(after, { ...same, unwanted: 'PAUSED' })
    assert.deepEqual([version, updatedAt], [before + 1, running.clock.now()])
  })

  test('a clock that is set back undoes nothing', async () => {
    const running = await service()
    const id = await consented(running, 'back')
    await set(running, id, 'SUSPENDED')
    const before = (await subscriptionRow(running, id))!
    running.clock.set(-3 * DAY_MS)
    is(await set(running, id, 'ACTIVE'), modifySubscriptionStatus.success)
    const after = (await subscriptionRow(running, id))!
    assert.ok(after.updatedAt >= before.updatedAt)
    running.clock.set(3 * DAY_MS)
  })
})

async function initiatedAndPaid(running: Service, order: { orderId: string; txnToken: string }): Promise<string> {
  const reply = await running.signed(`/subscription/create?mid=${MID}&orderId=${order.orderId}`, subscription(order.orderId))
  order.txnToken = reply.body.txnToken
  const paid = await pay(running, order, { paymentMode: 'CREDIT_CARD', cardInfo: '|4111111111111111|123|122032' })
  assert.equal(paid.body.resultInfo.resultCode, '0000', paid.text)
  return reply.body.subscriptionId
}

onBothStores('the status of a subscription', (store) => {
  const service = sharedService(store, { world })
  const check = (running: Service, body: Body) => manage(running, CHECK, body)

  test('is the detailed row of the list, flat', async () => {
    const running = await service()
    const id = await consented(running, 'flat', { ...fix('25.50'), userInfo: { custId: 'FLAT', mobile: '9876543210', email: 'a@b.in' } })
    const { resultInfo, ...row } = (await check(running, { subsId: id })).body
    assert.equal(resultInfo.code, '3006')
    const list = await running.signed(LIST, { mid: MID, custId: 'FLAT', detailRequired: true }, { head: { tokenType: 'AES', token: 'x' } })
    assert.deepEqual(list.body.subscriptionDetails.subscriptions, [row])
    const { createdDate, updatedDate, ...rest } = row
    assert.equal(createdDate, updatedDate)
    assert.deepEqual(rest, {
      ...{ subscriptionId: id, subsId: id, orderId: 'flat', custId: 'FLAT', status: 'ACTIVE', subStatus: 'ACTIVE', amountType: 'FIX' },
      ...{ frequency: '1', frequencyUnit: 'MONTH', maxAmount: '25.50', expiryDate: '2027-06-15 00:00:00', mid: MID },
      ...{ lastOrderId: 'flat', lastOrderStatus: 'PENDING', lastOrderAmount: '10.00', payMode: 'UPI', upfrontTxnAmount: '10.00' },
      ...{
        renewalAmount: '25.50',
        startDate: TODAY,
        graceDays: '2',
        enableRetry: '1',
        retryCount: '0',
        autoRenewal: false,
        autoRetry: false,
      },
      ...{ communicationManager: false, custMobile: 'XXXXXX3210', custEmail: 'a@b.in', nextCollectionDate: TODAY, collected: 0 },
    })
  })

  test('has the last order, its cycle, how many were collected, a pause and a pending edit', async () => {
    const running = await service()
    const id = await consented(running, 'whole', {}, { mandate: { instrument: { bank: 'HDFC' } } })
    const ended = { nextAt: null, attempts: 1 } as const
    const paid = { ...ended, status: 'COLLECTED', noticedAt: 1, noticedPaise: 1, sentAt: 2 ** 40 } as const
    await addCycle(running, id, { ...paid, dueDate: '2026-04-15', orderId: 'whole-1', txnId: 'w1' })
    await addCycle(running, id, { ...paid, dueDate: '2026-05-15', number: 1, orderId: 'whole-2', txnId: 'w2' })
    await createOrder(running, 'whole-2')
    assert.deepEqual(pick((await check(running, { subsId: id })).body), {
      ...{ lastOrderId: 'whole-2', lastOrderStatus: 'PENDING', lastOrderAmount: '100.00', payMode: 'UPI', bankName: 'HDFC' },
      ...{ nextCollectionDate: TODAY, pausedBy: undefined, pendingEdit: undefined, collected: 2 },
      currentCycle: { dueDate: '2026-05-15', state: 'COLLECTED', attempts: 1, noticeAt: '1970-01-01 05:30:00' },
    })
    await addCycle(running, id, { windowTo: '2026-06-17', number: 2 })
    const edit = { editId: 'e1', maxAmountPaise: 200_00, expiryDate: '2028-01-01', validUntil: running.clock.now() + DAY_MS }
    await setSubscription(running, id, { status: 'SUSPENDED', subStatus: 'USER_PAUSED', edit })
    const { pausedBy, pendingEdit, currentCycle, nextCollectionDate } = (await check(running, { subsId: id })).body
    assert.equal(pausedBy, 'USER')
    assert.deepEqual(pendingEdit, {
      editId: 'e1',
      subscriptionMaxAmount: '200.00',
      subscriptionExpiryDate: '2028-01-01',
      validUntil: '2026-06-16 10:00:00',
    })
    assert.deepEqual(currentCycle, { dueDate: TODAY, state: 'SCHEDULED', attempts: 0 })
    assert.equal(nextCollectionDate, TODAY)
    await setSubscription(running, id, { subStatus: 'MERCHANT_PAUSED', edit: { ...edit, validUntil: running.clock.now() } })
    const late = (await check(running, { subsId: id })).body
    assert.deepEqual([late.pausedBy, late.pendingEdit], ['MERCHANT', undefined])
    await manage(running, CANCEL, { subsId: id })
    const over = (await check(running, { subsId: id })).body
    assert.deepEqual([over.status, over.subStatus, over.nextCollectionDate], ['REJECT', 'MERCHANT_CANCELLED', undefined])
  })

  test('is found by its first order and by that of any collection, with the customer; never by another customer’s', async () => {
    const running = await service()
    const id = await consented(running, 'first', { userInfo: { custId: 'BY' } })
    for (const body of [
      { orderId: 'first', custId: 'BY' },
      { orderid: 'first', custId: 'BY' },
    ])
      assert.equal((await check(running, body)).body.subsId, id)
    for (const body of [
      { orderId: 'first', custId: 'C1' },
      { orderId: 'none', custId: 'BY' },
    ])
      is(await check(running, body), checkSubscriptionStatus.notFound)
    await createOrder(running, 'plain')
    is(await check(running, { orderId: 'plain', custId: 'C1' }), checkSubscriptionStatus.notFound)
  })

  test('counts what was collected among cycles that were not, and on demand', async () => {
    const running = await service()
    const collectedOf = async (name: string, more: object, states: readonly Row<'collections'>['status'][], numbered: boolean) => {
      const id = await consented(running, name, more)
      for (const [at, status] of states.entries()) {
        const day = `2026-06-${String(at + 1).padStart(2, '0')}`
        const txn = status === 'COLLECTED' ? { orderId: `${id}-${at}`, txnId: `${id}-${at}`, noticedAt: 1, noticedPaise: 1 } : {}
        await addCycle(running, id, {
          dueDate: day,
          number: numbered ? at : null,
          status,
          nextAt: status === 'SCHEDULED' ? 2 ** 41 : null,
          ...txn,
        })
      }
      return (await check(running, { subsId: id })).body.collected
    }
    const states = ['MISSED', 'COLLECTED', 'FAILED', 'COLLECTED', 'SKIPPED', 'COLLECTED', 'SCHEDULED'] as const
    assert.equal(await collectedOf('count-1', {}, states, true), 3)
    assert.equal(await collectedOf('count-2', {}, ['SCHEDULED'], true), 0)
    assert.equal(await collectedOf('count-3', {}, ['COLLECTED'], true), 1)
    const onDemand = { subscriptionFrequencyUnit: 'ONDEMAND', subscriptionGraceDays: null }
    assert.equal(await collectedOf('count-4', onDemand, states, false), 3)
  })

  test('has the order of a failed attempt as the last one, although its cycle no longer names it', async () => {
    const running = await service()
    const orderId = 'retry'
    const id = await initiatedAndPaid(running, { orderId, txnToken: '' })
    const [first] = await running.ports.query.rows(find('transactions', { equals: { mid: MID, orderId }, limit: 1 }))
    await createOrder(running, 'retry-1')
    const cycle = await addCycle(running, id, { dueDate: '2026-08-15', number: 1, attempts: 1, rail: 'CARD' })
    const row = {
      ...first!,
      txnId: 'retry-txn',
      orderId: 'retry-1',
      status: 'FAILURE',
      capturedPaise: 0,
      collectionId: cycle.collectionId,
      collectionAttempt: 1,
    } as const
    await running.store.transaction((transaction) =>
      transaction.write({ changes: [{ kind: 'insert', key: transactionKey(MID, row.txnId), row }], events: [], tasks: [] }),
    )
    assert.equal((await check(running, { subsId: id })).body.lastOrderId, 'retry-1')
  })

  test('uses one vocabulary for the last order: PENDING, SUCCESS, FAILURE', async () => {
    const running = await service()
    const id = await initiatedAndPaid(running, { orderId: 'word-paid', txnToken: '' })
    assert.equal((await check(running, { subsId: id })).body.lastOrderStatus, 'SUCCESS')
    const open = await initiated(running, subscription('word-open'))
    assert.equal((await check(running, { subsId: open })).body.lastOrderStatus, 'PENDING')
    await manage(running, CANCEL, { subsId: open })
    assert.equal((await check(running, { subsId: open })).body.lastOrderStatus, 'FAILURE')
  })
})

const pick = (row: Body) => {
  const { lastOrderId, lastOrderStatus, lastOrderAmount, payMode, bankName, nextCollectionDate, pausedBy, pendingEdit, collected } = row
  const { currentCycle } = row
  return {
    lastOrderId,
    lastOrderStatus,
    lastOrderAmount,
    payMode,
    bankName,
    nextCollectionDate,
    pausedBy,
    pendingEdit,
    collected,
    currentCycle,
  }
}

onBothStores('a store that fails under operations on a subscription', (store) => {
  let faults: Faults | undefined
  const failing = { now: false }
  const service = sharedService(store, {
    store: (real) => {
      faults = withFaults(withFailingQuery(real, failing))
      return faults.store
    },
  })
  test('500 System Error, and a repeated request succeeds', async () => {
    const running = await service()
    const id = await consented(running, 'failing')
    for (const [path, body, codes] of [
      [MODIFY, { status: 'SUSPENDED' }, modifySubscriptionStatus],
      [CANCEL, {}, cancelSubscription],
    ] as const) {
      const ask = () => manage(running, path, { subsId: id, ...body })
      is(await faults!.during('commit', new Error('the disk is on fire'), ask), codes.systemError)
      is(await ask(), codes.success)
    }
    await manage(running, CHECK, { subsId: id }) // now the merchant's keys are in memory
    failing.now = true
    is(await manage(running, CHECK, { subsId: id }), checkSubscriptionStatus.systemError)
    failing.now = false
    is(await manage(running, CHECK, { subsId: id }), checkSubscriptionStatus.success)
  })
})
