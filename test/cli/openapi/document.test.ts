// docs/openapi.json agrees with the code and with docs/interface.md, and keeps the rules of OpenAPI.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Schema } from '../../../src/api/kit/as-sent.ts'
import { type OperationName, operations } from '../../../src/api/operations.ts'
import { openapiText } from '../../../src/cli/openapi/openapi.ts'
import { formatsInDocument } from '../../../src/cli/openapi/schemas.ts'
import type { OperationLine } from '../../../src/http/handler.ts'
import { credentialPlaces } from '../../../src/interface/credentials.ts'
import { formats } from '../../../src/interface/fields.ts'
import { pagePaths } from '../../../src/interface/page-paths.ts'
import { mohurCommand } from '../../support/run/process.ts'
import { cells } from '../../support/text/markdown.ts'

const root = resolve(import.meta.dirname, '../../..')
const text = readFileSync(resolve(root, 'docs/openapi.json'), 'utf8')
const page = readFileSync(resolve(root, 'docs/interface.md'), 'utf8')

interface Media {
  schema: Schema & { $ref?: string; oneOf?: Schema[] }
}
interface Described {
  operationId: string
  summary: string
  description: string
  security: object[]
  parameters?: { name?: string; $ref?: string }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
  'x-codes'?: { code: string; status: string; message: string; when: string }[]
  'x-alias-of'?: string
}
const document = JSON.parse(text) as { paths: Record<string, Record<string, Described>>; components: { schemas: Record<string, Schema> } }
const names = Object.keys(operations) as OperationName[]
const firstOf = (name: OperationName) => document.paths[operations[name].paths[0]]![operations[name].method.toLowerCase()]!

const found = (schema: Schema): Schema =>
  typeof schema['$ref'] === 'string' ? document.components.schemas[schema['$ref'].split('/').at(-1)!]! : schema
/** The kinds of a 200. */
function repliesOf(name: OperationName): Schema[] {
  const schema = firstOf(name).responses['200']?.content?.['application/json']?.schema
  return schema === undefined ? [] : (schema.oneOf ?? [schema]).map(found)
}

test('docs/openapi.json is what `mohur openapi` prints (test/support/described/write-document.ts writes it)', () => {
  assert.ok(text === openapiText(), 'run test/support/described/write-document.ts')
})

test('the command prints all of it into a pipe', async () => {
  const { out, code } = await mohurCommand(['openapi'])
  assert.equal(code, 0)
  assert.ok(out === text)
})

/** Rules beyond OpenAPI's own, against faults that trouble a reader or a generator of clients. */
const RULES = {
  'operation-summary': 'error',
  'operation-operationId': 'error',
  'operation-operationId-unique': 'error',
  'security-defined': 'error',
  'no-unused-components': 'error',
  'no-identical-paths': 'error',
  'no-enum-type-mismatch': 'error',
  'no-invalid-schema-examples': 'error',
  'no-invalid-media-type-examples': 'error',
  'no-required-schema-properties-undefined': 'error',
} as const

const problemsOf = async (source: string) =>
  (await lintFromString({ source, config: await createConfig({ extends: ['spec'], rules: RULES }) })).map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`,
  )

test('the document keeps the rules of OpenAPI, and its examples fit its schemas', async () => {
  assert.deepEqual(await problemsOf(text), [])
})

test('a fault that is planted into the document is found', async () => {
  const planted = structuredClone(document)
  const { responses } = planted.paths['/refund/apply']!['post']!
  responses['200']!.content!['application/json']!.schema = { $ref: '#/components/schemas/NoSuch' }
  assert.ok((await problemsOf(JSON.stringify(planted))).length > 0)
})

test('the document has every operation with its method, paths and aliases, the pages, and nothing of the sandbox', () => {
  const pages = Object.values(pagePaths).flat() as string[]
  const wanted = new Map<string, Set<string>>()
  for (const { method, paths, flatPaths, writes } of Object.values<OperationLine>(operations))
    for (const path of paths) wanted.set(path, new Set([method.toLowerCase(), ...(flatPaths?.includes(path) && !writes ? ['get'] : [])]))
  for (const path of pages.map((path) => path.replace(':mid', '{mid}'))) if (!wanted.has(path)) wanted.set(path, new Set())
  assert.deepEqual(Object.keys(document.paths).sort(), [...wanted.keys()].sort())
  for (const [path, methods] of wanted) if (methods.size > 0) assert.deepEqual(new Set(Object.keys(document.paths[path]!)), methods, path)
  assert.ok(!Object.keys(document.paths).some((path) => path.startsWith('/sandbox')))
  for (const name of names)
    for (const path of operations[name].paths.slice(1))
      assert.equal(Object.values(document.paths[path]!)[0]!['x-alias-of'], operations[name].paths[0], path)
})

test('every operation says in words where its credentials stand, for readers to whom `security` says nothing', () => {
  for (const name of names)
    for (const place of operations[name].credentials.flat().map((each) => credentialPlaces[each]))
      assert.ok(firstOf(name).description.includes(`\`${place}\``), `${name}: ${place}`)
})

test('every operation has a summary and says what it wants for security', () => {
  for (const methods of Object.values(document.paths))
    for (const { operationId, summary, security } of Object.values(methods)) {
      assert.ok(summary, operationId)
      assert.ok(Array.isArray(security), operationId)
    }
})

function section(heading: string): string {
  const rest = page.split(`\n${heading}`)[1]!
  return rest.slice(0, rest.search(/\n#{1,3} /))
}
const titleOf = (name: OperationName) =>
  new RegExp(`^### ${operations[name].section.replace('.', '\\.')} (.+?)(?: \\(Mohur\\))?$`, 'm').exec(page)![1]!
const plain = (cell: string) => cell.replaceAll('(Mohur) ', '')

for (const name of names) {
  test(`the codes of ${name} are the rows of section 7, each with when it is answered`, () => {
    const [, ...rows] = cells(section(`### ${titleOf(name)}\n`))
    assert.deepEqual(
      firstOf(name)['x-codes']!.map(({ code, status, message, when }) => [code, status, message, when]),
      rows.map(([code, status, message, when]) => [code, status, message, plain(when!)]),
    )
  })
}

test('an answer and a refusal of one operation have no code in common', () => {
  let compared = 0
  for (const name of names) {
    const seen = new Set<string>()
    for (const schema of repliesOf(name))
      for (const code of codesIn(schema)) {
        assert.ok(!seen.has(code), `${name}: ${code} is in two kinds of reply`)
        seen.add(code)
        compared++
      }
  }
  assert.ok(compared > 300, `${compared} codes`)
})

function codesIn({ properties = {} }: Schema): readonly string[] {
  const body = properties['body']?.properties ?? properties
  const info = body['resultInfo']?.properties ?? body
  const code = info['resultCode'] ?? info['responseCode'] ?? info['code'] ?? info['error']
  return (code?.['enum'] ?? []) as readonly string[]
}

/** The tables of a section, by their first cell. */
const tablesOf = (heading: string) =>
  section(heading)
    .split(/\n(?!\|)/)
    .map((table) => cells(table))
    .flatMap(([head, ...rows]) => (head === undefined ? [] : [{ head: head[0]!, rows }]))

/** The member names in the first cells of tables. A row about left-out members has none. */
const membersIn = (rows: readonly (readonly string[])[]) =>
  rows
    .filter((row) => !row.at(-1)!.startsWith('left out:'))
    .flatMap(([cell]) => cell!.replaceAll(' (Mohur)', '').split(/[,;] /))
    .filter((member) => /^`?[A-Za-z_][\w-]*(\[\])?`?$/.test(member))
    .map((member) => member.replace(/[`[\]]/g, ''))

/** Members of the whole, in the tables of the reply or of the request. Those of an inner object have a table with its name. */
function documentedMembers(heading: string, isReply: boolean): Set<string> {
  const isOwn = isReply ? /^Reply( `body`| \(flat\)|$)/ : /^(Body|Field|Member)\b/
  return new Set(tablesOf(heading).flatMap(({ head, rows }) => (isOwn.test(head) ? membersIn(rows) : [])))
}

/** Members that a sentence of the page names instead of a table. Below: other spellings, and objects with their own table. */
const IN_SENTENCES: Readonly<Record<string, readonly string[]>> = {
  modifyOrder: ['mid', 'orderId', 'userInfo'],
}
const REPEATED: Readonly<Record<string, OperationName>> = { directBankRequest: 'processTransaction' }
/** Only on the payment host's paths. */
const ON_HOST: Readonly<Record<string, readonly string[]>> = { createOrder: ['isPromoCodeValid', 'authenticated'] }

for (const name of names) {
  test(`the reply of ${name} has the members that its section lists, and no others`, () => {
    if (name === 'checkSubscriptionStatus') return compareDetailed()
    const { section: number } = operations[REPEATED[name] ?? name]
    const listed = documentedMembers(`### ${number} `, true)
    for (const member of ON_HOST[name] ?? []) assert.ok(listed.delete(member), member)
    const reported = new Set(repliesOf(name).flatMap(({ properties = {} }) => Object.keys(properties['body']?.properties ?? properties)))
    if (listed.size === 0) assert.match(section(`### ${number} `), /`resultInfo` and nothing else|empty body/)
    if (listed.size === 0) reported.delete('resultInfo')
    assert.deepEqual([...reported].sort(), [...listed].sort())
  })

  test(`the body of ${name} has the members that its section lists, and no others`, () => {
    const schema = firstOf(name).requestBody?.content['application/json']?.schema
    if (!schema) return assert.equal(operations[name].method === 'POST', false)
    const { properties = {} } = found(schema)
    const isEnveloped = 'head' in properties
    const sent = new Set(Object.keys((isEnveloped ? properties['body']!.properties : properties) ?? {}))
    for (const member of IN_SENTENCES[name] ?? []) assert.ok(sent.delete(member), member)
    const heads = new Set(Object.keys((isEnveloped && properties['head']!.properties) || {}))
    const listed = documentedMembers(`### ${operations[name].section} `, false)
    const missing = [...sent].filter((member) => !listed.has(member) && !listed.has(spelled(member)))
    assert.deepEqual(missing, MISSING_FROM_TABLE[name] ?? [])
    const unknown = [...listed].filter((member) => !sent.has(member) && !heads.has(member) && !heads.has(spelled(member)))
    assert.deepEqual(unknown.sort(), [...(NOT_OF_THE_BODY[name] ?? [])].sort())
  })
}
/** One field with two spellings: section 4. */
const spelled = (member: string) => member.replace(/^requestTimestamp$/, 'requestTimeStamp')
const MISSING_FROM_TABLE: Readonly<Record<string, readonly string[]>> = {
  fetchPaymentOptions: ['mid', 'orderId'], // a sentence says that they may be repeated
}
/** Members of the flat form, and of an inner object. */
const NOT_OF_THE_BODY: Readonly<Record<string, readonly string[]>> = {
  orderStatus: ['MID', 'ORDERID', 'ORDER_ID', 'TXNTYPE', 'CHECKSUMHASH'],
}

/** Its reply is a row of List Subscriptions with every detail. */
function compareDetailed() {
  const reported = new Set(
    repliesOf('checkSubscriptionStatus').flatMap(({ properties = {} }) => Object.keys(properties['body']!.properties ?? {})),
  )
  assert.deepEqual([...reported].sort(), ['resultInfo', ...rowsOfTable('### 4.2 ', 'subscriptions')].sort())
}
const rowsOfTable = (heading: string, member: string) =>
  tablesOf(heading).flatMap(({ head, rows }) => (head.includes(`Reply \`${member}`) ? membersIn(rows) : []))

/** The schema inside a member of this name, wherever it is. */
function inside(schema: Schema, member: string): Schema | undefined {
  const { properties = {}, items } = schema
  const own = properties[member]
  if (own) return own.items ?? own
  return [...Object.values(properties), ...(items ? [items] : [])].map((each) => inside(each, member)).find((each) => each !== undefined)
}

test('every table of a member inside a reply has the members of that member, and no others', () => {
  let compared = 0
  for (const name of names) {
    const heading = `### ${operations[name].section} `
    const nested = tablesOf(heading).flatMap(({ head }) => /^Reply `(\w+)/.exec(head)?.[1] ?? [])
    for (const member of new Set(nested.filter((each) => each !== 'body'))) {
      const held = repliesOf(name)
        .map((schema) => inside(schema, member))
        .find((each) => each !== undefined)
      assert.ok(held, `${name} has no ${member}`)
      // A channel's own code is no member.
      const listed = rowsOfTable(heading, member).filter((each) => !/^[A-Z]+$/.test(each))
      assert.deepEqual(Object.keys(held.properties ?? {}).sort(), [...new Set(listed)].sort(), `${name} ${member}`)
      compared++
    }
  }
  assert.ok(compared >= 9, `${compared} tables`)
})

test('every schema of the document is one, by the strict rules of a validator', () => {
  const others = { uri: true, date: true, 'idn-email': true } as const
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, formats: others, keywords: ['x-signature'] })
  const all = Object.values(document.components.schemas)
  for (const schema of all) ajv.compile(schema)
  assert.ok(all.length > 100, `${all.length} schemas`)
})

test('every format of Mohur’s own has a line in the document', () => {
  assert.deepEqual(Object.keys(formatsInDocument).sort(), Object.keys(formats).sort())
})
