// A form that pays. Every way to pay has one: its promise, its fields and its one button.

import { type Html, html, type Part } from '../../html.ts'
import { checkbox, choice, hidden, textField } from '../../kit/fields.ts'
import type { PageView, PanelView, WayView } from '../view/page-view.ts'

/** First the hidden fields that make one button one payment: docs/pages.md, "One payment". */
export function payForm({ page, actions }: PageView, panel: PanelView, way: WayView, fields?: Part, isSecond = false): Html {
  const { mode, by, button, less, paise, share, terms, isInPlace, cashback } = way
  const promise = html`${hidden('attempt', actions.pay!.attempt!)}${hidden('amount', paise)}${hidden('mode', mode)}${hidden('panel', panel.id)}${page.payerMark !== undefined && hidden('payer', page.payerMark)}${cashback !== undefined && hidden('cashback', cashback)}`
  const named = by !== undefined && hidden('by', by)
  const sharing = share && html`${hidden('wallet', share.paise)}${checkbox('share', share.label, share.isChecked)}`
  const agreed = terms !== undefined && html`<p class="quiet" data-terms>${terms}</p>`
  const id = `${panel.id}-${by ?? ''}less`
  const [described, below] =
    less === undefined ? [] : [html` aria-describedby="${id}"`, html`<p class="quiet" data-less id="${id}">${less}</p>`]
  return html`<form method="post" action="${page.address}/pay" class="stack" data-pays="${page.address}/price"${isInPlace && html` data-upi`}>${promise}${named}${fields}${sharing}${agreed}<button${isSecond && html` class="second"`}${described}>${button}</button>${below}</form>`
}

export const payForms = (view: PageView, panel: PanelView, fields?: Part): Part =>
  panel.ways.map((way) => payForm(view, panel, way, fields))

export function upiForms(view: PageView, panel: PanelView): Part {
  const { texts } = view
  const byApp = panel.ways.find(({ by }) => by === undefined)
  const byId = panel.ways.find(({ by }) => by === 'upiId')
  const idField = textField({
    ...{ name: 'upiId', label: texts.upiId, hint: texts.upiIdHint, fault: panel.fault, panel: 'upi', inputMode: 'email' },
    ...{ autoComplete: 'off', maxLength: 97, value: panel.fields['upiId']?.value },
  })
  return html`${byApp && html`<p>${panel.says}</p>${payForm(view, panel, byApp)}`}${byId && html`${byApp && html`<p class="or">${texts.upiOr}</p>`}${payForm(view, panel, byId, idField, byApp !== undefined)}`}`
}

export const bankField = ({ texts }: PageView, { id, fault, fields }: PanelView): Html =>
  choice({
    ...{ name: 'bank', label: texts.bank, none: texts.chooseBank, fault, panel: id },
    ...{ of: fields['bank']?.of ?? [], value: fields['bank']?.value },
  })
