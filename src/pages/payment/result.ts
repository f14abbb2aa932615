// How an order ended, and the way back to the shop: a form of the callback's signed fields, which a script sends at once and a
// button without it (docs/interface.md section 6). Without a callbackUrl it is a receipt.

import { moves } from '../../domain/subscription/subscription.ts'
import { attemptsLeft, isInFlight, payablePaise, type Transaction } from '../../domain/transaction/transaction.ts'
import { formats } from '../../interface/fields.ts'
import { type Html, html, type Part } from '../html.ts'
import { clockTime, dayOf, formatRupees } from '../kit/amounts.ts'
import type { Sheet } from '../kit/document.ts'
import { hidden, hiddenForm } from '../kit/fields.ts'
import { icons } from '../kit/icons.ts'
import { notice, panel, type Rows, rowsOf } from '../kit/layout.ts'
import type { PageParts } from '../kit/page-parts.ts'
import type { FoundPage } from './found/found.ts'
import { bankMandateOf, type PageState } from './found/page-state.ts'
import { sheetOf } from './layout.ts'
import { askShop, isMoneyAbout, ofMoney, payingBy } from './why-failed.ts'

/** Browsers hold the redirects of a form against `form-action` too, and shops send their callback's visitor on to other hosts of theirs. */
export function originOf(url: string, { isSandbox }: Pick<PageParts, 'isSandbox'>): readonly string[] {
  const own = formats.callbackUrl(url) ? [new URL(url).origin] : [] // another host could be read as something else in a header
  return [...own, 'https:', ...(isSandbox ? ['http:'] : [])]
}

/** `isAuto`: the script sends it at once. */
export function wayBack({ back, texts, merchant, page }: FoundPage, parts: Pick<PageParts, 'isSandbox'>, isAuto: boolean): BackForm {
  if (!back) return { form: undefined, formAction: [] }
  const { url, fields } = back
  const says = texts.result.toShop(merchant.name)
  if (url === null) return { form: fieldsAlone(fields, says, isAuto), formAction: [] }
  const form = hiddenForm(url, fields, says, { goes: isAuto, isTop: page.kind === 'framed', isToShop: true })
  return { form, formAction: originOf(url, parts) }
}
interface BackForm {
  form: Part
  formAction: readonly string[]
}

/** What the shop's page is handed where there is no callbackUrl to post it to. */
export const fieldsAlone = (fields: Readonly<Record<string, string>>, button: Part, goes = false): Html =>
  html`<form method="post" data-to-shop${goes && html` data-goes`}>${Object.entries(fields).map(([name, value]) => hidden(name, value))}<button>${button}</button></form>`

export function resultSheet(seen: FoundPage, parts: PageParts): Sheet {
  const { texts, order, latest } = seen
  const { form, formAction } = wayBack(seen, parts, true)
  const goes = order.callbackUrl !== null && html`<p class="quiet" data-script hidden>${texts.result.goes}</p>`
  if (order.status === 'PAID' && latest) {
    const { title, icon, says } = keptBy(seen, latest)
    return sheetOf({ seen, parts, title, formAction, main: panel(title, icon, says, goes, form, receipt(seen, latest)) })
  }
  const [heading, about] = endOf(seen)
  const says = html`<p>${about}</p>${isMoneyAbout(seen) && askShop(seen)}`
  return sheetOf({ seen, parts, title: heading, formAction, main: panel(heading, icons.ended, says, goes, form) })
}

/** What is said of an attempt that has succeeded. The bank that a mandate was given to may still refuse it. */
export function keptBy(
  { texts, order, merchant, subscription }: Pick<PageState, 'texts' | 'order' | 'merchant' | 'subscription'>,
  transaction: Transaction,
): { title: string; icon?: Html; says: Html } {
  const { result, waiting } = texts
  const bankMandate = bankMandateOf({ subscription, latest: transaction })
  const by = payingBy(transaction)
  if (bankMandate?.status === 'IN_AUTHORIZATION') return { title: waiting.heading(by), says: notice(waiting.pending(by), 'wait') }
  if (bankMandate?.status === 'AUTHORIZATION_FAILED' || bankMandate?.subStatus === moves.timeOut.subStatus)
    return { title: result.mandateRefused, icon: icons.ended, says: html`<p>${result.mandateRefusedAbout}</p>` }
  const paise = payablePaise(transaction)
  const title = paise === 0 && order.subscriptionId ? result.agreed : result.paid(formatRupees(paise))
  return { title, icon: icons.done, says: html`<p>${result.thanks(merchant.name)}</p>` }
}

function endOf(seen: PageState): readonly [string, string] {
  const { texts, order, latest } = seen
  const { result } = texts
  if (latest && isInFlight(latest)) return [result.closed, result.closedInFlight]
  if (attemptsLeft(order) <= 0) return [result.exceeded, ofMoney(seen) ?? result.exceededAbout]
  return [result.closed, ofMoney(seen) ?? result.closedAbout]
}

export function receipt(
  { texts, order, language }: Pick<PageState, 'texts' | 'order' | 'language'>,
  { txnId, bankTxnId, paymentMode, updatedAt }: Transaction,
): Html {
  const { result } = texts
  const rows: Rows = [
    [result.when, `${dayOf(updatedAt, language)}, ${clockTime(updatedAt)}`],
    [result.by, texts.byMode[paymentMode as keyof typeof texts.byMode] ?? paymentMode],
    [texts.order, html`<bdi>${order.orderId}</bdi>`],
    [result.txnId, html`<bdi>${txnId}</bdi>`],
    ...(bankTxnId && bankTxnId !== txnId ? [[result.reference, html`<bdi>${bankTxnId}</bdi>`] as const] : []),
  ]
  return html`${rowsOf(rows, 'rows receipt')}${order.callbackUrl === null && html`<p class="quiet">${result.keep}</p>`}`
}
