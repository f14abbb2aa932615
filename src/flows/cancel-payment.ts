// "Pay in another way" (docs/interface.md section 3): the service asks the acquirer to cancel the attempt in flight. Without a clear answer
// the attempt stays in flight. The attempt keeps a refusal, so that the waiting payer reads the reason.

import type { Acquirer } from '../adapters/acquirer/acquirer.ts'
import type { AcquirerAnswer } from '../domain/transaction/acquirer-answer.ts'
import { cancelTransaction } from '../domain/transaction/cancel-transaction.ts'
import { recheckTransaction } from '../domain/transaction/recheck-transaction.ts'
import { askedKey, isInFlight } from '../domain/transaction/transaction.ts'
import type { Clock } from '../engine/clock.ts'
import type { Query } from '../engine/decision.ts'
import type { Engine } from '../engine/engine.ts'
import type { Reference } from '../reference/reference.ts'
import { look } from '../tables/tables.ts'
import { isMandateKey } from './register-bank-mandate.ts'
import { whoseRefund } from './transaction-due.ts'

export interface CancelParts {
  engine: Pick<Engine, 'submit'>
  query: Query
  clock: Clock
  reference: Pick<Reference, 'category'>
  acquirer(): Acquirer
}

/**
 * `ended`: the attempt failed; the order may be paid again while it has attempts left. `paid`: the attempt had succeeded, or does now.
 * `stands`: the bank refuses to cancel the attempt. `cannot`: the bank has no such call. `unknown`: the bank gave no answer, or no clear
 * one; the service now asks for the payment's result. `gone`: this attempt is not the one in flight.
 */
export type Cancelling = 'ended' | 'paid' | 'stands' | 'cannot' | 'unknown' | 'gone'

/** `attempt`: the number that the payer's page showed, so that an old page cancels no newer attempt. */
export async function cancelAttempt(
  { engine, query, clock, reference, acquirer }: CancelParts,
  { mid, orderId, attempt }: { mid: string; orderId: string; attempt: number },
): Promise<Cancelling> {
  const order = await query.row(look('orders', mid, orderId))
  const transaction = order && order.txnId !== null ? await query.row(look('transactions', mid, order.txnId)) : undefined
  if (!order || !transaction || transaction.attempt !== attempt || transaction.collectionId !== null) return 'gone'
  const { txnId } = transaction
  if (!isInFlight(transaction)) return transaction.status === 'SUCCESS' ? 'paid' : 'gone'

  const key = askedKey(transaction, order.subscriptionId)
  const cancelled = await acquirer().cancel(key)
  const answer = cancelled.outcome === 'success' ? await whoseRefund(acquirer(), transaction, cancelled, key) : cancelled
  const apply = async (said: AcquirerAnswer) => {
    const { result } = await engine.submit(cancelTransaction, { mid, txnId, orderId, answer: said, reference, now: clock.now() })
    return result.name as Cancelling
  }
  if (answer.outcome === 'pending') return apply(answer)
  if (answer.outcome === 'cannot') {
    const became = await apply({ outcome: 'pending' })
    return became === 'stands' ? 'cannot' : became
  }
  if (answer.outcome === 'failure' || (answer.outcome === 'success' && !isMandateKey(key))) {
    const became = await apply(answer)
    if (became !== 'stands') return became // a success that contradicts itself ends nothing
  }
  await engine.submit(recheckTransaction, { mid, txnId, now: clock.now(), realNow: clock.realNow() })
  return 'unknown'
}
