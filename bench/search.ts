// One customer's order among ten million, each of another customer, and a text that no order has. A search reads `orders` by key alone, so
// only the orders that are searched have their row there.

import type { Change } from '../src/engine/decision.ts'
import { termsOf } from '../src/flows/search-keys.ts'
import type { Row } from '../src/tables/tables.ts'
import { anOrder } from '../test/support/store/listed-rows.ts'
import { termsOfNumbered } from '../test/support/store/terms-kept.ts'
import type { Figure, Options } from './bench.ts'
import { ASKED, EVERY_MS, filledWith, idOf, midOf, PER_SECOND, seeing } from './console.ts'
import { latency } from './numbers.ts'
import { openLoop } from './open-loop.ts'
import { serveMohur } from './processes.ts'
import { STORES, withStore } from './stores.ts'

const ORDERS = 10_000_000

export async function search({ checkout, stores, orders = ORDERS }: Options): Promise<Figure[]> {
  const figures: Figure[] = []
  const searched = (nth: number) => Math.floor(((2 * nth + 1) * orders) / (2 * ASKED))
  const rows = new Set(Array.from({ length: ASKED }, (_, nth) => searched(nth)))
  for (const store of stores)
    await withStore(store, async ({ newPlace }) => {
      const place = { ...(await newPlace()), checkout }
      const began = Date.now() - orders * EVERY_MS
      const when = (at: number) => began + at * EVERY_MS
      const person = await filledWith(
        place,
        orders,
        (vault, at): Change[] => {
          const custId = `CUST_${at}`
          const given = { mid: midOf(at), orderId: `O${idOf(at)}`, txnTokenIssuedAt: when(at), custId }
          const order = anOrder({ ...given, searchTerms: termsOf(vault, { custId }) }) as Change & { row: Row<'orders'> }
          return [...(rows.has(at) ? [order] : []), ...termsOfNumbered(order.row, at)]
        },
        { txnTokenIssuedAt: when(orders - 1), mid: midOf(orders - 1), orderId: `O${idOf(orders - 1)}` },
      )
      const { port, stop } = await serveMohur(place)
      const see = seeing(port, person.cookie)
      const asked = {
        "a customer's one order": { text: (nth: number) => `CUST_${searched((nth * 77) % ASKED)}`, expect: 303 },
        'a text that no order has': { text: (nth: number) => `NOBODY_${nth}`, expect: 200 },
      }
      for (const [what, { text, expect }] of Object.entries(asked)) {
        const firstBegan = performance.now()
        await see(`/find?q=${text(ASKED)}`)
        const firstMs = performance.now() - firstBegan
        const { ms, missed } = await openLoop(ASKED, PER_SECOND, async (nth) => (await see(`/find?q=${text(nth)}`)).status === expect)
        const { p50Ms, p99Ms } = latency(ms)
        const name = `search among ${orders} orders, ${what}, ${STORES[store]}`
        figures.push(
          { what: `${name}: the first`, figure: firstMs, unit: 'ms' },
          { what: `${name}: p50`, figure: p50Ms, unit: 'ms' },
          { what: `${name}: p99 of ${ASKED}`, figure: p99Ms, unit: 'ms', bar: { atMost: 100 } },
          { what: `${name}: missed`, figure: missed, unit: '', bar: { atMost: 0 } },
        )
      }
      await stop()
    })
  return figures
}
