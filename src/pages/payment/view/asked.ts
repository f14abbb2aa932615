// Besides the rows, a page's look depends on this: the query of a GET, or the faults of a form.

import type { FieldFault } from '../../kit/fields.ts'
import type { SavedCard } from '../found/options.ts'

/** The next page's messages about an act just done with an attempt under way or a saved card. */
const PAGE_MESSAGES = ['checked', 'often', 'lost', 'resent', 'removed'] as const
export type PageMessage = (typeof PAGE_MESSAGES)[number]
export const pageMessageIn = (text: string | undefined): PageMessage | undefined => PAGE_MESSAGES.find((each) => each === text)

export interface PageAsked {
  /** The refusal of the form just sent. */
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
  /** The payer's typed fields, except cards and codes. */
  typed?: Readonly<Record<string, string>>
}
