// The audit trail: one event for every state change, in an unbroken chain, and only moves that are possible.

import { transitions as ofMerchant } from '../domain/merchant/merchant.ts'
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
  /** The aggregate's rows are deleted after their time. Its events stay. */
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
  /** A payer's link to their mandate is kept once and never changes. */
  link: {
    table: "(select mid, subscription_id, 1 as version, 'KEPT' as status from mandate_links)",
    owner: 'mid',
    id: 'subscription_id',
    transitions: {},
  },
  signin: { table: 'token_families', owner: 'client_id', id: 'family_id', transitions: { ACTIVE: { revoke: 'REVOKED' } }, forgotten: true },
  merchant: { table: 'merchants', owner: 'mid', id: 'mid', transitions: ofMerchant },
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

/** The states to which each event may lead: a renamed event would tell another story. I16 checks the move itself. */
const statesOfEvents: Readonly<Record<string, readonly string[]>> = {
  'order.created': ['CREATED', 'IN_PROCESS'],
  'order.modified': ['CREATED'],
  'order.payer-signed-in': ['CREATED'],
  'order.payment-initiated': ['IN_PROCESS'],
  'order.reopened': ['CREATED'],
  'order.paid': ['PAID'],
  'order.closed': ['CLOSED'],
  'transaction.initiated': ['INITIATED'],
  'transaction.pending': ['PENDING'],
  'transaction.lost': ['UNKNOWN'],
  'transaction.cancel-refused': ['INITIATED', 'PENDING', 'UNKNOWN'],
  'transaction.undecided': ['PENDING', 'UNKNOWN', 'FAILURE'],
  'transaction.decided': ['FAILURE'],
  'transaction.succeeded': ['SUCCESS'],
  'transaction.failed': ['FAILURE'],
  'transaction.captured-late': ['FAILURE'],
  'transaction.refund-set-aside': ['SUCCESS', 'FAILURE'],
  'transaction.refund-freed': ['SUCCESS', 'FAILURE'],
  'transaction.refunded': ['SUCCESS', 'FAILURE'],
  'refund.requested': ['PENDING'],
  'refund.succeeded': ['SUCCESS'],
  'refund.failed': ['FAILURE'],
  'redemption.reserved': ['RESERVED'],
  'redemption.committed': ['COMMITTED'],
  'redemption.released': ['RELEASED'],
  'link.kept': ['KEPT'],
  'signin.completed': ['ACTIVE'],
  'signin.refreshed': ['ACTIVE'],
  'signin.revoked': ['REVOKED'],
  'subscription.created': ['INIT'],
  'subscription.submitted': ['IN_AUTHORIZATION'],
  'subscription.authorized': ['AUTHORIZED'],
  'subscription.activated': ['ACTIVE'],
  'subscription.paused': ['SUSPENDED'],
  'subscription.resumed': ['ACTIVE'],
  'subscription.edit-requested': ['ACTIVE', 'SUSPENDED', 'AUTHORIZED'],
  'subscription.edited': ['ACTIVE', 'SUSPENDED', 'AUTHORIZED'],
  'subscription.edit-declined': ['ACTIVE', 'SUSPENDED', 'AUTHORIZED'],
  'subscription.cancelled': ['REJECT'],
  'subscription.revoked': ['REJECT'],
  'subscription.rejected': ['REJECT'],
  'subscription.refused': ['AUTHORIZATION_FAILED'],
  'subscription.expired': ['EXPIRED'],
  'subscription.closed': ['CLOSED'],
  'collection.scheduled': ['SCHEDULED'],
  'collection.terms-changed': ['SCHEDULED', 'NOTIFIED'],
  'collection.notice-failed': ['SCHEDULED', 'NOTIFIED', 'IN_FLIGHT'],
  'collection.noticed': ['NOTIFIED', 'IN_FLIGHT'],
  'collection.approved': ['NOTIFIED', 'IN_FLIGHT'],
  'collection.declined': ['NOTIFIED', 'IN_FLIGHT'],
  'collection.attempted': ['IN_FLIGHT'],
  'collection.attempt-failed': ['SCHEDULED', 'NOTIFIED'],
  'collection.unwanted': ['IN_FLIGHT', 'COLLECTED', 'SKIPPED', 'MISSED', 'FAILED', 'SCHEDULED', 'NOTIFIED'],
  'collection.collected': ['COLLECTED'],
  'collection.skipped': ['SKIPPED'],
  'collection.missed': ['MISSED'],
  'collection.failed': ['FAILED'],
  'merchant.changed': ['ACTIVE', 'DISABLED'],
  'merchant.disabled': ['DISABLED'],
  'merchant.enabled': ['ACTIVE'],
  'merchant.key-rotated': ['ACTIVE', 'DISABLED'],
  'merchant.keys-ended': ['ACTIVE', 'DISABLED'],
  'merchant.key-prepared': ['ACTIVE', 'DISABLED'],
  'merchant.key-activated': ['ACTIVE', 'DISABLED'],
  'merchant.key-dropped': ['ACTIVE', 'DISABLED'],
}
const legalNames = Object.entries(statesOfEvents)
  .flatMap(([name, states]) => states.map((state) => `('${name.split('.')[0]}', '${name}', '${state}')`))
  .join(', ')
const firsts = [
  'order.created',
  'transaction.initiated',
  'refund.requested',
  'redemption.reserved',
  'subscription.created',
  'signin.completed',
  'link.kept',
]

/** Events that never change the state, and events that always do. An edit may bring a cycle back, so its event is in neither list. */
const staying = [
  ...['order.modified', 'order.payer-signed-in', 'transaction.undecided', 'transaction.decided', 'transaction.captured-late'],
  'transaction.cancel-refused',
  ...['transaction.refund-set-aside', 'transaction.refund-freed', 'transaction.refunded', 'signin.refreshed'],
  ...['subscription.edit-requested', 'subscription.edited', 'subscription.edit-declined'],
  ...['collection.notice-failed', 'collection.approved', 'collection.declined', 'collection.unwanted'],
]
const moving = [
  ...['order.payment-initiated', 'order.reopened', 'order.paid', 'order.closed'],
  ...['transaction.pending', 'transaction.lost', 'transaction.succeeded', 'transaction.failed'],
  ...[
    'collection.attempted',
    'collection.attempt-failed',
    'collection.collected',
    'collection.skipped',
    'collection.missed',
    'collection.failed',
  ],
]
const listed = (types: readonly string[]) => `('${types.join("', '")}')`

/** A payment has one event for each of its refunds' steps, for late money, and for a cancel that its bank refused. */
const counted = `select owner, id, type, 1 as n from events
          where type in ('transaction.refund-set-aside', 'transaction.refund-freed', 'transaction.refunded', 'transaction.captured-late', 'transaction.cancel-refused')
        union all select mid, txn_id, 'transaction.cancel-refused', -1 from transactions where is_cancel_refused = 1
        union all select mid, txn_id, 'transaction.refund-set-aside', -1 from refunds
        union all select mid, txn_id, case status when 'SUCCESS' then 'transaction.refunded' else 'transaction.refund-freed' end, -1
          from refunds where status <> 'PENDING'
        union all select mid, txn_id, 'transaction.captured-late', -1 from transactions where status = 'FAILURE' and captured_paise > 0`

export const events: readonly Invariant[] = [
  {
    id: 'I13',
    says: "every state change has exactly one event, numbered 1, 2, 3 … up to the row's version",
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
    says: 'each event begins in the state in which the event before it ended',
    over: 'events',
    query: `select e.aggregate, e.owner, e.id, e.version from events e
      left join events p on p.owner = e.owner and p.aggregate = e.aggregate and p.id = e.id and p.version = e.version - 1
      where e.from_status <> coalesce(p.to_status, '')`,
  },
  {
    id: 'I15',
    says: 'the latest event ends in the state of its row',
    over: 'events',
    query: each(
      (name, aggregate) => `select '${name}' as aggregate, a.${aggregate.owner} as owner, a.${aggregate.id} as id from ${aggregate.table} a
        join events e on ${eventsOf(name, aggregate)} and e.version = a.version where e.to_status <> a.status`,
    ),
  },
  {
    id: 'I16',
    says: 'every state change is one that its kind of row may make',
    over: 'events',
    query: `select aggregate, owner, id, version from events
      where version > 1 and from_status <> to_status and (aggregate, from_status, to_status) not in (values ${legal})`,
  },
  {
    id: 'I60',
    says: 'an event has a name that fits the state to which it leads, and the first of a history, and no other, has the name of a beginning; a payment has an event for each step of its refunds, late money and a refused cancel',
    over: 'events',
    query: `select aggregate, owner, id, version from events where (aggregate, type, to_status) not in (values ${legalNames})
      union all select aggregate, owner, id, version from events
        where aggregate not in ('collection', 'merchant') and (version = 1) <> (type in ${listed(firsts)})
      union all select aggregate, owner, id, version from events where (from_status <> to_status and type in ${listed(staying)})
        or (from_status = to_status and type in ${listed(moving)})
        or (from_status in ('', 'IN_FLIGHT') and type = 'collection.terms-changed') or (from_status = '' and type = 'collection.attempt-failed')
      union all select 'transaction', owner, id, 0 from (${counted}) m group by owner, id, type having sum(n) <> 0`,
  },
]
