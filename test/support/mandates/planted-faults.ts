// Mistakes that the service's decisions on mandates may have. Each is planted into a copy of the source, and random histories find it.

import type { PlantedFault } from '../run/planted-source.ts'

interface Planted {
  fault: string
  source: readonly PlantedFault[]
  /** The breach by which the fault must be found, where the first breach in a history is another. */
  shown?: RegExp
  /** The seed that found it last, so that no run waits for the others. They run when that seed no longer finds it. */
  shownIn: number
}

export const PLANTED: readonly Planted[] = [
  {
    fault: 'hours that are not looked at',
    source: [
      {
        file: 'domain/subscription/collection/collection-check.ts',
        from: 'return within ? afterForbiddenHours(within.ends, rail, category, book) : at',
        to: 'return within ? at : at',
      },
    ],
    shownIn: 2,
  },
  {
    fault: 'a notice of 23 hours',
    source: [
      {
        file: 'domain/subscription/collection/rail-rules.ts',
        from: "from: '2026-04-21',\n    value: 24,",
        to: "from: '2026-04-21',\n    value: 23,",
      },
    ],
    shownIn: 4,
  },
  {
    fault: 'months that are not clamped',
    source: [
      {
        file: 'domain/subscription/collection/schedule.ts',
        from: 'start.add({ months: unit.step.months * count })',
        to: 'start.with({ day: 1 }).add({ months: unit.step.months * count }).add({ days: start.day - 1 })',
      },
    ],
    shownIn: 15,
  },
  {
    fault: 'one retry too many',
    source: [{ file: 'domain/subscription/collection/collection-times.ts', from: 'const wanted = 1 + (', to: 'const wanted = 2 + (' }],
    shownIn: 3,
  },
  {
    fault: 'an absent attempt that is sent again whatever the hour',
    source: [
      {
        file: 'flows/collection-calls.ts',
        from: 'await applyResult(parts, taken, bank.mandates ? await bank.status(taken.work.key) : UNKNOWN)',
        to: "const asked = await bank.status(taken.work.key)\n  await (asked.outcome === 'absent' ? collect(parts, taken) : applyResult(parts, taken, asked))",
      },
    ],
    shown: /at a forbidden/,
    shownIn: 153,
  },
  {
    fault: 'a resumption that revives what was missed',
    source: [
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
    shownIn: 13,
  },
  {
    fault: 'a day that the payer was told of and that nobody waits for',
    source: [
      {
        file: 'domain/subscription/collection/collection-check.ts',
        from: 'const noticedFor = standingNotice ? dayBegins(standingNotice.debitDate) : opensAt',
        to: 'const noticedFor = opensAt',
      },
    ],
    shown: / though its payer was told of /,
    shownIn: 65,
  },
  {
    fault: 'a debit above the limit that nobody has approved',
    source: [
      {
        file: 'domain/subscription/collection/collection-check.ts',
        from: "needsApproval(intent, day, book) ? never('notAuthenticated') : { at }",
        to: '{ at }',
      },
    ],
    shown: / though its payer had not approved it/,
    shownIn: 14,
  },
  {
    fault: 'an approval that is not asked after when its debit is due',
    source: [
      {
        file: 'domain/subscription/collection/due-cycle.ts',
        from: 'if (!isAwaited(collection) || asked?.isAnswered) return otherwise()',
        to: 'if (!asked || asked.isAnswered) return otherwise()',
      },
    ],
    shown: /not sent at .* though its payer had approved it/,
    shownIn: 14,
  },
  {
    fault: 'a debit that is sent beside one that its bank has not decided',
    source: [
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
      {
        file: 'domain/subscription/collection/advance-collection.ts',
        from: 'isBarred: isBarred(collection,',
        to: 'isBarred: (() => false)(collection,',
      },
    ],
    shown: /was sent when the bank had said pending/,
    shownIn: 13,
  },
  {
    fault: 'an edit that changes a cycle of which the payer was told',
    source: [
      {
        file: 'domain/subscription/collection/debit-cycle.ts',
        from: '...{ subscription, collection, first, now, sendAt: now, amountPaise: collection.amountPaise! },',
        to: '...{ subscription, collection, first, now, sendAt: now, amountPaise: subscription.renewalAmountPaise! },',
      },
    ],
    shownIn: 176,
  },
]
