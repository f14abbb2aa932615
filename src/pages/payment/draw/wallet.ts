// Payment from the wallet: sign-in at the checkout in two steps, then one button.

import { type Html, html, type Part } from '../../html.ts'
import { textField } from '../../kit/fields.ts'
import type { PageView, PanelView } from '../view/page-view.ts'
import { payForms } from './pay-form.ts'

export function walletInner(view: PageView, panel: PanelView): Part {
  const { who, says, fields } = panel
  if (fields['mobile']) return signIn(view, panel)
  return html`${who !== undefined && html`<p class="quiet">${who}</p>`}${says !== undefined && html`<p>${says}</p>`}${payForms(view, panel)}`
}

function signIn({ page: { address }, texts }: PageView, { fields, fault }: PanelView): Part {
  const { mobile, code } = fields
  const mobileField = textField({
    ...{ name: 'mobile', label: texts.mobile, hint: texts.mobileHint, fault, panel: 'wallet', type: 'tel', inputMode: 'tel' },
    ...{ autoComplete: 'tel-national', maxLength: 15, value: mobile?.value },
  })
  const asksFor = (kind: Html | undefined) =>
    html`<form method="post" action="${address}/sign-in" class="stack">${mobileField}<button${kind}>${texts.signIn}</button></form>`
  if (!code) return asksFor(undefined)
  const codeField = textField({
    ...{ name: 'code', label: texts.code, hint: code.hint, fault, panel: 'wallet' },
    ...{ inputMode: 'numeric', autoComplete: 'one-time-code', maxLength: 6, isNext: code.isNext === true },
  })
  const typing = html`<form method="post" action="${address}/sign-in/otp" class="stack">${codeField}<button>${texts.confirmCode}</button></form>`
  const again = html`<form method="post" action="${address}/sign-in"><button class="plain">${texts.sendAgain}</button></form>`
  return html`${typing}${again}<p class="or">${texts.otherNumber}</p>${asksFor(html` class="second"`)}`
}
