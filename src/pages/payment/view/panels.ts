// An order's ways to pay: docs/pages.md, "What it shows". A panel for each way, with what its forms promise.

import { asksForUpiId } from '../../../domain/merchant/page-settings.ts'
import { leaves } from '../../../domain/order/payment-modes.ts'
import { attemptsLeft, hasCodesLeft } from '../../../domain/transaction/transaction.ts'
import { PAYMENT_MODES, paymentMode, paymentModes } from '../../../interface/payment-modes.ts'
import { html } from '../../html.ts'
import { agreedRows } from '../../kit/agreed-rows.ts'
import { formatRupees } from '../../kit/amounts.ts'
import { inShopsOrder } from '../../loader/shop-view.ts'
import type { PayableMode } from '../found/options.ts'
import { type PageState, showsTyped } from '../found/page-state.ts'
import { cardPanel, emiPanel, savedPanel } from './card-panels.ts'
import type { ChoicesView, DoubtView, FieldView, NoticeView, PanelView } from './page-view.ts'
import { phoneOf } from './upi-apps.ts'
import { type Choosing, modePricePaise, savesOf, walletShare, wayOf, whyTooMuch } from './ways.ts'
import { doubtOf, isLinkLeft, ofMoney, payingBy, whomToAsk, whyFailed } from './why-failed.ts'

export function choicesOf(choosing: Choosing): ChoicesView {
  const { subscription, asked } = choosing
  const { fault } = asked
  const all = panelsOf(choosing)
  // Panels that cannot pay this amount stand last, and open nothing.
  const [panels, closed] = [all.filter((panel) => panel.closed === undefined), all.filter((panel) => panel.closed !== undefined)]
  const asksFor = [fault?.panel, asked.emi === undefined ? asked.open : 'emi', failedPanel(choosing), panels[0]?.id]
  const open = asksFor.find((wanted) => panels.some(({ id }) => id === wanted))
  const faulted = panels.map((panel) => (fault?.panel === panel.id ? { ...panel, fault } : panel))
  return {
    kind: 'choices',
    ...(subscription && { agreed: agreedOf(choosing, subscription) }),
    panels: [...faulted, ...closed],
    open,
  }
}

/** The terms that a subscription's payer agrees to, and the amount taken with them. */
function agreedOf(found: PageState, subscription: NonNullable<PageState['subscription']>): ChoicesView['agreed'] {
  const { mandate } = found.texts
  const { amountPaise } = found.order
  return [...agreedRows(found, subscription), [mandate.now, amountPaise === 0 ? mandate.nothingNow : formatRupees(amountPaise)]]
}

/** Why the last attempt failed, or what is wrong with the form. A payer who left a QR code or a link reads that nothing is wrong. */
export function aboveChoices(choosing: Choosing): { notices: readonly NoticeView[]; doubt?: DoubtView } {
  const { texts, latest, order, merchant, asked } = choosing
  const { fault, message } = asked
  if (fault) return { notices: [{ says: fault.message, tone: 'bad', field: fault.field }] }
  if (message === 'removed') return { notices: [{ says: texts.removeCard.done, tone: 'good' }] }
  if (latest?.status !== 'FAILURE') return { notices: [] }
  if (isLinkLeft(latest)) return { notices: [{ says: texts.leftUnpaid(payingBy(latest)), tone: 'wait' }] }
  const notices: NoticeView[] = [{ says: `${whyFailed(texts, latest)} ${texts.attemptsLeft(attemptsLeft(order))}`, tone: 'bad' }]
  if (latest.result === 'timedOut' && latest.bankPaise > 0) return { notices, doubt: doubtOf(choosing, latest) }
  return ofMoney(choosing) === undefined ? { notices } : { notices, doubt: { ids: [], ask: whomToAsk(merchant) } }
}

/** The panel of the attempt that just failed. The payer reads the reason there, and keeps the fields that may be kept. */
function failedPanel({ latest }: PageState): string | undefined {
  if (latest?.status !== 'FAILURE') return undefined
  return latest.instrument.savedCardId !== undefined ? 'saved' : paymentMode(latest.paymentMode)?.panel
}

/** The choices of the attempt that just failed, for the payer to check. The payer types a card again. */
export function failedFields(seen: PageState): Readonly<Record<string, string>> {
  const { latest } = seen
  if (latest?.status !== 'FAILURE') return {}
  const { paymentMode: mode, instrument } = latest
  const { vpa, bank, planId, savedCardId } = instrument
  const isCard = mode === 'CREDIT_CARD' || mode === 'DEBIT_CARD' // a card's `bank` is its issuer
  return {
    ...(vpa !== undefined && showsTyped(seen) && { upiId: vpa }),
    ...(mode === 'EMI' && bank !== undefined && planId !== undefined && { emiBank: bank, plan: planId }),
    ...(mode !== 'EMI' && !isCard && bank !== undefined && { bank }),
    ...(savedCardId !== undefined && { savedCard: savedCardId }),
  }
}

function panelsOf(choosing: Choosing): readonly PanelView[] {
  const { options, site, order } = choosing
  const { modes } = options.payable
  const has = (mode: PayableMode) => modes.has(mode)
  const panels = [
    options.cards.length > 0 && savedPanel(choosing),
    has('UPI') && upiPanel(choosing),
    (has('CREDIT_CARD') || has('DEBIT_CARD')) && cardPanel(choosing),
    has('NET_BANKING') && options.banks.length > 0 && netBankingPanel(choosing),
    has('BALANCE') && (options.payable.wallet !== undefined || site.canSignIn) && walletPanel(choosing),
    has('EMI') && emiPanel(choosing),
    has('PPBL') && plainPanel(choosing, 'PPBL'),
    has('SVC_DIGITAL_CREDIT') && plainPanel(choosing, 'SVC_DIGITAL_CREDIT'),
    has('BANK_MANDATE') && order.requestType === 'NATIVE_SUBSCRIPTION' && mandatePanel(choosing),
  ]
  const { shop } = choosing.page.view
  const shown = panels.filter((panel): panel is PanelView => panel !== false && panel !== undefined)
  if (!shop) return shown
  const modesOf = ({ id }: PanelView) => PAYMENT_MODES.filter((mode) => paymentModes[mode].panel === id)
  const named = shown.map((panel) => ({ ...panel, name: modesOf(panel).flatMap((mode) => shop.labels?.[mode] ?? [])[0] ?? panel.name }))
  return inShopsOrder(shop, named, modesOf)
}

/** True when the payer may type a UPI id. Few merchants may still ask for one. */
const takesUpiId = ({ merchant, order, browser, page, options: { payable } }: Choosing) =>
  page.view.shop?.qrOnly !== true &&
  leaves(payable.modes.get('UPI')!, { channel: 'UPI' }) &&
  asksForUpiId(merchant, { isIos: phoneOf(browser.agent) === 'ios', isConsent: order.subscriptionId !== null })

function upiPanel(choosing: Choosing): PanelView {
  const { texts, order, browser, options, asked } = choosing
  const { name, about } = texts.modes.upi
  const takesCodes = leaves(options.payable.modes.get('UPI')!, { channel: 'UPIPUSH' })
  const [byApp, byId] = [takesCodes && hasCodesLeft(order), takesUpiId(choosing)]
  const closed = whyTooMuch(choosing, 'UPI', 'upi') ?? (takesCodes && !byApp && !byId ? texts.codesOver : undefined)
  if (closed !== undefined) return { id: 'upi', name, about: '', ways: [], fields: {}, closed }
  return {
    id: 'upi',
    name,
    about,
    saves: savesOf(choosing, 'upi', 'UPI'),
    ways: [
      ...(byApp ? [{ ...wayOf(choosing, 'UPI', 'upi'), isInPlace: true as const }] : []),
      ...(byId ? [wayOf(choosing, 'UPI', 'upi', { by: 'upiId' })] : []),
    ],
    fields: byId ? { upiId: { value: asked.typed['upiId'] } } : {},
    says: phoneOf(browser.agent) === 'none' ? texts.upiIntro : texts.upiPhoneIntro,
  }
}

const NAMED_BANKS = 3 // Mohur's choice: named before a payer opens the panel
const listed = ({ options }: Choosing) => options.banks.map(({ code, name }) => [code, name] as const)

function netBankingPanel(choosing: Choosing): PanelView {
  const { texts, options, asked } = choosing
  const { netBanking } = texts.modes
  const named = options.banks.slice(0, NAMED_BANKS).map(({ name }) => name)
  return {
    id: 'bank',
    name: netBanking.name,
    about: netBanking.about(named.join(', '), options.banks.length - named.length),
    saves: savesOf(choosing, 'bank', 'NET_BANKING'),
    ways: [wayOf(choosing, 'NET_BANKING', 'bank')],
    fields: { bank: { of: listed(choosing), value: asked.typed['bank'] } },
    says: texts.toBank,
  }
}

function plainPanel(choosing: Choosing, mode: 'PPBL' | 'SVC_DIGITAL_CREDIT'): PanelView {
  const id = paymentModes[mode].panel
  const { subscription, texts } = choosing
  const { name, about } = texts.modes[id]
  const closed = whyTooMuch(choosing, mode, id)
  if (closed !== undefined) return { id, name, about: '', ways: [], fields: {}, closed }
  const isAgreed = subscription && mode === 'SVC_DIGITAL_CREDIT'
  return {
    id,
    name,
    about: isAgreed ? texts.modes.postpaid.aboutMandate : about,
    saves: savesOf(choosing, id, mode),
    ways: [wayOf(choosing, mode, id)],
    fields: {},
  }
}

/** Owners know their number by its last four digits. */
const maskedMobile = (mobile: string) => `••••••${mobile.slice(-4)}`

function walletPanel(choosing: Choosing): PanelView {
  const { texts, options, asked } = choosing
  const { name, about, balance } = texts.modes.wallet
  const { wallet } = options.payable
  if (!wallet) {
    const sentTo = options.codeSentTo
    const code = sentTo !== undefined && { code: { hint: texts.codeSentTo(maskedMobile(sentTo)), isNext: asked.open === 'wallet' } }
    return { id: 'wallet', name, about, ways: [], fields: { mobile: { value: asked.typed['mobile'] }, ...code } }
  }
  const { balancePaise } = wallet
  const who = options.mobile === undefined ? undefined : texts.signedInAs(maskedMobile(options.mobile))
  const isShort = balancePaise < modePricePaise(choosing, 'BALANCE')
  const shares = (mode: PayableMode) =>
    mode !== 'EMI' && walletShare(choosing, mode, 'wallet') !== undefined && whyTooMuch(choosing, mode, 'wallet') === undefined
  const mayShare = [...options.payable.modes.keys()].some(shares)
  const short = (mayShare ? texts.walletShort : texts.walletTooSmall)(formatRupees(balancePaise))
  return {
    id: 'wallet',
    name,
    about: isShort && balancePaise === 0 ? texts.walletEmpty : balance(formatRupees(balancePaise)),
    ways: isShort ? [] : [wayOf(choosing, 'BALANCE', 'wallet', { isShared: false })],
    fields: {},
    who,
    ...(isShort && { says: balancePaise === 0 ? texts.walletEmpty : short }),
  }
}

/** A mandate on a bank account. The payer types the account unless the shop has given it. */
function mandatePanel(choosing: Choosing): PanelView {
  const { texts, merchant, subscription, asked } = choosing
  const { mandate } = texts
  const { utilityCode } = merchant
  const says = html`${mandate.creditor(merchant.name)} ${utilityCode !== null && mandate.utilityCode(html`<bdi>${utilityCode}</bdi>`)} ${mandate.testDebit}`
  const isGiven = subscription?.details.mandateAccountDetails !== undefined
  return {
    id: 'mandate',
    ...texts.modes.mandate,
    ways: [wayOf(choosing, 'BANK_MANDATE', 'mandate', { isShared: false })],
    fields: {
      ...(!isGiven && accountFields(asked)),
      bank: { of: listed(choosing), value: asked.typed['bank'] },
      how: { value: asked.typed['how'] ?? 'NET_BANKING' },
    },
    says,
  }
}

function accountFields({ fault, typed }: Choosing['asked']): Record<string, FieldView> {
  // Asked only when the IFSC is in doubt. The answer counts for that IFSC alone.
  const isDoubted = fault?.panel === 'mandate' && [fault, ...(fault.also ?? [])].some(({ field }) => field === 'ifscSure')
  return {
    holder: { value: typed['holder'] },
    account: {},
    ifsc: { value: typed['ifsc'] },
    ...(isDoubted && { ifscSure: { value: (typed['ifsc'] ?? '').replaceAll(' ', '').toUpperCase() } }),
    kind: { value: typed['kind'] ?? 'SAVINGS' },
  }
}
