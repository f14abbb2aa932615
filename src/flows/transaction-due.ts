// `transaction.due`: asks the acquirer what became of a payment that it has not answered for. It only asks: a payment whose
// card is long forgotten cannot be sent again, and one that may have arrived must not be.

import type { Acquirer } from '../adapters/acquirer/acquirer.ts'
import { applyTransactionResult } from '../domain/transaction/apply-transaction-result.ts'
import { transactionSubject } from '../domain/transaction/transaction.ts'
import type { Clock } from '../engine/clock.ts'
import type { Engine } from '../engine/engine.ts'
import type { TaskHandler } from '../engine/tasks.ts'
import type { Reference } from '../reference/reference.ts'
import { askedAfter } from './register-bank-mandate.ts'

export interface AskParts {
  engine: Pick<Engine, 'submit'>
  clock: Clock
  reference: Pick<Reference, 'category'>
  acquirer(): Acquirer
}

export const transactionDue =
  ({ engine, clock, reference, acquirer }: AskParts): TaskHandler =>
  async ({ payload }, lease) => {
    const { mid, txnId, from, key } = payload as { mid: string; txnId: string; from?: number; key?: string }
    const answer = await askedAfter(acquirer(), key ?? transactionSubject({ mid, txnId }), txnId)
    const said = { mid, txnId, answer, ...(from !== undefined && { from }), reference }
    await engine.submit(applyTransactionResult, { ...said, now: clock.now() }, lease)
  }
