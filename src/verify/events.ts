// The audit trail: one event for every state change, in an unbroken chain, and only moves that can be made.

import { transitions as ofOrder } from '../domain/order/order.ts'
import { transitions as ofRefund } from '../domain/refund/refund.ts'
import { transitions as ofCollection } from '../domain/subscription/collection/collection.ts'
import { transitions as ofSubscription } from '../domain/subscription/subscription.ts'
import { transitions as ofTransaction } from '../domain/transaction/transaction.ts'
import type { Invariant } from './invariant.ts'

type Transitions = Readonly<Record<string, Readonly<Record<string, string>>>>

interface Aggregate {
  table: string
  owner: string
  id: string
  transitions: Transitions
  /** Its rows are forgotten after their time; its events are not. */
  forgotten?: true
}

const aggregates: Readonly<Record<string, Aggregate>> = {
  order: { table: 'orders', owner: 'mid', id: 'order_id', transitions: ofOrder },
  transaction: { table: 'transactions', owner: 'mid', id: 'txn_id', transitions: ofTransaction },
  refund: { table: 'refunds', owner: 'mid', id: 'ref_id', transitions: ofRefund },
  redemption: {
    table: 'redemptions',
    owner: 'mid',
    id: 'txn_id',
    transitions: { RESERVED: { commit: 'COMMITTED', release: 'RELEASED' }, COMMITTED: { release: 'RELEASED' }, RELEASED: {} },
  },
  subscription: { table: 'subscriptions', owner: 'mid', id: 'subscription_id', transitions: ofSubscription },
  collection: { table: 'collections', owner: 'mid', id: 'collection_id', transitions: ofCollection },
  signin: { table: 'token_families', owner: 'client_id', id: 'family_id', transitions: { ACTIVE: { revoke: 'REVOKED' } }, forgotten: true },
}
const each = (query: (name: string, aggregate: Aggregate) => string | undefined) =>
  Object.entries(aggregates)
    .map(([name, aggregate]) => query(name, aggregate))
    .filter((text) => text !== undefined)
    .join('\nunion all ')

const eventsOf = (name: string, { owner, id }: Aggregate) => `e.owner = a.${owner} and e.aggregate = '${name}' and e.id = a.${id}`

const legal = Object.entries(aggregates)
  .flatMap(([name, { transitions }]) =>
    Object.entries(transitions).flatMap(([from, moves]) => Object.values(moves).map((to) => `('${name}', '${from}', '${to}')`)),
  )
  .join(', ')

export const events: readonly Invariant[] = [
  {
    id: 'I13',
    says: 'every state change has exactly one event: 1, 2, 3 … up to the version',
    over: 'events',
    query: `${each(
      (name, aggregate) => `select '${name}' as aggregate, a.${aggregate.owner} as owner, a.${aggregate.id} as id from ${aggregate.table} a
        left join events e on ${eventsOf(name, aggregate)} group by a.${aggregate.owner}, a.${aggregate.id}, a.version
        having count(e.version) <> a.version or min(e.version) <> 1 or max(e.version) <> a.version or count(distinct e.version) <> count(e.version)`,
    )}
      union all ${each((name, aggregate) =>
        aggregate.forgotten
          ? undefined
          : `select e.aggregate, e.owner, e.id from events e left join ${aggregate.table} a on ${eventsOf(name, aggregate)}
            where e.aggregate = '${name}' and a.version is null`,
      )}
      union all select aggregate, owner, id from events where aggregate not in ('${Object.keys(aggregates).join("', '")}')`,
  },
  {
    id: 'I14',
    says: 'events chain: each begins where the one before it ended',
    over: 'events',
    query: `select e.aggregate, e.owner, e.id, e.version from events e
      left join events p on p.owner = e.owner and p.aggregate = e.aggregate and p.id = e.id and p.version = e.version - 1
      where e.from_status <> coalesce(p.to_status, '')`,
  },
  {
    id: 'I15',
    says: 'the latest event ends in the state that the row is in',
    over: 'events',
    query: each(
      (name, aggregate) => `select '${name}' as aggregate, a.${aggregate.owner} as owner, a.${aggregate.id} as id from ${aggregate.table} a
        join events e on ${eventsOf(name, aggregate)} and e.version = a.version where e.to_status <> a.status`,
    ),
  },
  {
    id: 'I16',
    says: 'nothing moved in a way in which it cannot move',
    over: 'events',
    query: `select aggregate, owner, id, version from events
      where version > 1 and from_status <> to_status and (aggregate, from_status, to_status) not in (values ${legal})`,
  },
]
