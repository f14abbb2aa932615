// The payer wants to pay in another way: docs/interface.md section 3. What the acquirer answered to `cancel`, taken over. Only its
// word that no money can be taken any more ends the attempt and frees the order: there is never a second beside one that may yet take it.

import { operation, refuse } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { notifyOfMoves } from '../subscription/mandate-notifications.ts'
import { rows, takenOver } from './apply-transaction-result.ts'
import { isInFlight } from './transaction.ts'

const codes = ownCodes('cancelTransaction', 'ended', 'paid', 'stands', 'gone')

export const cancelTransaction = operation({
  name: 'cancelTransaction',
  codes,
  ...rows,
  decide(command, state) {
    const { order, transaction } = state
    if (!order || !transaction || transaction.collectionId !== null) return refuse(codes.gone) // a debit is no payer's to call back
    const isOver = command.answer.outcome === 'success' || command.answer.outcome === 'failure'
    // How it ended is on the schedule of questions, and what is not over is asked after there.
    const taken = isOver ? takenOver(command, state) : undefined
    const after = taken?.body.transaction ?? transaction
    const result = isInFlight(after) ? codes.stands : after.status === 'SUCCESS' ? codes.paid : codes.ended
    return notifyOfMoves(state, command.now, {
      reply: { result },
      changes: taken?.changes ?? [],
      events: taken?.events ?? [],
      tasks: taken?.tasks ?? [],
    })
  },
})
