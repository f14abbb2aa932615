// What the service needs of a bank or a network: authorise, answer a question about it, refund. Every call has a key of its
// own; whoever hears a key twice does the work once and answers the same (docs/acquirer.md).

import type { MandateTerms } from '../../domain/subscription/consent-result.ts'
import type { AcquirerAnswer } from '../../domain/transaction/acquirer-answer.ts'
import type { TakenMode } from '../../reference/reference.ts'

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
  /** The merchant's category code, four digits. */
  mcc: string
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
  /** Only for an acquirer that `wantsPayer`. */
  payer?: AuthorizePayer
  /** The payer consents to a mandate with this payment; an amount of 0 is a consent without one. */
  mandate?: MandateTerms
}

/** The payer, as far as order and request name them. */
export interface AuthorizePayer {
  custId: string
  /** Ten digits. */
  mobile?: string
  email?: string
  userAgent?: string
}

/** A mandate on a bank account, which no payment comes with. */
export interface Register extends MandateTerms {
  mid: string
  merchantName: string
  orderId: string
  isPaper: boolean
  account: Readonly<Record<string, string>>
  returnUrl: string
}

/** Tells the payer of a debit: the notice that the rules mean. */
export interface Notify {
  key: string
  mandateReference: string
  amountPaise: number
  debitDate: string
  reason: string
  /** Above the limit: he is asked to approve this very debit, too. */
  authenticationNeeded: boolean
}

export interface Collect {
  key: string
  mandateReference: string
  mid: string
  orderId: string
  amountPaise: number
  /** Of the notice that it stands on; absent where none is needed. */
  notifyKey?: string
  /** 1, 2, 3 … within its cycle. */
  attempt: number
  /** The payer has approved this debit itself. */
  authenticated: boolean
}

/** Terms that the payer is asked to approve; absent ones stay. */
export interface Amend {
  key: string
  mandateReference: string
  maxAmountPaise?: number
  expiryDate?: string
  validUntil: number
}

export type NoticeAnswer =
  /** He was told; `authentication` is what he has said when he was asked to approve the debit, absent while he has said nothing. */
  | { outcome: 'success'; reference: string; authentication?: 'pending' | 'approved' | 'declined' }
  /** The payer wants this debit not to be made. */
  | { outcome: 'optedOut' }
  | { outcome: 'failure' | 'pending' | 'unknown' | 'absent' }

/** Docs/acquirer.md: debits of one `collectMany`. */
export const COLLECTS_AT_ONCE_MAX = 256

/** What a mandate is at the bank; `pending` while the payer or the bank has not decided. */
export type MandateAnswer =
  | { outcome: 'active'; mandateReference: string }
  /** Whose pause, where it can tell: absent it is the payer's, unless we have told it of one. */
  | { outcome: 'paused'; pausedBy?: 'payer' | 'merchant' }
  | { outcome: 'revoked' | 'refused' | 'pending' | 'unknown' | 'absent' }

export interface RefundCall {
  key: string
  /** What the operator's log calls it: a refId, which the key may hold, is whatever somebody has typed. */
  logged: string
  /** Of the payment that is given back. */
  authorizeKey: string
  mid: string
  orderId: string
  amountPaise: number
}

/** To `cancel`: only `failure` says that no money can be taken any more. `cannot`: it has no such call. */
export type CancelAnswer = AcquirerAnswer | { outcome: 'cannot' }

export interface Acquirer {
  readonly name: string
  /** Never rejects: what goes wrong on the way is `unknown`. */
  authorize(call: Authorize): Promise<AcquirerAnswer>
  /**
   * What became of an authorisation or a refund: `absent` when the acquirer never heard of the key. `logged` as in RefundCall, and
   * of a refund the key of its payment.
   */
  status(key: string, logged?: string, authorizeKey?: string): Promise<AcquirerAnswer>
  refund(call: RefundCall): Promise<AcquirerAnswer>
  /** The one-time password that the payer typed on our page, or that he gives up. */
  otp(
    key: string,
    action: { type: 'submit'; otp: string } | { type: 'resend' } | { type: 'cancel' },
    /** Names this very call, where its caller may make it again: one that comes twice spends one try. 86 letters, digits, `-` and `_` at most. */
    call?: string,
  ): Promise<AcquirerAnswer | { outcome: 'wrongOtp' }>
  /** Calls a payment back that has not been made yet; what has been made stands. The payer wants to pay in another way. */
  cancel(key: string): Promise<CancelAnswer>
  /** The ways that it takes; absent: all. */
  readonly takes?: readonly TakenMode[]
  /** `authorize` brings `payer`. */
  readonly wantsPayer?: boolean
  /** Absent where the acquirer cannot collect: no subscription is then offered through it. */
  readonly mandates?: Mandates
  close(): Promise<void>
}

/** Collecting without the payer: docs/acquirer.md. Like the calls above, none of these rejects. */
export interface Mandates {
  /** The payment modes whose mandates it collects; a wallet's needs no bank. Undefined of an adapter that has not said it. */
  modes(): Promise<readonly string[] | undefined>
  register(call: Register): Promise<AcquirerAnswer>
  notify(call: Notify): Promise<NoticeAnswer>
  /** A debit on a mandate; it carries no secret and may be sent again under its key. The acquirer's `status` asks after it as after a payment. */
  collect(call: Collect): Promise<AcquirerAnswer>
  /** Whether it takes many debits in one call. Of an adapter as it has said within the hour. */
  takesMany(): Promise<boolean>
  /** Up to `COLLECTS_AT_ONCE_MAX` in one call, an answer each; undefined where the acquirer takes one by one. */
  collectMany?(calls: readonly Collect[]): Promise<readonly AcquirerAnswer[]>
  amend(call: Amend): Promise<MandateAnswer>
  /** Under keys of their own: `…:revoke`, `…:pause:n`, `…:resume:n`. A pause is the merchant's, and the payer's own is not lifted by `resume`. */
  revoke(key: string, mandateReference: string): Promise<MandateAnswer>
  pause(key: string, mandateReference: string): Promise<MandateAnswer>
  resume(key: string, mandateReference: string): Promise<MandateAnswer>
  status(key: string): Promise<MandateAnswer>
  noticeStatus(key: string): Promise<NoticeAnswer>
}
