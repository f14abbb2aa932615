// The search sweep over a store, by a clock that the test sets. Orders are planted as Create Order and a sign-in at the checkout leave them.

import assert from 'node:assert/strict'
import type { Vault } from '../../../src/adapters/store/vault.ts'
import { lateTerm } from '../../../src/domain/order/keep-search-terms.ts'
import type { Clock } from '../../../src/engine/clock.ts'
import type { Change, Query } from '../../../src/engine/decision.ts'
import { Engine } from '../../../src/engine/engine.ts'
import { SystemRandom } from '../../../src/engine/random.ts'
import type { Store } from '../../../src/engine/store.ts'
import { type Hashing, termOf, termsOf } from '../../../src/flows/search-keys.ts'
import { searchTerms } from '../../../src/flows/search-terms-due.ts'
import { orderKey } from '../../../src/tables/keys.ts'
import type { Row } from '../../../src/tables/tables.ts'
import { anOrder } from './listed-rows.ts'
import { plainHash } from './terms-kept.ts'

export const MINUTE_MS = 60_000

export interface Typed {
  custId: string
  mobile?: string
  email?: string
}

export class Sweeping {
  readonly store: Store
  readonly vault: Hashing
  readonly #query: Query
  at: number

  /** `query` is what the sweep reads by; the store's own where nothing else is given. */
  constructor(store: Store, at: number, { vault = plainHash, query = store.query }: { vault?: Hashing; query?: Query } = {}) {
    this.store = store
    this.at = at
    this.vault = vault
    this.#query = query
  }

  /** As a process that begins now: its first look audits too. */
  async sweep() {
    const clock: Clock = {
      now: () => this.at,
      realNow: () => this.at,
      elapsed: () => this.at,
      sleep: async () => {},
      every: () => () => {},
    }
    const engine = new Engine(this.store, clock, new SystemRandom())
    const parts = { engine, query: this.#query, clock, vault: this.vault as Vault }
    const sweep = searchTerms({ ...parts, isBusy: () => false, failed: (error) => assert.fail(error) })
    await sweep.run(this.at)
    await sweep.idle()
  }

  write(changes: readonly Change[]) {
    return this.store.transaction((transaction) => transaction.write({ changes, events: [], tasks: [] }))
  }

  order(mid: string, orderId: string, at: number, typed: Typed): Row<'orders'> {
    const { custId } = typed
    const searchTerms = termsOf(this.vault, typed)
    const change = anOrder({ mid, orderId, txnTokenIssuedAt: at, custId, details: { userInfo: { ...typed } }, searchTerms })
    return (change as { row: Row<'orders'> }).row
  }

  async create(...orders: readonly Row<'orders'>[]) {
    await this.write(orders.map((row) => ({ kind: 'insert', key: orderKey(row.mid, row.orderId), row })))
  }

  async signIn(order: Row<'orders'>, mobile: string): Promise<Row<'orders'>> {
    const { mid, orderId, txnTokenIssuedAt: at } = order
    const row = { ...order, payer: { userId: `U${mobile}`, mobile } }
    await this.write([
      { kind: 'update', key: orderKey(mid, orderId), row },
      lateTerm({ term: termOf(this.vault, mobile), at, mid, orderId }),
    ])
    return row
  }
}
