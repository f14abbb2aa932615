// Dates and limits of subscriptions, without a store.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { mandateCapPaise } from '../../../../src/domain/subscription/collection/rail-rules.ts'
import {
  collectionDate,
  cycleDays,
  FREQUENCY_UNITS,
  nextCollectionDate,
  type Schedule,
} from '../../../../src/domain/subscription/collection/schedule.ts'
import { SUBSCRIPTION_PAYMENT_MODES } from '../../../../src/interface/fields.ts'

const every = (frequencyUnit: Schedule['frequencyUnit'], frequency: number, startDate: string, expiryDate = '2099-12-31'): Schedule => ({
  frequencyUnit,
  frequency,
  startDate,
  expiryDate,
})
const first = (schedule: Schedule, count: number) => Array.from({ length: count }, (_, cycle) => collectionDate(schedule, cycle))

describe('the dates of collections', () => {
  test('a month after 31 January is the end of February, and then 31 March again', () => {
    assert.deepEqual(first(every('MONTH', 1, '2027-01-31'), 4), ['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30'])
    assert.deepEqual(first(every('MONTH', 1, '2028-01-31'), 2), ['2028-01-31', '2028-02-29'])
  })
  test('29 February comes back in the next leap year', () => {
    assert.deepEqual(first(every('YEAR', 1, '2028-02-29'), 5), ['2028-02-29', '2029-02-28', '2030-02-28', '2031-02-28', '2032-02-29'])
  })
  test('the units are a week, one, two, three, six and twelve months', () => {
    const second = (unit: Schedule['frequencyUnit'], frequency = 1) => collectionDate(every(unit, frequency, '2026-06-15'), 1)
    assert.deepEqual(
      FREQUENCY_UNITS.map((unit) => second(unit)),
      ['2026-06-22', '2026-07-15', '2026-08-15', '2026-09-15', '2026-12-15', '2027-06-15', undefined],
    )
    assert.equal(second('WEEK', 2), '2026-06-29')
    assert.equal(second('QUARTER', 3), '2027-03-15')
  })
  test('the last collection may be on the expiry date and never after it', () => {
    const schedule = every('MONTH', 1, '2026-06-15', '2026-08-15')
    assert.deepEqual(first(schedule, 4), ['2026-06-15', '2026-07-15', '2026-08-15', undefined])
    assert.equal(nextCollectionDate(schedule, '2026-08-15'), '2026-08-15')
    assert.equal(nextCollectionDate(schedule, '2026-08-16'), undefined)
  })
  test('before the start the next collection is the start', () => {
    assert.equal(nextCollectionDate(every('WEEK', 1, '2026-06-15'), '2020-01-01'), '2026-06-15')
  })
  test('on demand there are none', () => {
    assert.equal(nextCollectionDate(every('ONDEMAND', 1, '2026-06-15'), '2026-06-15'), undefined)
    assert.equal(nextCollectionDate(every('ONDEMAND', 1, '2026-06-15'), '2027-06-15'), undefined)
  })
  test('past the year 9999 there are none', () => {
    assert.equal(collectionDate(every('YEAR', 999, '9998-06-15', '9999-12-31'), 1), undefined)
  })
  test('the next collection is the first of the list that is not earlier', () => {
    const day = fc.integer({ min: 0, max: 15_000 }).map((days) => Temporal.PlainDate.from('2026-01-01').add({ days }).toString())
    const unit = fc.constantFrom(...FREQUENCY_UNITS)
    fc.assert(
      fc.property(unit, fc.integer({ min: 1, max: 12 }), day, day, day, (frequencyUnit, frequency, startDate, expiryDate, from) => {
        const schedule = { frequencyUnit, frequency, startDate, expiryDate }
        let wanted: string | undefined
        for (let cycle = 0; wanted === undefined && cycle < 2_500; cycle++) {
          const date = collectionDate(schedule, cycle)
          if (date === undefined) break
          if (date >= from) wanted = date
        }
        assert.equal(nextCollectionDate(schedule, from), wanted)
      }),
      { seed: 20_260_615, numRuns: 500 },
    )
  })
})

test('a cycle has 7, 30, 60, 90, 180 or 365 days, times the frequency, and on demand none', () => {
  assert.deepEqual(
    FREQUENCY_UNITS.map((unit) => cycleDays(unit, 1)),
    [7, 30, 60, 90, 180, 365, undefined],
  )
  assert.equal(cycleDays('WEEK', 3), 21)
})

describe('the limits of mandates', () => {
  test('are ten lakh rupees for a bank mandate and one lakh for every other mode', () => {
    for (const mode of SUBSCRIPTION_PAYMENT_MODES)
      assert.equal(mandateCapPaise(mode, '2026-06-15'), mode === 'BANK_MANDATE' ? 1_000_000_00 : 100_000_00)
  })
  test('hold from their day on, and the oldest before it', () => {
    assert.equal(mandateCapPaise('UPI', '2026-04-20'), 100_000_00)
    assert.equal(mandateCapPaise('BANK_MANDATE', '2001-01-01'), 1_000_000_00)
  })
})
