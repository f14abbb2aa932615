// A request to the sandbox's bank, a line of its journal, and how it can be made to behave (docs/sandbox.md).

import type { Failure } from '../../../domain/transaction/acquirer-answer.ts'
import type { NextStep } from '../../../tables/transaction.ts'

export interface BankRequest {
  key: string
  kind: 'authorize' | 'refund' | 'mandate' | 'notify' | 'approve' | 'collect' | 'amend' | 'pause' | 'resume' | 'revoke'
  mid: string
  order_id: string
  /** The shop, as the payer's app and the bank's page name it; empty where it is no payment. */
  payee: string
  /** The shop's category code; empty as `payee` is. */
  mcc: string
  state: 'pending' | 'success' | 'failure'
  /** `mandateHeld`: of a mandate that its merchant has paused, and its payer has not. */
  failure: Failure | 'optedOut' | 'mandateHeld' | null
  amount_paise: number
  /** Of a refund: the payment that it gives back. */
  authorize_key: string | null
  reference: string
  /** What it waits for: the payer in his app, on the bank's page, with a one-time password; or only time. */
  asks: NextStep['kind'] | 'time' | 'nothing'
  return_url: string
  tries: number
  card_token: string | null
  at: number
  /** When a request that waits is over by itself, and how: slow money arrives, a payer is not waited for; a failure that is known already is told then. */
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

/** Words that `POST /sandbox/bank/script` knows, and how the test instruments behave. */
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
