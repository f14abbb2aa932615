// What is known of banks, cards, EMI plans and UPI handles beyond this service: docs/interface.md section 4.30. The lists are
// the operator's (adapters/reference/read-reference.ts reads them); here they are made ready to be asked.

import type { CARD_SCHEMES } from '../interface/fields.ts'

/** A merchant's, by his MCC: the operator's list says which (docs/operating/configure.md). */
export const CATEGORIES = ['listed', 'transit'] as const
export type Category = (typeof CATEGORIES)[number]

export interface Bank {
  code: string
  name: string
  netBanking: boolean
  /** Cashfree's number for it, four digits, where the list knows it. */
  cashfree?: number
  /** The first four letters of its branches' IFSC, where the list knows them. */
  ifsc?: string
}
/** What the first digits of a card say. */
export interface Bin {
  scheme: (typeof CARD_SCHEMES)[number]
  paymentMode: 'CREDIT_CARD' | 'DEBIT_CARD'
  bank: string
  emi: boolean
  isIndian: boolean
}
export interface BinRange extends Bin {
  /** Six to eight digits, both ends as long; both belong to the range. */
  from: string
  to: string
}
export interface EmiPlan {
  /** `<bank>|<months>` */
  planId: string
  bank: string
  tenure: number
  /** Hundredths of a percent a year. */
  interestHundredths: number
  minAmountPaise: number
}

/** Ways that the acquirer takes, as an order's `enablePaymentMode` says them (docs/interface.md section 2). */
export interface TakenMode {
  mode: string
  channels?: readonly string[]
  banks?: readonly string[]
  /** The acquirer takes no payment of a payer without this member of the order. */
  needs?: 'userInfo.mobile'
}

export interface Reference {
  /** Absent: the acquirer takes every way. */
  readonly taken?: readonly TakenMode[]
  readonly banks: readonly Bank[]
  bank(code: string): Bank | undefined
  /** By six or more digits of a card, of which eight count. */
  bin(digits: string): Bin | undefined
  /** Those of a bank that an amount is enough for, the shortest first. */
  emiPlans(bank: string, amountPaise: number): readonly EmiPlan[]
  emiPlan(planId: string): EmiPlan | undefined
  /** Banks that have any EMI plan. */
  readonly emiBanks: readonly Bank[]
  /** Of a UPI id, what stands behind its at sign. */
  knowsHandle(handle: string): boolean
  /** What kind of merchant an MCC is, for the rules of mandates. */
  category(mcc: string): Category | undefined
}

/** The digits that say whose a card is (docs/interface.md section 8, Mohur); older ranges, and offers for them, are known by six. */
export const BIN_DIGITS = 8
export const BIN_DIGITS_MIN = 6
const LONG_NUMBER = 16
/** How many of them may be kept: of a number below sixteen digits no more than six (PCI SSC, truncation of PANs). */
export const keptDigits = (number: string) => (number.length < LONG_NUMBER ? BIN_DIGITS_MIN : BIN_DIGITS)

/** A UPI id: a name, an at sign, a handle (NPCI). */
export const VPA_FORM = /^[A-Za-z0-9._-]{2,64}@([A-Za-z][A-Za-z0-9]{1,31})$/

/** The first and the last number of eight digits that begins with these. */
const first = (digits: string) => Number(digits.slice(0, BIN_DIGITS).padEnd(BIN_DIGITS, '0'))
const last = (digits: string) => Number(digits.slice(0, BIN_DIGITS).padEnd(BIN_DIGITS, '9'))

/** Ranges that overlap say two things of one card; the first pair of them. */
export function overlap(ranges: readonly BinRange[]): readonly [BinRange, BinRange] | undefined {
  const sorted = sort(ranges)
  const at = sorted.findIndex((range, at) => at > 0 && first(range.from) <= last(sorted[at - 1]!.to))
  return at < 0 ? undefined : [sorted[at - 1]!, sorted[at]!]
}
const sort = (ranges: readonly BinRange[]) => [...ranges].sort((a, b) => first(a.from) - first(b.from))

export interface ReferenceLists {
  banks: readonly Bank[]
  bins: readonly BinRange[]
  plans: readonly EmiPlan[]
  handles: readonly string[]
  categories: readonly { mcc: string; category: Category }[]
}

/** `lists` have been checked: no two rows of one key, no bank that is not there, no ranges that overlap. */
export function referenceOf(lists: ReferenceLists): Reference {
  const banks = new Map(lists.banks.map((bank) => [bank.code, bank]))
  const ranges = sort(lists.bins)
  const plans = new Map([...lists.plans].sort((a, b) => a.tenure - b.tenure).map((plan) => [plan.planId, plan]))
  const plansOf = Map.groupBy(plans.values(), ({ bank }) => bank)
  const handles = new Set(lists.handles)
  const categories = new Map(lists.categories.map(({ mcc, category }) => [mcc, category]))
  return {
    banks: lists.banks,
    bank: (code) => banks.get(code),
    bin(digits) {
      const range = rangeAround(ranges, first(digits))
      if (!range || last(digits) > last(range.to)) return undefined // too few digits to tell which range is meant
      const { scheme, paymentMode, bank, emi, isIndian } = range
      return { scheme, paymentMode, bank, emi, isIndian }
    },
    emiPlans: (bank, amountPaise) => (plansOf.get(bank) ?? []).filter(({ minAmountPaise }) => amountPaise >= minAmountPaise),
    emiPlan: (planId) => plans.get(planId),
    emiBanks: lists.banks.filter(({ code }) => plansOf.has(code)),
    knowsHandle: (handle) => handles.has(handle.toLowerCase()),
    category: (mcc) => categories.get(mcc),
  }
}

/** An operator's list may have a hundred thousand ranges. */
function rangeAround(ranges: readonly BinRange[], number: number): BinRange | undefined {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (first(ranges[middle]!.from) <= number) low = middle + 1
    else high = middle
  }
  const range = ranges[low - 1]
  return range && number <= last(range.to) ? range : undefined
}

// ---------------------------------------------------------------------------------------------------------- interest

const HUNDREDTHS_OF_A_YEAR = 12n * 10_000n // months of a year, hundredths of a percent of a whole

export interface Instalments {
  interestPaise: number
  totalPaise: number
  /** Of every month; in the last one less is left where it does not divide evenly. */
  instalmentPaise: number
}

/**
 * Flat interest: on the whole amount for all of the time, rounded up to a paisa, as is the instalment. In whole numbers,
 * which the product of the largest amount, rate and tenure is too large for without BigInt.
 */
export function instalmentsOf({ tenure, interestHundredths }: EmiPlan, amountPaise: number): Instalments {
  const interest = dividedUp(BigInt(amountPaise) * BigInt(interestHundredths) * BigInt(tenure), HUNDREDTHS_OF_A_YEAR)
  const total = BigInt(amountPaise) + interest
  return { interestPaise: Number(interest), totalPaise: Number(total), instalmentPaise: Number(dividedUp(total, BigInt(tenure))) }
}
/**
 * What a plan costs a year by reducing balance, in hundredths of a per cent, rounded up: the rate at which the instalments pay the amount back. Twice
 * as high as the flat rate, about, because the debt grows less with every month.
 */
export function reducingHundredths(
  { tenure }: Pick<EmiPlan, 'tenure'>,
  { instalmentPaise }: Pick<Instalments, 'instalmentPaise'>,
  amountPaise: number,
): number {
  const worth = (monthly: number) => (monthly === 0 ? tenure : (1 - (1 + monthly) ** -tenure) / monthly) * instalmentPaise
  let [low, high] = [0, 1]
  for (let halving = 0; halving < RATE_HALVINGS; halving++) {
    const middle = (low + high) / 2
    if (worth(middle) > amountPaise) low = middle
    else high = middle
  }
  return Math.ceil(low * MONTHS_OF_A_YEAR * 10_000)
}
const RATE_HALVINGS = 50 // a monthly rate of 100 % to far below a hundredth of a per cent
const MONTHS_OF_A_YEAR = 12

const dividedUp = (value: bigint, by: bigint) => (value + by - 1n) / by
