// Due work: timers, calls to the outside world, messages to send. A task is claimed with a lease and a rising fence, run, and completed by
// the decision that is made under it. When a process dies, its lease ends and the task is claimed again. Work whose deadline stands in its
// own row (order expiry) is swept through an index instead.

import { find, type Row } from '../tables/tables.ts'
import type { Clock } from './clock.ts'
import type { TaskChange } from './decision.ts'
import { type ClockMove, Draining, type MoveLimits, type Ran } from './draining.ts'
import type { Lease, Leased } from './engine.ts'
import { Polling } from './polling.ts'
import type { Random } from './random.ts'
import { type Store, Unreachable } from './store.ts'

/**
 * Real time, by the clock of the process that leases. It is longer than the longest call of a task (20 s, docs/operating/watch.md) and the
 * difference of clocks together.
 */
export const LEASE_MS = 30_000
export const CLOCKS_DIFFER_MS = 5_000 // docs/operating/watch.md, "Clocks": of processes on one store; a start warns of more
/** A task's first fence is drawn below this. So the lease of an ended task does not fit the next task of the same name. */
export const FIRST_FENCE_MAX = 2 ** 47 // leaves as much again to rise, within the numbers that JavaScript keeps exactly
export const POLL_MS = 500 // of real time, when nothing wakes the runner earlier
const REST_MS = 10 // Mohur's choice: between two looks that no caller waits for; a look costs as much as a payment's own writing

/** Does the work, and submits the decision that ends, moves or repeats the task. After an error it runs again once its lease is over. */
export type TaskHandler = (task: Row<'tasks'>, lease: Lease) => Promise<void>

/** Work that is found by a deadline in its own row. */
export interface Sweep {
  name: string
  nextDue(): Promise<number | undefined>
  /** Does one bounded portion of the work that is due at `now`. Returns how many items there were. */
  run(now: number): Promise<number>
  /** True when the next portion may have work, although the last one had none. */
  hasMore?(): boolean
  /** For a sweep whose `run` begins work without waiting for it. Ends that work, and resolves when the work is over. */
  stop?(): Promise<void>
}

/** Kinds of work that share a number of places. A party that does not answer in one lane holds up nothing in another. */
export interface Lane {
  places: number
  handlers: Readonly<Record<string, TaskHandler>>
}

interface OpenLane extends Lane {
  kinds: readonly string[]
  running: Set<Promise<void>>
  /** Places kept for tasks that are about to be committed. */
  kept: number
  /** How many of the kept or running tasks were never claimed, because the batch that committed them began them. */
  newer: number
  /** More was due at the last look than had a place. New work then gets a part of the places. The rest of it waits behind the queue. */
  isBehind: boolean
}

/** The places for new work in a lane that is behind. So a long queue does not delay new work, and new work does not delay the queue. */
const forNewer = ({ places }: OpenLane) => Math.floor(places / 4) // Mohur's choice: docs/decisions/0014

/** Throws when a sweep met no database. So a look has one error, and not one of each sweep. */
const sum = (counts: readonly (number | Unreachable)[]) =>
  counts.reduce((total: number, count) => {
    if (count instanceof Unreachable) throw count
    return total + count
  }, 0)
const freeOf = ({ places, running, kept }: OpenLane) => places - running.size - kept

export class TaskRunner {
  readonly #store: Store
  readonly #clock: Clock
  readonly #lanes: readonly OpenLane[]
  readonly #sweeps: readonly Sweep[]
  readonly #failed: (task: string, error: Error) => void
  readonly #followed = new Set<Promise<void>>()
  #ended = 0
  /** Resolves when the next of the running tasks ends. */
  #end = Promise.withResolvers<void>()
  readonly #begun: Ran = {}
  /** Looks follow one another, because two at once would sweep the same rows. */
  #looking: Promise<unknown> = Promise.resolve()
  #lookedAt = Number.NEGATIVE_INFINITY
  /** The next look also sweeps. Work that a batch commits, or that a free place lets begin, is found without sweeps. */
  #mustSweep = true
  readonly #draining: Draining
  #woken = false
  readonly #polling: Polling
  #stopped = false

  constructor(store: Store, clock: Clock, lanes: readonly Lane[], sweeps: readonly Sweep[], failed: (task: string, error: Error) => void) {
    this.#store = store
    this.#clock = clock
    this.#lanes = lanes.map((lane) => ({
      ...{ ...lane, kinds: Object.keys(lane.handlers), running: new Set<Promise<void>>() },
      ...{ kept: 0, newer: 0, isBehind: false },
    }))
    this.#sweeps = sweeps
    this.#failed = failed
    this.#polling = new Polling(store.query, clock, { everyMs: POLL_MS, poll: () => this.poll(), nextDue: () => this.#nextDue() })
    this.#draining = new Draining(
      {
        look: (withSweeps) => {
          if (withSweeps) this.#mustSweep = true
          return this.#look()
        },
        hasMore: () => this.#mustSweep || this.#lanes.some(({ isBehind }) => isBehind),
        running: () => this.#running(),
        ended: () => this.#ended,
        nextEnd: () => this.#end.promise,
        nextDue: () => this.#nextDue(),
        begun: () => this.#begun,
        isStopped: () => this.#stopped,
        sweepEveryMs: POLL_MS,
      },
      clock,
    )
  }

  start = () => this.#polling.start()

  /** Does all due work, deadlines of rows included. */
  poll() {
    this.#mustSweep = true
    this.wake()
  }

  /** Begins the tasks that are due: at once when no look was made for a while, else a little later. Many calls make one look. */
  wake() {
    if (this.#woken || this.#stopped) return
    this.#woken = true
    const restMs = this.#lookedAt + REST_MS - this.#clock.elapsed()
    const rested = restMs > 0 ? this.#clock.sleep(restMs) : Promise.resolve()
    const begins = () => {
      this.#woken = false
    }
    void rested
      .then(() => this.#look(begins))
      .then(() => this.#mustSweep && this.wake())
      .catch((error) => this.#failed('look', error as Error))
  }

  /** Runs all due work, and the work that it makes due at once. Returns how many of each kind were begun meanwhile. */
  runDue(withinMs?: number): Promise<Ran> {
    return this.#draining.runDue(withinMs)
  }

  /**
   * Moves time to `target` through every instant at which something is due, in order. A stop, or the end of `withinMs`, leaves time where
   * it is.
   */
  advance(target: number, moveTo: (instant: number) => Promise<unknown>, limits: MoveLimits = {}): Promise<ClockMove> {
    return this.#draining.advance(target, moveTo, limits)
  }

  /** Ends all settling and moving of time, then runs `work` alone. So a sandbox's store is emptied while neither is done. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#draining.alone(work)
  }

  /** The store was emptied, so the moves of time in it end. */
  endMoves() {
    this.#draining.end()
  }

  /** Work that began elsewhere under a lease of its own. Settling waits for it, and it takes no place in a lane. */
  async follow<T>(work: Promise<T>): Promise<T> {
    const running = work.then(
      () => {},
      () => {}, // the caller of the work gets its failure
    )
    this.#followed.add(running)
    try {
      return await work
    } finally {
      this.#followed.delete(running)
      this.#hasEnded()
    }
  }

  #hasEnded() {
    this.#ended++
    this.#end.resolve()
    this.#end = Promise.withResolvers<void>()
  }

  /** Returns how many runs under way it has waited for. */
  async stop(): Promise<number> {
    this.#stopped = true
    await this.#polling.stop()
    await this.#draining.over()
    await this.#looking.catch(() => {})
    await Promise.all(this.#sweeps.map((sweep) => sweep.stop?.()))
    let finished = 0
    // Work that ends may have committed the next of its kind under a lease.
    while (this.#running().length > 0) {
      const running = this.#running()
      await Promise.all(running)
      finished += running.length
    }
    return finished
  }

  /**
   * Called before a batch is written. A task that is due at once and has a free place here gets its lease with the row itself. It begins
   * after the COMMIT. A claim for each would be one more write and one more commit. If the process dies in between, the lease expires
   * as usual.
   */
  lease(tasks: readonly TaskChange[], fresh: Pick<Random, 'fraction'>): Leased {
    const [now, until] = [this.#clock.now(), this.#clock.realNow() + LEASE_MS]
    const kept: { lane: OpenLane; row: Row<'tasks'> }[] = []
    const leased = tasks.map((task) => {
      const lane = task.kind === 'add' && !task.lease && task.dueAt <= now ? this.#laneWithPlace(task.task) : undefined
      if (!lane || task.kind !== 'add') return task
      lane.kept++
      lane.newer++
      const { kind: _, attempts = 0, addedAt = 0, lease: __, ...rest } = task
      const row = { ...rest, attempts: attempts + 1, addedAt, fence: Math.floor(fresh.fraction() * FIRST_FENCE_MAX), leaseUntil: until }
      kept.push({ lane, row })
      return { ...task, attempts: row.attempts, lease: { fence: row.fence, until } }
    })
    return {
      tasks: leased,
      release: () => {
        for (const { lane } of kept) {
          lane.kept--
          lane.newer--
        }
      },
      begin: () => {
        for (const { lane, row } of kept) {
          lane.kept--
          this.#begin(lane, row, () => lane.newer--)
        }
      },
    }
  }

  #laneWithPlace(kind: string): OpenLane | undefined {
    const lane = this.#lanes.find(({ kinds }) => kinds.includes(kind))
    if (!lane || this.#stopped) return undefined
    lane.isBehind ||= freeOf(lane) <= 0
    return freeOf(lane) <= 0 || (lane.isBehind && lane.newer >= forNewer(lane)) ? undefined : lane
  }

  #running = () => [...this.#followed, ...this.#lanes.flatMap(({ running }) => [...running])]

  /** Sweeps, and begins as many due tasks as there are free places. Returns how much there was to do. */
  #look(begins = () => {}): Promise<number> {
    const next = this.#looking
      .catch(() => {})
      .then(async () => {
        begins()
        if (this.#stopped) return 0
        // Side by side, because on PostgreSQL each sweep is a journey to the server.
        const sweeps = this.#mustSweep ? this.#sweeps : []
        this.#mustSweep = false
        const swept = await Promise.all(sweeps.map((sweep) => this.#sweep(sweep)))
        if (swept.some((count) => Number(count) > 0)) this.#mustSweep = true // each did one portion of its due work
        const begun = await this.#beginDue()
        this.#lookedAt = this.#clock.elapsed()
        const found = sum(swept) + begun
        if (sweeps.length > 0) this.#polling.looked(found === 0 && !sweeps.some(({ hasMore }) => hasMore?.()))
        return found
      })
    this.#looking = next
    return next
  }

  /** A sweep that fails, perhaps at a single row, is tried again at the next look. It holds up nothing else: money waits for the tasks. */
  async #sweep(sweep: Sweep): Promise<number | Unreachable> {
    try {
      return this.#count(sweep.name, await sweep.run(this.#clock.now()))
    } catch (error) {
      if (!(error instanceof Unreachable)) this.#failed(sweep.name, error as Error)
      return error instanceof Unreachable ? error : 0
    }
  }

  #count(task: string, count: number) {
    if (count > 0) this.#begun[task] = (this.#begun[task] ?? 0) + count
    return count
  }

  async #beginDue(): Promise<number> {
    for (const lane of this.#lanes) lane.isBehind ||= freeOf(lane) <= 0
    const lanes = this.#lanes.filter((lane) => freeOf(lane) > 0)
    if (lanes.length === 0 || this.#stopped) return 0
    const now = this.#clock.now()
    // A look beside the writer is cheap. A claim is a write and waits for its turn.
    const due = (await this.#firsts()).filter(({ dueAt }) => dueAt <= now).map(({ task }) => task)
    return sum(await Promise.all(lanes.map((lane) => this.#beginIn(lane, due))))
  }

  /** `due`: kinds of every lane, the longest due first. */
  async #beginIn(lane: OpenLane, due: readonly string[]): Promise<number> {
    const realNow = this.#clock.realNow()
    let [begun, isBehind] = [0, false]
    for (const kind of due.filter((kind) => lane.kinds.includes(kind))) {
      // Half of the free places stay for tasks that are committed while the claim waits for its turn.
      const free = freeOf(lane)
      const wanted = Math.max(0, lane.isBehind ? free - Math.max(0, forNewer(lane) - lane.newer) : Math.ceil(free / 2))
      lane.kept += wanted
      try {
        const claimed = wanted > 0 ? await this.#claim(kind, realNow, wanted) : []
        for (const task of claimed) this.#begin(lane, task)
        begun += claimed.length
        isBehind ||= claimed.length === wanted
      } catch (error) {
        if (error instanceof Unreachable) throw error // no other kind can be claimed either
        this.#failed(kind, error as Error)
      } finally {
        lane.kept -= wanted
      }
    }
    lane.isBehind = isBehind
    return begun
  }

  #claim(kind: string, realNow: number, atMost: number) {
    const unreadable = (error: Error) => this.#failed(kind, error)
    return this.#store.claimTasks(kind, this.#clock.now(), realNow, realNow + LEASE_MS, atMost, unreadable)
  }

  #begin(lane: OpenLane, task: Row<'tasks'>, ended = () => {}) {
    if (this.#clock.realNow() >= task.leaseUntil) return ended() // held up so long that another process may have the task
    this.#count(task.task, 1)
    const work = lane.handlers[task.task]!(task, { task: task.task, subject: task.subject, fence: task.fence })
      .catch((error: unknown) => this.#failed(task.task, error as Error))
      .finally(() => {
        lane.running.delete(work)
        ended()
        this.#hasEnded()
        if (lane.isBehind) this.wake() // a place is free again
      })
    lane.running.add(work)
  }

  /** The first task of each kind that no process has begun, in the order in which they are due. The rows have only these two columns. */
  async #firsts() {
    const each = { column: 'task', values: this.#lanes.flatMap(({ kinds }) => kinds) } as const
    const atMost = { leaseUntil: this.#clock.realNow() }
    const firsts = await this.#store.query.rows(find('tasks', { each, atMost, orderBy: ['dueAt'], limit: 1, only: ['task', 'dueAt'] }))
    return firsts.toSorted((a, b) => a.dueAt - b.dueAt)
  }

  async #nextDue(): Promise<number | undefined> {
    const [task] = await this.#firsts()
    const dues = [task?.dueAt, ...(await Promise.all(this.#sweeps.map((sweep) => sweep.nextDue())))]
    return dues.reduce((first, due) => (due !== undefined && (first === undefined || due < first) ? due : first), undefined)
  }
}
