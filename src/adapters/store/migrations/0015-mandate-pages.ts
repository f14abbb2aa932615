// Payers' pages of their mandates. A migration that has been released is never edited.

export const statements = [
  `create table mandate_links (
  link_hash text not null,
  mid text not null,
  subscription_id text not null,
  created_at integer not null,
  primary key (link_hash)
) strict`,
  `create unique index mandate_links_of_subscription on mandate_links (mid, subscription_id)`,
  `create table mandate_pages (
  page_hash text not null,
  mid text not null,
  subscription_id text not null,
  agent_hash text not null,
  view text not null,
  asked_at integer not null,
  opened_at integer,
  until integer not null,
  extensions integer not null,
  mobile text not null,
  code_hash text not null,
  code_for text not null,
  tries integer not null,
  tries_max integer not null,
  code_until integer not null,
  used_at integer,
  primary key (page_hash),
  check (until > asked_at),
  check (extensions between 0 and 10),
  check (tries between 0 and tries_max),
  check (opened_at is not null or (code_for = 'open' and used_at is null)),
  check (used_at is null or (used_at < code_until and tries < tries_max))
) strict`,
  `create index mandate_pages_by_end on mandate_pages (until)`,
  `create table mandate_code_sends (
  mobile text not null,
  sent_at text not null,
  last_at integer not null,
  primary key (mobile)
) strict`,
  `create index mandate_code_sends_by_age on mandate_code_sends (last_at)`,
]
