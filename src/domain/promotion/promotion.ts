// A promotion and its benefit: docs/interface.md section 4.4. A merchant's rows are prepared once and evaluated thousands of times a
// second. So lists become sets, and promotions stand by pay method, the most generous first.

import { ORDER_PAYMENT_MODES } from '../../interface/fields.ts'
import { MONEY_PATTERN, toPaise } from '../../interface/money.ts'
import { BIN_DIGITS, BIN_DIGITS_MIN } from '../../reference/reference.ts'
import type { Row } from '../../tables/tables.ts'

const PERCENT_HUNDREDTHS_MAX = 10_000 // the whole amount

/** An undefined list restricts nothing. */
export interface Promotion {
  readonly promocode: string
  readonly kind: 'DISCOUNT' | 'CASHBACK'
  readonly title: string
  readonly flatPaise: number | null
  readonly percentHundredths: number
  readonly minAmountPaise: number
  readonly payMethods: ReadonlySet<string> | undefined
  readonly banks: ReadonlySet<string> | undefined
  readonly bins: ReadonlySet<string> | undefined
  readonly skus: ReadonlySet<string> | undefined
  readonly validFrom: string
  readonly validUpto: string
  readonly budgetPaise: number | null
  readonly maxPerCustomer: number | null
  readonly visible: boolean
  /** The most that any payment gets: the flat amount, the cap, or infinity. */
  readonly ceilingPaise: number
}

/** A merchant's promotions of one day. */
export interface LivePromotions {
  readonly byCode: ReadonlyMap<string, Promotion>
  /** The promotions that an empty promocode may find: by each pay method that they allow, the highest ceiling first. */
  readonly visible: ReadonlyMap<string, readonly Promotion[]>
}

/** `today` is a date in India. A validity includes both its ends. */
export function prepare(rows: readonly Row<'promotions'>[], today: string): LivePromotions {
  const live = rows.filter((row) => row.validFrom <= today && today <= row.validUpto).map(toPromotion)
  live.sort((a, b) => (a.ceilingPaise === b.ceilingPaise ? 0 : b.ceilingPaise - a.ceilingPaise))
  return {
    byCode: new Map(live.map((promotion) => [promotion.promocode, promotion])),
    visible: new Map(
      ORDER_PAYMENT_MODES.map((payMethod) => [
        payMethod,
        live.filter((promotion) => promotion.visible && holds(promotion.payMethods, payMethod)),
      ]),
    ),
  }
}

const binding = (values: readonly string[]) => (values.length === 0 ? undefined : new Set(values))

function toPromotion(row: Row<'promotions'>): Promotion {
  return {
    promocode: row.promocode,
    kind: row.kind,
    title: row.title,
    flatPaise: row.flatPaise,
    percentHundredths: row.percentHundredths ?? 0,
    minAmountPaise: row.minAmountPaise,
    payMethods: binding(row.payMethods),
    banks: binding(row.banks),
    bins: binding(row.bins),
    skus: binding(row.skus),
    validFrom: row.validFrom,
    validUpto: row.validUpto,
    budgetPaise: row.budgetPaise,
    maxPerCustomer: row.maxPerCustomer,
    visible: row.visible,
    ceilingPaise: row.flatPaise ?? row.upToPaise ?? Number.POSITIVE_INFINITY,
  }
}

// ------------------------------------------------------------------------------------------------------- what fits

/** One instrument of a payment. `bin` has the first eight digits of its card. For a saved card it has the digits that were kept. */
export interface PaymentOption {
  readonly amountPaise: number
  readonly payMethod: string
  readonly bankCode: string | undefined
  readonly bin: string | undefined
}

const holds = (values: ReadonlySet<string> | undefined, value: string | undefined) =>
  values === undefined || (value !== undefined && values.has(value))

export const fitsPayMethod = ({ payMethods }: Promotion, { payMethod }: PaymentOption) => holds(payMethods, payMethod)
export const fitsBank = ({ banks }: Promotion, { bankCode }: PaymentOption) => holds(banks, bankCode)
const fitsBin = ({ bins }: Promotion, { bin }: PaymentOption) =>
  bins === undefined || (bin !== undefined && (bins.has(bin.slice(0, BIN_DIGITS)) || bins.has(bin.slice(0, BIN_DIGITS_MIN))))
export const fitsOption = (promotion: Promotion, option: PaymentOption) =>
  fitsPayMethod(promotion, option) && fitsBank(promotion, option) && fitsBin(promotion, option)

/** One item of a cart. A promotion may list any of the item's names. */
export interface Item {
  readonly skus: readonly string[]
  /** The price of all pieces, if the cart has it. */
  readonly paise: number | undefined
}

const PRICE = new RegExp(MONEY_PATTERN)
const QUANTITY = /^[1-9][0-9]{0,5}(?:\.0{1,9})?$/ // some languages write the number 1 as 1.0

/**
 * The price of all pieces of an item. Undefined when the price is absent, or when price or quantity has a form that cannot be calculated
 * with.
 */
export const itemPricePaise = (price: string | undefined, quantity = '1'): number | undefined =>
  price !== undefined && PRICE.test(price) && QUANTITY.test(quantity) ? toPaise(price) * Number(quantity) : undefined

/** True for every item when the promotion lists no items. */
export const fitsItem = ({ skus }: Promotion, item: Pick<Item, 'skus'>) => skus === undefined || item.skus.some((sku) => skus.has(sku))

// --------------------------------------------------------------------------------------------------- what it gives

/**
 * The amount on which the benefit is calculated: the sum of the options that the promotion allows. When the cart has the price of each of
 * the promotion's items, that amount is at most the sum of those prices (docs/interface.md section 4.4).
 */
export function reckonedOnPaise(promotion: Promotion, options: readonly PaymentOption[], items: readonly Item[]): number {
  let paise = 0
  for (const option of options) if (fitsOption(promotion, option)) paise += option.amountPaise
  return promotion.skus === undefined ? paise : Math.min(paise, sumPaise(items.filter((item) => fitsItem(promotion, item))))
}

const sumPaise = (items: readonly Item[]) => items.reduce((sum, { paise }) => sum + (paise ?? Number.POSITIVE_INFINITY), 0)

/** Rounded down to a paisa, at most the cap, and at most the amount itself. The benefit never falls as the amount grows. */
export function benefitPaise({ flatPaise, percentHundredths, minAmountPaise, ceilingPaise }: Promotion, onPaise: number): number {
  if (onPaise < minAmountPaise) return 0
  return Math.min(flatPaise ?? shareOf(onPaise, percentHundredths), ceilingPaise, onPaise)
}

/** Calculated in two parts, because the product of the largest amount and 10,000 exceeds 2^53. */
export const shareOf = (paise: number, hundredths: number) =>
  Math.floor(paise / PERCENT_HUNDREDTHS_MAX) * hundredths +
  Math.floor(((paise % PERCENT_HUNDREDTHS_MAX) * hundredths) / PERCENT_HUNDREDTHS_MAX)
