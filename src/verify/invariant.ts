// An invariant is always true of committed rows. Its query finds the rows that break it.

import type { TableName } from '../tables/tables.ts'

export interface Invariant {
  id: string
  /** The sentence that is true when the query finds nothing. */
  says: string
  /** The table that the invariant is about. The number of the table's rows is printed beside the sentence. */
  over: TableName | 'every table'
  /** Every row that the query finds is a breach. The row's columns identify the breach. */
  query: string | ((words: Words) => string)
}

/** The few things that the two engines spell differently. */
export interface Words {
  /** A whole number inside a column of JSON text. */
  number(column: string, member: string): string
  /** A text inside a column of JSON text. Null when the member is absent. */
  text(column: string, member: string): string
  /** A true or false inside a column of JSON text, as the 1 or 0 of a plain column. */
  flag(column: string, member: string): string
  /** The day in India of an instant, YYYY-MM-DD. */
  day(instant: string): string
  /** Days from one YYYY-MM-DD to another. */
  days(from: string, to: string): string
}

const IST_OFFSET_MS = 330 * 60_000 // UTC+05:30

export const wordsOf: Readonly<Record<'sqlite' | 'postgres', Words>> = {
  sqlite: {
    number: (column, member) => `json_extract(${column}, '$.${member}')`,
    text: (column, member) => `json_extract(${column}, '$.${member}')`,
    flag: (column, member) => `json_extract(${column}, '$.${member}')`,
    day: (instant) => `date((${instant} + ${IST_OFFSET_MS}) / 1000, 'unixepoch')`,
    days: (from, to) => `cast(julianday(${to}) - julianday(${from}) as integer)`,
  },
  postgres: {
    number: (column, member) => `(${column}::json ->> '${member}')::bigint`,
    text: (column, member) => `(${column}::json ->> '${member}')`,
    flag: (column, member) => `(${column}::json ->> '${member}')::boolean::int`,
    day: (instant) => `to_char(to_timestamp((${instant} + ${IST_OFFSET_MS}) / 1000) at time zone 'UTC', 'YYYY-MM-DD')`,
    days: (from, to) => `(${to}::date - ${from}::date)`,
  },
}

/** Debits less credits of some accounts of the ledger, for the transaction `t`. */
export const debited = (accounts: string) =>
  `coalesce((select sum(l.debit_paise - l.credit_paise) from ledger_entries l where l.owner = t.mid and l.subject = t.txn_id and ${accounts}), 0)`

export const IN_FLIGHT = "('INITIATED', 'PENDING', 'UNKNOWN')"
