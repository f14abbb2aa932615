// A bank's number leads to its order, and what waits for its bank is found without reading all others. The partial indexes hold only what
// they are for. A migration that has been released is never edited.

export const statements = [
  'create index transactions_by_bank on transactions (bank_txn_id, mid, txn_id) where bank_txn_id is not null',
  "create index transactions_pending on transactions (initiated_at, mid, txn_id) where status = 'PENDING'",
  "create index transactions_unknown on transactions (initiated_at, mid, txn_id) where status = 'UNKNOWN'",
  'create index refunds_by_bank on refunds (bank_txn_id, mid, ref_id) where bank_txn_id is not null',
  "create index refunds_pending on refunds (requested_at, mid, ref_id) where status = 'PENDING'",
]
