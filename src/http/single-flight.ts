// A question to somebody who may stand still: one at a time, and whoever asks hears within a while.

import type { Clock } from '../engine/clock.ts'

/** Undefined when there is no answer in time, or it is an error. Nobody who stands still is left with a question for each who asks. */
export function singleFlightWithin<T>(ask: () => Promise<T>, withinMs: number, clock: Pick<Clock, 'every'>): () => Promise<T | undefined> {
  let asked: Promise<T | undefined> | undefined
  return async () => {
    asked ??= ask()
      .catch(() => undefined)
      .finally(() => {
        asked = undefined
      })
    let stopWaiting = () => {}
    const tooLate = new Promise<undefined>((resolve) => {
      stopWaiting = clock.every(withinMs, () => resolve(undefined))
    })
    const answer = await Promise.race([asked, tooLate])
    stopWaiting()
    return answer
  }
}
