// What becomes of notifications, without a store and without a receiver: docs/interface.md section 6.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { classicFields } from '../../../src/adapters/delivery/classic-form.ts'
import { applyDeliveryResult } from '../../../src/domain/notification/apply-delivery-result.ts'
import { applyResendResult } from '../../../src/domain/notification/apply-resend-result.ts'
import {
  type DeliveryAttempt,
  notifiedPlaces,
  notify,
  RETRY_AFTER_MS,
  type Stream,
  type Streams,
  withNotified,
} from '../../../src/domain/notification/notification.ts'
import { postponeDelivery } from '../../../src/domain/notification/postpone-delivery.ts'
import { resend, startEndpoint } from '../../../src/domain/notification/resend.ts'
import type { Change, Decision } from '../../../src/engine/decision.ts'
import type { Row } from '../../../src/tables/tables.ts'

const NOW = 1_000_000
const order = { mid: 'M', orderId: 'O.1', peonUrl: 'https://shop.example/peon' }
const merchant = { mid: 'M', notification: { url: 'https://shop.example/all', form: 'json', secret: 's' } } as Row<'merchants'>
const content = { orderId: 'O.1' }
const idle: Stream = { mid: 'M', orderId: 'O.1', endpoint: 'merchant', status: 'IDLE', last: 2, next: 3, attempts: 0, updatedAt: 1 }
const active: Stream = { ...idle, status: 'ACTIVE', next: 2, attempts: 4 }
const dead: Stream = { ...active, status: 'DEAD', attempts: 10 }
const open: Row<'notifications'> = {
  ...{ mid: 'M', orderId: 'O.1', endpoint: 'merchant', sequence: '000002', notificationId: 'M:O~1:merchant:2', status: 'OPEN' },
  ...{ form: 'json', url: 'https://shop.example/all', event: 'order|O.1|2', content, attempts: 4, createdAt: 1, deliveredAt: null },
}
const streams = (given: Partial<Streams>): Streams => ({ merchant, merchantStream: undefined, peonStream: undefined, ...given })

/** `update notificationStreams` and the like, with what the row holds of these members. */
const reported = (changes: readonly Change[], ...members: string[]) =>
  changes.map((change) => {
    const row = (change.kind === 'delete' ? {} : change.row) as Record<string, unknown>
    return [`${change.kind} ${change.key.table}`, ...members.filter((member) => member in row).map((member) => row[member])]
  })
const dues = ({ tasks }: Pick<Decision, 'tasks'>) =>
  tasks.map((task) => [task.task, task.subject, task.kind === 'add' ? task.dueAt - NOW : 'never'])

test('a first notification makes one stream, one row and one task for each endpoint', () => {
  const decided = notify({ order, event: 'order|O.1|1', content }, streams({}), NOW)
  assert.deepEqual(reported(decided.changes, 'endpoint', 'status', 'last', 'next', 'notificationId', 'form', 'url'), [
    ['insert notificationStreams', 'merchant', 'ACTIVE', 1, 1],
    ['insert notifications', 'merchant', 'OPEN', 'M:O~1:merchant:1', 'json', 'https://shop.example/all'],
    ['insert notificationStreams', 'peon', 'ACTIVE', 1, 1],
    ['insert notifications', 'peon', 'OPEN', 'M:O~1:peon:1', 'classic', 'https://shop.example/peon'],
  ])
  assert.deepEqual(dues(decided), [
    ['notification.due', 'M|O.1|merchant', 0],
    ['notification.due', 'M|O.1|peon', 0],
  ])
})

test('nobody is told who named no endpoint', () => {
  const decided = notify(
    { order: { ...order, peonUrl: null }, event: '', content },
    streams({ merchant: { ...merchant, notification: null } }),
    NOW,
  )
  assert.deepEqual(decided, { places: [], changes: [], tasks: [] })
})

test('an event says where in the streams its notifications stand', () => {
  const event = { type: 'order.paid', owner: 'M', id: 'O', version: 1, from: '', to: 'PAID', at: NOW, data: {} }
  const places = [
    { endpoint: 'merchant', place: 17 },
    { endpoint: 'peon', place: 4 },
  ] as const
  const reported = withNotified(event, { places })
  assert.equal(reported.data['notified'], 'merchant:17 peon:4')
  assert.deepEqual(notifiedPlaces(reported), places)
  assert.deepEqual(notifiedPlaces(event), [])
})

test('a stream at work takes another behind what waits, and its retry stays where it is', () => {
  const decided = notify({ order: { ...order, peonUrl: null }, event: '', content }, streams({ merchantStream: active }), NOW)
  assert.deepEqual(reported(decided.changes, 'status', 'last', 'next', 'attempts', 'sequence'), [
    ['update notificationStreams', 'ACTIVE', 3, 2, 4],
    ['insert notifications', 'OPEN', 0, '000003'],
  ])
  assert.deepEqual(decided.tasks, [])
})

for (const before of [idle, dead]) {
  test(`a stream that is ${before.status} begins again`, () => {
    const decided = notify({ order: { ...order, peonUrl: null }, event: '', content }, streams({ merchantStream: before }), NOW)
    assert.deepEqual(reported(decided.changes, 'status', 'last', 'next', 'attempts')[0], [
      'update notificationStreams',
      'ACTIVE',
      3,
      before.next,
      0,
    ])
    assert.deepEqual(dues(decided), [['notification.due', 'M|O.1|merchant', 0]])
  })
}

const attempt = (outcome: DeliveryAttempt['outcome'], httpStatus = 0): DeliveryAttempt => ({ outcome, httpStatus, durationMs: 7 })
const finish = (
  given: DeliveryAttempt | undefined,
  stream: Stream | undefined = active,
  { sequence = '000002', stopped = undefined as Row<'stoppedEndpoints'> | undefined } = {},
) =>
  applyDeliveryResult.decide(
    { mid: 'M', orderId: 'O.1', endpoint: 'merchant', sequence, url: 'https://shop.example/now', attempt: given, now: NOW },
    { stream, notification: open, stopped } as never,
  )

test('what was delivered moves its stream on, to the next or to rest', () => {
  const last = finish(attempt('delivered', 200))
  assert.deepEqual(reported(last.changes, 'status', 'next', 'attempts', 'outcome', 'attempt', 'url'), [
    ['insert deliveryAttempts', 'delivered', '000005'],
    ['update notificationStreams', 'IDLE', 3, 0],
    ['update notifications', 'DELIVERED', 5, 'https://shop.example/now'],
  ])
  assert.deepEqual(last.tasks, [])
  const more = finish(attempt('delivered', 200), { ...active, last: 3 })
  assert.deepEqual(reported(more.changes, 'status', 'next')[1], ['update notificationStreams', 'ACTIVE', 3])
  assert.deepEqual(dues(more), [['notification.due', 'M|O.1|merchant', 0]])
})

test('what failed is tried again after each delay of the schedule, and is dead after the last', () => {
  for (const outcome of ['answered', 'timeout', 'unreachable'] as const) {
    for (const [failures, afterMs] of RETRY_AFTER_MS.entries()) {
      const decided = finish(attempt(outcome), { ...active, attempts: failures })
      assert.deepEqual(dues(decided), [['notification.due', 'M|O.1|merchant', afterMs]])
      assert.deepEqual(reported(decided.changes, 'status', 'attempts')[1], ['update notificationStreams', 'ACTIVE', failures + 1])
    }
    const decided = finish(attempt(outcome), { ...active, attempts: RETRY_AFTER_MS.length })
    assert.deepEqual([decided.reply.result.name, decided.tasks], ['dead', []])
    assert.deepEqual(reported(decided.changes, 'status', 'next').slice(1), [
      ['update notificationStreams', 'DEAD', 2],
      ['update notifications', 'DEAD'],
    ])
  }
})

test('the schedule has ten retries over about a week', () => {
  assert.equal(RETRY_AFTER_MS.length, 10)
  const days = RETRY_AFTER_MS.reduce((sum, ms) => sum + ms, 0) / 86_400_000
  assert.ok(days > 7 && days < 7.5, String(days))
})

test('410 stops the endpoint once; an address that may not be dialled is dead at once and stops nothing', () => {
  const gone = finish(attempt('gone', 410))
  assert.deepEqual(reported(gone.changes, 'status', 'url'), [
    ['insert deliveryAttempts'],
    ['update notificationStreams', 'DEAD'],
    ['update notifications', 'DEAD', 'https://shop.example/now'],
    ['insert stoppedEndpoints', 'https://shop.example/now'],
  ])
  const again = finish(attempt('gone', 410), active, { stopped: { mid: 'M', url: 'https://shop.example/now', stoppedAt: 1 } })
  assert.equal(again.changes.length, 3)
  const refused = finish(attempt('refused'))
  assert.deepEqual([refused.reply.result.name, refused.changes.length, refused.tasks], ['dead', 3, []])
  const peon = finish(attempt('gone', 410), { ...active, endpoint: 'peon' })
  assert.equal(peon.changes.length, 3)
})

test('what could not be tried because the endpoint is stopped is dead without an attempt', () => {
  const stopped = { mid: 'M', url: 'https://shop.example/now', stoppedAt: 1 }
  const decided = finish(undefined, active, { stopped })
  assert.deepEqual(reported(decided.changes, 'status', 'attempts'), [
    ['update notificationStreams', 'DEAD', 4],
    ['update notifications', 'DEAD', 4],
  ])
  const startedAgain = finish(undefined)
  assert.deepEqual([startedAgain.changes, dues(startedAgain)], [[], [['notification.due', 'M|O.1|merchant', 0]]])
})

test('an answer for what the stream no longer stands at changes nothing, and the stream keeps its task', () => {
  assert.deepEqual(finish(attempt('delivered', 200), { ...active, next: 1 }).changes, [])
  assert.deepEqual(dues(finish(attempt('delivered', 200), { ...active, next: 1 })), [['notification.due', 'M|O.1|merchant', 0]])
  for (const stream of [idle, dead]) {
    const { changes, tasks } = finish(attempt('delivered', 200), stream)
    assert.deepEqual([changes, tasks], [[], []])
  }
})

const again = (state: {
  stream?: Stream
  notification?: Row<'notifications'>
  first?: Row<'notifications'>
  stopped?: Row<'stoppedEndpoints'>
}) => resend.decide({ mid: 'M', orderId: 'O.1', endpoint: 'merchant', sequence: '000002', now: NOW }, { merchant, ...state } as never)
const delivered: Row<'notifications'> = { ...open, status: 'DELIVERED', deliveredAt: 5 }

test('sending again: what is unknown, what is stopped, what was delivered, what was not', () => {
  const stopped = { mid: 'M', url: 'https://shop.example/all', stoppedAt: 1 }
  assert.equal(again({ stopped }).reply.result.name, 'unknown')
  assert.equal(again({ stopped, stream: dead, notification: open, first: open }).reply.result.name, 'stopped')
  const once = again({ stream: idle, notification: delivered })
  assert.deepEqual([once.reply.result.name, once.changes], ['again', []])
  assert.deepEqual(dues(once), [['notification-resend.due', 'M:O~1:merchant:2', 0]])
  for (const stream of [dead, active]) {
    const revived = again({ stream, notification: { ...open, sequence: '000003' }, first: { ...open, status: 'DEAD' } })
    assert.deepEqual(reported(revived.changes, 'status', 'next', 'attempts', 'sequence'), [
      ['update notificationStreams', 'ACTIVE', 2, 0],
      ['update notifications', 'OPEN', 4, '000002'],
    ])
    assert.deepEqual(dues(revived), [['notification.due', 'M|O.1|merchant', 0]])
  }
})

test('a delivered one that is sent again leaves its stream and its own status alone, whatever comes of it', () => {
  const end = (given: DeliveryAttempt | undefined, attempts = 0, stopped?: Row<'stoppedEndpoints'>) =>
    applyResendResult.decide(
      { mid: 'M', orderId: 'O.1', endpoint: 'merchant', sequence: '000002', url: open.url, attempts, attempt: given, now: NOW },
      { notification: delivered, stopped } as never,
    )
  for (const outcome of ['delivered', 'answered', 'timeout', 'unreachable', 'refused'] as const)
    assert.deepEqual(reported(end(attempt(outcome)).changes, 'status', 'deliveredAt', 'attempts'), [
      ['insert deliveryAttempts'],
      ['update notifications', 'DELIVERED', 5, 5],
    ])
  assert.deepEqual(dues(end(attempt('timeout'))), [['notification-resend.due', 'M:O~1:merchant:2', RETRY_AFTER_MS[0]]])
  assert.deepEqual(end(attempt('timeout'), RETRY_AFTER_MS.length).tasks, [])
  assert.deepEqual(reported(end(attempt('gone', 410)).changes).at(-1), ['insert stoppedEndpoints'])
  const whileStopped = end(undefined, 2, { mid: 'M', url: open.url, stoppedAt: 1 })
  assert.deepEqual([whileStopped.changes, whileStopped.tasks], [[], []])
  assert.deepEqual([end(undefined, 2).changes, dues(end(undefined, 2))], [[], [['notification-resend.due', 'M:O~1:merchant:2', 0]]])
})

test('starting an endpoint deletes what stopped it; postponing keeps the task and its payload', () => {
  const stopped = { mid: 'M', url: 'u', stoppedAt: 1 }
  assert.deepEqual(reported(startEndpoint.decide({ mid: 'M', url: 'u' }, { stopped } as never).changes), [['delete stoppedEndpoints']])
  assert.deepEqual(startEndpoint.decide({ mid: 'M', url: 'u' }, { stopped: undefined } as never).changes, [])
  const task = { task: 'notification.due', subject: 's', payload: { mid: 'M' } } as unknown as Row<'tasks'>
  assert.deepEqual(postponeDelivery.decide({ task, dueAt: NOW + 5 }, {} as never).tasks, [
    { kind: 'add', task: 'notification.due', subject: 's', dueAt: NOW + 5, payload: { mid: 'M' } },
  ])
})

test('the classic form has no field with a pipe in it, none that reads "null", and none that it has no name for', () => {
  const fields = classicFields({
    orderId: 'O',
    comments: 'a|b|c',
    udf1: 'NULL',
    bankName: '',
    somethingNew: 'x',
    constructor: 'y',
    refundId: 'R',
    refundAmount: '1.00',
  })
  assert.deepEqual(fields, { ORDERID: 'O', COMMENTS: 'a b c', BANKNAME: '', REFUNDID: 'R', REFUNDAMT: '1.00' })
})
