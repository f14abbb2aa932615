// Finds offers whose budget and customer limit still allow them: docs/interface.md section 4.4. It reads the counters of the few offers
// that could win, best first. A promotion without limits costs no read.

import type { Query } from '../../engine/decision.ts'
import { countersOfCustomer, countersOfPromotion } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'
import { bestOffers, type Cart, isLimited, judgePromotion, limitReached, type Offer, type Used } from './evaluate.ts'
import type { LivePromotions, Promotion } from './promotion.ts'
import { EVERYBODY } from './redemption.ts'

/**
 * The number of offers whose counters each round reads. Nearly always the first offer has something left. A thousand used-up offers cost
 * six rounds.
 */
const ROUNDS = [1, 8, 64, 512] as const

/** The best visible offer, or undefined. A round that finds no offer excludes promotions for good, so the loop ends. */
export async function bestWithinLimits(promotions: LivePromotions, cart: Cart, mid: string, query: Query): Promise<Offer | undefined> {
  const usedUp = new Set<Promotion>()
  for (let round = 0; ; round++) {
    const atMost = ROUNDS[Math.min(round, ROUNDS.length - 1)]!
    const offers = bestOffers(promotions, cart, atMost, usedUp)
    const best = offers[0]
    if (!best || !isLimited(best.promotion, cart.custId)) return best
    const used = await usedOf(offers, cart.custId, mid, query, atMost)
    const found = offers.find((offer) => limitReached(offer, used(offer)) === undefined)
    if (found) return found
    for (const { promotion } of offers) usedUp.add(promotion)
  }
}

/** The offer of a named promotion, or the rule or limit that bars it from this cart. */
export async function judgeWithinLimits(promotion: Promotion, cart: Cart, mid: string, query: Query): Promise<Offer | string> {
  const offer = judgePromotion(promotion, cart)
  if (typeof offer === 'string' || !isLimited(promotion, cart.custId)) return offer
  const used = await usedOf([offer], cart.custId, mid, query, 1)
  return limitReached(offer, used(offer)) ?? offer
}

/** Fills lists up to `size`. `size` has few values, so the database has prepared the statement already. */
async function usedOf(offers: readonly Offer[], custId: string | undefined, mid: string, query: Query, size: number) {
  const promocodes = offers.filter(({ promotion }) => isLimited(promotion, custId)).map(({ promotion }) => promotion.promocode)
  const filled = [...promocodes, ...Array<string>(size - promocodes.length).fill(promocodes[0]!)]
  const custIds = [EVERYBODY, custId ?? EVERYBODY]
  const finds =
    size === 1 ? [countersOfPromotion(mid, filled[0]!, custIds)] : custIds.map((custId) => countersOfCustomer(mid, custId, filled))
  const rows = (await Promise.all(finds.map((find) => query.rows(find)))).flat()
  const counters = new Map(rows.map((row): [string, Row<'promotionCounters'>] => [`${row.promocode} ${row.custId}`, row]))
  return ({ promotion: { promocode } }: Offer): Used => ({
    paise: counters.get(`${promocode} ${EVERYBODY}`)?.amountPaise ?? 0,
    usesOfCustomer: (custId !== undefined && counters.get(`${promocode} ${custId}`)?.uses) || 0,
  })
}
