// A bank tells us that something has become of a key: of a payment, a notice, a debit. Nothing of it is believed: the bank is
// asked, now instead of when the schedule has it.

import type { Clock } from '../engine/clock.ts'
import type { Engine } from '../engine/engine.ts'
import type { TaskRunner } from '../engine/tasks.ts'
import { lookNow } from '../subscription/look-now.ts'
import { askNow } from '../transaction/ask-now.ts'

const TOLD_AFTER_MS = 20 // ours: whoever is asking at this moment has had his answer by then
const DAY_FORM = /^\d{8}$/

export interface ToldParts {
  engine: Pick<Engine, 'submit'>
  clock: Clock
}

export const toldOf =
  (parts: ToldParts, tasks: () => TaskRunner) =>
  async (key: string): Promise<void> => {
    const { clock } = parts
    await tasks().follow(clock.sleep(TOLD_AFTER_MS).then(() => ask(parts, key)))
    tasks().wake()
  }

/** The forms of keys: docs/acquirer.md. */
async function ask({ engine, clock }: ToldParts, key: string): Promise<unknown> {
  const [mid = '', id = '', what = ''] = key.split(':')
  const now = clock.now()
  if (DAY_FORM.test(what)) return engine.submit(lookNow, { mid, collectionId: `${id}.${what}`, now })
  return engine.submit(askNow, { mid, txnId: id, now, realNow: clock.realNow() })
}
