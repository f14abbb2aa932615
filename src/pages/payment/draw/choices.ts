// The ways to pay. One document works without script: a panel for each way, and in it a form that posts to `pay`.

import { type Html, html, type Part } from '../../html.ts'
import { icons } from '../../kit/icons.ts'
import { notice, rowsOf } from '../../kit/layout.ts'
import type { Catalogue } from '../../kit/messages/messages.ts'
import type { ChoicesView, PageView, PanelId } from '../view/page-view.ts'
import { cardInner, emiInner, savedInner } from './card-fields.ts'
import { doubtPart } from './doubt.ts'
import { mandateFields } from './mandate.ts'
import { bankField, type PanelDrawing, payForms, upiForms } from './pay-form.ts'
import { walletInner } from './wallet.ts'

const ICONS: Readonly<Record<PanelId, Html>> = {
  saved: icons.card,
  upi: icons.upi,
  card: icons.card,
  bank: icons.bank,
  wallet: icons.wallet,
  emi: icons.emi,
  ppbl: icons.bank,
  postpaid: icons.later,
  mandate: icons.bank,
}

export function choicesPart(view: PageView, { agreed, panels, open }: ChoicesView, texts: Catalogue): Html {
  const opens = panels.filter(({ closed }) => closed === undefined)
  const closed = panels.filter((panel) => panel.closed !== undefined)
  return html`${agreed && termsPart(agreed, texts)}<section class="card modes" aria-labelledby="heading"><h1 id="heading" tabindex="-1">${texts.howToPay}</h1>${above(view, texts)}${opens.length === 0 && html`<div class="above">${notice(texts.noWays, 'bad')}</div>`}${opens.map(
    (panel) =>
      html`<details name="way" id="way-${panel.id}"${panel.id === open && html` open`}><summary>${ICONS[panel.id]}<span><b>${panel.name}</b><small>${panel.about}${panel.saves !== undefined && html`<span data-saves>${panel.saves}</span>`}</small></span></summary><div class="inner">${innerOf({ view, panel, texts })}</div></details>`,
  )}${closed.map(({ id, name, closed: why }) => html`<div class="closed">${ICONS[id]}<span><b>${name}</b><small>${why}</small></span></div>`)}</section>`
}

/** A subscription's payer reads the terms before agreeing. */
const termsPart = (agreed: ChoicesView['agreed'] & {}, { mandate }: Catalogue): Html =>
  html`<section class="card terms" aria-labelledby="terms"><h2 id="terms">${mandate.agreed}</h2>${rowsOf(agreed)}<p class="quiet">${mandate.notice}</p></section>`

/** The page begins at a notice that is about no field, so the payer reads that notice first. */
function above(view: PageView, texts: Catalogue): Part {
  if (view.notices.length === 0) return undefined
  const notices = view.notices.map(({ says, tone, field }) => notice(says, tone, field === undefined))
  return html`<div class="above">${notices}${doubtPart(view, texts)}</div>`
}

function innerOf(drawing: PanelDrawing): Part {
  const { panel } = drawing
  switch (panel.id) {
    case 'saved':
      return savedInner(drawing)
    case 'upi':
      return upiForms(drawing)
    case 'card':
      return cardInner(drawing)
    case 'bank':
      return payForms(drawing, html`${bankField(drawing)}<p class="quiet">${panel.says}</p>`)
    case 'wallet':
      return walletInner(drawing)
    case 'emi':
      return emiInner(drawing)
    case 'ppbl':
    case 'postpaid':
      return payForms(drawing, undefined)
    case 'mandate':
      return payForms(drawing, mandateFields(drawing))
    default:
      return panel.id satisfies never
  }
}
