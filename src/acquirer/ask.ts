// `transaction.due`: asks the acquirer what became of a payment that it has not answered for. It only asks: a payment whose
// card is long forgotten cannot be sent again, and one that may have arrived must not be.

import type { Clock } from '../engine/clock.ts'
import type { Engine } from '../engine/engine.ts'
import type { TaskHandler } from '../engine/tasks.ts'
import type { Reference } from '../transaction/reference.ts'
import { settleTransaction } from '../transaction/settle-transaction.ts'
import { transactionSubject } from '../transaction/transaction.ts'
import type { Acquirer } from './acquirer.ts'
import { askedAfter } from './bank-mandate.ts'

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
    await engine.submit(settleTransaction, { ...said, now: clock.now() }, lease)
  }
