// Rupees as Cashfree writes them, a JSON number with up to two decimals, and paise as we count them.

export const rupeesOf = (paise: number): number => paise / 100

/** Undefined when the value is no amount of whole paise. No tolerance: one of 1e-6 rupees misreads amounts above 10^10 paise. */
export function paiseOf(value: unknown): number | undefined {
  if (typeof value !== 'number') return undefined
  const paise = Math.round(value * 100)
  return Number.isSafeInteger(paise) && paise >= 0 && paise / 100 === value ? paise : undefined
}
