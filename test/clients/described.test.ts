// Every request of the published clients fits the document of the interface: docs/openapi.json.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { operations } from '../../src/api/operations.ts'
import type { OperationLine } from '../../src/http/handler.ts'
import { type Json, readJson } from '../../src/interface/envelope.ts'
import { readFlat } from '../../src/interface/flat.ts'
import { pagePaths } from '../../src/interface/page-paths.ts'
import type { Asked, Recorded } from './outcome.ts'

const folder = join(import.meta.dirname, 'recorded')
const runs: readonly Recorded[] = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')))
const document = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../docs/openapi.json'), 'utf8'))
// A format is only a hint to the document's readers. Patterns must fit.
const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false }).addSchema({ $id: 'document', ...document })

/** A null or empty member counts as absent: docs/interface.md section 4. */
const withoutEmpty = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(withoutEmpty)
  if (typeof value !== 'object' || value === null) return value
  const isThere = (member: Json) => member !== null && member !== '' && !(Array.isArray(member) && member.length === 0)
  return Object.fromEntries(Object.entries(value).flatMap(([name, member]) => (isThere(member) ? [[name, withoutEmpty(member)]] : [])))
}

interface Sent {
  client: string
  path: string
  method: string
  request: Json
  isRefused: boolean
}
const isPage = (path: string) => (Object.values(pagePaths).flat() as string[]).includes(path)
const lines = Object.values<OperationLine>(operations)

const sent: readonly Sent[] = runs.flatMap(({ name, script }) =>
  script.flatMap((line) => {
    if (!('path' in line) || !('method' in line)) return []
    const { path: whole, method, body, outcome } = line as Asked & { outcome: Readonly<Record<string, unknown>> }
    const path = whole.replace(/\?.*$/s, '').replace(/\/{2,}/g, '/')
    const of = lines.find(({ paths }) => paths.includes(path))
    if (!of) return isPage(path) ? [] : assert.fail(`${name} asked ${path}`)
    const request = of.flatPaths?.includes(path) ? readFlat(Buffer.from(body || (/\?(.*)$/s.exec(whole)?.[1] ?? ''))) : readJson(body)?.root
    return [
      {
        client: name,
        path,
        method,
        request: (request ?? {}) as Json,
        isRefused: outcome['RESPCODE'] === '330' || outcome['resultCode'] === '1001',
      },
    ]
  }),
)

function unfit({ path, request }: Sent): string[] {
  const { schema } =
    document.paths[path].post?.requestBody.content['application/json'] ?? document.paths[path].put.requestBody.content['application/json']
  const fits = ajv.compile({ $ref: `document${schema.$ref}` })
  return fits(withoutEmpty(request)) ? [] : (fits.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

test('every request that published clients sent, and that was not refused, fits the document', () => {
  const taken = sent.filter(({ isRefused }) => !isRefused)
  assert.ok(taken.length >= 40, `${taken.length} requests`)
  for (const each of taken) assert.deepEqual(unfit(each), [], `${each.client}: ${each.method} ${each.path} ${JSON.stringify(each.request)}`)
})

test('a request that was refused for its members does not fit the document', () => {
  const refused = sent.filter(({ isRefused }) => isRefused)
  assert.ok(refused.length > 0)
  for (const each of refused) assert.notDeepEqual(unfit(each), [], `${each.client}: ${each.path}`)
})

test('a recorded request without a member that it needs does not fit the document', () => {
  const [created] = sent.filter(({ path }) => path === '/theia/api/v1/initiateTransaction')
  const { body, ...others } = created!.request as Record<string, Record<string, Json>>
  const { txnAmount: _, ...less } = body!
  assert.notDeepEqual(unfit({ ...created!, request: { ...others, body: less } }), [])
})
