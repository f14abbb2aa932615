// The only place that knows the time. Orders, tokens and mandates live by business time, which the sandbox moves. Leases and time-outs go
// by real time, which nothing moves.

export interface Clock {
  /** Business time in epoch milliseconds. */
  now(): number
  /** Real time in epoch milliseconds. */
  realNow(): number
  /** Monotonic milliseconds, for durations. */
  elapsed(): number
  sleep(ms: number): Promise<void>
  /** Runs `work` every `everyMs` of real time until the returned function is called. Never keeps the process alive. */
  every(everyMs: number, work: () => void): () => void
}

/** For a search that must end: true once `ms` have passed. */
export function timeUpAfter(clock: Pick<Clock, 'elapsed'>, ms: number): () => boolean {
  const endsAt = clock.elapsed() + ms
  return () => clock.elapsed() >= endsAt
}

/** Business time is real time plus an offset. The offset only grows, until a sandbox starts over. */
export class SystemClock implements Clock {
  #offsetMs = 0

  now() {
    return Date.now() + this.#offsetMs
  }
  realNow() {
    return Date.now()
  }
  elapsed() {
    return performance.now()
  }
  get offsetMs() {
    return this.#offsetMs
  }
  /** Never backwards, because a cycle that was collected must stay in the past. */
  setOffset(offsetMs: number) {
    this.#offsetMs = Math.max(this.#offsetMs, offsetMs)
  }
  /** Back to the machine's time, for a sandbox whose store was emptied and has no past. */
  startOver(offsetMs: number) {
    this.#offsetMs = offsetMs
  }
  sleep(ms: number) {
    return new Promise<void>((resolve) => setTimeout(resolve, ms))
  }
  every(everyMs: number, work: () => void) {
    const timer = setInterval(work, everyMs)
    timer.unref()
    return () => clearInterval(timer)
  }
}

/** The clocks of processes differ by less. Only a wrong clock writes a time that lies further ahead (docs/decisions/0013). */
export const AHEAD_MAX_MS = 60_000
/** True when only a wrong clock can have written this time. Then the time opens nothing and locks nothing. */
export const isTooFarAhead = (at: number, now: number): boolean => at > now + AHEAD_MAX_MS
/** True while a span that began at `from` lasts. A beginning too far ahead is not believed. */
export const lasts = (from: number, spanMs: number, now: number): boolean => !isTooFarAhead(from, now) && now < from + spanMs
/** As `lasts`, when only the end is stored. The end is not believed if even the longest span would have begun too far ahead. */
export const lastsUntil = (until: number, longestMs: number, now: number): boolean => lasts(until - longestMs, longestMs, now)

/** The date in India, as YYYY-MM-DD. Every business date is IST (docs/interface.md section 2). */
export const dateInIndia = (epochMs: number): string => new Date(epochMs + IST_OFFSET_MS).toISOString().slice(0, 10)
/** The date and time in India, as YYYY-MM-DD HH:mm:ss. */
export const dateTimeInIndia = (epochMs: number): string => new Date(epochMs + IST_OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ')
/** The first instant of a day in India, and of the day after. */
export const dayBegins = (date: string): number => Date.parse(`${date}T00:00:00Z`) - IST_OFFSET_MS
export const dayEnds = (date: string): number => dayBegins(date) + DAY_MS
const DAY_MS = 24 * 60 * 60_000 // no day in India is longer or shorter
const IST_OFFSET_MS = 330 * 60_000 // UTC+05:30, without daylight saving since 1945
