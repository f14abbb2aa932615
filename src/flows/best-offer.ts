// Finds the offer that a payment tries: the offer that the payer or the merchant names, else the best one. The offer is only a suggestion.
// The decision calculates it again from the rows of its own moment.

import { bestWithinLimits } from '../domain/promotion/counters.ts'
import { cartToPay } from '../domain/transaction/begin-transaction.ts'
import { describeInstrument, savedInstrument } from '../domain/transaction/instrument.ts'
import type { ProcessTransaction } from '../domain/transaction/process-transaction.ts'
import { dateInIndia } from '../engine/clock.ts'
import type { Row } from '../tables/tables.ts'
import type { Instrument } from '../tables/transaction.ts'
import type { Ports } from './ports.ts'

export interface TriedMeans {
  typed: Instrument
  saved: Row<'savedCards'> | undefined
  firstDigits: string | undefined
  /** The part that the wallet pays beside the instrument. No offer applies to that part. */
  walletPaise: number
  /** Promocodes that a decision about this payment has refused. */
  gone: ReadonlySet<string>
}

export async function candidatePromocode(
  { promotions, query, reference }: Ports,
  request: ProcessTransaction['request'],
  order: Row<'orders'> | undefined,
  { typed, saved, firstDigits, walletPaise, gone }: TriedMeans,
  now: number,
): Promise<string | undefined> {
  const wanted = order?.details.simplifiedPaymentOffers
  const named = request.promoCode ?? wanted?.promoCode
  if (!order || named !== undefined || !wanted?.applyAvailablePromo) return named
  const known = saved && describeInstrument(request, savedInstrument(saved), reference)
  const instrument = known && !('result' in known) ? known : typed
  const payMethod = request.paymentMode === 'UPI_INTENT' ? 'UPI' : request.paymentMode
  const amountPaise = order.amountPaise - walletPaise
  const cart = cartToPay(order, payMethod, amountPaise, instrument, firstDigits)
  const best = await bestWithinLimits(await promotions.on(order.mid, dateInIndia(now)), cart, order.mid, query, gone)
  return best?.promotion.promocode
}
