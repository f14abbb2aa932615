// Paying from the wallet: signing in at the checkout, in two steps, and then one button.

import { type Html, html, type Part } from '../html.ts'
import { formatRupees } from '../kit/amounts.ts'
import { textField } from '../kit/fields.ts'
import { icons } from '../kit/icons.ts'
import { modePricePaise } from './found/options.ts'
import { type Choosing, type Panel, payForm } from './pay-form.ts'

/** The last four digits are enough for whoever owns the number. */
const maskedMobile = (mobile: string) => `••••••${mobile.slice(-4)}`

export function walletPanel(choosing: Choosing): Panel {
  const { wallet } = choosing.options.payable
  const { name, about, balance } = choosing.seen.texts.modes.wallet
  return {
    id: 'wallet',
    icon: icons.wallet,
    name,
    about: !wallet ? about : wallet.balancePaise === 0 ? choosing.seen.texts.walletEmpty : balance(formatRupees(wallet.balancePaise)),
    inner: wallet ? fromWallet(choosing, wallet.balancePaise) : signIn(choosing),
  }
}

function fromWallet(choosing: Choosing, balancePaise: number): Part {
  const { seen, options } = choosing
  const { texts, order } = seen
  const who = options.mobile !== undefined && html`<p class="quiet">${texts.signedInAs(maskedMobile(options.mobile))}</p>`
  if (balancePaise < modePricePaise(order, options, 'BALANCE'))
    return html`${who}<p>${balancePaise === 0 ? texts.walletEmpty : texts.walletShort(formatRupees(balancePaise))}</p>`
  return html`${who}${payForm(choosing, 'BALANCE', 'wallet', undefined, { share: false })}`
}

function signIn({ seen, options: { codeSentTo }, asked, fault, typed }: Choosing): Part {
  const { texts, address } = seen
  const mobileField = textField({
    ...{ name: 'mobile', label: texts.mobile, hint: texts.mobileHint, fault, panel: 'wallet', type: 'tel', inputMode: 'tel' },
    ...{ autoComplete: 'tel-national', maxLength: 15, value: typed?.['mobile'] },
  })
  const asksFor = (kind: Html | undefined) =>
    html`<form method="post" action="${address}/sign-in" class="stack">${mobileField}<button${kind}>${texts.signIn}</button></form>`
  if (codeSentTo === undefined) return asksFor(undefined)
  const codeField = textField({
    ...{ name: 'code', label: texts.code, hint: texts.codeSentTo(maskedMobile(codeSentTo)), fault, panel: 'wallet' },
    ...{ inputMode: 'numeric', autoComplete: 'one-time-code', maxLength: 6, isNext: asked.open === 'wallet' },
  })
  const typing = html`<form method="post" action="${address}/sign-in/otp" class="stack">${codeField}<button>${texts.confirmCode}</button></form>`
  const again = html`<form method="post" action="${address}/sign-in"><button class="plain">${texts.sendAgain}</button></form>`
  return html`${typing}${again}<p class="or">${texts.otherNumber}</p>${asksFor(html` class="second"`)}`
}
