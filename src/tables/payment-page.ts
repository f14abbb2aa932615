import { instant, integer, oneOf, optionalText, sealed, table, text } from './columns.ts'

/** What a payment page looks like to whoever opened it. */
export interface PageView {
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
    view: sealed<PageView>(),
  },
  key: ['pageHash'],
  indexes: { pagesByEnd: { columns: ['until'] } },
  checks: ['until > opened_at', 'extensions between 0 and 10'],
})
