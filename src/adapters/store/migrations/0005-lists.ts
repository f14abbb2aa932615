// Lists by time, and what a merchant's plugins may do. A migration that has been released is never edited.

export const statements = [
  `create index transactions_by_time on transactions (mid, initiated_at, txn_id, status, payment_mode)`,
  `create index refunds_by_time on refunds (mid, requested_at, ref_id)`,
  `alter table merchants add column registers_notification_url integer not null default 0 check (registers_notification_url in (0, 1))`,
  `alter table merchants add column flat_refund integer not null default 0 check (flat_refund in (0, 1))`,
]
