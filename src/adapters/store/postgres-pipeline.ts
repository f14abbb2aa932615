// Sends statements to PostgreSQL without waiting for the answers to earlier ones. So any number of statements that are sent at once
// cost one round trip. The server carries them out and answers in the order they arrived.

import { CompiledQuery, type QueryResult } from 'kysely'
import type pg from 'pg'
import { CommitUnknown, TryAgain, Unreachable } from '../../engine/store.ts'
import type { DatabaseValue } from './codec.ts'
import { type AnswerToCommit, commitAnswerTo, sqlState } from './commit-answers.ts'
import type { BeginSettings, Session } from './session.ts'

/** These connections are known to be gone. Nothing more is sent on them. */
const lost = new WeakSet<pg.ClientBase>()

/** Connections of a pool that were opened before one of them met a server that may only be read. Then all of them are over. */
export interface Generation {
  isOver: boolean
}
const generations = new WeakMap<pg.ClientBase, Generation>()

/** SQLSTATEs of the server's notices since its last answer. The notices belong to the next answer. */
const remarks = new WeakMap<pg.ClientBase, string[]>()

/** From a connection's first moment, notes its end and the server's notices. */
export function watch(client: pg.ClientBase, generation: Generation) {
  generations.set(client, generation)
  remarks.set(client, [])
  client.on('error', () => lost.add(client))
  client.on('notice', ({ code }) => remarks.get(client)!.push(code ?? ''))
}

export interface Limits {
  /** From a statement's sending to its answer. A connection that takes longer is ended. Absent: no limit. */
  answersWithinMs?: number
}
/** The message of `pg`, without a code, when a statement has no answer in time and `pg` ends the connection. */
const SILENT = 'Query read timeout'

/**
 * One connection, and the state of its transaction. Its rules:
 * - BEGIN leaves with the first read. A write waits for BEGIN's answer: had BEGIN failed, each write would commit by itself.
 * - A write does not wait for its answer: the answers to the next read, or to COMMIT, come behind it.
 * - The first statement that fails gives the error for all: behind it the server only says that the transaction is over.
 * - COMMIT has happened when its answer says COMMIT and nothing beside it: commit-answers.ts has every answer.
 * - The service waits for nothing without end: the server's host may have vanished without a word.
 */
export class PostgresPipeline implements Session {
  readonly #client: pg.PoolClient
  readonly #limits: Limits
  #begun: 'not' | 'with the first statement' | Promise<void> = 'not'
  #beginText = 'begin'
  #failure: Error | undefined
  /** The transaction has sent more than reads. */
  #wrote = false
  /** The connection may still be within a transaction, so no other user gets it. */
  #isBroken = false

  constructor(client: pg.PoolClient, limits: Limits) {
    this.#client = client
    this.#limits = limits
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { sql, parameters } = query
    const begun = this.#begin()
    if (begun && isPlainInsert(sql)) return { rows: [], ...(await this.write(query)) }
    if (begun && !sql.startsWith('select')) {
      this.#wrote = true
      await begun
      if (this.#failure) throw this.#failure
    }
    const { rows, rowCount } = await this.#answer(named(sql, parameters))
    return { rows: rows as R[], numAffectedRows: BigInt(rowCount ?? 0) }
  }

  /** Resolves when the statement is sent, before its answer. */
  async write({ sql, parameters }: CompiledQuery) {
    await this.#begin()
    if (this.#failure) throw this.#failure
    this.#wrote = true
    this.#send(named(sql, parameters), (error) => {
      if (error) this.#failure ??= error
    })
    return {}
  }

  /** One array for each column, so any number of rows is one statement and one round trip. */
  writeRows(sql: string, rows: readonly (readonly DatabaseValue[])[]) {
    return this.write(
      CompiledQuery.raw(
        sql,
        rows[0]!.map((_, column) => rows.map((values) => values[column])),
      ),
    )
  }

  /** `lockWaitMs` is how long the transaction waits for a row, in place of the connection's own limit. */
  begin({ lockWaitMs, isReading = false }: BeginSettings) {
    this.#begun = 'with the first statement'
    const begin = isReading ? 'begin isolation level repeatable read read only' : 'begin'
    this.#beginText = lockWaitMs === undefined ? begin : `${begin}; set local lock_timeout = ${lockWaitMs}`
  }

  /** Sends BEGIN before a transaction's first statement. Returns the answer to BEGIN, or undefined outside a transaction. */
  #begin(): Promise<void> | undefined {
    if (this.#begun === 'with the first statement')
      this.#begun = new Promise((resolve) => {
        this.#send({ text: this.#beginText }, (error) => {
          if (error) this.#failure ??= new Unreachable('the database cannot be reached', { cause: error })
          resolve()
        })
      })
    return this.#begun === 'not' ? undefined : this.#begun
  }

  #answer(query: pg.QueryConfig): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      this.#send(query, (error, result) => {
        if (!error) return resolve(result!)
        if (this.#begun !== 'not') this.#failure ??= error
        reject(this.#failure ?? error)
      })
    })
  }

  #send(query: pg.QueryConfig, answered: (error: Error | null, result?: pg.QueryResult, remarked?: readonly string[]) => void) {
    const limited: pg.QueryConfig & pg.ClientConfig = { ...query, query_timeout: this.#limits.answersWithinMs }
    this.#client.query(limited, (error: Error | null, result: pg.QueryResult) => {
      if (error) this.#look(error)
      const remarked = remarks.get(this.#client)?.splice(0)
      if (error?.message !== SILENT) return answered(error, result, remarked)
      lost.add(this.#client)
      answered(new Unreachable('the database does not answer', { cause: error }))
    })
  }

  #look(error: Error) {
    const state = sqlState(error) ?? ''
    if (GOES_AWAY.test(state)) lost.add(this.#client)
    // After a fail-over by name the old server is a standby, and its connections still answer. So the pool replaces all of them.
    const generation = generations.get(this.#client)
    if (state === READ_ONLY && generation) generation.isOver = true
  }

  /**
   * If a write or the COMMIT failed, and certainly nothing was committed, throws the first error. If that is uncertain, throws
   * CommitUnknown. A transaction that wrote nothing may be repeated in any case.
   */
  async commit(): Promise<void> {
    if (!(this.#begun instanceof Promise)) return // no statement was sent
    if (this.#failure) throw this.#failure
    if (lost.has(this.#client)) throw new Error('the connection was lost before COMMIT was sent')
    const said = await new Promise<Omit<AnswerToCommit, 'before' | 'wrote'>>((resolve) => {
      this.#send({ text: 'commit' }, (error, result, remarked = []) =>
        resolve({ tag: result?.command, error: error ?? undefined, remarked }),
      )
    })
    const before = this.#failure as Error | undefined // of a write that left with COMMIT
    const { outcome, process: then } = commitAnswerTo({ ...said, before, wrote: this.#wrote })
    if (said.tag === 'COMMIT') this.#end() // no transaction is open that could be rolled back
    const cause = before ?? said.error
    if (outcome === 'undone' && !this.#wrote) throw new TryAgain('nothing was written, and COMMIT failed', { cause })
    if (outcome === 'undone') throw cause ?? new Error('the server had given the transaction up before COMMIT')
    if (outcome === 'unconfirmed') throw new CommitUnknown('no synchronous standby confirmed a COMMIT', { process: then })
    if (outcome === 'unknown') throw new CommitUnknown('COMMIT failed', { cause, process: then })
  }

  /** ROLLBACK is answered after all statements under way. So afterwards no statement is under way. */
  async rollback(): Promise<void> {
    try {
      if (this.#begun instanceof Promise && !lost.has(this.#client)) await this.#answer({ text: 'rollback' })
    } catch (error) {
      this.#isBroken = true
      throw error
    } finally {
      this.#end()
    }
  }

  #end() {
    this.#begun = 'not'
    this.#failure = undefined
    this.#wrote = false
  }

  /** True when the connection must not be used again. */
  get isOver(): boolean {
    return this.#isBroken || lost.has(this.#client) || generations.get(this.#client)?.isOver === true
  }

  release() {
    this.#client.release(this.isOver)
  }

  // biome-ignore lint/correctness/useYield: nothing here streams; the interface wants the method
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error('the store does not stream')
  }
}

/** The server, or the transaction, is read-only. COMMIT itself writes nothing that a read-only server could refuse. */
export const READ_ONLY = '25006'
/** With these the server ends the connection: it shuts down, has crashed, or does not serve yet. */
const GOES_AWAY = /^57P0[123]$/

/** A plain insert writes all its rows or fails, and returns none. So no caller waits for its answer. */
const isPlainInsert = (sql: string) => sql.startsWith('insert') && !/ (returning|on conflict) /.test(sql)

/** Each statement is prepared under a name, because the store runs a small fixed set of them. */
function named(text: string, parameters: readonly unknown[]): pg.QueryConfig {
  let name = names.get(text)
  if (!name) {
    name = `s${names.size}`
    names.set(text, name)
  }
  return { name, text, values: parameters as unknown[] }
}
const names = new Map<string, string>()
