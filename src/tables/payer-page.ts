import { instant, integer, json, optionalInstant, optionalInteger, sealed, table, text } from './columns.ts'
import type { ChosenView } from './payment-page.ts'

/** What a payer's messages lead to his mandate by, as the keyed hash of its id: docs/pages.md. */
export const mandateLinks = table({
  columns: { linkHash: text, mid: text, subscriptionId: text, createdAt: instant },
  key: ['linkHash'],
  indexes: { mandateLinksOfSubscription: { columns: ['mid', 'subscriptionId'], unique: true } },
})

/** A page of a mandate that somebody with its link has asked for, and the latest code that was sent to its payer for it: docs/pages.md. */
export const mandatePages = table({
  columns: {
    pageHash: text,
    mid: text,
    subscriptionId: text,
    /** Keyed hash of the browser's User-Agent: the page is for that browser. */
    agentHash: text,
    view: sealed<ChosenView>(),
    askedAt: instant,
    /** When the code came back; null before, and then nothing is shown. */
    openedAt: optionalInstant,
    /** Until then it shows and does something; before it is opened, until the code is over. */
    until: integer,
    /** How often the payer asked for more time. */
    extensions: integer,
    mobile: text,
    /** Of the code and what it is for together: `open`, `debit:<noticeId>`, `edit:<editId>`. */
    codeHash: text,
    codeFor: text,
    tries: integer,
    triesMax: integer,
    codeUntil: integer,
    usedAt: optionalInteger,
  },
  key: ['pageHash'],
  indexes: { mandatePagesByEnd: { columns: ['until'] } },
  checks: [
    'until > asked_at',
    'extensions between 0 and 10',
    'tries between 0 and tries_max',
    "opened_at is not null or (code_for = 'open' and used_at is null)",
    'used_at is null or (used_at < code_until and tries < tries_max)',
  ],
})

/** When codes for mandates were sent to a number, over the last day: they take none away from sign-ins. */
export const mandateCodeSends = table({
  columns: { mobile: text, sentAt: json<readonly number[]>(), lastAt: integer },
  key: ['mobile'],
  indexes: { mandateCodeSendsByAge: { columns: ['lastAt'] } },
})
