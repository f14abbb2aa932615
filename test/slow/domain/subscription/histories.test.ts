// Ten years of random mandates, banks, payers, merchants and outages through the service's own decisions, compared with a calendar that is
// written apart from them. Such histories also find each fault that is planted into a copy of the source.
//     MOHUR_HISTORIES=2000 MOHUR_HISTORIES_FROM=1 npm run prove -- test/slow/domain/subscription/histories.test.ts     a larger run

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { Simulation } from '../../../../src/sandbox/simulation.ts'
import { type NewSimulation, wrongsOf } from '../../../support/mandates/histories.ts'
import { type PlantedFault, withPlantedSource } from '../../../support/run/planted-source.ts'

const [HISTORIES, FROM] = [Number(process.env['MOHUR_HISTORIES'] || 16), Number(process.env['MOHUR_HISTORIES_FROM'] || 1)]
const FOUND_WITHIN = 500

/** The breach by which a fault must be found, where the first breach in a history is another. */
const shows: Readonly<Record<string, RegExp>> = {
  'an absent attempt that is sent again whatever the hour': /at a forbidden/,
  'a debit above the limit that nobody has approved': / though its payer had not approved it/,
  'a day that the payer was told of and that nobody waits for': / though its payer was told of /,
  'a debit that is sent beside one that its bank has not decided': /was sent when the bank had said pending/,
  'an approval that is not asked after when its debit is due': /not sent at .* though its payer had approved it/,
}
/** A copy that ends with an error of its own does not count as found. */
const ANY_BREACH = /^(?!failed: )/
const faults: Readonly<Record<string, readonly PlantedFault[]>> = {
  'hours that are not looked at': [
    {
      file: 'domain/subscription/collection/collection-check.ts',
      from: 'return within ? afterForbiddenHours(within.ends, rail, category, book) : at',
      to: 'return within ? at : at',
    },
  ],
  'a notice of 23 hours': [
    {
      file: 'domain/subscription/collection/rail-rules.ts',
      from: "from: '2026-04-21',\n    value: 24,",
      to: "from: '2026-04-21',\n    value: 23,",
    },
  ],
  'months that are not clamped': [
    {
      file: 'domain/subscription/collection/schedule.ts',
      from: 'start.add({ months: unit.step.months * count })',
      to: 'start.with({ day: 1 }).add({ months: unit.step.months * count }).add({ days: start.day - 1 })',
    },
  ],
  'one retry too many': [
    { file: 'domain/subscription/collection/collection-times.ts', from: 'const wanted = 1 + (', to: 'const wanted = 2 + (' },
  ],
  'an absent attempt that is sent again whatever the hour': [
    {
      file: 'flows/collection-calls.ts',
      from: 'await applyResult(parts, taken, bank.mandates ? await bank.status(taken.work.key) : UNKNOWN)',
      to: "const asked = await bank.status(taken.work.key)\n  await (asked.outcome === 'absent' ? collect(parts, taken) : applyResult(parts, taken, asked))",
    },
  ],
  'a resumption that revives what was missed': [
    {
      file: 'domain/subscription/end-or-pause.ts',
      from: 'const missed = begunCycles.map(',
      to: 'const missed = begunCycles.slice(0, 0).map(',
    },
    {
      file: 'domain/subscription/collection/advance-collection.ts',
      from: "if (subscription.status !== 'ACTIVE' && now >= begins) return end(due, 'paused')",
      to: "if (subscription.status !== 'ACTIVE' && now >= begins) return { changes: [checkAgainAt(collection, now + 3_600_000)], events: [] }",
    },
  ],
  'a day that the payer was told of and that nobody waits for': [
    {
      file: 'domain/subscription/collection/collection-check.ts',
      from: 'const noticedFor = standingNotice ? dayBegins(standingNotice.debitDate) : opensAt',
      to: 'const noticedFor = opensAt',
    },
  ],
  'a debit above the limit that nobody has approved': [
    {
      file: 'domain/subscription/collection/collection-check.ts',
      from: "needsApproval(intent, day, book) ? never('notAuthenticated') : { at }",
      to: '{ at }',
    },
  ],
  'an approval that is not asked after when its debit is due': [
    {
      file: 'domain/subscription/collection/advance-collection.ts',
      from: 'if (!isAwaited(collection) || asked?.isAnswered) return otherwise()',
      to: 'if (!asked || asked.isAnswered) return otherwise()',
    },
  ],
  'a debit that is sent beside one that its bank has not decided': [
    {
      file: 'domain/transaction/open-debit.ts',
      from: 'Math.max(firstAskedAt + GIVEN_UP_AFTER_MS, windowEndsAt)',
      to: 'Math.max(firstAskedAt + GIVEN_UP_AFTER_MS, 0 * windowEndsAt)',
    },
    {
      file: 'domain/subscription/collection/attempt.ts',
      from: "const LAST: readonly string[] = ['undecided', 'givenBack']",
      to: "const LAST: readonly string[] = ['givenBack']",
    },
    { file: 'domain/subscription/collection/advance-collection.ts', from: 'isBarred: open?.some(', to: 'isBarred: [].some(' },
  ],
  'an edit that changes a cycle of which the payer was told': [
    {
      file: 'domain/subscription/collection/advance-collection.ts',
      from: '...{ subscription, collection, first, now, sendAt: now, amountPaise: collection.amountPaise! },',
      to: '...{ subscription, collection, first, now, sendAt: now, amountPaise: subscription.renewalAmountPaise! },',
    },
  ],
}

/** The seed that found it last, so that no run waits for the others. They run when that seed no longer finds it. */
const showsIn: Readonly<Record<string, number>> = {
  'hours that are not looked at': 2,
  'a notice of 23 hours': 4,
  'months that are not clamped': 15,
  'one retry too many': 3,
  'an absent attempt that is sent again whatever the hour': 153,
  'a resumption that revives what was missed': 13,
  'a day that the payer was told of and that nobody waits for': 65,
  'a debit above the limit that nobody has approved': 14,
  'an approval that is not asked after when its debit is due': 14,
  'a debit that is sent beside one that its bank has not decided': 13,
  'an edit that changes a cycle of which the payer was told': 176,
}
const seedsFrom = (likely: number) => [likely, ...Array.from({ length: FOUND_WITHIN }, (_, at) => at + 1).filter((seed) => seed !== likely)]

const withFault = (planted: readonly PlantedFault[], work: (newSimulation: NewSimulation) => Promise<void>) =>
  withPlantedSource(planted, async (copy) => {
    const { Simulation } = (await import(join(copy, 'src/sandbox/simulation.ts'))) as typeof import('../../../../src/sandbox/simulation.ts')
    await work((parts) => new Simulation(parts))
  })

test(`${HISTORIES} histories of ten years from seed ${FROM} go by the book`, async (t) => {
  const wrong: string[] = []
  for (let seed = FROM; seed < FROM + HISTORIES; seed++) {
    const found = await wrongsOf(seed, (parts) => new Simulation(parts))
    wrong.push(...found.slice(0, 3).map((what) => `seed ${seed}: ${what}`))
  }
  t.diagnostic(`seeds ${FROM} to ${FROM + HISTORIES - 1}`)
  assert.deepEqual(wrong, [])
})

for (const [fault, planted] of Object.entries(faults)) {
  test(`${fault}: found within ${FOUND_WITHIN} histories`, async (t) => {
    await withFault(planted, async (newSimulation) => {
      for (const seed of seedsFrom(showsIn[fault] ?? 1)) {
        const first = (await wrongsOf(seed, newSimulation)).find((wrong) => (shows[fault] ?? ANY_BREACH).test(wrong))
        if (first === undefined) continue
        t.diagnostic(`seed ${seed}: ${first}`)
        return
      }
      assert.fail(`not found in ${FOUND_WITHIN} histories`)
    })
  })
}
