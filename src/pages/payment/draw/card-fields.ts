// The fields of a card: a new one, a saved one, or one for EMI. The payer types number and CVV each time. The page never writes them back
// (docs/pages.md).

import { type Html, html, type Part } from '../../html.ts'
import { checkbox, choice, hidden, radios, textField } from '../../kit/fields.ts'
import type { PageView, PanelView } from '../view/page-view.ts'
import { payForms } from './pay-form.ts'

const NO_BANK = 'other' // no bank has this code, so the panel shows its list of banks
const NUMBER_LENGTH = 23 // nineteen digits in groups of four
const EXPIRY_LENGTH = 7
const CVV_LENGTH = 4

const cvvField = ({ texts }: PageView, { id, fault }: PanelView): Html =>
  textField({
    ...{ name: 'cvv', label: texts.cvv, hint: texts.cvvHint, fault, panel: id, type: 'password' },
    ...{ inputMode: 'numeric', autoComplete: 'cc-csc', maxLength: CVV_LENGTH },
    form: { pattern: '[0-9]{3,4}', minLength: 3, says: texts.fault.cvv },
  })

/** With `cc-` names the browser fills the fields in from its own list of cards. */
function cardFields(view: PageView, panel: PanelView): Html {
  const { texts } = view
  const { id, fault, fields, isAgain } = panel
  const number = textField({
    ...{ name: 'cardNumber', label: texts.cardNumber, fault, panel: id },
    ...{ inputMode: 'numeric', autoComplete: 'cc-number', maxLength: NUMBER_LENGTH },
    form: { pattern: '[0-9 \\-]{12,23}', minLength: 12, says: texts.fault.cardNumber },
  })
  const expiry = textField({
    ...{ name: 'expiry', label: texts.expiry, hint: texts.expiryHint, fault, panel: id },
    ...{ inputMode: 'numeric', autoComplete: 'cc-exp', maxLength: EXPIRY_LENGTH, value: fields['expiry']?.value },
    form: { pattern: '[0-9]{1,2} ?[\\/.\\-]? ?([0-9]{2}|[0-9]{4})', minLength: 3, says: texts.fault.expiry, past: texts.fault.expiryPast },
  })
  return html`${isAgain && html`<p class="quiet">${texts.fault.again}</p>`}<div>${number}<p class="hint" role="status" data-brand></p></div><div class="pair">${expiry}${cvvField(view, panel)}</div>`
}

export function cardInner(view: PageView, panel: PanelView): Part {
  const { keep } = panel.fields
  return payForms(view, panel, html`${cardFields(view, panel)}${keep && checkbox('keep', keep.label)}`)
}

export function savedInner(view: PageView, panel: PanelView): Part {
  const { texts } = view
  const { fields, fault, past = [], kept = [] } = panel
  const { savedCard } = fields
  const list = radios({
    ...{ name: 'savedCard', label: texts.modes.saved.name, fault, panel: 'saved' },
    ...{ of: savedCard?.of ?? [], value: savedCard?.value },
  })
  return html`${payForms(view, panel, html`${list}${cvvField(view, panel)}`)}${past.map((says) => html`<p class="quiet">${says}</p>`)}${kept.map(({ id, remove }) => html`<form method="post" action="${view.page.address}/remove-card">${hidden('savedCard', id)}<button class="plain">${remove}</button></form>`)}`
}

/** While the form shows no bank's plans, the payer chooses a bank. */
export function emiInner(view: PageView, panel: PanelView): Part {
  const {
    page: { address },
    texts,
  } = view
  const { fault, fields } = panel
  const { emi, emiBank, plan } = fields
  if (emi) {
    const list = choice({
      ...{ name: 'emi', label: texts.emiBank, none: texts.chooseBank, fault, panel: 'emi' },
      ...{ of: emi.of ?? [], value: undefined },
    })
    return html`<form method="get" action="${address}" class="stack">${list}<button>${texts.showPlans}</button></form>`
  }
  const plans = radios({
    ...{ name: 'plan', label: plan?.label, fault, panel: 'emi', of: plan?.of ?? [], value: plan?.value },
    ...(plan?.isNext !== undefined && { isNext: plan.isNext }),
  })
  const other = html`<p><a href="${address}?emi=${NO_BANK}">${texts.otherBank}</a></p>`
  return payForms(
    view,
    panel,
    html`${hidden('emiBank', emiBank?.value ?? '')}<div>${plans}<p class="hint">${texts.planFees}</p>${other}</div>${cardFields(view, panel)}`,
  )
}
