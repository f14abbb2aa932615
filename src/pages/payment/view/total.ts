// The amount that the payer pays, and its parts. The amount is the largest figure of the page.

import { isInFlight, payablePaise, type Transaction } from '../../../domain/transaction/transaction.ts'
import { termsAndNow } from '../../kit/terms.ts'
import type { FoundPage } from '../found/found.ts'
import { KINDS_OF_CARD } from '../found/options.ts'
import type { PageState } from '../found/page-state.ts'
import type { PageView, TotalView } from './page-view.ts'
import { modePricePaise, offersOf } from './ways.ts'

/** With a subscription the total is the agreed amount, even when another amount is taken now. */
export function totalOf(found: FoundPage, main: PageView['main']): TotalView {
  const { order, subscription } = found
  const rows = main.kind === 'choices' ? offerRows(found) : partRows(found)
  if (subscription) return { ...agreedTotal(found, subscription), rows }
  const paying = payingIn(found)
  return { label: labelOf(found), paise: paying ? payablePaise(paying) : order.amountPaise, rows }
}

/** The attempt that pays, or has paid. The payer pays that attempt's amount. */
export const payingIn = ({ order, latest }: Pick<PageState, 'order' | 'latest'>): Transaction | undefined =>
  latest && (order.status === 'PAID' || (order.status === 'IN_PROCESS' && isInFlight(latest))) ? latest : undefined

function agreedTotal(found: FoundPage, terms: NonNullable<PageState['subscription']>): Omit<TotalView, 'rows'> {
  const { texts, order } = found
  const { mandate } = texts
  const isAsked = order.status === 'CREATED' || order.status === 'IN_PROCESS'
  const isAgreed = order.status === 'PAID' && terms.consentedAt !== null && terms.status !== 'AUTHORIZATION_FAILED'
  return {
    label: isAsked ? mandate.youAgree : isAgreed ? mandate.youAgreed : mandate.terms,
    paise: terms.maxAmountPaise,
    terms: { says: termsAndNow(found, terms, order.amountPaise), isAtMost: terms.amountType !== 'FIX' },
  }
}

function labelOf({ texts, order, stage }: FoundPage): string {
  if (order.status === 'PAID') return texts.paid
  const isEnded = order.status === 'CLOSED' || (order.status === 'CREATED' && stage === 'over') // nothing can be paid here now
  return isEnded ? texts.ofOrder : texts.toPay
}

const rowOf = ({ texts: { byMode, priceBy } }: FoundPage, mode: string, paise: number) => ({
  label: priceBy(byMode[mode as keyof typeof byMode] ?? mode),
  paise,
})

/** When the wallet pays a part, the app or the bank shows another amount than the page. */
function partRows(found: FoundPage): TotalView['rows'] {
  const paying = payingIn(found)
  if (!paying || paying.walletPaise === 0 || paying.bankPaise === 0) return []
  return [rowOf(found, 'BALANCE', paying.walletPaise), rowOf(found, paying.paymentMode, paying.bankPaise)]
}

const offerRows = (found: FoundPage): TotalView['rows'] => offersOf(found).map(([mode]) => rowOf(found, mode, modePricePaise(found, mode)))

/**
 * The largest offer. A signed-in payer gets cashback into the wallet. To other payers the cashback is owed (docs/interface.md section
 * 4.10).
 */
export function offerOf(found: FoundPage): PageView['offer'] {
  const [best, ...others] = offersOf(found)
  if (!best) return undefined
  const [mode, { kind, promocode, title }] = best
  if (kind !== 'DISCOUNT') return { says: found.options?.payable.wallet ? 'offerLater' : 'offerOwed', promocode, title }
  const alike = others.filter(([, offer]) => offer.promocode === promocode).map(([other]) => other)
  if (![mode, ...alike].every((each) => KINDS_OF_CARD.includes(each))) return { says: 'offer', promocode, title }
  const isOfEveryCard = alike.length > 0
  const { byMode } = found.texts
  return { says: 'offerByCard', promocode, title, ...(!isOfEveryCard && { by: byMode[mode as keyof typeof byMode] }) }
}
