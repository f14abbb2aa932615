// How much a recurring payment may be, by mode and by date: docs/interface.md section 8, docs/decisions/0003.
// A new circular is a new row; the older ones stay, because they say what was lawful when a subscription was made.

import type { SubscriptionPaymentMode } from '../interface/fields.ts'

export interface MandateLimit {
  modes: readonly SubscriptionPaymentMode[]
  /** The first day in India on which it holds. */
  from: string
  limitPaise: number
  source: string
}

const LAKH_PAISE = 100_000_00

/** Cards, wallets and UPI fall under one framework; PPBL and postpaid are debited like a wallet. */
const framework: readonly SubscriptionPaymentMode[] = ['UPI', 'CREDIT_CARD', 'DEBIT_CARD', 'BALANCE', 'PPBL', 'SVC_DIGITAL_CREDIT']

/** Newest first within each mode. The figure is the highest single debit without a further factor, for any category of merchant. */
export const mandateLimits: readonly MandateLimit[] = [
  {
    modes: framework,
    from: '2026-04-21',
    limitPaise: 1 * LAKH_PAISE,
    source: 'RBI, Digital Payments - E-mandate Framework, 2026 (RBI/DPSS/2026-27/396, 21 April 2026)',
  },
  {
    modes: framework,
    from: '2023-12-12',
    limitPaise: 1 * LAKH_PAISE,
    source: 'RBI, Processing of e-mandates for recurring transactions (RBI/2023-24/88, 12 December 2023); NPCI OC-151A/2023-24',
  },
  {
    modes: ['BANK_MANDATE'],
    from: '2023-12-12',
    limitPaise: 10 * LAKH_PAISE,
    source: 'NACH: the customary ceiling of destination banks; no circular fixes it, so it is counted from the first day of this table',
  },
]

/** The limit of a mode on a day. Before the first row, which no clock of ours shows, the oldest row holds. */
export function mandateLimitPaise(mode: SubscriptionPaymentMode, day: string): number {
  const rows = mandateLimits.filter(({ modes }) => modes.includes(mode))
  return (rows.find(({ from }) => from <= day) ?? rows.at(-1)!).limitPaise
}
