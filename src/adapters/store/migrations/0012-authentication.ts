// What the payer was asked of a debit above the limit, and what he has said: docs/decisions/0017. A migration that has been released
// is never edited.

export const statements = [
  `alter table collections add column authentication text not null default 'NONE' check (authentication in ('NONE', 'ASKED', 'APPROVED', 'DECLINED')) check (authentication in ('NONE', 'ASKED') or noticed_at is not null) check (sent_at is null or authentication in ('NONE', 'APPROVED'))`,
  `update collections set authentication = 'APPROVED' where is_authenticated = 1 and noticed_at is not null`,
  `alter table collections drop column is_authenticated`,
]
