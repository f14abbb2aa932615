import { instant, integer, oneOf, optionalText, sealed, table, text } from './columns.ts'

/** What a shop's page asked for when it opened the page by the loader: docs/pages.md, "The browser loader". */
export interface ShopView {
  /** Where the page stands: in a frame of the shop's page, or in a window that the shop's page opened. */
  held: 'frame' | 'window'
  /** The shop's page takes the result itself. */
  handler?: true
  /** What alone may be paid by, what not, and in which order: payment modes. Empty: everything. */
  only?: readonly string[]
  without?: readonly string[]
  order?: readonly string[]
  /** A UPI payment by its code or an app alone. */
  qrOnly?: true
  /** The shop's own names of payment modes. */
  labels?: Readonly<Record<string, string>>
}

/** What a payer, or the shop for them, has chosen of how a page looks. */
export interface ChosenView {
  shop?: ShopView
  /** Chosen by the payer, or said by the shop. */
  language?: string
  /** The number that a payment page has last asked a code for: what is sent from another page of its order is not shown on this. */
  mobile?: string
}

/** A payment page that was opened for an order, by the keyed hash of its id: docs/pages.md. It says nothing of the payment itself. */
export const pages = table({
  columns: {
    pageHash: text,
    mid: text,
    orderId: text,
    kind: oneOf('full', 'framed'),
    openedAt: instant,
    /** Until then it may be paid from. */
    until: integer,
    /** How often the payer asked for more time. */
    extensions: integer,
    /** Of the site that holds it in a frame. */
    embeddingOrigin: optionalText,
    /** Keyed hash of the browser's User-Agent: what a sign-in shows is for that browser. */
    agentHash: text,
    view: sealed<ChosenView>(),
  },
  key: ['pageHash'],
  indexes: { pagesByEnd: { columns: ['until'] } },
  checks: ['until > opened_at', 'extensions between 0 and 10'],
})
