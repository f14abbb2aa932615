// A cycle is debited once: no debit of it is sent while its bank may still make an earlier one. Docs/decisions/0010.

import { GIVEN_UP_AFTER_MS } from '../domain/transaction/transaction.ts'
import type { Invariant, Words } from './invariant.ts'

const SKEW_MS = 60_000 // docs/operating/watch.md, "Clocks": so far apart clocks of processes on one store are borne

/** Two debits of one cycle: `e` the earlier, `t` the later. */
const pairs =
  'transactions t join transactions e on e.mid = t.mid and e.collection_id = t.collection_id and e.collection_attempt < t.collection_attempt'
const eventsOf = (event: string, debit: string) =>
  `${event}.owner = ${debit}.mid and ${event}.aggregate = 'transaction' and ${event}.id = ${debit}.txn_id`

/**
 * A state of the earlier debit in which nothing more could come of it, at the moment when the later one was sent: it had failed, and was not open
 * at its bank. `w` is the event that led to it and `n` the next, which ended it.
 */
const decided = ({
  flag,
}: Words) => `exists (select 1 from events w left join events n on ${eventsOf('n', 'e')} and n.version = w.version + 1
  where ${eventsOf('w', 'e')} and w.to_status = 'FAILURE' and coalesce(${flag('w.data', 'openAtBank')}, 0) = 0
    and w.at <= t.sent_at + ${SKEW_MS} and (n.at is null or n.at >= t.sent_at - ${SKEW_MS}))`

/** A debit that an older version gave up after 72 hours though its bank had not decided. */
const givenUp = ({ text }: Words) => `exists (select 1 from events g where ${eventsOf('g', 'e')} and g.type = 'transaction.failed'
  and ${text('g.data', 'result')} = 'timedOut' and g.at - e.initiated_at >= ${GIVEN_UP_AFTER_MS} and g.at <= t.initiated_at)`

/** An attempt that waits for its hour: no version has sent it yet, or its bank never heard of it. */
const waits = 'exists (select 1 from collections c where c.mid = t.mid and c.txn_id = t.txn_id and c.sent_at is null)'

// An event says so only where it is true. A row without a time of sending is an older version's, and may have been marked without an event.
export const debits: readonly Invariant[] = [
  {
    id: 'I59',
    says: 'no debit of a cycle is sent while its bank may still make an earlier one, or has not given one back; what may is marked so',
    over: 'transactions',
    query: (words) => `select t.mid, t.txn_id as id, e.txn_id as beside from ${pairs}
        where t.sent_at is not null and (e.sent_at is not null or e.open_at_bank = 1) and e.bank_paise > 0 and not ${decided(words)}
      union all select t.mid, t.txn_id, null from transactions t join events v on ${eventsOf('v', 't')} and v.version = t.version
        where t.open_at_bank <> coalesce(${words.flag('v.data', 'openAtBank')}, case when t.sent_at is null then t.open_at_bank else 0 end)
          or (t.open_at_bank = 0 and t.sent_at is not null and (t.result = 'undecided' or t.returned_paise < t.captured_paise)
            and t.status = 'FAILURE' and v.type <> 'transaction.decided')`,
    history: {
      says: 'sent by an older version beside one that it had given up',
      query: (words) => `select t.mid, t.txn_id as id, e.txn_id as beside from ${pairs}
        where t.sent_at is null and e.sent_at is null and t.bank_paise > 0 and (t.status <> 'FAILURE' or t.result not in ('cancelled', 'timedOut')
          or t.version > 2) and not ${waits} and ${givenUp(words)}`,
    },
  },
]
