// Documents and project agree: settings, dependencies, the example world, the rooms, and every link.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { test } from 'node:test'
import { sqlName } from '../../src/adapters/store/codec.ts'
import { commitAnswers } from '../../src/adapters/store/commit-answers.ts'
import { usage } from '../../src/cli/command.ts'
import { commands } from '../../src/cli/commands.ts'
import { exits } from '../../src/cli/exits.ts'
import { readWorld, schema as worldSchema } from '../../src/sandbox/world.ts'
import { type SettingLine, settingLines } from '../../src/settings.ts'
import { tables } from '../../src/tables/tables.ts'
import { cells } from '../support/text/markdown.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(resolve(root, file), 'utf8')
const list = (folder: string) => readdirSync(resolve(root, folder), { recursive: true, encoding: 'utf8' })

test('docs/operating/configure.md lists every setting, its default and its sentence, and no other', () => {
  const section = read('docs/operating/configure.md').split('\n## Settings\n')[1]!.split('\n## ')[0]!
  const [, ...documented] = cells(section)
  const coded = Object.entries<SettingLine>(settingLines).map(([name, { default: value, about }]) => [
    `\`${name}\``,
    value && `\`${value}\``,
    about,
  ])
  assert.deepEqual(documented, coded)
})

test('docs/operating/commands.md lists every command with all that it takes, and no other', () => {
  const [, ...documented] = cells(read('docs/operating/commands.md').split('<!-- commands:')[1]!.split('\nOn the embedded store')[0]!)
  assert.deepEqual(
    documented.map(([name]) => name),
    Object.entries(commands).map(([name, of]) => `\`${usage(name, of)}\``),
  )
})

test('docs/operating/commands.md lists every exit code, and those that are not of the command line are the same where they are made', () => {
  const [, ...documented] = cells(read('docs/operating/commands.md').split('<!-- exits:')[1]!)
  assert.deepEqual(
    documented,
    Object.values(exits).map(({ code, about }) => [String(code), about]),
  )
  const made = (file: string, name: string) => Number(new RegExp(`const ${name} = (\\d+)`).exec(read(file))![1])
  assert.equal(made('src/main.ts', 'EXIT_COMMIT_UNKNOWN'), exits.commitUnknown.code)
  assert.equal(made('bin/installed-node.mjs', 'EXIT_CANNOT_RUN'), exits.cannotRun.code)
  assert.equal(made('bin/installed-node.mjs', 'EXIT_NO_NODE'), exits.noNode.code)
})

test('docs/operating/postgresql.md lists every answer to COMMIT with what follows, in the order in which they are judged', () => {
  const [, ...documented] = cells(read('docs/operating/postgresql.md').split('<!-- commit-answers:')[1]!.split('\n\n')[0]!)
  assert.deepEqual(
    documented,
    commitAnswers.map(({ answer, caller, process, rows }) => [answer, caller, process === 'ends' ? 'ends with 70' : process, rows]),
  )
})

test('docs/operating/postgresql.md says of every table without mid in its key what becomes of it where tables are spread, and of no other', () => {
  const [, ...documented] = cells(read('docs/operating/postgresql.md').split('<!-- keys:')[1]!.split('\n\n')[0]!)
  const named = documented.flatMap(([names]) => names!.split(', '))
  const withoutMid = Object.entries<{ key: readonly string[] }>(tables).filter(([, { key }]) => !key.includes('mid'))
  assert.deepEqual(named.sort(), withoutMid.map(([table]) => `\`${sqlName(table)}\``).sort())
})

test('docs/dependencies.md gives a reason for every runtime dependency, and for no other', () => {
  const { dependencies, optionalDependencies, devDependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>
  const page = read('docs/dependencies.md')
  const documented = cells(page.split('\n## ')[0]!)
    .slice(1)
    .map(([name]) => /^`([^`]+)`/.exec(name!)![1]!)
  assert.deepEqual(documented.filter((name) => name !== 'node-*').sort(), Object.keys(dependencies!).sort())
  const versions = new Set(Object.values(optionalDependencies!))
  assert.deepEqual([...versions], [/`node-\*` (\S+)/.exec(page)![1]], 'one Node for every platform, and the one that is documented')
  for (const name of Object.keys(optionalDependencies!)) assert.match(name, /^node-/)
  assert.ok(versions.has(/image: node:(\S+?)-/.exec(read('.github/workflows/ci.yml'))![1]!), 'the hosted workflow has that Node too')
  assert.equal(read('.node-version').trim(), [...versions][0]!.split('.')[0])
  const forDevelopment = page.slice(page.indexOf('## For development'))
  for (const name of Object.keys(devDependencies!)) {
    if (!name.startsWith('@types/')) assert.ok(forDevelopment.includes(`\`${name}\``), `${name} has no reason`)
  }
})

const documents = [
  ...readdirSync(root).filter((file) => file.endsWith('.md')),
  ...['docs', 'src'].flatMap((folder) =>
    list(folder)
      .filter((file) => file.endsWith('.md'))
      .map((file) => `${folder}/${file}`),
  ),
]

/** Files that a text names: links from its own folder, paths in code from the project's folder. */
function named(document: string, text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '')
  const links = [...prose.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, link]) => link!).filter((link) => !/^[a-z]+:/.test(link))
  const paths = [...prose.matchAll(/(?<![\w/.])((?:src|docs|test|bench)\/[\w./-]*\.(?:ts|md))/g)].map(([, path]) => path!)
  return [...links.map((link) => resolve(root, dirname(document), link)), ...paths.map((path) => resolve(root, path))]
}

test('every file that a document names or links to is there', () => {
  assert.ok(documents.length > 20, documents.join(' '))
  const missing = documents.flatMap((document) =>
    named(document, read(document))
      .filter((file) => !existsSync(file))
      .map((file) => `${document}: ${file}`),
  )
  assert.deepEqual(missing, [])
})

/** Folders of src that contain code. */
const rooms = ['', ...list('src')]
  .filter((folder) => statSync(resolve(root, 'src', folder)).isDirectory())
  .filter((folder) => folder !== '' && readdirSync(resolve(root, 'src', folder)).some((file) => /\.[jt]s$/.test(file)))

/** Places that a README names: a file of the room, or a path from it. Paths from the project's folder are checked above. */
function placesIn(text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '')
  const inCode = [...prose.matchAll(/`([^`\s]+)`/g)].map(([, code]) => code!)
  return inCode.filter((code) => /^(\.\.\/)+[\w-]/.test(code) || /^[\w./-]+\.(?:[jt]s|css|md)$/.test(code) || /^[\w-]+\/$/.test(code))
}

test('a README’s places are its files, paths that lead out of the room, and folders; not addresses, names or code in a picture', () => {
  assert.deepEqual(placesIn('`a.ts`, `b/c.js`, `../d`, `sample/`, `/readyz`, `decide`, `I01`\n```\n`e.ts`\n```\n'), [
    'a.ts',
    'b/c.js',
    '../d',
    'sample/',
  ])
})

for (const room of rooms) {
  test(`src/${room}/README.md says what the room is for, and names no place that is not there`, () => {
    const text = read(`src/${room}/README.md`)
    const [title, about] = text.split(/\n\n/)
    assert.match(title!, /^# \S/)
    assert.ok(about && about.trim().length > 20, 'what it is for stands under the title')
    assert.deepEqual(
      placesIn(text).filter((place) => !existsSync(resolve(root, 'src', room, place))),
      [],
    )
  })
}

test('ARCHITECTURE.md names every kind of room', () => {
  const page = read('ARCHITECTURE.md')
  for (const kind of new Set(rooms.map((room) => room.split('/')[0]!))) assert.match(page, new RegExp(`\`(src/)?${kind}(/[^\`]*)?\``))
})

test('the world of docs/sandbox.md is a world', () => {
  const json = /```json\n([\s\S]+?)\n```/.exec(read('docs/sandbox.md'))![1]!
  const world = readWorld(JSON.parse(json))
  assert.deepEqual(Object.keys(world), ['merchants', 'signInClients', 'customers', 'promotions'])
})

interface Schema {
  properties?: Record<string, Schema>
  items?: Schema
}

test('docs/sandbox.md explains every member of a world', () => {
  const page = read('docs/sandbox.md').split('\n## The world\n')[1]!.split('\n## ')[0]!
  const explained = cells(page).flat().join(' ')
  const members = ({ properties = {}, items }: Schema): string[] => [
    ...Object.entries(properties).flatMap(([name, value]) => [name, ...members(value)]),
    ...(items ? members(items) : []),
  ]
  const missing = members(worldSchema as unknown as Schema).filter((name) => !new RegExp(`\\b${name}\\b`).test(`merchants ${explained}`))
  assert.deepEqual(missing, [])
})

test('every decision has its line in docs/decisions/README.md', () => {
  const page = read('docs/decisions/README.md')
  for (const file of readdirSync(resolve(root, 'docs/decisions'))) if (file !== 'README.md') assert.ok(page.includes(`](${file})`), file)
})

/** A command that a text names as code: `npx mohur merchant show`, `mohur sign --key KEY`, `node bin/mohur.mjs serve`. */
const COMMAND = /`(?:npx mohur|mohur|node bin\/mohur\.mjs) ([a-z][^`]*)`/g

test('every command that a document names is one, or a family of them, with options that it takes', () => {
  const named = documents.flatMap((document) => [...read(document).matchAll(COMMAND)].map(([, line]) => ({ document, line: line! })))
  assert.ok(named.length > 20, `${named.length} commands`)
  const isKnown = (line: string) => {
    const [first = '', second = ''] = line.split(/\s+/)
    const found = commands[first] ?? commands[`${first} ${second}`]
    if (!found) return second === '' && Object.keys(commands).some((name) => name.startsWith(`${first} `))
    return [...line.matchAll(/--([a-z-]+)/g)].every(([, option]) => Object.hasOwn(found.options, option!))
  }
  assert.deepEqual(
    named.filter(({ line }) => !isKnown(line)),
    [],
  )
})
