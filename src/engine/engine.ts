// Group commit: many commands share one read, one transaction and one fsync.
// A batch first reads the rows that its commands name. Then it decides one command at a time, against the rows as the commands before it
// left them. It writes everything, commits, and only then replies.

import { taskKey } from '../tables/keys.ts'
import type { Find, Key, Row } from '../tables/tables.ts'
import { BatchView } from './batch-view.ts'
import type { Clock } from './clock.ts'
import type { Decision, Operation, Reads, Reply, TaskChange } from './decision.ts'
import type { Random } from './random.ts'
import { CommitUnknown, RowLocked, type Store, type StoreTransaction, TryAgain, Unreachable, type Writes } from './store.ts'

const BATCH_MAX = 256 // commands that share a commit; docs/decisions/0009
const ATTEMPTS_MAX = 5 // of one batch, when another process was first
const BACK_OFF_MS = 5 // grows with each attempt, with jitter
// Mohur's choice: the shorter wait for a locked row, and how long it applies after a wait in vain. The second is longer than due work
// rests.
const [HELD_WAIT_MS, HELD_FOR_MS] = [500, 60_000]
const QUEUE_MAX = 20_000 // waiting commands; beyond it a caller is refused at once instead of timing out

/** A claimed task. A decision made under it is kept only until the task is claimed again. */
export interface Lease {
  task: string
  subject: string
  fence: number
}

/** The lease ended before the decision was made. The holder of the new lease does the work. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}
export class Overloaded extends Error {
  override readonly name = 'Overloaded'
}

// biome-ignore lint/suspicious/noExplicitAny: a batch mixes commands of every operation; `submit` ties each to its own.
type AnyOperation = Operation<any>

interface Pending {
  operation: AnyOperation
  command: unknown
  lease: Lease | undefined
  /** The command's first reads. The command alone determines them, so they are named once. */
  first?: Reads
  /** The other rows that the first round reads for this command. */
  ahead?: readonly (Key | Find)[] | undefined
  /** The command's reads up to the latest round, in one view. */
  named?: { view: BatchView; round: number; names: Reads }
  resolve(reply: Reply): void
  reject(error: Error): void
}
type Outcome = Reply | Error | 'next batch'

export interface EngineEvents {
  /** A COMMIT has an unknown outcome, and its callers have the error. The error says whether the process ends. */
  commitUnknown?: (error: CommitUnknown) => void
  /** Leases those of a batch's tasks that this process can begin at once, before they are written: docs/decisions/0014. */
  lease?: (tasks: readonly TaskChange[], fresh: Pick<Random, 'fraction'>) => Leased
  /** Due tasks were committed without a lease. So they need not wait for the next poll. */
  tasksAdded?: () => void
  /** Rows and events of one batch that are now durable, to be counted. */
  committed?: (writes: Pick<Writes, 'changes' | 'events'>) => void
  batch?: (size: number) => void
}

/** Tasks with places kept for them, until `begin` after the COMMIT, or `release` when there was none. */
export interface Leased {
  tasks: readonly TaskChange[]
  begin(): void
  release(): void
}

export class Engine {
  readonly #queue: Pending[] = []
  readonly #store: Store
  readonly #clock: Clock
  readonly #fresh: Random
  readonly #events: EngineEvents
  #running = 0
  /** When a wait for a row was last in vain. */
  #heldAt = Number.NEGATIVE_INFINITY

  constructor(store: Store, clock: Clock, fresh: Random, events: EngineEvents = {}) {
    this.#store = store
    this.#clock = clock
    this.#fresh = fresh
    this.#events = events
  }

  /** How many commands no batch has taken yet. */
  get waiting() {
    return this.#queue.length
  }

  /** The reply, once it is durable. Rejects when the store failed or the decision threw; the caller then answers its system-error code. */
  submit<Command>(operation: Operation<Command>, command: Command, lease?: Lease): Promise<Reply> {
    if (this.#queue.length >= QUEUE_MAX) return Promise.reject(new Overloaded('too many commands are waiting'))
    return new Promise((resolve, reject) => {
      this.#queue.push({ operation, command, lease, resolve, reject })
      if (this.#running < this.#store.concurrency) {
        this.#running++
        setImmediate(() => void this.#run())
      }
    })
  }

  async #run() {
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, BATCH_MAX)
      await this.#commit(batch)
      this.#events.batch?.(batch.length)
      await new Promise(setImmediate) // lets requests that arrived meanwhile join the next batch
    }
    this.#running--
  }

  /** Returns the error when the database is unreachable: the commands behind this batch would fare no better. */
  async #commit(batch: readonly Pending[]): Promise<Unreachable | undefined> {
    for (let attempt = 1; ; attempt++) {
      let decided: Awaited<ReturnType<typeof decideAll>>
      let leased: Leased | undefined
      try {
        decided = await this.#store.transaction(async (transaction) => {
          const { outcomes, writes } = await decideAll(transaction, batch, this.#clock.realNow())
          leased = this.#events.lease?.(writes.tasks, this.#fresh)
          const written = { ...writes, ...(leased && { tasks: leased.tasks }) }
          if (writes.changes.length + writes.events.length + writes.tasks.length > 0) await transaction.write(written)
          return { outcomes, writes: written }
        }, this.#lockWaitMs)
      } catch (error) {
        leased?.release()
        if (error instanceof RowLocked) this.#heldAt = this.#clock.elapsed()
        if (error instanceof CommitUnknown || error instanceof Unreachable) {
          for (const pending of batch) pending.reject(error)
          if (error instanceof Unreachable) return error
          this.#events.commitUnknown?.(error)
          return undefined
        }
        if (error instanceof TryAgain && attempt < ATTEMPTS_MAX) {
          await this.#clock.sleep(BACK_OFF_MS * attempt * this.#fresh.fraction())
          continue
        }
        if (batch.length > 1) return this.#commitInHalves(batch)
        batch[0]!.reject(error as Error)
        return undefined
      }
      // Outside the try: a committed batch is never decided again, not even when a listener throws.
      this.#answerAll(batch, decided.outcomes)
      leased?.begin()
      const now = this.#clock.now()
      if (decided.writes.tasks.some((task) => task.kind === 'add' && !task.lease && task.dueAt <= now)) this.#events.tasksAdded?.()
      this.#events.committed?.(decided.writes)
      return undefined
    }
  }

  /**
   * An operator's console may lock a row for minutes. The halves of its batch, repeated requests and due work then ask for that row again
   * and again. All other commands would wait behind each of them, as long as for a row that is only busy. So the wait is shorter for a
   * while.
   */
  get #lockWaitMs(): number | undefined {
    return this.#clock.elapsed() < this.#heldAt + HELD_FOR_MS ? HELD_WAIT_MS : undefined
  }

  /**
   * A row that the database refuses aborts the whole batch's transaction. In a batch of 256 commands, 17 transactions find the one that
   * fails.
   */
  async #commitInHalves(batch: readonly Pending[]): Promise<Unreachable | undefined> {
    const half = Math.ceil(batch.length / 2)
    const away = await this.#commit(batch.slice(0, half))
    if (!away) return this.#commit(batch.slice(half))
    for (const pending of batch.slice(half)) pending.reject(away)
    return away
  }

  #answerAll(batch: readonly Pending[], outcomes: readonly Outcome[]) {
    const waiting: Pending[] = []
    for (const [at, pending] of batch.entries()) {
      const outcome = outcomes[at]!
      if (outcome === 'next batch') waiting.push(pending)
      else if (outcome instanceof Error) pending.reject(outcome)
      else pending.resolve(outcome)
    }
    this.#queue.unshift(...waiting)
  }
}

async function decideAll(transaction: StoreTransaction, batch: readonly Pending[], realNow: number) {
  const view = new BatchView()
  await load(transaction, batch, view)
  const outcomes = batch.map((pending) => decideOne(pending, view, realNow))
  return { outcomes, writes: view.writes() }
}

/** Reads what the commands name, then what those rows name, and so on. Each round is one read for the whole batch. */
async function load(transaction: StoreTransaction, batch: readonly Pending[], view: BatchView) {
  for (let round = 1; round <= ROUNDS; round++) {
    const asking = batch.filter(({ operation }) => round === 1 || (round === 2 ? operation.readsNext : operation.readsLast))
    const wanted = view.missing(asking.flatMap((pending) => wantedBy(pending, view, round)))
    if (wanted.keys.length + wanted.finds.length === 0) continue
    // Sent at once, so that a round is one journey when the database is remote.
    const [rows, ...found] = await Promise.all([transaction.read(wanted.keys), ...wanted.finds.map((find) => transaction.find(find))])
    view.add(wanted.keys, rows)
    for (const [at, find] of wanted.finds.entries()) view.addFound(find, found[at]!)
  }
}
const ROUNDS = 3

function wantedBy(pending: Pending, view: BatchView, round: number) {
  try {
    const names = Object.values(namesOf(pending, view, round))
    return round === 1 && pending.ahead ? [...names, ...pending.ahead] : names
  } catch {
    return [] // decideOne meets the same error and answers for it
  }
}

/** The reads of a command up to a round, as far as the known rows can tell. Each round names its reads once, unless a row has changed. */
function namesOf(pending: Pending, view: BatchView, upTo = ROUNDS): Reads {
  const { operation, command, lease, named } = pending
  if (!pending.first) {
    pending.ahead = operation.prefetch?.(command)
    pending.first = { ...operation.reads(command), ...(lease && { [LEASE]: taskKey(lease.task, lease.subject) }) }
  }
  const isGood = named?.view === view && !view.hasChanged(named.names)
  let { round, names } = isGood ? named : { round: 1, names: pending.first }
  for (; round < upTo; round++) {
    const next = round === 1 ? operation.readsNext : operation.readsLast
    if (!next) continue
    if (!view.knows(names)) break
    names = { ...names, ...next(command, view.state(names) as never) }
  }
  pending.named = { view, round, names }
  return names
}
const LEASE = 'lease of the engine'

function decideOne(pending: Pending, view: BatchView, realNow: number): Outcome {
  const { operation, command, lease } = pending
  try {
    const names = namesOf(pending, view)
    if (!view.knows(names)) return 'next batch' // a neighbour's change led the command to rows that were not read
    const state = view.state(names)
    if (lease && (state[LEASE] as Row<'tasks'> | undefined)?.fence !== lease.fence) return new LeaseLost(`${lease.task} ${lease.subject}`)
    const decision: Decision = operation.decide(command, state as never)
    view.apply(decision, lease, realNow)
    return decision.reply
  } catch (error) {
    return error as Error // a broken decision changes nothing, so its neighbours stand
  }
}
