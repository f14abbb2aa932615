// A calendar and clock written apart from the service's own, for the histories of mandates. A day is a number of days since 1970.

export const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]
const IST = 330 * MINUTE

export const dayOf = (instant: number) => Math.floor((instant + IST) / DAY)
const minuteOf = (instant: number) => Math.floor(((instant + IST) % DAY) / MINUTE)
export const begins = (day: number) => day * DAY - IST
export const dayOfText = (text: string) => Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)) - 1, Number(text.slice(8, 10))) / DAY
export const dayText = (day: number) => new Date(day * DAY).toISOString().slice(0, 10)
/** Time in India, to the second. */
export const timeText = (instant: number) => new Date(instant + IST).toISOString().slice(0, 19)

const MONTHS: Readonly<Record<string, number>> = { MONTH: 1, BI_MONTHLY: 2, QUARTER: 3, SEMI_ANNUALLY: 6, YEAR: 12 }
/** The most grace days for each unit. */
export const UNIT_DAYS: Readonly<Record<string, number>> = {
  WEEK: 7,
  MONTH: 30,
  BI_MONTHLY: 60,
  QUARTER: 90,
  SEMI_ANNUALLY: 180,
  YEAR: 365,
}

export function dueDay(unit: string, frequency: number, start: number, number: number): number {
  if (unit === 'WEEK') return start + 7 * frequency * number
  const first = new Date(start * DAY)
  const month = first.getUTCMonth() + MONTHS[unit]! * frequency * number
  const last = new Date(Date.UTC(first.getUTCFullYear(), month + 1, 0)).getUTCDate()
  return Date.UTC(first.getUTCFullYear(), month, Math.min(first.getUTCDate(), last)) / DAY
}

/** Above this amount the payer approves each debit, except by bank mandate. */
export const APPROVED_ABOVE = 15_000_00

/** From 10:00 to 13:00 and from 17:00 to 21:30, and in the two minutes before each. */
export const isForbidden = (mode: string, instant: number) => {
  const minute = minuteOf(instant)
  return mode === 'UPI' && ((minute >= 598 && minute < 780) || (minute >= 1018 && minute < 1290))
}
