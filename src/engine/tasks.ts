// Due work: timers, calls to the outside world, messages to send. A task is claimed with a lease and a rising fence, run,
// and completed by the decision that is made under it; a process that dies leaves its lease to end and the task to be
// claimed again. Work that a row's own deadline already tells of (order expiry) is swept through an index instead.

import { find, type Row } from '../tables.ts'
import type { Clock } from './clock.ts'
import type { Lease } from './engine.ts'
import type { Store } from './store.ts'

const LEASE_MS = 30_000 // real time; longer than any call that a task makes may take
const CLAIM_MAX = 64 // tasks that are run side by side
const POLL_MS = 500 // of real time, when nothing wakes the runner earlier

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

export class TaskRunner {
  readonly #store: Store
  readonly #clock: Clock
  readonly #handlers: Readonly<Record<string, TaskHandler>>
  readonly #sweeps: readonly Sweep[]
  readonly #failed: (task: string, error: Error) => void
  /** Rounds follow each other: the sandbox clock and the poll must not run the same instant twice at once. */
  #last: Promise<unknown> = Promise.resolve()
  #woken = false
  #stopPolling: () => void = () => {}
  #stopped = false

  constructor(
    store: Store,
    clock: Clock,
    handlers: Readonly<Record<string, TaskHandler>>,
    sweeps: readonly Sweep[],
    failed: (task: string, error: Error) => void,
  ) {
    this.#store = store
    this.#clock = clock
    this.#handlers = handlers
    this.#sweeps = sweeps
    this.#failed = failed
  }

  start() {
    this.#stopPolling = this.#clock.every(POLL_MS, () => this.wake())
  }

  /** Runs what is due soon after; many calls at once are one round. */
  wake() {
    if (this.#woken || this.#stopped) return
    this.#woken = true
    void this.#alone(async () => {
      this.#woken = false
      await this.#round()
    }).catch((error) => this.#failed('round', error as Error))
  }

  /** Everything due now, and what that makes due at once; how many of each kind. */
  runDue(): Promise<Ran> {
    return this.#alone(() => this.#round())
  }

  /** Moves time to `target` through every instant at which something is due, in order; returns when all has settled. */
  advance(target: number, moveTo: (instant: number) => Promise<void>): Promise<Ran> {
    return this.#alone(async () => {
      const ran: Ran = await this.#round()
      for (let due = await this.#nextDue(); due !== undefined && due <= target; due = await this.#nextDue()) {
        if (due > this.#clock.now()) await moveTo(due)
        const now = await this.#round()
        if (Object.keys(now).length === 0) break // what is left is leased by another process
        for (const [task, count] of Object.entries(now)) ran[task] = (ran[task] ?? 0) + count
      }
      await moveTo(target)
      return ran
    })
  }

  async stop() {
    this.#stopped = true
    this.#stopPolling()
    await this.#last.catch(() => {})
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.catch(() => {}).then(work)
    this.#last = next
    return next
  }

  async #round(): Promise<Ran> {
    const ran: Ran = {}
    for (let did = 1; did > 0 && !this.#stopped; ) {
      did = 0
      for (const sweep of this.#sweeps) {
        const count = await sweep.run(this.#clock.now())
        if (count > 0) ran[sweep.name] = (ran[sweep.name] ?? 0) + count
        did += count
      }
      did += await this.#runClaimed(ran)
    }
    return ran
  }

  async #runClaimed(ran: Ran): Promise<number> {
    if (!(await this.#isAnyDue())) return 0
    const realNow = this.#clock.realNow()
    const claimed = await this.#store.claimTasks(this.#clock.now(), realNow, realNow + LEASE_MS, CLAIM_MAX)
    await Promise.all(
      claimed.map(async (task) => {
        ran[task.task] = (ran[task.task] ?? 0) + 1
        try {
          const handler = this.#handlers[task.task]
          if (!handler) throw new Error(`no handler for ${task.task}`)
          await handler(task, { task: task.task, subject: task.subject, fence: task.fence })
        } catch (error) {
          this.#failed(task.task, error as Error)
        }
      }),
    )
    return claimed.length
  }

  /** A look beside the writer is cheap; a claim is a write and waits for its turn. */
  async #isAnyDue() {
    return (
      (await this.#store.query.rows(find('tasks', { atMost: { dueAt: this.#clock.now(), leaseUntil: this.#clock.realNow() }, limit: 1 })))
        .length > 0
    )
  }

  async #nextDue(): Promise<number | undefined> {
    const [task] = await this.#store.query.rows(
      find('tasks', { atMost: { leaseUntil: this.#clock.realNow() }, orderBy: ['dueAt'], limit: 1 }),
    )
    const dues = [task?.dueAt, ...(await Promise.all(this.#sweeps.map((sweep) => sweep.nextDue())))]
    return dues.reduce((first, due) => (due !== undefined && (first === undefined || due < first) ? due : first), undefined)
  }
}
