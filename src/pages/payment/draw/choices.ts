// The ways to pay. One document works without script: a panel for each way, and in it a form that posts to `pay`.

import { type Html, html, type Part } from '../../html.ts'
import { icons } from '../../kit/icons.ts'
import { notice, rowsOf } from '../../kit/layout.ts'
import type { ChoicesView, PageView, PanelId, PanelView } from '../view/page-view.ts'
import { cardInner, emiInner, savedInner } from './card-fields.ts'
import { doubtPart } from './doubt.ts'
import { mandateFields } from './mandate.ts'
import { bankField, payForms, upiForms } from './pay-form.ts'
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

export function choicesPart(view: PageView, { agreed, panels, open }: ChoicesView): Html {
  const { texts } = view
  const opens = panels.filter(({ closed }) => closed === undefined)
  const closed = panels.filter((panel) => panel.closed !== undefined)
  return html`${agreed && termsPart(view, agreed)}<section class="card modes" aria-labelledby="heading"><h1 id="heading" tabindex="-1">${texts.howToPay}</h1>${above(view)}${opens.length === 0 && html`<div class="above">${notice(texts.noWays, 'bad')}</div>`}${opens.map(
    (panel) =>
      html`<details name="way" id="way-${panel.id}"${panel.id === open && html` open`}><summary>${ICONS[panel.id]}<span><b>${panel.name}</b><small>${panel.about}${panel.saves !== undefined && html`<span data-saves>${panel.saves}</span>`}</small></span></summary><div class="inner">${innerOf(view, panel)}</div></details>`,
  )}${closed.map(({ id, name, closed: why }) => html`<div class="closed">${ICONS[id]}<span><b>${name}</b><small>${why}</small></span></div>`)}</section>`
}

/** A subscription's payer reads the terms before agreeing. */
const termsPart = ({ texts: { mandate } }: PageView, agreed: ChoicesView['agreed'] & {}): Html =>
  html`<section class="card terms" aria-labelledby="terms"><h2 id="terms">${mandate.agreed}</h2>${rowsOf(agreed)}<p class="quiet">${mandate.notice}</p></section>`

/** The page begins at a notice that is about no field, so the payer reads that notice first. */
function above(view: PageView): Part {
  if (view.notices.length === 0) return undefined
  const notices = view.notices.map(({ says, tone, field }) => notice(says, tone, field === undefined))
  return html`<div class="above">${notices}${doubtPart(view)}</div>`
}

function innerOf(view: PageView, panel: PanelView): Part {
  switch (panel.id) {
    case 'saved':
      return savedInner(view, panel)
    case 'upi':
      return upiForms(view, panel)
    case 'card':
      return cardInner(view, panel)
    case 'bank':
      return payForms(view, panel, html`${bankField(view, panel)}<p class="quiet">${panel.says}</p>`)
    case 'wallet':
      return walletInner(view, panel)
    case 'emi':
      return emiInner(view, panel)
    case 'ppbl':
    case 'postpaid':
      return payForms(view, panel)
    case 'mandate':
      return payForms(view, panel, mandateFields(view, panel))
    default:
      return panel.id satisfies never
  }
}
