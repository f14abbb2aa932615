// Decides which promotion a payment gets, and why a named one does not apply: docs/interface.md section 4.4. Pure.

import { isGuest } from '../../interface/fields.ts'
import { toRupees } from '../../interface/money.ts'
import {
  benefitPaise,
  fitsBank,
  fitsItem,
  fitsOption,
  fitsPayMethod,
  type Item,
  type LivePromotions,
  type PaymentOption,
  type Promotion,
  reckonedOnPaise,
} from './promotion.ts'

export interface Cart {
  readonly options: readonly PaymentOption[]
  readonly totalPaise: number
  readonly items: readonly Item[]
  readonly custId: string | undefined
}

export interface Offer {
  readonly promotion: Promotion
  readonly paise: number
}

/** The use of a promotion so far: paise by all customers, and uses by this customer. */
export interface Used {
  readonly paise: number
  readonly usesOfCustomer: number
}

/** Reasons why a promotion does not apply, for the customer to read. */
export const reasons = {
  nothingFits: 'No offer applies to this payment',
  unknown: 'This promo code is not valid',
  notBegun: 'This promo code is not valid yet',
  ended: 'This promo code has expired',
  payMethod: 'This offer does not apply to this payment method',
  bank: 'This offer does not apply to this bank',
  bin: 'This offer does not apply to this card',
  items: 'This offer does not apply to these items',
  minAmount: (paise: number) => `This offer needs a payment of at least Rs ${toRupees(paise)}`,
  tooSmall: 'This payment is too small for the offer',
  customerLimit: 'This offer has been used as often as one customer may',
  guest: 'This offer is for customers whom the shop knows',
  budget: 'This offer is used up',
} as const

/** The rules that can bar a promotion from a cart, in the order in which a customer learns of them. Counters are checked apart. */
export const rules: Readonly<Record<string, (promotion: Promotion, cart: Cart) => string | undefined>> = {
  payMethods: (promotion, { options }) => (options.some((option) => fitsPayMethod(promotion, option)) ? undefined : reasons.payMethod),
  banks: (promotion, { options }) =>
    options.some((option) => fitsPayMethod(promotion, option) && fitsBank(promotion, option)) ? undefined : reasons.bank,
  bins: (promotion, { options }) => (options.some((option) => fitsOption(promotion, option)) ? undefined : reasons.bin),
  customer: (promotion, { custId }) => (isOfNobody(promotion, custId) ? reasons.guest : undefined),
  skus: (promotion, cart) => (fitsItems(promotion, cart) ? undefined : reasons.items),
  minAmount: (promotion, { options, items }) =>
    reckonedOnPaise(promotion, options, items) < promotion.minAmountPaise ? reasons.minAmount(promotion.minAmountPaise) : undefined,
  benefit: (promotion, cart) => (benefitOn(promotion, cart) === 0 ? reasons.tooSmall : undefined),
}

/** A limit for each customer cannot be counted for guests, who all have the custId `0`. */
const isOfNobody = ({ maxPerCustomer }: Promotion, custId: string | undefined) =>
  maxPerCustomer !== null && custId !== undefined && isGuest(custId)

const benefitOn = (promotion: Promotion, { options, items }: Cart) => benefitPaise(promotion, reckonedOnPaise(promotion, options, items))

export function judgePromotion(promotion: Promotion, cart: Cart): Offer | string {
  for (const rule of Object.values(rules)) {
    const reason = rule(promotion, cart)
    if (reason !== undefined) return reason
  }
  return { promotion, paise: benefitOn(promotion, cart) }
}

const fitsItems = (promotion: Promotion, { items }: Cart) => promotion.skus === undefined || items.some((item) => fitsItem(promotion, item))

/** True when a counter must be read before the offer can be promised. */
export const isLimited = ({ budgetPaise, maxPerCustomer }: Promotion, custId: string | undefined) =>
  budgetPaise !== null || (maxPerCustomer !== null && custId !== undefined)

/** The limit that bars one more use of an offer. Without a custId there is no customer to count. */
export function limitReached({ promotion, paise }: Offer, used: Used): string | undefined {
  if (promotion.maxPerCustomer !== null && used.usesOfCustomer >= promotion.maxPerCustomer) return reasons.customerLimit
  if (promotion.budgetPaise !== null && used.paise + paise > promotion.budgetPaise) return reasons.budget
  return undefined
}

/** Largest benefit, then discount before cashback, then earliest end, then name. Negative when `a` is better. */
export function byMerit(a: Offer, b: Offer): number {
  if (a.paise !== b.paise) return b.paise - a.paise
  if (a.promotion.kind !== b.promotion.kind) return a.promotion.kind === 'DISCOUNT' ? -1 : 1
  if (a.promotion.validUpto !== b.promotion.validUpto) return a.promotion.validUpto < b.promotion.validUpto ? -1 : 1
  return a.promotion.promocode < b.promotion.promocode ? -1 : 1
}

/**
 * The best visible offers, best first: at most `atMost`. The list ends with the first offer that no counter limits, because that offer is
 * certain. `without` has the promotions that proved to be used up.
 */
export function bestOffers(live: LivePromotions, cart: Cart, atMost: number, without: ReadonlySet<Promotion>): Offer[] {
  const best: Offer[] = []
  let leastPaise = 1 // the least benefit that enters the best offers; a benefit of zero is no offer
  const payMethods = new Set(cart.options.map((option) => option.payMethod))
  const judged = payMethods.size > 1 ? new Set<Promotion>() : undefined // promotions that another pay method has found already
  for (const payMethod of payMethods) {
    for (const promotion of live.visible.get(payMethod) ?? []) {
      if (promotion.ceilingPaise < leastPaise) break // no later promotion can give more
      if (benefitPaise(promotion, cart.totalPaise) < leastPaise || without.has(promotion)) continue
      if (judged?.has(promotion)) continue
      judged?.add(promotion)
      if (!fitsItems(promotion, cart) || isOfNobody(promotion, cart.custId)) continue
      const paise = benefitOn(promotion, cart)
      if (paise < leastPaise) continue
      leastPaise = admit({ promotion, paise }, best, atMost, cart.custId)
    }
  }
  return best
}

/** Puts an offer in its place among the best. Returns the least benefit that the next offer needs. */
function admit(offer: Offer, best: Offer[], atMost: number, custId: string | undefined): number {
  const at = best.findIndex((other) => byMerit(offer, other) < 0)
  best.splice(at < 0 ? best.length : at, 0, offer)
  const certain = best.findIndex(({ promotion }) => !isLimited(promotion, custId))
  best.length = Math.min(best.length, atMost, certain < 0 ? atMost : certain + 1)
  const isFull = best.length === atMost || certain >= 0
  return isFull ? best.at(-1)!.paise : 1
}

export const payMethodOf = ({ promotion }: Offer, { options }: Cart) =>
  options.find((option) => fitsOption(promotion, option))?.payMethod ?? options[0]!.payMethod
