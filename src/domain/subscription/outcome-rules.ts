// A subscription's rules for a payment's outcome. The payment is the subscription's first, or an attempt at one of its cycles. A decision
// that applies a result hands these rules to domain/transaction/transaction-outcome.ts, which knows nothing of mandates.

import { NOTHING } from '../../engine/decision.ts'
import type { Category } from '../../reference/reference.ts'
import type { Row } from '../../tables/tables.ts'
import { ORDINARY, type OutcomeRules } from '../transaction/paying.ts'
import { ABSENT_BELIEVED_AFTER_MS, GIVEN_UP_AFTER_MS, isInFlight } from '../transaction/transaction.ts'
import { attemptFailed, collected } from './collection/attempt.ts'
import { type Collection, checkAgainAt } from './collection/collection.ts'
import { agreedMeanwhile, consent, consentedInVain, isTooLateFor, lacksMandate } from './consent-result.ts'
import { bankKeepsOurPause, changedIn, move, type Subscription } from './subscription.ts'
import { timeOut } from './time-out.ts'

interface PaidFor {
  subscription: Subscription | undefined
  collection?: Collection | undefined
  /** True when a notice keeps the cycle's terms. Absent when the caller has read no notice. */
  isNoticed?: boolean
  /** The merchant's category, for the cycles that a consent begins. */
  category?: Category | undefined
}

export function outcomeRules({ subscription, collection, category, isNoticed }: PaidFor): OutcomeRules {
  if (!subscription) return ORDINARY
  return {
    isUnsent: collection?.sentAt === null,
    content: collection ? { subStatus: subscription.subStatus } : {},
    isAskedOfBank: ({ collectionId, paymentMode }) => collectionId === null && paymentMode !== 'BALANCE',
    // A mandate that a bank has taken is not given back. The mandate is withdrawn when the service asks the bank about it.
    isTooLate: (transaction, now) =>
      transaction.collectionId === null && transaction.paymentMode !== 'BANK_MANDATE' && isTooLateFor(subscription, now),
    isNameless: (transaction, reference) => lacksMandate({ subscription, transaction }, reference),
    isTaken,
    // The first payment is the consent. Every other payment collects its cycle.
    succeeded: (transaction, reference, now) => {
      if (collection) return collected(collection, now)
      return transaction.collectionId === null ? consent({ subscription, category }, transaction, reference, now) : NOTHING
    },
    // A failed first payment leaves the subscription as it is: the payer may try again until its order closes.
    failed: (result, now) => (collection ? debitFailed(collection, subscription, result, now, isNoticed) : NOTHING),
    pending: (transaction, reference, now) => agreedMeanwhile({ subscription, transaction }, reference, now),
    givenBack: (transaction, failed, reference, now) =>
      consentedInVain({ subscription: changedIn(failed)?.row ?? subscription, transaction }, reference, now),
    closed: (now) => timeOut(subscription, now),
    afterStatusInquiry: (dueAt) => collection && checkAgainAt(collection, dueAt),
  }
}

/**
 * A debit's failure may be the first report that the payer has withdrawn or paused the mandate. Then the subscription is cancelled or
 * paused too.
 */
function debitFailed(collection: Collection, before: Subscription, result: string, now: number, isNoticed: boolean | undefined) {
  const name =
    result === 'mandateRevoked' ? 'revoke' : result === 'mandatePaused' && !bankKeepsOurPause(before) ? 'pauseByPayer' : undefined
  const followed = name ? move(before, name, now) : { subscription: before, ...NOTHING }
  const cycle = attemptFailed(collection, followed.subscription, result, now, isNoticed)
  return { changes: [...followed.changes, ...cycle.changes], events: [...followed.events, ...cycle.events] }
}

/**
 * True when the service has waited long enough for the decision of a bank that has a bank mandate. If the payer never had a page to go to,
 * the answer to the registration was lost. Then a short wait is enough. Otherwise the wait is as long as for any payment. From then on the
 * service asks the bank daily, and collects nothing before the bank's decision.
 */
function isTaken(transaction: Row<'transactions'>, next: unknown, waitedMs: number) {
  const isRegistration = isInFlight(transaction) && transaction.paymentMode === 'BANK_MANDATE' && transaction.collectionId === null
  const waitsFor = transaction.next === null ? ABSENT_BELIEVED_AFTER_MS : GIVEN_UP_AFTER_MS
  return isRegistration && !next && waitedMs >= waitsFor
}
