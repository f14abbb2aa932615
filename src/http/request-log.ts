// What operators see of requests: operation, code, parameter and the request's own id; of which order once the credential
// held; never a value that somebody else sent (SECURITY.md). A flood of one refusal is a line a second with a count.

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

  /** To be called every second, and at the end. */
  flush() {
    this.#lines.flush()
  }
}

/** A request that was refused; a payment or a refund that failed is an answer to a question about it. */
export function isRefusal({ operation, status, name }: ResultCode) {
  if (status !== 'TXN_FAILURE') return status === 'F' || status === 'FAILURE'
  return operation === 'applyRefund' || (name.startsWith('invalid') && name !== 'invalidInstrument')
}
