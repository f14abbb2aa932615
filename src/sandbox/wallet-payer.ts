// The payer of a wallet's mandate, whom no bank can ask. The sandbox's phone gives the answers that the payer's page gives in production,
// but without a code (docs/sandbox.md).

import type { PayerAction } from '../adapters/acquirer/sandbox/sandbox-mandates.ts'
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
import type { Ports } from '../flows/ports.ts'
import { look } from '../tables/tables.ts'

type Named = Parameters<typeof moveMandate>[1]

/** False when there is nothing to answer, or when a bank asks this payer. */
export const walletPayer =
  (ports: Pick<Ports, 'engine' | 'query' | 'clock' | 'reference'>, runDue: () => Promise<unknown>) =>
  async (of: Named, action: PayerAction): Promise<boolean> => {
    const isDone = await act(ports, of, action)
    if (isDone) await runDue()
    return isDone
  }

async function act(ports: Pick<Ports, 'engine' | 'query' | 'clock' | 'reference'>, of: Named, action: PayerAction): Promise<boolean> {
  const subscription = await ports.query.row(look('subscriptions', of.mid, of.subscriptionId))
  if (subscription?.paymentMode !== 'BALANCE') return false
  const open = await openCyclesOf(ports, of)
  switch (action) {
    case 'revoke':
    case 'pause':
    case 'resume':
      return moveMandate(ports, of, action)
    case 'skip': {
      const next = open.find((each: Announced) => maySkip(each) && each.cycle.noticedAt !== null)
      return next !== undefined && skip(ports, next)
    }
    case 'approve':
    case 'decline': {
      const edit = editThatWaits(subscription, ports.clock.now())
      if (edit) return (await sayToEdit(ports, of, edit, action === 'approve' ? 'active' : 'refused')) === 'applied'
      const debit = debitThatWaits(open)
      if (!debit || (action === 'decline' && debit.cycle.authentication === 'DECLINED')) return false
      return (await sayToDebit(ports, debit, action === 'approve' ? 'approved' : 'declined')) === 'applied'
    }
    default:
      return action satisfies never
  }
}
