// Debits that their banks may still make (docs/decisions/0010). Until now a debit that no bank had decided within 72 hours was given up, and
// its cycle tried again beside it: such a cycle ends here, and its bank is asked on. A migration that has been released is never edited.

const GIVEN_UP_AFTER_MS = 72 * 60 * 60_000
const cyclesInDoubt = `collections.status in ('SCHEDULED', 'NOTIFIED') and exists (select 1 from transactions t
  where t.mid = collections.mid and t.collection_id = collections.collection_id and t.open_at_bank = 1 and t.result = 'timedOut')`

export const statements = [
  `alter table transactions add column sent_at integer check (sent_at is null or collection_id is not null)`,
  `alter table transactions add column open_at_bank integer not null default 0 check (open_at_bank in (0, 1))
  check (open_at_bank = 0 or (collection_id is not null and status <> 'SUCCESS'))`,
  `create index transactions_open_at_bank on transactions (initiated_at) where open_at_bank = 1`,
  // Given up, and still asked about: a debit that its bank has decided since is asked about no more.
  `update transactions set open_at_bank = 1
  where collection_id is not null and status = 'FAILURE' and result = 'timedOut' and captured_paise = 0
    and updated_at - initiated_at >= ${GIVEN_UP_AFTER_MS}
    and exists (select 1 from tasks where task = 'transaction.due' and subject = transactions.mid || ':' || transactions.txn_id)`,
  `update transactions set open_at_bank = 1
  where collection_id is not null and status = 'FAILURE' and returned_paise < captured_paise`,
  `insert into events (owner, aggregate, id, version, type, from_status, to_status, at, data)
  select mid, 'collection', collection_id, version + 1, 'collection.failed', status, 'FAILED', updated_at,
    '{"subscriptionId":"' || subscription_id || '","dueDate":"' || due_date || '","attempts":' || attempts
      || ',"amountPaise":' || coalesce(cast(amount_paise as text), 'null') || ',"why":"undecided"}'
  from collections where ${cyclesInDoubt}`,
  `update collections set status = 'FAILED', version = version + 1, next_at = null where ${cyclesInDoubt}`,
]
