// Who changed an order, since when a number is being verified, when its owner last signed in, and what checkouts have sent.
// A migration that has been released is never edited.

/** Business time of this store in epoch milliseconds: the sandbox's may be ahead of real time. */
const NOW = `unixepoch() * 1000 + coalesce((select cast(value as integer) from settings where name = 'clockOffsetMs'), 0)`

export const statements = [
  `alter table orders add column unsigned_modify_count integer not null default 0 check (unsigned_modify_count between 0 and modify_count)`,
  // Nobody knows who made the changes that are there; so they count as the payer's.
  `update orders set unsigned_modify_count = modify_count where modify_count > 0`,
  `alter table customers add column pending_verification_since integer`,
  // Nobody knows since when: the 48 hours begin now.
  `update customers set pending_verification_since = ${NOW} where pending_verification = 1`,
  `alter table customers drop column pending_verification`,
  `alter table customers add column signed_in_at integer`,
  `update customers set signed_in_at = (select max(f.created_at) from token_families f where f.mobile = customers.mobile)`,
  `create table checkout_otp_sends (
  mobile text not null,
  sent_at text not null,
  last_at integer not null,
  primary key (mobile)
) strict`,
  `create index checkout_otp_sends_by_age on checkout_otp_sends (last_at)`,
]
