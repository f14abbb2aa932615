// Double entry under every movement of money: docs/interface.md section 3 ("Ledger"). A movement is a set of lines whose
// debits and credits are equal; a decision writes it with the rows that it explains.

import type { Change } from '../../engine/decision.ts'
import { ledgerKey } from '../../tables/keys.ts'

/**
 * acquirer_receivable: what banks have taken for us. merchant_payable: what a merchant has earned. customer_wallet: what
 * wallets hold. wallet_float: what was put into wallets from outside. wallet_hold: wallet money waiting for the other half of
 * a payment. cashback_payable: cashback promised to customers without a wallet. fees_income: what the service keeps.
 * refund_payable: what is on its way back to customers. acquirer_suspense: what banks took too late or wrongly.
 * offer_funding:<funder>: what a funder owes for its offers.
 */
export type Account =
  | 'acquirer_receivable'
  | 'merchant_payable'
  | 'customer_wallet'
  | 'wallet_float'
  | 'wallet_hold'
  | 'refund_payable'
  | 'acquirer_suspense'
  | 'cashback_payable'
  | 'cashback_recoverable'
  | 'fees_income'
  | `offer_funding:${string}`

/** Positive: debit; negative: credit. A line of nothing is left out. A line of a wallet says whose: by the user's id. */
export type LedgerLine =
  | readonly [account: Exclude<Account, 'customer_wallet'>, paise: number]
  | readonly ['customer_wallet', paise: number, user: string]

/** Everything that moves money. A movement's name is one of these words and the id that stands behind it here. */
export const MOVEMENTS = {
  txnId: ['hold', 'release', 'capture', 'cashback', 'discount-undone', 'cashback-undone'],
  refundId: ['refund', 'refunded', 'refund-failed'],
  userId: ['opening'],
} as const
export type MovementName = `${(typeof MOVEMENTS)[keyof typeof MOVEMENTS][number]}:${string}`

/** `movement` names what moved the money, once for ever: `capture:<txnId>`. Throws when the lines do not balance: that is our own mistake. */
export function movement(owner: string, name: MovementName, subject: string, at: number, lines: readonly LedgerLine[]): Change[] {
  const sum = lines.reduce((total, [, paise]) => total + paise, 0)
  if (sum !== 0) throw new Error(`${name} does not balance: ${sum} paise are left over`)
  return lines
    .filter(([, paise]) => paise !== 0)
    .map(([account, paise, wallet = null], at0) => {
      const line = String(at0 + 1)
      return {
        kind: 'insert',
        key: ledgerKey(owner, name, line),
        row: {
          owner,
          movement: name,
          line,
          account,
          debitPaise: Math.max(paise, 0),
          creditPaise: Math.max(-paise, 0),
          subject,
          wallet,
          at,
        },
      }
    })
}
