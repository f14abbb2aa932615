// The buttons that a payment page has now. A post without its action is sent back to the page.

import { isInFlight } from '../../../domain/transaction/transaction.ts'
import type { PageState } from '../found/page-state.ts'

/** The last part of the address. */
export type ActionName = 'pay' | 'otp' | 'cancel' | 'check' | 'sign-in' | 'sign-in/otp' | 'remove-card' | 'more-time' | 'leave' | 'language'

/** `attempt`: the payment that the form is about (docs/pages.md, "One payment"). */
export interface PageAction {
  attempt?: number
}
export type PageActions = Readonly<Partial<Record<ActionName, PageAction>>>

export function pageActionsOf({ stage, order, latest }: Pick<PageState, 'stage' | 'order' | 'latest'>): PageActions {
  const always: PageActions = { 'more-time': {}, language: {} }
  switch (stage) {
    case 'over':
      return {}
    case 'paid':
    case 'closed':
      return always
    case 'choices':
      return { ...always, pay: { attempt: order.transactionCount + 1 }, 'sign-in': {}, 'sign-in/otp': {}, 'remove-card': {}, leave: {} }
    case 'otp':
    case 'bank':
    case 'upi':
    case 'collect':
    case 'waiting': {
      if (!latest || !isInFlight(latest)) return always
      const ofAttempt = { attempt: latest.attempt }
      return { ...always, check: ofAttempt, cancel: ofAttempt, ...(stage === 'otp' && { otp: ofAttempt }) }
    }
    default:
      return stage satisfies never
  }
}
