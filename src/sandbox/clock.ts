// The sandbox's business clock. Its offset is stored, so the offset survives a restart and holds in a second process. The offset only
// grows, until the store is emptied.

import { RESETS } from '../adapters/store/empty-store.ts'
import { SystemClock } from '../engine/clock.ts'
import type { Query } from '../engine/decision.ts'
import type { ClockMove } from '../engine/draining.ts'
import { type Store, transact } from '../engine/store.ts'
import type { TaskRunner } from '../engine/tasks.ts'
import { settingKey } from '../tables/keys.ts'
import { find, type Row } from '../tables/tables.ts'

const NAME = 'clockOffsetMs'
const ADVANCE_MAX_MS = 20 * 366 * 86_400_000 // Mohur's choice: no mandate lives longer
const LATEST = Date.parse('9979-01-01T00:00:00+05:30') // Mohur's choice: everything that begins earlier has only dates with years of four digits
const REREAD_MS = 1_000 // Mohur's choice: two processes may differ for this long
/** The real time that one request may take. Mohur's choice: most proxies and clients wait for a minute. */
export const MOVE_MAX_MS = 30_000

export class SandboxClock {
  readonly #store: Store
  readonly #clock: SystemClock
  readonly #tasks: TaskRunner
  readonly #answered: () => number
  /** How often the store was emptied, as far as this process knows. Undefined before the first read. */
  #resets: string | undefined
  #onReset = () => {}

  /** `answered` counts the requests that this process has answered. */
  constructor(store: Store, clock: SystemClock, tasks: TaskRunner, answered = () => 0) {
    this.#store = store
    this.#clock = clock
    this.#tasks = tasks
    this.#answered = answered
  }

  now() {
    return this.#clock.now()
  }

  /**
   * Takes over the offset that another process, or this one before a restart, has stored. `emptied` is called when another process has
   * emptied the store.
   */
  async follow(emptied = () => {}) {
    this.#onReset = emptied
    await this.#reread()
    let isReading = false
    return this.#clock.every(REREAD_MS, () => {
      // A store that hangs gets no second query.
      if (isReading) return
      isReading = true
      const over = () => {
        isReading = false
      }
      this.#reread().then(over, over) // the next reading tries again
    })
  }

  /**
   * Runs every due task at its own instant, in order, until `withinMs` is over. A second call with the same target continues from there.
   */
  async advanceTo(target: number, withinMs = MOVE_MAX_MS): Promise<ClockMove> {
    const resets = this.#resets
    return this.#tasks.advance(target, (instant) => this.#moveTo(instant, resets), { withinMs, answered: this.#answered })
  }

  async #reread() {
    const { offsetMs, resets } = await stored(this.#store.query)
    const isKnown = this.#resets === undefined || this.#resets === resets
    this.#resets = resets
    if (isKnown) return this.#clock.setOffset(offsetMs)
    this.#tasks.endMoves()
    this.#clock.startOver(offsetMs)
    this.#onReset()
  }

  /** Called after this process has emptied the store. Returns the new time. */
  async startOver(): Promise<number> {
    await this.#reread()
    return this.now()
  }

  async #moveTo(instant: number, known: string | undefined): Promise<boolean> {
    const offsetMs = instant - this.#clock.realNow()
    const [key, resetsKey] = [settingKey(NAME), settingKey(RESETS)]
    const isMoved = await transact(this.#store, async (transaction) => {
      const rows = await transaction.read([key, resetsKey])
      const [before, resets] = [key, resetsKey].map(({ name }) => rows.get(name) as Row<'settings'> | undefined)
      // The store was emptied since the move began, so the move must not set the new store's clock.
      if ((resets?.value ?? NEVER) !== known) return false
      if (before && Number(before.value) >= offsetMs) return true
      await transaction.write({
        changes: [{ kind: before ? 'update' : 'insert', key, row: { name: NAME, value: String(offsetMs) } }],
        events: [],
        tasks: [],
      })
      return true
    })
    if (isMoved) this.#clock.setOffset(offsetMs)
    return isMoved
  }
}

/** The clock of a command that runs beside the service. A sandbox's time may have been moved. */
export async function clockOf(query: Query, mode: 'sandbox' | 'production' | undefined): Promise<SystemClock> {
  const clock = new SystemClock()
  if (mode === 'sandbox') clock.setOffset((await stored(query)).offsetMs)
  return clock
}

const NEVER = '0'

/** How far business time is ahead of real time in this store, and how often the store was emptied. */
async function stored(query: Query): Promise<{ offsetMs: number; resets: string }> {
  const rows = await query.rows(find('settings', { in: { column: 'name', values: [NAME, RESETS] }, limit: 2 }))
  const value = (wanted: string) => rows.find(({ name }) => name === wanted)?.value
  return { offsetMs: Number(value(NAME) ?? 0), resets: value(RESETS) ?? NEVER }
}

/**
 * Returns the instant that a request names: `{"advance": "P1Y"}` or `{"to": "2027-01-01T09:00:00+05:30"}`. Returns a sentence when the
 * request is unusable.
 */
export function targetOf(request: unknown, now: number): number | string {
  const { advance, to } = (typeof request === 'object' && request !== null ? request : {}) as { advance?: unknown; to?: unknown }
  if (typeof to === 'string' && advance === undefined) {
    const target = /[Zz]|[+-]\d\d:\d\d$/.test(to) ? Date.parse(to) : Number.NaN
    if (Number.isNaN(target)) return '`to` is not an ISO 8601 instant with an offset'
    return within(target, now)
  }
  if (typeof advance !== 'string' || to !== undefined) return 'send either {"advance": "P1D"} or {"to": "2027-01-01T09:00:00+05:30"}'
  return advanced(advance, now)
}

/** Years and months are those of India's calendar: a month after 31 January is the last day of February. */
function advanced(duration: string, now: number): number | string {
  try {
    const from = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO('Asia/Kolkata')
    return within(from.add(Temporal.Duration.from(duration)).epochMilliseconds, now)
  } catch {
    return '`advance` is not an ISO 8601 duration'
  }
}

function within(target: number, now: number): number | string {
  if (target < now) return 'the clock never goes back'
  if (target - now > ADVANCE_MAX_MS) return 'the clock moves by at most 20 years'
  return target > LATEST ? 'the clock ends with the year 9978' : target
}
