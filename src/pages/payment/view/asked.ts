// What beside the rows says how a page looks: the query of a GET, or what was wrong with a form.

import type { FieldFault } from '../../kit/fields.ts'
import type { SavedCard } from '../found/options.ts'

/** What has just been done about an attempt under way, or a kept card, for the page after it. */
const PAGE_MESSAGES = ['checked', 'often', 'lost', 'resent', 'removed'] as const
export type PageMessage = (typeof PAGE_MESSAGES)[number]
export const pageMessageIn = (text: string | undefined): PageMessage | undefined => PAGE_MESSAGES.find((each) => each === text)

export interface PageAsked {
  /** What was refused of what the payer has just sent. */
  fault?: FieldFault | undefined
  message?: PageMessage | undefined
  leaves?: boolean
  /** By the loader: the shop's page goes on to the shop, as things stand. */
  isToShop?: boolean
  /** The bank whose EMI plans are shown. */
  emi?: string | undefined
  /** The panel that is open. */
  open?: string | undefined
  /** What the payer is asked about before it is removed. */
  removes?: SavedCard | undefined
  /** What the payer typed, but for cards and codes. */
  typed?: Readonly<Record<string, string>>
}
