import { instant, integer, oneOf, optionalText, sealed, table, text } from './columns.ts'

/** The wishes of a shop's page that opened this page by the loader (docs/pages.md, "The browser loader"). */
export interface ShopView {
  /** The page is in a frame of the shop's page, or in a window that the shop's page opened. */
  held: 'frame' | 'window'
  /** The shop's page takes the result itself. */
  handler?: true
  /** Payment modes: the only ones to offer, those to leave out, and their order. Empty: everything. */
  only?: readonly string[]
  without?: readonly string[]
  order?: readonly string[]
  /** A UPI payment only by its code or an app. */
  qrOnly?: true
  /** The shop's own names of payment modes. */
  labels?: Readonly<Record<string, string>>
}

/** How the page was opened, and what its payer chose or did on it. */
export interface ChosenView {
  shop?: ShopView
  /** Chosen by the payer, or named by the shop. */
  language?: string
  /** The number for which this page last requested a code. A code that another page of the order requested is not shown here. */
  mobile?: string
  /** A signed form or link opened this page. Every holder of the form can open another, so a page shows only who signed in on it. */
  byForm?: true
  /** The payer who last signed in on this page. */
  userId?: string
}

/** A payment page of an order, by the keyed hash of the page's id (docs/pages.md). The row says nothing about the payment itself. */
export const pages = table({
  columns: {
    pageHash: text,
    mid: text,
    orderId: text,
    kind: oneOf('full', 'framed'),
    openedAt: instant,
    /** The time until which the order may be paid from this page. */
    until: integer,
    extensions: integer,
    /** The site that shows it in a frame. */
    embeddingOrigin: optionalText,
    /** Keyed hash of the browser's User-Agent: only that browser sees what a sign-in shows. */
    agentHash: text,
    view: sealed<ChosenView>(),
  },
  key: ['pageHash'],
  indexes: { pagesByEnd: { columns: ['until'] } },
  checks: ['until > opened_at', 'extensions between 0 and 10'],
})
