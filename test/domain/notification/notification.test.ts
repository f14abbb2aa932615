// Notifications to a merchant's endpoints, without a store and a receiver: docs/interface.md section 6.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { classicFields } from '../../../src/adapters/delivery/classic-form.ts'
import { notifiedPlaces, notify, type Stream, type Streams, withNotified } from '../../../src/domain/notification/notification.ts'
import type { Change, Decision } from '../../../src/engine/decision.ts'
import type { Row } from '../../../src/tables/tables.ts'

const NOW = 1_000_000
const order = { mid: 'M', orderId: 'O.1', peonUrl: 'https://shop.example/peon' }
const merchant = { mid: 'M', notification: { url: 'https://shop.example/all', form: 'json', secret: 's' } } as Row<'merchants'>
const content = { orderId: 'O.1' }
const idle: Stream = { mid: 'M', orderId: 'O.1', endpoint: 'merchant', status: 'IDLE', last: 2, next: 3, attempts: 0, updatedAt: 1 }
const active: Stream = { ...idle, status: 'ACTIVE', next: 2, attempts: 4 }
const dead: Stream = { ...active, status: 'DEAD', attempts: 10 }
const streams = (given: Partial<Streams>): Streams => ({ merchant, merchantStream: undefined, peonStream: undefined, ...given })

/** `update notificationStreams` and similar lines, with the row's values of these members. */
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

test('without an endpoint there is no notification', () => {
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

test('a stream at work puts another notification after the waiting ones, and its retry stays where it is', () => {
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
