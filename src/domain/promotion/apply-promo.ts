// Apply Promo: docs/interface.md section 4.4. It calculates an offer and uses nothing up. Budgets and customer limits change when an order
// is paid. The payment calculates the offer again.

import Type, { type Static } from 'typebox'
import { type Query, question, type Reply } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import { toPaise, toRupees } from '../../interface/money.ts'
import * as replied from '../../interface/replied.ts'
import type { FaultCodes } from '../../interface/request.ts'
import { applyPromo as codes } from '../../interface/result-codes.ts'
import type { Signed, Wire } from '../../interface/wire.ts'
import { BIN_DIGITS } from '../../reference/reference.ts'
import { accessTokenKey, promotionKey } from '../../tables/keys.ts'
import { isAlive, REFERENCE_ID_PATTERN } from './access-token.ts'
import { bestWithinLimits, judgeWithinLimits } from './counters.ts'
import { type Cart, type Offer, payMethodOf, reasons } from './evaluate.ts'
import { fitsItem, type Item, itemPricePaise, type LivePromotions, type Promotion, prepare } from './promotion.ts'

const PROMOCODE_LENGTH = 64 // docs/interface.md section 8 (Mohur)
const CUST_ID_LENGTH = 64 // docs/interface.md section 8 (Mohur)

const cardTokenInfo = Type.Object({
  cardToken: Type.Optional(fields.string()),
  tokenExpiry: Type.Optional(fields.string()),
  tavv: Type.Optional(fields.string()),
  cardSuffix: Type.Optional(fields.string()),
  panUniqueReference: Type.Optional(fields.string()),
})
const paymentOption = Type.Object({
  transactionAmount: fields.amount,
  payMethod: Type.Enum([...fields.ORDER_PAYMENT_MODES]),
  bankCode: Type.Optional(fields.bankCode),
  /** Before any validation, api/card/without-card-numbers.ts cuts long numbers to their first eight and last four digits. */
  cardNo: Type.Optional(Type.String({ pattern: '^[0-9]{6,19}$' })),
  savedCardId: Type.Optional(fields.string()),
  vpa: Type.Optional(fields.string()),
  tenure: Type.Optional(fields.string()),
  cardTokenInfo: Type.Optional(cardTokenInfo),
})
const item = Type.Object({
  id: Type.Optional(fields.string()),
  productId: Type.Optional(fields.string()),
  brandId: Type.Optional(fields.string()),
  categoryId: Type.Optional(fields.string()),
  price: Type.Optional(Type.Union([Type.Number({ minimum: 0 }), fields.string()])),
  quantity: Type.Optional(fields.string()),
})
const head = Type.Object({
  clientId: Type.Optional(fields.name),
  requestId: Type.Optional(fields.string()),
  requestTimeStamp: Type.Optional(fields.requestTimestamp),
  version: Type.Optional(fields.version),
  channelId: Type.Enum(['WEB', 'WAP']),
  tokenType: Type.Enum(['ACCESS', 'CHECKSUM']),
  token: Type.Unknown(),
})
const body = Type.Object({
  mid: fields.mid,
  custId: Type.Optional(Type.String({ pattern: `^[A-Za-z0-9@!_$.]{1,${CUST_ID_LENGTH}}$` })),
  promocode: Type.Optional(fields.string(PROMOCODE_LENGTH)),
  paymentOptions: fields.array(paymentOption),
  totalTransactionAmount: fields.amount,
  cartDetails: Type.Optional(Type.Object({ items: Type.Optional(fields.array(item)) })),
  cardTokenInfo: Type.Optional(cardTokenInfo),
})
type Request = Static<typeof body>

const faults: FaultCodes<(typeof codes)['success']> = {
  missing: () => ({ result: codes.invalidField }),
  wrong: () => ({ result: codes.invalidField }),
}

export const wire: Wire<typeof head, typeof body, (typeof codes)['success']> = {
  query: ['mid'],
  queryFor: ({ tokenType }) => (tokenType === 'ACCESS' ? ['referenceId'] : []),
  head,
  body,
  faults,
  unreadable: codes.invalidField,
  missingParam: () => ({ result: codes.invalidField }),
  midMismatch: { ...codes.invalidField, message: 'Invalid mid' },
  systemError: codes.systemError,
  check: ({ paymentOptions, totalTransactionAmount }) =>
    !paymentOptions || !totalTransactionAmount || sumPaise(paymentOptions) === toPaise(totalTransactionAmount)
      ? []
      : [{ result: codes.invalidField, parameter: 'totalTransactionAmount', cause: 'sum' }],
}

export const reply = Type.Object({
  paymentOffers: Type.Object({
    totalInstantDiscount: replied.rupees,
    totalCashbackAmount: replied.rupees,
    offerBreakup: Type.Array(
      Type.Object({
        promocodeApplied: Type.Optional(replied.text),
        promotext: replied.text,
        instantDiscount: replied.rupees,
        cashbackAmount: replied.rupees,
        payMethod: Type.Enum([...fields.ORDER_PAYMENT_MODES]),
        promoVisibility: replied.yesAsText,
      }),
    ),
  }),
  cartDetails: Type.Optional(
    Type.Object({
      items: Type.Optional(
        Type.Array(Type.Object({ ...item.properties, offerDetails: Type.Optional(Type.Object({ offerId: replied.text })) })),
      ),
    }),
  ),
})

const sumPaise = (paymentOptions: Request['paymentOptions']) =>
  paymentOptions.reduce((sum, option) => sum + toPaise(option.transactionAmount), 0)

export interface ApplyPromo {
  /** The request includes the bank of each card whose number shows the bank. */
  request: Request
  credential: ({ tokenType: 'CHECKSUM' } & Signed) | { tokenType: 'ACCESS'; referenceId: string; tokenHash: string }
  promotions: LivePromotions
  today: string
  now: number
}

export const applyPromo = question({
  name: 'applyPromo',
  codes,
  async answer({ request: r, credential, promotions, today, now }: ApplyPromo, query) {
    if (credential.tokenType === 'ACCESS') {
      const { referenceId, tokenHash } = credential
      if (!REFERENCE_ID.test(referenceId))
        return { result: codes.invalidField, parameter: 'referenceId', cause: { keyword: 'pattern', limit: REFERENCE_ID.source } }
      const accessToken = await query.row(accessTokenKey(r.mid, referenceId))
      if (!accessToken || !isAlive(accessToken, tokenHash, now)) return { result: codes.sessionExpired }
    } else if (credential.signature !== 'valid') return { result: codes.invalidChecksum }
    if (promotions.byCode.size === 0) return { result: codes.noActivePromo }

    const cart = cartOf(r)
    if (r.promocode === undefined || r.promocode.trim() === '')
      return offered(r, cart, (await bestWithinLimits(promotions, cart, r.mid, query)) ?? reasons.nothingFits)
    const promotion = promotions.byCode.get(r.promocode) ?? (await byName(r.mid, r.promocode, today, query))
    if (typeof promotion === 'string') return offered(r, cart, promotion)
    return offered(r, cart, await judgeWithinLimits(promotion, cart, r.mid, query), promotion)
  },
})
const REFERENCE_ID = new RegExp(REFERENCE_ID_PATTERN)

export const cartOf = (r: Request): Cart => ({
  options: r.paymentOptions.map(({ transactionAmount, payMethod, bankCode, cardNo }) => ({
    amountPaise: toPaise(transactionAmount),
    payMethod,
    bankCode,
    bin: cardNo?.slice(0, BIN_DIGITS),
  })),
  totalPaise: toPaise(r.totalTransactionAmount),
  items: (r.cartDetails?.items ?? []).map(itemOf),
  custId: r.custId,
})

/** Clients give an item two names. A promotion may list either of them. */
const itemOf = ({ id, productId, price, quantity }: Static<typeof item>): Item => ({
  skus: [id, productId].filter((sku) => sku !== undefined),
  paise: itemPricePaise(price === undefined ? undefined : String(price), quantity),
})

/** A promotion that is newer than the cache, or beyond its limit, is still live. Otherwise the text says why it is not. */
async function byName(mid: string, promocode: string, today: string, query: Query): Promise<Promotion | string> {
  const row = await query.row(promotionKey(mid, promocode))
  if (!row) return reasons.unknown
  return prepare([row], today).byCode.get(promocode) ?? (row.validFrom > today ? reasons.notBegun : reasons.ended)
}

// ------------------------------------------------------------------------------------------------------------ reply

function offered(r: Request, cart: Cart, verdict: Offer | string, named?: Promotion): Reply<(typeof codes)['success']> {
  const offer = typeof verdict === 'string' ? undefined : verdict
  const promotion = offer?.promotion ?? named
  const instantDiscount = toRupees(offer?.promotion.kind === 'DISCOUNT' ? offer.paise : 0)
  const cashbackAmount = toRupees(offer?.promotion.kind === 'CASHBACK' ? offer.paise : 0)
  const items = r.cartDetails?.items
  return {
    result: codes.success,
    body: {
      paymentOffers: {
        totalInstantDiscount: instantDiscount,
        totalCashbackAmount: cashbackAmount,
        offerBreakup: [
          {
            ...(offer && { promocodeApplied: offer.promotion.promocode }),
            promotext: offer?.promotion.title ?? verdict,
            instantDiscount,
            cashbackAmount,
            payMethod: offer ? payMethodOf(offer, cart) : cart.options[0]!.payMethod,
            promoVisibility: String(promotion?.visible ?? false),
          },
        ],
      },
      ...(r.cartDetails && { cartDetails: items ? { items: items.map((given) => itemOffered(given, offer)) } : {} }),
    },
  }
}

function itemOffered(given: Static<typeof item>, offer: Offer | undefined) {
  const { id, productId, brandId, categoryId, price, quantity } = given
  const known = { id, productId, brandId, categoryId, price, quantity } // JSON leaves out undefined members
  const covered = offer && (offer.promotion.skus === undefined || fitsItem(offer.promotion, itemOf(given)))
  return covered ? { ...known, offerDetails: { offerId: offer.promotion.promocode } } : known
}
