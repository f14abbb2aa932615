// Decides by which ways an order may be paid: docs/interface.md section 2, PaymentMode. Payments, payment options, saved cards, EMI plans
// and subscriptions all use this one rule.

import { TENURES } from '../../interface/fields.ts'
import { CARD_SCHEMES, isOfCards, paymentMode, UPI_CHANNELS } from '../../interface/payment-modes.ts'
import type { Fault } from '../../interface/request.ts'
import type { TakenMode } from '../../reference/reference.ts'
import type { PaymentModeFilters } from '../../tables/order.ts'
import type { Row } from '../../tables/tables.ts'

type Element = NonNullable<PaymentModeFilters['enable']>[number]

/** One way to pay by a mode. A property that is unknown, or that the mode does not have, is absent. An absent property fits no list. */
export interface Way {
  /** The channel of UPI, the scheme of a card, or the bank of net banking. */
  channel?: string | undefined
  bank?: string | undefined
  tenure?: number | undefined
}

/** The lists of one filter element, without lists that the element's mode does not have. A way fits when it fits every list. */
interface Combination {
  channels?: ReadonlySet<string>
  banks?: ReadonlySet<string>
  tenures?: ReadonlySet<number>
}

/** A way of the mode is left when it fits no list of `disabled`. If `enabled` or `taken` is given, the way must fit one of its lists. */
export interface ModeLimits {
  enabled: readonly Combination[] | undefined
  disabled: readonly Combination[]
  /** Absent when the acquirer takes all of the mode. */
  taken?: readonly Combination[]
  /** The least that the acquirer takes by the mode. */
  paiseMin?: number
}

/** True when the acquirer takes no such part by the mode. It is not asked for a part of 0. */
export const isTooLittle = ({ paiseMin = 0 }: ModeLimits, paise: number) => paise > 0 && paise < paiseMin

/** The enabled modes of the merchant, without the modes that are disabled as a whole. */
export function availableModes(merchantModes: readonly string[], { enable, disable }: PaymentModeFilters): Map<string, ModeLimits> {
  const modes = new Map<string, ModeLimits>()
  const isNarrowed = enable?.some(({ mode }) => mode !== undefined)
  for (const mode of merchantModes) {
    const enabled = isNarrowed ? enable!.filter((element) => element.mode === mode).map(combinationOf) : undefined
    const disabled = (disable ?? []).filter((element) => element.mode === mode && !isBesideItsMode(element)).map(combinationOf)
    if (enabled?.length === 0 || disabled.some((combination) => Object.keys(combination).length === 0)) continue
    modes.set(mode, { enabled, disabled })
  }
  return modes
}

const isGiven = (element: Pick<Element, keyof Combination>) => (list: keyof Combination) => element[list] !== undefined
const countingOf = ({ mode }: Pick<Element, 'mode'>): readonly (keyof Combination)[] => paymentMode(mode ?? '')?.lists ?? []
const combinationOf = (element: Pick<Element, 'mode' | keyof Combination>): Combination =>
  Object.fromEntries(
    countingOf(element)
      .filter(isGiven(element))
      .map((list) => [list, new Set<string | number>(element[list])]),
  )
/** True when the element gives lists, and its mode has none of them. That element enables the whole mode, and disables nothing. */
const isBesideItsMode = (element: Element) =>
  (['channels', 'banks', 'tenures'] as const).some(isGiven(element)) && !countingOf(element).some(isGiven(element))

const holds = <T>(list: ReadonlySet<T> | undefined, value: T | undefined) => !list || (value !== undefined && list.has(value))
const fits = ({ channels, banks, tenures }: Combination, { channel, bank, tenure }: Way) =>
  holds(channels, channel) && holds(banks, bank) && holds(tenures, tenure)

export const leaves = ({ enabled, disabled, taken }: ModeLimits, way: Way): boolean =>
  [enabled, taken].every((lists) => !lists || lists.some((combination) => fits(combination, way))) &&
  !disabled.some((combination) => fits(combination, way))

/** True when at least one way of the mode is left. Tries each bank that a list names. One unknown bank stands for all other banks. */
export function leavesAny(mode: string, limits: ModeLimits): boolean {
  const combinations = [...(limits.enabled ?? []), ...limits.disabled]
  const named = (list: 'channels' | 'banks') => combinations.flatMap((combination) => [...(combination[list] ?? [])])
  if (mode === 'NET_BANKING')
    return [undefined, ...named('channels'), ...named('banks')].some((bank) => leaves(limits, { channel: bank, bank }))
  const [isCard, isEmi] = [isOfCards(mode), mode === 'EMI']
  const channels: readonly (string | undefined)[] = isCard ? CARD_SCHEMES : mode === 'UPI' ? UPI_CHANNELS : [undefined]
  const banks = isCard ? [undefined, ...new Set(named('banks'))] : [undefined]
  const tenures: readonly (number | undefined)[] = isEmi ? TENURES : [undefined]
  return channels.some((channel) => banks.some((bank) => tenures.some((tenure) => leaves(limits, { channel, bank, tenure }))))
}

/**
 * The modes of a merchant, or of one order, that the acquirer takes. The wallet needs no acquirer. `BANK_MANDATE` is for subscriptions
 * only, and a subscription has its own modes.
 */
export function modesOf(
  merchant: Pick<Row<'merchants'>, 'paymentModes'>,
  order: Pick<Row<'orders'>, 'paymentModes' | 'amountPaise'> | undefined,
  subscription: Pick<Row<'subscriptions'>, 'paymentModes'> | undefined,
  taken: readonly TakenMode[] | undefined,
): Map<string, ModeLimits> {
  const isOpen = (mode: string) => (subscription ? subscription.paymentModes.includes(mode) : mode !== 'BANK_MANDATE')
  const isTaken = (mode: string) => !taken || mode === 'BALANCE' || taken.some((each) => each.mode === mode)
  const modes = availableModes(
    merchant.paymentModes.filter((mode) => isOpen(mode) && isTaken(mode)),
    order?.paymentModes ?? {},
  )
  for (const [mode, limits] of modes) {
    if (!taken || mode === 'BALANCE') continue
    const lists = taken.filter((each) => each.mode === mode)
    Object.assign(limits, { taken: lists.map(combinationOf), paiseMin: Math.min(...lists.map(({ paiseMin = 0 }) => paiseMin)) })
    if (isTooLittle(limits, order?.amountPaise ?? 0)) modes.delete(mode)
  }
  return modes
}

/** When Debit Card EMI is offered, the mobile number is mandatory: docs/interface.md section 2, UserInfo. */
export const offersDebitCardEmi = (merchant: Pick<Row<'merchants'>, 'debitCardEmi'>, modes: ReadonlyMap<string, ModeLimits>): boolean =>
  merchant.debitCardEmi && ['EMI', 'DEBIT_CARD'].every((mode) => modes.has(mode) && leavesAny(mode, modes.get(mode)!))

/** False for an order without a mobile number: it was created before Debit Card EMI was offered. */
export const takesDebitCardEmi = (
  merchant: Pick<Row<'merchants'>, 'debitCardEmi'>,
  modes: ReadonlyMap<string, ModeLimits>,
  order: Pick<Row<'orders'>, 'details'> | undefined,
): boolean => offersDebitCardEmi(merchant, modes) && (order === undefined || order.details.userInfo['mobile'] !== undefined)

export const unknownChannels = (request: Partial<Record<'enablePaymentMode' | 'disablePaymentMode', readonly Element[]>>): Fault[] =>
  (['enablePaymentMode', 'disablePaymentMode'] as const).flatMap((member) =>
    (request[member] ?? []).flatMap(({ mode, channels = [] }, element) =>
      channels.flatMap((value, at): Fault[] =>
        (paymentMode(mode ?? '')?.channels?.includes(value) ?? true)
          ? []
          : [
              {
                kind: 'wrong',
                path: `${member}[${element}].channels[${at}]`,
                name: 'channels',
                nested: true,
                value,
                asks: { keyword: 'channels' },
              },
            ],
      ),
    ),
  )
