import type { Clock } from '../engine/clock.ts'

const EVERY_MS = 60_000 // Mohur's choice: strangers can cause these lines

/** True at most once a minute: for a line of the log that strangers can cause. */
export function onceAMinute(clock: Pick<Clock, 'elapsed'>): () => boolean {
  let from = Number.NEGATIVE_INFINITY
  return () => {
    if (clock.elapsed() < from) return false
    from = clock.elapsed() + EVERY_MS
    return true
  }
}
