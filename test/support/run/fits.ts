// Checks that every reply in the tests fits its operation's schema, and has no member that the schema lacks.

import assert from 'node:assert/strict'
import { appendFileSync, readFileSync } from 'node:fs'
import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type ReplyKind, replyKinds } from '../../../src/api/kit/replies.ts'
import { type OperationName, operations } from '../../../src/api/operations.ts'
import type { OperationLine } from '../../../src/http/handler.ts'
import { isObject } from '../../../src/interface/envelope.ts'
import { formats } from '../../../src/interface/fields.ts'

export const repliesVariable = 'MOHUR_TEST_REPLIES'

// Optimized code takes twice as long to make, and each process of tests makes its own.
const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true, formats, code: { optimize: false } })
const kindsOf = new Map<string, readonly ReplyKind[]>()
const compiled = new Map<ReplyKind, ValidateFunction>()

/** The operation that answers on a path, and the path as operations.ts spells it. */
export function operationAt(path: string): { name: OperationName; url: string } | undefined {
  const url = path.replace(/\?.*$/s, '').replace(/\/{2,}/g, '/')
  const found = Object.entries<OperationLine>(operations).find(([, { paths }]) => paths.includes(url))
  return found && { name: found[0] as OperationName, url }
}

/** The faults of a reply of one path, judged by the kind of reply that its code belongs to. Empty when it fits. */
export function unfitnessOf({ name, url }: { name: OperationName; url: string }, reply: unknown, status: number): string[] {
  const kinds = kindsOf.get(url) ?? replyKinds(operations[name], url)
  kindsOf.set(url, kinds)
  const code = codeIn(reply) ?? String(status)
  const kind = kinds.find(({ rows }) => rows.some((row) => row.code === code))
  if (!kind) return [`no reply of ${name} has the code ${code}`]
  const fits = compiled.get(kind) ?? ajv.compile(closed(kind.schema) as object)
  compiled.set(kind, fits)
  return fits(reply)
    ? []
    : (fits.errors ?? []).map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
}

export function codeIn(reply: unknown): string | undefined {
  const { body = reply } = isObject(reply) ? reply : {}
  const { resultInfo: info = body } = isObject(body) ? body : {}
  const said = (isObject(info) ? info : {}) as Readonly<Record<string, string>>
  return said['resultCode'] ?? said['responseCode'] ?? said['code'] ?? said['error'] ?? said['RESPCODE']
}

/** The schema without permission for other members. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const inside = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]))
  return isObject(inside['properties'] as never) && inside['type'] === 'object' ? { additionalProperties: false, ...inside } : inside
}

/**
 * Checks a reply against its operation's schema. Some replies have no schema: those that no operation gave, and those that are an HTTP
 * status alone.
 */
export function assertFits(path: string, text: string, reply: unknown, status: number) {
  const operation = operationAt(path)
  if (!operation || text === '' || (isObject(reply as never) && 'errorDetails' in (reply as object))) return
  assert.deepEqual(unfitnessOf(operation, reply, status), [], `the reply of ${operation.name} on ${operation.url} does not fit: ${text}`)
  note(operation.name)
}

/** How many replies of each operation were checked. Written when the process ends, because there are thousands. */
const held = new Map<string, number>()
function note(name: string) {
  const file = process.env[repliesVariable]
  if (!file) return
  if (held.size === 0)
    process.once('exit', () => appendFileSync(file, [...held].map(([operation, count]) => `${operation} ${count}\n`).join('')))
  held.set(name, (held.get(name) ?? 0) + 1)
}

/** The sums over all processes. */
export function repliesHeld(file: string): ReadonlyMap<string, number> {
  const all = new Map<string, number>()
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const [name = '', count] = line.split(' ')
    all.set(name, (all.get(name) ?? 0) + Number(count))
  }
  return all
}
