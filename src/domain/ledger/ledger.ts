// Double entry of every movement of money: docs/interface.md section 3 ("Ledger"). A movement is a set of lines whose debits and credits
// are equal. A decision writes a movement with the rows that the movement explains.

import type { Change } from '../../engine/decision.ts'
import { ledgerKey } from '../../tables/keys.ts'

/**
 * acquirer_receivable: taken by banks for the service. merchant_payable: earned by merchants. customer_wallet: held in wallets.
 * wallet_float: put into wallets from outside. wallet_hold: wallet money that waits for the other half of a payment. cashback_payable:
 * promised to customers without a wallet. cashback_recoverable: undone cashback that was no longer in the wallet. fees_income: kept by the
 * service. refund_payable: on its way back to customers. acquirer_suspense: taken by banks too late or wrongly. offer_funding:<funder>:
 * owed by a funder for its offers.
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

/** A debit is positive, a credit negative. A line of zero is left out. The line of a wallet has its user's id. */
export type LedgerLine =
  | readonly [account: Exclude<Account, 'customer_wallet'>, paise: number]
  | readonly ['customer_wallet', paise: number, user: string]

/** Every movement of money. A movement's name is a word of this table, a colon, and an id. The key of the word's list says which id. */
export const MOVEMENTS = {
  txnId: ['hold', 'release', 'capture', 'cashback', 'discount-undone', 'cashback-undone'],
  refundId: ['refund', 'refunded', 'refund-failed'],
  userId: ['opening'],
} as const
export type MovementName = `${(typeof MOVEMENTS)[keyof typeof MOVEMENTS][number]}:${string}`

/**
 * `name` is the movement's alone for ever: `capture:<txnId>`. Throws when the lines do not balance, because that is Mohur's own mistake.
 */
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
