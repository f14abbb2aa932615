// Settings of a merchant's payment page: docs/sandbox.md, "The world". They say whether the page asks for a UPI id and which contact it
// shows for questions. They also say which pages may show it in a frame.

import { formats, isEmail } from '../../interface/fields.ts'
import type { Row } from '../../tables/tables.ts'

type Merchant = Row<'merchants'>

/** NPCI: since 28 February 2026 collect requests are only for these categories, and for payers on iOS. */
const COLLECT_MCCS: readonly string[] = ['6012', '6211']

/** True when a page shows a field for a UPI id. No page asks for a consent by collect. The API still takes a consent by collect. */
export function asksForUpiId(
  { upiCollect, mcc }: Pick<Merchant, 'upiCollect' | 'mcc'>,
  { isIos, isConsent }: { isIos: boolean; isConsent: boolean },
): boolean {
  if (isConsent || upiCollect === 'never') return false
  return upiCollect === 'always' || isIos || COLLECT_MCCS.includes(mcc)
}

/**
 * The origins whose pages may show an order's payment page in a frame. The operator names them; otherwise they are those to which the payer
 * returns. Undefined means any origin: in the sandbox, when the operator named none.
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

/** True for an origin as a browser writes it: scheme, host, and a port that is not the scheme's own. A header will contain the text. */
export const isOrigin = (text: string) => formats.callbackUrl(text) && new URL(text).origin === text

const SUPPORT_CONTACT_LENGTH = 120 // Mohur's choice: it stands in one line of a page
const PHONE = /^\+?[0-9](?:[ -]?[0-9]){3,14}$/ // ITU-T E.164: 15 digits at most; four are a short code

/** The link behind a contact. Undefined when the text is no contact. */
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
