// A payer's messages about their mandate, if the merchant leaves them to the service (`communicationManager`): docs/interface.md section 6.
// The facts are noted with the event. flows/payer-message-due.ts makes the text from the facts at sending.

import { dateInIndia } from '../../engine/clock.ts'
import type { Event, TaskChange } from '../../engine/decision.ts'
import { indianMobile } from '../../interface/fields.ts'
import type { AgreedTerms } from '../../tables/subscription.ts'
import type { Row } from '../../tables/tables.ts'
import { eventName } from '../notification/notification.ts'
import type { Collection } from './collection/collection.ts'
import type { Subscription } from './subscription.ts'
import { agreedTerms, termsAsked } from './subscription-view.ts'

export const PAYER_MESSAGE_KINDS = ['mandate-created', 'pre-debit', 'debited', 'debit-failed', 'edit-asked', 'mandate-cancelled'] as const
export type PayerMessageKind = (typeof PAYER_MESSAGE_KINDS)[number]

/** The mandate that a message links to. */
export interface Linked {
  mid: string
  subscriptionId: string
}

export interface Facts {
  kind: PayerMessageKind
  mobile: string
  merchant: string
  /** In messages about a mandate, the largest amount of one debit. */
  amountPaise: number
  /** In India, YYYY-MM-DD: the day of the debit, or of the event. */
  date: string
  reference: string
  /** The terms that were agreed or are asked for: with `mandate-created` and `edit-asked`. */
  terms?: AgreedTerms
  /**
   * The payer must approve a debit above the limit, or an edit. Without their approval the amount is not debited. With `debit-failed`, the
   * approval was missing.
   */
  isApprovalNeeded?: true
  mandate: Linked
  /** The mode of the mandate's debits. */
  paymentMode: string
}

/** The sealed payload of a `payer-message.due`. The task's subject is the idempotency key of the message. */
export interface PayerMessage extends Facts {
  notedAt: number
  /** How often sending was tried. */
  attempts: number
}

const KINDS: Readonly<Record<string, PayerMessageKind>> = {
  'subscription.activated': 'mandate-created',
  'subscription.cancelled': 'mandate-cancelled',
  'subscription.revoked': 'mandate-cancelled',
  'subscription.closed': 'mandate-cancelled',
  'subscription.edit-requested': 'edit-asked',
  'collection.noticed': 'pre-debit',
  'collection.collected': 'debited',
  'collection.attempt-failed': 'debit-failed',
  'collection.failed': 'debit-failed',
}

/** The payer's message for an event. Undefined for a cycle that was paid with the consent, and for an attempt that was not made. */
export function kindOf({ type, from, data }: Event): PayerMessageKind | undefined {
  const kind = KINDS[type]
  if (kind === 'debited' && from === '') return undefined
  if (kind === 'debit-failed' && (data['result'] === undefined || data['result'] === 'cancelled')) return undefined
  return kind
}

/** Ten digits: the subscription's own number, else the number of the payer who signed in to consent. */
export function mobileOf({ details, mandate }: Subscription, order: Row<'orders'> | undefined): string | undefined {
  return [details.mobile, order?.payer?.mobile, mandate?.payer?.mobile].map(indianMobile).find((each) => each !== undefined)
}

/** The number of the person whose approval counts. For a wallet: its owner's number, even if the merchant has given another number. */
export const codeMobileOf = (subscription: Subscription, order: Row<'orders'> | undefined): string | undefined =>
  subscription.paymentMode === 'BALANCE' ? subscription.mandate?.payer?.mobile : mobileOf(subscription, order)

interface About {
  subscription: Subscription
  cycle: Collection | undefined
  notice: Row<'notices'> | undefined
  merchant: Row<'merchants'> | undefined
  order: Row<'orders'>
}

/**
 * Returns one message for an event. Returns none when no number is known, or when the merchant does not leave the message to the service. A
 * wallet's `edit-asked` is sent even then. A wallet's `pre-debit` is not sent, because its notice was itself a message.
 */
export function messageTasks(event: Event, { subscription, cycle, notice, merchant, order }: About, now: number): TaskChange[] {
  const { consentedAt, paymentMode } = subscription
  if (consentedAt === null || paymentMode === null) return []
  const kind = kindOf(event)
  const isOfWallet = paymentMode === 'BALANCE'
  if (!subscription.communicationManager && !(isOfWallet && kind === 'edit-asked')) return []
  const mobile = kind === 'edit-asked' ? codeMobileOf(subscription, order) : mobileOf(subscription, order)
  const isNotifiedAlready = kind === 'pre-debit' && cycle?.rail === 'WALLET'
  if (!kind || !merchant || !mobile || isNotifiedAlready) return []
  const isAsked = kind === 'edit-asked' || (kind === 'pre-debit' && cycle?.authentication === 'ASKED')
  const message: PayerMessage = {
    ...{ kind, mobile, merchant: merchant.name },
    ...(kind === 'edit-asked' ? editOf(subscription) : aboutOf(event, { subscription, cycle, notice })),
    ...(kind === 'mandate-created' && { terms: agreedTerms(subscription) }),
    reference: cycle?.collectionId ?? subscription.subscriptionId,
    ...((isAsked || event.data['result'] === 'notAuthenticated') && { isApprovalNeeded: true }),
    mandate: { mid: subscription.mid, subscriptionId: subscription.subscriptionId },
    ...{ paymentMode, notedAt: now, attempts: 0 },
  }
  const subject = `${event.owner}|${eventName(event)}`
  return [{ kind: 'add', task: 'payer-message.due', subject, dueAt: now, payload: { ...message } }]
}

const aboutOf = ({ at }: Event, { subscription, cycle, notice }: Pick<About, 'subscription' | 'cycle' | 'notice'>) => ({
  amountPaise: notice?.amountPaise ?? cycle?.amountPaise ?? subscription.maxAmountPaise,
  date: notice?.debitDate ?? dateInIndia(at),
})

function editOf(subscription: Subscription) {
  const terms = termsAsked(subscription)
  return { amountPaise: terms.maxAmountPaise, date: terms.expiryDate, terms }
}
