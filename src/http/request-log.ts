// What operators see of requests: operation, code, parameter, the request's id, and its order once the credential held. A value that a
// caller sent never appears (SECURITY.md). A flood of one refusal is one line a second with a count.

import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../engine/clock.ts'
import { loggedError } from '../engine/logged-error.ts'
import type { ResultCode } from '../interface/result-codes.ts'
import { AlikeLines } from './alike-lines.ts'
import type { RouteAnswer } from './handler.ts'

export class RequestLog {
  readonly #logger: FastifyBaseLogger
  readonly #lines: AlikeLines

  constructor(logger: FastifyBaseLogger, clock: Pick<Clock, 'elapsed'>) {
    this.#logger = logger
    this.#lines = new AlikeLines(logger, clock)
  }

  begun(request: string, operation: string) {
    this.#logger.debug({ request, operation }, 'begun')
  }

  answered(request: string, operation: string, { result, parameter, error, about }: RouteAnswer) {
    const { code, name } = result
    const more = { request, ...about }
    if (error) this.#lines.write('error', 'system error', { operation, code, error: error.name }, { ...more, error: loggedError(error) })
    else if (isRefusal(result))
      this.#lines.write('info', 'refused', { operation, code, name }, { ...more, ...(parameter && { parameter }) })
    else this.#logger.debug({ ...more, operation, code }, 'done')
  }

  unexpected(request: string, error: Error) {
    this.#lines.write('error', 'unexpected', { error: error.name }, { request, error: loggedError(error) })
  }

  /** Called every second, and at the end. */
  flush() {
    this.#lines.flush()
  }
}

/** True for a refused request. A reply that reports a failed payment or refund is an answer to a question about it. */
export function isRefusal({ operation, status, name }: ResultCode) {
  if (status !== 'TXN_FAILURE') return status === 'F' || status === 'FAILURE'
  return operation === 'applyRefund' || (name.startsWith('invalid') && name !== 'invalidInstrument')
}
