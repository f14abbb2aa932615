// The addresses that open UPI apps. On Android one address asks which app, and each app has its own too; on iOS each app has its own
// (docs/pages.md). A page shows an acquirer's link only if it has the standard's form.

export const UPI_LINK = /^upi:\/\/(pay|mandate)\?[!-~]{1,2000}$/

/**
 * `start` opens the app on iOS; `package` is its name on Android. An app stands here for iOS if two processors publish its scheme, for
 * payments and for mandates.
 */
const APPS = [
  { name: 'Google Pay', start: 'gpay://upi/', package: 'com.google.android.apps.nbu.paisa.user' },
  { name: 'PhonePe', start: 'phonepe://', package: 'com.phonepe.app' },
  { name: 'Paytm', start: 'paytmmp://', package: 'net.one97.paytm' },
  { name: 'BHIM', start: 'bhim://upi/', package: 'in.org.npci.upiapp' },
  { name: 'CRED', start: 'credpay://upi/' },
  { name: 'Navi', start: 'navipay://' },
  { name: 'super.money', start: 'super://' },
] as const

/** The name that the payer's app shows for the payee. The acquirer gives this name, and it may differ from the shop's. */
export function payeeIn(deepLink: string): string | undefined {
  const name = new URLSearchParams(deepLink.slice(deepLink.indexOf('?') + 1)).get('pn') ?? ''
  return [...name].slice(0, PAYEE_LENGTH).join('') || undefined
}
const PAYEE_LENGTH = 99 // UPI linking specification: `pn`

/** Without a name the link lets the payer choose the app. */
export interface AppLink {
  name?: string
  href: string
}

export type Phone = 'android' | 'ios' | 'none'
export const phoneOf = (agent: string): Phone => (/Android/.test(agent) ? 'android' : /iPhone|iPad|iPod/.test(agent) ? 'ios' : 'none')

/** With one of these signs a bank's link could end its own part of an `intent:` address, and name another app. */
const ENDS_INTENT = /[#;]/

export function appLinks(deepLink: string, phone: Phone): readonly AppLink[] {
  const rest = deepLink.slice('upi://'.length)
  switch (phone) {
    case 'none':
      return []
    case 'ios':
      return APPS.map(({ name, start }) => ({ name, href: start + rest }))
    case 'android': {
      const named = APPS.flatMap((app) =>
        'package' in app ? [{ name: app.name, href: `intent://${rest}#Intent;scheme=upi;package=${app.package};end` }] : [],
      )
      return [...(ENDS_INTENT.test(deepLink) ? [] : named), { href: deepLink }]
    }
    default:
      return phone satisfies never
  }
}
