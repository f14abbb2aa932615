// A cycle that its payer leaves out, or whose mandate is paused, while an attempt is in flight has an event from now on, so that a row that
// says so without one was altered. Those of before get theirs here. A migration that has been released is never edited.

export const statements = [
  `insert into events (owner, aggregate, id, version, type, from_status, to_status, at, data)
  select mid, 'collection', collection_id, version + 1, 'collection.unwanted', status, status, updated_at,
    '{"subscriptionId":"' || subscription_id || '","dueDate":"' || due_date || '","attempts":' || attempts
      || ',"amountPaise":' || coalesce(cast(amount_paise as text), 'null') || ',"unwanted":"' || unwanted || '"}'
  from collections where unwanted <> 'NO'`,
  `update collections set version = version + 1 where unwanted <> 'NO'`,
]
