// The payer of a wallet's mandate, whom no bank can ask: on the sandbox's phone he says what he says on his own page in production, but
// without a code (docs/sandbox.md).

import type { PayerAction } from '../adapters/acquirer/sandbox/sandbox-mandates.ts'
import type { Edge } from '../flows/edge.ts'
import {
  type Announced,
  debitThatWaits,
  editThatWaits,
  maySkip,
  moveMandate,
  openCyclesOf,
  sayToDebit,
  sayToEdit,
  skip,
} from '../flows/payer-actions.ts'
import { look } from '../tables/tables.ts'

type Named = Parameters<typeof moveMandate>[1]

/** False when there is nothing that he could say it to, or his bank asks him. */
export const walletPayer =
  (edge: Pick<Edge, 'engine' | 'query' | 'clock' | 'reference'>, settle: () => Promise<unknown>) =>
  async (of: Named, action: PayerAction): Promise<boolean> => {
    const isDone = await act(edge, of, action)
    if (isDone) await settle()
    return isDone
  }

async function act(edge: Pick<Edge, 'engine' | 'query' | 'clock' | 'reference'>, of: Named, action: PayerAction): Promise<boolean> {
  const subscription = await edge.query.row(look('subscriptions', of.mid, of.subscriptionId))
  if (subscription?.paymentMode !== 'BALANCE') return false
  const open = await openCyclesOf(edge, of)
  switch (action) {
    case 'revoke':
    case 'pause':
    case 'resume':
      return moveMandate(edge, of, action)
    case 'skip': {
      const next = open.find((each: Announced) => maySkip(each) && each.cycle.noticedAt !== null)
      return next !== undefined && skip(edge, next)
    }
    case 'approve':
    case 'decline': {
      const edit = editThatWaits(subscription, edge.clock.now())
      if (edit) return (await sayToEdit(edge, of, edit, action === 'approve' ? 'active' : 'refused')) === 'settled'
      const debit = debitThatWaits(open)
      if (!debit || (action === 'decline' && debit.cycle.authentication === 'DECLINED')) return false
      return (await sayToDebit(edge, debit, action === 'approve' ? 'approved' : 'declined')) === 'settled'
    }
    default:
      return action satisfies never
  }
}
