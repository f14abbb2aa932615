// A question to a party that may stand still: one at a time, with an answer within a limit.

import type { Clock } from '../engine/clock.ts'

/**
 * The returned function asks, and gives undefined when no answer comes in time or the answer is an error. Callers share an open question,
 * so a party that stands still has only one.
 */
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
