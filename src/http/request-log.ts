// What operators see of requests: operation, code, parameter and the request's own id; of which order once the credential
// held; never a value that somebody else sent (SECURITY.md). A flood of one refusal is a line a second with a count.

import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../engine/clock.ts'
import type { ResultCode } from '../interface/result-codes.ts'
import { loggedError } from './logged-error.ts'
import type { Answer } from './route.ts'

const ONE_LINE_PER_MS = 1_000 // docs/operating.md: for each operation and row of its code table

type Level = 'error' | 'info'
type Fields = Readonly<Record<string, unknown>>

interface Written {
  level: Level
  message: string
  of: Fields
  at: number
  /** How many like it have come since. */
  alike: number
}

export class RequestLog {
  readonly #logger: FastifyBaseLogger
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #written = new Map<string, Written>()

  constructor(logger: FastifyBaseLogger, clock: Pick<Clock, 'elapsed'>) {
    this.#logger = logger
    this.#clock = clock
  }

  begun(request: string, operation: string) {
    this.#logger.debug({ request, operation }, 'begun')
  }

  answered(request: string, operation: string, { result, parameter, error, about }: Answer) {
    const { code, name } = result
    const more = { request, ...about }
    if (error) this.#write('error', 'system error', { operation, code, error: error.name }, { ...more, error: loggedError(error) })
    else if (isRefusal(result)) this.#write('info', 'refused', { operation, code, name }, { ...more, ...(parameter && { parameter }) })
    else this.#logger.debug({ ...more, operation, code }, 'done')
  }

  unexpected(request: string, error: Error) {
    this.#write('error', 'unexpected', { error: error.name }, { request, error: loggedError(error) })
  }

  /** Tells of those that had no line of their own; to be called every second, and at the end. */
  flush() {
    for (const [key, { level, message, of, at, alike }] of this.#written) {
      if (this.#clock.elapsed() - at < ONE_LINE_PER_MS) continue
      this.#written.delete(key)
      if (alike > 0) this.#write(level, message, of, { alike })
    }
  }

  #write(level: Level, message: string, of: Fields, more: Fields) {
    const key = JSON.stringify([message, of])
    const before = this.#written.get(key)
    const now = this.#clock.elapsed()
    if (before && now - before.at < ONE_LINE_PER_MS) {
      before.alike++
      return
    }
    this.#written.set(key, { level, message, of, at: now, alike: 0 })
    this.#logger[level]({ ...of, ...(before && before.alike > 0 && { alike: before.alike }), ...more }, message)
  }
}

/** A request that was refused; a payment or a refund that failed is an answer to a question about it. */
function isRefusal({ operation, status, name }: ResultCode) {
  if (status !== 'TXN_FAILURE') return status === 'F' || status === 'FAILURE'
  return operation === 'applyRefund' || (name.startsWith('invalid') && name !== 'invalidInstrument')
}
