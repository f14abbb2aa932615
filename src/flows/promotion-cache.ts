// Each merchant's promotions of today, prepared for evaluation. They are kept for five seconds, because every Apply Promo needs all of
// them. Every process sees an operator's change within that time (docs/operating/install.md).

import { type LivePromotions, prepare } from '../domain/promotion/promotion.ts'
import type { Clock } from '../engine/clock.ts'
import type { Query } from '../engine/decision.ts'
import { promotionsLiveOn } from '../tables/keys.ts'

const KEPT_MS = 5_000 // docs/operating/install.md
const KEPT_PROMOTIONS_MAX = 100_000 // of all merchants together, some 100 MB; the merchant kept longest goes first
const LIVE_PROMOTIONS_MAX = 10_000 // of one merchant: ten times the usual number; promotions that end last are beyond it, and found by their names

interface Kept {
  /** A promise, so that simultaneous requests share one reading. */
  promotions: Promise<LivePromotions>
  size: number
  today: string
  until: number
}

export class PromotionCache {
  readonly #kept = new Map<string, Kept>()
  readonly #query: Query
  readonly #clock: Clock
  #size = 0

  constructor(query: Query, clock: Clock) {
    this.#query = query
    this.#clock = clock
  }

  /** `today` is a date in India. The first question after midnight, or after a move of the sandbox clock, reads the store again. */
  on(mid: string, today: string): Promise<LivePromotions> {
    const now = this.#clock.elapsed() // cannot be set back
    const kept = this.#kept.get(mid)
    if (kept && kept.today === today && now < kept.until) return kept.promotions
    this.#drop(mid)
    const read: Kept = { promotions: this.#read(mid, today), size: 0, today, until: now + KEPT_MS }
    this.#kept.set(mid, read)
    read.promotions.then(
      ({ byCode }) => this.#weigh(mid, read, byCode.size),
      () => this.#dropThis(mid, read),
    )
    return read.promotions
  }

  /** Called after a change in this process, so that no request waits the five seconds for the change. */
  forget() {
    this.#kept.clear()
    this.#size = 0
  }

  async #read(mid: string, today: string): Promise<LivePromotions> {
    return prepare(await this.#query.rows(promotionsLiveOn(mid, today, LIVE_PROMOTIONS_MAX)), today)
  }

  /** A merchant without promotions is not kept, because any caller can make up a mid. */
  #weigh(mid: string, read: Kept, size: number) {
    if (this.#kept.get(mid) !== read) return
    if (size === 0) return this.#drop(mid)
    read.size = size
    this.#size += size
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= KEPT_PROMOTIONS_MAX || oldest === mid) break
      this.#drop(oldest)
    }
  }

  #dropThis(mid: string, read: Kept) {
    if (this.#kept.get(mid) === read) this.#drop(mid)
  }

  #drop(mid: string) {
    this.#size -= this.#kept.get(mid)?.size ?? 0
    this.#kept.delete(mid)
  }
}
