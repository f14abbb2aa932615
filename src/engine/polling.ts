// When a process looks for due work that nothing has announced. An idle process spares itself the looks: while nothing is committed and
// nothing becomes due, a look finds what the last one found.

import type { Clock } from './clock.ts'
import type { Query } from './decision.ts'

const IDLE_LOOK_MS = 5_000 // Mohur's choice: for work that no row dates, as search terms a minute behind their orders

export interface Polled {
  /** In real time. */
  everyMs: number
  /** Looks for all due work. */
  poll(): void
  /** When the first work is due that no process has begun. */
  nextDue(): Promise<number | undefined>
}

export class Polling {
  readonly #query: Pick<Query, 'revision'>
  readonly #clock: Pick<Clock, 'now' | 'elapsed' | 'every'>
  readonly #polled: Polled
  #stop: () => void = () => {}
  #tick: Promise<void> | undefined
  /** The store's revision before the last look. */
  #revision: string | undefined
  #dueAt: number | undefined
  #hasFoundNothing = false
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(query: Pick<Query, 'revision'>, clock: Pick<Clock, 'now' | 'elapsed' | 'every'>, polled: Polled) {
    this.#query = query
    this.#clock = clock
    this.#polled = polled
  }

  start() {
    this.#stop = this.#clock.every(this.#polled.everyMs, () => {
      this.#tick ??= this.#pollUnlessIdle()
    })
  }

  async stop() {
    this.#stop()
    await this.#tick
  }

  /** Called after each look for all due work. `found`, which it returns: how much there was to do. */
  looked(found: number): number {
    this.#hasFoundNothing = found === 0
    this.#lookedAt = this.#clock.elapsed()
    return found
  }

  async #pollUnlessIdle() {
    const isIdle = await this.#isIdle().catch(() => false) // the look reports a store that cannot be read
    this.#tick = undefined
    if (!isIdle) this.#polled.poll()
  }

  async #isIdle(): Promise<boolean> {
    const revision = await this.#query.revision()
    if (!this.#hasFoundNothing || revision !== this.#revision) {
      this.#revision = revision
      this.#dueAt = undefined
      this.#hasFoundNothing = false
      return false
    }
    this.#dueAt ??= (await this.#polled.nextDue()) ?? Number.POSITIVE_INFINITY
    if (this.#clock.now() < this.#dueAt) return this.#clock.elapsed() < this.#lookedAt + IDLE_LOOK_MS
    this.#dueAt = undefined
    return false
  }
}
