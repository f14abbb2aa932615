// What a merchant's payment page asks for and where it may be shown. A migration that has been released is never edited.

export const statements = [
  `alter table merchants add column upi_collect text not null default 'rule' check (upi_collect in ('rule', 'always', 'never'))`,
  'alter table merchants add column page_origins text',
]
