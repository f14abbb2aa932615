// A decision is a pure function from a command and the rows that it names to everything that should happen.

import type { Refusal } from '../interface/request.ts'
import type { ResultCode } from '../interface/result-codes.ts'
import type { Find, Key, Row, TableName } from '../tables/tables.ts'

export interface Reply<Code extends ResultCode = ResultCode, Body extends object = object> extends Refusal<Code> {
  body?: Body
}

/**
 * `insert` claims that the key is free. `update` and `delete` claim that the row was read with a lock. A false claim is refused. `ensure`
 * claims nothing: it writes the row if the key is free, and leaves an existing row. `ensure` is for rows to which every writer gives the
 * same content.
 */
export type Change<T extends TableName = TableName> = {
  [Name in T]: { kind: 'insert' | 'update' | 'ensure'; key: Key<Name>; row: Row<Name> } | { kind: 'delete'; key: Key<Name> }
}[T]

/** A state change of one aggregate, kept for ever: docs/decisions/README.md. `version` is the aggregate's own count. */
export interface Event {
  /** noun.past: `order.created`. */
  type: string
  /** The merchant, or the client of a sign-in. */
  owner: string
  id: string
  version: number
  from: string
  to: string
  at: number
  /** Numbers, ids and words of Mohur's own only: never a text that a person typed. */
  data: Readonly<Record<string, string | number | boolean | null>>
}

type Versioned = Readonly<{ version: number; status: string }>
/** `before` is undefined when the aggregate begins. */
export const eventOf = ({
  type,
  owner,
  id,
  before,
  after: { version, status },
  at,
  data,
}: Pick<Event, 'type' | 'owner' | 'id' | 'at' | 'data'> & { before: Versioned | undefined; after: Versioned }): Event => ({
  type,
  owner,
  id,
  version,
  from: before?.status ?? '',
  to: status,
  at,
  data,
})

/** Due work. Kind and subject are its key, so adding it again moves it. `payload` is sealed at rest. */
export type TaskChange =
  | {
      kind: 'add'
      task: string
      subject: string
      dueAt: number
      payload: Readonly<Record<string, unknown>>
      /**
       * For a task that begins once it is committed, without a claim. It begins in the caller that submits the command, or in this
       * process's runner.
       */
      lease?: { fence: number; until: number }
      /** How often the task has begun already. Set when a task is moved and its count goes on. */
      attempts?: number
      /** In real time; the engine sets it. */
      addedAt?: number
    }
  | { kind: 'cancel'; task: string; subject: string }

export interface Decision<Code extends ResultCode = ResultCode, Body extends object = object> {
  reply: Reply<Code, Body>
  changes: readonly Change[]
  events: readonly Event[]
  tasks: readonly TaskChange[]
  /**
   * True when an outside party has counted this refusal. The refusal is then kept as an answer, as a refusal that changed rows is
   * (kept-replies.ts).
   */
  counted?: true
}

export type Reads = Readonly<Record<string, Read | undefined>>
/** A row by its key, the rows of a list of keys, or a set of rows. */
export type Read = Key | readonly Key[] | Find
/** A row or undefined for each key, and rows for a set. Undefined for a read that was not named after all. */
export type State<R extends Reads> = {
  readonly [P in keyof R]: Brought<NonNullable<R[P]>> | (undefined extends R[P] ? undefined : never)
}
type Brought<R extends Read> =
  R extends Key<infer T>
    ? Row<T> | undefined
    : R extends readonly Key<infer T>[]
      ? readonly (Row<T> | undefined)[]
      : R extends Find<infer T>
        ? readonly Row<T>[]
        : never

export interface Operation<Command, Code extends ResultCode = ResultCode, Body extends object = object> {
  name: string
  codes: Readonly<Record<string, Code>>
  /** Rows that a later round is likely to name. The first round reads them too; the later round still names them. */
  prefetch?(command: Command): readonly (Key | Find)[]
  reads(command: Command): Reads
  readsNext?(command: Command, state: never): Reads
  readsLast?(command: Command, state: never): Reads
  decide(command: Command, state: never): Decision<Code, Body>
}

type None = Record<never, never>

/**
 * Ties the state that `decide` receives to the named keys, and the codes to one operation's table. `readsNext` names rows that only the
 * first rows can name, `readsLast` rows that only the second can. There are three rounds at most.
 */
export function operation<
  Command,
  R extends Reads,
  Code extends ResultCode,
  Body extends object,
  Next extends Reads = None,
  Last extends Reads = None,
>(op: {
  name: string
  codes: Readonly<Record<string, Code>>
  prefetch?: (command: Command) => readonly (Key | Find)[]
  reads: (command: Command) => R
  readsNext?: (command: Command, state: State<R>) => Next
  readsLast?: (command: Command, state: State<R> & State<Next>) => Last
  decide: (command: Command, state: State<R> & State<Next> & State<Last>) => Decision<NoInfer<Code>, Body>
}): Operation<Command, Code, Body> {
  return op as unknown as Operation<Command, Code, Body>
}

/** An operation that only reads. It is answered beside the batches and never waits for them. */
export interface Question<Request, Code extends ResultCode = ResultCode, Body extends object = object> {
  name: string
  codes: Readonly<Record<string, Code>>
  answer(request: Request, query: Query): Promise<Reply<Code, Body>>
}
export const question = <Request, Code extends ResultCode, Body extends object>(op: {
  name: string
  codes: Readonly<Record<string, Code>>
  answer: (request: Request, query: Query) => Promise<Reply<NoInfer<Code>, Body>>
}): Question<Request, Code, Body> => op

/** Reads of committed rows, without a lock. */
export interface Looks {
  row<T extends TableName>(key: Key<T>): Promise<Row<T> | undefined>
  rows<T extends TableName>(find: Find<T>): Promise<readonly Row<T>[]>
}
export interface TasksBeyond {
  tasks: readonly Pick<Row<'tasks'>, 'task' | 'subject'>[]
  next?: number
}

export interface Query extends Looks {
  /** How many rows a set without filter and offset has, at most `limit`. It counts entries of an index, and reads no row. */
  count(find: Find): Promise<number>
  /**
   * Tasks that were added after `added` or are leased beyond `leased`. `next` is set while there may be more behind it. No index has these
   * times: the embedded store looks at a bounded number of tasks, because it blocks the process meanwhile. A server looks at all.
   */
  tasksBeyond(times: { added: number; leased: number }, after?: number): Promise<TasksBeyond>
  /** A text that is the same only while no process commits anything. It may differ without a commit. */
  revision(): Promise<string>
  /**
   * All reads of `work` are of one moment: it sees the whole of a commit or nothing. `work` reads by its argument alone, and waits for
   * nothing else.
   */
  atOneMoment<T>(work: (looks: Looks) => Promise<T>): Promise<T>
}

export const NOTHING = { changes: [], events: [], tasks: [] } as const

export const refuse = <Code extends ResultCode>(
  result: Code,
  message?: string,
  parameter?: string,
  cause?: Refusal['cause'],
): Decision<Code, never> => ({
  ...NOTHING,
  reply: {
    result,
    ...(message !== undefined && { message }),
    ...(parameter !== undefined && { parameter }),
    ...(cause !== undefined && { cause }),
  },
})

/** A refusal that was found before the rows were read. */
export const refuseWith = <Code extends ResultCode>(reply: Refusal<Code>): Decision<Code, never> => ({ ...NOTHING, reply })

/** Keeps one change a row, the last. An update after an insert stays an insert. An `ensure` after a write is dropped. */
export function latest(changes: readonly Change[]): Change[] {
  const byRow = new Map<string, Change>()
  for (const change of changes) {
    const before = byRow.get(change.key.name)
    if (before && before.kind !== 'delete' && change.kind === 'ensure') continue
    byRow.set(change.key.name, before?.kind === 'insert' && change.kind === 'update' ? { ...change, kind: 'insert' } : change)
  }
  return [...byRow.values()]
}
