// The rows of one batch as its decisions see them: what was read, with the changes of the decisions before.

import { strict as assert } from 'node:assert'
import { taskKey } from '../tables/keys.ts'
import type { Find, Key, Row, TableName } from '../tables/tables.ts'
import type { Change, Decision, Event, Read, Reads, TaskChange } from './decision.ts'
import { forwardOnly } from './monotonic-times.ts'
import type { Writes } from './store.ts'

type AnyRow = Row<TableName>
/** Texts of finds, each made once because it is looked up several times. */
const texts = new WeakMap<Find, string>()
function textOf(find: Find): string {
  let text = texts.get(find)
  if (text === undefined) {
    text = JSON.stringify(find)
    texts.set(find, text)
  }
  return text
}
type Brought = AnyRow | readonly (AnyRow | undefined)[] | undefined
const isList = (name: Read): name is readonly Key[] => Array.isArray(name)
const isFind = (name: Key | Find): name is Find => 'find' in name

export class BatchView {
  readonly #rows = new Map<string, AnyRow | undefined>()
  readonly #locked = new Set<string>()
  readonly #found = new Map<string, readonly AnyRow[]>()
  readonly #changes = new Map<string, Change>()
  readonly #events: Event[] = []
  readonly #tasks = new Map<string, TaskChange>()
  /** Names of rows that are no longer as they were read. */
  readonly #changed = new Set<string>()

  /** The reads that are still missing, each once. A row that was read without a lock is read again when it must be locked. */
  missing(names: readonly (Read | undefined)[]): { keys: Key[]; finds: Find[] } {
    const keys = new Map<string, Key>()
    const finds = new Map<string, Find>()
    const want = (name: Read | undefined) => {
      if (!name || this.#isKnown(name)) return
      if (isList(name)) name.forEach(want)
      else if (isFind(name)) finds.set(textOf(name), name)
      else if (keys.get(name.name)?.mode !== 'lock') keys.set(name.name, name)
    }
    names.forEach(want)
    return { keys: [...keys.values()], finds: [...finds.values()] }
  }

  #isKnown(name: Read): boolean {
    if (isList(name)) return name.every((key) => this.#isKnown(key))
    if (isFind(name)) return this.#found.has(textOf(name))
    return this.#locked.has(name.name) || (name.mode === 'look' && this.#rows.has(name.name))
  }

  add(keys: readonly Key[], rows: ReadonlyMap<string, AnyRow>) {
    for (const key of keys) {
      // Read again to be locked: another process may have changed the row since it was looked at.
      if (this.#rows.has(key.name)) this.#changed.add(key.name)
      this.#rows.set(key.name, rows.get(key.name))
      if (key.mode === 'lock') this.#locked.add(key.name)
    }
  }
  addFound(find: Find, rows: readonly AnyRow[]) {
    this.#found.set(textOf(find), rows)
  }

  knows(names: Reads): boolean {
    for (const name in names) if (names[name] && !this.#isKnown(names[name])) return false
    return true
  }

  /** True when an earlier decision changed one of these rows, or another process may have. */
  hasChanged(names: Reads): boolean {
    return this.#changed.size > 0 && Object.values(names).some((name) => name && this.#isChanged(name))
  }

  #isChanged(name: Read): boolean {
    if (isList(name)) return name.some((key) => this.#changed.has(key.name))
    return !isFind(name) && this.#changed.has(name.name)
  }

  state(names: Reads): Record<string, Brought> {
    const state: Record<string, Brought> = {}
    for (const name in names) if (names[name]) state[name] = this.#broughtBy(names[name])
    return state
  }

  #broughtBy(name: Read): Brought {
    if (isList(name)) return name.map((key) => this.#rows.get(key.name))
    return isFind(name) ? this.#found.get(textOf(name)) : this.#rows.get(name.name)
  }

  /** Applies a whole decision. Throws, and applies nothing, when the decision contradicts the rows that were read. */
  apply(decision: Decision, lease: { task: string; subject: string } | undefined, realNow: number) {
    for (const change of decision.changes) {
      const id = change.key.name
      // A row with a number of its own need not be read first, because the store refuses an insert for an existing row.
      if (change.kind === 'ensure' || (change.kind === 'insert' && !this.#rows.has(id))) continue
      assert(this.#rows.has(id), `${change.key.table}: changed without having been read`)
      assert.equal(
        this.#rows.get(id) === undefined,
        change.kind === 'insert',
        `${change.key.table}: ${change.kind} does not fit what was read`,
      )
      assert(this.#locked.has(id), `${change.key.table}: changed without a lock`)
    }
    const { changes, events } = forwardOnly(decision, (id) => this.#rows.get(id))
    for (const change of changes) {
      const id = change.key.name
      if (change.kind === 'ensure' && this.#rows.get(id) !== undefined) continue
      this.#put(id, change.kind === 'delete' ? undefined : change.row)
      const merged = mergeChanges(this.#changes.get(id), change)
      if (merged) this.#changes.set(id, merged)
      else this.#changes.delete(id)
    }
    this.#events.push(...events)
    // A task that the decision adds again is moved. Its row stays, so that a later decision of the batch sees it.
    const isMoved =
      lease && decision.tasks.some(({ kind, task, subject }) => kind === 'add' && task === lease.task && subject === lease.subject)
    if (lease && !isMoved) this.#schedule({ kind: 'cancel', task: lease.task, subject: lease.subject })
    for (const task of decision.tasks) this.#schedule(task.kind === 'add' ? { ...task, addedAt: realNow } : task)
  }

  /**
   * When another decision of the batch moves or ends a task, the task is no longer the claimed one. The holder of the old lease has lost
   * it.
   */
  #schedule(change: TaskChange) {
    const id = taskKey(change.task, change.subject).name
    this.#tasks.set(id, change)
    const before = this.#rows.get(id) as Row<'tasks'> | undefined
    if (before) this.#put(id, change.kind === 'cancel' ? undefined : movedTask(before, change))
  }

  #put(id: string, row: AnyRow | undefined) {
    this.#rows.set(id, row)
    this.#changed.add(id)
  }

  writes(): Writes {
    return { changes: [...this.#changes.values()], events: this.#events, tasks: [...this.#tasks.values()] }
  }
}

/** The task as the store will write it: the lease ends and the fence rises. */
const movedTask = (
  before: Row<'tasks'>,
  { task, subject, dueAt, payload, attempts = 0, addedAt = 0 }: Extract<TaskChange, { kind: 'add' }>,
): Row<'tasks'> => ({
  task,
  subject,
  dueAt,
  attempts,
  fence: before.fence + 1,
  leaseUntil: 0,
  payload,
  addedAt,
})

/** Two changes of one row in one batch are written as one change, from the first row to the last. */
function mergeChanges(earlier: Change | undefined, later: Change): Change | undefined {
  if (!earlier) return later
  if (earlier.kind === 'insert' || earlier.kind === 'ensure') return later.kind === 'delete' ? undefined : { ...later, kind: earlier.kind }
  if (earlier.kind === 'delete' && (later.kind === 'insert' || later.kind === 'ensure')) return { ...later, kind: 'update' }
  return later
}
