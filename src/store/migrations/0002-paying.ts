// What paying, refunds, the ledger, redemptions, notifications and repeated requests need.

import { createStatements } from '../schema.ts'

export const statements = [
  'alter table merchants add column fee_hundredths integer not null default 0 check (fee_hundredths between 0 and 10000)',
  'alter table orders add column transaction_count integer not null default 0 check (transaction_count between 0 and 5)',
  'alter table orders add column txn_id text',
  'alter table orders add column payer text',
  'alter table refresh_tokens add column used_at integer',
  'alter table refresh_tokens add column successor text',
  'alter table refresh_tokens add column successor_until integer',
  'create index refresh_tokens_by_expiry on refresh_tokens (expires_at)',
  'create index refresh_tokens_by_successor on refresh_tokens (successor_until)',
  'create index sso_tokens_by_expiry on sso_tokens (expires_at)',
  "alter table token_families add column sso_tokens text not null default '[]'",
  // Every family that is there has one SSO token, because nothing could be refreshed before.
  `update token_families set sso_tokens = '[{"tokenHash":"' || s.token_hash || '","expiresAt":' || s.expires_at || '}]' from sso_tokens s where s.family_id = token_families.family_id`,
  'create index token_families_by_age on token_families (created_at)',
  // No count is older than the latest one-time password, so that none is forgotten too early.
  'alter table otp_sends add column last_at integer not null default 0',
  'update otp_sends set last_at = coalesce((select max(created_at) from otp_challenges), 0)',
  'create index otp_sends_by_age on otp_sends (last_at)',
  'alter table otp_failures add column last_at integer not null default 0',
  'update otp_failures set last_at = coalesce((select max(expires_at) from otp_challenges), 0)',
  'create index otp_failures_by_age on otp_failures (last_at)',
  'alter table promotion_counters add column budget_paise integer check (budget_paise is null or amount_paise <= budget_paise)',
  'alter table promotion_counters add column uses_max integer check (uses_max is null or uses <= uses_max)',
  'create unique index customers_by_user on customers (user_id)',
  'alter table access_tokens add column cust_id text',
  'alter table access_tokens add column payer text',
  ...createStatements([
    'transactions',
    'refunds',
    'ledgerEntries',
    'redemptions',
    'savedCards',
    'checkoutOtps',
    'notificationStreams',
    'notifications',
    'deliveryAttempts',
    'stoppedEndpoints',
    'idempotencyKeys',
  ]),
  // A wallet that was there had its money from outside.
  ...[
    ['1', 'wallet_float', 'wallet_balance_paise', '0'],
    ['2', 'customer_wallet', '0', 'wallet_balance_paise'],
  ].map(
    ([line, account, debit, credit]) =>
      `insert into ledger_entries (owner, movement, line, account, debit_paise, credit_paise, subject, at)
        select 'wallet', 'opening:' || user_id, '${line}', '${account}', ${debit}, ${credit}, user_id, 0 from customers where wallet_balance_paise > 0`,
  ),
]
