// The rule for PaymentMode in docs/interface.md section 2, written apart from the rule under test: this file imports nothing. Also lists
// and ways to pay, enumerated and drawn.

export interface Element {
  mode?: string
  channels?: string[]
  banks?: string[]
  tenures?: number[]
}
export interface Lists {
  enable?: Element[]
  disable?: Element[]
}
/** One way to pay. Unknown facts of a card are absent. */
export interface Option {
  mode: string
  channels?: string
  banks?: string
  tenures?: number
}

const CARDS = ['CREDIT_CARD', 'DEBIT_CARD']
const MODES_THAT_HAVE: Record<'channels' | 'banks' | 'tenures', string[]> = {
  channels: ['UPI', ...CARDS, 'EMI', 'NET_BANKING'],
  banks: [...CARDS, 'NET_BANKING', 'EMI'],
  tenures: ['EMI'],
}

/** An element is one combination. `beside` is the answer for an element whose lists all belong to other modes. */
function isMet(element: Element, option: Option, beside: boolean): boolean {
  if (element.mode !== option.mode) return false
  const given = (['channels', 'banks', 'tenures'] as const).filter((list) => element[list])
  const counting = given.filter((list) => MODES_THAT_HAVE[list].includes(option.mode))
  if (given.length > 0 && counting.length === 0) return beside
  return counting.every((list) => (element[list] as unknown[]).includes(option[list]))
}

export function mayPay({ enable = [], disable = [] }: Lists, option: Option): boolean {
  const enabling = enable.filter(({ mode }) => mode)
  const isEnabled = enabling.length === 0 || enabling.some((element) => isMet(element, option, true))
  return isEnabled && !disable.some((element) => isMet(element, option, false))
}

export const SCHEMES = ['VISA', 'MASTER', 'AMEX', 'RUPAY']
export const BANKS = ['HDFC', 'AXIS']
const TENURES = [3, 6, 9]
const PLAIN = ['BALANCE', 'PPBL', 'SVC_DIGITAL_CREDIT']
const unknown = { isUnknown: true } as const

/** Every way to pay with two banks, and cards of neither. */
export const options: Option[] = [
  ...PLAIN.map((mode) => ({ mode })),
  ...['UPI', 'UPIPUSH', 'UPIPUSHEXPRESS'].map((channels) => ({ mode: 'UPI', channels })),
  ...CARDS.flatMap((mode) =>
    SCHEMES.flatMap((channels) =>
      [...BANKS, unknown].map((bank) => ({ mode, channels, ...(bank !== unknown && { banks: bank as string }) })),
    ),
  ),
  ...BANKS.map((bank) => ({ mode: 'NET_BANKING', channels: bank, banks: bank })),
  ...SCHEMES.flatMap((channels) => BANKS.flatMap((banks) => TENURES.map((tenures) => ({ mode: 'EMI', channels, banks, tenures })))),
]

/** How a payment page names it: a card by its scheme, a plan by bank and months. */
export const shownAs = ({ mode, channels, banks, tenures }: Option): string =>
  mode === 'EMI' ? `EMI ${banks}|${tenures}` : `${mode} ${channels ?? mode}`

/** Six elements, each present or absent in either list: 4,096 pairs of lists. */
const SIX: Element[] = [
  { mode: 'EMI', banks: ['HDFC'], tenures: [3] },
  { mode: 'EMI', banks: ['AXIS'], tenures: [6, 9], channels: ['VISA'] },
  { mode: 'CREDIT_CARD', channels: ['VISA', 'MASTER'], banks: ['HDFC'] },
  { mode: 'CREDIT_CARD', banks: ['AXIS', 'NOSUCH'] },
  { mode: 'UPI', channels: ['UPIPUSH'], banks: ['HDFC'] },
  { mode: 'UPI', tenures: [3] },
]
export function* enumerated(): Generator<Lists> {
  const subset = (bits: number) => SIX.filter((_, at) => bits & (1 << at))
  for (let enable = 0; enable < 64; enable++)
    for (let disable = 0; disable < 64; disable++)
      yield { ...(enable > 0 && { enable: subset(enable) }), ...(disable > 0 && { disable: subset(disable) }) }
}

/** `below(n)` gives a whole number from 0 to n - 1. */
export function drawn(below: (count: number) => number): Lists {
  const some = <T>(of: readonly T[]): T[] | undefined => {
    const chosen = below(2) === 0 ? [] : of.filter(() => below(3) === 0)
    return chosen.length === 0 ? undefined : chosen
  }
  const element = (): Element => {
    const mode =
      below(12) === 0 ? undefined : [...PLAIN, 'UPI', 'UPI', ...CARDS, 'CREDIT_CARD', 'NET_BANKING', 'EMI', 'EMI', 'EMI'][below(12)]
    const isBank = mode === 'NET_BANKING' || mode === undefined
    const channels = some(mode === 'UPI' ? ['UPI', 'UPIPUSH', 'UPIPUSHEXPRESS'] : isBank ? [...BANKS, 'NOSUCH'] : [...SCHEMES, 'DINERS'])
    const [banks, tenures] = [some([...BANKS, 'NOSUCH']), some(TENURES)]
    return { ...(mode && { mode }), ...(channels && { channels }), ...(banks && { banks }), ...(tenures && { tenures }) }
  }
  const list = () => Array.from({ length: below(5) }, element)
  const [enable, disable] = [list(), list()]
  return { ...(enable.length > 0 && { enable }), ...(disable.length > 0 && { disable }) }
}
