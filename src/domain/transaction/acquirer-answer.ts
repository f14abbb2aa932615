// An acquirer's possible answers, the same for every adapter (adapters/acquirer/acquirer.ts). Decisions use these words.

import type { NextStep } from '../../tables/transaction.ts'

/** The reasons for which a payment or a refund failed. Each reason names a row of `orderStatus` in interface/result-codes.ts. */
export const FAILURES = [
  'declined',
  'insufficientFunds',
  'cancelled',
  'invalidInstrument',
  'timedOut',
  // For debits of mandates.
  'mandateRevoked',
  'mandatePaused',
  'notAuthenticated',
] as const
export type Failure = (typeof FAILURES)[number]

export const UNKNOWN = { outcome: 'unknown' } as const

export type AcquirerAnswer =
  | {
      outcome: 'success'
      /** The acquirer's own number of the payment or refund: bankTxnId. */
      reference: string
      /** The amount that the acquirer really took or gave back. An amount other than the requested one is a dispute, never a success. */
      amountPaise: number
      /** The part refunded since, including refunds under way. Absent when the acquirer does not say. */
      refundedPaise?: number
      /** Somebody other than Mohur made these refunds. */
      isRefundedByOthers?: true
      /** Only for a card that the customer wanted to save. */
      cardToken?: string
      /**
       * The acquirer's name of the mandate, if a consent came with the payment. The acquirer sends the name here, or while the payment is
       * pending.
       */
      mandateReference?: string
    }
  | {
      outcome: 'failure'
      failure: Failure
      reference?: string
      /** Only of a refused refund: what others than Mohur have refunded of the payment, and the number of the last such refund. */
      givenBack?: { reference: string; paise: number }
    }
  /** The payer or the bank still has something to do. */
  /** `next` null: the bank has received the password that the payer had to type. Without `next`, the payer's step does not change. */
  | { outcome: 'pending'; next?: NextStep | null; mandateReference?: string }
  /**
   * The acquirer did not answer, or its answer cannot be understood. A status inquiry follows; the service never sends the payment again
   * blindly. `retryAfterMs`: the acquirer takes no more calls for this long. An earlier call under the key may have been executed, so a call
   * that comes again has the same key.
   */
  | { outcome: 'unknown'; retryAfterMs?: number }
  /** The answer to a status inquiry only: the acquirer has never seen that key. */
  | { outcome: 'absent' }
