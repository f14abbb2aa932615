// Finds offers whose budget and customer limit still allow them: docs/interface.md section 4.4. It reads the counters of the few offers
// that could win, best first. A promotion without limits costs no read.

import type { Query } from '../../engine/decision.ts'
import { counterKey } from '../../tables/keys.ts'
import { bestOffers, type Cart, judgePromotion, type Offer } from './evaluate.ts'
import type { LivePromotions, Promotion } from './promotion.ts'
import { EVERYBODY, limitOf } from './redemption.ts'

/**
 * The number of offers whose counters each round reads. Nearly always the first offer has something left. A thousand used-up offers cost
 * six rounds.
 */
const ROUNDS = [1, 8, 64, 512] as const

/**
 * The best visible offer that is not among the promocodes in `gone`, or undefined. A round that finds no offer excludes promotions for good,
 * so the loop ends.
 */
export async function bestWithinLimits(
  promotions: LivePromotions,
  cart: Cart,
  mid: string,
  query: Query,
  gone: ReadonlySet<string> = new Set(),
): Promise<Offer | undefined> {
  const usedUp = new Set<Promotion>([...gone].flatMap((promocode) => promotions.byCode.get(promocode) ?? []))
  for (let round = 0; ; round++) {
    const offers = bestOffers(promotions, cart, ROUNDS[Math.min(round, ROUNDS.length - 1)]!, usedUp)
    if (offers.length === 0) return undefined
    const limits = await Promise.all(offers.map((offer) => limitNow(offer, cart, mid, query)))
    const found = offers.find((_, at) => limits[at] === undefined)
    if (found) return found
    for (const { promotion } of offers) usedUp.add(promotion)
  }
}

/** The offer of a named promotion, or the rule or limit that bars it from this cart. */
export async function judgeWithinLimits(promotion: Promotion, cart: Cart, mid: string, query: Query): Promise<Offer | string> {
  const offer = judgePromotion(promotion, cart)
  return typeof offer === 'string' ? offer : ((await limitNow(offer, cart, mid, query)) ?? offer)
}

/** The limit that bars the offer now. Reads the counters of the promotion's own limits alone. */
async function limitNow(offer: Offer, { custId }: Cart, mid: string, query: Query): Promise<string | undefined> {
  const { promocode, budgetPaise, maxPerCustomer } = offer.promotion
  const counter = (custId: string) => query.row(counterKey(mid, promocode, custId))
  const [everybody, ofCustomer] = await Promise.all([
    budgetPaise === null ? undefined : counter(EVERYBODY),
    maxPerCustomer === null || custId === undefined ? undefined : counter(custId),
  ])
  return limitOf(offer, { everybody, ofCustomer })
}
