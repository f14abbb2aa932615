// A payer's link to their mandate has an event from now on, so that one that is gone was deleted by hand. Those of before get theirs here.
// A migration that has been released is never edited.

export const statements = [
  `insert into events (owner, aggregate, id, version, type, from_status, to_status, at, data)
  select mid, 'link', subscription_id, 1, 'link.kept', '', 'KEPT', created_at, '{}' from mandate_links`,
]
