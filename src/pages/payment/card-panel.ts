// Paying by card: a new one, one that was kept, or in monthly parts. Number and CVV are typed anew each time; the page never
// writes them back (docs/pages.md).

import { type Html, html } from '../html.ts'
import { formatRupees } from '../kit/amounts.ts'
import { checkbox, choice, type FieldFault, hidden, radios, textField } from '../kit/fields.ts'
import { icons } from '../kit/icons.ts'
import type { Catalogue } from '../kit/messages/messages.ts'
import { emiBanks, emiPlans, modePricePaise, type PricedEmiPlan, type SavedCard } from './found/options.ts'
import type { PageState } from './found/page-state.ts'
import { brandOf, type Choosing, type Panel, payForm, promisedPaise, saving } from './pay-form.ts'

const NUMBER_LENGTH = 23 // nineteen digits in groups of four
const EXPIRY_LENGTH = 7
const CVV_LENGTH = 4

const cvvField = ({ seen: { texts } }: Choosing, panel: string, fault: FieldFault | undefined): Html =>
  textField({
    ...{ name: 'cvv', label: texts.cvv, hint: texts.cvvHint, fault, panel, type: 'password' },
    ...{ inputMode: 'numeric', autoComplete: 'cc-csc', maxLength: CVV_LENGTH },
    form: { pattern: '[0-9]{3,4}', minLength: 3, says: texts.fault.cvv },
  })

/** `cc-` names, so that the browser's own list of cards fills them in. */
function cardFields(choosing: Choosing, panel: string): Html {
  const { seen, fault, typed } = choosing
  const { texts } = seen
  const number = textField({
    ...{ name: 'cardNumber', label: texts.cardNumber, fault, panel },
    ...{ inputMode: 'numeric', autoComplete: 'cc-number', maxLength: NUMBER_LENGTH },
    form: { pattern: '[0-9 \\-]{12,23}', minLength: 12, says: texts.fault.cardNumber },
  })
  const expiry = textField({
    ...{ name: 'expiry', label: texts.expiry, hint: texts.expiryHint, fault, panel },
    ...{ inputMode: 'numeric', autoComplete: 'cc-exp', maxLength: EXPIRY_LENGTH, value: typed?.['expiry'] },
    form: { pattern: '[0-9]{1,2} ?[\\/.\\-]? ?([0-9]{2}|[0-9]{4})', minLength: 3, says: texts.fault.expiry },
  })
  return html`${(fault?.panel === panel || typed?.['again'] === panel) && html`<p class="quiet">${texts.fault.again}</p>`}<div>${number}<p class="hint" role="status" data-brand></p></div><div class="pair">${expiry}${cvvField(choosing, panel, fault)}</div>`
}

/** What kind of card it is the number says: the form says the one that an offer is for. */
export function cardPanel(choosing: Choosing): Panel {
  const { seen, options } = choosing
  const { texts, merchant } = seen
  const mode = options.payable.modes.has('CREDIT_CARD') ? 'CREDIT_CARD' : 'DEBIT_CARD'
  const keeps = options.mobile !== undefined && checkbox('keep', texts.keepCard(merchant.name))
  return {
    id: 'card',
    icon: icons.card,
    name: texts.modes.card.name,
    about: html`${texts.modes.card.about}${saving(choosing, 'card', 'CREDIT_CARD', 'DEBIT_CARD')}`,
    inner: payForm(choosing, mode, 'card', html`${cardFields(choosing, 'card')}${keeps}`),
  }
}

/** As it is told from the others. */
export const cardName = ({ texts }: Pick<PageState, 'texts'>, { scheme, last4 }: SavedCard): string => texts.endsIn(brandOf(scheme), last4)

export function savedPanel(choosing: Choosing): Panel {
  const { seen, options, fault, typed } = choosing
  const { texts } = seen
  const good = options.cards.filter(({ isPast }) => !isPast)
  const nameOf = (card: SavedCard) => cardName(seen, card)
  const past = options.cards.filter(({ isPast }) => isPast)
  const of = good.map((card) => [card.id, nameOf(card)] as const)
  const value = typed?.['savedCard'] ?? (of.length === 1 ? of[0]![0] : undefined)
  const list = radios({ name: 'savedCard', label: texts.modes.saved.name, fault, panel: 'saved', of, value })
  return {
    id: 'saved',
    icon: icons.card,
    name: texts.modes.saved.name,
    about: texts.modes.saved.about,
    inner: html`${good.length > 0 && payForm(choosing, good[0]!.paymentMode, 'saved', html`${list}${cvvField(choosing, 'saved', fault)}`)}${past.map((card) => html`<p class="quiet">${nameOf(card)}: ${texts.expired}</p>`)}${options.cards.map((card) => html`<form method="post" action="${seen.address}/remove-card">${hidden('savedCard', card.id)}<button class="plain">${texts.removeCard.button(nameOf(card))}</button></form>`)}`,
  }
}

/** What a plan costs, as it is shown. */
export const planLines = (
  { emiPlan: planOf, planMore }: Catalogue,
  { tenure, instalmentPaise, totalPaise, yearlyHundredths }: PricedEmiPlan,
) => ({
  name: planOf(tenure, formatRupees(instalmentPaise)),
  more: planMore((yearlyHundredths / 100).toFixed(1), formatRupees(totalPaise)),
})

/**
 * Bank, then plan and card: two steps, because without script the plans of a bank are another page. The terms are those of what
 * the form promises; the wallet pays no part beside them, because what is left for the card would have other terms.
 */
export function emiPanel(choosing: Choosing): Panel | undefined {
  const { seen, options, ports, asked, fault, typed } = choosing
  const { texts, address } = seen
  const banks = emiBanks(options.payable, modePricePaise(seen.order, options, 'EMI'), ports)
  if (banks.length === 0) return undefined
  const saves = saving(choosing, 'emi', 'EMI')
  const about = { id: 'emi', icon: icons.emi, name: texts.modes.emi.name, about: html`${texts.modes.emi.about}${saves}` }
  const bank = banks.find(({ code }) => code === (typed?.['emiBank'] ?? asked.emi))
  const plansHere = bank ? emiPlans(options.payable, bank.code, promisedPaise(choosing, 'EMI', 'emi'), ports) : []
  if (!bank || plansHere.length === 0) {
    const of = banks.map(({ code, name }) => [code, name] as const)
    const list = choice({ name: 'emi', label: texts.emiBank, none: texts.chooseBank, fault, panel: 'emi', of, value: undefined })
    return { ...about, inner: html`<form method="get" action="${address}" class="stack">${list}<button>${texts.showPlans}</button></form>` }
  }
  const of = plansHere.map((plan) => {
    const { name, more } = planLines(texts, plan)
    return [plan.planId, name, more] as const
  })
  const plans = radios({
    isNext: asked.emi !== undefined && fault === undefined,
    name: 'plan',
    label: `${texts.plan} · ${bank.name}`,
    fault,
    panel: 'emi',
    of,
    value: typed?.['plan'],
  })
  const fields = html`${hidden('emiBank', bank.code)}<div>${plans}<p class="hint">${texts.planFees}</p><p><a href="${address}?open=emi">${texts.otherBank}</a></p></div>${cardFields(choosing, 'emi')}`
  return { ...about, inner: payForm(choosing, 'EMI', 'emi', fields, { share: false }) }
}
