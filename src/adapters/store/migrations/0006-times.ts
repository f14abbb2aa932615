// When an order and a sign-in last changed, and when a task was added: docs/decisions/0013. A payment that began on a clock
// behind that of its order began, as far as anybody can tell now, with it.

export const statements = [
  `alter table orders add column updated_at integer not null default 0`,
  `alter table token_families add column updated_at integer not null default 0`,
  `alter table tasks add column added_at integer not null default 0`,
  `update transactions set initiated_at = o.txn_token_issued_at,
    updated_at = case when transactions.updated_at < o.txn_token_issued_at then o.txn_token_issued_at else transactions.updated_at end
    from orders o where o.mid = transactions.mid and o.order_id = transactions.order_id and transactions.initiated_at < o.txn_token_issued_at`,
]
