// A cancellation, a pause and Close Order withdraw a renewal that waits for its hour, but none that was sent. Over HTTP, on both stores.
// docs/interface.md sections 4.13, 4.35, 4.36 and 4.39.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../../src/api/operations.ts'
import { beginAttempt } from '../../../src/domain/subscription/collection/attempt.ts'
import { withdrawAttempt } from '../../../src/domain/subscription/collection/withdraw-attempt.ts'
import { outcomeRules } from '../../../src/domain/subscription/outcome-rules.ts'
import { outcomeOf } from '../../../src/domain/transaction/transaction-outcome.ts'
import { dayEnds } from '../../../src/engine/clock.ts'
import { collectionKey } from '../../../src/tables/keys.ts'
import { find, type Row } from '../../../src/tables/tables.ts'
import {
  addCycle,
  CONSENTED,
  consented,
  cycle,
  cycleRow,
  manage,
  orderRow,
  subscriptionRow,
  transactionRow,
} from '../../support/mandates/mandates.ts'
import { TODAY } from '../../support/mandates/subscription.ts'
import { at } from '../../support/mandates/timeline.ts'
import { statusOf } from '../../support/paying/paying.ts'
import { codeOf } from '../../support/run/replies.ts'
import { MID, onBothStores, type Service, sharedService } from '../../support/run/service.ts'

const CLOSE = operations.closeOrder.paths[0]
const [CANCEL] = operations.cancelSubscription.paths
const [MODIFY] = operations.modifySubscriptionStatus.paths
const [RENEW] = operations.renewSubscription.paths
const HOUR_MS = 60 * 60_000
const NOTICED = {
  status: 'NOTIFIED',
  notices: 1,
  noticedAt: at('2026-06-13 10:00:00'),
  noticedPaise: 100_00,
  windowTo: '2026-06-17',
} as const

const close = ({ signed }: Service, orderId: string) => signed(CLOSE, { requestType: 'CLOSE', mid: MID, orderId })

/** A renewal at ten in the morning, which UPI makes wait until one. */
async function deferred(running: Service, name: string, more: Partial<Row<'collections'>> = {}) {
  const id = await consented(running, name)
  const cycle = await addCycle(running, id, { ...NOTICED, ...more })
  const orderId = `${name}-1`
  const body = { mid: MID, orderId, subscriptionId: id, txnAmount: { value: '50.00', currency: 'INR' } }
  const reply = await running.signed(`${RENEW}?mid=${MID}&orderId=${orderId}`, body)
  assert.equal(reply.body.rule, 'forbiddenHours', reply.text)
  return { id, cycle, orderId, txnId: reply.body.txnId as string }
}

async function expectWithdrawn(running: Service, { cycle, orderId, txnId }: Awaited<ReturnType<typeof deferred>>, status: string) {
  const [order, transaction, after] = [
    await orderRow(running, orderId),
    await transactionRow(running, txnId),
    await cycleRow(running, cycle),
  ]
  assert.deepEqual([order!.status, order!.txnId], ['CLOSED', null])
  assert.deepEqual([transaction!.status, transaction!.result, transaction!.capturedPaise], ['FAILURE', 'cancelled', 0])
  assert.deepEqual([after!.status, after!.txnId, after!.orderId, after!.sentAt], [status, null, null, null])
  assert.equal((await statusOf(running, { orderId })).body.resultInfo.resultStatus, 'TXN_FAILURE')
  // After one `absent` the acquirer may still have it on its way.
  const tasks = await running.ports.query.rows(find('tasks', { equals: { task: 'transaction.due' }, limit: 100 }))
  assert.equal(tasks.filter(({ subject }) => subject.endsWith(txnId)).length, 1, 'it is asked after once more')
}

onBothStores('an attempt that waits for its hour', (store) => {
  const service = sharedService(store)

  test('ends with a cancellation, and its cycle was missed', async () => {
    const running = await service()
    const waiting = await deferred(running, 'cancel')
    assert.equal(codeOf(await manage(running, CANCEL, { subsId: waiting.id })), '3006')
    await expectWithdrawn(running, waiting, 'MISSED')
    assert.equal((await cycleRow(running, waiting.cycle))!.nextAt, null)
  })

  test('ends with a cancellation also where its merchant is notified of collections at a callbackUrl, and was notified of one before', async () => {
    const running = await service()
    const id = await consented(running, 'callback', { callbackUrl: 'http://127.0.0.1:9/told' })
    const cycle = await addCycle(running, id, NOTICED)
    for (const orderId of ['callback-1', 'callback-2']) {
      const body = { mid: MID, orderId, subscriptionId: id, txnAmount: { value: '50.00', currency: 'INR' } }
      assert.equal((await running.signed(`${RENEW}?mid=${MID}&orderId=${orderId}`, body)).body.rule, 'forbiddenHours')
      const ended = orderId === 'callback-1' ? await close(running, orderId) : await manage(running, CANCEL, { subsId: id })
      assert.equal(ended.body.resultInfo.resultStatus, 'S', ended.text)
    }
    const { status, attempts } = (await cycleRow(running, cycle))!
    assert.deepEqual([status, attempts], ['FAILED', 2])
    const reported = await running.ports.query.rows(
      find('notifications', { equals: { mid: MID, orderId: 'callback', endpoint: 'callback' }, limit: 9 }),
    )
    assert.deepEqual(reported.map(({ sequence }) => Number(sequence)).sort(), [1, 2])
  })

  test('ends with a pause: its cycle was missed, or has failed when another was tried before, and the next cycle is there', async () => {
    const running = await service()
    for (const [attempts, status] of [
      [0, 'MISSED'],
      [1, 'FAILED'],
    ] as const) {
      const waiting = await deferred(running, `pause-${attempts}`, { attempts })
      assert.equal(codeOf(await manage(running, MODIFY, { subsId: waiting.id, status: 'SUSPENDED' })), '3006')
      await expectWithdrawn(running, waiting, status)
      assert.equal((await cycleRow(running, { collectionId: `${waiting.id}.20260715` }))!.status, 'SCHEDULED')
      assert.equal(codeOf(await manage(running, MODIFY, { subsId: waiting.id, status: 'ACTIVE' })), '3006')
      assert.equal((await cycleRow(running, waiting.cycle))!.status, status, 'what has ended never comes back')
    }
  })

  test('is withdrawn by Close Order, and the cycle may be tried again; it counts, and a cycle that was tried by nothing else was missed', async () => {
    const running = await service()
    const waiting = await deferred(running, 'close')
    assert.equal(codeOf(await close(running, waiting.orderId)), '0000')
    await expectWithdrawn(running, waiting, 'NOTIFIED')
    assert.equal((await cycleRow(running, waiting.cycle))!.attempts, 1)
    assert.equal(codeOf(await close(running, waiting.orderId)), '410')
    const body = { mid: MID, orderId: 'close-2', subscriptionId: waiting.id, txnAmount: { value: '50.00', currency: 'INR' } }
    assert.equal(codeOf(await running.signed(`${RENEW}?mid=${MID}&orderId=close-2`, body)), '0000')
    const last = await deferred(running, 'close-last', { attempts: 2 })
    assert.equal(codeOf(await close(running, last.orderId)), '0000')
    await expectWithdrawn(running, last, 'FAILED')
    const only = await deferred(running, 'close-only', { attemptsMax: 1 })
    assert.equal(codeOf(await close(running, only.orderId)), '0000')
    await expectWithdrawn(running, only, 'MISSED')
  })

  test('1111 close not allowed, transaction already in process: once it has been sent, and then neither cancelling nor pausing ends it', async () => {
    const running = await service()
    const sent = await deferred(running, 'sent')
    const key = collectionKey(MID, sent.cycle.collectionId)
    const row = { ...(await running.ports.query.row(key))!, sentAt: running.clock.now(), nextAt: 2 ** 41 }
    await running.store.transaction((transaction) => transaction.write({ changes: [{ kind: 'update', key, row }], events: [], tasks: [] }))
    const reply = await close(running, sent.orderId)
    assert.equal(codeOf(reply), '1111')
    assert.equal(reply.body.resultInfo.resultMsg, 'close not allowed, transaction already in process')
    await manage(running, MODIFY, { subsId: sent.id, status: 'SUSPENDED' })
    await manage(running, CANCEL, { subsId: sent.id })
    assert.equal((await subscriptionRow(running, sent.id))!.subStatus, 'MERCHANT_CANCELLED')
    const ended = { unwanted: 'PAUSED', version: row.version + 1, updatedAt: running.clock.now() }
    assert.deepEqual(await cycleRow(running, sent.cycle), { ...row, ...ended })
    assert.equal((await orderRow(running, sent.orderId))!.status, 'IN_PROCESS')
  })

  test('is withdrawn for good also by a clock that was set back', async () => {
    const running = await service()
    const waiting = await deferred(running, 'back')
    running.clock.set(-5 * HOUR_MS)
    assert.equal(codeOf(await close(running, waiting.orderId)), '0000')
    running.clock.set(5 * HOUR_MS)
    await expectWithdrawn(running, waiting, 'NOTIFIED')
  })

  test('a pause of a cycle that no process has taken up writes the next one, once', async () => {
    const running = await service()
    const id = await consented(running, 'next')
    await addCycle(running, id, { windowTo: '2026-06-17' })
    for (const status of ['SUSPENDED', 'ACTIVE', 'SUSPENDED'])
      assert.equal(codeOf(await manage(running, MODIFY, { subsId: id, status })), '3006')
    const cycles = await running.ports.query.rows(
      find('collections', { equals: { mid: MID, subscriptionId: id }, orderBy: ['dueDate'], limit: 9 }),
    )
    assert.deepEqual(
      cycles.map(({ dueDate, status, number }) => [dueDate, status, number]),
      [
        [TODAY, 'MISSED', 0],
        ['2026-07-15', 'SCHEDULED', 1],
      ],
    )
  })

  test('when a cancellation and a renewal come at once, the renewal is refused or withdrawn', async () => {
    const running = await service()
    for (let round = 0; round < 10; round++) {
      const id = await consented(running, `race-${round}`)
      const cycle = await addCycle(running, id, NOTICED)
      const orderId = `race-${round}-1`
      const body = { mid: MID, orderId, subscriptionId: id, txnAmount: { value: '50.00', currency: 'INR' } }
      const asks = [() => manage(running, CANCEL, { subsId: id }), () => running.signed(`${RENEW}?mid=${MID}&orderId=${orderId}`, body)]
      const replies = await Promise.all((round % 2 === 0 ? asks : asks.toReversed()).map((ask) => ask()))
      const renewal = replies[round % 2 === 0 ? 1 : 0]!
      assert.ok(['0000', '3901'].includes(codeOf(renewal)), renewal.text)
      const [after, order] = [(await cycleRow(running, cycle))!, await orderRow(running, orderId)]
      assert.deepEqual([after.status, order?.status], ['MISSED', codeOf(renewal) === '0000' ? 'CLOSED' : undefined])
      const cycles = await running.ports.query.rows(find('collections', { equals: { mid: MID, subscriptionId: id }, limit: 9 }))
      assert.deepEqual(
        cycles.filter(({ nextAt }) => nextAt !== null),
        [],
        'the cycle that the renewal wrote behind it has ended too',
      )
    }
  })
})

test('a withdrawn attempt is a payment that has failed, except in its effect on the cycle', () => {
  const now = at('2026-06-15 10:00:00')
  const subscription = { ...CONSENTED, mid: MID, subscriptionId: 'S', orderId: 'FIRST', details: {} } as unknown as Row<'subscriptions'>
  const [callbackUrl, peonUrl] = ['http://127.0.0.1:9/callback', 'http://127.0.0.1:9/peon']
  const first = { mid: MID, orderId: 'FIRST', details: { userInfo: {} }, callbackUrl, peonUrl } as Row<'orders'>
  const nothing = { customer: undefined, redemption: undefined, savedCard: undefined }
  const streams = {
    merchant: { mid: MID, name: 'M', notification: null } as Row<'merchants'>,
    merchantStream: undefined,
    peonStream: undefined,
  }
  for (const [rail, sentAt] of [
    ['UPI', null],
    ['UPI', now - HOUR_MS],
    ['WALLET', null],
  ] as const) {
    const before = { collection: cycle('S', { ...NOTICED, rail }), orderId: 'O', txnId: 'T', amountPaise: 50_00 }
    const { order, collection, ...attempt } = beginAttempt({ ...before, subscription, first, sendAt: now + HOUR_MS, now })
    const transaction = { ...attempt.transaction, sentAt }
    const counters = { everybody: undefined, ofCustomer: undefined }
    const rules = outcomeRules({ subscription, collection })
    const paying = { ...nothing, ...counters, ...streams, order, transaction, rules, firstAskedAt: now }
    const windowEndsAt = dayEnds(collection.windowTo)
    const failed = outcomeOf({ ...paying, windowEndsAt }, { outcome: 'failure', failure: 'cancelled' }, now)
    assert.deepEqual(withdrawAttempt(collection, subscription, { ...streams, order, transaction }, now), {
      changes: failed.changes.filter(({ key }) => key.table !== 'collections'),
      events: failed.events.filter(({ type }) => !type.startsWith('collection.')),
      tasks: failed.tasks,
    })
    assert.ok(failed.changes.some(({ key }) => key.table === 'collections') && failed.tasks.length > 0, rail)
  }
})
