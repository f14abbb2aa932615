// The rule book, its permissions, and the cycles of a subscription, without a store: docs/decisions/0017.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { checkCollection, type Intent } from '../../../../src/domain/subscription/collection/collection-check.ts'
import {
  atConsent,
  attemptsMax,
  type CycleTerms,
  firstTryAt,
  nextTryAt,
  noticeAt,
  windowOf,
} from '../../../../src/domain/subscription/collection/collection-times.ts'
import {
  mandateCapPaise,
  type Rail,
  type RailRule,
  railOf,
  railRules,
  ruleOf,
} from '../../../../src/domain/subscription/collection/rail-rules.ts'
import { dateTimeInIndia } from '../../../../src/engine/clock.ts'
import { SUBSCRIPTION_PAYMENT_MODES } from '../../../../src/interface/fields.ts'
import { at } from '../../../support/mandates/timeline.ts'

const shown = (instant: number | undefined) => instant !== undefined && dateTimeInIndia(instant)

const terms = (more: Partial<CycleTerms>): CycleTerms => ({
  frequencyUnit: 'MONTH',
  frequency: 1,
  startDate: '2026-12-05',
  expiryDate: '2030-12-31',
  graceDays: 0,
  enableRetry: true,
  retryCount: 2,
  amountType: 'FIX',
  renewalAmountPaise: 499_00,
  txnAmountPaise: 1_00,
  ...more,
})

describe('the rule book', () => {
  test('names the source of every row, its first day, and whether it is Mohur’s choice', () => {
    for (const { id, source, from, confidence } of railRules) {
      assert.ok(source.length > 10, id)
      assert.match(from, /^\d{4}-\d\d-\d\d$/, id)
      assert.ok(['published', 'ours'].includes(confidence), id)
    }
    assert.equal(new Set(railRules.map(({ id }) => id)).size, railRules.length)
  })
  test('stands with the newest row of each kind, rail and category first', () => {
    for (const rule of railRules)
      for (const rail of rule.rails) {
        const days = railRules
          .filter((other) => other.kind === rule.kind && other.category === rule.category && other.rails.includes(rail))
          .map(({ from }) => from)
        assert.deepEqual(days, [...days].sort().reverse())
      }
  })
  test('is asked by the day of the debit: UPI had no forbidden hours before August 2025, and retries without end', () => {
    assert.equal(ruleOf('forbiddenHours', 'UPI', undefined, '2025-07-31'), undefined)
    assert.equal(ruleOf('forbiddenHours', 'UPI', undefined, '2025-08-01')?.id, 'hours-upi')
    assert.equal(ruleOf('attemptsMax', 'UPI', undefined, '2025-07-31'), undefined)
    assert.equal(ruleOf('attemptsMax', 'UPI', undefined, '2025-08-01')?.value, 4)
  })
  test('puts a row of the merchant’s category before the general one, where there is one', () => {
    assert.equal(ruleOf('afaFreePaise', 'UPI', undefined, '2026-11-21')?.value, 15_000_00)
    assert.equal(ruleOf('afaFreePaise', 'UPI', 'listed', '2026-11-21')?.value, 100_000_00)
    assert.equal(ruleOf('afaFreePaise', 'UPI', 'transit', '2026-11-21')?.value, 15_000_00)
    assert.equal(ruleOf('noticeHours', 'CARD', 'transit', '2026-11-21')?.value, 0)
    assert.equal(ruleOf('noticeHours', 'CARD', 'listed', '2026-11-21')?.value, 24)
  })
  test('ends a row after its last day', () => {
    const book: RailRule[] = [{ ...railRules[0]!, from: '2026-01-01', until: '2026-01-31' }]
    assert.ok(ruleOf('noticeHours', 'UPI', undefined, '2026-01-31', book))
    assert.equal(ruleOf('noticeHours', 'UPI', undefined, '2026-02-01', book), undefined)
  })
  test('knows a rail of every mode, and of bank mandates two', () => {
    assert.deepEqual(
      SUBSCRIPTION_PAYMENT_MODES.map((mode) => railOf(mode, 'E_MANDATE')),
      ['WALLET', 'PPBL', 'UPI', 'CARD', 'CARD', 'ENACH', 'POSTPAID'],
    )
    assert.equal(railOf('BANK_MANDATE', 'PAPER_MANDATE'), 'PAPER')
    for (const mode of SUBSCRIPTION_PAYMENT_MODES) assert.ok(mandateCapPaise(mode, '1999-01-01') > 0)
  })
})

describe('a debit is permitted', () => {
  const window = { from: '2026-12-05', to: '2026-12-07' }
  const intent = (more: Partial<Intent> = {}): Intent => ({
    rail: 'UPI',
    category: undefined,
    amountPaise: 499_00,
    window,
    attempts: 0,
    attemptsMax: 3,
    noticeNeeded: more.rail !== 'ENACH' && more.rail !== 'PAPER',
    notice: { succeededAt: at('2026-12-03 18:00:00'), amountPaise: 499_00 },
    authentication: 'NONE',
    ...more,
  })
  const ask = (more: Partial<Intent>, when: string) => {
    const verdict = checkCollection(intent(more), at(when))
    return 'at' in verdict ? 'now' : [verdict.rule, shown(verdict.next)]
  }

  test('within its window, a day after its notice, outside the forbidden hours', () => {
    assert.equal(ask({}, '2026-12-05 06:00:00'), 'now')
    assert.equal(ask({}, '2026-12-07 23:59:59'), 'now')
  })
  test('not before its window nor after it', () => {
    assert.deepEqual(ask({}, '2026-12-04 23:59:59'), ['tooEarly', '2026-12-05 00:00:00'])
    assert.deepEqual(ask({}, '2026-12-08 00:00:00'), ['windowOver', false])
  })
  test('not in the forbidden hours of UPI, their first and last second and the two minutes before included', () => {
    for (const [when, next] of [
      ['09:58:00', '13:00:00'],
      ['10:00:00', '13:00:00'],
      ['12:59:59', '13:00:00'],
      ['16:58:00', '21:30:00'],
      ['21:29:59', '21:30:00'],
    ])
      assert.deepEqual(ask({}, `2026-12-05 ${when}`), ['forbiddenHours', `2026-12-05 ${next}`])
    for (const when of ['09:57:59', '13:00:00', '16:57:59', '21:30:00']) assert.equal(ask({}, `2026-12-05 ${when}`), 'now')
    assert.equal(ask({ rail: 'CARD' }, '2026-12-05 11:00:00'), 'now')
  })
  test('24 hours after the notice has succeeded and not a second earlier', () => {
    const notice = { succeededAt: at('2026-12-05 14:00:00'), amountPaise: 499_00 }
    assert.deepEqual(ask({ notice }, '2026-12-06 13:59:59'), ['noticeTooShort', '2026-12-06 14:00:00'])
    assert.equal(ask({ notice }, '2026-12-06 14:00:00'), 'now')
    const late = { succeededAt: at('2026-12-05 11:00:00'), amountPaise: 499_00 }
    assert.deepEqual(ask({ notice: late }, '2026-12-05 12:00:00'), ['noticeTooShort', '2026-12-06 13:00:00'])
    assert.deepEqual(ask({ notice: { succeededAt: at('2026-12-07 08:00:00'), amountPaise: 499_00 } }, '2026-12-07 09:00:00'), [
      'noticeTooShort',
      false,
    ])
  })
  test('not before the day that the notice names, and for no more than it, whether it has succeeded or is needed', () => {
    const standingNotice = { amountPaise: 499_00, debitDate: '2026-12-07' }
    const needless = { standingNotice, notice: undefined, noticeNeeded: false }
    for (const more of [{ standingNotice }, needless]) {
      assert.deepEqual(ask(more, '2026-12-05 06:00:00'), ['noticedLater', '2026-12-07 00:00:00'])
      assert.equal(ask(more, '2026-12-07 00:00:00'), 'now')
      assert.deepEqual(ask({ ...more, amountPaise: 499_01 }, '2026-12-07 06:00:00'), ['moreThanNoticed', false])
    }
    const young = { succeededAt: at('2026-12-05 05:00:00'), amountPaise: 499_00 }
    assert.deepEqual(ask({ standingNotice, notice: young }, '2026-12-05 06:00:00'), ['noticeTooShort', '2026-12-07 00:00:00'])
    assert.deepEqual(ask({ notice: young, noticeNeeded: false, amountPaise: 500_00 }, '2026-12-05 06:00:00'), ['moreThanNoticed', false])
  })
  test('with a notice, where the rail asks for one, and up to the amount that it named', () => {
    assert.deepEqual(ask({ notice: undefined }, '2026-12-05 06:00:00'), ['noNotice', false])
    assert.equal(ask({ notice: undefined, rail: 'ENACH' }, '2026-12-05 11:00:00'), 'now')
    assert.equal(ask({ notice: undefined, noticeNeeded: false, category: 'transit' }, '2026-12-05 06:00:00'), 'now')
    assert.deepEqual(ask({ amountPaise: 500_00 }, '2026-12-05 06:00:00'), ['moreThanNoticed', false])
  })
  test('above the limit with the payer’s own approval only, and for a listed category up to a lakh', () => {
    const big = { amountPaise: 15_000_01, notice: { succeededAt: at('2026-12-03 18:00:00'), amountPaise: 15_000_01 } }
    assert.deepEqual(ask(big, '2026-12-05 06:00:00'), ['notAuthenticated', false])
    assert.equal(ask({ ...big, authentication: 'APPROVED' }, '2026-12-05 06:00:00'), 'now')
    for (const authentication of ['ASKED', 'DECLINED'] as const) {
      assert.deepEqual(ask({ ...big, authentication }, '2026-12-05 06:00:00'), ['notAuthenticated', false])
      assert.deepEqual(ask({ authentication }, '2026-12-05 06:00:00'), ['notAuthenticated', false], 'once asked, for less too')
    }
    assert.deepEqual(ask(big, '2026-12-05 10:00:00'), ['forbiddenHours', '2026-12-05 13:00:00'], 'while it waits he may still say it')
    assert.equal(ask({ ...big, category: 'listed' }, '2026-12-05 06:00:00'), 'now')
    assert.equal(ask({ ...big, rail: 'ENACH' }, '2026-12-05 06:00:00'), 'now')
  })
  test('as often as its terms and its rail allow', () => {
    assert.deepEqual(ask({ attempts: 3 }, '2026-12-06 06:00:00'), ['attemptsUsedUp', false])
    assert.deepEqual(ask({ attempts: 4, attemptsMax: 9 }, '2026-12-06 06:00:00'), ['attemptsUsedUp', false])
    assert.equal(ask({ attempts: 4, attemptsMax: 9, rail: 'CARD' }, '2026-12-06 06:00:00'), 'now')
  })
  test('at the next instant that it names, and at none between, whatever is asked when', () => {
    const rail = fc.constantFrom<Rail>('UPI', 'CARD', 'WALLET', 'PPBL', 'POSTPAID', 'ENACH', 'PAPER')
    const minute = fc.integer({ min: -3 * 1_440, max: 5 * 1_440 }).map((minutes) => at('2026-12-05 00:00:00') + minutes * 60_000)
    fc.assert(
      fc.property(rail, minute, minute, (rail, noticed, asked) => {
        const of = intent({ rail, notice: { succeededAt: noticed, amountPaise: 499_00 } })
        const verdict = checkCollection(of, asked)
        const isFree = (instant: number) => isPermitted(rail, noticed, instant)
        if ('at' in verdict) return assert.ok(isFree(asked))
        assert.ok(!isFree(asked))
        const end = at('2026-12-08 00:00:00')
        for (let instant = asked; instant < (verdict.next ?? end); instant += 60_000) assert.ok(!isFree(instant), shown(instant) || '')
        if (verdict.next !== undefined) assert.ok(isFree(verdict.next))
      }),
      { seed: 20_261_205, numRuns: 60 },
    )
  })
})

/** Minutes of a day in India, written apart from the room: 09:58 to 13:00 and 16:58 to 21:30 are closed to UPI. */
function isPermitted(rail: Rail, noticed: number, instant: number): boolean {
  if (instant < at('2026-12-05 00:00:00') || instant >= at('2026-12-08 00:00:00')) return false
  const isBank = rail === 'ENACH' || rail === 'PAPER'
  if (!isBank && instant - noticed < 86_400_000) return false
  const minutes = ((instant + 330 * 60_000) % 86_400_000) / 60_000
  const isClosed = (minutes >= 9 * 60 + 58 && minutes < 13 * 60) || (minutes >= 16 * 60 + 58 && minutes < 21 * 60 + 30)
  return rail !== 'UPI' || !isClosed
}

describe('a cycle', () => {
  test('may be collected from its due day through its days of grace, to the expiry and to the day before the next at most', () => {
    const of = terms({ frequencyUnit: 'WEEK', startDate: '2026-12-05', expiryDate: '2026-12-20' })
    assert.deepEqual(windowOf({ ...of, graceDays: 2 }, 0, 'UPI'), { from: '2026-12-05', to: '2026-12-07' })
    assert.deepEqual(windowOf({ ...of, graceDays: 7 }, 0, 'UPI'), { from: '2026-12-05', to: '2026-12-11' })
    assert.deepEqual(windowOf({ ...of, graceDays: 7 }, 2, 'UPI'), { from: '2026-12-19', to: '2026-12-20' })
    assert.equal(windowOf({ ...of, graceDays: 7 }, 3, 'UPI'), undefined)
  })
  test('has three days of grace at most on a card and none at a bank', () => {
    assert.equal(windowOf(terms({ graceDays: 9 }), 0, 'CARD')?.to, '2026-12-08')
    assert.equal(windowOf(terms({ graceDays: 9 }), 0, 'ENACH')?.to, '2026-12-05')
  })
  test('is tried at six, then daily within its grace; without grace at one and at half past nine', () => {
    const grace = { from: '2026-12-05', to: '2026-12-07' }
    assert.equal(shown(firstTryAt(grace)), '2026-12-05 06:00:00')
    assert.equal(shown(nextTryAt(grace, at('2026-12-05 06:00:00'))), '2026-12-06 06:00:00')
    assert.equal(shown(nextTryAt(grace, at('2026-12-07 06:00:00'))), false)
    const day = { from: '2026-12-05', to: '2026-12-05' }
    assert.equal(shown(nextTryAt(day, at('2026-12-05 06:00:00'))), '2026-12-05 13:00:00')
    assert.equal(shown(nextTryAt(day, at('2026-12-05 13:00:00'))), '2026-12-05 21:30:00')
    assert.equal(nextTryAt(day, at('2026-12-05 21:30:00')), undefined)
  })
  test('is notified 36 hours before it is tried', () => {
    assert.equal(shown(noticeAt(at('2026-12-05 06:00:00'))), '2026-12-03 18:00:00')
  })
  test('is tried once, and as often again as the merchant and the rail allow', () => {
    const max = (more: Partial<CycleTerms>, rail: Rail) => attemptsMax(terms(more), rail, undefined, '2026-12-05')
    assert.equal(max({}, 'UPI'), 3)
    assert.equal(max({ retryCount: 9 }, 'UPI'), 4)
    assert.equal(max({ retryCount: 9 }, 'CARD'), 10)
    assert.equal(max({ enableRetry: false }, 'UPI'), 1)
    assert.equal(max({}, 'ENACH'), 1)
  })
})

describe('consent', () => {
  const weekly = terms({ frequencyUnit: 'WEEK', startDate: '2026-11-21', graceDays: 2, retryCount: 1, renewalAmountPaise: 200_00 })
  const consent = at('2026-11-21 11:05:00')

  test('before the first due day leaves the calendar as it is', () => {
    const { collected, missed, next } = atConsent(terms({ graceDays: 2 }), 'UPI', undefined, at('2026-11-21 11:00:00'))
    assert.deepEqual([collected, missed, next?.number, next?.window], [undefined, [], 0, { from: '2026-12-05', to: '2026-12-07' }])
    assert.equal(shown(noticeAt(next!.firstTryAt)), '2026-12-03 18:00:00')
  })
  test('on the due day with the whole amount is the first collection', () => {
    const { collected, missed, next } = atConsent({ ...weekly, txnAmountPaise: 200_00 }, 'CARD', undefined, consent)
    assert.deepEqual([collected, missed, next?.number], [0, [], 1])
    assert.equal(shown(noticeAt(next!.firstTryAt)), '2026-11-26 18:00:00')
  })
  test('on the due day with less is collected a day later, outside the forbidden hours, and grace counts from there', () => {
    const card = atConsent({ ...weekly, txnAmountPaise: 2_00 }, 'CARD', undefined, consent).next!
    assert.deepEqual(
      [card.number, card.window, shown(card.firstTryAt)],
      [0, { from: '2026-11-22', to: '2026-11-24' }, '2026-11-22 11:05:00'],
    )
    const upi = atConsent({ ...weekly, txnAmountPaise: 2_00 }, 'UPI', undefined, consent).next!
    assert.equal(shown(upi.firstTryAt), '2026-11-22 13:00:00')
  })
  test('of a variable amount is never paid by the first payment', () => {
    const variable = { ...weekly, amountType: 'VARIABLE' as const, renewalAmountPaise: null, txnAmountPaise: 200_00 }
    assert.equal(atConsent(variable, 'CARD', undefined, consent).collected, undefined)
  })
  test('that comes after several due days stands for the newest, and the older are missed', () => {
    const { collected, missed, next } = atConsent({ ...weekly, txnAmountPaise: 0 }, 'ENACH', undefined, at('2026-12-07 10:00:00'))
    assert.deepEqual(
      [collected, missed, next],
      [undefined, [0, 1], { number: 2, window: { from: '2026-12-07', to: '2026-12-07' }, firstTryAt: at('2026-12-07 10:00:00') }],
    )
  })
  test('shortly before midnight stands for a day on which a notice that succeeds after midnight permits the debit', () => {
    const noGrace = { ...weekly, graceDays: 0, txnAmountPaise: 0 }
    for (const [consentAt, day, firstTry] of [
      ['2026-11-21 22:59:59', '2026-11-22', '2026-11-22 22:59:59'],
      ['2026-11-21 23:00:00', '2026-11-23', '2026-11-23 00:00:00'],
      ['2026-11-21 23:59:59', '2026-11-23', '2026-11-23 00:00:00'],
      // Here no later day is left before the next cycle.
      ['2026-11-26 23:30:00', '2026-11-27', '2026-11-27 23:30:00'],
    ] as const) {
      const { missed, next } = atConsent(noGrace, 'CARD', undefined, at(consentAt))
      const of = [missed, next?.number, next?.window, shown(next?.firstTryAt)]
      assert.deepEqual(of, [[], 0, { from: day, to: day }, firstTry], consentAt)
    }
  })
  test('shortly before midnight stands for the next day where no notice is needed, if one is left', () => {
    const noGrace = { ...weekly, graceDays: 0, txnAmountPaise: 0 }
    for (const [rail, category, consentAt, day, firstTry] of [
      ['ENACH', undefined, '2026-11-21 22:59:59', '2026-11-21', '2026-11-21 22:59:59'],
      ['ENACH', undefined, '2026-11-21 23:00:00', '2026-11-22', '2026-11-22 06:00:00'],
      ['ENACH', undefined, '2026-11-21 23:59:59', '2026-11-22', '2026-11-22 06:00:00'],
      ['CARD', 'transit', '2026-11-21 23:59:59', '2026-11-22', '2026-11-22 06:00:00'],
      // Here no later day is left before the next cycle.
      ['ENACH', undefined, '2026-11-27 23:30:00', '2026-11-27', '2026-11-27 23:30:00'],
    ] as const) {
      const { missed, next } = atConsent(noGrace, rail, category, at(consentAt))
      const of = [missed, next?.number, next?.window, shown(next?.firstTryAt)]
      assert.deepEqual(of, [[], 0, { from: day, to: day }, firstTry], `${rail} ${consentAt}`)
    }
  })
  test('whose stand-in day would be the next due day misses the older one', () => {
    const { missed, next } = atConsent({ ...weekly, txnAmountPaise: 0 }, 'UPI', undefined, at('2026-11-27 20:00:00'))
    assert.deepEqual([missed, next?.number, next?.window.from], [[0], 1, '2026-11-28'])
  })
  test('on demand has no cycles', () => {
    assert.deepEqual(atConsent({ ...weekly, frequencyUnit: 'ONDEMAND' }, 'UPI', undefined, consent), {
      collected: undefined,
      missed: [],
      next: undefined,
    })
  })
})

test('every window lies within its mandate, begins on its due day, and shares no day with another', () => {
  const day = fc
    .integer({ min: 0, max: 4_000 })
    .map((days) => new Date(Date.UTC(2026, 10, 21) + days * 86_400_000).toISOString().slice(0, 10))
  const unit = fc.constantFrom<CycleTerms['frequencyUnit']>('WEEK', 'MONTH', 'BI_MONTHLY', 'QUARTER', 'SEMI_ANNUALLY', 'YEAR')
  const rail = fc.constantFrom<Rail>('UPI', 'CARD', 'WALLET', 'ENACH')
  fc.assert(
    fc.property(
      unit,
      fc.integer({ min: 1, max: 4 }),
      day,
      day,
      fc.nat({ max: 400 }),
      rail,
      (frequencyUnit, frequency, startDate, end, graceDays, rail) => {
        const expiryDate = end < startDate ? startDate : end
        const of = terms({ frequencyUnit, frequency, startDate, expiryDate, graceDays })
        let before = ''
        for (let number = 0; number < 200; number++) {
          const window = windowOf(of, number, rail)
          const due = dueDay(frequencyUnit, frequency, startDate, number)
          if (due > expiryDate) return assert.equal(window, undefined)
          assert.equal(window!.from, due)
          assert.ok(window!.from > before && window!.to >= window!.from && window!.to <= expiryDate)
          before = window!.to
        }
      },
    ),
    { seed: 20_261_121, numRuns: 300 },
  )
})

/** Dates, written apart from the room: days since 1970 for weeks, and for months the calendar's own lengths. */
function dueDay(unit: string, frequency: number, startDate: string, number: number): string {
  const [year = 0, month = 0, date = 0] = startDate.split('-').map(Number)
  const text = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  if (unit === 'WEEK') return text(Date.UTC(year, month - 1, date) + number * frequency * 7 * 86_400_000)
  const step = { MONTH: 1, BI_MONTHLY: 2, QUARTER: 3, SEMI_ANNUALLY: 6, YEAR: 12 }[unit]!
  const months = year * 12 + (month - 1) + step * frequency * number
  const [inYear, inMonth] = [Math.floor(months / 12), months % 12]
  const isLeap = inYear % 4 === 0 && (inYear % 100 !== 0 || inYear % 400 === 0)
  const length = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][inMonth]!
  return text(Date.UTC(inYear, inMonth, Math.min(date, length)))
}
