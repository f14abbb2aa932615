// A request to the sandbox's bank, a line of its journal, and its possible behaviours (docs/sandbox.md).

import type { Failure } from '../../../domain/transaction/acquirer-answer.ts'
import type { NextStep } from '../../../tables/transaction.ts'

export interface BankRequest {
  key: string
  kind: 'authorize' | 'refund' | 'mandate' | 'notify' | 'approve' | 'collect' | 'amend' | 'pause' | 'resume' | 'revoke'
  mid: string
  order_id: string
  /** The shop, as the payer's app and the bank's page name it. Empty when the request is no payment. */
  payee: string
  /** The shop's category code. Empty when `payee` is empty. */
  mcc: string
  state: 'pending' | 'success' | 'failure'
  /** `mandateHeld`: the merchant has paused the mandate, and the payer has not. */
  failure: Failure | 'optedOut' | 'mandateHeld' | null
  amount_paise: number
  /** For a refund: the key of its payment. */
  authorize_key: string | null
  reference: string
  /** What the request waits for: the payer in their app, on the bank's page or with a one-time password, or only time. */
  asks: NextStep['kind'] | 'time' | 'nothing'
  return_url: string
  tries: number
  card_token: string | null
  at: number
  /**
   * When a waiting request ends by itself, and how: slow money arrives, or the payer's time is over. If `failure` is set, it is reported
   * then.
   */
  due_at: number
  due: 'success' | 'timedOut'
}
export interface JournalLine {
  at: number
  key: string
  kind: BankRequest['kind']
  reference: string
  amount_paise: number
  outcome: string
}

/** Words of `POST /sandbox/bank/script`, and behaviours of the test instruments. */
export const BEHAVIOURS = [
  'success',
  'declined',
  'insufficient',
  'invalid',
  'pending',
  'slow',
  'timeout',
  'lost',
  'late',
  'wrongAmount',
  'duplicate',
  'page',
  'bankPage',
  'otp',
  'optedOut',
] as const
export type Behaviour = (typeof BEHAVIOURS)[number]
