// The view of the payment page that a shop's page asks for by the loader's `view`: docs/pages.md, "The browser loader". A view changes what
// the page shows. The order alone decides what may be paid. An unreadable part is ignored, because a shop's checkout must not stop at a
// decoration.

import { type PaymentModeName, paymentModes } from '../../interface/payment-modes.ts'
import type { ShopView } from '../../tables/payment-page.ts'

export const VIEW_LENGTH_MAX = 4 * 1024 // docs/pages.md
const LABEL_LENGTH_MAX = 60 // Mohur's choice: one line of a phone
const NAMES_MAX = 50 // Mohur's choice: the names of one list

/** The names that shops' pages give to ways to pay. A page cannot take cash on delivery. */
const MODES: Readonly<Record<string, readonly PaymentModeName[]>> = {
  CARD: ['CREDIT_CARD', 'DEBIT_CARD'],
  CC: ['CREDIT_CARD'],
  DC: ['DEBIT_CARD'],
  NB: ['NET_BANKING'],
  SCAN_AND_PAY: ['UPI'],
  QR_PAY: ['UPI'],
  PTM_QR_PAY: ['UPI'],
  LOGIN: ['BALANCE'],
  PAY_WITH_PAYTM: ['BALANCE'],
  PPI: ['BALANCE'],
  PDC: ['SVC_DIGITAL_CREDIT'],
  COD: [],
}
const QR: ReadonlySet<string> = new Set(['SCAN_AND_PAY', 'QR_PAY', 'PTM_QR_PAY'])

function modesNamed(name: unknown): readonly PaymentModeName[] {
  if (typeof name !== 'string') return []
  const upper = name.toUpperCase()
  if (Object.hasOwn(MODES, upper)) return MODES[upper]!
  return Object.hasOwn(paymentModes, upper) ? [upper as PaymentModeName] : []
}

/** Undefined when `view` is absent or unreadable. */
export function shopViewIn(text: string | undefined): ShopView | undefined {
  if (text === undefined || text.length > VIEW_LENGTH_MAX) return undefined
  const view = parsed(text)
  if (!view) return undefined
  const { held, handler, mode } = view
  const payMode = membersOf(view['payMode'])
  const filter = membersOf(payMode['filter'])
  const [without, order] = [listOf(filter['exclude']), listOf(payMode['order'])]
  const only = modesNamed(mode).length > 0 ? modesNamed(mode) : listOf(filter['include'])
  const labels = { ...labelsOf(view['labels']), ...labelsOf(payMode['labels']) }
  return {
    held: held === 'window' ? 'window' : 'frame',
    ...(handler === true && { handler: true }),
    ...(only.length > 0 && { only }),
    ...(without.length > 0 && { without }),
    ...(order.length > 0 && { order }),
    ...(typeof mode === 'string' && QR.has(mode) && { qrOnly: true }),
    ...(Object.keys(labels).length > 0 && { labels }),
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** Some languages write an empty list for an object without members. */
const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

const listOf = (value: unknown): readonly PaymentModeName[] =>
  Array.isArray(value) ? [...new Set(value.slice(0, NAMES_MAX).flatMap(modesNamed))] : []

function labelsOf(value: unknown): Record<string, string> {
  const labels: Record<string, string> = {}
  for (const [name, label] of Object.entries(membersOf(value)).slice(0, NAMES_MAX))
    for (const mode of modesNamed(name))
      if (typeof label === 'string' && label.trim() !== '') labels[mode] = label.trim().slice(0, LABEL_LENGTH_MAX)
  return labels
}

export const shows = ({ only, without }: Pick<ShopView, 'only' | 'without'>, mode: string): boolean =>
  (only === undefined || only.includes(mode)) && !without?.includes(mode)

/** First the entries that the shop orders, then the rest. */
export function inShopsOrder<Each>(
  { order = [] }: Pick<ShopView, 'order'>,
  all: readonly Each[],
  modesOf: (each: Each) => readonly string[],
) {
  const rank = (each: Each) => {
    const ranks = modesOf(each).flatMap((mode) => (order.includes(mode) ? [order.indexOf(mode)] : []))
    return ranks.length > 0 ? Math.min(...ranks) : order.length
  }
  return all.toSorted((one, other) => rank(one) - rank(other))
}
