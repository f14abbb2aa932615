// How many requests of one kind a process takes within a minute of real time: docs/interface.md section 4 (HTTP 429). The ceiling keeps a
// flood away from the store. Limits that must hold exactly are counted in rows.

import type { Clock } from '../engine/clock.ts'

const WINDOW_MS = 60_000
const KEYS_MAX = 100_000 // keys of one window; beyond this number new keys share one count, so that memory stays bounded
const NEWCOMERS = ''

/** Answered with HTTP 429 and `Retry-After` (http/server.ts). */
export class TooManyRequests extends Error {
  override readonly name = 'TooManyRequests'
  readonly statusCode = 429
  readonly retryAfterSeconds: number

  constructor(retryAfterSeconds: number) {
    super('too many requests')
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export class RateLimit {
  readonly #perMinute: number
  readonly #clock: Pick<Clock, 'realNow'>
  readonly #counts = new Map<string, number>()
  #endsAt = 0

  constructor(perMinute: number, clock: Pick<Clock, 'realNow'>) {
    this.#perMinute = perMinute
    this.#clock = clock
  }

  /**
   * Counts one request. Throws TooManyRequests when this request is one too many. The returned function takes the count back, within its
   * minute.
   */
  take(key: string): () => void {
    if (!this.admits(key)) throw new TooManyRequests(Math.ceil((this.#endsAt - this.#clock.realNow()) / 1_000))
    const { endsAt, counted } = { endsAt: this.#endsAt, counted: this.#counts.has(key) ? key : NEWCOMERS }
    return () => {
      if (endsAt !== this.#endsAt) return
      const left = (this.#counts.get(counted) ?? 1) - 1
      if (left > 0) this.#counts.set(counted, left)
      else this.#counts.delete(counted)
    }
  }

  /** Counts one request. False when this request is one too many. */
  admits(key: string): boolean {
    const now = this.#clock.realNow()
    if (now >= this.#endsAt || now < this.#endsAt - WINDOW_MS) {
      this.#counts.clear()
      this.#endsAt = now + WINDOW_MS
    }
    const counted = this.#counts.has(key) || this.#counts.size < KEYS_MAX ? key : NEWCOMERS
    const count = (this.#counts.get(counted) ?? 0) + 1
    if (count > this.#perMinute) return false
    this.#counts.set(counted, count)
    return true
  }
}

/**
 * Counts the work in each of these ceilings before it begins, and takes the counts back unless `isCounted` says that the result counts.
 * Throws TooManyRequests when the work would be one too many.
 */
export async function counting<T>(
  counts: readonly (readonly [RateLimit, string])[],
  work: () => Promise<T>,
  isCounted: (done: T) => boolean,
): Promise<T> {
  const giveBack: (() => void)[] = []
  let counted = false
  try {
    for (const [ceiling, key] of counts) giveBack.push(ceiling.take(key))
    const done = await work()
    counted = isCounted(done)
    return done
  } finally {
    if (!counted) for (const give of giveBack) give()
  }
}
