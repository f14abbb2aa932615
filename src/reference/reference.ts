// Facts about banks, cards, EMI plans and UPI handles beyond this service (docs/interface.md section 4.30). The lists are the operator's
// (adapters/reference/read-reference.ts reads them). This file prepares the lists for look-ups.

import type { CARD_SCHEMES } from '../interface/fields.ts'

/** A merchant's category follows from its MCC, by the operator's list (docs/operating/configure.md). */
export const CATEGORIES = ['listed', 'transit'] as const
export type Category = (typeof CATEGORIES)[number]

export interface Bank {
  code: string
  name: string
  netBanking: boolean
  /** Cashfree's four-digit number for the bank, if the list has one. */
  cashfree?: number
  /** The first four letters of the IFSC of the bank's branches, if the list has them. */
  ifsc?: string
}
/** The facts that a card's first digits give. */
export interface Bin {
  scheme: (typeof CARD_SCHEMES)[number]
  paymentMode: 'CREDIT_CARD' | 'DEBIT_CARD'
  bank: string
  emi: boolean
  isIndian: boolean
}
export interface BinRange extends Bin {
  /** Six to eight digits, as many in `to` as in `from`. Both ends belong to the range. */
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

/** A payment mode that the acquirer takes, in the form of an order's `enablePaymentMode` (docs/interface.md section 2). */
export interface TakenMode {
  mode: string
  channels?: readonly string[]
  banks?: readonly string[]
  /** The acquirer takes a payment only if the order has this member. */
  needs?: 'userInfo.mobile'
  /** The least that the acquirer takes. */
  paiseMin?: number
}

export interface Reference {
  /** Absent: the acquirer takes every mode. */
  readonly taken?: readonly TakenMode[]
  readonly banks: readonly Bank[]
  bank(code: string): Bank | undefined
  /** By six or more digits of a card. Eight of them count. */
  bin(digits: string): Bin | undefined
  /** A bank's plans for which the amount is enough, the shortest first. */
  emiPlans(bank: string, amountPaise: number): readonly EmiPlan[]
  emiPlan(planId: string): EmiPlan | undefined
  readonly emiBanks: readonly Bank[]
  /** `handle` is the part of a UPI id behind its at sign. */
  knowsHandle(handle: string): boolean
  /** The kind of merchant that an MCC means, for the rules of mandates. */
  category(mcc: string): Category | undefined
}

/** The digits that name a card's issuer (docs/interface.md section 8, Mohur). Older ranges, and offers for them, have six. */
export const BIN_DIGITS = 8
export const BIN_DIGITS_MIN = 6
const LONG_NUMBER = 16
/** How many first digits of a card number may be kept (PCI SSC, truncation of PANs). A number below sixteen digits keeps at most six. */
export const keptDigits = (number: string) => (number.length < LONG_NUMBER ? BIN_DIGITS_MIN : BIN_DIGITS)

/** A UPI id: a name, an at sign, a handle (NPCI). */
export const VPA_FORM = /^[A-Za-z0-9._-]{2,64}@([A-Za-z][A-Za-z0-9]{1,31})$/

/** The first and the last number of eight digits that begins with `digits`. */
const first = (digits: string) => Number(digits.slice(0, BIN_DIGITS).padEnd(BIN_DIGITS, '0'))
const last = (digits: string) => Number(digits.slice(0, BIN_DIGITS).padEnd(BIN_DIGITS, '9'))

/** The first pair of overlapping ranges. The two ranges would give one card different facts. */
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

/** `lists` have been checked: no key comes twice, no bank is unknown, and no ranges overlap. */
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
      if (!range || last(digits) > last(range.to)) return undefined // too few digits to choose one range
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

/** A binary search, because an operator's list may have a hundred thousand ranges. */
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
  /** Each month's. The last is smaller if the total does not divide evenly. */
  instalmentPaise: number
}

/**
 * Flat interest, on the whole amount for the whole time. Interest and instalment are each rounded up to a paisa. Whole numbers need BigInt
 * here, for the product of the largest amount, rate and tenure.
 */
export function instalmentsOf({ tenure, interestHundredths }: EmiPlan, amountPaise: number): Instalments {
  const interest = dividedUp(BigInt(amountPaise) * BigInt(interestHundredths) * BigInt(tenure), HUNDREDTHS_OF_A_YEAR)
  const total = BigInt(amountPaise) + interest
  return { interestPaise: Number(interest), totalPaise: Number(total), instalmentPaise: Number(dividedUp(total, BigInt(tenure))) }
}
/**
 * A plan's yearly cost by reducing balance, in hundredths of a percent, rounded up: the rate at which the instalments pay the amount back.
 * This rate is about twice the flat rate, because the debt shrinks every month.
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
const RATE_HALVINGS = 50 // a monthly rate of 100 % to far below a hundredth of a percent
const MONTHS_OF_A_YEAR = 12

const dividedUp = (value: bigint, by: bigint) => (value + by - 1n) / by
