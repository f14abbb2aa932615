// The one place that knows what time it is. Business time is what orders, tokens and mandates live by, and what the
// sandbox moves; real time is for leases and time-outs, and nothing moves it.

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

/** Business time is real time plus an offset that only ever grows, until a sandbox begins anew. */
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
  /** Never backwards: a cycle that was collected must stay in the past. */
  setOffset(offsetMs: number) {
    this.#offsetMs = Math.max(this.#offsetMs, offsetMs)
  }
  /** Back to what the machine says: of a sandbox's store that begins anew, in which no past is left. */
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

/** Processes' clocks differ by less: only a wrong clock writes an instant that lies further ahead (docs/decisions/0013). */
export const AHEAD_MAX_MS = 60_000
/** Whether only a wrong clock can have written this instant. It opens nothing and locks nothing. */
export const isTooFarAhead = (at: number, now: number): boolean => at > now + AHEAD_MAX_MS
/** Whether a span that began at `from` has not ended. A beginning too far ahead is not believed. */
export const lasts = (from: number, spanMs: number, now: number): boolean => !isTooFarAhead(from, now) && now < from + spanMs
/** The same where only the end is kept. It is not believed where even the longest span would have begun too far ahead. */
export const lastsUntil = (until: number, longestMs: number, now: number): boolean => lasts(until - longestMs, longestMs, now)

/** The date in India of an instant, as YYYY-MM-DD: every business date is IST (docs/interface.md section 2). */
export const dateInIndia = (epochMs: number): string => new Date(epochMs + IST_OFFSET_MS).toISOString().slice(0, 10)
/** The date and time in India of an instant, as YYYY-MM-DD HH:mm:ss. */
export const dateTimeInIndia = (epochMs: number): string => new Date(epochMs + IST_OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ')
/** The first instant of a day in India, and of the day after. */
export const dayBegins = (date: string): number => Date.parse(`${date}T00:00:00Z`) - IST_OFFSET_MS
export const dayEnds = (date: string): number => dayBegins(date) + DAY_MS
const DAY_MS = 24 * 60 * 60_000 // no day in India is longer or shorter
const IST_OFFSET_MS = 330 * 60_000 // UTC+05:30, without daylight saving since 1945
