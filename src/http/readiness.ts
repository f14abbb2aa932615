// Whether this process should get requests: it is not about to stop, and its store answers soon (docs/operating/watch.md).

import type { Clock } from '../engine/clock.ts'
import type { Store } from '../engine/store.ts'
import { singleFlightWithin } from './single-flight.ts'

const ANSWERS_WITHIN_MS = 1_500 // a probe waits two seconds

export class Readiness {
  readonly #ping: () => Promise<true | undefined>
  #isOver = false

  constructor(store: Pick<Store, 'ping'>, clock: Pick<Clock, 'every'>) {
    this.#ping = singleFlightWithin(() => store.ping().then(() => true as const), ANSWERS_WITHIN_MS, clock)
  }

  /** Final: the process stops. */
  end() {
    this.#isOver = true
  }
  get isOver() {
    return this.#isOver
  }

  async isReady(): Promise<boolean> {
    return !this.#isOver && (await this.#ping()) === true && !this.#isOver
  }
}
