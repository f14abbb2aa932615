// A list as a CSV file: the list's own query, portion after portion, as fast as the reader takes them. The file has no sealed column.

import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { guarded } from '../kit/sheet.ts'

/** Matches a text that a spreadsheet would read as a formula. An apostrophe before it makes it plain text. */
const FORMULA = /^[=+\-@\t\r]/
const QUOTED = /[",\r\n]/

export const cellOf = (value: string | number): string => {
  if (typeof value === 'number') return String(value)
  const text = FORMULA.test(value) ? `'${value}` : value
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
/** RFC 4180. */
export const lineOf = (values: readonly (string | number)[]): string => `${values.map(cellOf).join(',')}\r\n`

export function sendCsv(reply: FastifyReply, name: string, lines: AsyncIterable<string>) {
  return guarded(reply)
    .header('content-type', 'text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .send(Readable.from(lines, { objectMode: false }))
}
