// How an order ended, and the way back to the shop: a form of the callback's signed fields. A script sends it at once; without script a
// button does (docs/interface.md section 6). Without a callbackUrl the page is a receipt.

import { type Html, html, type Part } from '../../html.ts'
import { hidden, hiddenForm } from '../../kit/fields.ts'
import { icons } from '../../kit/icons.ts'
import { notice, panel, rowsOf } from '../../kit/layout.ts'
import type { EndView, PageView } from '../view/page-view.ts'
import { doubtPart } from './doubt.ts'

export function endPart(view: PageView, end: EndView): Html {
  // Below the button, so that the button stays in its place when this text disappears.
  const goes = end.goes !== undefined && html`<p class="quiet" data-going hidden>${end.goes}</p>`
  return panel(end.heading, endIcon(end), endSays(end), doubtPart(view), backForm(view), goes, receiptPart(end.receipt))
}

export const endIcon = ({ icon }: Pick<EndView, 'icon'>): Part => icon && icons[icon]

export function endSays({ says, tone }: Pick<EndView, 'says' | 'tone'>): Html {
  if (tone === 'wait') return notice(says, 'wait')
  return tone === 'over' ? html`<p data-over>${says}</p>` : html`<p>${says}</p>`
}

export function backForm({ back, page }: PageView): Part {
  if (!back) return undefined
  const { url, fields, isAuto, button } = back
  return url === null
    ? fieldsAlone(fields, button, isAuto)
    : hiddenForm(url, fields, button, { goes: isAuto, isTop: page.isFramed, isToShop: true })
}

/** The shop's page takes these fields when there is no callbackUrl to post them to. */
const fieldsAlone = (fields: Readonly<Record<string, string>>, button: Part, goes: boolean): Html =>
  html`<form method="post" data-to-shop${goes && html` data-goes`}>${Object.entries(fields).map(([name, value]) => hidden(name, value))}<button>${button}</button></form>`

export const receiptPart = (receipt: EndView['receipt']): Part =>
  receipt &&
  html`${rowsOf(
    receipt.rows.map(({ label, value, isId }) => [label, isId ? html`<bdi>${value}</bdi>` : value]),
    'rows receipt',
  )}${receipt.keep !== undefined && html`<p class="quiet">${receipt.keep}</p>`}`
