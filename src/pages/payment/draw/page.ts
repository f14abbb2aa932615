// A payment page as a document: amount and shop beside the state, time and ways out below. It draws only a PageView.

import { type Html, html, type Part } from '../../html.ts'
import { clockTime, formatRupees } from '../../kit/amounts.ts'
import type { Sheet } from '../../kit/document.ts'
import { hidden } from '../../kit/fields.ts'
import { icons } from '../../kit/icons.ts'
import { crossOf, languageForm, panel, rowsOf, shopOf, soonOf } from '../../kit/layout.ts'
import type { AsksView, PageView } from '../view/page-view.ts'
import { choicesPart } from './choices.ts'
import { endPart } from './end.ts'
import { stepPart } from './step.ts'

export function drawPage(view: PageView): Sheet {
  const { language, address, title, framedBy, isFramed, formAction } = view.page
  return {
    language,
    title,
    body: html`<main class="sheet" data-state="${address}/state" data-version="${view.version}" data-stage="${view.stage}" data-busy="${view.texts.busy}"${heldBy(view)}>${side(view)}${workPart(view)}${foot(view)}${closingQuestion(view)}${leavingQuestion(view)}</main>`,
    framedBy,
    isFramed,
    formAction,
  }
}

/** The parts in which the choices differ from a step by UPI app. The script shows these parts in place of the choices. */
export function partsInPlace(view: PageView): readonly Html[] {
  const question = closingQuestion(view)
  return [totalPart(view), workPart({ ...view, isInPlace: true }), ...(question ? [question] : [])]
}

const workPart = (view: PageView): Html => html`<div class="work">${networkNotice(view)}${mainPart(view)}</div>`

function mainPart(view: PageView): Html {
  const { main } = view
  switch (main.kind) {
    case 'choices':
      return choicesPart(view, main)
    case 'step':
      return stepPart(view, main)
    case 'end':
      return endPart(view, main)
    case 'asks':
      return asksPart(view, main)
    default:
      return main satisfies never
  }
}

/** The script shows this notice. A page that waits asks again by itself, as do the choices once a payment by UPI app may have begun. */
function networkNotice({ main, stage, texts: { offline } }: PageView): Html {
  const isAsking = main.kind === 'step' || stage === 'waiting'
  const [away, back] = isAsking ? [offline.asks, offline.backAsks] : [offline.press, offline.backPress]
  const isUpi = main.kind === 'choices' && main.panels.some(({ ways }) => ways.some(({ isInPlace }) => isInPlace))
  return html`<p class="notice wait" role="status" data-offline="${back}"${isUpi && html` data-asks="${offline.asks}"`} hidden>${away}</p>`
}

/** Asks first. Leaving closes the order. To pay again by a removed card, the payer must type in its number. */
function asksPart({ page: { address }, leaving, texts }: PageView, asks: AsksView): Html {
  const { cancel, removeCard } = texts
  if (asks.what === 'leave')
    return panel(
      asks.heading,
      html`<p>${leaving}</p><div class="ways"><a class="button" href="${address}">${cancel.no}</a><form method="post" action="${address}/leave"><button class="second">${cancel.yes}</button></form></div>`,
    )
  const sure = html`<form method="post" action="${address}/remove-card">${hidden('savedCard', asks.id)}${hidden('sure', 1)}<button class="second">${removeCard.yes}</button></form>`
  return panel(
    asks.heading,
    html`<p>${asks.says}</p><div class="ways"><a class="button" href="${address}?open=saved">${removeCard.no}</a>${sure}</div>`,
  )
}

/** The shop's page that holds the payment page, for the script: docs/pages.md, "Messages". */
const heldBy = ({ shop: { held } }: PageView): Part =>
  held && html` data-held="${held.by}" data-shop="${held.origin}"${held.handler && html` data-handler`}`

/** The script asks this before the shop's page closes a payment that may still take money. */
const closingQuestion = ({ closing: says, texts: { closing } }: PageView): Html | undefined =>
  says === undefined
    ? undefined
    : html`<dialog class="card one" data-closing aria-labelledby="closing"><h2 id="closing">${closing.heading}</h2><p>${says}</p><form method="dialog" class="ways"><button autofocus>${closing.no}</button><button class="second" value="close">${closing.yes}</button></form></dialog>`

/** The script asks this without leaving the page, so nothing typed is lost. Without script the question has a page of its own. */
const leavingQuestion = ({ leaving, page: { address }, texts: { cancel } }: PageView): Part =>
  leaving !== undefined &&
  html`<dialog class="card one" data-leaving aria-labelledby="leaving"><h2 id="leaving">${cancel.heading}</h2><p>${leaving}</p><div class="ways"><form method="dialog"><button autofocus>${cancel.no}</button></form><form method="post" action="${address}/leave"><button class="second">${cancel.yes}</button></form></div></dialog>`

const side = (view: PageView): Html =>
  html`<section class="side" aria-label="${view.texts.whatYouPay}">${shopOf(view.shop, view.texts.order, view.shop.orderId, view.shop.held && crossOf(view.texts))}${totalPart(view)}</section>`

const totalPart = (view: PageView): Html =>
  html`<div class="card total">${view.time && soonOf(view.texts.time, view.time.isSoon)}${total(view)}${view.main.kind === 'choices' && html`<div data-summary role="status"></div>`}${totalRows(view)}${offer(view)}</div>`

function total({ total: { label, paise, terms }, texts: { mandate } }: PageView): Html {
  const amount = formatRupees(paise)
  if (!terms) return html`<p class="quiet">${label}</p><p class="amount" data-amount>${amount}</p>`
  return html`<p class="quiet">${label}</p><p class="amount">${terms.isAtMost ? mandate.atMost(amount) : amount}</p><p data-terms>${terms.says}</p>`
}

const totalRows = ({ total: { rows } }: PageView): Part =>
  rows.length > 0 && rowsOf(rows.map(({ label, paise }) => [label, formatRupees(paise)]))

const offer = ({ offer, texts }: PageView): Part =>
  offer &&
  html`<div class="offer">${icons.offer}<p>${texts[offer.says](offer.promocode, html`<span lang="en">${offer.title}</span>`, offer.by)}</p></div>`

function foot(view: PageView): Html {
  const { page, shop, stage, main, actions, texts } = view
  const { address, language } = page
  const isLeft = main.kind === 'asks' && main.what === 'leave'
  const leaves = actions.leave !== undefined && !isLeft
  return html`<footer class="foot">${timeLeft(view)}${leaves && html`<a href="${address}?leave=1" data-leaves>${texts.cancel.link(shop.name)}</a>`}${stage !== 'over' && languageForm({ address, texts, language }, carried(view))}</footer>`
}

function timeLeft(view: PageView): Part {
  const { time, page } = view
  if (!time) return undefined
  const { time: says } = view.texts
  const { until, now, mayExtend } = time
  const opened = html`<span role="status">${says.left(html`<time>${clockTime(until, page.language)}</time>`)}</span>`
  const left = html`<span aria-hidden="true" data-left hidden>${says.counts(html`<span>00</span>`, html`<span>00</span>`)}</span>`
  const more =
    mayExtend &&
    html`<form method="post" action="${page.address}/more-time" data-more>${carried(view)}<button class="plain">${says.more}</button></form>`
  return html`<div class="time" data-until="${until}" data-now="${now}">${opened} ${left}${more}</div>`
}

/** Forms that change only the page carry the message on. So a payer who was at the bank is not sent there again. */
const carried = ({ message }: PageView): Part => message !== undefined && hidden('message', message)
