// Amounts and times as pages show them: lakhs and Latin digits, in India's time.

import { withCommas } from '../../interface/money.ts'

/** 12345670 is ₹1,23,456.70. */
export const formatRupees = (paise: number): string => `₹${withCommas(paise)}`

const MINUTE_MS = 60_000
const INDIA_IS_AHEAD_MINUTES = 330
const DAY_MINUTES = 24 * 60
/** The Hindi name for the part of the day from each hour on, as CLDR has it. */
const HINDI_PARTS = [
  [20, 'रात'],
  [16, 'शाम'],
  [12, 'दोपहर'],
  [4, 'सुबह'],
  [0, 'रात'],
] as const
/** 3:42 pm, or दोपहर 3:42. Arithmetic instead of Intl, because every view of every page shows a time. */
export function clockTime(at: number, language: string): string {
  const minutes = (Math.floor(at / MINUTE_MS) + INDIA_IS_AHEAD_MINUTES) % DAY_MINUTES
  const hours = Math.floor(minutes / 60)
  const time = `${hours % 12 || 12}:${String(minutes % 60).padStart(2, '0')}`
  if (language === 'hi') return `${HINDI_PARTS.find(([from]) => hours >= from)![1]} ${time}`
  return `${time} ${hours < 12 ? 'am' : 'pm'}`
}

/** The day of an instant, in the words of a language, with Latin digits. */
export const dayOf = (at: number, language: string) =>
  new Intl.DateTimeFormat(`${language}-IN`, {
    timeZone: 'Asia/Kolkata',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    numberingSystem: 'latn',
  }).format(at)
