// Withdraws an unsent attempt: its transaction fails, its order closes, and its merchant is notified. The caller decides whether the cycle
// ends (end-cycle.ts) or goes on (attempt.ts, `attemptFailed`).

import { dayEnds } from '../../../engine/clock.ts'
import type { Change } from '../../../engine/decision.ts'
import { transactionKey } from '../../../tables/keys.ts'
import type { Row } from '../../../tables/tables.ts'
import { eventName, moneyStreamOf, notify, type Streams, withNotified } from '../../notification/notification.ts'
import { closed } from '../../order/order.ts'
import { failedTransaction } from '../../transaction/open-debit.ts'
import { withLastStatusInquiry } from '../../transaction/status-inquiry.ts'
import { contentOf, type Transaction, transactionEvent } from '../../transaction/transaction.ts'
import { outcomeRules } from '../outcome-rules.ts'
import type { Subscription } from '../subscription.ts'
import type { Collection } from './collection.ts'

/** No wallet amount was held for the attempt, because the hold comes when an attempt is sent. */
export function withdrawAttempt(
  { windowTo }: Collection,
  subscription: Subscription,
  { order, transaction: before, ...streams }: Streams & { order: Row<'orders'>; transaction: Transaction },
  now: number,
) {
  const transaction = failedTransaction(before, { result: 'cancelled', isWithdrawn: true }, now)
  const event = transactionEvent('transaction.failed', before, transaction, now)
  const content = { ...contentOf(order, transaction), subStatus: subscription.subStatus }
  const notified = notify({ order: moneyStreamOf(order), event: eventName(event), content }, streams, now)
  const over = closed(order, now)
  const changes: Change[] = [
    { kind: 'update', key: transactionKey(transaction.mid, transaction.txnId), row: transaction },
    ...over.changes,
    ...notified.changes,
  ]
  const withdrawn = { order, transaction, changes, events: [withNotified(event, notified), ...over.events], tasks: notified.tasks }
  // The service still asks the acquirer for the result. An attempt that the acquirer did not know may be withdrawn while its call is still
  // on the way.
  const asked = { transaction: before, rules: outcomeRules({ subscription }), firstAskedAt: now, windowEndsAt: dayEnds(windowTo) }
  const { events, tasks } = withLastStatusInquiry(withdrawn, asked, now)
  return { changes, events, tasks }
}
