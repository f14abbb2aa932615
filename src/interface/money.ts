// Money is a string of rupees outside and an integer of paise inside: docs/interface.md section 2.

/** Up to ten digits of rupees and two decimals; no sign, exponent, leading zero or other script's digits. */
export const MONEY_PATTERN = '^(0|[1-9][0-9]{0,9})(\\.[0-9]{1,2})?$'
/** The largest amount that the pattern can hold. */
export const PAISE_MAX = 999_999_999_999

/** Paise of a string that MONEY_PATTERN accepts: "12.5" is 1250. */
export function toPaise(value: string): number {
  const [rupees = '', fraction = ''] = value.split('.')
  return Number(rupees) * 100 + Number(fraction.padEnd(2, '0'))
}

const MONEY = new RegExp(MONEY_PATTERN)
/** Commas stand only where India or the West writes them, so that a decimal comma multiplies nothing. */
const TYPED = /^([0-9]+|[1-9][0-9]{0,2}(?:,[0-9]{3})+|[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3})(\.[0-9]{1,2})?$/

/** Paise of rupees that a person typed: "1,499.5" is 149950. */
export function typedPaise(typed: string): number | undefined {
  const rupees = TYPED.test(typed) ? typed.replaceAll(',', '').replace(/^0+(?=[0-9])/, '') : ''
  return MONEY.test(rupees) ? toPaise(rupees) : undefined
}

/** Rupees as India writes them: 12345670 is "1,23,456.70". By hand and not by Intl for speed: a page shows a dozen amounts. */
export function withCommas(paise: number): string {
  const [rupees = '', fraction] = toRupees(paise).split('.')
  const lakhs = rupees.slice(0, -3).replace(/\B(?=(?:\d\d)+$)/g, ',')
  return `${lakhs && `${lakhs},`}${rupees.slice(-3)}.${fraction}`
}

/** Rupees with two decimals: 1250 is "12.50". */
export function toRupees(paise: number): string {
  const digits = String(paise).padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}
