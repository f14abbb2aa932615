// An attempt under way, one page for each thing that the payer may have to do next: docs/pages.md, "State". Every one of them
// has its ways out: ask now, pay another way unless the bank has refused to cancel this one, go back to the shop.

import type { Transaction } from '../../domain/transaction/transaction.ts'
import { type Html, html, type Part } from '../html.ts'
import { formatRupees } from '../kit/amounts.ts'
import type { Sheet } from '../kit/document.ts'
import { type FieldFault, hidden, hiddenForm, textField } from '../kit/fields.ts'
import { notice, panel } from '../kit/layout.ts'
import type { PageParts } from '../kit/page-parts.ts'
import type { FoundPage } from './found/found.ts'
import type { PageState } from './found/page-state.ts'
import { type PageMessage, sheetOf } from './layout.ts'
import { qrCode } from './qr.ts'
import { fieldsAlone, originOf } from './result.ts'
import { appLinks, payeeIn, phoneOf, UPI_LINK } from './upi-apps.ts'
import { askShop, ofDoubt, payingBy, waitingFor } from './why-failed.ts'

interface Step {
  seen: FoundPage
  parts: PageParts
  transaction: Transaction
  fault?: FieldFault | undefined
  message: PageMessage | undefined
}

export function stepSheet(step: Step): Sheet {
  const { seen, parts, transaction, message } = step
  const { next, status } = transaction
  const { texts } = seen
  const by = payingBy(transaction)
  const back = backToShop(step)
  const around = (heading: string, says: string, ...inner: readonly Part[]) => ({
    seen,
    parts,
    message,
    title: heading,
    formAction: [...(back.formAction ?? [])],
    main: panel(heading, tellingOf(step), refusal(step, says), ...inner, back.form),
  })
  const { wait, complete } = texts.another
  if (status === 'UNKNOWN' || next === null || next === undefined)
    return sheetOf(around(texts.waiting.heading(by), wait, waiting(step), waysOut(step), doubted(step)))
  switch (next.kind) {
    case 'otp':
      return sheetOf(around(texts.otp.heading(by), complete, otpForm(step), waysOut(step, { checks: false })))
    case 'bankForm': {
      const sheet = around(texts.bankPage.heading(by), complete, bankForm(step, next), waysOut(step))
      return sheetOf({ ...sheet, formAction: [...sheet.formAction, 'https:', ...(parts.isSandbox ? ['http:'] : [])] })
    }
    case 'deepLink': {
      const { deepLink } = next
      if (!UPI_LINK.test(deepLink)) return sheetOf(around(texts.collect.heading(by), complete, asked(step), waysOut(step)))
      const inner = [upi(step, deepLink), sandboxPhone(step, deepLink), waysOut(step)]
      return sheetOf(around(texts.upiWaiting.heading(by), complete, ...inner))
    }
    case 'collect':
      return sheetOf(around(texts.collect.heading(by), complete, asked(step), waysOut(step)))
    default:
      return next satisfies never
  }
}

/** Only with script does a page go on by itself. */
const goesOn = ({ texts }: PageState): Html => html`<span data-script hidden>${texts.waiting.goesOn}</span>`

function tellingOf({ seen: { texts }, transaction, fault, message }: Step): Part {
  if (fault) return notice(fault.message, 'bad')
  const by = payingBy(transaction)
  switch (message) {
    case undefined:
    case 'removed':
      return undefined
    case 'checked':
      return notice(texts.waiting.checked, 'wait')
    case 'often':
      return notice(texts.waiting.checkedOften(by), 'wait')
    case 'lost':
      return notice(texts.another.lost(by), 'wait')
    case 'resent':
      return notice(texts.otp.resent(by), 'wait')
    default:
      return message satisfies never
  }
}

/** Why no other way is offered, and what to do: until the bank has decided, on every page of the order and after each reload. */
const refusal = ({ seen: { texts }, transaction }: Step, says: string): Part =>
  transaction.isCancelRefused && notice(html`${texts.another.refused(payingBy(transaction))} ${says}`, 'bad')

const waiting = ({ seen, transaction }: Step): Html => notice(html`${waitingFor(seen.texts, transaction)} ${goesOn(seen)}`, 'wait')

/** Where money may be, when nobody knows yet whether it was taken: after what the payer can do, because it is to be kept and not to be done. */
function doubted({ seen, transaction }: Step): Part {
  if (transaction.status !== 'UNKNOWN' || transaction.bankPaise === 0) return askShop(seen)
  const isSafe = !transaction.isCancelRefused && html`<p>${seen.texts.waiting.anotherIsSafe(payingBy(transaction))}</p>`
  return html`${ofDoubt(seen, transaction)}${isSafe}`
}

/** Which attempt a form is about: docs/pages.md, "One payment". */
const ofAttempt = ({ transaction }: Step): Html => hidden('attempt', transaction.attempt)

function waysOut(step: Step, { checks = true } = {}): Html {
  const { seen, transaction } = step
  const { texts, address } = seen
  const { isCancelRefused } = transaction
  const button = (act: 'check' | 'cancel', says: string) =>
    html`<form method="post" action="${address}/${act}">${ofAttempt(step)}<button class="second">${says}</button></form>`
  const check = (checks || isCancelRefused) && button('check', texts.waiting.check)
  return html`<div class="ways">${check}${!isCancelRefused && button('cancel', texts.another.button(payingBy(transaction)))}</div>`
}

/** With STATUS PENDING: what becomes of the payment the shop's server is told. */
function backToShop({ seen, parts }: Step): { form?: Html; formAction?: readonly string[] } {
  const { back, merchant, texts, page } = seen
  if (!back) return {}
  const { url, fields } = back
  const says = texts.waiting.back(merchant.name)
  if (url === null) return { form: html`<div class="back" data-script hidden>${fieldsAlone(fields, says)}</div>` }
  const form = hiddenForm(url, fields, says, { isTop: page.kind === 'framed', isToShop: true })
  return { form: html`<div class="back">${form}</div>`, formAction: originOf(url, parts) }
}

/** No app takes the sandbox's links: its own phone does (docs/sandbox.md). */
function sandboxPhone({ parts, seen: { order } }: Step, code: string): Part {
  const mobile = order.payer?.mobile ?? order.details.userInfo['mobile'] ?? 'none'
  const address = `/sandbox/phone/${mobile}?${new URLSearchParams({ code })}`
  return (
    parts.hasPhone === true &&
    html`<p class="quiet" lang="en">Sandbox: <a href="${address}" target="_blank" rel="noopener">open it on a phone</a></p>`
  )
}

function otpForm(step: Step): Html {
  const { seen, fault, transaction } = step
  const { texts, address } = seen
  const field = textField({
    ...{ name: 'otp', label: texts.otp.label, fault, panel: 'otp' },
    ...{ inputMode: 'numeric', autoComplete: 'one-time-code', maxLength: 8, isNext: true },
  })
  return html`<p>${texts.otp.about(payingBy(transaction))}</p><form method="post" action="${address}/otp" class="stack">${ofAttempt(step)}${field}<button>${texts.otp.submit}</button></form><form method="post" action="${address}/otp">${ofAttempt(step)}${hidden('resend', 1)}<button class="plain">${texts.otp.resend}</button></form>`
}

/** To the top window: a bank's page would not let itself be framed. */
function bankForm(
  { seen, message, fault, parts, transaction }: Step,
  { actionUrl, content }: { actionUrl: string; content: Readonly<Record<string, string>> },
): Html {
  const { bankPage } = seen.texts
  const by = payingBy(transaction)
  const bankName = parts.ports.reference.bank(transaction.instrument.bank ?? '')?.name
  const isSafe = /^https?:\/\//.test(actionUrl)
  // The script sends nobody to the bank twice: not after coming back from it, and not after a refused cancel.
  const goes = message === undefined && fault === undefined && !transaction.isCancelRefused
  return html`<p>${bankPage.about(by)}</p>${isSafe && hiddenForm(actionUrl, content, bankName === undefined ? bankPage.go(by) : bankPage.goTo(bankName), { goes, isTop: true })}`
}

/** The payer is asked in an app that this page cannot open. */
function asked({ seen, transaction }: Step): Html {
  const { collect, upiWaiting } = seen.texts
  const by = payingBy(transaction)
  const { vpa } = transaction.instrument
  const says = by.way === 'upi' && vpa ? collect.sentTo(vpa) : collect.about(by)
  return html`<p>${says}</p>${notice(html`${upiWaiting.waiting} ${goesOn(seen)}`, 'wait')}`
}

function upi({ seen, transaction }: Step, deepLink: string): Html {
  const { texts, browser } = seen
  const { upiWaiting } = texts
  const by = payingBy(transaction)
  const amount = formatRupees(transaction.bankPaise) // as the link holds it: what the wallet pays is not asked of the app
  const wait = notice(html`${upiWaiting.waiting} ${goesOn(seen)}`, 'wait')
  const payee = payeeIn(deepLink) ?? seen.merchant.name
  const code = html`<div class="qr">${qrCode(deepLink, upiWaiting.qrLabel(by, amount, payee))}<ol>${upiWaiting.steps(by, payee, amount)}</ol></div>`
  const phone = phoneOf(browser.agent)
  if (phone === 'none') return html`${code}${wait}`
  const links =
    phone === 'android'
      ? html`<a class="button" href="${deepLink}" target="_top" rel="noopener">${upiWaiting.openApp}</a>`
      : appLinks(deepLink).map(
          ({ name, href }) =>
            html`<a class="button second" href="${href}" target="_top" rel="noopener" data-app="${name}">${upiWaiting.openNamed(name)}</a>`,
        )
  return html`<div class="apps">${links}</div><details class="other"><summary>${upiWaiting.otherPhone}</summary>${code}</details>${wait}`
}
