// Compares rows with the values in their events: a person who alters a row has to alter its events too.

import { ORDER_VALIDITY_MS } from '../domain/order/order.ts'
import { orderStatus, refundStatus } from '../interface/result-codes.ts'
import type { Invariant, Words } from './invariant.ts'

/** The event `v` of a row `a`: the latest, or with `'1'` the first. */
const eventOf = (aggregate: string, id: string, version = 'a.version') =>
  `join events v on v.owner = a.mid and v.aggregate = '${aggregate}' and v.id = a.${id} and v.version = ${version}`

/** An event that lacks a member says nothing about it. */
const differs = ({ text }: Words, member: string, column: string) =>
  `(${text('v.data', member)} is not null and ${text('v.data', member)} <> coalesce(a.${column}, ''))`
const differsInNumber = ({ number }: Words, member: string, value: string) =>
  `(${number('v.data', member)} is not null and ${number('v.data', member)} <> ${value})`
const differsInFlag = ({ flag }: Words, member: string, column: string) => `${flag('v.data', member)} <> a.${column}`

const namesOf = (table: typeof orderStatus | typeof refundStatus, status: string) =>
  `('${Object.values(table)
    .filter((row) => row.status === status)
    .map(({ name }) => name)
    .join("', '")}')`

export const rowsMatchEvents: readonly Invariant[] = [
  {
    id: 'I48',
    says: 'every payment, refund, redemption, subscription, cycle and order agrees with its events',
    over: 'events',
    query: (words) => {
      const [text, number, flag] = [
        (member: string, column: string) => differs(words, member, column),
        (member: string, value: string) => differsInNumber(words, member, value),
        (member: string, column: string) => differsInFlag(words, member, column),
      ]
      const [amount, order] = [number('amountPaise', 'a.amount_paise'), text('orderId', 'order_id')]
      return [
        `select 'transaction' as aggregate, a.mid as owner, a.txn_id as id from transactions a ${eventOf('transaction', 'txn_id')}
          where ${order} or ${text('result', 'result')} or ${text('bankTxnId', 'bank_txn_id')}
            or ${number('amountPaise', 'a.wallet_paise + a.bank_paise')} or ${number('capturedPaise', 'a.captured_paise')}
            or ${number('sentAt', 'coalesce(a.sent_at, 0)')} or coalesce(${words.flag('v.data', 'isLeft')}, 0) <> a.is_left`,
        `select 'transaction', a.mid, a.txn_id from transactions a ${eventOf('transaction', 'txn_id', '1')}
          where ${text('paymentMode', 'payment_mode')} or ${text('channel', 'channel')} or ${text('flow', 'flow')}
            or ${number('orderVersion', 'a.order_version')}`,
        `select 'refund', a.mid, a.ref_id from refunds a ${eventOf('refund', 'ref_id')}
          where ${order} or ${text('txnId', 'txn_id')} or ${text('bankTxnId', 'bank_txn_id')} or ${amount} or ${number('bankPaise', 'a.bank_paise')}
            or (a.status <> 'PENDING' and ${text('result', 'result')})`,
        `select 'redemption', a.mid, a.txn_id from redemptions a ${eventOf('redemption', 'txn_id')}
          where ${order} or ${text('promocode', 'promocode')} or ${amount}`,
        `select 'redemption', a.mid, a.txn_id from redemptions a ${eventOf('redemption', 'txn_id', '1')}
          where ${text('kind', 'kind')} or ${text('fundedBy', 'funded_by')}`,
        `select 'subscription', a.mid, a.subscription_id from subscriptions a ${eventOf('subscription', 'subscription_id')}
          where ${text('amountType', 'amount_type')} or ${text('subStatus', 'sub_status')}
            or ${text('expiryDate', 'expiry_date')} or ${number('txnAmountPaise', 'a.txn_amount_paise')} or ${number('maxAmountPaise', 'a.max_amount_paise')}`,
        `select 'subscription', a.mid, a.subscription_id from subscriptions a ${eventOf('subscription', 'subscription_id', '1')}
          where ${text('startDate', 'start_date')} or ${text('frequencyUnit', 'frequency_unit')} or ${number('frequency', 'a.frequency')}
            or ${number('graceDays', 'a.grace_days')} or ${number('retryCount', 'a.retry_count')} or ${text('mandateType', 'mandate_type')}
            or ${flag('enableRetry', 'enable_retry')} or ${flag('autoRetry', 'auto_retry')} or ${flag('autoRenewal', 'auto_renewal')}
            or ${flag('communicationManager', 'communication_manager')}`,
        `select 'collection', a.mid, a.collection_id from collections a ${eventOf('collection', 'collection_id')}
          where ${text('subscriptionId', 'subscription_id')} or ${text('dueDate', 'due_date')} or ${number('attempts', 'a.attempts')}
            or (a.amount_type = 'FIX' and ${amount}) or ${text('windowTo', 'window_to')} or ${text('rail', 'rail')}
            or ${text('amountType', 'amount_type')} or ${flag('noticeNeeded', 'notice_needed')}`,
        `select 'order', a.mid, a.order_id from orders a ${eventOf('order', 'order_id')} where coalesce(${words.number('v.data', 'leftCount')}, 0) <> a.left_count`,
        `select 'order', a.mid, a.order_id from orders a ${eventOf('order', 'order_id', '1')}
          where ${text('custId', 'cust_id')} or ${text('requestType', 'request_type')}`,
        `select 'subscription', a.mid, a.subscription_id from subscriptions a where a.consented_at is not null and not exists (
            select 1 from events v where v.owner = a.mid and v.aggregate = 'subscription' and v.id = a.subscription_id
              and v.at = a.consented_at and v.type in ('subscription.activated', 'subscription.authorized'))`,
        `select 'collection', a.mid, a.collection_id from collections a where a.unwanted <> coalesce((
            select ${words.text('v.data', 'unwanted')} from events v where v.owner = a.mid and v.aggregate = 'collection' and v.id = a.collection_id
              and v.type = 'collection.unwanted' order by v.version desc limit 1), 'NO')`,
        `select v.aggregate, v.owner, v.id from events v left join notices a on a.mid = v.owner and a.notice_id = ${words.text('v.data', 'noticeId')}
          where v.aggregate = 'collection' and ${words.text('v.data', 'noticeId')} is not null
            and (a.collection_id is null or a.collection_id <> v.id or ${text('referenceId', 'reference_id')})`,
      ].join('\n      union all ')
    },
  },
  {
    id: 'I49',
    says: 'the result of a payment or refund fits its state',
    over: 'transactions',
    query: `select mid, txn_id as id, status, result from transactions where case status
        when 'SUCCESS' then result not in ${namesOf(orderStatus, 'TXN_SUCCESS')}
        when 'FAILURE' then result not in ${namesOf(orderStatus, 'TXN_FAILURE')}
        else result not in ${namesOf(orderStatus, 'PENDING')} or (result = 'unconfirmed') <> (status = 'UNKNOWN') end
      union all select mid, ref_id, status, result from refunds where case status
        when 'SUCCESS' then result not in ${namesOf(refundStatus, 'TXN_SUCCESS')}
        when 'FAILURE' then result not in ${namesOf(refundStatus, 'TXN_FAILURE')}
        else result not in ${namesOf(refundStatus, 'PENDING')} end`,
  },
  {
    id: 'I53',
    says: 'an order has the payments that it counts, numbered from 1, and the unpaid codes that it counts; it ends a day after it was made; its subscription names the same order and customer, and its redemption the same customer',
    over: 'orders',
    query: `select o.mid, o.order_id as id from orders o left join transactions t on t.mid = o.mid and t.order_id = o.order_id
        group by o.mid, o.order_id, o.transaction_count, o.left_count having count(t.txn_id) <> o.transaction_count
          or coalesce(max(t.attempt), 0) <> o.transaction_count or coalesce(sum(t.is_left), 0) <> o.left_count
      union all select mid, order_id from orders where (request_type <> 'RENEWAL' and expires_at - txn_token_issued_at <> ${ORDER_VALIDITY_MS})
        or (subscription_id is not null) <> (request_type in ('NATIVE_SUBSCRIPTION', 'RENEWAL'))
      union all select o.mid, o.order_id from orders o left join subscriptions s on s.mid = o.mid and s.subscription_id = o.subscription_id
        where o.subscription_id is not null and (s.cust_id is distinct from o.cust_id
          or (o.request_type <> 'RENEWAL' and s.order_id is distinct from o.order_id))
      union all select r.mid, r.order_id from redemptions r join orders o on o.mid = r.mid and o.order_id = r.order_id where o.cust_id <> r.cust_id`,
  },
]
