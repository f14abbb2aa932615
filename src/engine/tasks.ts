// Due work: timers, calls to the outside world, messages to send. A task is claimed with a lease and a rising fence, run,
// and completed by the decision that is made under it; a process that dies leaves its lease to end and the task to be
// claimed again. Work that a row's own deadline already tells of (order expiry) is swept through an index instead.

import { find, type Row } from '../tables.ts'
import type { Clock } from './clock.ts'
import type { Lease } from './engine.ts'
import type { Store } from './store.ts'

export const LEASE_MS = 30_000 // real time; longer than any call that a task makes may take
/** A task's first fence is drawn below it, so that a lease of a task that ended does not fit the next of the same name. */
export const FIRST_FENCE_MAX = 2 ** 47 // leaves as much again to rise, within the numbers that JavaScript keeps exactly
const POLL_MS = 500 // of real time, when nothing wakes the runner earlier
const REST_MS = 10 // ours: between two looks that were not waited for; a look costs as much as a payment's own writing

/** Does the work and submits the decision that completes, moves or repeats the task. What it throws is tried again after the lease. */
export type TaskHandler = (task: Row<'tasks'>, lease: Lease) => Promise<void>

/** Work that is found by a deadline in its own row. */
export interface Sweep {
  name: string
  nextDue(): Promise<number | undefined>
  /** Does what is due at `now`, one bounded portion; answers how many there were. */
  run(now: number): Promise<number>
}

export type Ran = Record<string, number>

/** Kinds of work that share a number of places: whoever does not answer in one lane holds up nothing in another. */
export interface Lane {
  places: number
  handlers: Readonly<Record<string, TaskHandler>>
}

interface OpenLane extends Lane {
  kinds: readonly string[]
  running: Set<Promise<void>>
}

export class TaskRunner {
  readonly #store: Store
  readonly #clock: Clock
  readonly #lanes: readonly OpenLane[]
  readonly #sweeps: readonly Sweep[]
  readonly #failed: (task: string, error: Error) => void
  readonly #followed = new Set<Promise<void>>()
  #ended = 0
  /** How often each kind of work was begun, since the start. */
  readonly #begun: Ran = {}
  /** Looking for work is done by one at a time, or two would sweep the same rows. */
  #looking: Promise<unknown> = Promise.resolve()
  #lookedAt = Number.NEGATIVE_INFINITY
  /** Settling too: the sandbox clock must not run the same instant twice at once. */
  #settling: Promise<unknown> = Promise.resolve()
  #woken = false
  #stopPolling: () => void = () => {}
  #stopped = false

  constructor(store: Store, clock: Clock, lanes: readonly Lane[], sweeps: readonly Sweep[], failed: (task: string, error: Error) => void) {
    this.#store = store
    this.#clock = clock
    this.#lanes = lanes.map((lane) => ({ ...lane, kinds: Object.keys(lane.handlers), running: new Set() }))
    this.#sweeps = sweeps
    this.#failed = failed
  }

  start() {
    this.#stopPolling = this.#clock.every(POLL_MS, () => this.wake())
  }

  /** Begins what is due: at once when nobody has looked for a while, else a little later; many calls are one look. */
  wake() {
    if (this.#woken || this.#stopped) return
    this.#woken = true
    const restMs = this.#lookedAt + REST_MS - this.#clock.elapsed()
    const rested = restMs > 0 ? this.#clock.sleep(restMs) : Promise.resolve()
    const begins = () => {
      this.#woken = false
    }
    void rested.then(() => this.#look(begins)).catch((error) => this.#failed('look', error as Error))
  }

  /** Everything due now, and what that makes due at once; how many of each kind were begun meanwhile. */
  runDue(): Promise<Ran> {
    return this.#alone(() => this.#settle())
  }

  /** Moves time to `target` through every instant at which something is due, in order; returns when all has settled. */
  advance(target: number, moveTo: (instant: number) => Promise<void>): Promise<Ran> {
    return this.#alone(async () => {
      const ran: Ran = await this.#settle()
      for (let due = await this.#nextDue(); due !== undefined && due <= target; due = await this.#nextDue()) {
        if (due > this.#clock.now()) await moveTo(due)
        const now = await this.#settle()
        if (Object.keys(now).length === 0) break // what is left is leased by another process
        for (const [task, count] of Object.entries(now)) ran[task] = (ran[task] ?? 0) + count
      }
      await moveTo(target)
      return ran
    })
  }

  /** Work that was begun elsewhere under a lease of its own: settling waits for it, and it takes nobody's place. */
  async follow<T>(work: Promise<T>): Promise<T> {
    const running = work.then(
      () => {},
      () => {}, // whoever asked for the work hears of its failure
    )
    this.#followed.add(running)
    try {
      return await work
    } finally {
      this.#followed.delete(running)
      this.#ended++
    }
  }

  async stop() {
    this.#stopped = true
    this.#stopPolling()
    await this.#settling.catch(() => {})
    await this.#looking.catch(() => {})
    await Promise.all(this.#running())
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#settling.catch(() => {}).then(work)
    this.#settling = next
    return next
  }

  #running = () => [...this.#followed, ...this.#lanes.flatMap(({ running }) => [...running])]

  async #settle(): Promise<Ran> {
    const before = { ...this.#begun }
    while (!this.#stopped) {
      const ended = this.#ended
      if ((await this.#look()) > 0) continue
      const running = this.#running()
      if (running.length > 0) await Promise.race(running)
      else if (this.#ended === ended) break // what ended while we looked may have left more to do
    }
    const counts = Object.entries(this.#begun).map(([task, count]): [string, number] => [task, count - (before[task] ?? 0)])
    return Object.fromEntries(counts.filter(([, count]) => count > 0))
  }

  /** Sweeps, and begins as many of the due tasks as there are free places; answers how much there was to do. */
  #look(begins = () => {}): Promise<number> {
    const next = this.#looking
      .catch(() => {})
      .then(async () => {
        begins()
        if (this.#stopped) return 0
        let did = 0
        for (const sweep of this.#sweeps) did += await this.#sweep(sweep)
        // Side by side: on PostgreSQL each lane is a journey to the server.
        for (const begun of await Promise.all(this.#lanes.map((lane) => this.#beginIn(lane)))) did += begun
        this.#lookedAt = this.#clock.elapsed()
        return did
      })
    this.#looking = next
    return next
  }

  /** One that fails, perhaps at a single row, is tried again at the next look and holds up nothing else: money waits for the tasks. */
  async #sweep(sweep: Sweep): Promise<number> {
    try {
      return this.#count(sweep.name, await sweep.run(this.#clock.now()))
    } catch (error) {
      this.#failed(sweep.name, error as Error)
      return 0
    }
  }

  #count(task: string, count: number) {
    if (count > 0) this.#begun[task] = (this.#begun[task] ?? 0) + count
    return count
  }

  async #beginIn(lane: OpenLane): Promise<number> {
    if (lane.running.size >= lane.places || this.#stopped) return 0
    let begun = 0
    for (const kind of await this.#kindsDue(lane.kinds)) {
      const free = lane.places - lane.running.size
      if (free <= 0) break
      const realNow = this.#clock.realNow()
      const claimed = await this.#store.claimTasks(kind, this.#clock.now(), realNow, realNow + LEASE_MS, free)
      this.#begin(lane, claimed)
      begun += claimed.length
    }
    return begun
  }

  #begin(lane: OpenLane, tasks: readonly Row<'tasks'>[]) {
    for (const task of tasks) {
      this.#count(task.task, 1)
      const work = lane.handlers[task.task]!(task, { task: task.task, subject: task.subject, fence: task.fence })
        .catch((error: unknown) => this.#failed(task.task, error as Error))
        .finally(() => {
          lane.running.delete(work)
          this.#ended++
          this.wake() // a place is free again
        })
      lane.running.add(work)
    }
  }

  /** The kinds of which something is due, the longest due first. A look beside the writer is cheap; a claim is a write and waits for its turn. */
  async #kindsDue(kinds: readonly string[]) {
    const now = this.#clock.now()
    return (await this.#firstOf(kinds)).filter(({ dueAt }) => dueAt <= now).map(({ task }) => task)
  }

  /** Of each kind the first that nobody has begun, as they are due. */
  async #firstOf(kinds: readonly string[]) {
    const atMost = { leaseUntil: this.#clock.realNow() }
    const firsts = kinds.map((task) => this.#store.query.rows(find('tasks', { equals: { task }, atMost, orderBy: ['dueAt'], limit: 1 })))
    return (await Promise.all(firsts)).flat().sort((a, b) => a.dueAt - b.dueAt)
  }

  async #nextDue(): Promise<number | undefined> {
    const [task] = await this.#firstOf(this.#lanes.flatMap(({ kinds }) => kinds))
    const dues = [task?.dueAt, ...(await Promise.all(this.#sweeps.map((sweep) => sweep.nextDue())))]
    return dues.reduce((first, due) => (due !== undefined && (first === undefined || due < first) ? due : first), undefined)
  }
}
