// Everything that one request of a payment page reads. After these reads nothing waits: the page and its prices are computed from the rows.

import { callbackFields, orderFields } from '../../../api/transaction/callback-form.ts'
import { attemptsLeft, isInFlight, payeeOf, type Transaction } from '../../../domain/transaction/transaction.ts'
import type { Ports } from '../../../flows/ports.ts'
import { isOfCards } from '../../../interface/payment-modes.ts'
import type { Reference } from '../../../reference/reference.ts'
import type { Form } from '../../kit/forms.ts'
import type { PageParts } from '../../kit/page-parts.ts'
import { meansIn, type TypedMeans } from './means.ts'
import { type ModeOffer, mayDiscount, type Options, offerFor, optionsOf } from './options.ts'
import type { PageState } from './page-state.ts'

export interface FoundPage extends PageState {
  /** Lists that answer without waiting. */
  reference: Reference
  site: Site
  /** Present when the payer chooses how to pay. Also for a form that names the wallet, a saved card or EMI, or no card or bank yet. */
  options?: Options | undefined
  typed?: Typed | undefined
  back?: WayBack | undefined
}

export interface Site {
  isSandbox: boolean
  hasPhone: boolean
  /** A messenger can send codes. Without one no payer can sign in here. */
  canSignIn: boolean
}

/**
 * The means of payment in a form, their offer, and the wallet's part. `isAtMost`: a card or bank that is not typed yet may have its own
 * offer.
 */
export interface Typed {
  means: TypedMeans
  offer: ModeOffer | undefined
  /** The offer without a part from the wallet, for a known card. The page shows this one. */
  whole?: ModeOffer | undefined
  walletPaise: number
  isAtMost: boolean
}

/** The callback's signed fields. Without a `url` the shop's page takes them itself. */
export interface WayBack {
  url: string | null
  fields: Readonly<Record<string, string>>
}

export interface PageReads {
  choices?: boolean
  form?: Form | undefined
}

export async function foundFor(
  { ports, isSandbox, hasPhone = false, signIn }: Pick<PageParts, 'ports' | 'isSandbox' | 'hasPhone' | 'signIn'>,
  seen: PageState,
  { choices = false, form }: PageReads,
): Promise<FoundPage> {
  const found = { ...seen, reference: ports.reference, site: { isSandbox, hasPhone, canSignIn: signIn.canSend } }
  if (seen.stage !== 'choices') return { ...found, back: await wayBack(ports, seen) }
  const isOfCard = form?.['savedCard'] !== undefined
  // While the card or the bank is not known, the price names what the way may save.
  const offers = choices || (form !== undefined && !isOfCard && meansIn(form, [], ports.reference)?.isSure === false)
  const isOfPayer = offers || isOfCard || form?.['share'] === '1' || form?.['mode'] === 'EMI'
  const options = isOfPayer ? await optionsOf(ports, seen, { offers, cards: choices || isOfCard }) : undefined
  return { ...found, options, typed: form && (await typedIn(ports, seen, form, options)) }
}

async function typedIn(ports: Ports, seen: PageState, form: Form, options: Options | undefined): Promise<Typed | undefined> {
  const means = meansIn(form, options?.cards ?? [], ports.reference)
  if (!means) return undefined
  const { mode, instrument, isSure } = means
  const { modes, wallet } = options?.payable ?? {}
  const isShared = form['share'] === '1' && mode !== 'EMI' && modes?.has('BALANCE')
  const walletPaise = isShared ? Math.min(wallet?.balancePaise ?? 0, seen.order.amountPaise) : 0
  const offerBeside = (walletPaise: number) => (isSure ? offerFor(ports, seen, mode, instrument, walletPaise) : undefined)
  const hasTwo = walletPaise > 0 && isOfCards(mode)
  const [offer, whole] = await Promise.all([offerBeside(walletPaise), hasTwo ? offerBeside(0) : undefined])
  return { means, offer, whole: hasTwo ? whole : offer, walletPaise, isAtMost: !isSure && (await mayDiscount(ports, seen)) }
}

/** The fields that the browser would bring to the shop now, signed like the API's own callback. */
async function wayBack({ merchantKeys }: Ports, seen: PageState): Promise<WayBack | undefined> {
  const { order, merchant, latest, page } = seen
  if (order.callbackUrl === null && page.view.shop?.handler !== true) return undefined
  const transaction = spokesman(seen)
  const isClosed = order.status === 'CLOSED'
  const fields = transaction
    ? await callbackFields({ order, transaction, payee: payeeOf(merchant) }, { merchantKeys })
    : await orderFields(order, isClosed ? 'cancelled' : 'pending', isClosed ? latest : undefined, { merchantKeys })
  return { url: order.callbackUrl, fields }
}

/**
 * The attempt whose result the shop gets for the order. Undefined before an attempt, while the payer may try again, and when the order was
 * closed with attempts left.
 */
function spokesman({ order, latest, stage }: PageState): Transaction | undefined {
  if (!latest) return undefined
  const isStep = order.status === 'IN_PROCESS' && stage !== 'over'
  if (isStep || order.status === 'PAID' || isInFlight(latest)) return latest
  return order.status === 'CLOSED' && attemptsLeft(order) <= 0 ? latest : undefined
}
