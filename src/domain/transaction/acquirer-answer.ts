// What an acquirer may answer, whichever it is (adapters/acquirer/acquirer.ts): the words that decisions are made in.

import type { NextStep } from '../../tables/transaction.ts'

/** Why a payment or a refund failed: names of rows of `orderStatus` in interface/result-codes.ts. */
export const FAILURES = [
  'declined',
  'insufficientFunds',
  'cancelled',
  'invalidInstrument',
  'timedOut',
  // These are for debits on mandates.
  'mandateRevoked',
  'mandatePaused',
  'notAuthenticated',
] as const
export type Failure = (typeof FAILURES)[number]

/** Nobody answered, or not in a way that can be understood. */
export const UNKNOWN = { outcome: 'unknown' } as const

export type AcquirerAnswer =
  | {
      outcome: 'success'
      /** The acquirer's own number for it: bankTxnId. */
      reference: string
      /** What it really took or gave: anything but what was asked for is a quarrel, never a success. */
      amountPaise: number
      /** What of it was given back since; a refund that is on its way counts. Absent where the acquirer does not say it. */
      refundedPaise?: number
      /** For a card that the customer wanted kept. */
      cardToken?: string
      /** The acquirer's name for the mandate, when a consent came with the payment; said here or while it is pending. */
      mandateReference?: string
    }
  | { outcome: 'failure'; failure: Failure; reference?: string }
  /** It is not over: the payer has something to do, or the bank has. */
  /** `next` null: the password that the payer had to type is the bank's now. Without `next` he has to do what he had to do before. */
  | { outcome: 'pending'; next?: NextStep | null; mandateReference?: string }
  /** Nobody answered, or not in a way that can be understood: asked again, never sent again blind. */
  | { outcome: 'unknown' }
  /** Only to a question: the acquirer has never seen that key. */
  | { outcome: 'absent' }
