// A request to the console's path that came under another host: a proxy in front does not pass on the host that browsers name
// (docs/operating/install.md, "The proxy").

import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../../engine/clock.ts'

const SAID_EVERY_MS = 60_000 // Mohur's choice: anybody can send such requests
const SHOWN_MAX = 100 // letters: enough to know the host again

/** What came is anybody's: only letters that a host may have are shown. */
export const shownHost = (given: string): string => given.replaceAll(/[^A-Za-z0-9.:[\]-]/g, '').slice(0, SHOWN_MAX)

/** Writes one line a minute at most. */
export function otherHost(logger: Pick<FastifyBaseLogger, 'warn'>, clock: Pick<Clock, 'elapsed'>, expected: string) {
  let from = Number.NEGATIVE_INFINITY
  return (given: string) => {
    if (clock.elapsed() < from) return
    from = clock.elapsed() + SAID_EVERY_MS
    logger.warn({ expected, came: shownHost(given) }, 'a request for the console came under another host')
  }
}
