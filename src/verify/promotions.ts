// What promotions have given, against what they may give.

import { IN_FLIGHT, type Invariant } from './invariant.ts'

/** A counter is what the redemptions that still stand make together. */
const miscounted = (whose: string, joins: string) => `select c.mid, c.promocode, c.cust_id from promotion_counters c
  left join redemptions r on r.mid = c.mid and r.promocode = c.promocode and r.status <> 'RELEASED'${joins}
  where ${whose} group by c.mid, c.promocode, c.cust_id, c.uses, c.amount_paise
  having c.uses <> count(r.txn_id) or c.amount_paise <> coalesce(sum(r.amount_paise), 0)`

export const promotions: readonly Invariant[] = [
  {
    id: 'I19',
    says: 'what of a promotion is used is what its redemptions give, and within its budget',
    over: 'promotionCounters',
    query: `${miscounted("c.cust_id = ''", '')}
      union all select mid, promocode, cust_id from promotion_counters where amount_paise < 0 or amount_paise > budget_paise
      union all select r.mid, r.promocode, '' from redemptions r
        left join promotion_counters c on c.mid = r.mid and c.promocode = r.promocode and c.cust_id = ''
        where r.status <> 'RELEASED' and c.mid is null`,
  },
  {
    id: 'I20',
    says: 'a customer uses a promotion no more often than he may, and an order one promotion',
    over: 'redemptions',
    query: `${miscounted("c.cust_id <> ''", ' and r.cust_id = c.cust_id')}
      union all select mid, promocode, cust_id from promotion_counters where uses > uses_max
      union all select mid, order_id, '' from redemptions where status <> 'RELEASED' group by mid, order_id having count(*) > 1`,
  },
  {
    id: 'I21',
    says: 'a redemption stands exactly as its payment does, and gives its discount',
    over: 'redemptions',
    query: `select r.mid, r.txn_id from redemptions r join transactions t on t.mid = r.mid and t.txn_id = r.txn_id
      where t.promocode is distinct from r.promocode or t.order_id <> r.order_id
        or t.discount_paise <> case r.kind when 'DISCOUNT' then r.amount_paise else 0 end
        or r.status <> case
          when t.status in ${IN_FLIGHT} then 'RESERVED'
          when t.status = 'SUCCESS' and (t.captured_paise = 0 or t.returned_paise < t.captured_paise) then 'COMMITTED'
          else 'RELEASED' end
      union all select t.mid, t.txn_id from transactions t left join redemptions r on r.mid = t.mid and r.txn_id = t.txn_id
        where t.discount_paise > 0 and r.txn_id is null`,
  },
]
