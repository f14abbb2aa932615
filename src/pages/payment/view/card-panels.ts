// Payment by card: a new one, a saved one, or EMI. The payer types number and CVV each time. No view contains them.

import { plansFor } from '../../../domain/payment-options/payment-options.ts'
import { CARD_SCHEMES } from '../../../interface/fields.ts'
import { type EmiPlan, instalmentsOf, reducingHundredths } from '../../../reference/reference.ts'
import { formatRupees } from '../../kit/amounts.ts'
import type { Catalogue } from '../../kit/messages/messages.ts'
import type { SavedCard } from '../found/options.ts'
import type { PageState } from '../found/page-state.ts'
import type { FieldView, PanelView } from './page-view.ts'
import { brandOf, type Choosing, modePricePaise, promisedPaise, savesOf, wayOf } from './ways.ts'

const cardFields = ({ asked: { typed } }: Choosing): Record<string, FieldView> => ({
  cardNumber: {},
  expiry: { value: typed['expiry'] },
  cvv: {},
})
const isAgain = ({ asked: { fault, typed } }: Choosing, panel: string) => fault?.panel === panel || typed['again'] === panel

/** The number decides the kind of card. Until then the form names credit when the order takes credit cards, else debit. */
export function cardPanel(choosing: Choosing): PanelView {
  const { texts, merchant, options } = choosing
  const mode = options.payable.modes.has('CREDIT_CARD') ? 'CREDIT_CARD' : 'DEBIT_CARD'
  return {
    id: 'card',
    ...texts.modes.card,
    saves: savesOf(choosing, 'card', 'CREDIT_CARD', 'DEBIT_CARD'),
    ways: [wayOf(choosing, mode, 'card')],
    fields: { ...cardFields(choosing), ...(options.mobile !== undefined && { keep: { label: texts.keepCard(merchant.name) } }) },
    isAgain: isAgain(choosing, 'card'),
  }
}

/** Network and last digits: payers tell saved cards apart by them. */
export const cardName = ({ texts }: Pick<PageState, 'texts'>, { scheme, last4 }: SavedCard): string => texts.endsIn(brandOf(scheme), last4)

export function savedPanel(choosing: Choosing): PanelView {
  const { texts, options } = choosing
  const { typed } = choosing.asked
  const [good, past] = [options.cards.filter(({ isPast }) => !isPast), options.cards.filter(({ isPast }) => isPast)]
  const of = good.map((card) => [card.id, cardName(choosing, card)] as const)
  const value = typed['savedCard'] ?? (of.length === 1 ? of[0]![0] : undefined)
  return {
    id: 'saved',
    ...texts.modes.saved,
    ways: good.slice(0, 1).map(({ paymentMode }) => wayOf(choosing, paymentMode, 'saved')),
    fields: good.length > 0 ? { savedCard: { of, value }, cvv: {} } : {},
    past: past.map((card) => `${cardName(choosing, card)}: ${texts.expired}`),
    kept: options.cards.map((card) => ({ id: card.id, remove: texts.removeCard.button(cardName(choosing, card)) })),
  }
}

interface PricedEmiPlan extends EmiPlan {
  instalmentPaise: number
  totalPaise: number
  /** By reducing balance, in hundredths of a per cent a year. */
  yearlyHundredths: number
}

type PlansFrom = Pick<Choosing, 'options' | 'reference'>

function plansOf({ options, reference }: PlansFrom, bank: string, paise: number): readonly EmiPlan[] {
  const limits = options.payable.modes.get('EMI')
  return limits ? plansFor(bank, CARD_SCHEMES, limits, paise, reference) : []
}

/** A bank's plans, computed from the exact amount that the card is charged. */
export function emiPlans(from: PlansFrom, bank: string, paise: number): readonly PricedEmiPlan[] {
  return plansOf(from, bank, paise).map((plan) => {
    const { instalmentPaise, totalPaise } = instalmentsOf(plan, paise)
    return { ...plan, instalmentPaise, totalPaise, yearlyHundredths: reducingHundredths(plan, { instalmentPaise }, paise) }
  })
}

export const planLines = (
  { emiPlan: planText, planMore }: Catalogue,
  { tenure, instalmentPaise, totalPaise, yearlyHundredths }: PricedEmiPlan,
) => ({
  name: planText(tenure, formatRupees(instalmentPaise)),
  more: planMore((yearlyHundredths / 100).toFixed(1), formatRupees(totalPaise)),
})

/**
 * Bank first, then plan and card, because without script the plans of a bank are another page. The terms are those of the amount that the
 * form promises. The wallet pays no part here, because the rest for the card would have other terms.
 */
export function emiPanel(choosing: Choosing): PanelView | undefined {
  const { texts, reference, asked } = choosing
  const { typed } = asked
  const paise = modePricePaise(choosing, 'EMI')
  const banks = reference.emiBanks.filter(({ code }) => plansOf(choosing, code, paise).length > 0)
  if (banks.length === 0) return undefined
  const about = { id: 'emi', ...texts.modes.emi, saves: savesOf(choosing, 'emi', 'EMI') } as const
  const bank = banks.find(({ code }) => code === (asked.emi ?? typed['emiBank']))
  const plans = bank ? emiPlans(choosing, bank.code, promisedPaise(choosing, 'EMI', 'emi')) : []
  if (!bank || plans.length === 0) return { ...about, ways: [], fields: { emi: { of: banks.map(({ code, name }) => [code, name]) } } }
  const of = plans.map((plan) => {
    const { name, more } = planLines(texts, plan)
    return [plan.planId, name, more] as const
  })
  const isNext = asked.emi !== undefined && asked.fault === undefined
  const plan = { of, value: typed['plan'], label: `${texts.plan} · ${bank.name}`, isNext }
  return {
    ...about,
    ways: [wayOf(choosing, 'EMI', 'emi', { isShared: false })],
    fields: { emiBank: { value: bank.code }, plan, ...cardFields(choosing) },
    isAgain: isAgain(choosing, 'emi'),
  }
}
