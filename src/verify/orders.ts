// Orders, their payments and their refunds.

import { debited, IN_FLIGHT, type Invariant } from './invariant.ts'

export const orders: readonly Invariant[] = [
  {
    id: 'I01',
    says: 'an orderId is used once by a merchant',
    over: 'orders',
    query: 'select mid, order_id from orders group by mid, order_id having count(*) > 1',
  },
  {
    id: 'I02',
    says: "an order's amount is above 0, or 0 for a subscription; a payment's amount is the sum of its discount, wallet and bank parts",
    over: 'orders',
    query: `select mid, order_id as id from orders where amount_paise < 0 or (amount_paise = 0 and request_type <> 'NATIVE_SUBSCRIPTION')
      union all select mid, txn_id from transactions
        where discount_paise < 0 or wallet_paise < 0 or bank_paise < 0 or amount_paise <> discount_paise + wallet_paise + bank_paise`,
  },
  {
    id: 'I03',
    says: 'an order has as many modifications as it counts, at most five',
    over: 'orders',
    query: `select o.mid, o.order_id from orders o
      left join events e on e.owner = o.mid and e.aggregate = 'order' and e.id = o.order_id and e.type = 'order.modified'
      group by o.mid, o.order_id, o.modify_count having o.modify_count not between 0 and 5 or count(e.version) <> o.modify_count`,
  },
  {
    id: 'I04',
    says: 'the amount of an order is that of its latest event',
    over: 'orders',
    query: ({ number }) => `select o.mid, o.order_id from orders o
      join events e on e.owner = o.mid and e.aggregate = 'order' and e.id = o.order_id and e.version = o.version
      where ${number('e.data', 'amountPaise')} is distinct from o.amount_paise`,
  },
  {
    id: 'I05',
    says: 'no order was modified while it was being paid, or afterwards',
    over: 'events',
    query: `select owner, id, version from events where aggregate = 'order' and type = 'order.modified' and from_status <> 'CREATED'`,
  },
  {
    id: 'I06',
    says: 'an order has at most one successful payment',
    over: 'transactions',
    query: `select mid, order_id from transactions where status = 'SUCCESS' group by mid, order_id having count(*) > 1`,
  },
  {
    id: 'I07',
    says: 'an order has at most one payment in flight, and none beside a successful one',
    over: 'transactions',
    query: `select mid, order_id from transactions where status <> 'FAILURE' group by mid, order_id having count(*) > 1`,
  },
  {
    id: 'I08',
    says: 'a payment is captured in full or not at all, and by the amount that the ledger captured',
    over: 'transactions',
    query: `select t.mid, t.txn_id from transactions t
      where (t.status = 'SUCCESS' and t.captured_paise <> t.wallet_paise + t.bank_paise)
        or (t.status in ${IN_FLIGHT} and t.captured_paise <> 0)
        or t.captured_paise <> coalesce((select sum(l.debit_paise) from ledger_entries l where l.owner = t.mid
          and l.movement = 'capture:' || t.txn_id and l.account in ('acquirer_receivable', 'wallet_hold')), 0)`,
  },
  {
    id: 'I09',
    says: 'a payment has the amount that its order had when the payment began',
    over: 'transactions',
    query: ({ number }) => `select t.mid, t.txn_id from transactions t
      left join events e on e.owner = t.mid and e.aggregate = 'order' and e.id = t.order_id and e.version = t.order_version
      where ${number('e.data', 'amountPaise')} is distinct from t.amount_paise`,
  },
  {
    id: 'I10',
    says: "a payment's refunds that have not failed are at most what it captured, and add up to the sums in its row",
    over: 'refunds',
    query: `select t.mid, t.txn_id from transactions t
      left join refunds r on r.mid = t.mid and r.order_id = t.order_id and r.txn_id = t.txn_id and r.status <> 'FAILURE'
      group by t.mid, t.txn_id, t.captured_paise, t.refunded_paise, t.bank_refunded_paise, t.returned_paise
      having coalesce(sum(r.amount_paise), 0) > t.captured_paise
        or coalesce(sum(r.amount_paise), 0) <> t.refunded_paise
        or coalesce(sum(r.bank_paise), 0) <> t.bank_refunded_paise
        or coalesce(sum(case when r.status = 'SUCCESS' then r.amount_paise else 0 end), 0) <> t.returned_paise`,
  },
  {
    id: 'I11',
    says: 'no two refunds of a merchant have the same refId or refundId',
    over: 'refunds',
    query: `select mid, ref_id from refunds group by mid, ref_id having count(*) > 1
      union all select mid, refund_id from refunds group by mid, refund_id having count(*) > 1`,
  },
  {
    id: 'I12',
    says: 'an order is PAID exactly when one payment of its whole amount was captured and kept',
    over: 'orders',
    query: `select o.mid, o.order_id from orders o
      left join transactions t on t.mid = o.mid and t.order_id = o.order_id and t.status = 'SUCCESS'
      group by o.mid, o.order_id, o.status, o.amount_paise, o.txn_id
      having (o.status = 'PAID') <> (count(t.txn_id) = 1 and coalesce(sum(t.captured_paise + t.discount_paise), 0) = o.amount_paise)
        or (o.status = 'PAID' and max(t.txn_id) is distinct from o.txn_id)`,
  },
  {
    id: 'I36',
    says: "no payment begins before its order's txnToken, or after its order has expired",
    over: 'transactions',
    query: `select t.mid, t.txn_id from transactions t join orders o on o.mid = t.mid and o.order_id = t.order_id
      where t.collection_id is null
        and (t.initiated_at >= o.expires_at or t.initiated_at < o.txn_token_issued_at)`,
  },
  {
    id: 'I41',
    says: 'an order in process has its payment in flight, and a payment in flight is the one that its order names, unless the order was closed',
    over: 'orders',
    query: `select o.mid, o.order_id from orders o left join transactions t on t.mid = o.mid and t.txn_id = o.txn_id and t.order_id = o.order_id
      where o.status = 'IN_PROCESS' and (t.status is null or t.status not in ${IN_FLIGHT})
      union all select t.mid, t.order_id from transactions t join orders o on o.mid = t.mid and o.order_id = t.order_id
      where t.status in ${IN_FLIGHT} and o.status <> 'CLOSED' and (o.status <> 'IN_PROCESS' or o.txn_id is distinct from t.txn_id)`,
  },
  {
    id: 'I42',
    says: 'a capture that Mohur could not keep has an automatic refund, completed or pending',
    over: 'transactions',
    query: `select t.mid, t.txn_id from transactions t
      where t.status = 'FAILURE' and t.captured_paise > 0 and t.captured_paise <> coalesce((select sum(r.amount_paise) from refunds r
        where r.mid = t.mid and r.order_id = t.order_id and r.txn_id = t.txn_id and r.status <> 'FAILURE' and r.ref_id like 'auto:%'), 0)`,
  },
  {
    id: 'I43',
    says: "the wallet part of a payment is held exactly while the payment is in flight; a cycle's debit holds nothing",
    over: 'transactions',
    query: `select t.mid, t.txn_id from transactions t
      where -${debited("l.account = 'wallet_hold'")} <> case when t.status in ${IN_FLIGHT} and t.collection_id is null then t.wallet_paise else 0 end`,
  },
]
