// What the service needs of a bank or a network: authorise, answer a question about it, refund. Every call has a key of its
// own; whoever hears a key twice does the work once and answers the same (docs/acquirer.md).

import type { Answer } from '../transaction/answer.ts'

/** A means of payment as the payer gave it. It is never kept: card numbers and CVVs live for one call. */
export type Means =
  | { kind: 'card'; number: string; cvv: string; expiryMonth: number; expiryYear: number }
  | { kind: 'savedCard'; token: string; cvv: string }
  | { kind: 'upiCollect'; vpa: string }
  | { kind: 'upiIntent' }
  | { kind: 'upiPush'; vpa?: string }
  | { kind: 'netBanking'; bank: string }
  | { kind: 'account' } // PPBL
  | { kind: 'postpaid' }

export interface Authorize {
  /** Unique for ever; the acquirer does the work of one key once. */
  key: string
  mid: string
  merchantName: string
  orderId: string
  amountPaise: number
  means: Means
  /** EMI: the months, and the bank's plan. */
  emi?: { tenure: number; planId: string }
  /** The customer wants the card kept: the answer brings a token for it. */
  keepCard: boolean
  /** The card's one-time password is asked for by us and not on a page of the bank's. */
  directOtp: boolean
  /** Where the bank's page sends the payer's browser. */
  returnUrl: string
}

export interface RefundCall {
  key: string
  /** Of the payment that is given back. */
  authorizeKey: string
  mid: string
  orderId: string
  amountPaise: number
}

export interface Acquirer {
  readonly name: string
  /** Never rejects: what goes wrong on the way is `unknown`. */
  authorize(call: Authorize): Promise<Answer>
  /** What became of an authorisation or a refund: `absent` when the acquirer never heard of the key. */
  status(key: string): Promise<Answer>
  refund(call: RefundCall): Promise<Answer>
  /** The one-time password that the payer typed on our page, or that he gives up. */
  otp(
    key: string,
    action: { type: 'submit'; otp: string } | { type: 'resend' } | { type: 'cancel' },
  ): Promise<Answer | { outcome: 'wrongOtp' }>
  close(): Promise<void>
}
