// Runs due work until nothing is left, and moves a sandbox's time through all that becomes due (docs/sandbox.md, "The clock"). While
// payments keep coming, there is always something to do. Then a step ends once all that was due before is done, and the next step is
// longer.

import type { Clock } from './clock.ts'

export type Ran = Record<string, number>

const REST_WAIT_MS = 250 // Mohur's choice: as long as settling takes in a sandbox without payments
const GENERATIONS = 4 // Mohur's choice: a result, its notifications, and the work that the notifications leave
const STEP_MIN_MS = 60_000 // Mohur's choice, of business time: while work keeps coming, all that is due within a step runs together
const STEP_MAX_MS = 15 * 60_000 // Mohur's choice: as long as a page, a token and a UPI request live
const TICK_MS = 100 // between two looks at the real time while nothing ends

/** The part of a task runner that draining uses. */
export interface DueWork {
  /** Begins the work that has a place. With `withSweeps`, the sweeps run first. Returns how much there was to do. */
  look(withSweeps: boolean): Promise<number>
  /** True when more is due than had places, or when a sweep has more. */
  hasMore(): boolean
  running(): readonly Promise<void>[]
  /** How many runs have ended so far, and the end of the next. */
  ended(): number
  nextEnd(): Promise<void>
  /** When the first work is due that no process has begun. */
  nextDue(): Promise<number | undefined>
  begun(): Readonly<Ran>
  isStopped(): boolean
  sweepEveryMs: number
}

/** Why a move ended: it arrived, its real time was over, or a reset or a stop came. */
export type MoveEnd = 'arrived' | 'time' | 'ended'
export interface ClockMove {
  ran: Ran
  end: MoveEnd
}
export interface MoveLimits {
  /** Real time. */
  withinMs?: number
  /**
   * How many requests were answered so far. Requests beside a move create due work faster than a move from instant to instant could do it.
   */
  answered?: () => number
}

interface Turn {
  until: number
  endings: number
}

export class Draining {
  readonly #work: DueWork
  readonly #clock: Clock
  /** Work takes turns, because the sandbox clock must not run the same instant twice at once. */
  #last: Promise<unknown> = Promise.resolve()
  #endings = 0

  constructor(work: DueWork, clock: Clock) {
    this.#work = work
    this.#clock = clock
  }

  /** Runs all due work, and the work that it makes due at once. */
  runDue(withinMs?: number): Promise<Ran> {
    const turn = this.#turn(withinMs)
    return this.#inTurn(async () => {
      const before = { ...this.#work.begun() }
      await this.#settle(turn)
      return this.#since(before)
    })
  }

  /**
   * Moves time to `target` through every instant at which something is due, in order. `moveTo` returns false when time may no longer be
   * moved.
   */
  advance(target: number, moveTo: (instant: number) => Promise<unknown>, limits: MoveLimits): Promise<ClockMove> {
    const turn = this.#turn(limits.withinMs)
    return this.#inTurn(async () => {
      const before = { ...this.#work.begun() }
      const end = await this.#move(target, moveTo, turn, limits.answered ?? (() => 0))
      return { ran: this.#since(before), end }
    })
  }

  /** Ends all settling and moving of time, under way or waiting for its turn. Then runs `work` alone. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    this.end()
    return this.#inTurn(work)
  }

  end() {
    this.#endings++
  }

  /** Resolves when all that was requested so far is over. */
  async over() {
    await this.#last.catch(() => {})
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.catch(() => {}).then(work)
    this.#last = next
    return next
  }

  #turn = (withinMs = Number.POSITIVE_INFINITY): Turn => ({ until: this.#clock.elapsed() + withinMs, endings: this.#endings })
  #isEnded = ({ endings }: Turn) => this.#work.isStopped() || this.#endings !== endings
  #isOver = (turn: Turn) => this.#isEnded(turn) || this.#clock.elapsed() >= turn.until

  async #move(target: number, moveTo: (instant: number) => Promise<unknown>, turn: Turn, answered: () => number): Promise<MoveEnd> {
    let [answers, stepMs] = [answered(), 0]
    let isAtRest = await this.#settle(turn)
    let due = await this.#work.nextDue()
    while (due !== undefined && due <= target && !this.#isOver(turn)) {
      const now = this.#clock.now()
      const isAlone = isAtRest && answers === answered()
      answers = answered()
      stepMs = isAlone ? 0 : Math.min(Math.max(stepMs * 2, STEP_MIN_MS), STEP_MAX_MS)
      const instant = Math.min(Math.max(due, now + stepMs), target)
      if (instant > now && (await moveTo(instant)) === false) return 'ended'
      const before = { ...this.#work.begun() }
      isAtRest = await this.#settle(turn)
      const next = await this.#work.nextDue()
      const isStuck = next !== undefined && next <= due
      // Another process may have done the work, or is doing it now. In both cases there is nothing to wait for.
      if (isStuck && Object.keys(this.#since(before)).length === 0) break
      if (isStuck) isAtRest = false
      due = next
    }
    if (this.#isEnded(turn)) return 'ended'
    if (this.#isOver(turn)) return 'time'
    return (await moveTo(target)) === false ? 'ended' : 'arrived'
  }

  /** True when nothing is left to do. False when the turn is over, or when work keeps coming and all that was due before is done. */
  async #settle(turn: Turn): Promise<boolean> {
    const work = this.#work
    const generationsFrom = this.#clock.elapsed() + REST_WAIT_MS
    let sweptAt = Number.NEGATIVE_INFINITY
    let generation: Generation | undefined
    while (!this.#isOver(turn)) {
      const [ended, elapsed] = [work.ended(), this.#clock.elapsed()]
      // Sweeps run first and last, and in between as often as a poll. They do not run at the end of each of hundreds of runs.
      const sweeps = work.running().length === 0 || elapsed >= sweptAt + work.sweepEveryMs || generation?.hasEnded === true
      if (sweeps) sweptAt = elapsed
      const found = sweeps || work.hasMore() ? await work.look(sweeps) : 0
      if (found === 0 && work.running().length > 0) await this.#oneEnds(turn)
      else if (found === 0 && sweeps && work.ended() === ended) return true // work that ended during the look may have left more to do
      if (elapsed < generationsFrom) continue
      generation ??= new Generation(work, () => this.#clock.now())
      if (sweeps && generation.hasEnded && (await generation.isLast())) return false
    }
    return false
  }

  /** Waits until one of the running tasks ends, or the turn is over. */
  async #oneEnds(turn: Turn) {
    const over = Promise.withResolvers<void>()
    const stop = this.#clock.every(TICK_MS, () => this.#isOver(turn) && over.resolve())
    await Promise.race([this.#work.nextEnd(), over.promise])
    stop()
  }

  #since(before: Readonly<Ran>): Ran {
    const counts = Object.entries(this.#work.begun()).map(([task, count]): [string, number] => [task, count - (before[task] ?? 0)])
    return Object.fromEntries(counts.filter(([, count]) => count > 0))
  }
}

/** All work that was due at one time, and all that ran then. The next generation is the work that this generation leaves. */
class Generation {
  readonly #work: DueWork
  readonly #now: () => number
  #dueUntil: number
  #stuckAt: number | undefined
  #count = 1
  hasEnded = false

  constructor(work: DueWork, now: () => number) {
    this.#work = work
    this.#now = now
    this.#dueUntil = now()
    this.#follow()
  }

  #follow() {
    this.hasEnded = false
    void Promise.all(this.#work.running()).then(() => {
      this.hasEnded = true
    })
  }

  /** True when settling waits for no further generation. Called once all running work has ended and all due work was looked for. */
  async isLast(): Promise<boolean> {
    const due = await this.#work.nextDue()
    const isMoving = due !== undefined && due <= this.#dueUntil && due !== this.#stuckAt
    this.#stuckAt = due
    if (!isMoving) {
      if (this.#count === GENERATIONS) return true
      this.#count++
      this.#dueUntil = this.#now()
    }
    this.#follow()
    return false
  }
}
