// Lists over merchants in portions, compared with all rows sorted by hand: drawn rows with many of one instant, drawn scopes, filters and
// sizes.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Change, Query } from '../../src/engine/decision.ts'
import { MemoryStore } from '../../src/engine/memory-store.ts'
import type { Store } from '../../src/engine/store.ts'
import { type Listing, type Place, portionOf } from '../../src/flows/list-portions.ts'
import type { Row } from '../../src/tables/tables.ts'
import { whereSqlDiffers } from '../support/run/service.ts'
import { sized } from '../support/run/sizes.ts'
import { askedBy } from '../support/store/asked-by.ts'
import { anOrder, aRefund, aTransaction } from '../support/store/listed-rows.ts'
import { asideOf, sharedStore } from '../support/store/stores.ts'

const SEED = 20261123
const [MERCHANTS, ROWS, INSTANTS] = [25, 1_500, 120]
const QUESTIONS = sized(60, 600)
const MOST = { entries: 90, rows: 40 } // so that portions are cut

type Values = Record<string, string | number>
const TABLES = {
  transactions: ['initiatedAt', 'txnId'],
  refunds: ['requestedAt', 'refId'],
  orders: ['txnTokenIssuedAt', 'orderId'],
} as const
const STATUSES = {
  transactions: ['SUCCESS', 'FAILURE', 'PENDING', 'UNKNOWN'],
  refunds: ['SUCCESS', 'FAILURE', 'PENDING'],
  orders: ['CREATED', 'CLOSED'],
}
type Table = keyof typeof TABLES

function drawn(seed: number) {
  let state = seed
  const fraction = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const below = (n: number) => Math.floor(fraction() * n)
  const of = <T>(list: readonly T[]): T => list[below(list.length)]!
  return { below, of }
}
const midOf = (at: number) => `M${String(at).padStart(2, '0')}`

function rowsDrawn(): Change[] {
  const { below, of } = drawn(SEED)
  return Array.from({ length: ROWS }, (_, at): Change => {
    const [mid, when, id] = [midOf(below(MERCHANTS)), 1_000 + below(INSTANTS), String(at).padStart(5, '0')]
    if (at % 3 === 0) return aRefund({ mid, refId: id, requestedAt: when, status: of(STATUSES.refunds) as never })
    if (at % 3 === 1) return anOrder({ mid, orderId: id, txnTokenIssuedAt: when, status: of(STATUSES.orders) as never })
    const paymentMode = of(['UPI', 'CREDIT_CARD', 'EMI'])
    return aTransaction({
      ...{ mid, txnId: id, initiatedAt: when, paymentMode, ...amountsDrawn(below) },
      status: of(STATUSES.transactions) as never,
    })
  })
}

function amountsDrawn(below: (n: number) => number) {
  const [discountPaise, walletPaise, bankPaise] = [50 * below(2), 100 * below(2), 100 * (1 + below(2))]
  return { amountPaise: discountPaise + walletPaise + bankPaise, discountPaise, walletPaise, bankPaise }
}

/** Every portion, one after the other. */
async function walked(query: Query, table: Table, listing: Listing): Promise<Row<Table>[]> {
  const rows: Row<Table>[] = []
  let after: Place | undefined
  for (let portions = 0; portions < 2 * ROWS; portions++) {
    const portion = await portionOf(query, table, { ...listing, ...(after && { after }) }, MOST)
    assert.ok(portion.rows.length <= listing.limit)
    if (portion.isCut) assert.ok(portion.next, 'a portion that was cut says where to go on')
    rows.push(...portion.rows)
    if (!portion.next) return rows
    assert.notDeepEqual(portion.next, after, 'each portion goes on')
    after = portion.next
  }
  throw new Error('the portions have no end')
}

function expected(changes: readonly Change[], table: Table, { mids, from, to, where = {}, sum }: Listing): string[] {
  const [time, id] = TABLES[table]
  const rows = changes.flatMap((change) => (change.key.table === table && 'row' in change ? [change.row as unknown as Values] : []))
  const wanted = rows.filter(
    (row) =>
      (mids === null || mids.includes(String(row['mid']))) &&
      Number(row[time]) >= from &&
      Number(row[time]) <= to &&
      Object.entries(where).every(([column, value]) => row[column] === value) &&
      (!sum || Number(row['walletPaise']) + Number(row['bankPaise']) === sum.is),
  )
  return wanted
    .map((row) => [String(row[time]).padStart(6, '0'), row['mid'], row[id]].join(' '))
    .sort()
    .reverse()
}

async function compare(query: Query, changes: readonly Change[]) {
  const { below, of } = drawn(SEED + 1)
  let shown = 0
  for (let asked = 0; asked < QUESTIONS; asked++) {
    const table = of(['transactions', 'refunds', 'orders'] as const)
    const from = 1_000 + below(INSTANTS)
    const mids = Array.from({ length: of([1, 2, 5, 20, 21]) }, () => midOf(below(MERCHANTS + 1)))
    const payment: Values = below(2) ? { paymentMode: 'EMI' } : {}
    const isOfAmount = table === 'transactions' && below(3) === 0
    const listing: Listing = {
      mids: below(3) === 0 ? null : [...new Set(mids)],
      ...{ from, to: from + below(INSTANTS), limit: 1 + below(60) },
      where: { ...(below(2) && { status: of(STATUSES[table]) }), ...(table === 'transactions' && payment) },
      ...(isOfAmount && { sum: { columns: ['walletPaise', 'bankPaise'], is: 200 } }),
    }
    const [time, id] = TABLES[table]
    const rows = (await walked(query, table, listing)) as unknown as Values[]
    const found = rows.map((row) => [String(row[time]).padStart(6, '0'), row['mid'], row[id]].join(' '))
    assert.deepEqual(found, expected(changes, table, listing), `question ${asked} of seed ${SEED}: ${table} ${JSON.stringify(listing)}`)
    shown += found.length
  }
  assert.ok(shown > QUESTIONS, `${shown} rows were shown`)
}

const filled = async (store: Store) => {
  const changes = rowsDrawn()
  await store.transaction((transaction) => transaction.write({ changes, events: [], tasks: [] }))
  return changes
}

describe('lists (of a simulation)', () => {
  test('portions that go on where the last one ended show every row once, in order', async () => {
    const store = new MemoryStore()
    await compare(store.query, await filled(store))
  })
})

whereSqlDiffers('lists', 'filters and places are put in SQL', (name) => {
  const opened = sharedStore(name)

  test('portions that are asked aside show every row once, in order', async () => {
    const store = await opened()
    const aside = asideOf(store)
    after(() => aside.close())
    await compare(aside.query, await filled(store.store))
  })

  test('a portion and its end are of one moment, so an order that comes meanwhile doubles no other', async () => {
    const { store } = await opened()
    const [from, limit] = [10_000, 100]
    const orders = Array.from({ length: 100 }, (_, at) =>
      anOrder({ mid: at % 10 === 0 ? 'ONE' : 'TWO', orderId: `MOMENT${at}`, txnTokenIssuedAt: from + at }),
    )
    await store.transaction((transaction) => transaction.write({ changes: orders, events: [], tasks: [] }))
    let later = 0
    const query = askedBy(store.query, async (looks, find) => {
      const found = await looks.rows(find)
      const changes = [anOrder({ mid: 'TWO', orderId: `LATER${++later}`, txnTokenIssuedAt: from + 100 + later })]
      await store.transaction((transaction) => transaction.write({ changes, events: [], tasks: [] }))
      return found
    })
    const listing: Listing = { mids: null, from, to: from + 1_000, limit, among: { column: 'mid', values: ['ONE'] } }
    const found = await walked(query, 'orders', listing)
    assert.ok(later > 2)
    assert.deepEqual(
      found.map(({ orderId }) => orderId),
      Array.from({ length: 10 }, (_, nth) => `MOMENT${90 - 10 * nth}`),
    )
  })
})
