// The sandbox's bank: the requests that it received, a journal of what it really did, and the scripts for its next answers. The bank's
// books have their own file or tables, and their own transactions. So Mohur's books can be compared with them (docs/sandbox.md).

import { type Generated, type Kysely, sql } from 'kysely'
import type { BankRequest, Behaviour, JournalLine } from './bank-request.ts'
import { OpenBooks, scriptSubject } from './open-books.ts'

const STATEMENTS = [
  `create table if not exists bank_requests (
    key text primary key, kind text not null, mid text not null, order_id text not null, state text not null, failure text,
    amount_paise integer not null, authorize_key text, reference text not null, asks text not null, return_url text not null,
    tries integer not null, card_token text, at integer not null, due_at integer not null, due text not null,
    payee text not null, mcc text not null
  ) strict`,
  'create index if not exists bank_requests_of_order on bank_requests (mid, order_id)',
  'create index if not exists bank_requests_of_payment on bank_requests (authorize_key)',
  "create index if not exists bank_requests_waiting on bank_requests (due_at) where state = 'pending'",
  `create table if not exists bank_journal (
    number integer primary key, at integer not null, key text not null, kind text not null, reference text not null,
    amount_paise integer not null, outcome text not null
  ) strict`,
  'create table if not exists bank_scripts (subject text primary key, outcomes text not null) strict',
]
const forPostgres = (statement: string) =>
  statement
    .replace('number integer primary key', 'number bigint generated always as identity primary key')
    .replace(/\binteger\b/g, 'bigint')
    .replace(/\) strict$/, ')')

interface BankTables {
  bank_requests: BankRequest
  bank_journal: JournalLine & { number: Generated<number> }
  bank_scripts: { subject: string; outcomes: string }
}
type Books = Kysely<BankTables>

const TOGETHER_MAX = 64 // calls of one transaction, as many as the payers who share a commit elsewhere
const JOURNAL_LINES_MAX = 10_000 // of one answer
const WAITING_MAX = 200 // of one page

const REQUEST_COLUMNS = [
  ...['key', 'kind', 'mid', 'order_id', 'state', 'failure', 'amount_paise', 'authorize_key', 'reference', 'asks', 'return_url', 'payee'],
  ...['mcc', 'tries', 'card_token', 'at', 'due_at', 'due'],
]
const JOURNAL_COLUMNS = ['at', 'key', 'kind', 'reference', 'amount_paise', 'outcome']

/** The rows that a call needs, and its work on them. `run` may run twice, and its answer goes out after the commit. */
export interface BankCall<A> {
  keys: readonly string[]
  /** Adds all refunds of this payment. */
  refundsOf?: string
  scriptOf?: { mid: string; orderId: string }
  now: number
  run(books: OpenBooks): A
}
interface Waiting extends BankCall<unknown> {
  resolve(answer: unknown): void
  reject(error: unknown): void
}

export class SandboxBank {
  readonly #books: Books
  readonly #isShared: boolean
  readonly #underWay = new Set<Promise<unknown>>()
  readonly #queue: Waiting[] = []
  #isRunning = false

  private constructor(books: Books, isShared: boolean) {
    this.#books = books
    this.#isShared = isShared
  }

  /** `isShared`: the tables lie in a database that other processes use too. */
  static async open(database: Kysely<unknown>, isShared: boolean): Promise<SandboxBank> {
    for (const statement of STATEMENTS) {
      const text = isShared ? forPostgres(statement) : statement
      // Two processes may create one table at once. The second try then finds it.
      await sql
        .raw(text)
        .execute(database)
        .catch(() => sql.raw(text).execute(database))
    }
    // A kill leaves the file whole. A power cut may take the last moments, which a simulated bank can bear.
    if (!isShared) await sql.raw('pragma synchronous = NORMAL').execute(database)
    return new SandboxBank(database as Books, isShared)
  }

  /** Calls that arrive during one transaction share the next transaction. No call waits for others to arrive. */
  call<A>(call: BankCall<A>): Promise<A> {
    const answer = new Promise<unknown>((resolve, reject) => this.#queue.push({ ...call, resolve, reject }))
    if (!this.#isRunning) {
      this.#isRunning = true
      setImmediate(() => void this.#run())
    }
    return this.#following(answer) as Promise<A>
  }

  async #run() {
    while (this.#queue.length > 0) await this.#together(this.#queue.splice(0, TOGETHER_MAX))
    this.#isRunning = false
  }

  async #together(calls: readonly Waiting[]): Promise<void> {
    let answers: unknown[]
    try {
      answers = await this.#books.transaction().execute(async (books) => {
        const open = await this.#read(books, calls)
        const answers = calls.map((call) => call.run(open))
        await this.#write(books, open)
        return answers
      })
    } catch (error) {
      // Nothing was written. One call may have spoilt the transaction for all, so each runs again alone.
      if (calls.length > 1) for (const call of calls) await this.#together([call])
      else calls[0]!.reject(error)
      return
    }
    for (const [at, call] of calls.entries()) call.resolve(answers[at])
  }

  async #read(books: Books, calls: readonly BankCall<unknown>[]): Promise<OpenBooks> {
    const keys = calls.flatMap((call) => call.keys)
    const subjects = calls.flatMap(({ scriptOf: of }) => (of ? [scriptSubject(of.mid, of.orderId), scriptSubject('', of.orderId)] : []))
    const payments = calls.flatMap(({ refundsOf }) => refundsOf ?? [])
    const read = () => this.#rowsOf<BankRequest>(books, 'bank_requests', 'key', keys)
    // All three are read at once. Nearly always no request has ended by itself, and then `before` is still right.
    const [over, before, scripts] = await Promise.all([
      this.#overAt(books, Math.max(...calls.map(({ now }) => now))),
      read(),
      this.#rowsOf<BankTables['bank_scripts']>(books, 'bank_scripts', 'subject', subjects),
    ])
    await this.#complete(books, over)
    const requests = over.length > 0 ? await read() : before
    // Refunds are read after their payment is locked. So a refund that another process took meanwhile is seen.
    const refunds = await this.#rowsOf<BankRequest>(books, 'bank_requests', 'authorize_key', payments)
    const outcomes = scripts.map(({ subject, outcomes }): [string, Behaviour[]] => [subject, JSON.parse(outcomes)])
    return new OpenBooks([...refunds, ...requests], new Map(outcomes))
  }

  /** Rows by key, locked in key order when other processes share the tables. Refunds are read by their payment, whose lock covers them. */
  async #rowsOf<Row>(
    books: Books,
    table: keyof BankTables,
    column: 'key' | 'subject' | 'authorize_key',
    values: readonly string[],
  ): Promise<readonly Row[]> {
    if (values.length === 0) return []
    const among = this.#isShared ? sql`= any(${values})` : sql`in (select value from json_each(${JSON.stringify(values)}))`
    const locked = sql.raw(this.#isShared && column !== 'authorize_key' ? 'for update' : '')
    const asked = sql<Row>`select * from ${sql.table(table)} where ${sql.ref(column)} ${among} order by ${sql.ref(column)} ${locked}`
    return (await asked.execute(books)).rows
  }

  async #write(books: Books, { taken, changed, played, journal }: OpenBooks) {
    await Promise.all([
      this.#insert(books, 'bank_requests', REQUEST_COLUMNS, taken),
      this.#insert(books, 'bank_journal', JOURNAL_COLUMNS, journal),
    ])
    for (const { key, state, failure, tries, amount_paise, asks, due, due_at } of changed)
      await books
        .updateTable('bank_requests')
        .set({ state, failure, tries, amount_paise, asks, due, due_at })
        .where('key', '=', key)
        .execute()
    for (const { subject, rest } of played) {
      if (rest.length === 0) await books.deleteFrom('bank_scripts').where('subject', '=', subject).execute()
      else
        await books
          .updateTable('bank_scripts')
          .set({ outcomes: JSON.stringify(rest) })
          .where('subject', '=', subject)
          .execute()
    }
  }

  /** One statement, always the same, for any number of rows. */
  async #insert(books: Books, table: 'bank_requests' | 'bank_journal', columns: readonly string[], rows: readonly object[]) {
    if (rows.length === 0) return
    const text = JSON.stringify(rows)
    const source = this.#isShared
      ? sql`select ${sql.raw(columns.join(', '))} from json_populate_recordset(null::${sql.table(table)}, ${text}::json)`
      : sql`select ${sql.raw(columns.map((column) => `value ->> '${column}'`).join(', '))} from json_each(${text})`
    await sql`insert into ${sql.table(table)} (${sql.raw(columns.join(', '))}) ${source}`.execute(books)
  }

  /** Waiting requests whose time is over: slow payments arrive, and the bank does not wait for a payer for ever. */
  async #overAt(books: Books, now: number): Promise<readonly BankRequest[]> {
    // The state is a literal: with a bound value the database could not use the index of waiting requests.
    const over = await sql<BankRequest>`select * from bank_requests where state = 'pending' and due_at <= ${now} order by due_at`.execute(
      books,
    )
    return over.rows
  }

  async #complete(books: Books, over: readonly BankRequest[]): Promise<void> {
    for (const { key, kind, reference, amount_paise, due, due_at, failure } of over) {
      const isSuccess = due === 'success'
      const [ended] = await books
        .updateTable('bank_requests')
        .set(isSuccess ? { state: 'success' } : { state: 'failure', failure: failure ?? 'timedOut' })
        .where('key', '=', key)
        .where('state', '=', 'pending')
        .execute()
      // Another process ended the request first, and wrote the journal line.
      if (ended?.numUpdatedRows !== 1n) continue
      const line = { at: due_at, key, kind, reference, amount_paise, outcome: isSuccess ? 'success' : (failure ?? 'timedOut') }
      await books.insertInto('bank_journal').values(line).execute()
    }
  }

  /** Empties the books, for a sandbox that starts again. */
  async forget(): Promise<void> {
    await this.#books.transaction().execute(async (books) => {
      for (const table of ['bank_requests', 'bank_journal', 'bank_scripts'] as const) await books.deleteFrom(table).execute()
    })
  }

  /** The latest waiting request of an order. Notices do not count: they only have to arrive. */
  async waitingOf(mid: string, orderId: string): Promise<string | undefined> {
    const [waiting] = await this.#books
      .selectFrom('bank_requests')
      .select('key')
      .where('mid', '=', mid)
      .where('order_id', '=', orderId)
      .where('state', '=', 'pending')
      .where('kind', '<>', 'notify')
      .orderBy('at', 'desc')
      .limit(1)
      .execute()
    return waiting?.key
  }

  /** Payments that wait for their payers, the latest first. */
  async waiting(now: number): Promise<BankRequest[]> {
    return this.#books
      .selectFrom('bank_requests')
      .selectAll()
      .where('state', '=', 'pending')
      .where('kind', '=', 'authorize')
      .where('asks', 'in', ['collect', 'deepLink', 'bankForm', 'otp'])
      .where('due_at', '>', now)
      .orderBy('at', 'desc')
      .limit(WAITING_MAX)
      .execute()
  }

  /** The key of the last notice that reached the payer. */
  noticeOf(mid: string, subscriptionId: string) {
    return this.#lastOf(mid, subscriptionId, 'notify', ['success'])
  }
  /** The key of the last mandate in any state. Each attempt at a first payment has its own mandate. */
  mandateOf(mid: string, subscriptionId: string) {
    return this.#lastOf(mid, subscriptionId, 'mandate', ['pending', 'success', 'failure'])
  }

  async #lastOf(mid: string, subscriptionId: string, kind: BankRequest['kind'], states: readonly BankRequest['state'][]) {
    const books = this.#books.selectFrom('bank_requests').select('key').where('mid', '=', mid).where('order_id', '=', subscriptionId)
    const [last] = await books
      .where('kind', '=', kind)
      .where('state', 'in', states)
      .orderBy('at', 'desc')
      .orderBy('key', 'desc')
      .limit(1)
      .execute()
    return last?.key
  }

  async script(subject: string, outcomes: readonly Behaviour[]): Promise<void> {
    const rest = { outcomes: JSON.stringify(outcomes) }
    await this.#following(
      this.#books
        .insertInto('bank_scripts')
        .values({ subject, ...rest })
        .onConflict((conflict) => conflict.column('subject').doUpdateSet(rest))
        .execute(),
    )
  }

  async journal(since: number, now: number): Promise<JournalLine[]> {
    const read = this.#books.transaction().execute(async (books) => {
      await this.#complete(books, await this.#overAt(books, now))
      return books
        .selectFrom('bank_journal')
        .select(['at', 'key', 'kind', 'reference', 'amount_paise', 'outcome'])
        .where('at', '>=', since)
        .orderBy('number')
        .limit(JOURNAL_LINES_MAX)
        .execute()
    })
    return this.#following(read)
  }

  #following<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work)
    return work.finally(() => this.#underWay.delete(work))
  }

  async completed(): Promise<void> {
    await Promise.allSettled(this.#underWay)
  }
}
