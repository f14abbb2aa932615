// The next step of an order, found among the tasks of others, without a database.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryStore } from '../../src/engine/memory-store.ts'
import { nextOfOrder, nextOfRefunds } from '../../src/flows/order-next.ts'
import { type Given, keyOf } from '../support/decided/given.ts'
import { NOW, order, refund, stream, task, transaction } from '../support/decided/rows.ts'

function looksAt(...given: readonly Given[]) {
  const store = new MemoryStore()
  const changes = given.map(
    (each) => ({ kind: 'insert', key: keyOf(each), row: each.row }) as Parameters<typeof store.write>[0]['changes'][number],
  )
  store.write({ changes, events: [], tasks: [] })
  return store.query
}
const others = ['A:R', 'A:T', 'B:R', 'B:T'].flatMap((subject) =>
  ['refund.due', 'transaction.due', 'notification.due'].map((kind) => task({ task: kind, subject })),
)

test('the tasks of an order are found among those of other merchants and of other kinds', async () => {
  const tasks = [
    task({ task: 'transaction.due', subject: 'M:T', dueAt: NOW + 1 }),
    task({ task: 'notification.due', subject: 'M|O|merchant', dueAt: NOW + 2 }),
  ]
  const rows = { order: order().row, transactions: [transaction().row, transaction({ txnId: 'X' }).row] }
  const next = await nextOfOrder(looksAt(...others, ...tasks, stream()), rows as unknown as Parameters<typeof nextOfOrder>[1], [])
  assert.deepEqual(next, [
    { what: 'ask', at: NOW + 1, id: 'T' },
    { what: 'deliver', at: NOW + 2, id: 'merchant' },
    { what: 'expire', at: order().row.expiresAt, id: 'O' },
  ])
})

test('the bank is asked again about refunds that are pending', async () => {
  const tasks = ['M:R', 'M:S', 'M:DONE'].map((subject, at) => task({ task: 'refund.due', subject, dueAt: NOW + at }))
  const refunds = [refund().row, refund({ refId: 'S' }).row, refund({ refId: 'DONE', status: 'SUCCESS' }).row]
  assert.deepEqual(await nextOfRefunds(looksAt(...others, ...tasks), refunds), [
    { what: 'refund', at: NOW, id: 'R' },
    { what: 'refund', at: NOW + 1, id: 'S' },
  ])
})
