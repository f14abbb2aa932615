// Answers people's questions beside the work: lists, search and exports never wait for the decisions about orders, and no order waits for
// them. SQLite answers questions in a separate thread, PostgreSQL on two separate connections.

import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { CompiledQuery, QueryResult } from 'kysely'
import type { Query } from '../../../engine/decision.ts'
import { Unreachable } from '../../../engine/store.ts'
import type { Settings } from '../../../settings.ts'
import { sqlState } from '../commit-answers.ts'
import type { PostgresPipeline } from '../postgres-pipeline.ts'
import { openPool, PostgresDriver } from '../postgres-pool.ts'
import type { BeginSettings, Session, Sessions } from '../session.ts'
import { SqlStore } from '../sql-store.ts'
import type { Vault } from '../vault.ts'
import type { AsideAnswer, AsideQuestion } from './aside-worker.ts'

const WAITS_MS = 5_000 // Mohur's choice: a question's wait for its turn; openPool bounds PostgreSQL's answer by the same time
const IDLE_MS = 5 * 60_000 // Mohur's choice: then the thread ends, because it takes some 10 MB
const CONNECTIONS = 2 // docs/operating/postgresql.md
const QUERY_CANCELED = '57014'
/** A thread's file is named here, where no compiler sees it. A package has it beside this code too, but not as TypeScript. */
const THREAD = `./aside-worker${extname(import.meta.url)}`

class AsideBusy extends Error {
  override readonly name = 'AsideBusy'
}

/** True when the question waited too long for its turn, or its answer took too long. A narrower question would be answered. */
export const isBusy = (error: unknown): boolean =>
  sqlState(error) === QUERY_CANCELED || (error instanceof Unreachable && error.cause instanceof AsideBusy)

export interface Aside {
  /** When this throws, `isBusy` says whether a narrower question would help. */
  query: Query
  close(): Promise<void>
}

/** No thread starts, and no connection opens, before the first question. */
export function openAside(
  { databaseUrl, dataFolder }: Pick<Settings, 'databaseUrl' | 'dataFolder'>,
  vault: Vault,
  waitsMs = WAITS_MS,
): Aside {
  const sessions = databaseUrl
    ? new AsideConnections(databaseUrl, new Turns(CONNECTIONS, waitsMs))
    : new AsideThread(join(dataFolder, 'mohur.sqlite'), new Turns(1, waitsMs))
  const { query } = new SqlStore(
    {
      name: databaseUrl ? 'postgres' : 'sqlite',
      reading: sessions,
      writing: sessions,
      concurrency: 1,
      takesArrays: false,
      insertsGiveWay: false,
      lockClause: '',
      meaningOf: (error) => error,
      close: () => sessions.destroy(),
    },
    vault,
  )
  return { query, close: () => sessions.destroy() }
}

/** Questions take turns. One that waits too long fails with `AsideBusy`. */
class Turns {
  readonly #places: number
  readonly #waitsMs: number
  readonly #waiting: (() => void)[] = []
  #taken = 0

  constructor(places: number, waitsMs: number) {
    this.#places = places
    this.#waitsMs = waitsMs
  }

  async take() {
    if (this.#taken === this.#places) await this.#given()
    else this.#taken++
  }

  leave() {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#taken--
  }

  areAllFree = () => this.#taken === 0

  #given(): Promise<void> {
    return new Promise((resolve, reject) => {
      const begins = () => {
        clearTimeout(late)
        resolve()
      }
      const late = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(begins), 1)
        reject(new AsideBusy('too many questions are waiting'))
      }, this.#waitsMs)
      this.#waiting.push(begins)
    })
  }
}

/** A pool would fail alike for a question that waits too long and for a database that does not answer. */
class AsideConnections extends PostgresDriver {
  readonly #turns: Turns

  constructor(url: string, turns: Turns) {
    super(openPool(url, CONNECTIONS, 'asks aside'), { answersWithinMs: 2 * WAITS_MS })
    this.#turns = turns
  }

  override async acquireConnection() {
    await this.#turns.take()
    try {
      return await super.acquireConnection()
    } catch (error) {
      this.#turns.leave()
      throw error
    }
  }

  override async releaseConnection(flight: PostgresPipeline) {
    await super.releaseConnection(flight)
    this.#turns.leave()
  }
}

/** Answers one question after another, in a thread that starts with the first and ends after a while without any. */
class AsideThread implements Sessions {
  readonly #file: string
  readonly #turns: Turns
  #thread: Thread | undefined
  #ends: NodeJS.Timeout | undefined

  constructor(file: string, turns: Turns) {
    this.#file = file
    this.#turns = turns
  }

  async init() {}

  async acquireConnection(): Promise<Session> {
    clearTimeout(this.#ends)
    await this.#turns.take()
    return this.#session
  }

  async releaseConnection() {
    this.#turns.leave()
    if (this.#turns.areAllFree()) this.#ends = setTimeout(() => void this.destroy(), IDLE_MS).unref()
  }

  async beginTransaction(_: Session, { isReading }: BeginSettings) {
    if (!isReading) throw new Error('nothing is written aside')
    await this.#ask('begin', [])
  }
  async commitTransaction() {
    await this.#ask('commit', [])
  }
  async rollbackTransaction() {
    await this.#ask('rollback', [])
  }

  async destroy() {
    clearTimeout(this.#ends)
    const thread = this.#thread
    this.#thread = undefined
    await thread?.worker.terminate()
  }

  readonly #session: Session = {
    executeQuery: async <R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> => ({
      rows: (await this.#ask(sql, parameters as AsideQuestion['values'])) as R[],
    }),
    write: () => Promise.reject(new Error('nothing is written aside')),
    writeRows: () => Promise.reject(new Error('nothing is written aside')),
    // biome-ignore lint/correctness/useYield: nothing here streams; the interface wants the method
    async *streamQuery(): AsyncGenerator<never> {
      throw new Error('the embedded store does not stream')
    },
  }

  #ask(sql: string, values: AsideQuestion['values']): Promise<object[]> {
    this.#thread ??= this.#begun()
    const { worker, asked } = this.#thread
    return new Promise((resolve, reject) => {
      asked.push({ resolve, reject })
      worker.postMessage({ sql, values } satisfies AsideQuestion)
    })
  }

  #begun(): Thread {
    const worker = new Worker(new URL(THREAD, import.meta.url), { workerData: { file: this.#file } })
    const asked: Asked[] = []
    const thread = { worker, asked }
    worker.unref()
    worker.on('message', (answered: AsideAnswer) => {
      const first = asked.shift()
      if ('rows' in answered) first?.resolve(answered.rows)
      else first?.reject(new Error(answered.error))
    })
    // The next question starts another thread, perhaps before the old one has ended.
    const ended = (cause?: unknown) => {
      if (this.#thread === thread) this.#thread = undefined
      for (const each of asked.splice(0)) each.reject(new Unreachable('the thread that answers questions has ended', { cause }))
    }
    worker.on('error', ended).on('exit', () => ended())
    return thread
  }
}

interface Asked {
  resolve(rows: object[]): void
  reject(error: Error): void
}
/** A thread answers its statements in their order. `asked` has only this thread's unanswered statements. */
interface Thread {
  worker: Worker
  asked: Asked[]
}
