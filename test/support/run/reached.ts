// The rows of docs/interface.md section 7 that tests have reached over HTTP. Test files run in several processes, up to forty files in
// one. So each process appends its rows to one file, and the launcher reads it when all have ended.

import assert from 'node:assert/strict'
import { appendFileSync, readFileSync } from 'node:fs'
import { operations } from '../../../src/api/operations.ts'
import { isRefusal } from '../../../src/http/request-log.ts'
import { isObject } from '../../../src/interface/envelope.ts'
import { type ResultCode, resultCodeTables } from '../../../src/interface/result-codes.ts'

export const reachedVariable = 'MOHUR_TEST_REACHED'
const seen = new Set<string>()

const HINT =
  /^(?=.{1,512}$)[A-Za-z]+; (?:at [A-Za-z0-9_.[\]?-]{1,40}; )?[ -:<-~]+(?:(?:; cause=[a-z,-]+; say="[ !#-:<-~]+")?; see="\/docs\/guide\/checksum#[a-z-]+")?$/

/** A sandbox sends a hint with every refusal of a row (docs/sandbox.md, "Hints"): a word, the place and a sentence. */
export function assertHinted(path: string, body: unknown, { status, headers }: Response) {
  if (isObject(body) && 'errorDetails' in body) return // no operation answered
  const row = rowAt(path, body, status)
  if (row && isRefusal(row)) assert.match(headers.get('mohur-hint') ?? '', HINT, `Mohur-Hint of ${row.operation} ${row.name}`)
}

/** Notes the row of a reply, once in each process. */
export function noteReached(store: string, path: string, body: unknown, status: number) {
  const file = process.env[reachedVariable]
  if (!file) return
  const row = rowAt(path, body, status)
  const line = row && `${store} ${row.operation} ${row.name}\n`
  if (!line || seen.has(line)) return
  seen.add(line)
  appendFileSync(file, line)
}

function rowAt(path: string, body: unknown, status: number) {
  const url = path.replace(/\?.*$/s, '').replace(/\/{2,}/g, '/')
  const name = Object.entries(operations).find(([, { paths }]) => (paths as readonly string[]).includes(url))?.[0]
  return name === undefined ? undefined : rowOf(name, body, status)
}

const tableOf = (operation: string): readonly ResultCode[] =>
  Object.values(Object.values(resultCodeTables).find((table) => table.success.operation === operation)!)

/** Where several rows have one number, the message tells them apart. A reply without a code has its HTTP status as its code. */
function rowOf(operation: string, body: unknown, status: number): ResultCode | undefined {
  const whole = body as Record<string, string> & { resultInfo?: Record<string, string> }
  const info = whole?.resultInfo ?? whole ?? {}
  const code = info['resultCode'] ?? info['responseCode'] ?? info['code'] ?? info['error'] ?? String(status)
  const message = info['resultMsg'] ?? info['message']
  const rows = tableOf(operation).filter((row) => row.code === code)
  return rows.length <= 1 ? rows[0] : rows.find((row) => row.message === message)
}

/** A line for each operation and store, the names of the rows that no test reached, and how many of how many were reached. */
export function summary(file: string, stores: readonly string[]) {
  const found = new Set(readFileSync(file, 'utf8').split('\n'))
  const names = Object.keys(operations)
  const isReached = (store: string, operation: string) => (row: ResultCode) => found.has(`${store} ${operation} ${row.name}`)
  const counted = (store: string, operation: string) => {
    const rows = tableOf(operation)
    return [rows.filter(isReached(store, operation)).length, rows.length] as const
  }
  const each = stores.flatMap((store) => names.map((operation) => ({ store, operation, rows: tableOf(operation) })))
  const total = (store: string, at: 0 | 1) => names.reduce((sum, operation) => sum + counted(store, operation)[at], 0)
  return {
    lines: names.map((operation) => `${operation}: ${stores.map((store) => `${store} ${counted(store, operation).join('/')}`).join(', ')}`),
    missing: each.flatMap(({ store, operation, rows }) =>
      rows.filter((row) => !isReached(store, operation)(row)).map((row) => `${store} ${operation} ${row.name}`),
    ),
    operationsMissed: each.filter(({ store, operation }) => counted(store, operation)[0] === 0).map(({ operation }) => operation),
    reached: Object.fromEntries(stores.map((store) => [store, `${total(store, 0)} of ${total(store, 1)}`])),
  }
}
