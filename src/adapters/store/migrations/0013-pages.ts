// Payment pages. A migration that has been released is never edited.

export const statements = [
  `create table pages (
  page_hash text not null,
  mid text not null,
  order_id text not null,
  kind text not null check (kind in ('full', 'framed')),
  opened_at integer not null,
  until integer not null,
  extensions integer not null,
  embedding_origin text,
  agent_hash text not null,
  view text not null,
  primary key (page_hash),
  check (until > opened_at),
  check (extensions between 0 and 10)
) strict`,
  `create index pages_by_end on pages (until)`,
]
