// The properties of each payment mode: docs/interface.md section 2, PaymentMode. Each mode has one row, and all other code reads it here.

/** UPI: collect, intent, push. */
export const UPI_CHANNELS = ['UPI', 'UPIPUSH', 'UPIPUSHEXPRESS'] as const
/** The schemes whose cards are accepted. */
export const CARD_SCHEMES = ['VISA', 'MASTER', 'AMEX', 'RUPAY'] as const
const CARD_CHANNELS = [...CARD_SCHEMES, 'DINERS', 'MAESTRO', 'DISCOVER']

interface PaymentMode {
  isOfOrders: boolean
  isOfSubscriptions: boolean
  /** The mode's name in the answer of Fetch Payment Options. */
  displayName: string
  /**
   * Used in status, callback and notification (section 6), in what narrows a subscription, and in older kits' forms. A mode without a short
   * name has its own name there.
   */
  shortName?: string
  /** True when a card's number, expiry and CVV pay by this mode. */
  isOfCards?: true
  /** The values that a request's `channels` may have. When this list is absent, any value may stand there. */
  channels?: readonly string[]
  /** The lists that count when a request enables or disables this mode. */
  lists: readonly ('channels' | 'banks' | 'tenures')[]
  /** The largest amount of one payment: section 8 (Mohur). */
  amountPaiseMax?: number
  /** The rail of a mandate by this mode. A bank mandate on paper has another rail. */
  rail?: 'UPI' | 'CARD' | 'WALLET' | 'PPBL' | 'POSTPAID' | 'ENACH'
  /** The panel of the payment page that pays by this mode. */
  panel: string
}

/** In the order in which modes are offered. */
export const paymentModes = {
  BALANCE: {
    isOfOrders: true,
    isOfSubscriptions: true,
    displayName: 'Wallet',
    shortName: 'PPI',
    lists: [],
    amountPaiseMax: 200_000_00, // RBI, prepaid instruments: the most that a wallet may hold
    rail: 'WALLET',
    panel: 'wallet',
  },
  PPBL: {
    isOfOrders: true,
    isOfSubscriptions: true,
    displayName: 'Payments Bank',
    shortName: 'PPBL',
    lists: [],
    rail: 'PPBL',
    panel: 'ppbl',
  },
  UPI: {
    isOfOrders: true,
    isOfSubscriptions: true,
    displayName: 'UPI',
    shortName: 'UPI',
    channels: UPI_CHANNELS,
    lists: ['channels'],
    amountPaiseMax: 100_000_00, // NPCI: Rs 1,00,000 a payment
    rail: 'UPI',
    panel: 'upi',
  },
  CREDIT_CARD: {
    isOfOrders: true,
    isOfSubscriptions: true,
    displayName: 'Credit Card',
    shortName: 'CC',
    isOfCards: true,
    channels: CARD_CHANNELS,
    lists: ['channels', 'banks'],
    rail: 'CARD',
    panel: 'card',
  },
  DEBIT_CARD: {
    isOfOrders: true,
    isOfSubscriptions: true,
    displayName: 'Debit Card',
    shortName: 'DC',
    isOfCards: true,
    channels: CARD_CHANNELS,
    lists: ['channels', 'banks'],
    rail: 'CARD',
    panel: 'card',
  },
  NET_BANKING: {
    isOfOrders: true,
    isOfSubscriptions: false,
    displayName: 'Net Banking',
    shortName: 'NB',
    lists: ['channels', 'banks'],
    panel: 'bank',
  },
  EMI: {
    isOfOrders: true,
    isOfSubscriptions: false,
    displayName: 'EMI',
    shortName: 'EMI',
    isOfCards: true,
    channels: CARD_CHANNELS,
    lists: ['channels', 'banks', 'tenures'],
    panel: 'emi',
  },
  BANK_MANDATE: {
    isOfOrders: false,
    isOfSubscriptions: true,
    displayName: 'Bank Mandate',
    shortName: 'BANK_MANDATE',
    lists: [],
    rail: 'ENACH',
    panel: 'mandate',
  },
  SVC_DIGITAL_CREDIT: {
    isOfOrders: true,
    isOfSubscriptions: true,
    displayName: 'Postpaid',
    lists: [],
    amountPaiseMax: 60_000_00, // Mohur's choice: section 8
    rail: 'POSTPAID',
    panel: 'postpaid',
  },
} as const satisfies Readonly<Record<string, PaymentMode>>

type Table = typeof paymentModes
export type PaymentModeName = keyof Table
type NamesWith<Part> = { [Name in PaymentModeName]: Table[Name] extends Part ? Name : never }[PaymentModeName]
export type OrderPaymentMode = NamesWith<{ isOfOrders: true }>
export type SubscriptionPaymentMode = NamesWith<{ isOfSubscriptions: true }>

export const PAYMENT_MODES = Object.keys(paymentModes) as readonly PaymentModeName[]
export const ORDER_PAYMENT_MODES = PAYMENT_MODES.filter((mode): mode is OrderPaymentMode => paymentModes[mode].isOfOrders)
export const SUBSCRIPTION_PAYMENT_MODES = PAYMENT_MODES.filter(
  (mode): mode is SubscriptionPaymentMode => paymentModes[mode].isOfSubscriptions,
)

/** The row of a mode. Undefined for a name that is no mode. */
export const paymentMode = (name: string): PaymentMode | undefined =>
  Object.hasOwn(paymentModes, name) ? paymentModes[name as PaymentModeName] : undefined

/** A way to pay, as a payer chooses it: the panel of a mode. */
export type WayToPay = Table[PaymentModeName]['panel']
/** Stored rows hold only listed modes, so no row gets the fallback. */
export const wayToPay = (name: string): WayToPay =>
  Object.hasOwn(paymentModes, name) ? paymentModes[name as PaymentModeName].panel : 'bank'

export const isOfCards = (mode: string) => paymentMode(mode)?.isOfCards === true
export const shortMode = (mode: string) => paymentMode(mode)?.shortName ?? mode
/** The modes by their short names. A mode without a short name is left out. */
export const byShortName = <Name extends PaymentModeName>(modes: readonly Name[]): ReadonlyMap<string, Name> =>
  new Map(modes.flatMap((mode) => (paymentMode(mode)?.shortName === undefined ? [] : [[shortMode(mode), mode] as const])))
