// Document and code agree: docs/interface.md sections 4 and 7 against result-codes.ts and operations.ts.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import type { TObject } from 'typebox'
import { operations, signedLists } from '../../src/api/operations.ts'
import { type ResultCode, resultCodeTables } from '../../src/interface/result-codes.ts'
import { signedOperations } from '../support/paying/signed-bodies.ts'
import { cells } from '../support/text/markdown.ts'

const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(resolve(root, 'docs/interface.md'), 'utf8')

/** The text of a section, up to the next heading of the same or a higher level. */
function section(heading: string): string {
  const level = /^#+/.exec(heading)![0].length
  const from = page.indexOf(`\n${heading}`)
  assert.ok(from >= 0, `${heading} is missing`)
  const rest = page.slice(from + heading.length + 1)
  const end = rest.search(new RegExp(`\\n#{1,${level}} `))
  return end < 0 ? rest : rest.slice(0, end)
}

const errors = section('## 7. Errors')
const documented = [...errors.matchAll(/^### (.+)$/gm)].map(([, name]) => {
  const [head, ...rows] = cells(section(`### ${name}`))
  return { name: name!, head: head!, rows }
})

test('section 7 has the tables of result-codes.ts, in the same order', () => {
  assert.deepEqual(
    documented.map(({ name }) => name),
    Object.keys(resultCodeTables),
  )
})

for (const { name, head, rows } of documented) {
  test(`every row of ${name} in section 7 is a row of result-codes.ts, and the other way round, in the same order`, () => {
    const table = (resultCodeTables as Readonly<Record<string, Readonly<Record<string, ResultCode>>>>)[name]
    assert.ok(table, `${name} is documented and has no codes`)
    assert.match(head.join(' '), /^(responseCode status|code status|resultCode resultStatus) (message|resultMsg) when$/)
    assert.deepEqual(
      Object.values(table).map(({ code, status, message }) => `${code} | ${status} | ${message}`),
      rows.map((row) => row.slice(0, 3).join(' | ')),
    )
    for (const row of rows) assert.equal(row.length, 4, `a row of ${name} has other columns: ${row.join(' | ')}`)
    // The case names the HTTP status where it is not the usual one.
    assert.deepEqual(
      Object.values(table).map(({ http }) => http),
      rows.map((row) => /^HTTP (\d+)/.exec(row[3]!)?.[1]).map((status) => (status === undefined ? undefined : Number(status))),
    )
  })
}

test('a result code knows its name, its place and its operation', () => {
  for (const [heading, table] of Object.entries<Readonly<Record<string, ResultCode>>>(resultCodeTables)) {
    for (const [place, [name, code]] of Object.entries(table).entries()) {
      assert.equal(code.name, name)
      assert.equal(code.rank, place)
      assert.equal(code.operation, operationOf(heading))
      assert.ok(code.code.length <= 64, `${code.code} is longer than section 8 allows`)
    }
  }
})

/** `Validate OTP` is validateOtp. */
function operationOf(heading: string): string {
  const [first, ...rest] = heading.split(' ').map((word) => word.toLowerCase())
  return first + rest.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')
}

interface Place {
  section: string
  method: string
  paths: string[]
}
/** Operations as section 4 describes them: the path of each, then its aliases in the order of 4.9. */
function documentedOperations(): Record<string, Place> {
  const found: Record<string, Place> = {}
  for (const [, number, title] of section('## 4. Endpoints').matchAll(/^### (4\.\d+) (.+?)(?: \(Mohur\))?$/gm)) {
    const line = /^`(GET|POST|PUT|DELETE) \{\w+\}(\/[^?`]+)/m.exec(section(`### ${number} `))
    if (line) found[operationOf(title!)] = { section: number!, method: line[1]!, paths: [line[2]!] }
  }
  for (const [alias, title] of cells(section('### 4.9 ')).slice(1)) {
    const operation = found[operationOf(title!)]
    assert.ok(operation, `an alias of ${title}, which section 4 does not describe`)
    operation.paths.push(/^`(\/[^?`]+)/.exec(alias!)![1]!)
  }
  return found
}

test('section 4 and the descriptors name the same operations, methods, paths and aliases', () => {
  const coded = Object.fromEntries(
    Object.entries(operations).map(([name, { section, method, paths }]) => [name, { section, method, paths: [...paths] }]),
  )
  assert.deepEqual(coded, documentedOperations())
})

test('every operation has a table of codes, and the other way round', () => {
  assert.deepEqual(Object.keys(operations).sort(), Object.keys(resultCodeTables).map(operationOf).sort())
})

test('section 1 sends each need to the section that describes it', () => {
  const [, ...rows] = cells(section('## 1. What the service does'))
  const described = documentedOperations()
  assert.deepEqual(
    Object.fromEntries(rows.map(([, title, number]) => [operationOf(title!), number])),
    Object.fromEntries(Object.entries(described).map(([name, { section }]) => [name, section])),
  )
})

/** Other accepted names of a member, by section 4: paytmSsoToken for svcSsoToken. */
const spellings = new Map(
  cells(section('### Aliases of members'))
    .slice(1)
    .map(([accepted, member]) => [member!.replaceAll('`', ''), accepted!.replaceAll('`', '')]),
)

for (const { name, section: number, wire } of Object.values(operations)) {
  test(`every member that the body of ${name} may have stands in section ${number}`, () => {
    const text = section(`### ${number} `)
    const unnamed = Object.keys((wire?.body as TObject | undefined)?.properties ?? {}).filter(
      (member) => ![member, spellings.get(member)].some((spelling) => spelling && new RegExp(`\\b${spelling}\\b`).test(text)),
    )
    assert.deepEqual(unnamed, [])
  })
}

test('section 5.1 and the descriptors have the same lists, of the operations whose body a merchant signs', () => {
  const [, ...rows] = cells(section('### 5.1 ').split('A member without a value counts')[1]!.split('Where the members alone')[0]!)
  const said = rows.map(([title, members, more]) => {
    return [operationOf(title!), { members: members!.replaceAll('`', '').split(', ').sort(), isStrict: more === 'wrongly signed' }]
  })
  const coded = [...signedLists].map(([name, { members, isStrict }]) => [name, { members: [...members].sort(), isStrict }])
  assert.deepEqual(Object.fromEntries(coded), Object.fromEntries(said))
  assert.deepEqual([...signedLists.keys()].sort(), signedOperations.toSorted())
})

for (const [key, { name, resource, codes }] of Object.entries(operations)) {
  test(`${name} is the name of one decision or question, whose file cites its section, and of its codes`, () => {
    assert.equal(key, name)
    assert.deepEqual([...new Set(Object.values(codes).map(({ operation }) => operation))], [name])
    const folder = resolve(root, 'src/domain', resource)
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(resolve(folder, file), 'utf8'))
      .filter((source) => new RegExp(`export const ${name} = (operation|question)\\b`).test(source))
    assert.equal(sources.length, 1)
    assert.match(sources[0]!, new RegExp(`name: '${name}'`))
    assert.match(sources[0]!.split('\n').slice(0, 3).join('\n'), /docs\/interface\.md section/)
  })
}

test('no path is served by two operations', () => {
  const paths = Object.values(operations).flatMap((operation) => operation.paths)
  assert.equal(new Set(paths).size, paths.length)
})

test('every section and decision that the code cites is there', () => {
  const sections = new Set([...page.matchAll(/^#+ (\d+(?:\.\d+)?)[. ]/gm)].map(([, number]) => number))
  const decisions = readdirSync(resolve(root, 'docs/decisions')).map((file) => file.slice(0, 4))
  const files = readdirSync(resolve(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  let [cited, decided] = [0, 0]
  for (const file of files) {
    const source = readFileSync(resolve(root, 'src', file), 'utf8')
    for (const [cite, numbers] of source.matchAll(/interface\.md sections? ((?:\d+(?:\.\d+)?(?:, | and )?)+)/g)) {
      for (const number of numbers!.split(/, | and /).filter(Boolean))
        assert.ok(sections.has(number.replace(/\.$/, '')), `${file}: ${cite}`)
      cited++
    }
    for (const [cite, numbers] of source.matchAll(/\bdecisions\/((?:\d{4}(?:, | and )?)+)/g)) {
      for (const number of numbers!.match(/\d{4}/g)!) assert.ok(decisions.includes(number), `${file}: ${cite}`)
      decided++
    }
  }
  assert.ok(cited > 20 && decided > 20, `${cited} and ${decided}`)
})
