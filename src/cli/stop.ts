// How the service ends on a signal: by itself, or after a bounded time.

import type { Clock } from '../engine/clock.ts'
import { exits } from './exits.ts'

/** docs/operating/watch.md. main.ts cuts callers off after ten seconds, so a longer wait means a store that does not answer. */
const STOP_MAX_MS = 15_000

export interface Ending extends Pick<Clock, 'every'> {
  exit(code: number): void
  say(sentence: string): void
}

/** An end in the middle loses nothing: every answer is committed, and unfinished tasks are claimed again. */
export async function stopBy(close: () => Promise<void>, { every, exit, say }: Ending): Promise<void> {
  const stopWaiting = every(STOP_MAX_MS, () => {
    say(`the service did not stop within ${STOP_MAX_MS / 1_000} seconds, so the process ends now`)
    exit(exits.away.code)
  })
  await close()
  stopWaiting()
  exit(exits.done.code)
}
