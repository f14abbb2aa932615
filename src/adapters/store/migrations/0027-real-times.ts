// What a clock that jumps may not open or lock (docs/decisions/0013): the codes that were taken, sessions by their last use, and keys by their end.
// A migration that has been released is never edited.

export const statements = [
  `alter table operators add column totp_steps text not null default '[]'`,
  'alter table operators drop column totp_step',
  'drop index operator_sessions_by_expiry',
  'create index operator_sessions_by_seen on operator_sessions (seen_at)',
  'create index merchant_keys_by_end on merchant_keys (retires_at) where retires_at is not null',
]
