// What a merchant's payment page asks for, and whose pages may show it in a frame: docs/sandbox.md, "The world".

import { formats } from '../../interface/fields.ts'
import type { Row } from '../../tables/tables.ts'

type Merchant = Row<'merchants'>

/** NPCI: since 28 February 2026 a collect request is for these categories, and for payers on iOS. */
const COLLECT_MCCS: readonly string[] = ['6012', '6211']

/** Whether a page shows a field for a UPI id. A consent is never asked for by collect; the API takes it as before. */
export function asksForUpiId(
  { upiCollect, mcc }: Pick<Merchant, 'upiCollect' | 'mcc'>,
  { isIos, isConsent }: { isIos: boolean; isConsent: boolean },
): boolean {
  if (isConsent || upiCollect === 'never') return false
  return upiCollect === 'always' || isIos || COLLECT_MCCS.includes(mcc)
}

/**
 * The origins whose pages may show an order's payment page in a frame: those that the operator names, else those that the payer goes back
 * to. Undefined is any: the sandbox, where nothing was named.
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
