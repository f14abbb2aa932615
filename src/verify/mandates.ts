// Cycles of subscriptions, the attempts at them and the notices before them (docs/interface.md section 3, docs/decisions/0017). The
// conditions for a rail come from its own rules (railRules), so a new rule also checks the debits that were made under it.

import { AUTHORIZATION_MAX_MS } from '../domain/subscription/advance-subscription.ts'
import { type RailRule, railRules } from '../domain/subscription/collection/rail-rules.ts'
import { frequencyUnits } from '../domain/subscription/collection/schedule.ts'
import { IN_FLIGHT, type Invariant, type Words } from './invariant.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const IST_OFFSET_MS = 330 * MINUTE_MS
const SKEW_MS = MINUTE_MS // docs/operating/watch.md, "Clocks": the clocks of processes on one store may be so far apart

const ENDED = "('COLLECTED', 'SKIPPED', 'MISSED', 'FAILED')"
const OVER = "('REJECT', 'EXPIRED', 'CLOSED', 'AUTHORIZATION_FAILED')"
/** An attempt that was withdrawn before it was sent. */
const WITHDRAWN = "(t.status = 'FAILURE' and t.result = 'cancelled')"
/**
 * An attempt that was never sent: it waits for its hour, was withdrawn before that hour, or had no permitted hour left. So its
 * `initiated_at` is the time of its request. An attempt that was sent and then given up was in doubt before, so its version is not 2.
 */
const UNSENT = `(${WITHDRAWN} or (t.status = 'FAILURE' and t.result = 'timedOut' and t.version = 2)
  or (c.txn_id = t.txn_id and c.status = 'IN_FLIGHT' and c.sent_at is null))`

/** The attempt was sent, and began after the payer was notified. The notice may be one that was not needed. */
const AFTER_NOTICE = `(not ${UNSENT} and t.initiated_at >= c.noticed_at)`

/** The attempt began before its cycle took the present terms. */
const UNDER_OLD_TERMS = ({ text }: Words) => `exists (select 1 from events a
  join events e on e.owner = a.owner and e.aggregate = a.aggregate and e.id = a.id and e.version > a.version and e.type = 'collection.terms-changed'
  where a.owner = c.mid and a.aggregate = 'collection' and a.id = c.collection_id and a.type = 'collection.attempted' and ${text('a.data', 'txnId')} = t.txn_id)`

const attempts = 'transactions t join collections c on c.mid = t.mid and c.collection_id = t.collection_id'
const isOwn = 't.mid = c.mid and t.collection_id = c.collection_id'

/** One condition for every rule of a kind: the condition is true of rows that break the rule. */
const rules = <Kind extends RailRule['kind']>(kind: Kind, breaks: (rule: Extract<RailRule, { kind: Kind }>) => string) =>
  railRules
    .filter((rule): rule is Extract<RailRule, { kind: Kind }> => rule.kind === kind && rule.category === undefined)
    .map(
      (rule) =>
        `(c.rail in ('${rule.rails.join("', '")}') and c.window_from >= '${rule.from}'${rule.until ? ` and c.window_to <= '${rule.until}'` : ''} and (${breaks(rule)}))`,
    )
    .join(' or ')

/** Milliseconds since midnight in India. */
const timeOfDay = (instant: string) => `((${instant} + ${IST_OFFSET_MS}) % ${DAY_MS})`
const msOf = (time: string) => Date.parse(`1970-01-01T${time}Z`)
const forbidden = (instant: string) =>
  rules('forbiddenHours', ({ value: { spans, minutesBefore } }) =>
    spans
      .map(({ from, to }) => `${timeOfDay(instant)} between ${msOf(from) - minutesBefore * MINUTE_MS} and ${msOf(to) + 999}`)
      .join(' or '),
  )

const monthOf = (date: string) => `(cast(substr(${date}, 1, 4) as integer) * 12 + cast(substr(${date}, 6, 2) as integer))`
const dayOf = (date: string) => `cast(substr(${date}, 9, 2) as integer)`
/** If a month lacks the start date's day, the cycle is due on the month's last day. The last day is never before the 28th. */
const LEAST_DAY = `case when ${dayOf('s.start_date')} < 28 then ${dayOf('s.start_date')} else 28 end`
const [months, weeks] = [stepsOf('months'), stepsOf('weeks')]
function stepsOf(step: 'months' | 'weeks') {
  const units = Object.entries(frequencyUnits).flatMap(([unit, of]) => {
    const steps = of && (of.step as Partial<Record<typeof step, number>>)[step]
    return steps === undefined ? [] : [`when '${unit}' then ${steps}`]
  })
  return `(s.frequency * case s.frequency_unit ${units.join(' ')} end)`
}

/**
 * True when cycle `number` of a subscription is due by the subscription's last day. If the frequency counts months, false for a cycle that
 * is due by then only because its month is short.
 */
const isDueByExpiry = ({ days }: Words, number: string) =>
  `case when ${weeks} is not null then ${days('s.start_date', 's.expiry_date')} >= 7 * ${weeks} * ${number}
    else ${monthOf('s.start_date')} + ${months} * ${number} < ${monthOf('s.expiry_date')}
      or (${monthOf('s.start_date')} + ${months} * ${number} = ${monthOf('s.expiry_date')} and ${dayOf('s.start_date')} <= ${dayOf('s.expiry_date')}) end`

/** SQL for 24:00 in India of a date, in epoch milliseconds. */
const dayEnds = ({ days }: Words, date: string) => `((cast(${days("'1970-01-01'", date)} as bigint) + 1) * ${DAY_MS} - ${IST_OFFSET_MS})`

export const mandates: readonly Invariant[] = [
  {
    id: 'I22',
    says: 'a cycle is debited at most once: it names its only live or successful payment, and is collected exactly when that payment succeeded',
    over: 'collections',
    query: `select t.mid, t.collection_id as id from transactions t where t.collection_id is not null and t.status <> 'FAILURE'
        group by t.mid, t.collection_id having count(*) > 1
      union all select t.mid, t.txn_id from ${attempts} where t.status <> 'FAILURE' and t.txn_id is distinct from c.txn_id
      union all select c.mid, c.collection_id from collections c left join transactions t on t.mid = c.mid and t.txn_id = c.txn_id
          left join subscriptions s on s.mid = c.mid and s.subscription_id = c.subscription_id
        where c.txn_id is not null and (t.txn_id is null or t.order_id <> c.order_id
          or (t.collection_id is distinct from c.collection_id and (t.collection_id is not null or c.number is distinct from 0
            or t.order_id is distinct from s.order_id or t.amount_paise < c.amount_paise))
          or (c.status = 'COLLECTED') <> (t.status = 'SUCCESS') or (c.status = 'IN_FLIGHT') <> (t.status in ${IN_FLIGHT}))`,
  },
  {
    id: 'I23',
    says: 'attempts at a cycle are numbered from 1 without a gap, and are no more than its terms and its rail allow',
    over: 'collections',
    query: `select c.mid, c.collection_id as id from collections c left join transactions t on ${isOwn}
        group by c.mid, c.collection_id, c.attempts having count(t.txn_id) <> c.attempts
          or coalesce(max(t.collection_attempt), 0) <> c.attempts or count(distinct t.collection_attempt) <> c.attempts
      union all select c.mid, c.collection_id from collections c
          left join events e on e.owner = c.mid and e.aggregate = 'collection' and e.id = c.collection_id and e.type = 'collection.attempted'
        group by c.mid, c.collection_id, c.attempts having count(e.version) <> c.attempts
      union all select c.mid, c.collection_id from collections c join subscriptions s on s.mid = c.mid and s.subscription_id = c.subscription_id
        where c.attempts > c.attempts_max or c.attempts_max > 1 + case when s.enable_retry = 1 then s.retry_count else 0 end
          or ${rules('attemptsMax', ({ value }) => `c.attempts_max > ${value}`)}`,
  },
  {
    id: 'I24',
    says: 'a debit is for the agreed amount: all of a fixed amount, at most the maximum of a varying one, and never more than its notice named',
    over: 'collections',
    query: (words) => `select t.mid, t.txn_id as id from ${attempts} where t.amount_paise <= 0
        or (not ${WITHDRAWN} and (t.amount_paise > c.max_paise or (c.amount_type = 'FIX' and t.amount_paise <> c.amount_paise)) and not ${UNDER_OLD_TERMS(words)})
        or (c.txn_id = t.txn_id and t.amount_paise is distinct from c.amount_paise)
        or (c.notice_needed = 1 and t.amount_paise > coalesce(c.noticed_paise, 0))
        or (${AFTER_NOTICE} and t.amount_paise > c.noticed_paise)
      union all select t.mid, t.txn_id from ${attempts} join subscriptions s on s.mid = c.mid and s.subscription_id = c.subscription_id
        where t.payment_mode is distinct from s.payment_mode`,
  },
  {
    id: 'I25',
    says: "an attempt begins within its cycle's window, outside its rail's forbidden hours, and never after its subscription's end",
    over: 'collections',
    query: ({ day }) => `select t.mid, t.txn_id as id from ${attempts}
        where not ${UNSENT} and (${day('t.initiated_at')} not between c.window_from and c.window_to or ${forbidden('t.initiated_at')})
      union all select c.mid, c.collection_id from collections c
        where c.sent_at is not null and (${day('c.sent_at')} not between c.window_from and c.window_to or ${forbidden('c.sent_at')})
      union all select t.mid, t.txn_id from ${attempts} join events b on b.owner = t.mid and b.aggregate = 'order' and b.id = t.order_id and b.version = 1
          join events e on e.owner = c.mid and e.aggregate = 'subscription' and e.id = c.subscription_id and e.to_status in ${OVER}
        where b.at > e.at + ${SKEW_MS} or (not ${UNSENT} and t.initiated_at > e.at + ${SKEW_MS})`,
  },
  {
    id: 'I26',
    says: 'cycles follow each other without a gap by the calendar of their subscription, and no two share a day',
    over: 'collections',
    query: ({ days }) =>
      `select c.mid, c.collection_id as id from collections c
          left join collections p on p.mid = c.mid and p.subscription_id = c.subscription_id and p.number = c.number - 1
        where c.number < 0 or (c.number > 0 and (p.mid is null or p.due_date >= c.due_date or p.window_to >= c.window_from))
      union all select c.mid, c.collection_id from collections c join subscriptions s on s.mid = c.mid and s.subscription_id = c.subscription_id
        where (c.number is null) <> (s.frequency_unit = 'ONDEMAND') or c.due_date < s.start_date
          or ${days('s.start_date', 'c.due_date')} <> 7 * ${weeks} * c.number
          or ${monthOf('c.due_date')} <> ${monthOf('s.start_date')} + ${months} * c.number
          or (${months} is not null and (${dayOf('c.due_date')} > ${dayOf('s.start_date')} or ${dayOf('c.due_date')} < ${LEAST_DAY}))
      union all select c.mid, c.collection_id from collections c where c.window_from < c.due_date or c.window_to < c.window_from`,
  },
  {
    id: 'I27',
    says: "the payer is notified of a debit a day before it, by a notice that succeeded and names no later day; a cycle's notices are numbered from 1 without a gap",
    over: 'notices',
    query: ({ day }) => `select t.mid, t.txn_id as id from ${attempts} where c.notice_needed = 1
        and (c.noticed_at is null or (not ${UNSENT} and t.initiated_at < c.noticed_at + ${DAY_MS}) or c.sent_at < c.noticed_at + ${DAY_MS})
      union all select c.mid, c.collection_id from collections c
          left join events e on e.owner = c.mid and e.aggregate = 'collection' and e.id = c.collection_id and e.type = 'collection.noticed'
        group by c.mid, c.collection_id, c.noticed_at having max(e.at) is distinct from c.noticed_at or count(e.version) > 1
      union all select c.mid, c.collection_id from collections c
          left join notices n on n.mid = c.mid and n.collection_id = c.collection_id and n.status in ('SUCCESS', 'OPTED_OUT')
        where c.noticed_at is not null and n.amount_paise is distinct from c.noticed_paise
      union all select t.mid, t.txn_id from ${attempts} join notices n on n.mid = c.mid and n.collection_id = c.collection_id and n.status = 'SUCCESS'
        where ${AFTER_NOTICE} and ${day('t.initiated_at')} < n.debit_date
      union all select c.mid, c.collection_id from collections c left join notices n on n.mid = c.mid and n.collection_id = c.collection_id
        group by c.mid, c.collection_id, c.notices having count(n.notice_id) <> c.notices
          or coalesce(max(n.number), 0) <> c.notices or count(distinct n.number) <> c.notices
      union all select n.mid, n.notice_id from notices n join collections c on c.mid = n.mid and c.collection_id = n.collection_id
        where n.subscription_id <> c.subscription_id
          or (n.status <> 'FAILURE' and (n.debit_date not between c.window_from and c.window_to or n.amount_paise > c.max_paise))`,
  },
  {
    id: 'I28',
    says: 'every attempt, cycle and notice has a name at the bank that no other has',
    over: 'collections',
    query: `select mid, collection_id as id from transactions where collection_id is not null
        group by mid, collection_id, collection_attempt having count(*) > 1
      union all select mid, collection_id from collections where collection_id <> subscription_id || '.' || replace(due_date, '-', '')
      union all select mid, collection_id from notices group by mid, collection_id, number having count(*) > 1
      union all select o.mid, o.order_id from orders o left join transactions t on t.mid = o.mid and t.order_id = o.order_id
          left join collections c on c.mid = t.mid and c.collection_id = t.collection_id
          left join subscriptions s on s.mid = c.mid and s.subscription_id = c.subscription_id
        where (o.request_type = 'RENEWAL') <> (c.mid is not null and t.collection_id is not null)
          or (o.request_type = 'RENEWAL' and (o.subscription_id is distinct from c.subscription_id or o.consent_order_id is distinct from s.order_id))`,
  },
  {
    id: 'I56',
    says: 'an open cycle is checked again by the end of its window, and ends with its subscription; a live subscription wakes by its last day, and has an open cycle until its last one; an ended subscription wakes only while its bank may be undecided',
    over: 'collections',
    query: (words) => `select c.mid, c.collection_id as id from collections c where (c.status in ${ENDED}) <> (c.next_at is null)
      union all select c.mid, c.collection_id from collections c join subscriptions s on s.mid = c.mid and s.subscription_id = c.subscription_id
        where c.status in ('SCHEDULED', 'NOTIFIED') and s.status in ${OVER} and c.next_at > s.updated_at + ${SKEW_MS}
      union all select c.mid, c.collection_id from collections c join subscriptions s on s.mid = c.mid and s.subscription_id = c.subscription_id
        where s.payment_mode is null or s.consented_at is null
      union all select c.mid, c.collection_id from collections c join subscriptions s on s.mid = c.mid and s.subscription_id = c.subscription_id
        where c.status in ('SCHEDULED', 'NOTIFIED') and c.next_at > ${dayEnds(words, 'c.window_to')} + ${DAY_MS}
          and c.next_at > c.updated_at + ${DAY_MS} and c.next_at > s.updated_at + ${DAY_MS}
      union all select mid, subscription_id from subscriptions
        where (status in ('AUTHORIZED', 'ACTIVE', 'SUSPENDED') and (wakes_at is null or wakes_at > ${dayEnds(words, 'expiry_date')}))
          or (status = 'IN_AUTHORIZATION' and (wakes_at is null or wakes_at > updated_at + ${AUTHORIZATION_MAX_MS + SKEW_MS}))
          or (status in ${OVER} and wakes_at is not null and (status = 'AUTHORIZATION_FAILED' or payment_mode is distinct from 'BANK_MANDATE'))
      union all select s.mid, s.subscription_id from subscriptions s left join collections c on c.mid = s.mid and c.subscription_id = s.subscription_id
        where s.status in ('ACTIVE', 'SUSPENDED') and s.frequency_unit <> 'ONDEMAND' and s.payment_mode is not null
        group by s.mid, s.subscription_id, s.frequency_unit, s.frequency, s.start_date, s.expiry_date
        having coalesce(sum(case when c.status not in ${ENDED} then 1 else 0 end), 0) = 0 and (${isDueByExpiry(words, '(coalesce(max(c.number), -1) + 1)')})`,
  },
  {
    id: 'I57',
    says: 'a debit that its payer must approve is made only after the approval; an approval comes once, for a notice that was given, and from the bank except for a wallet',
    over: 'collections',
    query: ({
      text,
    }) => `select c.mid, c.collection_id as id from collections c where c.sent_at is not null and c.authentication not in ('NONE', 'APPROVED')
      union all select t.mid, t.txn_id from ${attempts} where t.status = 'SUCCESS' and c.authentication not in ('NONE', 'APPROVED')
      union all select c.mid, c.collection_id from collections c
        where c.authentication in ('APPROVED', 'DECLINED') and (c.noticed_at is null or c.notices = 0)
      union all select c.mid, c.collection_id from collections c
          left join events e on e.owner = c.mid and e.aggregate = 'collection' and e.id = c.collection_id and e.type = 'collection.approved'
        group by c.mid, c.collection_id, c.authentication having count(e.version) <> case when c.authentication = 'APPROVED' then 1 else 0 end
      union all select t.mid, t.txn_id from ${attempts} join events e on e.owner = c.mid and e.aggregate = 'collection' and e.id = c.collection_id
          and e.type = 'collection.approved'
        where t.status = 'SUCCESS' and t.updated_at + ${SKEW_MS} < e.at
      union all select c.mid, c.collection_id from collections c join events e on e.owner = c.mid and e.aggregate = 'collection' and e.id = c.collection_id
          and e.type in ('collection.approved', 'collection.declined')
        where c.rail <> 'WALLET' and ${text('e.data', 'by')} = 'page'`,
  },
]
