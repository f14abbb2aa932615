// The means that may pay an order, as the page shows them. They come from the functions of Fetch Payment Options (docs/interface.md section
// 4.30), with each mode's offer. The payment checks all of them again.

import { isCodeLive } from '../../../domain/order/checkout-otp.ts'
import { leaves, modesOf } from '../../../domain/order/payment-modes.ts'
import { cardsOf } from '../../../domain/payment-options/fetch-payment-options.ts'
import { payableOf, whoIs } from '../../../domain/payment-options/options-access.ts'
import { type Payable, payableCards } from '../../../domain/payment-options/payment-options.ts'
import { bestWithinLimits, judgeWithinLimits } from '../../../domain/promotion/counters.ts'
import type { Cart, Offer } from '../../../domain/promotion/evaluate.ts'
import type { LivePromotions } from '../../../domain/promotion/promotion.ts'
import { cartToPay, leavesTooLittle } from '../../../domain/transaction/begin-transaction.ts'
import { isPast } from '../../../domain/transaction/instrument.ts'
import { dateInIndia } from '../../../engine/clock.ts'
import type { Query } from '../../../engine/decision.ts'
import type { Ports } from '../../../flows/ports.ts'
import type { Bank } from '../../../reference/reference.ts'
import type { Row } from '../../../tables/tables.ts'
import type { Instrument } from '../../../tables/transaction.ts'
import type { Form } from '../../kit/forms.ts'
import { shows } from '../../loader/shop-view.ts'
import type { PageState } from './page-state.ts'

export type PayableMode = Row<'merchants'>['paymentModes'][number]

/** Only a card's digits show which of these it is. */
export const KINDS_OF_CARD: readonly PayableMode[] = ['CREDIT_CARD', 'DEBIT_CARD']

export interface ModeOffer {
  promocode: string
  title: string
  kind: 'DISCOUNT' | 'CASHBACK'
  paise: number
}
export interface SavedCard {
  id: string
  paymentMode: 'CREDIT_CARD' | 'DEBIT_CARD'
  scheme: string
  last4: string
  /** Offers know the card by these digits. The page does not show them. */
  bin: string
  bank: string | undefined
  isPast: boolean
}

export interface Options {
  payable: Payable
  offers: ReadonlyMap<PayableMode, ModeOffer>
  /** True when the merchant has a discount today. A card or a bank may then have a larger discount than its mode shows. */
  mayDiscount: boolean
  /** The signed-in payer's number. */
  mobile: string | undefined
  cards: readonly SavedCard[]
  /** The number to which this page sent a sign-in code, while the code waits to be typed. */
  codeSentTo: string | undefined
  /** Banks for net-banking and mandates, as far as the order takes them. */
  banks: readonly Bank[]
}

/**
 * `has` says which offers and cards to read. The means in a form have one offer of their own (found.ts). So a form needs the modes' offers
 * only while its card or bank is not known.
 * It needs cards only for a saved card.
 */
export async function optionsOf(ports: Ports, seen: PageState, has: Record<'offers' | 'cards', boolean>): Promise<Options> {
  const { query, reference } = ports
  const { merchant, subscription, now } = seen
  const { payable: all, who } = await payableOf(
    { merchant, order: shownOrder(seen), accessToken: undefined, subscription },
    reference,
    now,
    query,
  )
  const cards = has.cards ? await cardsOf(merchant.mid, who, query) : []
  const mobile = who?.payer.mobile
  const payable = { ...all, modes: shownOf(all.modes, seen) }
  const limits = payable.modes.get('NET_BANKING') ?? payable.modes.get('BANK_MANDATE')
  return {
    payable,
    offers: has.offers ? await offersFor(ports, seen, [...payable.modes.keys()]) : new Map(),
    mayDiscount: await mayDiscount(ports, seen),
    mobile,
    cards: savedCards(cards, payable, ports, now),
    codeSentTo: mobile === undefined ? codeSentTo(seen) : undefined,
    banks: limits ? reference.banks.filter(({ code, netBanking }) => netBanking && leaves(limits, { channel: code, bank: code })) : [],
  }
}

/** The modes that remain after the shop's page has hidden others. */
function shownOf(modes: Payable['modes'], { page: { view } }: PageState): Payable['modes'] {
  const { shop } = view
  return shop?.only || shop?.without ? new Map([...modes].filter(([mode]) => shows(shop, mode))) : modes
}

/** The order as this page may show it. */
const shownOrder = ({ order, payer }: PageState): Row<'orders'> => (order.payer === payer ? order : { ...order, payer })

/**
 * The number that got a sign-in code, while the code waits to be typed. Only the page that asked for the code knows the number, in its own
 * browser. No other page of the order does.
 */
export function codeSentTo(seen: PageState): string | undefined {
  const { sentCode: sent, page, now } = seen
  if (!sent || sent.consumedAt !== null || !isCodeLive(sent, now) || sent.mobile !== page.view.mobile) return undefined
  return seen.isSameBrowser ? sent.mobile : undefined
}

/** The saved card that a form names, among those that the page shows its payer. An action reads no more than the payer's cards. */
export async function savedCardIn({ savedCard }: Form, seen: PageState, ports: Ports): Promise<SavedCard | undefined> {
  const { merchant, order, subscription, now } = seen
  const who = await whoIs({ order: shownOrder(seen), accessToken: undefined }, now, ports.query)
  const cards = await cardsOf(merchant.mid, who, ports.query)
  const modes = shownOf(modesOf(merchant, order, subscription, ports.reference.taken), seen)
  return savedCards(cards, { modes }, ports, now).find(({ id }) => id === savedCard)
}

export async function mayDiscount({ promotions }: Ports, { order, now }: PageState): Promise<boolean> {
  if (!order.details.simplifiedPaymentOffers || order.requestType === 'NATIVE_SUBSCRIPTION') return false
  const { byCode } = await promotions.on(order.mid, dateInIndia(now))
  return [...byCode.values()].some(({ kind }) => kind === 'DISCOUNT')
}

async function offersFor(ports: Ports, seen: PageState, modes: readonly PayableMode[]): Promise<ReadonlyMap<PayableMode, ModeOffer>> {
  const found = await Promise.all(
    modes.map(async (mode): Promise<[PayableMode, ModeOffer][]> => {
      const offer = await offerFor(ports, seen, mode, {})
      return offer ? [[mode, offer]] : []
    }),
  )
  return new Map(found.flat())
}

/** The offer that a payment would get, as far as its means are known, beside the wallet's part. */
export async function offerFor(
  ports: Ports,
  { merchant, order, subscription, now }: PageState,
  mode: PayableMode,
  instrument: Instrument,
  walletPaise = 0,
): Promise<ModeOffer | undefined> {
  const wanted = order.details.simplifiedPaymentOffers
  if (!wanted || order.requestType === 'NATIVE_SUBSCRIPTION') return undefined
  const amountPaise = order.amountPaise - walletPaise
  const live = await ports.promotions.on(order.mid, dateInIndia(now))
  const offer = await offerWanted(live, wanted, cartToPay(order, mode, amountPaise, instrument), order.mid, ports.query)
  const limits = modesOf(merchant, order, subscription, ports.reference.taken).get(mode)
  if (!offer || !limits || leavesTooLittle(offer, amountPaise, { isShared: walletPaise > 0, limits })) return undefined
  const { promocode, title, kind } = offer.promotion
  return { promocode, title, kind, paise: offer.paise }
}

/** The offer that the order names, else the best one if the order takes any. */
async function offerWanted(
  live: LivePromotions,
  { promoCode, applyAvailablePromo }: NonNullable<Row<'orders'>['details']['simplifiedPaymentOffers']>,
  cart: Cart,
  mid: string,
  query: Query,
): Promise<Offer | undefined> {
  if (promoCode === undefined) return applyAvailablePromo ? bestWithinLimits(live, cart, mid, query) : undefined
  const promotion = live.byCode.get(promoCode)
  const offer = promotion && (await judgeWithinLimits(promotion, cart, mid, query))
  return typeof offer === 'string' ? undefined : offer
}

function savedCards(cards: readonly Row<'savedCards'>[], payable: Pick<Payable, 'modes'>, { reference }: Ports, now: number): SavedCard[] {
  if (cards.length === 0) return []
  const today = dateInIndia(now)
  return payableCards(cards, payable, reference).map(({ savedCardId, card, known, paymentMode }) => ({
    id: savedCardId,
    paymentMode,
    scheme: known.scheme,
    last4: card.last4,
    bin: card.bin,
    bank: known.bank,
    isPast: isPast(card.expiry, today),
  }))
}
