// Calls that Mohur makes to a bank or network: authorise, report a status, refund (docs/acquirer.md). Every call has its own key. An
// acquirer that receives a key twice does the work once and repeats its answer.

import type { MandateTerms } from '../../domain/subscription/consent-result.ts'
import type { AcquirerAnswer } from '../../domain/transaction/acquirer-answer.ts'
import type { TakenMode } from '../../reference/reference.ts'

/** A means of payment as the payer gave it. It is never stored: card numbers and CVVs live for one call. */
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
  /** Unique for ever. The acquirer does the work of one key once. */
  key: string
  mid: string
  merchantName: string
  /** The merchant's category code, four digits. */
  mcc: string
  orderId: string
  amountPaise: number
  means: Means
  /** EMI: the tenure in months, and the bank's plan. */
  emi?: { tenure: number; planId: string }
  /** The customer wants the card saved, so the answer brings a token for it. */
  keepCard: boolean
  /** Mohur's page asks for the card's one-time password, in place of the bank's page. */
  directOtp: boolean
  /** The bank's page sends the payer's browser here. */
  returnUrl: string
  /** Only for an acquirer with `wantsPayer`. */
  payer?: AuthorizePayer
  /** The payer consents to a mandate with this payment. With an amount of 0 the payer only consents. */
  mandate?: MandateTerms
}

/** The payer, as far as the order and the request name them. */
export interface AuthorizePayer {
  custId: string
  /** Ten digits. */
  mobile?: string
  email?: string
  userAgent?: string
}

/** A mandate on a bank account. No payment comes with it. */
export interface Register extends MandateTerms {
  mid: string
  merchantName: string
  orderId: string
  isPaper: boolean
  account: Readonly<Record<string, string>>
  returnUrl: string
}

/** The pre-notification of a debit, which the rules require. */
export interface Notify {
  key: string
  mandateReference: string
  amountPaise: number
  debitDate: string
  reason: string
  /** The amount is above the limit, so the payer is also asked to approve this debit. */
  authenticationNeeded: boolean
}

export interface Collect {
  key: string
  mandateReference: string
  mid: string
  orderId: string
  amountPaise: number
  /** The key of this debit's notice. Absent when no notice is needed. */
  notifyKey?: string
  /** Counts from 1 within its cycle. */
  attempt: number
  /** The payer has approved this very debit. */
  authenticated: boolean
}

/** Terms that the payer is asked to approve. A term that is absent stays unchanged. */
export interface Amend {
  key: string
  mandateReference: string
  maxAmountPaise?: number
  expiryDate?: string
  validUntil: number
}

export type NoticeAnswer =
  /** The payer was notified. `authentication` is their answer to a request to approve the debit; it is absent until they answer. */
  | { outcome: 'success'; reference: string; authentication?: 'pending' | 'approved' | 'declined' }
  | { outcome: 'optedOut' }
  | { outcome: 'failure' | 'pending' | 'unknown' | 'absent' }

/** docs/acquirer.md: debits of one `collectMany`. */
export const COLLECTS_AT_ONCE_MAX = 256

/** A mandate's state at the bank. It is `pending` until payer and bank have decided. */
export type MandateAnswer =
  | { outcome: 'active'; mandateReference: string }
  /** `pausedBy`: the party that paused the mandate, if the bank can say. Absent means the payer, unless Mohur has sent the bank a pause. */
  | { outcome: 'paused'; pausedBy?: 'payer' | 'merchant' }
  | { outcome: 'revoked' | 'refused' | 'pending' | 'unknown' | 'absent' }

export interface RefundCall {
  key: string
  /** The refund's name in the operator's log. The key may contain a refId, and a refId is free text. */
  logged: string
  /** The key of the payment to refund. */
  authorizeKey: string
  mid: string
  orderId: string
  amountPaise: number
}

/** The answer to `cancel`. Only `failure` says that no money can be taken any more. `cannot`: the acquirer has no cancel call. */
export type CancelAnswer = AcquirerAnswer | { outcome: 'cannot' }

export interface Acquirer {
  readonly name: string
  /** Never rejects. A fault on the way is `unknown`. */
  authorize(call: Authorize): Promise<AcquirerAnswer>
  /**
   * The result of an authorisation or a refund: `absent` when the acquirer never received the key. `logged` is as in RefundCall. For a
   * refund, `authorizeKey` is the key of its payment.
   */
  status(key: string, logged?: string, authorizeKey?: string): Promise<AcquirerAnswer>
  refund(call: RefundCall): Promise<AcquirerAnswer>
  /** Submits the one-time password that the payer typed on Mohur's page, requests another, or says that the payer gives up. */
  otp(
    key: string,
    action: { type: 'submit'; otp: string } | { type: 'resend' } | { type: 'cancel' },
    /** Names this call if its caller may repeat it. A repetition spends no second try. At most 86 letters, digits, `-` and `_`. */
    call?: string,
  ): Promise<AcquirerAnswer | { outcome: 'wrongOtp' }>
  /** Cancels a payment that has not been made, because the payer wants to pay in another way. A payment that has been made stands. */
  cancel(key: string): Promise<CancelAnswer>
  /** The payment modes that the acquirer takes. Absent: all. */
  readonly takes?: readonly TakenMode[]
  /** True: `authorize` brings `payer`. */
  readonly wantsPayer?: boolean
  /** Absent when the acquirer cannot collect. Then Mohur offers no subscription through it. */
  readonly mandates?: Mandates
  close(): Promise<void>
}

/** Debits without the payer (docs/acquirer.md). No call rejects, as in `Acquirer`. */
export interface Mandates {
  /**
   * The payment modes whose mandates the acquirer collects. A wallet's mandate needs no bank. Undefined until an adapter has named its
   * modes.
   */
  modes(): Promise<readonly string[] | undefined>
  register(call: Register): Promise<AcquirerAnswer>
  notify(call: Notify): Promise<NoticeAnswer>
  /**
   * A debit on a mandate. The call carries no secret and may be sent again under its key. `Acquirer.status` reports a debit as it reports a
   * payment.
   */
  collect(call: Collect): Promise<AcquirerAnswer>
  /** True when the acquirer takes many debits in one call. An adapter's statement is valid for an hour. */
  takesMany(): Promise<boolean>
  /** At most `COLLECTS_AT_ONCE_MAX` debits in one call, with an answer to each. Undefined when the acquirer takes one debit at a time. */
  collectMany?(calls: readonly Collect[]): Promise<readonly AcquirerAnswer[]>
  amend(call: Amend): Promise<MandateAnswer>
  /**
   * Each change has its own key: `…:revoke`, `…:pause:n`, `…:resume:n`. A pause here is the merchant's. `resume` does not lift a payer's
   * pause.
   */
  revoke(key: string, mandateReference: string): Promise<MandateAnswer>
  pause(key: string, mandateReference: string): Promise<MandateAnswer>
  resume(key: string, mandateReference: string): Promise<MandateAnswer>
  status(key: string): Promise<MandateAnswer>
  noticeStatus(key: string): Promise<NoticeAnswer>
}
