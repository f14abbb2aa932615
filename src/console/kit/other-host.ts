// A request to the console's path that came under another host: a proxy in front does not pass on the host that browsers name
// (docs/operating/install.md, "The proxy").

import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../../engine/clock.ts'
import { onceAMinute } from '../../http/once-a-minute.ts'

const SHOWN_MAX = 100 // letters: enough to know the host again

/** What came is anybody's: only letters that a host may have are shown. */
export const shownHost = (given: string): string => given.replaceAll(/[^A-Za-z0-9.:[\]-]/g, '').slice(0, SHOWN_MAX)

/** Writes one line a minute at most. */
export function otherHost(logger: Pick<FastifyBaseLogger, 'warn'>, clock: Pick<Clock, 'elapsed'>, expected: string) {
  const isDue = onceAMinute(clock)
  return (given: string) => {
    if (isDue()) logger.warn({ expected, came: shownHost(given) }, 'a request for the console came under another host')
  }
}
