// Notifications to merchants, and the sequence in which they are delivered. Also: every unfinished row has a task that will end it.

import { ENDED_WITH_MANDATE, NOTIFIED_MOVE_TYPES } from '../domain/subscription/mandate-notifications.ts'
import { IN_FLIGHT, type Invariant } from './invariant.ts'

/** An order's peonUrl receives these events. */
const NOTIFIED = "('transaction.succeeded', 'transaction.failed', 'refund.succeeded', 'refund.failed')"
/** A merchant receives these events of a subscription. */
const MOVES = `('${NOTIFIED_MOVE_TYPES.join("', '")}')`
const place = 'cast(n.sequence as bigint)'

export const notifications: readonly Invariant[] = [
  {
    id: 'I29',
    says: 'an endpoint receives an event at most once, and only events that happened; a peonUrl receives every end of a payment or refund',
    over: 'notifications',
    query: ({
      text,
    }) => `select mid, order_id, endpoint, event from notifications group by mid, order_id, endpoint, event having count(*) > 1
      union all select mid, order_id, endpoint, event from notifications where (mid, event) in (select mid, event from notifications
        except select owner, aggregate || '|' || id || '|' || version from events)
      union all ${[
        ['transaction', 'transactions', 'txn_id'],
        ['refund', 'refunds', 'ref_id'],
      ]
        .map(
          ([aggregate, table, id]) => `select o.mid, o.order_id, 'peon', e.type from events e
        join ${table} a on a.mid = e.owner and a.${id} = e.id join orders o on o.mid = a.mid and o.order_id = a.order_id
        left join notifications n on n.mid = o.mid and n.order_id = coalesce(o.consent_order_id, o.order_id) and n.endpoint = 'peon'
          and n.event = e.aggregate || '|' || e.id || '|' || e.version
        where e.aggregate = '${aggregate}' and e.type in ${NOTIFIED} and o.peon_url is not null and n.mid is null`,
        )
        .join('\n      union all ')}
      union all select e.owner, t.order_id, w.endpoint, e.type from events e
        join (select 'merchant' as endpoint union all select 'peon' union all select 'callback') w on ${text('e.data', 'notified')} like '%' || w.endpoint || '%'
        join (select mid, order_id as name, coalesce(consent_order_id, order_id) as order_id, 'order' as kind from orders
          union all select mid, subscription_id, order_id, 'subscription' from subscriptions) t
          on t.mid = e.owner and t.kind = case when e.aggregate in ('subscription', 'collection') then 'subscription' else 'order' end
          and t.name = case e.aggregate when 'subscription' then e.id when 'collection' then ${text('e.data', 'subscriptionId')} else ${text('e.data', 'orderId')} end
        left join notifications n on n.mid = e.owner and n.order_id = t.order_id and n.endpoint = w.endpoint
          and n.event = e.aggregate || '|' || e.id || '|' || e.version
        where e.aggregate in ('transaction', 'refund', 'subscription', 'collection') and n.mid is null
      union all select e.owner, e.id, e.aggregate, e.type from events e
        where e.aggregate in ('subscription', 'collection') and ${text('e.data', 'notified')} is null
          and coalesce(${text('e.data', 'why')}, '') <> '${ENDED_WITH_MANDATE}'
          and (e.type in ${MOVES} or e.type = 'subscription.rejected' and e.from_status = 'IN_AUTHORIZATION')
      union all select n.mid, n.order_id, n.endpoint, n.url from notifications n join orders o on o.mid = n.mid and o.order_id = n.order_id
        where n.endpoint <> 'merchant' and n.url is distinct from case n.endpoint when 'peon' then o.peon_url else o.callback_url end
      union all select mid, order_id, endpoint, notification_id from notifications
        where notification_id <> mid || ':' || replace(order_id, '.', '~') || ':' || endpoint || ':' || cast(cast(sequence as bigint) as text)`,
  },
  {
    id: 'I30',
    says: 'a stream is delivered in order: every notification before its place, and none from there on',
    over: 'notificationStreams',
    query: `select s.mid, s.order_id, s.endpoint from notification_streams s
        join notifications n on n.mid = s.mid and n.order_id = s.order_id and n.endpoint = s.endpoint
        where (n.status = 'DELIVERED') <> (${place} < s.next) or (s.status = 'DEAD' and ${place} = s.next and n.status <> 'DEAD')
      union all select s.mid, s.order_id, s.endpoint from notification_streams s
        left join notifications n on n.mid = s.mid and n.order_id = s.order_id and n.endpoint = s.endpoint
        group by s.mid, s.order_id, s.endpoint, s.last
        having count(n.mid) <> s.last or min(${place}) <> 1 or max(${place}) <> s.last
      union all select n.mid, n.order_id, n.endpoint from notifications n
        left join notification_streams s on s.mid = n.mid and s.order_id = n.order_id and s.endpoint = n.endpoint where s.mid is null`,
  },
  {
    id: 'I31',
    says: 'a delivered notification was answered with a 2xx, and the delivery log has every attempt',
    over: 'notifications',
    query: `select n.mid, n.notification_id from notifications n
      left join delivery_attempts a on a.mid = n.mid and a.notification_id = n.notification_id
      group by n.mid, n.notification_id, n.status, n.attempts, n.delivered_at
      having count(a.attempt) <> n.attempts or (n.status = 'DELIVERED') <> (n.delivered_at is not null)
        or (n.status = 'DELIVERED' and coalesce(max(case when a.http_status between 200 and 299 then 1 else 0 end), 0) = 0)`,
  },
  {
    id: 'I32',
    says: 'every unfinished row has a task: an active stream, a payment in flight outside a cycle, a pending refund',
    over: 'tasks',
    query: `select s.mid, s.order_id as id, s.endpoint as what from notification_streams s
        left join tasks k on k.task = 'notification.due' and k.subject = s.mid || '|' || s.order_id || '|' || s.endpoint
        where s.status = 'ACTIVE' and k.task is null
      union all select t.mid, t.txn_id, 'transaction' from transactions t
        left join tasks k on k.task = 'transaction.due' and k.subject = t.mid || ':' || t.txn_id where t.status in ${IN_FLIGHT} and t.collection_id is null and k.task is null
      union all select r.mid, r.ref_id, 'refund' from refunds r
        left join tasks k on k.task = 'refund.due' and k.subject = r.mid || ':' || r.ref_id where r.status = 'PENDING' and k.task is null
      union all ${[
        ['notification.due', 'notification_streams', "s.mid || '|' || s.order_id || '|' || s.endpoint"],
        ['transaction.due', 'transactions', "s.mid || ':' || s.txn_id"],
        ['refund.due', 'refunds', "s.mid || ':' || s.ref_id"],
        ['notification-resend.due', 'notifications', 's.notification_id'],
      ]
        .map(
          ([task, table, subject]) =>
            `select '', k.subject, k.task from tasks k left join ${table} s on k.subject = ${subject} where k.task = '${task}' and s.mid is null`,
        )
        .join('\n      union all ')}`,
  },
]
