// The days on which a subscription collects: docs/interface.md section 4.6. Dates are days in India, YYYY-MM-DD. Months are calendar
// months, clamped to the month's end. They count from the start date: 31 January, 28 February, 31 March.

/** `days` limits the grace days. `step` gives the dates, in weeks or months. */
export const frequencyUnits = {
  WEEK: { days: 7, step: { weeks: 1 } },
  MONTH: { days: 30, step: { months: 1 } },
  BI_MONTHLY: { days: 60, step: { months: 2 } },
  QUARTER: { days: 90, step: { months: 3 } },
  SEMI_ANNUALLY: { days: 180, step: { months: 6 } },
  YEAR: { days: 365, step: { months: 12 } },
  /** The merchant chooses the days: no cycle, no grace, no dates. */
  ONDEMAND: undefined,
} as const satisfies Record<string, { days: number; step: { weeks: number } | { months: number } } | undefined>

export type FrequencyUnit = keyof typeof frequencyUnits
export const FREQUENCY_UNITS = Object.keys(frequencyUnits) as FrequencyUnit[]

/** A subscription's dates: every `frequency` units from the start to the expiry, both included. */
export interface Schedule {
  frequencyUnit: FrequencyUnit
  frequency: number
  startDate: string
  expiryDate: string
}

/** Undefined for a unit without cycles. */
export function cycleDays(unit: FrequencyUnit, frequency: number): number | undefined {
  const cycle = frequencyUnits[unit]
  return cycle && cycle.days * frequency
}

/** `cycle` counts from 0 on the start date. Undefined for a unit without cycles, or when the cycle lies past the expiry. */
export function collectionDate({ frequencyUnit, frequency, startDate, expiryDate }: Schedule, cycle: number): string | undefined {
  const unit = frequencyUnits[frequencyUnit]
  if (!unit) return undefined
  const count = frequency * cycle
  const start = Temporal.PlainDate.from(startDate)
  const day = 'weeks' in unit.step ? start.add({ weeks: unit.step.weeks * count }) : start.add({ months: unit.step.months * count })
  // Compared as dates: past the year 9999 their texts no longer sort.
  return Temporal.PlainDate.compare(day, expiryDate) > 0 ? undefined : day.toString()
}

/** The first collection on `from` or later; undefined when none is left. */
export function nextCollectionDate(schedule: Schedule, from: string): string | undefined {
  if (from <= schedule.startDate) return collectionDate(schedule, 0)
  return aroundCycle(schedule, from)
    .map((cycle) => collectionDate(schedule, cycle))
    .find((day) => day !== undefined && day >= from)
}

/** The number of the last cycle that is due on `day` or before it. Undefined before the start, and for a unit without cycles. */
export function cycleOn(schedule: Schedule, day: string): number | undefined {
  if (day < schedule.startDate) return undefined
  return aroundCycle(schedule, day).findLast((cycle) => {
    const due = collectionDate(schedule, cycle)
    return due !== undefined && due <= day
  })
}

/** Three cycle numbers. They include the last cycle before `day`, and the first on `day` or later. Empty for a unit without cycles. */
function aroundCycle({ frequencyUnit, frequency, startDate }: Schedule, day: string): number[] {
  const unit = frequencyUnits[frequencyUnit]
  if (!unit) return []
  const start = Temporal.PlainDate.from(startDate)
  // Whole units since the start. Clamping can make the count one too low, never too high.
  const behind = 'weeks' in unit.step ? start.until(day).days / 7 / unit.step.weeks : wholeMonths(start, day) / unit.step.months
  const cycle = Math.floor(behind / frequency)
  return [cycle, cycle + 1, cycle + 2]
}

const wholeMonths = (start: Temporal.PlainDate, to: string) => start.until(to, { largestUnit: 'months' }).months

/** A collection cannot lie in the past. */
export const mayStart = (startDate: string, today: string) => startDate >= today

export const mayExpire = (expiryDate: string, startDate: string) => expiryDate >= startDate

export const plusDays = (day: string, days: number) => Temporal.PlainDate.from(day).add({ days }).toString()
