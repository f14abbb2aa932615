// Applies the acquirer's answer to `cancel`, when the payer wants to pay in another way: docs/interface.md section 3. The attempt ends, and
// frees the order, only when the acquirer confirms that no money can be taken any more. So no second attempt runs beside an attempt that
// may still take money.

import { type Decision, NOTHING, operation, refuse } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { transactionKey } from '../../tables/keys.ts'
import { notifyOfMoves } from '../subscription/mandate-notifications.ts'
import { rows, takenOver } from './apply-transaction-result.ts'
import { isInFlight, type Transaction, transactionEvent } from './transaction.ts'

const codes = ownCodes('cancelTransaction', 'ended', 'paid', 'stands', 'gone')

export const cancelTransaction = operation({
  name: 'cancelTransaction',
  codes,
  ...rows,
  decide(command, state) {
    const { order, transaction } = state
    if (!order || !transaction || transaction.collectionId !== null) return refuse(codes.gone) // a payer cannot cancel a debit of a mandate
    const { answer, now } = command
    if (isInFlight(transaction) && answer.outcome === 'pending') return refused(transaction, now)
    const isOver = answer.outcome === 'success' || answer.outcome === 'failure'
    // Only a final answer is applied. Otherwise the scheduled status inquiries find the result.
    const taken = isOver ? takenOver(command, state) : undefined
    const after = taken?.body.transaction ?? transaction
    const result = isInFlight(after) ? codes.stands : after.status === 'SUCCESS' ? codes.paid : codes.ended
    return notifyOfMoves(state, now, {
      reply: { result },
      changes: taken?.changes ?? [],
      events: taken?.events ?? [],
      tasks: taken?.tasks ?? [],
    })
  },
})

/** The refusal is kept with the attempt. So every page of the order shows the refusal, even after a reload. */
function refused(before: Transaction, now: number): Decision<(typeof codes)['stands']> {
  const reply = { result: codes.stands }
  if (before.isCancelRefused) return { ...NOTHING, reply }
  const transaction: Transaction = { ...before, version: before.version + 1, isCancelRefused: true, updatedAt: now }
  return {
    ...NOTHING,
    reply,
    changes: [{ kind: 'update', key: transactionKey(before.mid, before.txnId), row: transaction }],
    events: [transactionEvent('transaction.cancel-refused', before, transaction, now)],
  }
}
