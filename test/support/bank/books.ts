// Holds the bank's journal against the books, and checks the chain of events of every aggregate. Both must hold at any time.

import assert from 'node:assert/strict'
import type { SandboxBank } from '../../../src/adapters/acquirer/sandbox/sandbox-bank.ts'
import { authorizeKey } from '../../../src/domain/transaction/transaction.ts'
import { bankJournal } from '../paying/paying.ts'
import type { Service } from '../run/service.ts'

const ALL = 10_000
/** The journal also lists results of mandates and messages to their payers. */
const MOVES_MONEY = ['authorize', 'collect', 'refund']

/** The bank's amount, taken less given back, equals Mohur's. Every movement balances. */
export async function booksEqualJournal(service: Service): Promise<void> {
  const journal = await bankJournal(service)
  const done = journal.filter(({ kind, outcome }) => outcome === 'success' && MOVES_MONEY.includes(kind))
  assert.equal(new Set(done.map(({ key }) => key)).size, done.length, 'the bank did one thing twice')
  const bankPaise = done.reduce((sum, { kind, amountPaise }) => sum + (kind === 'refund' ? -amountPaise : amountPaise), 0)
  const entries = await service.ports.query.rows({ find: 'ledgerEntries', limit: ALL })
  const ours = entries.filter(({ account }) => account === 'acquirer_receivable')
  assert.equal(
    ours.reduce((sum, { debitPaise, creditPaise }) => sum + debitPaise - creditPaise, 0),
    bankPaise,
    "the bank's journal and our books differ",
  )
  for (const [movement, lines] of Map.groupBy(entries, ({ owner, movement }) => `${owner} ${movement}`)) {
    const left = lines.reduce((sum, { debitPaise, creditPaise }) => sum + debitPaise - creditPaise, 0)
    assert.equal(left, 0, `${movement} does not balance`)
  }
  // Every transaction has captured what the bank took under its key.
  const taken = new Map(done.filter(({ kind }) => kind !== 'refund').map(({ key, amountPaise }) => [key, amountPaise]))
  for (const transaction of await service.ports.query.rows({ find: 'transactions', limit: ALL })) {
    const { txnId, status, walletPaise, capturedPaise } = transaction
    assert.equal(capturedPaise - (status === 'SUCCESS' ? walletPaise : 0), taken.get(authorizeKey(transaction)) ?? 0, txnId)
  }
}

/** The versions of orders and transactions have no gap, and each change begins in the state in which the one before ended. */
export async function chainsAreWhole({ ports }: Pick<Service, 'ports'>): Promise<void> {
  const events = await ports.query.rows({ find: 'events', orderBy: ['aggregate', 'id', 'version'], limit: ALL })
  assert.ok(events.length < ALL)
  for (const [name, chain] of Map.groupBy(events, ({ aggregate, owner, id }) => `${aggregate} ${owner} ${id}`)) {
    for (const [at, event] of chain.entries()) {
      assert.equal(event.version, at + 1, `${name} has a gap`)
      assert.equal(event.fromStatus, chain[at - 1]?.toStatus ?? '', `${name} jumps at ${event.version}`)
    }
  }
  const last = (aggregate: string, id: string) => events.findLast((event) => event.aggregate === aggregate && event.id === id)
  for (const { orderId, version, status } of await ports.query.rows({ find: 'orders', limit: ALL }))
    assert.deepEqual([last('order', orderId)?.version, last('order', orderId)?.toStatus], [version, status], orderId)
  for (const { txnId, version, status } of await ports.query.rows({ find: 'transactions', limit: ALL }))
    assert.deepEqual([last('transaction', txnId)?.version, last('transaction', txnId)?.toStatus], [version, status], txnId)
}

/** The amounts that the bank's journal shows as taken and given back equal those of transactions and ledger. */
export async function booksEqualBank(
  { ports }: Pick<Service, 'ports'>,
  journal: Awaited<ReturnType<SandboxBank['journal']>>,
): Promise<void> {
  const took = journal.filter(({ kind, outcome }) => kind === 'authorize' && outcome === 'success')
  const gave = journal.filter(({ kind, outcome }) => kind === 'refund' && outcome === 'success')
  const transactions = await ports.query.rows({ find: 'transactions', limit: 10 * ALL })
  const ours = transactions.filter(({ capturedPaise }) => capturedPaise > 0)
  const line = (key: string, paise: number, reference: string | null) => `${key} ${paise} ${reference}`
  assert.deepEqual(
    ours.map(({ mid, txnId, capturedPaise, bankTxnId }) => line(`${mid}:${txnId}`, capturedPaise, bankTxnId)).sort(),
    took.map(({ key, amount_paise, reference }) => line(key, amount_paise, reference)).sort(),
  )
  const entries = await ports.query.rows({ find: 'ledgerEntries', limit: 10 * ALL })
  const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0)
  assert.equal(
    sum(entries.filter(({ account }) => account === 'acquirer_receivable').map(({ debitPaise, creditPaise }) => debitPaise - creditPaise)),
    sum(took.map(({ amount_paise }) => amount_paise)) - sum(gave.map(({ amount_paise }) => amount_paise)),
  )
  assert.equal(sum(entries.map(({ debitPaise, creditPaise }) => debitPaise - creditPaise)), 0)
}

export const historyOf = async ({ ports }: Pick<Service, 'ports'>, aggregate: string, id: string): Promise<string[]> =>
  (await ports.query.rows({ find: 'events', equals: { aggregate, id }, orderBy: ['version'], limit: 100 })).map(({ type }) => type)
