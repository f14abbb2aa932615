// Counts what the rows of decisions reach: operations, transitions of the tables in src/domain, and every refusal or other code that an
// operation's `decide` names. It fails for an operation, a transition or a code that no row reaches.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { transitions as ofMerchant } from '../../src/domain/merchant/merchant.ts'
import { transitions as ofOrder } from '../../src/domain/order/order.ts'
import { transitions as ofRefund } from '../../src/domain/refund/refund.ts'
import { transitions as ofCycle } from '../../src/domain/subscription/collection/collection.ts'
import { moves } from '../../src/domain/subscription/subscription.ts'
import { transitions as ofTransaction } from '../../src/domain/transaction/transaction.ts'
import type { Decision, Event, Operation, Reply } from '../../src/engine/decision.ts'
import { known } from '../support/decided/decides.ts'
import type { Given } from '../support/decided/given.ts'

const root = join(import.meta.dirname, '../..')
const filesOf = (pattern: string) => globSync(pattern, { cwd: root }).map((file) => join(root, file))
const isOperation = (value: unknown): value is Operation<unknown> =>
  typeof value === 'object' && value !== null && 'decide' in value && 'reads' in value
const modules: object[] = await Promise.all(filesOf('src/domain/**/*.ts').map((file) => import(file)))
const operations = modules.flatMap((exported) => Object.values(exported).filter(isOperation))

for (const file of filesOf('test/domain/**/*.test.ts'))
  if (file !== import.meta.filename && readFileSync(file, 'utf8').includes('support/decided/decides.ts')) await import(file)

const began = performance.now()
const decided = await Promise.all(known.map(async ({ operation, given, run }) => ({ operation, given, decision: await run() })))
const ms = Math.round(performance.now() - began)

// -------------------------------------------------------------------------------------------------------------- refusals

interface Item {
  text: string
  /** It is spread into a decision that changes something: a wrong password uses a try. */
  isWidened?: boolean
  isReachedBy(reply: Reply): boolean
}

/** `refuse(codes.x, …)` with its literal arguments, and every other code, as `decide` has them. */
function itemsOf({ decide, codes }: Operation<unknown>): Item[] {
  const text = String(decide)
  const refusals = [...text.matchAll(/refuse\(\w*[cC]odes\.(\w+)([^()]*)\)/g)].map(([whole, name, rest]) => {
    const said = (rest ?? '').split(',').slice(1)
    return {
      text: whole,
      isWidened: text.includes(`...${whole}`),
      isReachedBy: (reply: Reply) =>
        reply.result === codes[name!] && [reply.message, reply.parameter, reply.cause].every((word, at) => fits(word, said[at]?.trim())),
    }
  })
  const named = [...text.matchAll(/\b\w*[cC]odes\.(\w+)/g)].map(([whole, name]) => ({
    text: whole,
    isReachedBy: ({ result }: Reply) => result === codes[name!],
  }))
  return [...new Map([...refusals, ...named].map((item) => [item.text, item])).values()]
}
function fits(word: unknown, said = 'undefined') {
  if (said === 'undefined') return word === undefined
  return !/^'\w*(\.\w*)*'$/.test(said) || said === `'${word}'`
}

test('every code that a decision names is the reply to a row', (t) => {
  const missing: string[] = []
  const undone: string[] = []
  const [reached, wanted] = [[] as string[], [] as string[]]
  for (const operation of operations) {
    const replies = decided.filter((each) => each.operation === operation).map(({ decision }) => decision.reply)
    if (replies.length === 0) undone.push(operation.name)
    for (const { text, isReachedBy } of itemsOf(operation)) {
      wanted.push(text)
      if (replies.some(isReachedBy)) reached.push(text)
      else missing.push(`${operation.name}: ${text}`)
    }
  }
  const refusals = (texts: readonly string[]) => texts.filter((text) => text.startsWith('refuse(')).length
  const done = operations.length - undone.length
  t.diagnostic(`${known.length} rows of ${done} of ${operations.length} operations decided in ${ms} ms`)
  t.diagnostic(`refusals ${refusals(reached)} of ${refusals(wanted)}; all codes ${reached.length} of ${wanted.length}`)
  assert.deepEqual([undone, missing], [[], []], 'operations without rows, and codes that no row reaches')
})

test('a refusal changes nothing', () => {
  for (const { operation, decision } of decided) {
    const said = itemsOf(operation).filter(({ isReachedBy }) => isReachedBy(decision.reply))
    if (said.some(({ text }) => text.startsWith('refuse(')) && !said.some(({ isWidened }) => isWidened))
      assert.deepEqual([decision.changes, decision.events, decision.tasks], [[], [], []], operation.name)
  }
})

// ------------------------------------------------------------------------------------------------------------ transitions

type Table = Readonly<Record<string, Readonly<Record<string, string>>>>
const tables: Readonly<Record<string, Table>> = {
  merchant: ofMerchant,
  order: ofOrder,
  transaction: ofTransaction,
  refund: ofRefund,
  collection: ofCycle,
}

/** Each move that an event reports. A subscription's move has the subStatus before and after it. */
function movesOf({ events }: Decision, given: readonly Given[]): string[] {
  const before = given.find(({ table }) => table === 'subscriptions')?.row as { subStatus: string } | undefined
  let subStatus = before?.subStatus
  return events.map(({ type, from, to, data }: Event) => {
    if (!type.startsWith('subscription.')) return `${type.slice(0, type.indexOf('.'))} ${from}>${to}`
    const was = subStatus
    subStatus = String(data['subStatus'])
    return `${type} ${from}/${was}>${to}/${subStatus}`
  })
}

test('every transition is made by a row', (t) => {
  const made = new Set(decided.flatMap(({ decision, given }) => movesOf(decision, given)))
  const wanted = Object.entries(tables).flatMap(([aggregate, table]) =>
    Object.entries(table).flatMap(([from, ways]) =>
      Object.entries(ways).map(([name, to]) => ({ name: `${aggregate} ${from} ${name}`, isMade: made.has(`${aggregate} ${from}>${to}`) })),
    ),
  )
  for (const [name, { from, to, subStatus, event }] of Object.entries(moves))
    for (const state of from) {
      const isIt = (text: string) =>
        text.startsWith(`subscription.${event} ${state}${state.includes('/') ? '' : '/'}`) && text.endsWith(`>${to}/${subStatus}`)
      wanted.push({ name: `subscription ${state} ${name}`, isMade: [...made].some(isIt) })
    }
  const missing = wanted.filter(({ isMade }) => !isMade).map(({ name }) => name)
  for (const aggregate of [...Object.keys(tables), 'subscription']) {
    const its = wanted.filter(({ name }) => name.startsWith(`${aggregate} `))
    t.diagnostic(`${aggregate}: transitions ${its.filter(({ isMade }) => isMade).length} of ${its.length}`)
  }
  assert.deepEqual(missing, [], 'transitions that no row makes')
})
