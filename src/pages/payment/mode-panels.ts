// The ways to pay that an order has: docs/pages.md, "What it shows". One document without script: a panel for each way, and in
// it a form that posts to `pay`.

import { asksForUpiId } from '../../domain/merchant/page-settings.ts'
import { leaves } from '../../domain/order/payment-modes.ts'
import { attemptsLeft, hasCodesLeft } from '../../domain/transaction/transaction.ts'
import { PAYMENT_MODES, paymentMode, paymentModes } from '../../interface/payment-modes.ts'
import { type Html, html, type Part } from '../html.ts'
import { choice, hidden, textField } from '../kit/fields.ts'
import { icons } from '../kit/icons.ts'
import { notice } from '../kit/layout.ts'
import { inShopsOrder } from '../loader/shop-view.ts'
import { cardPanel, emiPanel, savedPanel } from './card-panel.ts'
import { mandateForm, mandateTerms } from './consent-panel.ts'
import type { PayableMode } from './found/options.ts'
import { type Choosing, isTooMuch, type Panel, payForm, saving } from './pay-form.ts'
import { phoneOf } from './upi-apps.ts'
import { walletPanel } from './wallet-panel.ts'
import { askShop, isLinkLeft, ofDoubt, ofMoney, payingBy, whyFailed } from './why-failed.ts'

export function choicesOf(given: Choosing): Html {
  const { seen, fault, asked } = given
  const choosing = { ...given, typed: { ...failedFields(seen), ...given.typed } }
  const { texts } = seen
  const all = panelsOf(choosing)
  // What cannot pay this amount stands last, and opens nothing.
  const [panels, closed] = [all.filter((panel) => panel.closed === undefined), all.filter((panel) => panel.closed !== undefined)]
  const asksFor = [fault?.panel, asked.emi === undefined ? asked.open : 'emi', failedPanel(seen), panels[0]?.id]
  const open = asksFor.find((wanted) => panels.some(({ id }) => id === wanted))
  return html`${seen.subscription && mandateTerms(seen, seen.subscription)}<section class="card modes" aria-labelledby="heading"><h1 id="heading" tabindex="-1">${texts.howToPay}</h1>${above(choosing)}${panels.length === 0 && html`<div class="above">${notice(texts.noWays, 'bad')}</div>`}${panels.map(
    ({ id, icon, name, about, inner }) =>
      html`<details name="way" id="way-${id}"${id === open && html` open`}><summary>${icon}<span><b>${name}</b><small>${about}</small></span></summary><div class="inner">${inner}</div></details>`,
  )}${closed.map(({ icon, name, closed: why }) => html`<div class="closed">${icon}<span><b>${name}</b><small>${why}</small></span></div>`)}</section>`
}

/** Why the last attempt failed, or what is wrong with what was sent. A payer who left a QR code or a link hears that nothing is wrong. */
function above({ seen, fault, asked }: Choosing): Part {
  const { texts, latest, order } = seen
  if (fault) return html`<div class="above">${notice(fault.message, 'bad', fault.field === undefined)}</div>`
  if (asked.message === 'removed') return html`<div class="above">${notice(texts.removeCard.done, 'good', true)}</div>`
  if (latest?.status !== 'FAILURE') return undefined
  if (isLinkLeft(latest)) return html`<div class="above">${notice(texts.leftUnpaid(payingBy(latest)), 'wait', true)}</div>`
  const isDoubted = latest.result === 'timedOut' && latest.bankPaise > 0
  return html`<div class="above">${notice(html`${whyFailed(texts, latest)} ${texts.attemptsLeft(attemptsLeft(order))}`, 'bad', true)}${isDoubted ? ofDoubt(seen, latest) : ofMoney(seen) !== undefined && askShop(seen)}</div>`
}

/** The way that has just failed: the payer reads there why, and what may be kept is kept. */
function failedPanel({ latest }: Choosing['seen']): string | undefined {
  if (latest?.status !== 'FAILURE') return undefined
  return latest.instrument.savedCardId !== undefined ? 'saved' : paymentMode(latest.paymentMode)?.panel
}

/** What was chosen for the attempt that has just failed, to be looked at once more. A card is typed anew. */
function failedFields({ latest }: Choosing['seen']): Readonly<Record<string, string>> {
  if (latest?.status !== 'FAILURE') return {}
  const { paymentMode: mode, instrument } = latest
  const { vpa, bank, planId, savedCardId } = instrument
  const isCard = mode === 'CREDIT_CARD' || mode === 'DEBIT_CARD' // whose bank is the issuer
  return {
    ...(vpa !== undefined && { upiId: vpa }),
    ...(mode === 'EMI' && bank !== undefined && planId !== undefined && { emiBank: bank, plan: planId }),
    ...(mode !== 'EMI' && !isCard && bank !== undefined && { bank }),
    ...(savedCardId !== undefined && { savedCard: savedCardId }),
  }
}

function panelsOf(choosing: Choosing): Panel[] {
  const { options, seen } = choosing
  const { modes } = options.payable
  const has = (mode: PayableMode) => modes.has(mode)
  const panels = [
    options.cards.length > 0 && savedPanel(choosing),
    has('UPI') && upiPanel(choosing),
    (has('CREDIT_CARD') || has('DEBIT_CARD')) && cardPanel(choosing),
    has('NET_BANKING') && options.banks.length > 0 && netBankingPanel(choosing),
    has('BALANCE') && (options.payable.wallet !== undefined || choosing.canSignIn) && walletPanel(choosing),
    has('EMI') && emiPanel(choosing),
    has('PPBL') && plainPanel(choosing, 'PPBL'),
    has('SVC_DIGITAL_CREDIT') && plainPanel(choosing, 'SVC_DIGITAL_CREDIT'),
    has('BANK_MANDATE') && seen.order.requestType === 'NATIVE_SUBSCRIPTION' && mandatePanel(choosing),
  ]
  const { shop } = seen.page.view
  const shown = panels.filter((panel): panel is Panel => panel !== false && panel !== undefined)
  if (!shop) return shown
  const modesOf = ({ id }: Panel) => PAYMENT_MODES.filter((mode) => paymentModes[mode].panel === id)
  const named = shown.map((panel) => ({ ...panel, name: modesOf(panel).flatMap((mode) => shop.labels?.[mode] ?? [])[0] ?? panel.name }))
  return inShopsOrder(shop, named, modesOf)
}

/** A typed UPI id, which few merchants may still ask for. */
const takesUpiId = ({ seen: { merchant, order, browser, page }, options: { payable } }: Choosing) =>
  page.view.shop?.qrOnly !== true &&
  leaves(payable.modes.get('UPI')!, { channel: 'UPI' }) &&
  asksForUpiId(merchant, { isIos: phoneOf(browser.agent) === 'ios', isConsent: order.subscriptionId !== null })

function upiPanel(choosing: Choosing): Panel {
  const { seen, options, fault, typed } = choosing
  const { texts } = seen
  const takesCodes = leaves(options.payable.modes.get('UPI')!, { channel: 'UPIPUSH' })
  const byApp = takesCodes && hasCodesLeft(seen.order)
  const isOver = takesCodes && !byApp && !takesUpiId(choosing)
  const closed = isTooMuch(choosing, 'UPI', 'upi') ?? (isOver ? texts.codesOver : undefined)
  if (closed !== undefined) return { id: 'upi', icon: icons.upi, name: texts.modes.upi.name, about: '', inner: undefined, closed }
  const idField = textField({
    ...{ name: 'upiId', label: texts.upiId, hint: texts.upiIdHint, fault, panel: 'upi', inputMode: 'email' },
    ...{ autoComplete: 'off', maxLength: 97, value: typed?.['upiId'] },
  })
  return {
    id: 'upi',
    icon: icons.upi,
    name: texts.modes.upi.name,
    about: html`${texts.modes.upi.about}${saving(choosing, 'upi', 'UPI')}`,
    inner: html`${byApp && html`<p>${texts.upiIntro}</p>${payForm(choosing, 'UPI', 'upi', undefined)}`}${takesUpiId(choosing) && html`${byApp && html`<p class="or">${texts.upiOr}</p>`}${payForm(choosing, 'UPI', 'upi', html`${hidden('by', 'upiId')}${idField}`, { isSecond: byApp, by: 'upiId' })}`}`,
  }
}

const NAMED_BANKS = 3 // ours: said before a payer opens the panel
function netBankingPanel(choosing: Choosing): Panel {
  const { seen, options, fault, typed } = choosing
  const { texts } = seen
  const named = options.banks.slice(0, NAMED_BANKS).map(({ name }) => name)
  const of = options.banks.map(({ code, name }) => [code, name] as const)
  return {
    id: 'bank',
    icon: icons.bank,
    name: texts.modes.netBanking.name,
    about: html`${texts.modes.netBanking.about(named.join(', '), options.banks.length - named.length)}${saving(choosing, 'bank', 'NET_BANKING')}`,
    inner: payForm(
      choosing,
      'NET_BANKING',
      'bank',
      html`${choice({ name: 'bank', label: texts.bank, none: texts.chooseBank, fault, panel: 'bank', of, value: typed?.['bank'] })}<p class="quiet">${texts.toBank}</p>`,
    ),
  }
}

function plainPanel(choosing: Choosing, mode: 'PPBL' | 'SVC_DIGITAL_CREDIT'): Panel {
  const id = paymentModes[mode].panel
  const { subscription, texts } = choosing.seen
  const { name, about: usual } = texts.modes[id]
  const about = subscription && mode === 'SVC_DIGITAL_CREDIT' ? texts.modes.postpaid.aboutMandate : usual
  const icon = mode === 'PPBL' ? icons.bank : icons.later
  return { id, icon, name, about: html`${about}${saving(choosing, id, mode)}`, inner: payForm(choosing, mode, id, undefined) }
}

function mandatePanel(choosing: Choosing): Panel {
  const { name, about } = choosing.seen.texts.modes.mandate
  return { id: 'mandate', icon: icons.bank, name, about, inner: mandateForm(choosing) }
}
