import { instant, integer, json, optionalInstant, optionalInteger, sealed, table, text } from './columns.ts'
import type { ChosenView } from './payment-page.ts'

/** The link to a mandate in its payer's messages, as the keyed hash of the link's id (docs/pages.md). */
export const mandateLinks = table({
  columns: { linkHash: text, mid: text, subscriptionId: text, createdAt: instant },
  key: ['linkHash'],
  indexes: { mandateLinksOfSubscription: { columns: ['mid', 'subscriptionId'], unique: true } },
})

/** A mandate's page, requested by anyone with its link, and the latest code that was sent to the payer for it (docs/pages.md). */
export const mandatePages = table({
  columns: {
    pageHash: text,
    mid: text,
    subscriptionId: text,
    /** Keyed hash of the browser's User-Agent: the page is for that browser. */
    agentHash: text,
    view: sealed<ChosenView>(),
    askedAt: instant,
    /** When the payer gave the code. Until then null, and the page shows nothing. */
    openedAt: optionalInstant,
    /** The time until which the page shows the mandate and takes actions. Before the page is opened: the time when the code expires. */
    until: integer,
    extensions: integer,
    mobile: text,
    /** The hash of the code together with its purpose: `open`, `debit:<noticeId>`, `edit:<editId>`. */
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

/** When codes for mandates were sent to a number, over the last day. These codes do not count against sign-ins. */
export const mandateCodeSends = table({
  columns: { mobile: text, sentAt: json<readonly number[]>(), lastAt: integer },
  key: ['mobile'],
  indexes: { mandateCodeSendsByAge: { columns: ['lastAt'] } },
})
