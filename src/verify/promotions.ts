// The amounts and uses that promotions have given, against their limits.

import { IN_FLIGHT, type Invariant, type Words } from './invariant.ts'

/** A redemption with the event that reserved it. The event has the limits of that moment. A limit is null if there was none. */
const reserved = `redemptions r join events v on v.owner = r.mid and v.aggregate = 'redemption' and v.id = r.txn_id and v.version = 1`

/** The standing redemptions were within a limit when the last of them was given. So no standing sum is above the highest limit ever met. */
const overLimit = (limit: string, used: string, whose?: string) => `select r.mid, r.promocode, ${whose ?? "''"} as cust_id from ${reserved}
  where r.status <> 'RELEASED' group by r.mid, r.promocode${whose ? `, ${whose}` : ''} having count(${limit}) = count(*) and ${used} > max(${limit})`

/** A counter has the limit of one of its redemptions. A counter is judged only if the events of all its redemptions state limits. */
const foreignLimit = ({ number, text }: Words, member: string, column: string, whose: '' | 'r.cust_id', where: string) => {
  const key = `c.mid = r.mid and c.promocode = r.promocode${whose === 'r.cust_id' ? ' and c.cust_id = r.cust_id' : ''}`
  return `select c.mid, c.promocode, c.cust_id from promotion_counters c join redemptions r on ${key}
    join events v on v.owner = r.mid and v.aggregate = 'redemption' and v.id = r.txn_id and v.version = 1
    where ${where} group by c.mid, c.promocode, c.cust_id, c.${column}
    having count(${text('v.data', 'kind')}) = count(*)
      and max(case when coalesce(${number('v.data', member)}, -1) = coalesce(c.${column}, -1) then 1 else 0 end) = 0`
}

/** A counter is the sum of its standing redemptions. */
const miscounted = (whose: string, joins: string) => `select c.mid, c.promocode, c.cust_id from promotion_counters c
  left join redemptions r on r.mid = c.mid and r.promocode = c.promocode and r.status <> 'RELEASED'${joins}
  where ${whose} group by c.mid, c.promocode, c.cust_id, c.uses, c.amount_paise
  having c.uses <> count(r.txn_id) or c.amount_paise <> coalesce(sum(r.amount_paise), 0)`

export const promotions: readonly Invariant[] = [
  {
    id: 'I19',
    says: "a promotion's counter is the sum of its redemptions, and within its budget",
    over: 'promotionCounters',
    query: `${miscounted("c.cust_id = ''", '')}
      union all select mid, promocode, cust_id from promotion_counters where amount_paise < 0 or amount_paise > budget_paise
      union all select r.mid, r.promocode, '' from redemptions r
        left join promotion_counters c on c.mid = r.mid and c.promocode = r.promocode and c.cust_id = ''
        where r.status <> 'RELEASED' and c.mid is null`,
  },
  {
    id: 'I20',
    says: 'a customer uses a promotion no more often than it allows, and an order uses at most one promotion',
    over: 'redemptions',
    query: `${miscounted("c.cust_id <> ''", ' and r.cust_id = c.cust_id')}
      union all select mid, promocode, cust_id from promotion_counters where uses > uses_max
      union all select mid, order_id, '' from redemptions where status <> 'RELEASED' group by mid, order_id having count(*) > 1`,
  },
  {
    id: 'I21',
    says: 'a redemption has the state that follows from its payment, and gives the payment its discount',
    over: 'redemptions',
    query: `select r.mid, r.txn_id from redemptions r join transactions t on t.mid = r.mid and t.txn_id = r.txn_id
      where t.promocode is distinct from r.promocode or t.order_id <> r.order_id
        or t.discount_paise <> case r.kind when 'DISCOUNT' then r.amount_paise else 0 end
        or r.status <> case
          when t.status in ${IN_FLIGHT} then 'RESERVED'
          when t.status = 'SUCCESS' and (t.captured_paise = 0 or t.returned_paise < t.captured_paise) then 'COMMITTED'
          else 'RELEASED' end
      union all select t.mid, t.txn_id from transactions t left join redemptions r on r.mid = t.mid and r.txn_id = t.txn_id
        where (t.discount_paise > 0 or t.promocode is not null) and r.txn_id is null`,
  },
  {
    id: 'I52',
    says: "a promotion's standing redemptions are within the limits under which they were given, and its counters have those limits",
    over: 'promotionCounters',
    query: (words) => `${overLimit(words.number('v.data', 'budgetPaise'), 'sum(r.amount_paise)')}
      union all ${overLimit(words.number('v.data', 'usesMax'), 'count(*)', 'r.cust_id')}
      union all ${foreignLimit(words, 'budgetPaise', 'budget_paise', '', "c.cust_id = ''")}
      union all ${foreignLimit(words, 'usesMax', 'uses_max', 'r.cust_id', "c.cust_id <> ''")}`,
  },
]
