// Which fields the browser's form has. A migration that has been released is never edited.

export const statements = [
  `alter table merchants add column callback_fields text not null default 'all' check (callback_fields in ('all', 'core'))`,
]
