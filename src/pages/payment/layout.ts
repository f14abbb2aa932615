// What every state of a payment page has around it: what is paid and to whom beside it, time and the ways out below.

import { mayExtend } from '../../domain/payment-page/page.ts'
import { isInFlight, payablePaise, type Transaction } from '../../domain/transaction/transaction.ts'
import type { Row } from '../../tables/tables.ts'
import { type Html, html, type Part } from '../html.ts'
import { clockTime, formatRupees } from '../kit/amounts.ts'
import type { Sheet } from '../kit/document.ts'
import { hidden } from '../kit/fields.ts'
import { icons } from '../kit/icons.ts'
import { languageForm, rowsOf, shopOf, soonOf } from '../kit/layout.ts'
import type { Catalogue } from '../kit/messages/messages.ts'
import type { PageParts } from '../kit/page-parts.ts'
import { termsAndNow } from '../kit/terms.ts'
import { modePricePaise, type Options } from './found/options.ts'
import { framersOf, type PageState, pageVersionOf, stageOf } from './found/page-state.ts'
import { ofMoney, payingBy } from './why-failed.ts'

/** What has just been done about an attempt under way, or a kept card, for the page after it. */
const PAGE_MESSAGES = ['checked', 'often', 'lost', 'resent', 'removed'] as const
export type PageMessage = (typeof PAGE_MESSAGES)[number]
export const pageMessageIn = (text: string | undefined): PageMessage | undefined => PAGE_MESSAGES.find((each) => each === text)

interface Around {
  seen: PageState
  parts: PageParts
  main: Part
  /** With what the order may be paid by, where it is shown. */
  options?: Options | undefined
  formAction?: readonly string[]
  /** The title of a page that waits, or at an end. */
  title?: string
  /** Leaving is what the page is about: no second way to it. */
  isLeft?: boolean
  /** Carried on by what changes the page alone: a payer who has been at his bank is not sent there again by it. */
  message?: PageMessage | undefined
}

export function sheetOf({ seen, parts, main, options, formAction, title, isLeft, message }: Around): Sheet {
  const { texts, order, merchant, language, page } = seen
  return {
    language,
    title: title ? `${title} · ${merchant.name}` : texts.title(formatRupees(order.amountPaise), merchant.name),
    body: html`<main class="sheet" data-state="${seen.address}/state" data-version="${pageVersionOf(seen)}" data-stage="${stageOf(seen)}" data-busy="${texts.busy}"${heldBy(seen)}>${side(seen, options)}<div class="work"><p class="notice wait" role="status" data-offline hidden>${texts.offline}</p>${main}</div>${foot(seen, isLeft, message)}${closingQuestion(seen)}${leavingQuestion(seen)}</main>`,
    framedBy: framersOf(merchant, order, parts.isSandbox),
    isFramed: page.kind === 'framed',
    ...(formAction && { formAction }),
  }
}

/** Whose page holds this one, for the script: docs/pages.md, "Messages". */
function heldBy({ page: { embeddingOrigin, view } }: PageState): Part {
  const { shop } = view
  return shop && html` data-held="${shop.held}" data-shop="${embeddingOrigin ?? ''}"${shop.handler && html` data-handler`}`
}

/** Asked by the script before the shop's page closes what may still take money. */
function closingQuestion({ texts, page, order, latest }: PageState): Part {
  const { closing, mayStill } = texts
  const isAsked = page.view.shop !== undefined && order.status === 'IN_PROCESS'
  return (
    isAsked &&
    latest &&
    html`<dialog class="card one" data-closing aria-labelledby="closing"><h2 id="closing">${closing.heading}</h2><p>${mayStill(payingBy(latest))}</p><form method="dialog" class="ways"><button autofocus>${closing.no}</button><button class="second" value="close">${closing.yes}</button></form></dialog>`
  )
}

/** Asked by the script without leaving the page, so that nothing typed is lost; without script the same stands on a page of its own. */
function leavingQuestion(seen: PageState): Part {
  const { texts, address } = seen
  if (stageOf(seen) !== 'choices') return undefined
  const { heading, about, nothingTaken, no, yes } = texts.cancel
  return html`<dialog class="card one" data-leaving aria-labelledby="leaving"><h2 id="leaving">${heading}</h2><p>${about} ${ofMoney(seen) ?? nothingTaken}</p><div class="ways"><form method="dialog"><button autofocus>${no}</button></form><form method="post" action="${address}/leave"><button class="second">${yes}</button></form></div></dialog>`
}

const side = (seen: PageState, options: Options | undefined): Html =>
  html`<section class="side" aria-label="${seen.texts.whatYouPay}">${shopOf(seen.merchant, seen.texts.order, seen.order.orderId)}<div class="card total">${!isEnded(seen) && soonOf(seen.texts.time, seen.page.until, seen.now)}${totalOf(seen)}${options && html`<div data-summary role="status"></div>`}${options ? offersList(seen, options) : partsList(seen)}</div></section>`

/** The attempt that is being paid with, or has paid: what it takes is what the payer pays. */
export const payingIn = ({ order, latest }: Pick<PageState, 'order' | 'latest'>): Transaction | undefined =>
  latest && (order.status === 'PAID' || (order.status === 'IN_PROCESS' && isInFlight(latest))) ? latest : undefined

/** The largest figure of the page, and what it is: with a subscription what is agreed to, whatever is taken now. */
function totalOf(seen: PageState): Html {
  const { order, subscription } = seen
  if (subscription) return agreedTotal(seen, subscription)
  const paying = payingIn(seen)
  return html`<p class="quiet">${labelOf(seen)}</p><p class="amount" data-amount>${formatRupees(paying ? payablePaise(paying) : order.amountPaise)}</p>`
}

function agreedTotal(seen: PageState, terms: Row<'subscriptions'>): Html {
  const { texts, order } = seen
  const { mandate } = texts
  const isAsked = order.status === 'CREATED' || order.status === 'IN_PROCESS'
  const isAgreed = order.status === 'PAID' && terms.consentedAt !== null && terms.status !== 'AUTHORIZATION_FAILED'
  const isFixed = terms.amountType === 'FIX'
  const each = formatRupees(terms.maxAmountPaise)
  return html`<p class="quiet">${isAsked ? mandate.youAgree : isAgreed ? mandate.youAgreed : mandate.terms}</p><p class="amount">${isFixed ? each : mandate.atMost(each)}</p><p data-terms>${termsAndNow(seen, terms, order.amountPaise)}</p>`
}

function labelOf(seen: PageState): string {
  const { texts, order } = seen
  if (order.status === 'PAID') return texts.paid
  const isEnded = order.status === 'CLOSED' || (order.status === 'CREATED' && stageOf(seen) === 'over') // here nothing is to be paid any more
  return isEnded ? texts.ofOrder : texts.toPay
}

const pricesOf = (prices: readonly (readonly [mode: string, paise: number])[], { byMode, priceBy }: Catalogue): Html =>
  rowsOf(prices.map(([mode, paise]) => [priceBy(byMode[mode as keyof typeof byMode] ?? mode), formatRupees(paise)]))

/** Where the wallet pays a part: the app or the bank says another amount than the page. */
function partsList(seen: PageState): Part {
  const paying = payingIn(seen)
  if (!paying || paying.walletPaise === 0 || paying.bankPaise === 0) return undefined
  const { paymentMode, walletPaise, bankPaise } = paying
  return pricesOf(
    [
      ['BALANCE', walletPaise],
      [paymentMode, bankPaise],
    ],
    seen.texts,
  )
}

/** What each mode's offer makes of the amount, the largest first, and what the largest is. */
function offersList({ texts, order }: PageState, options: Options): Part {
  const offers = [...options.offers].toSorted(([, one], [, other]) => other.paise - one.paise)
  const [best] = offers
  if (!best) return undefined
  const [, { kind, promocode, title }] = best
  // Into the wallet of whoever has signed in, else it is owed: docs/interface.md section 4.10.
  const says = kind === 'DISCOUNT' ? texts.offer : options.payable.wallet ? texts.offerLater : texts.offerOwed
  return html`${pricesOf(
    offers.map(([mode]) => [mode, modePricePaise(order, options, mode)]),
    texts,
  )}<div class="offer">${icons.offer}<p>${says(promocode, html`<span lang="en">${title}</span>`)}</p></div>`
}

const isEnded = (seen: PageState) => ['paid', 'closed', 'over'].includes(stageOf(seen))

function foot(seen: PageState, isLeft: boolean | undefined, message: PageMessage | undefined): Html {
  const { texts, address, merchant } = seen
  const stage = stageOf(seen)
  const leaves = stage === 'choices' && isLeft !== true
  return html`<footer class="foot">${!isEnded(seen) && timeLeft(seen, message)}${leaves && html`<a href="${address}?leave=1" data-leaves>${texts.cancel.link(merchant.name)}</a>`}${stage !== 'over' && languageForm(seen, carried(message))}</footer>`
}

function timeLeft({ texts: { time }, page, order, now, address }: PageState, message: PageMessage | undefined): Html {
  const { until } = page
  const opened = html`<span role="status">${time.left(html`<time>${clockTime(until)}</time>`)}</span>`
  const left = html`<span aria-hidden="true" data-left hidden>${time.counts(html`<span></span>`)}</span>`
  const more =
    mayExtend(page, order, now) &&
    html`<form method="post" action="${address}/more-time" data-more>${carried(message)}<button class="plain">${time.more}</button></form>`
  return html`<div class="time" data-until="${until}" data-now="${now}">${opened} ${left}${more}</div>`
}

const carried = (message: PageMessage | undefined): Part => message !== undefined && hidden('told', message)

/** The hidden fields by which one button is one payment: docs/pages.md. */
export const promise = ({ order }: PageState, paise: number): Html =>
  html`${hidden('attempt', order.transactionCount + 1)}${hidden('amount', paise)}`
