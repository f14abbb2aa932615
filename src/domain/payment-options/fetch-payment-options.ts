// Fetch Payment Options: docs/interface.md section 4.30. It only reads. The payment of an order checks every option again.

import Type from 'typebox'
import { dateInIndia } from '../../engine/clock.ts'
import { type Query, question } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import { fetchPaymentOptions as codes } from '../../interface/result-codes.ts'
import type { Reference } from '../../reference/reference.ts'
import { customerLinkKey, savedCardsOf } from '../../tables/keys.ts'
import { offersOf } from '../promotion/offers.ts'
import type { LivePromotions } from '../promotion/promotion.ts'
import { type Credential, opened, payableOf, readingWire, type Who } from './options-access.ts'
import { paymentFlowOf, paymentModesOf, rupees, savedInstrumentsOf } from './payment-options.ts'

const body = Type.Object({ mid: Type.Optional(fields.mid), orderId: Type.Optional(fields.orderId) })

export const wire = { ...readingWire(body, codes, codes.missingParam), mayLackBody: true } as const

export interface FetchPaymentOptions {
  mid: string
  credential: Credential
  promotions: LivePromotions
  reference: Reference
  now: number
}

export const fetchPaymentOptions = question({
  name: 'fetchPaymentOptions',
  codes,
  async answer({ mid, credential, promotions, reference, now }: FetchPaymentOptions, query) {
    const found = await opened(mid, credential, now, query)
    if (found === 'invalidMid') return { result: codes.invalidMid, parameter: 'mid', cause: 'unknownMid' }
    if (found === 'sessionExpired') return { result: codes.sessionExpired }
    const { merchant, order } = found
    const { payable, who } = await payableOf(found, reference, now, query)
    const cards = await cardsOf(merchant.mid, who, query)
    const { modes } = payable
    return {
      result: codes.success,
      body: {
        ...(order && { orderId: order.orderId, txnAmount: rupees(order.amountPaise) }),
        merchantDetails: { mcc: merchant.mcc, merchantName: merchant.name },
        walletOnly: modes.size === 1 && modes.has('BALANCE'),
        zeroCostEmi: false,
        pcfEnabled: false,
        nativeJsonRequestSupported: true,
        paymentFlow: paymentFlowOf(payable, reference),
        merchantPayOption: {
          paymentModes: paymentModesOf(payable, reference),
          savedInstruments: savedInstrumentsOf(cards, payable, reference, dateInIndia(now)),
        },
        paymentOffers: offersOf(promotions, new Set(modes.keys())),
      },
    }
  },
})

/**
 * The saved cards that are shown to the payer. A card is shown only to the payer who kept it. A custId that is linked to another user shows
 * no card.
 */
export async function cardsOf(mid: string, who: Who | undefined, query: Query) {
  if (!who?.custId || fields.isGuest(who.custId)) return []
  const link = await query.row(customerLinkKey(mid, who.custId))
  if (link && link.userId !== who.payer.userId) return []
  return (await query.rows(savedCardsOf(mid, who.custId))).filter(({ card }) => card.userId === who.payer.userId)
}
