// How the service ends when it is told to: by itself, or at the latest after a while.

import type { Clock } from '../engine/clock.ts'
import { exits } from './exits.ts'

/** docs/operating/watch.md. What others keep waiting is cut off after ten seconds (main.ts); what then waits still is a store that does not answer. */
const STOP_MAX_MS = 15_000

export interface Ending extends Pick<Clock, 'every'> {
  exit(code: number): void
  say(sentence: string): void
}

/** Nothing is lost by an end in the middle: what was answered is committed, and what was begun is claimed again. */
export async function stopBy(close: () => Promise<void>, { every, exit, say }: Ending): Promise<void> {
  const stopWaiting = every(STOP_MAX_MS, () => {
    say(`the stop has not come to its end within ${STOP_MAX_MS / 1_000} seconds: the process ends without`)
    exit(exits.away.code)
  })
  await close()
  stopWaiting()
  exit(exits.done.code)
}
