// The ledger, and the books that it must agree with.

import { debited, type Invariant } from './invariant.ts'

export const ledger: readonly Invariant[] = [
  {
    id: 'I17',
    says: 'every movement of money balances, and every line has one side',
    over: 'ledgerEntries',
    query: `select owner, movement from ledger_entries group by owner, movement
      having sum(debit_paise) <> sum(credit_paise) or min(debit_paise) < 0 or min(credit_paise) < 0
        or max(case when (debit_paise = 0) = (credit_paise = 0) then 1 else 0 end) = 1`,
  },
  {
    id: 'I18',
    says: 'for each payment the balance in the ledger is the captured amount less the refunded amount',
    over: 'transactions',
    query: [
      balance('merchant_payable and fees_income', "l.account in ('merchant_payable', 'fees_income')", earned()),
      balance('acquirer_receivable', "l.account = 'acquirer_receivable'", `-(${taken()})`),
      balance('refund_payable', "l.account = 'refund_payable'", 't.refunded_paise - t.returned_paise'),
      balance(
        'acquirer_suspense',
        "l.account = 'acquirer_suspense'",
        "case when t.status = 'FAILURE' then t.captured_paise - t.refunded_paise else 0 end",
      ),
      balance('offer_funding', "l.account like 'offer_funding:%'", `-(${funded()})`),
    ].join('\nunion all '),
  },
  {
    id: 'I44',
    says: 'the trial balance of every owner is zero, and so is that of all owners together',
    over: 'ledgerEntries',
    query: `select owner, sum(debit_paise) as debits, sum(credit_paise) as credits from ledger_entries group by owner having sum(debit_paise) <> sum(credit_paise)
      union all select 'all', sum(debit_paise), sum(credit_paise) from ledger_entries having sum(debit_paise) <> sum(credit_paise)`,
  },
  {
    id: 'I45',
    says: 'the balances of all wallets add up to the balance in the ledger',
    over: 'customers',
    query: `select * from (select
        (select coalesce(sum(credit_paise - debit_paise), 0) from ledger_entries where account = 'customer_wallet') as ledger,
        (select coalesce(sum(wallet_balance_paise), 0) from customers) as wallets) totals
      where ledger <> wallets`,
  },
]

/** Compares the balance of accounts, credits less debits, with the balance that each transaction's rows give. */
function balance(name: string, accounts: string, expected: string): string {
  return `select t.mid, t.txn_id, '${name}' as account from transactions t where -${debited(accounts)} <> ${expected}`
}

/** The merchant's part, and Mohur's fee. An offer that was undone took its discount with it. */
function earned() {
  return `case when t.status = 'SUCCESS' then t.amount_paise - t.refunded_paise - coalesce((select t.discount_paise from redemptions r
    where r.mid = t.mid and r.txn_id = t.txn_id and r.status = 'RELEASED'), 0) else 0 end`
}
/** The bank's part, less the refunds that the bank has made. */
function taken() {
  return `case t.status when 'SUCCESS' then t.bank_paise when 'FAILURE' then t.captured_paise else 0 end - coalesce((select sum(r.bank_paise) from refunds r
    where r.mid = t.mid and r.order_id = t.order_id and r.txn_id = t.txn_id and r.status = 'SUCCESS'), 0)`
}
function funded() {
  return `coalesce((select r.amount_paise from redemptions r where r.mid = t.mid and r.txn_id = t.txn_id and r.status = 'COMMITTED'), 0)`
}
