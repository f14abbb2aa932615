// A bank tells us that something has become of a payment. Nothing of it is believed: the payment is asked after, now instead
// of when the schedule has it.

import type { Clock } from '../engine/clock.ts'
import type { Engine } from '../engine/engine.ts'
import type { TaskRunner } from '../engine/tasks.ts'
import { askNow } from '../transaction/ask-now.ts'

const TOLD_AFTER_MS = 20 // ours: whoever is asking at this moment has had his answer by then

export const toldOf =
  ({ engine, clock }: { engine: Pick<Engine, 'submit'>; clock: Clock }, tasks: () => TaskRunner) =>
  async (key: string): Promise<void> => {
    const [mid = '', txnId = ''] = key.split(':')
    const asking = clock.sleep(TOLD_AFTER_MS).then(() => engine.submit(askNow, { mid, txnId, now: clock.now(), realNow: clock.realNow() }))
    await tasks().follow(asking)
  }
