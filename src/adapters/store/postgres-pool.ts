// Connections to PostgreSQL: how they are opened, how long they are kept, and when one is given up.

import pg from 'pg'
import { type Generation, type Limits, PostgresPipeline, watch } from './postgres-pipeline.ts'
import type { BeginSettings, Sessions } from './session.ts'

const CONNECT_TIMEOUT_MS = 5_000 // also the wait for a free connection
const LIFETIME_S = 300 // so that a process that only reads follows a name that now leads to another server
const KEEP_ALIVE_MS = 10_000 // idle; ten seconds later a connection whose other end has vanished is over
/** Longer than a batch, and longer than a frozen process can lock a row. So a waiting process gets the row. */
const LOCK_TIMEOUT_MS = 8_000
const IDLE_IN_TRANSACTION_MS = { writing: 6_000, reading: 10_000 } // statements lie milliseconds apart; `verify` compares between its own
const READS = '-c default_transaction_read_only=on'
/**
 * The service's frequent questions go through an index, in its order, and named keys are looked up one by one. PostgreSQL keeps a
 * prepared statement's plan until it has analysed the table again, a minute later or more. A plan for a small table would scan, sort or
 * join the whole of one that grows (docs/decisions/0009, 0014, 0036).
 */
const PLANS = '-c enable_seqscan=off -c enable_bitmapscan=off -c enable_mergejoin=off -c enable_hashjoin=off -c jit=off'
const SERVES = `${PLANS} -c client_min_messages=warning` // a COMMIT may come with a warning (docs/decisions/0020)
/**
 * People ask seldom, and each time something else, so each question gets its own plan. All lists go through an index in its order:
 * without statistics, as after quick growth, PostgreSQL would sort the whole period (docs/decisions/0029). After five seconds a person
 * has to narrow the period.
 */
const ASKS_ASIDE = `${READS} -c enable_bitmapscan=off -c jit=off -c plan_cache_mode=force_custom_plan -c statement_timeout=5000`
const INT8 = 20

export type PoolUse = 'serves' | 'reads' | 'asks aside'
const OPTIONS: Readonly<Record<PoolUse, string>> = { serves: SERVES, reads: READS, 'asks aside': ASKS_ASIDE }

export function openPool(url: string, max: number, use: PoolUse): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    options: OPTIONS[use],
    max,
    pipeline: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    maxLifetimeSeconds: LIFETIME_S,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    // A process that stands still within a transaction locks rows that all others wait for.
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS[use === 'serves' ? 'writing' : 'reading'],
    lock_timeout: LOCK_TIMEOUT_MS,
    application_name: 'mohur',
    // Amounts and times stay below 2^53, so an int8 is a number.
    types: {
      getTypeParser: (oid: number, format?: 'text') => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)),
    } as pg.CustomTypesConfig,
  })
  let generation: Generation = { isOver: false }
  // `watch` listens for a connection that is lost while in use, because an event without a listener would end the process. The query
  // itself fails.
  pool.on('connect', (client) => {
    if (generation.isOver) generation = { isOver: false }
    watch(client, generation)
  })
  pool.on('error', () => {}) // an idle connection was lost; the next query opens another or throws the error
  return pool
}

export class PostgresDriver implements Sessions {
  readonly #pool: pg.Pool
  readonly #limits: Limits

  constructor(pool: pg.Pool, limits: Limits) {
    this.#pool = pool
    this.#limits = limits
  }
  async init() {}
  async acquireConnection() {
    for (;;) {
      const flight = new PostgresPipeline(await this.#pool.connect(), this.#limits)
      if (!flight.isOver) return flight
      flight.release() // this ends: the pool has only so many of these, and connections opened now are of a new generation
    }
  }
  async beginTransaction(flight: PostgresPipeline, settings: BeginSettings) {
    flight.begin(settings)
  }
  commitTransaction(flight: PostgresPipeline) {
    return flight.commit()
  }
  rollbackTransaction(flight: PostgresPipeline) {
    return flight.rollback()
  }
  async releaseConnection(flight: PostgresPipeline) {
    flight.release()
  }
  async destroy() {
    await this.#pool.end()
  }
}
