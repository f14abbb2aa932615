// A cycle is debited once: no debit of the cycle is sent while its bank may still make an earlier debit (docs/decisions/0010).

import type { Invariant, Words } from './invariant.ts'

const SKEW_MS = 60_000 // docs/operating/watch.md, "Clocks": the clocks of processes on one store may be so far apart

/** Two debits of one cycle: `e` the earlier, `t` the later. */
const pairs =
  'transactions t join transactions e on e.mid = t.mid and e.collection_id = t.collection_id and e.collection_attempt < t.collection_attempt'
const eventsOf = (event: string, debit: string) =>
  `${event}.owner = ${debit}.mid and ${event}.aggregate = 'transaction' and ${event}.id = ${debit}.txn_id`

/**
 * Nothing more could come of the earlier debit when the later one was sent: it had failed, and was not open at its bank. `w` is the
 * event that led to that state, and `n` the next, which ended it.
 */
const decided = ({
  flag,
}: Words) => `exists (select 1 from events w left join events n on ${eventsOf('n', 'e')} and n.version = w.version + 1
  where ${eventsOf('w', 'e')} and w.to_status = 'FAILURE' and coalesce(${flag('w.data', 'openAtBank')}, 0) = 0
    and w.at <= t.sent_at + ${SKEW_MS} and (n.at is null or n.at >= t.sent_at - ${SKEW_MS}))`

// An event has `openAtBank` only when the value is true.
export const debits: readonly Invariant[] = [
  {
    id: 'I59',
    says: 'no debit of a cycle is sent while its bank may still make an earlier one, or has not given an earlier one back; every open debit is marked so',
    over: 'transactions',
    query: (words) => `select t.mid, t.txn_id as id, e.txn_id as beside from ${pairs}
        where t.sent_at is not null and (e.sent_at is not null or e.open_at_bank = 1) and e.bank_paise > 0 and not ${decided(words)}
      union all select t.mid, t.txn_id, null from transactions t join events v on ${eventsOf('v', 't')} and v.version = t.version
        where t.open_at_bank <> coalesce(${words.flag('v.data', 'openAtBank')}, 0)
          or (t.open_at_bank = 0 and t.sent_at is not null and (t.result = 'undecided' or t.returned_paise < t.captured_paise)
            and t.status = 'FAILURE' and v.type <> 'transaction.decided')`,
  },
]
