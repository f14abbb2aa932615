// The sandbox's bank: what it was asked, what it really did, and what it was told to do next. It keeps its own books, in a
// file or tables of its own and with transactions of its own, so that ours can be held against them (docs/sandbox.md).

import { type Generated, type Kysely, sql } from 'kysely'
import type { NextStep } from '../tables.ts'
import type { Failure } from '../transaction/answer.ts'

const STATEMENTS = [
  `create table if not exists bank_requests (
    key text primary key, kind text not null, mid text not null, order_id text not null, state text not null, failure text,
    amount_paise integer not null, authorize_key text, reference text not null, asks text not null, return_url text not null,
    tries integer not null, card_token text, at integer not null, due_at integer not null, due text not null
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

export interface BankRequest {
  key: string
  kind: 'authorize' | 'refund'
  mid: string
  order_id: string
  state: 'pending' | 'success' | 'failure'
  failure: Failure | null
  amount_paise: number
  /** Of a refund: the payment that it gives back. */
  authorize_key: string | null
  reference: string
  /** What it waits for: the payer in his app, on the bank's page, with a one-time password; or only time. */
  asks: NextStep['kind'] | 'time' | 'nothing'
  return_url: string
  tries: number
  card_token: string | null
  at: number
  /** When a request that waits is over by itself, and how: slow money arrives, a payer is not waited for. */
  due_at: number
  due: 'success' | 'timedOut'
}
export interface JournalLine {
  at: number
  key: string
  kind: BankRequest['kind']
  reference: string
  amount_paise: number
  outcome: string
}
interface BankTables {
  bank_requests: BankRequest
  bank_journal: JournalLine & { number: Generated<number> }
  bank_scripts: { subject: string; outcomes: string }
}
export type Books = Kysely<BankTables>

/** Words that `POST /sandbox/bank/script` knows, and how the test instruments behave. */
export const BEHAVIOURS = [
  'success',
  'declined',
  'insufficient',
  'invalid',
  'pending',
  'slow',
  'timeout',
  'lost',
  'late',
  'wrongAmount',
  'duplicate',
  'page',
  'otp',
] as const
export type Behaviour = (typeof BEHAVIOURS)[number]

/** Without a mid it is for whichever merchant has that order. */
export const scriptSubject = (mid: string, orderId: string) => `${mid}:${orderId}`

const JOURNAL_LINES_MAX = 10_000 // of one answer

export class SandboxBank {
  readonly #books: Books
  readonly #isShared: boolean
  readonly #underWay = new Set<Promise<unknown>>()

  private constructor(books: Books, isShared: boolean) {
    this.#books = books
    this.#isShared = isShared
  }

  /** `isShared`: the tables lie in a database that other processes use too. */
  static async open(database: Kysely<unknown>, isShared: boolean): Promise<SandboxBank> {
    for (const statement of STATEMENTS) {
      const text = isShared ? forPostgres(statement) : statement
      // Two processes may make one table at once; the second time it is there.
      await sql
        .raw(text)
        .execute(database)
        .catch(() => sql.raw(text).execute(database))
    }
    // What a kill leaves is whole; a power cut may take the last moments of a bank that only plays one.
    if (!isShared) await sql.raw('pragma synchronous = NORMAL').execute(database)
    return new SandboxBank(database as Books, isShared)
  }

  /** Runs `work` in one transaction of the bank's own. */
  async within<T>(work: (books: Books) => Promise<T>): Promise<T> {
    const running = this.#books.transaction().execute(work)
    this.#underWay.add(running)
    return running.finally(() => this.#underWay.delete(running))
  }

  async request(books: Books, key: string): Promise<BankRequest | undefined> {
    const query = books.selectFrom('bank_requests').selectAll().where('key', '=', key)
    return (this.#isShared ? query.forUpdate() : query).executeTakeFirst()
  }

  async waitingOf(books: Books, mid: string, orderId: string): Promise<BankRequest | undefined> {
    return books
      .selectFrom('bank_requests')
      .selectAll()
      .where('mid', '=', mid)
      .where('order_id', '=', orderId)
      .where('state', '=', 'pending')
      .orderBy('at', 'desc')
      .executeTakeFirst()
  }

  /** Takes a request in; what is decided at once is in the journal at once. */
  async take(books: Books, request: BankRequest): Promise<void> {
    await books.insertInto('bank_requests').values(request).execute()
    if (request.state !== 'pending') await this.#write(books, request, request.at)
  }

  /** The end of a request that was waiting. */
  async end(books: Books, request: BankRequest, end: { state: 'success' } | { state: 'failure'; failure: Failure }, at: number) {
    const failure = end.state === 'failure' ? end.failure : null
    const [ended] = await books
      .updateTable('bank_requests')
      .set({ state: end.state, failure })
      .where('key', '=', request.key)
      .where('state', '=', 'pending')
      .execute()
    // Somebody else was first: what happened once is written once.
    if (ended?.numUpdatedRows === 1n) await this.#write(books, { ...request, state: end.state, failure }, at)
  }

  async wrongOtp(books: Books, request: BankRequest): Promise<void> {
    await books
      .updateTable('bank_requests')
      .set({ tries: request.tries + 1 })
      .where('key', '=', request.key)
      .execute()
  }

  /** What time alone decides: slow payments arrive, and nobody waits for a payer for ever. */
  async settleDue(books: Books, now: number): Promise<void> {
    // The state is written out: a bound one would not let the index of those that wait be used.
    const over = await sql<BankRequest>`select * from bank_requests where state = 'pending' and due_at <= ${now} order by due_at`.execute(
      books,
    )
    for (const request of over.rows)
      await this.end(
        books,
        request,
        request.due === 'success' ? { state: 'success' } : { state: 'failure', failure: 'timedOut' },
        request.due_at,
      )
  }

  async refundedPaise(books: Books, authorizeKey: string): Promise<number> {
    const refunds = await books.selectFrom('bank_requests').selectAll().where('authorize_key', '=', authorizeKey).execute()
    return refunds.filter(({ state }) => state !== 'failure').reduce((sum, { amount_paise }) => sum + amount_paise, 0)
  }

  // ------------------------------------------------------------------------------------------------ what it is told

  async script(subject: string, outcomes: readonly Behaviour[]): Promise<void> {
    await this.within(async (books) => {
      const row = { subject, outcomes: JSON.stringify(outcomes) }
      const { subject: _, ...rest } = row
      await books
        .insertInto('bank_scripts')
        .values(row)
        .onConflict((conflict) => conflict.column('subject').doUpdateSet(rest))
        .execute()
    })
  }

  /** The next thing that was asked for, once. */
  async nextOf(books: Books, { mid, orderId }: { mid: string; orderId: string }): Promise<Behaviour | undefined> {
    const script = await books
      .selectFrom('bank_scripts')
      .selectAll()
      .where('subject', 'in', [scriptSubject(mid, orderId), scriptSubject('', orderId)])
      .executeTakeFirst()
    if (!script) return undefined
    const { subject } = script
    const [next, ...rest] = JSON.parse(script.outcomes) as Behaviour[]
    if (rest.length === 0) await books.deleteFrom('bank_scripts').where('subject', '=', subject).execute()
    else
      await books
        .updateTable('bank_scripts')
        .set({ outcomes: JSON.stringify(rest) })
        .where('subject', '=', subject)
        .execute()
    return next
  }

  /** What the bank really did since an instant, in order. */
  async journal(since: number, now: number): Promise<JournalLine[]> {
    return this.within(async (books) => {
      await this.settleDue(books, now)
      return books
        .selectFrom('bank_journal')
        .select(['at', 'key', 'kind', 'reference', 'amount_paise', 'outcome'])
        .where('at', '>=', since)
        .orderBy('number')
        .limit(JOURNAL_LINES_MAX)
        .execute()
    })
  }

  async #write(books: Books, { key, kind, reference, amount_paise, state, failure }: BankRequest, at: number) {
    const line: JournalLine = { at, key, kind, reference, amount_paise, outcome: failure ?? state }
    await books.insertInto('bank_journal').values(line).execute()
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay)
  }
}
