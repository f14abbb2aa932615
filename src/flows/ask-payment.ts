// Asks a bank now, because the operator wants it. The question is the schedule's own, under the lease of its task. So of two simultaneous
// questions one answer counts. Nothing is ever sent. For a debit, its cycle asks the bank, in the service.

import { recheckCollection } from '../domain/subscription/collection/recheck-collection.ts'
import { type AskedNow, recheckTransaction } from '../domain/transaction/recheck-transaction.ts'
import { askedKey, isInFlight, transactionSubject } from '../domain/transaction/transaction.ts'
import type { Query } from '../engine/decision.ts'
import { LeaseLost } from '../engine/engine.ts'
import type { Random } from '../engine/random.ts'
import { FIRST_FENCE_MAX, LEASE_MS } from '../engine/tasks.ts'
import { look } from '../tables/tables.ts'
import { type AskParts, inquireStatusUnder } from './transaction-due.ts'

export interface AskNowParts extends AskParts {
  query: Query
  fresh: Pick<Random, 'fraction'>
}

/**
 * `asked`: the bank was asked, and its answer, if any, is applied. `debit`: the service asks about the debit at once. `busy`: another
 * process is asking now. `ended`: no bank has anything to report about the payment.
 */
export type AskResult = 'asked' | 'debit' | 'busy' | 'ended' | 'unknown'

export async function askPayment(parts: AskNowParts, { mid, txnId }: { mid: string; txnId: string }): Promise<AskResult> {
  const { engine, query, clock, fresh } = parts
  const transaction = await query.row(look('transactions', mid, txnId))
  const order = transaction && (await query.row(look('orders', mid, transaction.orderId)))
  if (!transaction || !order) return 'unknown'
  if (transaction.collectionId !== null && isInFlight(transaction)) {
    await engine.submit(recheckCollection, { mid, collectionId: transaction.collectionId, now: clock.now() })
    return 'debit'
  }
  const subject = transactionSubject(transaction)
  const key = askedKey(transaction, order.subscriptionId)
  const [now, realNow] = [clock.now(), clock.realNow()]
  const lease = { fence: Math.floor(fresh.fraction() * FIRST_FENCE_MAX), until: realNow + LEASE_MS }
  const { result, body } = await engine.submit(recheckTransaction, {
    ...{ mid, txnId, now, realNow, lease },
    ...(key !== subject && { key }),
  })
  if (result.name === 'busy') return 'busy'
  if (result.name !== 'asking') return 'ended'
  try {
    await inquireStatusUnder(parts, (body as AskedNow).payload, { task: 'transaction.due', subject, fence: lease.fence })
  } catch (error) {
    // The bank took longer than the lease, and another process asks now.
    if (error instanceof LeaseLost) return 'busy'
    throw error
  }
  return 'asked'
}
