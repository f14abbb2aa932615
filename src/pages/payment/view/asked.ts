// What decides the look of a page besides the rows: the query of a GET, or the faults of a form.

import type { FieldFault } from '../../kit/fields.ts'
import type { SavedCard } from '../found/options.ts'

/** What was just done about an attempt under way or a saved card, for the next page. */
const PAGE_MESSAGES = ['checked', 'often', 'lost', 'resent', 'removed'] as const
export type PageMessage = (typeof PAGE_MESSAGES)[number]
export const pageMessageIn = (text: string | undefined): PageMessage | undefined => PAGE_MESSAGES.find((each) => each === text)

export interface PageAsked {
  /** The refusal of what the payer just sent. */
  fault?: FieldFault | undefined
  message?: PageMessage | undefined
  leaves?: boolean
  /** The loader sets this flag when the shop's page wants the payer sent on to the shop, as things stand. */
  isToShop?: boolean
  /** The bank whose EMI plans are shown. */
  emi?: string | undefined
  open?: string | undefined
  /** The card that the payer is asked about before it is removed. */
  removes?: SavedCard | undefined
  /** What the payer typed, except cards and codes. */
  typed?: Readonly<Record<string, string>>
}
