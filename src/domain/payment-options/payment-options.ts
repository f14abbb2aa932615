// The ways to pay an order, as a payment page shows them: docs/interface.md section 4.30. Process Transaction takes the same modes and
// channels.

import { PAISE_MAX, toRupees } from '../../interface/money.ts'
import { CARD_SCHEMES, type PaymentModeName, paymentMode } from '../../interface/payment-modes.ts'
import { type Bank, type Bin, type EmiPlan, instalmentsOf, type Reference } from '../../reference/reference.ts'
import type { Row } from '../../tables/tables.ts'
import { isTooLittle, leaves, type ModeLimits } from '../order/payment-modes.ts'
import { isOverLimit } from '../transaction/begin-transaction.ts'
import { isPast, knownCard } from '../transaction/instrument.ts'

type Mode = Row<'merchants'>['paymentModes'][number]
export type Card = Row<'savedCards'>

const displayName = (mode: Mode) => paymentMode(mode)?.displayName ?? mode
const UPI_CHANNELS = [
  { channelCode: 'UPI', channelName: 'UPI collect' },
  { channelCode: 'UPIPUSH', channelName: 'UPI intent' },
  { channelCode: 'UPIPUSHEXPRESS', channelName: 'UPI push' },
]
const CARD_CHANNELS = [
  { channelCode: 'VISA', channelName: 'Visa' },
  { channelCode: 'MASTER', channelName: 'Mastercard' },
  { channelCode: 'AMEX', channelName: 'American Express' },
  { channelCode: 'RUPAY', channelName: 'RuPay' },
]

export const EMI_TYPES = ['CREDIT_CARD', 'DEBIT_CARD'] as const

/** The amount is undefined when there is no order yet. */
export interface Payable {
  modes: ReadonlyMap<Mode, ModeLimits>
  amountPaise: number | undefined
  /** The signed-in payer's wallet; undefined when no payer is signed in. */
  wallet: { balancePaise: number } | undefined
  debitCardEmi: boolean
}

export const rupees = (paise: number) => ({ value: toRupees(paise), currency: 'INR' })
/** Clients of this interface expect these two words and not a boolean. */
const yes = { status: 'true' } as const
const no = { status: 'false' } as const

export const paymentModesOf = (payable: Payable, reference: Reference) =>
  [...payable.modes.keys()].map((mode) => modeOf(mode, payable, reference))

/** Net banking alone. When net banking cannot pay the order, it has no bank and is disabled. */
export const netBankingOf = (payable: Payable, reference: Reference) => modeOf('NET_BANKING', payable, reference)

function modeOf(mode: Mode, payable: Payable, reference: Reference) {
  const limits = payable.modes.get(mode)
  const channels = limits ? channelsOf(mode, limits, payable, reference) : []
  return {
    paymentMode: mode,
    displayName: displayName(mode),
    priority: String([...payable.modes.keys()].indexOf(mode) + 1),
    onboarding: false,
    isHybridDisabled: isHybridDisabled(mode, payable),
    isDisabled: disabled(mode, channels.length, payable),
    payChannelOptions: channels.map((channel) => ({ ...channel, ...maxAmountOf(mode), isDisabled: no, hasLowSuccess: no })),
  }
}

/** False when the wallet may pay a part beside the mode, and leaves enough for the acquirer to take. */
export const isHybridDisabled = (mode: Mode, { modes, wallet, amountPaise = 0 }: Payable) =>
  mode === 'BALANCE' || !wallet || !modes.has('BALANCE') || isTooLittle(modes.get(mode) ?? NO_LIMITS, amountPaise - wallet.balancePaise)
const NO_LIMITS: ModeLimits = { enabled: undefined, disabled: [] }

const maxAmountOf = (mode: Mode) => {
  const paise = paymentMode(mode)?.amountPaiseMax
  return paise === undefined ? {} : { maxAmount: rupees(paise) }
}

function disabled(mode: Mode, channels: number, { wallet, amountPaise }: Payable) {
  if (isOverLimit(mode, amountPaise ?? 0)) return { ...yes, msg: 'The amount is over the limit of this payment mode' }
  if (mode === 'BALANCE' && !wallet)
    return { ...yes, msg: 'Sign in to pay from the wallet', merchantAccept: 'true', userAccountExist: 'false' }
  return channels === 0 ? { ...yes, msg: 'Nothing of this payment mode can pay this order' } : no
}

function channelsOf(mode: Mode, limits: ModeLimits, payable: Payable, reference: Reference): readonly object[] {
  const name = mode as PaymentModeName // rows have listed modes only
  switch (name) {
    case 'BALANCE':
      return payable.wallet ? [{ ...plain(mode), balanceInfo: balanceOf(payable.wallet) }] : []
    case 'UPI':
      return UPI_CHANNELS.filter(({ channelCode }) => leaves(limits, { channel: channelCode }))
    case 'CREDIT_CARD':
    case 'DEBIT_CARD':
      return CARD_CHANNELS.filter(({ channelCode: channel }) =>
        [undefined, ...reference.banks].some((bank) => leaves(limits, { channel, bank: bank?.code })),
      )
    case 'NET_BANKING':
    case 'BANK_MANDATE':
      return reference.banks.filter(({ code, netBanking }) => netBanking && leaves(limits, { channel: code, bank: code })).map(asChannel)
    case 'EMI':
      return emiChannels(limits, payable, reference)
    case 'PPBL':
    case 'SVC_DIGITAL_CREDIT':
      return [plain(mode)]
    default:
      return name satisfies never
  }
}

const plain = (mode: Mode) => ({ channelCode: mode, channelName: displayName(mode) })
const asChannel = ({ code, name }: Bank) => ({ channelCode: code, channelName: name })
const balanceOf = ({ balancePaise }: { balancePaise: number }) => ({ accountBalance: rupees(balancePaise), payerAccountExists: true })

/** One channel for each bank and kind of card that has a plan for the amount. */
function emiChannels(limits: ModeLimits, { amountPaise, debitCardEmi }: Payable, reference: Reference) {
  const emiTypes = EMI_TYPES.filter((emiType) => emiType === 'CREDIT_CARD' || debitCardEmi)
  return reference.emiBanks.flatMap((bank) => {
    const plans = plansFor(bank.code, CARD_SCHEMES, limits, amountPaise, reference)
    if (plans.length === 0) return []
    const minAmount = rupees(Math.min(...plans.map(({ minAmountPaise }) => minAmountPaise)))
    const emiChannelInfos = plans.map((plan) => emiPlan(plan, amountPaise))
    return emiTypes.map((emiType) => ({ ...asChannel(bank), emiType, minAmount, emiChannelInfos }))
  })
}

export function emiPlansOf(banks: readonly string[], emiType: (typeof EMI_TYPES)[number], payable: Payable, reference: Reference) {
  const limits = payable.modes.get('EMI')
  if (!limits || (emiType === 'DEBIT_CARD' && !payable.debitCardEmi)) return []
  const { amountPaise } = payable
  return banks.flatMap((channelCode) =>
    plansFor(channelCode, CARD_SCHEMES, limits, amountPaise, reference).map((plan) => {
      const listed = emiPlan(plan, amountPaise)
      return { channelCode, ...listed, maxAmount: rupees(PAISE_MAX), emiAmount: listed.perInstallment }
    }),
  )
}

export const plansFor = (
  bank: string,
  schemes: readonly string[],
  limits: ModeLimits,
  amountPaise: number | undefined,
  reference: Reference,
): readonly EmiPlan[] =>
  reference
    .emiPlans(bank, amountPaise ?? Number.MAX_SAFE_INTEGER)
    .filter(({ tenure }) => schemes.some((channel) => leaves(limits, { channel, bank, tenure })))

function emiPlan(plan: EmiPlan, amountPaise: number | undefined) {
  const reckoned = amountPaise === undefined ? undefined : instalmentsOf(plan, amountPaise)
  return {
    planId: plan.planId,
    ofMonths: String(plan.tenure),
    interestRate: toRupees(plan.interestHundredths),
    minAmount: rupees(plan.minAmountPaise),
    ...(reckoned && {
      interestAmount: rupees(reckoned.interestPaise),
      totalAmount: rupees(reckoned.totalPaise),
      perInstallment: rupees(reckoned.instalmentPaise),
    }),
  }
}

/** `HYBRID` when the wallet can pay a part, and another mode the rest. */
export function paymentFlowOf(payable: Payable, reference: Reference): 'NONE' | 'HYBRID' {
  const { modes, wallet, amountPaise = 0 } = payable
  if (!wallet || wallet.balancePaise <= 0 || wallet.balancePaise >= amountPaise) return 'NONE'
  const rest = { ...payable, amountPaise: amountPaise - wallet.balancePaise }
  const paysRest = ([mode, limits]: [Mode, ModeLimits]) =>
    !isHybridDisabled(mode, payable) && !isOverLimit(mode, rest.amountPaise) && channelsOf(mode, limits, rest, reference).length > 0
  return [...modes].some(paysRest) ? 'HYBRID' : 'NONE'
}

// ------------------------------------------------------------------------------------------------- saved instruments

/** Saved cards that could pay this order, as the operator's lists know them now. */
export function payableCards(cards: readonly Card[], { modes }: Pick<Payable, 'modes'>, reference: Reference) {
  return cards.flatMap(({ savedCardId, paymentMode: savedAs, card }) => {
    const known = knownCard(card.bin, reference)
    const paymentMode = known?.paymentMode ?? savedAs
    const limits = modes.get(paymentMode)
    const isPayable = known && limits && leaves(limits, { channel: known.scheme, bank: known.bank })
    return isPayable ? [{ savedCardId, card, known, paymentMode }] : []
  })
}

/** The payable cards as the wire has them, never with a card's token. `today` is a date in India. */
export function savedInstrumentsOf(cards: readonly Card[], payable: Payable, reference: Reference, today: string) {
  return payableCards(cards, payable, reference).map(({ savedCardId, card, known, paymentMode }) => {
    const bank = known.bank === undefined ? undefined : reference.bank(known.bank)
    return {
      cardDetails: {
        cardId: savedCardId,
        cardType: paymentMode,
        expiryDate: card.expiry,
        firstSixDigit: card.bin.slice(0, 6),
        lastFourDigit: card.last4,
        status: isPast(card.expiry, today) ? '0' : '1',
      },
      ...(bank && { issuingBank: bank.name, issuingBankCode: bank.code }),
      authModes: ['otp'],
      channelCode: known.scheme,
      isEmiAvailable: isForEmi(known, payable, reference),
      oneClickSupported: false,
    }
  })
}

export function isForEmi(
  { scheme, bank, paymentMode, emi }: Partial<Bin>,
  { modes, amountPaise, debitCardEmi }: Pick<Payable, 'modes' | 'amountPaise' | 'debitCardEmi'>,
  reference: Reference,
): boolean {
  const limits = modes.get('EMI')
  if (!limits || !emi || !scheme || !bank || (paymentMode === 'DEBIT_CARD' && !debitCardEmi)) return false
  return plansFor(bank, [scheme], limits, amountPaise, reference).length > 0
}
