// Rows with sealed values when one does not open, and when the store fails.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Looks } from '../../src/engine/decision.ts'
import { Unopened, Unreachable } from '../../src/engine/store.ts'
import { openedRows } from '../../src/flows/opened-rows.ts'
import { type Find, find } from '../../src/tables/tables.ts'

const whole = find('orders', { equals: { mid: 'M' }, orderBy: ['orderId'], limit: 10 })
const own = ({ orderId }: { orderId: string }) =>
  find('orders', { equals: { mid: 'M' }, in: { column: 'orderId', values: [orderId] }, limit: 1 })
/** Answers the find of all rows, of all unopened rows, and of each row alone. */
const looks = (answers: Record<'whole' | 'unopened' | 'A' | 'B', () => unknown>) =>
  ({
    rows: async (asked: Find<'orders'>) =>
      answers[asked === whole ? 'whole' : asked.unopened ? 'unopened' : (String(asked.in?.values[0]) as 'A')](),
  }) as unknown as Looks
const fails = (error: Error) => () => {
  throw error
}
const [spoilt, away] = [fails(new Unopened('spoilt')), fails(new Unreachable('away'))]
const unopened = () => [{ orderId: 'A' }, { orderId: 'B' }]

test('a row that does not open stays unopened, and hides no other', async () => {
  const rows = await openedRows(looks({ whole: spoilt, unopened, A: spoilt, B: () => [{ orderId: 'B', payer: 'P' }] }), whole, own)
  assert.deepEqual(rows, [{ orderId: 'A' }, { orderId: 'B', payer: 'P' }])
})

test('a store that fails is no row that does not open', async () => {
  for (const answers of [
    { whole: away, unopened, A: spoilt, B: spoilt },
    { whole: spoilt, unopened: away, A: spoilt, B: spoilt },
    { whole: spoilt, unopened, A: spoilt, B: away },
  ])
    await assert.rejects(openedRows(looks(answers), whole, own), Unreachable)
})
