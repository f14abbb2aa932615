// Checks the rules of src/tables on the rows themselves. Constraints can be lost when an operator restores a backup, or mends a
// database by hand.

import { sqlName } from '../adapters/store/codec.ts'
import type { Table } from '../tables/columns.ts'
import { type TableName, tables } from '../tables/tables.ts'
import type { Invariant } from './invariant.ts'

const eachTable = (query: (name: string, table: Table) => readonly string[]) =>
  (Object.keys(tables) as TableName[]).flatMap((name) => query(sqlName(name), tables[name] as unknown as Table)).join('\nunion all ')

const textOf = (columns: readonly string[]) => columns.map((column) => `cast(${sqlName(column)} as text)`).join(" || '|' || ")

function rulesOf({ columns, checks = [] }: Table): string[] {
  const allowed = Object.entries(columns).flatMap(([column, { kind, optional, oneOf }]) => {
    const values = kind === 'boolean' ? '0, 1' : oneOf?.map((value) => `'${value}'`).join(', ')
    return [...(values === undefined ? [] : [`${sqlName(column)} in (${values})`]), ...(optional ? [] : [`${sqlName(column)} is not null`])]
  })
  return [...allowed, ...checks.map((check) => `(${check})`)]
}

export const constraints: readonly Invariant[] = [
  {
    id: 'I55',
    says: 'the store has its mode and the check of its master key, and a production store has nothing of the sandbox',
    over: 'settings',
    query: `select name from (select 'mode' as name union all select 'masterKeyCheck') wanted where name not in (select name from settings)
      union all select name from settings where name = 'mode' and value not in ('sandbox', 'production')
      union all select 'clockOffsetMs' from settings m join settings c on c.name = 'clockOffsetMs' where m.name = 'mode' and m.value = 'production'
      union all select 'messages' from settings m where m.name = 'mode' and m.value = 'production' and exists (select 1 from messages)`,
  },
  {
    id: 'I37',
    says: 'an Idempotency-Key is one request with one answer',
    over: 'idempotencyKeys',
    query: 'select owner, operation, key_hash from idempotency_keys group by owner, operation, key_hash having count(*) > 1',
  },
  {
    id: 'I38',
    says: 'every row belongs to the same merchant as the row that it is part of',
    over: 'orders',
    query: [
      orphans('orders', 'order_id', 'merchants', 'p.mid = c.mid'),
      orphans('transactions', 'txn_id', 'orders', 'p.mid = c.mid and p.order_id = c.order_id'),
      orphans('refunds', 'ref_id', 'transactions', 'p.mid = c.mid and p.txn_id = c.txn_id and p.order_id = c.order_id'),
      orphans('redemptions', 'txn_id', 'transactions', 'p.mid = c.mid and p.txn_id = c.txn_id and p.order_id = c.order_id'),
      orphans('subscriptions', 'subscription_id', 'orders', 'p.mid = c.mid and p.order_id = c.order_id'),
      orphans('collections', 'collection_id', 'subscriptions', 'p.mid = c.mid and p.subscription_id = c.subscription_id'),
      orphans('notices', 'notice_id', 'collections', 'p.mid = c.mid and p.collection_id = c.collection_id'),
      `${orphans('transactions', 'txn_id', 'collections', 'p.mid = c.mid and p.collection_id = c.collection_id')} and c.collection_id is not null`,
      orphans('notification_streams', 'order_id', 'orders', 'p.mid = c.mid and p.order_id = c.order_id'),
      orphans('delivery_attempts', 'notification_id', 'notifications', 'p.mid = c.mid and p.notification_id = c.notification_id'),
      ...['merchant_keys', 'access_tokens', 'customer_links', 'saved_cards', 'stopped_endpoints'].map((child) =>
        orphans(child, 'mid', 'merchants', 'p.mid = c.mid'),
      ),
      ...['used_signatures', 'checkout_otps'].map((child) =>
        orphans(child, 'order_id', 'orders', 'p.mid = c.mid and p.order_id = c.order_id'),
      ),
      ...['promotion_counters', 'redemptions'].map((child) =>
        orphans(child, 'promocode', 'promotions', 'p.mid = c.mid and p.promocode = c.promocode'),
      ),
      `select 'ledger_entries', c.owner, c.movement from ledger_entries c left join transactions p on p.mid = c.owner and p.txn_id = c.subject
        where p.mid is null and c.owner <> 'wallet'`,
      `select 'ledger_entries', c.owner, c.movement from ledger_entries c left join customers p on p.user_id = c.subject
        where p.mobile is null and c.owner = 'wallet'`,
    ].join('\nunion all '),
  },
  {
    id: 'I40',
    says: 'a piece of due work has one task',
    over: 'tasks',
    query: 'select task, subject from tasks group by task, subject having count(*) > 1',
  },
  {
    id: 'I58',
    says: "among a merchant's keys under one clientId exactly one has no end and signs, and at most one is prepared",
    over: 'merchantKeys',
    query: `select mid, client_id from merchant_keys group by mid, client_id
      having sum(case when retires_at is null and is_prepared = 0 then 1 else 0 end) <> 1 or sum(is_prepared) > 1`,
  },
  {
    id: 'I46',
    says: 'every row satisfies src/tables: its words, its numbers, its CHECKs',
    over: 'every table',
    query: eachTable((name, table) => [
      `select '${name}' as place, ${textOf(table.key)} as id from ${name} where not (${rulesOf(table).join(' and ')})`,
    ]),
  },
  {
    id: 'I47',
    says: 'every value of a key or unique index in src/tables has one row',
    over: 'every table',
    query: eachTable((name, { key, indexes = {} }) => [
      `select '${name}' as place, ${textOf(key)} as id from ${name} group by ${key.map(sqlName).join(', ')} having count(*) > 1`,
      ...Object.entries(indexes)
        .filter(([, { unique }]) => unique)
        .map(
          ([index, { columns, where }]) =>
            `select '${sqlName(index)}' as place, ${textOf(columns)} as id from ${name}${where ? ` where ${where}` : ''} group by ${columns.map(sqlName).join(', ')} having count(*) > 1`,
        ),
    ]),
  },
]

function orphans(child: string, id: string, parent: string, on: string): string {
  return `select '${child}' as place, c.mid as owner, c.${id} as id from ${child} c left join ${parent} p on ${on} where p.mid is null`
}
