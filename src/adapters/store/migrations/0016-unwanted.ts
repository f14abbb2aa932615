// A cycle whose payer has left it out, or that was paused, while an attempt was in flight. A migration that has been released is never edited.

export const statements = [
  `alter table collections add column unwanted text not null default 'NO' check (unwanted in ('NO', 'SKIPPED', 'PAUSED'))`,
]
