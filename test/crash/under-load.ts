// When a service that a test is about to kill or stop is under load.

import { setTimeout as sleep } from 'node:timers/promises'

const ACKNOWLEDGED_MIN = 16 // before the load counts as one: the first after a start take as long as the machine is busy
const LOADING_MS_MAX = 20_000 // a service that acknowledges less in this time is at fault

/** Waits until the list, to which the load adds, has grown. */
export async function untilUnderLoad(acknowledged: readonly unknown[]): Promise<void> {
  const enough = acknowledged.length + ACKNOWLEDGED_MIN
  for (const from = performance.now(); acknowledged.length < enough && performance.now() < from + LOADING_MS_MAX; ) await sleep(1)
}
