// What operators ask and change. A bank's number leads to its order, and what waits for its bank is found without reading all others: the partial
// indexes hold only what they are for. A merchant may be disabled, and each change of one by an operator has an event. A migration that has
// been released is never edited.

export const statements = [
  'create index transactions_by_bank on transactions (bank_txn_id, mid, txn_id) where bank_txn_id is not null',
  "create index transactions_pending on transactions (initiated_at, mid, txn_id) where status = 'PENDING'",
  "create index transactions_unknown on transactions (initiated_at, mid, txn_id) where status = 'UNKNOWN'",
  'create index refunds_by_bank on refunds (bank_txn_id, mid, ref_id) where bank_txn_id is not null',
  "create index refunds_pending on refunds (requested_at, mid, ref_id) where status = 'PENDING'",
  'alter table merchants add column version integer not null default 0 check (version >= 0)',
  `alter table merchants add column status text not null default 'ACTIVE' check (status in ('ACTIVE', 'DISABLED'))
  check (version >= 1 or status = 'ACTIVE')`,
]
