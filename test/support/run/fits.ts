// Every reply that a test is given fits its operation's schema, and holds no member that the schema has not.

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

const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true, formats })
const compiled = new Map<string, { kinds: readonly ReplyKind[]; fit: readonly ValidateFunction[] }>()

/** Which operation answers on a path, and the path as operations.ts spells it. */
export function operationAt(path: string): { name: OperationName; url: string } | undefined {
  const url = path.replace(/\?.*$/s, '').replace(/\/{2,}/g, '/')
  const found = Object.entries<OperationLine>(operations).find(([, { paths }]) => paths.includes(url))
  return found && { name: found[0] as OperationName, url }
}

/** What is wrong with a reply of one path: nothing, when it fits the kind that its code belongs to. */
export function unfitnessOf({ name, url }: { name: OperationName; url: string }, reply: unknown, status: number): string[] {
  const known = compiled.get(url) ?? compile(name, url)
  compiled.set(url, known)
  const code = codeIn(reply) ?? String(status)
  const at = known.kinds.findIndex(({ rows }) => rows.some((row) => row.code === code))
  if (at < 0) return [`no reply of ${name} has the code ${code}`]
  const fits = known.fit[at]!
  return fits(reply)
    ? []
    : (fits.errors ?? []).map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
}

function compile(name: OperationName, url: string) {
  const kinds = replyKinds(operations[name], url)
  return { kinds, fit: kinds.map(({ schema }) => ajv.compile(closed(schema) as object)) }
}

export function codeIn(reply: unknown): string | undefined {
  const { body = reply } = isObject(reply) ? reply : {}
  const { resultInfo: info = body } = isObject(body) ? body : {}
  const said = (isObject(info) ? info : {}) as Readonly<Record<string, string>>
  return said['resultCode'] ?? said['responseCode'] ?? said['code'] ?? said['error'] ?? said['RESPCODE']
}

/** The same schema, which lets no other members in. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const inside = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]))
  return isObject(inside['properties'] as never) && inside['type'] === 'object' ? { additionalProperties: false, ...inside } : inside
}

/** Holds a reply against its operation's schema; a reply that no operation gave, or that is its HTTP status alone, has none. */
export function assertFits(path: string, text: string, reply: unknown, status: number) {
  const operation = operationAt(path)
  if (!operation || text === '' || (isObject(reply as never) && 'errorDetails' in (reply as object))) return
  assert.deepEqual(unfitnessOf(operation, reply, status), [], `the reply of ${operation.name} on ${operation.url} does not fit: ${text}`)
  note(operation.name)
}

/** How many replies of each operation were held; written when the process ends, because there are thousands. */
const held = new Map<string, number>()
function note(name: string) {
  const file = process.env[repliesVariable]
  if (!file) return
  if (held.size === 0)
    process.once('exit', () => appendFileSync(file, [...held].map(([operation, count]) => `${operation} ${count}\n`).join('')))
  held.set(name, (held.get(name) ?? 0) + 1)
}

/** Of all processes together. */
export function repliesHeld(file: string): ReadonlyMap<string, number> {
  const all = new Map<string, number>()
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const [name = '', count] = line.split(' ')
    all.set(name, (all.get(name) ?? 0) + Number(count))
  }
  return all
}
