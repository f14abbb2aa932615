// What every state of a payment page has around it: what is paid and to whom beside it, time and the ways out below.

import { EXTENSIONS_MAX, mayExtend } from '../page/page.ts'
import { payablePaise } from '../transaction/transaction.ts'
import { amountOf, clockTime } from './amounts.ts'
import type { Sheet } from './document.ts'
import { hidden } from './fields.ts'
import { type Html, html, type Part } from './html.ts'
import { icons } from './icons.ts'
import { languages } from './messages/messages.ts'
import { type Options, pricePaise } from './options.ts'
import { framersOf, type PageParts, type Seen, stageOf, versionOf } from './session.ts'

const SOON_MS = 2 * 60_000 // docs/pages.md: WCAG 2.2, criterion 2.2.1

/** What has just been done about an attempt under way, for the page after it. */
const TOLD = ['checked', 'often', 'refused', 'resent'] as const
export type Told = (typeof TOLD)[number]
export const toldIn = (text: string | undefined): Told | undefined => TOLD.find((each) => each === text)

interface Around {
  seen: Seen
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
  told?: Told | undefined
}

export function sheetOf({ seen, parts, main, options, formAction, title, isLeft, told }: Around): Sheet {
  const { texts, order, merchant, language, page } = seen
  return {
    language,
    title: title ? `${title} · ${merchant.name}` : texts.title(amountOf(order.amountPaise), merchant.name),
    body: html`<main class="sheet" data-state="${seen.address}/state" data-version="${versionOf(seen)}" data-stage="${stageOf(seen)}">${side(seen, options)}<div class="work"><p class="notice wait" role="status" data-offline hidden>${texts.offline}</p>${main}</div>${foot(seen, isLeft, told)}</main>`,
    framedBy: framersOf(merchant, order, parts.isSandbox),
    isFramed: page.kind === 'framed',
    ...(formAction && { formAction }),
  }
}

const segmenter = new Intl.Segmenter()
/** The first letter of a name, as it is written. */
export const initial = (name: string) =>
  /^[!-~][ -~]/.test(name)
    ? name[0]!.toUpperCase()
    : (segmenter.segment(name.trim())[Symbol.iterator]().next().value?.segment.toUpperCase() ?? '')

function side(seen: Seen, options: Options | undefined): Html {
  const { texts, order, merchant, latest } = seen
  const [best, ...more] = options ? offersOf(seen, options) : []
  const isPaid = stageOf(seen) === 'paid'
  const isConsent = order.subscriptionId !== null && order.amountPaise === 0 // nothing is paid, and nothing was
  const label = isConsent ? texts.mandate.now : isPaid ? texts.paid : texts.toPay
  return html`<section class="side" aria-label="${texts.whatYouPay}"><div class="shop"><span class="mark" aria-hidden="true">${initial(merchant.name)}</span><div><b><bdi>${merchant.name}</bdi></b><span class="quiet">${texts.order} <bdi>${order.orderId}</bdi></span></div></div><div class="card total"><p class="quiet">${label}</p><p class="amount">${amountOf(isPaid && latest ? payablePaise(latest) : order.amountPaise)}</p>${best && html`<dl class="rows">${[best, ...more].map(({ by, price }) => html`<div><dt>${texts.priceBy(by)}</dt><dd>${price}</dd></div>`)}</dl><div class="offer">${icons.offer}<p>${best.says}</p></div>`}</div></section>`
}

/** What each mode's offer makes of the amount; the largest first. */
function offersOf({ texts, order }: Seen, options: Options) {
  return [...options.offers]
    .toSorted(([, one], [, other]) => other.paise - one.paise)
    .map(([mode, { kind, promocode, title }]) => ({
      by: texts.byMode[mode as keyof typeof texts.byMode] ?? mode,
      price: amountOf(pricePaise(order, options, mode)),
      says: (kind === 'DISCOUNT' ? texts.offer : texts.offerLater)(promocode, html`<span lang="en">${title}</span>`),
    }))
}

function foot(seen: Seen, isLeft: boolean | undefined, told: Told | undefined): Html {
  const { texts, page, order, now, address, merchant } = seen
  const stage = stageOf(seen)
  const isEnded = stage === 'paid' || stage === 'closed' || stage === 'over'
  return html`<footer class="foot">${!isEnded && html`<div class="time" data-until="${page.until}" data-now="${now}"><b data-soon role="status"${page.until - now > SOON_MS && html` hidden`}>${texts.time.soon}</b> <span role="status">${texts.time.left(html`<time>${clockTime(page.until)}</time>`)}</span> <span aria-hidden="true" data-left hidden>${texts.time.counts(html`<span></span>`)}</span>${mayExtend(page, order, now) && page.extensions < EXTENSIONS_MAX && html`<form method="post" action="${address}/more-time" data-more>${carried(told)}<button class="plain">${texts.time.more}</button></form>`}</div>`}${stage === 'choices' && isLeft !== true && html`<a href="${address}?leave=1">${texts.cancel.link(merchant.name)}</a>`}${stage !== 'over' && languageForm(seen, told)}</footer>`
}

const carried = (told: Told | undefined): Part => told !== undefined && hidden('told', told)

export const languageForm = ({ address, texts, language }: Pick<Seen, 'address' | 'texts' | 'language'>, told?: Told): Html =>
  html`<form class="language" method="post" action="${address}/language">${carried(told)}<label for="language">${texts.language}</label><select id="language" name="language" data-sends>${Object.entries(languages).map(([tag, { name }]) => html`<option value="${tag}" lang="${tag}"${tag === language && html` selected`}>${name}</option>`)}</select><button class="plain" data-unneeded>${texts.setLanguage}</button></form>`

/** The hidden fields by which one button is one payment: docs/pages.md. */
export const promise = ({ order }: Seen, paise: number): Html =>
  html`${hidden('attempt', order.transactionCount + 1)}${hidden('amount', paise)}`

export const notice = (text: Part, kind: 'bad' | 'wait' | 'good'): Html =>
  html`<p class="notice ${kind}" role="${kind === 'bad' ? 'alert' : 'status'}">${text}</p>`

/** A page that stands alone, without an amount and a shop beside it. */
export const alone = (heading: string, ...inner: readonly Part[]): Html =>
  html`<main class="sheet alone">${panel(heading, ...inner)}</main>`

/** One panel that is the whole of a state. */
export const panel = (heading: string, ...inner: readonly Part[]): Html =>
  html`<section class="card one" aria-labelledby="heading"><h1 id="heading" tabindex="-1">${heading}</h1>${inner}</section>`
