// Addresses of the pages about one order, payment or subscription, and the words for their states.

import { html } from '../../pages/html.ts'
import { CONSOLE } from '../kit/sheet.ts'

export const stateOf = (status: string) => html`<span class="state ${KINDS[status] ?? ''}">${WORDS[status] ?? status.toLowerCase()}</span>`
const KINDS: Readonly<Record<string, string>> = {
  ...{ SUCCESS: 'good', PAID: 'good', ACTIVE: 'good', AUTHORIZED: 'good', DELIVERED: 'good', done: 'good', given: 'good' },
  ...{ FAILURE: 'bad', DEAD: 'bad', REJECT: 'bad', AUTHORIZATION_FAILED: 'bad', refused: 'bad', over: 'bad' },
  ...{ PENDING: 'wait', UNKNOWN: 'wait', IN_PROCESS: 'wait', INITIATED: 'wait', SUSPENDED: 'wait', waiting: 'wait' },
}
const WORDS: Readonly<Record<string, string>> = {
  SUCCESS: 'paid',
  FAILURE: 'failed',
  IN_PROCESS: 'being paid',
  UNKNOWN: 'no answer',
  INITIATED: 'begun',
}

const part = encodeURIComponent
export const orderAddress = (mid: string, orderId: string) => `${CONSOLE}/orders/${part(mid)}/${part(orderId)}`
export const paymentAddress = (mid: string, txnId: string) => `${CONSOLE}/payments/${part(mid)}/${part(txnId)}`
export const subscriptionAddress = (mid: string, id: string) => `${CONSOLE}/subscriptions/${part(mid)}/${part(id)}`
export const APPROVALS = `${CONSOLE}/approvals`
export const approvalAddress = (approvalId: string) => `${APPROVALS}/${approvalId}`
