// Words that a store keeps are an interface (docs/release.md): a renamed or dropped word leaves rows that no code knows. stored-words.txt
// lists them. A word that leaves the list needs a migration; a word that the code begins to write is added to it.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { migrations } from '../../src/adapters/store/migrate.ts'
import { operations } from '../../src/api/operations.ts'
import { ACTIONS } from '../../src/domain/audit/actions.ts'
import { moves } from '../../src/domain/subscription/subscription.ts'
import type { Table } from '../../src/tables/columns.ts'
import { tables } from '../../src/tables/tables.ts'

const src = resolve(import.meta.dirname, '../../src')
const sources = new Map(
  readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .sort()
    .map((file) => [file, readFileSync(join(src, file), 'utf8')] as const),
)
const all = [...sources.values()].join('\n')

const text = readFileSync(join(import.meta.dirname, 'stored-words.txt'), 'utf8')
/** The words of the list, by section. */
const listed = new Map(
  text
    .trim()
    .split(/\n(?=# )/)
    .map((part) => {
      const [title = '', ...lines] = part.split('\n')
      return [title.slice(2), lines.map((line) => line.trim()).filter(Boolean)] as const
    }),
)

const found = (pattern: RegExp) => [...new Set([...all.matchAll(pattern)].map(([, word]) => word!))].sort()
/** The text of a constant that is passed by its name. */
const textOf = (name: string) => new RegExp(`const ${name} = '([^']+)'`).exec(all)?.[1] ?? assert.fail(`${name} is no constant text`)

const SECTIONS: Readonly<Record<string, () => readonly string[]>> = {
  'kinds of tasks': () => found(/'([a-z-]+\.due)'/g),
  'purposes of hashes': () => found(/\.(?:hash|shortHash)\(\s*'([^']+)'/g),
  settings: () => [...new Set([...found(/settingKey\(([A-Z_]+)\)/g), 'MODE', 'FINGERPRINT'].map(textOf))].sort(),
  'movements of the ledger': () => found(/movement\(\s*[\w.']+,\s*`([a-z-]+):/g),
  'names of kept replies': () =>
    Object.values(operations).flatMap(({ name, writes, codes }) =>
      writes ? Object.values(codes).map((code) => `${name} ${code.name}`) : [],
    ),
  'results of payments and refunds': () =>
    [operations.orderStatus, operations.refundStatus]
      .flatMap(({ codes }) => Object.keys(codes))
      .filter((name, at, names) => names.indexOf(name) === at),
  'substates of subscriptions': () => [...new Set(Object.values(moves).map(({ subStatus }) => subStatus))],
  'actions of the audit log': () => Object.keys(ACTIONS),
  'enumerations and sealed columns': () =>
    Object.entries(tables as unknown as Readonly<Record<string, Table>>).flatMap(([name, { columns }]) =>
      Object.entries(columns).flatMap(([column, { oneOf, kind }]) =>
        oneOf ? [`${name}.${column}: ${oneOf.join(' ')}`] : kind === 'sealed' ? [`${name}.${column} sealed`] : [],
      ),
    ),
}

for (const [title, now] of Object.entries(SECTIONS))
  test(`stored words, ${title}: the code has those of the list, and no other`, () => {
    const words = now()
    assert.ok(words.length > 1, 'the search sees nothing')
    assert.deepEqual([...words].sort(), listed.get(title)?.toSorted())
  })

const EVENT = /'((?:order|transaction|refund|redemption|subscription|collection|signin|merchant)\.[a-z-]+)'/g

test('stored words, types of events: the code writes each of the list, and has no other', () => {
  const words = listed.get('types of events')!
  const tasks = new Set(listed.get('kinds of tasks'))
  const unlisted = found(EVENT).filter((word) => !words.includes(word) && !tasks.has(word) && !NO_EVENTS.has(word))
  assert.deepEqual(unlisted, [], 'these are not listed')
  const domain = [...sources].filter(([file]) => file.startsWith('domain/')).map(([, text]) => text)
  // A type is written whole, or as the word behind its aggregate.
  const isWritten = (word: string) =>
    domain.some((text) => text.includes(`'${word}'`) || text.includes(`'${word.slice(word.indexOf('.') + 1)}'`))
  assert.deepEqual(
    words.filter((word) => !isWritten(word)),
    [],
    'no code writes these any more',
  )
})
/** The beginning of several types, and what people do. */
const NO_EVENTS: ReadonlySet<string> = new Set(['transaction.refund', ...Object.keys(ACTIONS)])

test('the list has no section that nothing compares', () => {
  assert.deepEqual([...listed.keys()].sort(), [...Object.keys(SECTIONS), 'types of events'].sort())
})

test('until the release a store of other words is another store: STORED_WORDS is the hash of the list', () => {
  assert.equal(migrations['0001-schema']!.words, createHash('sha256').update(text).digest('hex').slice(0, 16))
})
