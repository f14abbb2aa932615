// The payment modes that may pay a subscription, and the conditions of their rails: docs/interface.md section 4.6.

import { byShortName, SUBSCRIPTION_PAYMENT_MODES, type SubscriptionPaymentMode } from '../../interface/payment-modes.ts'
import type { Refusal } from '../../interface/request.ts'
import { initiateSubscription as codes } from '../../interface/result-codes.ts'
import type { PaymentModeFilters } from '../../tables/order.ts'
import { availableModes, leavesAny } from '../order/payment-modes.ts'
import { mandateCapPaise } from './collection/rail-rules.ts'

const CARD_GRACE_DAYS_MAX = 3 // docs/interface.md section 8

const NARROWS_NOTHING = 'UNKNOWN'
/** The modes that `subscriptionPaymentMode` can narrow to. */
const shortModes = byShortName(SUBSCRIPTION_PAYMENT_MODES)
export const SHORT_MODES = [...shortModes.keys(), NARROWS_NOTHING]

interface ModeElement {
  mode?: string
  channels?: readonly string[]
  banks?: unknown
  tenures?: unknown
}
export interface ModeChoice {
  enablePaymentMode?: readonly ModeElement[]
  disablePaymentMode?: readonly ModeElement[]
  subscriptionPaymentMode?: string
}

/** A wallet is in Mohur's own books. Other modes are collectable when the acquirer says that it can collect them. */
export const collectable = (modes: readonly string[], collected: readonly string[]) =>
  modes.filter((mode) => mode === 'BALANCE' || collected.includes(mode))
export const needsBank = (modes: readonly string[]) => modes.some((mode) => mode !== 'BALANCE')

/** The modes that the request leaves open. `modes`: the merchant's modes, or all modes. */
export function openModes(modes: readonly string[], choice: ModeChoice): SubscriptionPaymentMode[] {
  const wanted = shortModes.get(choice.subscriptionPaymentMode ?? NARROWS_NOTHING)
  const open = availableModes(modes, filtersOf(choice))
  const isOpen = (mode: string) => open.has(mode) && leavesAny(mode, open.get(mode)!)
  return SUBSCRIPTION_PAYMENT_MODES.filter((mode) => isOpen(mode) && (wanted === undefined || wanted === mode))
}

/**
 * Banks and tenures belong to orders only, so no mode has them here. An element that names only banks or tenures, and no channels, disables
 * nothing.
 */
export function filtersOf({ enablePaymentMode, disablePaymentMode }: ModeChoice): PaymentModeFilters {
  const elements = (list: readonly ModeElement[] | undefined) =>
    list?.map(({ mode, channels }) => ({ ...(mode !== undefined && { mode }), ...(channels && { channels }) }))
  const isOfOrders = ({ channels, banks, tenures }: ModeElement) => !channels && (banks !== undefined || tenures !== undefined)
  const [enable, disable] = [elements(enablePaymentMode), elements(disablePaymentMode?.filter((element) => !isOfOrders(element)))]
  return { ...(enable && { enable }), ...(disable && { disable }) }
}

export const isOnlyBankMandate = (modes: readonly string[]) => modes.length === 1 && modes[0] === 'BANK_MANDATE'

export interface Terms {
  txnAmountPaise: number
  /** Absent with VARIABLE. */
  renewalAmountPaise: number | undefined
  maxAmountPaise: number
  /** 0 when grace days have no meaning. */
  graceDays: number
  mandateType: 'E_MANDATE' | 'PAPER_MANDATE' | undefined
}

interface RailRule {
  refusal: Refusal<(typeof codes)['success']> & { parameter: string }
  /** True when this mode cannot serve these terms. */
  binds(mode: SubscriptionPaymentMode, terms: Terms, today: string): boolean
}

/**
 * In the order of the code table, then of the fields. A mode that a rule binds is not offered. When no mode is left, the request is
 * refused.
 */
const railRules: readonly RailRule[] = [
  {
    refusal: {
      result: codes.missingElement,
      message: 'Invalid subscriptionGraceDays',
      parameter: 'subscriptionGraceDays',
      cause: 'graceOfCards',
    },
    binds: (mode, { graceDays }) => (mode === 'CREDIT_CARD' || mode === 'DEBIT_CARD') && graceDays > CARD_GRACE_DAYS_MAX,
  },
  {
    refusal: { result: codes.missingElement, parameter: 'mandateType', cause: 'needed' },
    binds: (mode, { mandateType }) => mode === 'BANK_MANDATE' && mandateType === undefined,
  },
  {
    refusal: { result: codes.invalidTxnAmount, parameter: 'txnAmount.value', cause: 'firstOverRenewal' },
    binds: (mode, { txnAmountPaise, renewalAmountPaise, mandateType }) =>
      (mode === 'UPI' || (mode === 'BANK_MANDATE' && mandateType === 'E_MANDATE')) &&
      renewalAmountPaise !== undefined &&
      txnAmountPaise > renewalAmountPaise,
  },
  {
    refusal: { result: codes.bankMandateAmountNotZero, parameter: 'txnAmount.value' },
    binds: (mode, { txnAmountPaise }) => mode === 'BANK_MANDATE' && txnAmountPaise !== 0,
  },
  {
    refusal: { result: codes.maxAmountOverLimit, parameter: 'subscriptionMaxAmount' },
    binds: (mode, { maxAmountPaise }, today) => maxAmountPaise > mandateCapPaise(mode, today),
  },
]

/**
 * Returns the refusal of the first rule that binds every open mode. If no rule does, returns the refusal of the rule that takes the last
 * mode away. Undefined when a mode is left, or when none was open.
 */
export function refusalOfRails(open: readonly SubscriptionPaymentMode[], terms: Terms, today: string): RailRule['refusal'] | undefined {
  if (open.length === 0) return undefined
  const alone = railRules.find((rule) => open.every((mode) => rule.binds(mode, terms, today)))
  if (alone) return alone.refusal
  let left = open
  return railRules.find((rule) => {
    left = left.filter((mode) => !rule.binds(mode, terms, today))
    return left.length === 0
  })?.refusal
}

export const offeredModes = (open: readonly SubscriptionPaymentMode[], terms: Terms, today: string) =>
  open.filter((mode) => !railRules.some((rule) => rule.binds(mode, terms, today)))
