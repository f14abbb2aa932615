// Settings of a merchant's payment page: docs/sandbox.md, "The world". They say whether it asks for a UPI id, whom it names for questions,
// and which pages may show it in a frame.

import { formats, isEmail } from '../../interface/fields.ts'
import type { Row } from '../../tables/tables.ts'

type Merchant = Row<'merchants'>

/** NPCI: since 28 February 2026 collect requests are for these categories, and for payers on iOS. */
const COLLECT_MCCS: readonly string[] = ['6012', '6211']

/** True when a page shows a field for a UPI id. No page asks for a consent by collect; the API still takes one. */
export function asksForUpiId(
  { upiCollect, mcc }: Pick<Merchant, 'upiCollect' | 'mcc'>,
  { isIos, isConsent }: { isIos: boolean; isConsent: boolean },
): boolean {
  if (isConsent || upiCollect === 'never') return false
  return upiCollect === 'always' || isIos || COLLECT_MCCS.includes(mcc)
}

/**
 * The origins whose pages may show an order's payment page in a frame: those that the operator names, else those that the payer returns to.
 * Undefined means any: the sandbox, where the operator named none.
 */
export function pageOriginsOf(
  { pageOrigins, websites }: Pick<Merchant, 'pageOrigins' | 'websites'>,
  callbackUrl: string | null,
  mode: 'sandbox' | 'production',
): readonly string[] | undefined {
  if (pageOrigins) return pageOrigins
  if (mode === 'sandbox') return undefined
  const urls = [...Object.values(websites).map((website) => website.callbackUrl), callbackUrl ?? undefined]
  // An operator's address may have a host that a header could read as something else.
  return [...new Set(urls.flatMap((url) => (url !== undefined && formats.callbackUrl(url) ? new URL(url).origin : [])))]
}

/** As a browser writes it: scheme, host, and a port that is not the scheme's own. The text stands in a header. */
export const isOrigin = (text: string) => formats.callbackUrl(text) && new URL(text).origin === text

const SUPPORT_CONTACT_LENGTH = 120 // Mohur's choice: it stands in one line of a page
const PHONE = /^\+?[0-9](?:[ -]?[0-9]){3,14}$/ // ITU-T E.164: 15 digits at most; four are a short code

/** The link behind a contact. Undefined where the text is no contact. */
export function supportAddressOf(contact: string): string | undefined {
  if (contact.length > SUPPORT_CONTACT_LENGTH) return undefined
  if (PHONE.test(contact)) return `tel:${contact.replace(/[ -]/g, '')}`
  if (formats.callbackUrl(contact) && contact.startsWith('https://')) return contact
  if (!isEmail(contact)) return undefined
  const at = contact.indexOf('@')
  // A question mark in the name would begin the mail's subject.
  return `mailto:${encodeURIComponent(contact.slice(0, at))}${contact.slice(at)}`
}
export const isSupportContact = (text: string) => supportAddressOf(text) !== undefined
