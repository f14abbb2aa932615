// Whether this process should be sent requests: it is not about to stop, and its store answers soon (docs/operating.md).

import type { Clock } from '../engine/clock.ts'
import type { Store } from '../engine/store.ts'

const ANSWERS_WITHIN_MS = 1_500 // whoever asks waits two seconds

export class Readiness {
  readonly #store: Pick<Store, 'ping'>
  readonly #clock: Pick<Clock, 'every'>
  #asked: Promise<boolean> | undefined
  #isOver = false

  constructor(store: Pick<Store, 'ping'>, clock: Pick<Clock, 'every'>) {
    this.#store = store
    this.#clock = clock
  }

  /** Never again: the process stops. */
  end() {
    this.#isOver = true
  }

  /** One question at a time: a store that stands still must not be left with a connection for each who asks. */
  async isReady(): Promise<boolean> {
    if (this.#isOver) return false
    this.#asked ??= this.#store
      .ping()
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        this.#asked = undefined
      })
    let stopWaiting = () => {}
    const tooLate = new Promise<boolean>((resolve) => {
      stopWaiting = this.#clock.every(ANSWERS_WITHIN_MS, () => resolve(false))
    })
    const answers = await Promise.race([this.#asked, tooLate])
    stopWaiting()
    return answers && !this.#isOver
  }
}
