// When a process looks for due work that nothing has announced. An idle process spares itself the looks: while nothing is committed and
// nothing becomes due, a look finds what the last one found.

import type { Clock } from './clock.ts'
import type { Query } from './decision.ts'

/** Mohur's choice, so that the tenth poll looks: for an ended lease, and for work that no row dates, as search terms behind their orders. */
const IDLE_LOOK_MS = 4_750

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
      if (this.#tick) return this.#polled.poll() // the store answers late, and looks ask on several connections
      this.#tick = this.#pollUnlessIdle()
    })
  }

  async stop() {
    this.#stop()
    await this.#tick
  }

  /** Called after each look for all due work. */
  looked(hasFoundNothing: boolean) {
    this.#hasFoundNothing = hasFoundNothing
    this.#lookedAt = this.#clock.elapsed()
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
    return this.#clock.now() < this.#dueAt && this.#clock.elapsed() < this.#lookedAt + IDLE_LOOK_MS
  }
}
