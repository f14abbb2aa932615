// Log lines that may come in floods. At most one line of a kind is written in a second. The next line of the kind has the number of lines
// that were left out.

import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../engine/clock.ts'

const ONE_LINE_PER_MS = 1_000 // docs/operating/watch.md: for each operation and row of its code table

type Level = 'error' | 'info'
type Fields = Readonly<Record<string, unknown>>

interface Written {
  level: Level
  message: string
  of: Fields
  at: number
  /** How many more lines of the kind have come since. */
  alike: number
}

export class AlikeLines {
  readonly #logger: Pick<FastifyBaseLogger, Level>
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #written = new Map<string, Written>()

  constructor(logger: Pick<FastifyBaseLogger, Level>, clock: Pick<Clock, 'elapsed'>) {
    this.#logger = logger
    this.#clock = clock
  }

  /** The message and `of` make the kind of a line. The log has `more` only from the first line of a kind. */
  write(level: Level, message: string, of: Fields, more: Fields) {
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

  /** Writes the count of the lines that were left out. Called every second, and at the end. */
  flush() {
    for (const [key, { level, message, of, at, alike }] of this.#written) {
      if (this.#clock.elapsed() - at < ONE_LINE_PER_MS) continue
      this.#written.delete(key)
      if (alike > 0) this.write(level, message, of, { alike })
    }
  }
}
