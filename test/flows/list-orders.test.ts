// Compares orders in portions with all orders sorted by hand. Drawn orders share instants, and only some have search terms. The seed is fixed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Change, Query } from '../../src/engine/decision.ts'
import { MemoryStore } from '../../src/engine/memory-store.ts'
import { type OrderListing, ordersListed } from '../../src/flows/list-orders.ts'
import type { Place } from '../../src/flows/list-portions.ts'
import { LAST_INSTANT_MS } from '../../src/tables/search.ts'
import type { Row } from '../../src/tables/tables.ts'
import { anOrder } from '../support/store/listed-rows.ts'
import { placeBehind, termsOfNumbered } from '../support/store/terms-kept.ts'
import { Random } from '../support/text/random.ts'

const [SEED, ROUNDS, ORDERS, INSTANTS, MERCHANTS] = [20_261_125, 8, 120, 6, 22]
const HOUR_MS = 60 * 60_000
const BEGAN = 1_000_000_000_000
const PORTIONS_MAX = 1_000
const ALL = ['CREATED', 'IN_PROCESS', 'PAID', 'CLOSED'] as const
const midOf = (at: number) => `M${String(at).padStart(2, '0')}`
const nameOf = ({ txnTokenIssuedAt, mid, orderId }: Row<'orders'>) => `${txnTokenIssuedAt} ${mid} ${orderId}`

/** Oldest first. */
function ordersDrawn(random: Random): Row<'orders'>[] {
  const orders = Array.from({ length: ORDERS }, (_, at) => {
    const own = { mid: midOf(random.below(MERCHANTS)), orderId: String(at).padStart(4, '0') }
    const status = random.below(4) === 0 ? ('CREATED' as const) : ('PAID' as const)
    const change = anOrder({ ...own, txnTokenIssuedAt: BEGAN + random.below(INSTANTS), status })
    return { ...(change as { row: Row<'orders'> }).row, details: { userInfo: {} }, payer: null } as unknown as Row<'orders'>
  })
  return orders.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}

/** As the sweep leaves it in the middle of its work: of an instant some orders are written down, and others are not. */
async function storeOf(orders: readonly Row<'orders'>[], written: number): Promise<MemoryStore> {
  const store = new MemoryStore()
  const last = orders[written - 1]
  const changes: Change[] = [
    ...orders.map((row) => ({ ...anOrder(row), row }) as Change),
    ...orders.slice(0, written).flatMap((order, number) => termsOfNumbered(order, number)),
    ...(last ? [placeBehind(last)] : []),
  ]
  await store.transaction((transaction) => transaction.write({ changes, events: [], tasks: [] }))
  return store
}

async function walked(query: Query, listing: OrderListing): Promise<string[]> {
  const names: string[] = []
  let after: Place | undefined
  for (let portions = 0; portions < PORTIONS_MAX; portions++) {
    const { rows, next } = await ordersListed(query, { ...listing, after })
    assert.ok(rows.length <= listing.limit)
    names.push(...rows.map(nameOf))
    if (!next) return names
    after = next
  }
  throw new Error('the portions have no end')
}

test('portions of orders show every order once, in order, wherever the search terms end', async () => {
  const random = new Random(SEED)
  for (let round = 0; round < ROUNDS; round++) {
    const orders = ordersDrawn(random)
    const written = random.below(ORDERS + 1)
    const { query } = await storeOf(orders, written)
    for (const merchants of [0, 1, 2, MERCHANTS - 1, undefined])
      for (const statuses of [ALL, ['CREATED'] as const]) {
        const mids = merchants === undefined ? null : Array.from({ length: merchants }, (_, at) => midOf(at))
        const [now, from, to, limit] = [BEGAN + HOUR_MS, BEGAN + 1, BEGAN + INSTANTS - 2, random.pick([1, 2, 5])]
        const wanted = orders.filter(
          ({ mid, txnTokenIssuedAt: at, status }) =>
            (mids === null || mids.includes(mid)) && at >= from && at <= to && (statuses as readonly string[]).includes(status),
        )
        const says = `seed ${SEED}, round ${round}, ${written} written, ${merchants} merchants, ${limit} at once`
        assert.deepEqual(await walked(query, { mids, from, to, limit, statuses, now }), wanted.map(nameOf).toReversed(), says)
      }
  }
})

test('orders of others that a clock dated far ahead do not keep a merchant’s own from the first page', async () => {
  const AHEAD = 1_200
  const ahead = Array.from({ length: AHEAD }, (_, at) => ({
    mid: 'M02',
    orderId: `AHEAD_${at}`,
    txnTokenIssuedAt: BEGAN + 2 * HOUR_MS + at,
  }))
  const own = [
    { mid: 'M01', orderId: 'OWN_AHEAD', txnTokenIssuedAt: BEGAN + 3 * HOUR_MS },
    { mid: 'M01', orderId: 'OWN', txnTokenIssuedAt: BEGAN },
  ]
  const orders = [...own, ...ahead].map((given) => (anOrder(given) as { row: Row<'orders'> }).row)
  const store = new MemoryStore()
  const terms = orders.flatMap((order, number) => termsOfNumbered(order, number))
  const changes = [...orders.map((row) => anOrder(row)), ...terms]
  store.write({ changes, events: [], tasks: [] })
  const asked = { mids: ['M01'], from: 1, to: LAST_INSTANT_MS, limit: 50, statuses: ALL, now: BEGAN }
  const { rows } = await ordersListed(store.query, asked)
  assert.deepEqual(
    rows.map(({ orderId }) => orderId),
    ['OWN_AHEAD', 'OWN'],
  )
})
