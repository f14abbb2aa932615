// A merchant's offers, as a payer sees them before paying: docs/interface.md section 4.33.

import Type from 'typebox'
import { toRupees } from '../../interface/money.ts'
import * as replied from '../../interface/replied.ts'
import type { LivePromotions, Promotion } from './promotion.ts'

const OFFERS_LISTED_MAX = 100 // docs/interface.md section 8 (Mohur)

/** The visible offers, the most generous first. With `payMethods`, only offers for at least one of those methods. */
export function offersOf({ byCode }: LivePromotions, payMethods?: ReadonlySet<string>) {
  const listed = []
  for (const promotion of byCode.values()) {
    if (!promotion.visible || (payMethods && promotion.payMethods?.isDisjointFrom(payMethods))) continue
    listed.push(listedOffer(promotion))
    if (listed.length === OFFERS_LISTED_MAX) break
  }
  return listed
}

export const offersReply = Type.Array(
  Type.Object({
    promocode: replied.text,
    offer: Type.Object({ title: replied.text, text: replied.text }),
    validFrom: replied.date,
    validUpto: replied.date,
    isPromoVisible: replied.yes,
  }),
)

const listedOffer = (promotion: Promotion) => ({
  promocode: promotion.promocode,
  offer: { title: promotion.title, text: textOf(promotion) },
  validFrom: promotion.validFrom,
  validUpto: promotion.validUpto,
  isPromoVisible: true,
})

/** `10% off, at most Rs 100.00, on a payment of Rs 200.00 or more` */
function textOf({ kind, flatPaise, percentHundredths, ceilingPaise, minAmountPaise }: Promotion): string {
  const gives = kind === 'DISCOUNT' ? 'off' : 'cashback'
  const benefit = flatPaise === null ? `${percentOf(percentHundredths)}% ${gives}` : `Rs ${toRupees(flatPaise)} ${gives}`
  const cap = flatPaise === null && Number.isFinite(ceilingPaise) ? `, at most Rs ${toRupees(ceilingPaise)}` : ''
  return benefit + cap + (minAmountPaise > 0 ? `, on a payment of Rs ${toRupees(minAmountPaise)} or more` : '')
}
const percentOf = (hundredths: number) => toRupees(hundredths).replace(/\.?0+$/, '')
