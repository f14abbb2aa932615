// A line of the ledger about a wallet says whose. A migration that has been released is never edited.

export const statements = [
  `alter table ledger_entries add column wallet text check (account = 'customer_wallet' or wallet is null)`,
  // Whose the lines before this were is sealed in their payments: what they make together is carried over to the wallets that hold it.
  `insert into ledger_entries (owner, movement, line, account, debit_paise, credit_paise, subject, at, wallet)
        select 'wallet', 'carried:' || user_id, '1', 'customer_wallet', wallet_balance_paise, 0, user_id, 0, null from customers where wallet_balance_paise > 0`,
  `insert into ledger_entries (owner, movement, line, account, debit_paise, credit_paise, subject, at, wallet)
        select 'wallet', 'carried:' || user_id, '2', 'customer_wallet', 0, wallet_balance_paise, user_id, 0, user_id from customers where wallet_balance_paise > 0`,
]
