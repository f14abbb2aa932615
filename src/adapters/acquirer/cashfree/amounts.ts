// Cashfree writes rupees as a JSON number with up to two decimals; Mohur counts paise.

export const rupeesOf = (paise: number): number => paise / 100

/**
 * Undefined when the value is no amount of whole paise. There is no tolerance: one of 1e-6 rupees would misread amounts above 10^10 paise.
 */
export function paiseOf(value: unknown): number | undefined {
  if (typeof value !== 'number') return undefined
  const paise = Math.round(value * 100)
  return Number.isSafeInteger(paise) && paise >= 0 && paise / 100 === value ? paise : undefined
}
