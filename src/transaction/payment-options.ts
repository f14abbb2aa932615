// What an order may be paid by, as a payment page shows it: docs/interface.md section 4.30. The modes and their channels are
// those that Process Transaction would take.

import { toRupees } from '../interface/money.ts'
import type { ModeLimits } from '../order/payment-modes.ts'
import type { Row } from '../tables.ts'
import { AMOUNT_PAISE_MAX } from './begin.ts'
import { type Bank, type EmiPlan, instalmentsOf, type Reference } from './reference.ts'

type Mode = Row<'merchants'>['paymentModes'][number]
export type Card = Row<'savedCards'>

const DISPLAY_NAMES: Readonly<Record<string, string>> = {
  BALANCE: 'Wallet',
  PPBL: 'Payments Bank',
  UPI: 'UPI',
  CREDIT_CARD: 'Credit Card',
  DEBIT_CARD: 'Debit Card',
  NET_BANKING: 'Net Banking',
  EMI: 'EMI',
  SVC_DIGITAL_CREDIT: 'Postpaid',
  BANK_MANDATE: 'Bank Mandate',
}
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

/** What the options are made from; the amount is unknown where there is no order yet. */
export interface Payable {
  modes: ReadonlyMap<Mode, ModeLimits>
  amountPaise: number | undefined
  /** The signed-in payer's wallet; undefined when nobody is signed in. */
  wallet: { balancePaise: number } | undefined
  debitCardEmi: boolean
}

export const rupees = (paise: number) => ({ value: toRupees(paise), currency: 'INR' })
/** Clients of this interface expect these two words and not a boolean. */
const yes = { status: 'true' } as const
const no = { status: 'false' } as const

export const leaves = <T>(value: T, only: ReadonlySet<T> | undefined, without: ReadonlySet<T>) =>
  (only?.has(value) ?? true) && !without.has(value)

export function paymentModesOf(payable: Payable, reference: Reference) {
  return [...payable.modes].map(([mode, limits], at) => {
    const channels = channelsOf(mode, limits, payable, reference)
    return {
      paymentMode: mode,
      displayName: DISPLAY_NAMES[mode] ?? mode,
      priority: String(at + 1),
      onboarding: false,
      isHybridDisabled: mode === 'BALANCE' || !payable.wallet || !payable.modes.has('BALANCE'),
      isDisabled: disabled(mode, channels.length, payable),
      payChannelOptions: channels.map((channel) => ({ ...channel, ...maxAmountOf(mode), isDisabled: no, hasLowSuccess: no })),
    }
  })
}

const maxAmountOf = (mode: Mode) => {
  const paise = AMOUNT_PAISE_MAX[mode]
  return paise === undefined ? {} : { maxAmount: rupees(paise) }
}

function disabled(mode: Mode, channels: number, { wallet, amountPaise }: Payable) {
  if ((amountPaise ?? 0) > (AMOUNT_PAISE_MAX[mode] ?? Number.MAX_SAFE_INTEGER))
    return { ...yes, msg: 'The amount is over the limit of this payment mode' }
  if (mode === 'BALANCE' && !wallet)
    return { ...yes, msg: 'Sign in to pay from the wallet', merchantAccept: 'true', userAccountExist: 'false' }
  return channels === 0 ? { ...yes, msg: 'Nothing of this payment mode can pay this order' } : no
}

function channelsOf(mode: Mode, limits: ModeLimits, payable: Payable, reference: Reference): readonly object[] {
  const byChannel = <T extends { channelCode: string }>(channels: readonly T[]) =>
    channels.filter(({ channelCode }) => leaves(channelCode, limits.channels, limits.without.channels))
  switch (mode) {
    case 'BALANCE':
      return payable.wallet ? [{ ...plain(mode), balanceInfo: balanceOf(payable.wallet) }] : []
    case 'UPI':
      return byChannel(UPI_CHANNELS)
    case 'CREDIT_CARD':
    case 'DEBIT_CARD':
      return byChannel(CARD_CHANNELS)
    case 'NET_BANKING':
    case 'BANK_MANDATE':
      return byChannel(
        banksLeft(
          reference.banks.filter(({ netBanking }) => netBanking),
          limits,
        ).map(asChannel),
      )
    case 'EMI':
      return emiChannels(limits, payable, reference)
    default:
      return [plain(mode)]
  }
}

const plain = (mode: Mode) => ({ channelCode: mode, channelName: DISPLAY_NAMES[mode] ?? mode })
const asChannel = ({ code, name }: Bank) => ({ channelCode: code, channelName: name })
const balanceOf = ({ balancePaise }: { balancePaise: number }) => ({ accountBalance: rupees(balancePaise), payerAccountExists: true })
const banksLeft = (banks: readonly Bank[], { banks: only, without }: ModeLimits) =>
  banks.filter(({ code }) => leaves(code, only, without.banks))

/** One for each bank and kind of card with a plan that the amount is enough for. */
function emiChannels(limits: ModeLimits, { amountPaise, modes, debitCardEmi }: Payable, reference: Reference) {
  const emiTypes = ['CREDIT_CARD', ...(debitCardEmi && modes.has('DEBIT_CARD') ? ['DEBIT_CARD'] : [])]
  return banksLeft(reference.emiBanks, limits).flatMap((bank) => {
    const plans = plansFor(bank.code, limits, amountPaise, reference)
    if (plans.length === 0) return []
    const minAmount = rupees(Math.min(...plans.map(({ minAmountPaise }) => minAmountPaise)))
    const emiChannelInfos = plans.map((plan) => planOf(plan, amountPaise))
    return emiTypes.map((emiType) => ({ ...asChannel(bank), emiType, minAmount, emiChannelInfos }))
  })
}

export const plansFor = (bank: string, { tenures, without }: ModeLimits, amountPaise: number | undefined, reference: Reference) =>
  reference.emiPlans(bank, amountPaise ?? Number.MAX_SAFE_INTEGER).filter(({ tenure }) => leaves(tenure, tenures, without.tenures))

function planOf(plan: EmiPlan, amountPaise: number | undefined) {
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

/** `HYBRID` when the wallet can pay a part and something else the rest. */
export function paymentFlowOf({ modes, wallet, amountPaise }: Payable): 'NONE' | 'HYBRID' {
  if (!wallet || amountPaise === undefined || !modes.has('BALANCE') || modes.size === 1) return 'NONE'
  return wallet.balancePaise > 0 && wallet.balancePaise < amountPaise ? 'HYBRID' : 'NONE'
}

// ------------------------------------------------------------------------------------------------- saved instruments

/** Cards that this order could be paid by; never the token that stands for one. `today` is a date in India. */
export function savedInstrumentsOf(cards: readonly Card[], { modes, amountPaise }: Payable, reference: Reference, today: string) {
  return cards.flatMap(({ savedCardId, paymentMode, card }) => {
    const limits = modes.get(paymentMode)
    if (!limits || !leaves(card.scheme, limits.channels, limits.without.channels)) return []
    if (card.bank !== undefined && !leaves(card.bank, limits.banks, limits.without.banks)) return []
    const bank = card.bank === undefined ? undefined : reference.bank(card.bank)
    const emi = modes.get('EMI')
    return [
      {
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
        channelCode: card.scheme,
        isEmiAvailable: emi !== undefined && isForEmi(card, emi, amountPaise, reference),
        oneClickSupported: false,
      },
    ]
  })
}

const isForEmi = ({ bin, bank }: Card['card'], limits: ModeLimits, amountPaise: number | undefined, reference: Reference) =>
  bank !== undefined && reference.bin(bin)?.emi === true && plansFor(bank, limits, amountPaise, reference).length > 0

/** MMYYYY: a card is good until the end of its month. */
const isPast = (expiry: string, today: string) => `${expiry.slice(2)}-${expiry.slice(0, 2)}` < today.slice(0, 7)
