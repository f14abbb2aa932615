// The first payment of a mandate on a bank account. Nothing is paid: the bank takes the mandate and decides on it later. To the order it is
// a payment of zero that succeeds when the bank has taken the mandate (docs/interface.md section 4.10).

import type { Acquirer, Register } from '../adapters/acquirer/acquirer.ts'
import { type AcquirerAnswer, UNKNOWN } from '../domain/transaction/acquirer-answer.ts'

const MANDATE_KEY = /:mandate(:\d+)?$/
export const isMandateKey = (key: string) => MANDATE_KEY.test(key)

/** A `pending` without a next step for the payer means that the bank has taken the mandate. */
export async function registered(acquirer: Acquirer, call: Register, txnId: string): Promise<AcquirerAnswer> {
  const answer = (await acquirer.mandates?.register(call)) ?? UNKNOWN
  if (answer.outcome !== 'pending' || answer.next) return answer
  const { mandateReference } = answer
  return { outcome: 'success', reference: txnId, amountPaise: 0, ...(mandateReference !== undefined && { mandateReference }) }
}

/** The result of a payment, by the key of its status inquiry (domain/transaction/transaction.ts, `askedKey`). */
export const statusInquiry = (acquirer: Acquirer, key: string, txnId: string): Promise<AcquirerAnswer> =>
  isMandateKey(key) ? registration(acquirer, key, txnId) : acquirer.status(key)

/**
 * The state of the registration, asked for later. It succeeds once the mandate is active. `isTaken` (domain/subscription/outcome-rules.ts)
 * says when a lasting `pending` also means that the bank has taken the mandate.
 */
async function registration(acquirer: Acquirer, key: string, txnId: string): Promise<AcquirerAnswer> {
  const answer = (await acquirer.mandates?.status(key)) ?? UNKNOWN
  switch (answer.outcome) {
    case 'active':
      return { outcome: 'success', reference: txnId, amountPaise: 0, mandateReference: answer.mandateReference }
    case 'refused':
    case 'revoked':
      return { outcome: 'failure', failure: 'declined' }
    case 'paused':
      return { outcome: 'pending' }
    default:
      return { outcome: answer.outcome }
  }
}
