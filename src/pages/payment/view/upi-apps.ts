// The addresses that open UPI apps. On Android one address asks which app; on iOS each app has its own (docs/pages.md). A page shows an
// acquirer's link only if it has the standard's form.

export const UPI_LINK = /^upi:\/\/(pay|mandate)\?[!-~]{1,2000}$/

const APPS: readonly (readonly [name: string, start: string])[] = [
  ['Google Pay', 'gpay://upi/'],
  ['PhonePe', 'phonepe://'],
  ['Paytm', 'paytmmp://'],
  ['BHIM', 'bhim://upi/'],
]

/** The name that the payer's app shows for the payee. The acquirer gives this name, and it may differ from the shop's. */
export function payeeIn(deepLink: string): string | undefined {
  const name = new URLSearchParams(deepLink.slice(deepLink.indexOf('?') + 1)).get('pn') ?? ''
  return [...name].slice(0, PAYEE_LENGTH).join('') || undefined
}
const PAYEE_LENGTH = 99 // UPI linking specification: `pn`

export interface AppLink {
  name: string
  href: string
}

export const appLinks = (deepLink: string): readonly AppLink[] =>
  APPS.map(([name, start]) => ({ name, href: start + deepLink.slice('upi://'.length) }))

export type Phone = 'android' | 'ios' | 'none'
export const phoneOf = (agent: string): Phone => (/Android/.test(agent) ? 'android' : /iPhone|iPad|iPod/.test(agent) ? 'ios' : 'none')
