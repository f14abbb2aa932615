// Fetch Payment Options: docs/interface.md section 4.30. It only reads: what is shown here is judged again when an order
// is paid.

import Type from 'typebox'
import { dateInIndia } from '../../engine/clock.ts'
import { type Query, question } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import { fetchPaymentOptions as codes } from '../../interface/result-codes.ts'
import type { Reference } from '../../reference/reference.ts'
import { customerKey, customerLinkKey, savedCardsOf } from '../../tables/keys.ts'
import type { Payer } from '../../tables/signin.ts'
import type { Row } from '../../tables/tables.ts'
import { takesDebitCardEmi } from '../order/payment-modes.ts'
import { offersOf } from '../promotion/offers.ts'
import type { LivePromotions } from '../promotion/promotion.ts'
import { signInOf, standing } from '../signin/signed-in-payer.ts'
import { type Credential, modesOpen, type Opened, opened, readingWire } from './options-access.ts'
import { type Payable, paymentFlowOf, paymentModesOf, rupees, savedInstrumentsOf } from './payment-options.ts'

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
    const { payable, cards } = await payableOf(found, now, query)
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
        paymentFlow: paymentFlowOf(payable),
        merchantPayOption: {
          paymentModes: paymentModesOf(payable, reference),
          savedInstruments: savedInstrumentsOf(cards, payable, reference, dateInIndia(now)),
        },
        paymentOffers: offersOf(promotions, new Set(modes.keys())),
      },
    }
  },
})

/** What is open to the payer: the modes; and where they are signed in, their wallet and the cards that they have kept. */
export async function payableOf(found: Opened, now: number, query: Query) {
  const { merchant, order } = found
  const [modes, who] = await Promise.all([modesOpen(found, query), whoIs(found, now, query)])
  const cards = await cardsOf(merchant.mid, who, query)
  const payable: Payable = {
    modes,
    amountPaise: order?.amountPaise,
    wallet: who?.customer && { balancePaise: who.customer.walletBalancePaise },
    debitCardEmi: takesDebitCardEmi(merchant, modes, order),
  }
  return { payable, cards, mobile: who?.payer.mobile }
}

interface Who {
  payer: Payer
  customer: Row<'customers'> | undefined
  custId: string | null
}
/** Nobody, when the sign-in that came with the order or the access token does not stand any more: it could not pay either. */
async function whoIs({ order, accessToken }: Opened, now: number, query: Query): Promise<Who | undefined> {
  const from = order ?? accessToken
  if (!from?.payer) return undefined
  const signIn = signInOf(from.payer)
  const [customer, family] = await Promise.all([query.row(customerKey(from.payer.mobile)), signIn && query.row(signIn)])
  const payer = standing(from.payer, { customer, family }, now)
  return payer && { payer, customer, custId: from.custId }
}

/** A card is shown to the payer who kept it. A customer who is known to be another user is shown no card. */
async function cardsOf(mid: string, who: Who | undefined, query: Query) {
  if (!who?.custId || fields.isGuest(who.custId)) return []
  const link = await query.row(customerLinkKey(mid, who.custId))
  if (link && link.userId !== who.payer.userId) return []
  return (await query.rows(savedCardsOf(mid, who.custId))).filter(({ card }) => card.userId === who.payer.userId)
}
