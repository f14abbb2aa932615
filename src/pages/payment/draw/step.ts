// An attempt under way: the payer's next step, and the ways out.

import { type Html, html, type Part } from '../../html.ts'
import { hidden, hiddenForm, textField } from '../../kit/fields.ts'
import { notice, panel } from '../../kit/layout.ts'
import type { PageView, StepView, UpiView } from '../view/page-view.ts'
import { doubtPart } from './doubt.ts'
import { backForm } from './end.ts'
import { qrCode } from './qr.ts'

export function stepPart(view: PageView, step: StepView): Html {
  const notices = view.notices.map(({ says, tone }) => notice(says, tone))
  const inner = [...nextParts(view, step), waysOut(view, step), doubtPart(view), safe(step)]
  return panel(step.heading, ...notices, ...inner, backPart(view))
}

function nextParts(view: PageView, step: StepView): readonly Part[] {
  const waits = step.waits !== undefined && waiting(view, step.waits)
  const says = step.says !== undefined && html`<p>${step.says}</p>`
  switch (step.step) {
    case 'otp':
      return [says, otpForms(view, step)]
    case 'bank': {
      const { bank } = step
      // Opens in the top window: a bank's page does not let itself be framed.
      return [says, bank && hiddenForm(bank.url, bank.fields, bank.button, { goes: bank.isAuto, isTop: true })]
    }
    case 'upi':
      return [step.upi && upiPart(view, step.upi), waits, step.upi?.sandboxPhone !== undefined && sandboxPhone(step.upi.sandboxPhone)]
    case 'collect':
    case 'waiting':
      return [says, waits]
    default:
      return step.step satisfies never
  }
}

/** A page goes on by itself only with script. */
const waiting = ({ texts }: PageView, says: string): Html =>
  notice(html`${says} ${html`<span data-script hidden>${texts.waiting.goesOn}</span>`}`, 'wait')

/** The attempt that a form is about: docs/pages.md, "One payment". */
const ofAttempt = ({ attempt }: StepView): Html => hidden('attempt', attempt)

function otpForms({ page: { address }, texts: { otp } }: PageView, step: StepView): Html {
  const field = textField({
    ...{ name: 'otp', label: otp.label, fault: step.fault, panel: 'otp' },
    ...{ inputMode: 'numeric', autoComplete: 'one-time-code', maxLength: 8, isNext: true },
  })
  return html`<form method="post" action="${address}/otp" class="stack">${ofAttempt(step)}${field}<button>${step.submit}</button></form><form method="post" action="${address}/otp">${ofAttempt(step)}${hidden('resend', 1)}<button class="plain">${otp.resend}</button></form>`
}

/** In place the script draws the code, from numbers: the policy lets it write no HTML. */
function upiPart({ isInPlace, texts: { upiWaiting } }: PageView, { link, isPhone, apps, label, steps }: UpiView): Html {
  const code = html`<div class="qr">${!isInPlace && qrCode(link, label)}<ol>${steps}</ol></div>`
  if (!isPhone) return code
  const links = apps.map(
    ({ name, href, says }) =>
      html`<a class="button second" href="${href}" target="_top" rel="noopener"${name !== undefined && html` data-app="${name}"`}>${says}</a>`,
  )
  return html`<div class="ways apps" role="group" aria-label="${upiWaiting.openApp}">${links}</div><details class="other"><summary>${upiWaiting.otherDevice}</summary>${code}</details>`
}

const sandboxPhone = (address: string): Html =>
  html`<p class="quiet" lang="en">Sandbox: <a href="${address}" target="_blank" rel="noopener">open it on a phone</a></p>`

function waysOut({ page: { address } }: PageView, step: StepView): Html {
  const button = (act: 'check' | 'cancel', says: string | undefined) =>
    says !== undefined &&
    html`<form method="post" action="${address}/${act}">${ofAttempt(step)}<button class="second">${says}</button></form>`
  return html`<div class="ways">${button('check', step.check)}${button('cancel', step.cancel)}</div>`
}

const safe = ({ isSafe }: StepView): Part => isSafe !== undefined && html`<p>${isSafe}</p>`

/** The shop gets STATUS PENDING. Its server receives the result later. */
function backPart(view: PageView): Part {
  const { back, isInPlace, page } = view
  if (back && back.url !== null && isInPlace)
    return html`<div class="back"><a class="button plain" href="${page.address}?to=shop">${back.button}</a></div>`
  return back && html`<div class="back"${back.url === null && html` data-script hidden`}>${backForm(view)}</div>`
}
