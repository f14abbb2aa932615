// The rules of the rails, as data: docs/decisions/0017. A new circular is a new row. Older rows stay, because they record the law at the
// time of a debit. The day of the debit in India selects a row, never the day of the question.

import { paymentModes, type SubscriptionPaymentMode } from '../../../interface/payment-modes.ts'
import type { Category } from '../../../reference/reference.ts'

/** How a mandate is debited: the consent's mode, and for a bank mandate its kind. */
export type Rail = 'UPI' | 'CARD' | 'WALLET' | 'PPBL' | 'POSTPAID' | 'ENACH' | 'PAPER'

/** Parts of a day in India in which no debit may begin, from the first second to the last. */
export interface ForbiddenHours {
  spans: readonly { from: string; to: string }[]
  /** No debit begins in these minutes before a span, because the debit must have ended when the span begins. */
  minutesBefore: number
}

interface Values {
  /** Hours between a succeeded notice and the debit. 0 means no notice. */
  noticeHours: number
  /** The largest debit without the payer's further authentication. */
  afaFreePaise: number
  /** Attempts at one cycle, including the first. */
  attemptsMax: number
  /** The most grace days of a card's cycle. */
  graceDaysMax: number
  forbiddenHours: ForbiddenHours
  /** The largest amount of one mandate (4004). */
  mandateCapPaise: number
}
export type RuleKind = keyof Values

type RuleOf<Kind extends RuleKind> = {
  id: string
  kind: Kind
  rails: readonly Rail[]
  /** Absent: the rule is for every merchant. */
  category?: Category
  /** The first day in India on which the rule holds, and the last. */
  from: string
  until?: string
  value: Values[Kind]
  source: string
  /** `ours`: public texts disagree or are silent, and this is Mohur's choice. */
  confidence: 'published' | 'ours'
}
export type RailRule = { [Kind in RuleKind]: RuleOf<Kind> }[RuleKind]

const LAKH_PAISE = 100_000_00
const FRAMEWORK_2026 = 'RBI, Digital Payments - E-mandate Framework, 2026 (RBI/DPSS/2026-27/396, 21 April 2026)'
const EMANDATES_2022 = 'RBI, Processing of e-mandates for recurring transactions (CO.DPSS.POLC.No.S-518/02.14.003/2022-23, 16 June 2022)'
const EMANDATES_2023 = 'RBI, Processing of e-mandates for recurring transactions (RBI/2023-24/88, 12 December 2023); NPCI OC-151A/2023-24'
const AUTOPAY_2025 = 'NPCI, UPI AutoPay executions (circular of 21 May 2025, in force since 1 August 2025)'
const NACH_CEILING =
  'NACH: the customary ceiling of destination banks; no circular fixes it, so it is counted from the first day of this table'

/** Cards, wallets and UPI fall under one framework; PPBL and postpaid are debited like a wallet. */
const framework: readonly Rail[] = ['UPI', 'CARD', 'WALLET', 'PPBL', 'POSTPAID']
const bankMandates: readonly Rail[] = ['ENACH', 'PAPER']

/** Newest first within each kind. */
export const railRules: readonly RailRule[] = [
  {
    id: 'notice-2026',
    kind: 'noticeHours',
    rails: framework,
    from: '2026-04-21',
    value: 24,
    source: FRAMEWORK_2026,
    confidence: 'published',
  },
  {
    id: 'notice-2021',
    kind: 'noticeHours',
    rails: framework,
    from: '2021-10-01',
    value: 24,
    source: EMANDATES_2022,
    confidence: 'published',
  },
  {
    id: 'notice-transit',
    kind: 'noticeHours',
    rails: framework,
    category: 'transit',
    from: '2024-08-22',
    value: 0,
    source: 'RBI, e-mandates for FASTag and NCMC (22 August 2024), kept by the framework of 2026',
    confidence: 'published',
  },
  {
    id: 'afa-2026',
    kind: 'afaFreePaise',
    rails: framework,
    from: '2026-04-21',
    value: 15_000_00,
    source: FRAMEWORK_2026,
    confidence: 'published',
  },
  {
    id: 'afa-2022',
    kind: 'afaFreePaise',
    rails: framework,
    from: '2022-06-16',
    value: 15_000_00,
    source: EMANDATES_2022,
    confidence: 'published',
  },
  {
    id: 'afa-listed',
    kind: 'afaFreePaise',
    rails: framework,
    category: 'listed',
    from: '2023-12-12',
    value: 1 * LAKH_PAISE,
    source: EMANDATES_2023,
    confidence: 'published',
  },
  { id: 'attempts-upi', kind: 'attemptsMax', rails: ['UPI'], from: '2025-08-01', value: 4, source: AUTOPAY_2025, confidence: 'published' },
  {
    id: 'attempts-bank',
    kind: 'attemptsMax',
    rails: bankMandates,
    from: '2023-12-12',
    value: 1,
    source: 'NACH presents once on the day of the debit',
    confidence: 'published',
  },
  {
    id: 'grace-card',
    kind: 'graceDaysMax',
    rails: ['CARD'],
    from: '2023-12-12',
    value: 3,
    source: 'docs/interface.md section 4.6: maximum 3 for cards',
    confidence: 'published',
  },
  {
    id: 'hours-upi',
    kind: 'forbiddenHours',
    rails: ['UPI'],
    from: '2025-08-01',
    value: {
      spans: [
        { from: '10:00:00', to: '12:59:59' },
        { from: '17:00:00', to: '21:29:59' },
      ],
      minutesBefore: 2,
    },
    source: `${AUTOPAY_2025}; the two minutes are ours`,
    confidence: 'published',
  },
  {
    id: 'cap-2026',
    kind: 'mandateCapPaise',
    rails: framework,
    from: '2026-04-21',
    value: 1 * LAKH_PAISE,
    source: FRAMEWORK_2026,
    confidence: 'published',
  },
  {
    id: 'cap-2023',
    kind: 'mandateCapPaise',
    rails: framework,
    from: '2023-12-12',
    value: 1 * LAKH_PAISE,
    source: EMANDATES_2023,
    confidence: 'published',
  },
  {
    id: 'cap-bank',
    kind: 'mandateCapPaise',
    rails: bankMandates,
    from: '2023-12-12',
    value: 10 * LAKH_PAISE,
    source: NACH_CEILING,
    confidence: 'ours',
  },
]

/**
 * Returns the row that holds for a rail on a day in India. A row for the merchant's category comes before the general row. Undefined when
 * no row holds.
 */
export function ruleOf<Kind extends RuleKind>(
  kind: Kind,
  rail: Rail,
  category: Category | undefined,
  day: string,
  book: readonly RailRule[] = railRules,
): RuleOf<Kind> | undefined {
  const holds = (rule: RailRule): rule is RuleOf<Kind> & RailRule =>
    rule.kind === kind && rule.rails.includes(rail) && rule.from <= day && (rule.until === undefined || day <= rule.until)
  const rows = book.filter(holds)
  return (category && rows.find((rule) => rule.category === category)) ?? rows.find((rule) => rule.category === undefined)
}

/** The rail of the payment mode by which a customer consents. For a bank mandate its kind counts too. */
export const railOf = (mode: SubscriptionPaymentMode, mandateType: string | null | undefined): Rail =>
  mode === 'BANK_MANDATE' && mandateType === 'PAPER_MANDATE' ? 'PAPER' : paymentModes[mode].rail

/**
 * The largest amount of a mandate of this mode on a day. For a day before the first row the oldest row holds, but Mohur's clocks never show
 * such a day.
 */
export function mandateCapPaise(mode: SubscriptionPaymentMode, day: string): number {
  const rail = railOf(mode, undefined)
  const oldest = railRules.findLast((rule) => rule.kind === 'mandateCapPaise' && rule.rails.includes(rail))!
  return (ruleOf('mandateCapPaise', rail, undefined, day) ?? (oldest as RuleOf<'mandateCapPaise'>)).value
}
