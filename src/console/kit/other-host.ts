// A request to the console's path under another host: the proxy in front does not pass on the host that browsers name
// (docs/operating/install.md, "The proxy").

import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../../engine/clock.ts'
import { onceAMinute } from '../../http/once-a-minute.ts'

const SHOWN_MAX = 100 // Mohur's choice, in letters: enough to recognise the host

/** A caller chose the text, so only letters that a host may have are shown. */
export const shownHost = (given: string): string => given.replaceAll(/[^A-Za-z0-9.:[\]-]/g, '').slice(0, SHOWN_MAX)

/** Writes at most one line a minute. */
export function otherHost(logger: Pick<FastifyBaseLogger, 'warn'>, clock: Pick<Clock, 'elapsed'>, expected: string) {
  const isDue = onceAMinute(clock)
  return (given: string) => {
    if (isDue()) logger.warn({ expected, came: shownHost(given) }, 'a request for the console came under another host')
  }
}
