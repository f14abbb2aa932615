// A row of a decision's test: the given rows, the command, and everything that the decision returns.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { Change, Decision, Operation, TaskChange } from '../../../src/engine/decision.ts'
import type { ResultCode } from '../../../src/interface/result-codes.ts'
import type { Row, TableName } from '../../../src/tables/tables.ts'
import { decide, type Given, isNumberedByEvents, keyOf, type Members } from './given.ts'

/** A text alone, or with the members that the test names. */
type Line = string | readonly [what: string, members: Members]

/** A decision's result. A row of a test lists all of it: the decision returns nothing that the row leaves out. */
export interface Decided {
  /** The name of the code, and the refusal's fault: `badRequest signature`. Members of its body may follow. */
  reply: Line
  /** `update orders O` and the new value of every changed column. For an insert, the members that the test names. */
  changes: readonly (readonly [what: string, members?: Members])[]
  /** `order.closed CREATED>CLOSED`. Members of its data may follow. */
  events: readonly Line[]
  /** `refund.due M:R +1m`: when it is due, counted from the decision; or `cancel refund.due M:R`. Members of its payload may follow. */
  tasks: readonly Line[]
  /** `hold customer_wallet 500`: a debit is positive, a credit negative. */
  ledger: readonly string[]
  /** The merchant's notifications: `SALE TXN_SUCCESS`. Another stream is named first: `peon SALE TXN_SUCCESS`. */
  notified: readonly string[]
}
export type Comes = Partial<Decided> & Pick<Decided, 'reply'>
/** The result before `narrowed`: each line with all members. */
interface Came extends Omit<Decided, 'reply' | 'events' | 'tasks'> {
  reply: [string, Members]
  events: [string, Members][]
  tasks: [string, Members][]
}
export interface Case<Command> {
  given: readonly Given[]
  when: Command
  /** A text alone is a reply that changes nothing. */
  comes: string | Comes
}

function saidOf<Command>(
  { codes }: Operation<Command>,
  given: readonly Given[],
  command: Command,
  { reply, changes, events, tasks }: Decision,
): Came {
  const before = new Map(given.map((each) => [keyOf(each).name, each.row as Members]))
  const inserted = <T extends TableName>(table: T) =>
    changes.flatMap((change) => (change.kind === 'insert' && change.key.table === table ? [change.row as unknown as Row<T>] : []))
  const notifications = inserted('notifications')
  // A notification also writes its stream and the stream's task. `notified` covers them.
  const streams = notifications.map(({ mid, orderId, endpoint }) => `${mid}|${orderId}|${endpoint}`)
  const isSaidElsewhere = ({ kind, key: { table, id } }: Change) =>
    (kind === 'insert' && (table === 'ledgerEntries' || table === 'notifications')) ||
    (table === 'notificationStreams' && streams.includes(id.join('|')))
  return {
    reply: [
      [nameOf(codes, reply.result), reply.message, reply.parameter, wordOf(reply.cause)].filter((word) => word !== undefined).join(' '),
      (reply.body ?? {}) as Members,
    ],
    changes: changes.filter((change) => !isSaidElsewhere(change)).map((change) => saidChange(change, before.get(change.key.name) ?? {})),
    events: events.map(({ type, from, to, data }) => [`${type} ${from}>${to}`, data]),
    tasks: tasks
      .filter(({ task, subject }) => task !== 'notification.due' || !streams.includes(subject))
      .map((task) => saidTask(task, (command as { now?: number }).now ?? 0)),
    ledger: inserted('ledgerEntries').map(
      ({ movement, account, debitPaise, creditPaise }) => `${movement.split(':')[0]} ${account} ${debitPaise - creditPaise}`,
    ),
    notified: notifications.map(({ endpoint, content }) =>
      [endpoint === 'merchant' ? [] : endpoint, content['txnType'], content['status']].flat().join(' '),
    ),
  }
}

const nameOf = (codes: Readonly<Record<string, unknown>>, result: unknown) =>
  Object.keys(codes).find((name) => codes[name] === result) ?? (result as ResultCode).name

function saidChange(change: Change, before: Members): [string, Members] {
  const what = `${change.kind} ${change.key.table} ${change.key.id.at(-1)}`
  if (change.kind === 'delete') return [what, {}]
  const unsaid = isNumberedByEvents(change.key.table) ? ['version', 'updatedAt'] : ['updatedAt']
  const members = Object.entries(change.row)
  return [what, Object.fromEntries(members.filter(([name, value]) => !unsaid.includes(name) && !isDeepStrictEqual(value, before[name])))]
}

function saidTask(change: TaskChange, now: number): [string, Members] {
  const name = `${change.task} ${change.subject}`
  return change.kind === 'cancel' ? [`cancel ${name}`, {}] : [`${name} +${span(change.dueAt - now)}`, change.payload]
}
/** `1h30m`, `500`: milliseconds beyond whole seconds have no unit. */
function span(ms: number) {
  if (ms <= 0) return String(ms)
  const parts = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1_000) % 60, ms % 1_000]
  return parts.map((part, unit) => (part === 0 ? '' : `${part}${['h', 'm', 's', 'ms'][unit]}`)).join('')
}

/** For inserted rows, and for members beside a line, a test names only the members that matter to it. */
function narrowed({ reply, changes, events, tasks, ...rest }: Came, wanted: Comes): Decided {
  const change = ([what, members = {}]: Decided['changes'][number], at: number) =>
    [what, what.startsWith('update') ? members : named(members, wanted.changes?.[at]?.[1])] as const
  return {
    ...rest,
    reply: lineAs(wanted.reply)(reply),
    changes: changes.map(change),
    events: events.map((event, at) => lineAs(wanted.events?.[at])(event)),
    tasks: tasks.map((task, at) => lineAs(wanted.tasks?.[at])(task)),
  }
}
const wordOf = (cause: Decision['reply']['cause']) => (typeof cause === 'object' ? cause.keyword : cause)
const lineAs =
  (wanted: Line | undefined) =>
  ([what, members]: [string, Members]): Line =>
    typeof wanted === 'object' ? [what, named(members, wanted[1])] : what
const named = (members: Members, wanted: Members = {}) => Object.fromEntries(Object.keys(wanted).map((name) => [name, members[name]]))

// ------------------------------------------------------------------------------------------------------------------ tests

export interface Known {
  operation: Operation<unknown>
  given: readonly Given[]
  run(): Promise<Decision>
}
/** Every row of a test that this process has loaded, for the test that counts them. */
export const known: Known[] = []

export function decides<Command extends object>(operation: Operation<Command>, cases: Readonly<Record<string, Case<Command>>>) {
  describe(operation.name, () => {
    for (const [name, { given, when, comes }] of Object.entries(cases)) {
      const run = () => decide(operation, given, when)
      known.push({ operation: operation as unknown as Operation<unknown>, given, run })
      test(name, async () => {
        const said: Comes = typeof comes === 'string' ? { reply: comes } : comes
        const nothing = { changes: [], events: [], tasks: [], ledger: [], notified: [] }
        const wanted = { ...nothing, ...said, changes: (said.changes ?? []).map(([what, members = {}]) => [what, members]) }
        assert.deepEqual(narrowed(saidOf(operation, given, when, await run()), said), wanted)
      })
    }
  })
}
