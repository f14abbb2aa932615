// Runs a decision without a store: rows in memory, the operation's own reads, and `decide`.

import assert from 'node:assert/strict'
import { BatchView } from '../../../src/engine/batch-view.ts'
import type { Change, Decision, Operation, Read, Reads } from '../../../src/engine/decision.ts'
import { MemoryStore } from '../../../src/engine/memory-store.ts'
import { lock, type Row, type TableName, tables } from '../../../src/tables/tables.ts'

/** A row that exists before the decision. */
export type Given = { [T in TableName]: { table: T; row: Row<T> } }[TableName]
export type Members = Readonly<Record<string, unknown>>
export const keyOf = ({ table, row }: Given) => lock(table, ...tables[table].key.map((column) => String((row as Members)[column])))

const ROUNDS = ['reads', 'readsNext', 'readsLast'] as const
const AGGREGATES: Readonly<Record<string, TableName>> = {
  order: 'orders',
  subscription: 'subscriptions',
  collection: 'collections',
  transaction: 'transactions',
  refund: 'refunds',
  redemption: 'redemptions',
  signin: 'tokenFamilies',
  merchant: 'merchants',
}
/** Whether events number the versions of such rows. If so, `decide` compares the two. */
export const isNumberedByEvents = (table: TableName) => Object.values(AGGREGATES).includes(table)

/** Runs the decision on the rows that its own reads find. Checks what holds for every decision: docs/contributing/code.md, "A decision". */
export async function decide<Command>(operation: Operation<Command>, given: readonly Given[], command: Command): Promise<Decision> {
  const store = new MemoryStore()
  const rows = given.map((each) => ({ kind: 'insert' as const, key: keyOf(each), row: frozen(structuredClone(each.row)) }) as Change)
  store.write({ changes: rows, events: [], tasks: [] })
  return store.transaction(async ({ read, find }) => {
    const view = new BatchView()
    const bring = async (names: readonly (Read | undefined)[]) => {
      const { keys, finds } = view.missing(names)
      view.add(keys, await read(keys))
      for (const each of finds) view.addFound(each, await find(each))
    }
    await bring(operation.prefetch?.(command) ?? [])
    let names: Reads = {}
    for (const round of ROUNDS) {
      names = { ...names, ...operation[round]?.(command, view.state(names) as never) }
      await bring(Object.values(names))
    }
    const state = view.state(names) as never
    const decision = operation.decide(command, state)
    assert.deepEqual(operation.decide(command, state), decision, 'it may run twice')
    assertNumbered(decision, rows)
    view.apply(decision, undefined, 0)
    return decision
  })
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen)
  return value
}

/** Each version of an aggregate has one event, and no row is changed twice. */
function assertNumbered({ changes, events }: Decision, rows: readonly Change[]) {
  assert.equal(new Set(changes.map(({ key }) => key.name)).size, changes.length, 'a row is changed once')
  const before = new Map(rows.map((change) => [change.key.name, versionOf(change)]))
  for (const [aggregate, table] of Object.entries(AGGREGATES)) {
    const versions = changes
      .filter(({ kind, key }) => kind !== 'delete' && key.table === table)
      .flatMap((change) => {
        const was = before.get(change.key.name) ?? 0
        return Array.from({ length: versionOf(change) - was }, (_, at) => `${change.key.id.at(-1)} ${was + at + 1}`)
      })
    const numbered = events.filter(({ type }) => type.startsWith(`${aggregate}.`)).map(({ id, version }) => `${id} ${version}`)
    assert.deepEqual(numbered.sort(), versions.sort(), `${aggregate}: events and versions`)
  }
}
const versionOf = (change: Change) => (change.kind !== 'delete' && 'version' in change.row ? change.row.version : 0)
