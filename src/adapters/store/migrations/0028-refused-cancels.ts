// Attempts that their banks refuse to cancel (docs/decisions/0010). Attempts from before count as not refused: a payer may ask once more. A migration that has
// been released is never edited.

export const statements = [
  `alter table transactions add column is_cancel_refused integer not null default 0 check (is_cancel_refused in (0, 1))
  check (is_cancel_refused = 0 or collection_id is null)`,
]
