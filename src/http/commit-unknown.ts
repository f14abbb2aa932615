// What this process does about a COMMIT whose outcome is unknown, after its callers got that answer: docs/decisions/0020.

import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../engine/clock.ts'
import { loggedError } from '../engine/logged-error.ts'
import type { CommitUnknown } from '../engine/store.ts'
import { AlikeLines } from './alike-lines.ts'
import type { Readiness } from './readiness.ts'

const LAST_REPLIES_MS = 50 // for the replies of a batch whose COMMIT failed

interface Parts {
  logger: Pick<FastifyBaseLogger, 'error' | 'info' | 'fatal'>
  clock: Pick<Clock, 'elapsed' | 'sleep'>
  readiness: Pick<Readiness, 'end'>
  exit(): void
}

export function onCommitUnknown({ logger, clock, readiness, exit }: Parts) {
  const lines = new AlikeLines(logger, clock)
  return (error: CommitUnknown) => {
    if (error.process === 'goes on')
      return lines.write(
        'error',
        'a COMMIT came with a warning: its rows are there, but no synchronous standby has confirmed them, and a fail-over may lose them',
        {},
        { error: loggedError(error) },
      )
    readiness.end()
    logger.fatal({ error: loggedError(error) }, 'a COMMIT has an unknown outcome; stopping')
    void clock.sleep(LAST_REPLIES_MS).then(exit)
  }
}
