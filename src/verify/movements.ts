// Every movement of the ledger belongs to a payment, a refund or a wallet. Only a wallet's own lines change its balance.

import type { Invariant } from './invariant.ts'

/** The accounts that a kind of movement may touch. An offer's funder is one account. */
const accounts: Readonly<Record<string, readonly string[]>> = {
  opening: ['wallet_float', 'customer_wallet'],
  hold: ['customer_wallet', 'wallet_hold'],
  release: ['customer_wallet', 'wallet_hold'],
  capture: [
    'acquirer_receivable',
    'acquirer_suspense',
    'customer_wallet',
    'wallet_hold',
    'offer_funding',
    'merchant_payable',
    'fees_income',
  ],
  cashback: ['offer_funding', 'customer_wallet', 'cashback_payable'],
  'cashback-undone': ['offer_funding', 'customer_wallet', 'cashback_payable', 'cashback_recoverable'],
  'discount-undone': ['offer_funding', 'merchant_payable'],
  refund: ['merchant_payable', 'acquirer_suspense', 'refund_payable'],
  refunded: ['refund_payable', 'acquirer_receivable', 'customer_wallet'],
  'refund-failed': ['merchant_payable', 'acquirer_suspense', 'refund_payable'],
}
const KINDS_OF_REFUNDS = ['refund', 'refunded', 'refund-failed']
const isOfRefund = KINDS_OF_REFUNDS.map((kind) => `l.movement like '${kind}:%'`).join(' or ')

const account = "case when l.account like 'offer_funding:%' then 'offer_funding' else l.account end"
const wrongAccount = Object.entries(accounts)
  .map(([kind, allowed]) => `when l.movement like '${kind}:%' then ${account} not in ('${allowed.join("', '")}')`)
  .join(' ')
/** A movement is named after its subject, except those of refunds. */
const ownNames = Object.keys(accounts)
  .filter((kind) => !KINDS_OF_REFUNDS.includes(kind))
  .map((kind) => `'${kind}:' || l.subject`)
  .join(', ')

/** The movements of a refund, by its state. */
const ofRefunds = [
  ['refund', 'true'],
  ['refunded', "status = 'SUCCESS'"],
  ['refund-failed', "status = 'FAILURE'"],
]
  .map(
    ([kind, where]) =>
      `select mid as owner, '${kind}:' || refund_id as movement, txn_id as subject, amount_paise as paise from refunds where ${where}`,
  )
  .join(' union all ')

/** The movements of refunds by the ledger's lines. */
const linesOfRefunds = `select l.owner, l.movement, l.subject, sum(l.debit_paise + l.credit_paise) as paise from ledger_entries l
  where l.account = 'refund_payable' and (${isOfRefund}) group by l.owner, l.movement, l.subject`

/**
 * Compares the movements of one kind with a payment's wallet part. An attempt at a cycle holds that part in the decision that collects, or
 * never.
 */
const walletPart = (kind: string, where: string) => `select t.mid as owner, '${kind}:' || t.txn_id as movement from transactions t
  left join ledger_entries l on l.owner = t.mid and l.movement = '${kind}:' || t.txn_id and l.account = 'customer_wallet'
  group by t.mid, t.txn_id, t.wallet_paise, t.status, t.collection_id
  having coalesce(sum(l.debit_paise + l.credit_paise), 0) <> case when ${where} then t.wallet_paise else 0 end`

export const movements: readonly Invariant[] = [
  {
    id: 'I50',
    says: "every wallet's balance is the sum of its own lines in the ledger, and a payment moves only its payer's wallet",
    over: 'customers',
    query: `select c.user_id as wallet from customers c
        left join ledger_entries l on l.account = 'customer_wallet' and l.wallet = c.user_id
        group by c.user_id, c.wallet_balance_paise having coalesce(sum(l.credit_paise - l.debit_paise), 0) <> c.wallet_balance_paise
      union all select l.wallet from ledger_entries l left join customers c on c.user_id = l.wallet where l.wallet is not null and c.user_id is null
      union all select 'lines that name none' from ledger_entries where account = 'customer_wallet' and wallet is null
      union all select max(wallet) from ledger_entries where account = 'customer_wallet' and wallet is not null
        group by owner, subject having min(wallet) <> max(wallet)`,
  },
  {
    id: 'I51',
    says: 'every movement of money belongs to a payment, refund or wallet, and touches only the accounts that its kind may touch',
    over: 'ledgerEntries',
    query: ({ number }) => `select l.owner, l.movement from ledger_entries l
        where case when l.movement in (${ownNames}) then false else not (${isOfRefund}) end or case ${wrongAccount} else true end
      union all select owner, movement from (select * from (${ofRefunds}) refunds except select * from (${linesOfRefunds}) lines) untold
      union all select owner, movement from (select * from (${linesOfRefunds}) lines except select * from (${ofRefunds}) refunds) unowed
      union all select owner, movement from ledger_entries group by owner, movement having min(subject) <> max(subject) or min(at) <> max(at)
      union all ${walletPart('hold', "t.collection_id is null or t.status = 'SUCCESS'")}
      union all ${walletPart('release', "t.collection_id is null and t.status = 'FAILURE'")}
      union all select e.owner, 'capture:' || e.id from events e
        left join ledger_entries l on l.owner = e.owner and l.movement = 'capture:' || e.id and l.account = 'fees_income'
        where e.aggregate = 'transaction' and e.type = 'transaction.succeeded' group by e.owner, e.id, e.data
        having coalesce(sum(l.credit_paise - l.debit_paise), 0) is distinct from ${number('e.data', 'feePaise')}`,
  },
]
