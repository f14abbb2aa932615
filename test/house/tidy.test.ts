// House rules that a program can check (docs/contributing/code.md): imports go one way, impure code stands in a port, files and functions
// stay short. Each rule first finds its fault in planted files, and then judges the real ones.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'
import { after, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { ParserOptions } from '@babel/parser'
import { childrenOf, isNode, type Node, parseProgram } from '../support/text/syntax.ts'

const FILE_LINES_MAX = 350
const FUNCTION_LINES_MAX = 70

/** Files that may be longer, and why. */
const LONG: Readonly<Record<string, string>> = {
  'interface/result-codes.ts': 'the codes are one page: every row of every operation',
  'browser/checkout.js': 'a shop loads one script, which loads no other',
}

/** From the inside out: a file imports from its own part or from one further in. */
const PARTS = [
  'own',
  'interface',
  'settings',
  'tables',
  'reference',
  'engine',
  'domain',
  'adapters',
  'flows',
  'http',
  'api',
  'pages',
  'docs',
  'console',
  'sandbox',
  'main',
  'cli',
] as const
type Part = (typeof PARTS)[number]
/** Parts beside another part. They may import what that part may. */
const BESIDE: Readonly<Record<string, Part>> = { verify: 'api', browser: 'interface' }

/** Rooms that import each other, types counted, and the reason. */
const CIRCLES: Readonly<Record<string, string>> = {
  'domain/order ↔ domain/payment-page': 'a page is of an order, and its time takes the place of the token’s',
  'domain/order ↔ domain/subscription': 'an order may be the first payment of a subscription, and ends with it',
  'domain/order ↔ domain/subscription/collection': 'an order may be one debit of a cycle, which Close Order withdraws',
  'domain/refund ↔ domain/transaction': 'a refund is of a payment; a payment that cannot be kept is refunded',
  'domain/subscription ↔ domain/subscription/mandate': 'what the bank holds of a subscription',
  'domain/subscription ↔ domain/subscription/collection': 'the cycles of a subscription',
  'domain/subscription ↔ domain/transaction': 'a consent is a payment, and its result is the subscription’s',
}

/** Rooms with more files than a reader can survey at once, and the reason. */
const FILES_MAX = 20
const CROWDED: Readonly<Record<string, string>> = {
  flows: 'one file for each kind of due work, side by side, is what a reader looks for here',
  http: 'the life of a request in small files; none of them is a room of its own',
  cli: 'one file for each command, side by side, is what a reader looks for here',
}

/** Packages that a part may use. Parts without a line may use any. */
const PACKAGES: Partial<Record<Part, readonly string[]>> = {
  interface: ['ajv', 'typebox'],
  settings: ['ipaddr.js'],
  tables: [],
  reference: [],
  engine: [],
  domain: ['typebox'],
}
/** The functions of the clock that a decision may use: pure functions of an instant that the command brings. */
const PURE_OF_CLOCK = /^(?:(?:date|day|month|year)[A-Za-z]*|lasts|lastsUntil|isTooFarAhead|AHEAD_MAX_MS)$/

/** Globals whose answer is not in their arguments, and the world outside. */
const IMPURE = new Set([
  'Date',
  'crypto',
  'performance',
  'process',
  'console',
  'fetch',
  'globalThis',
  'global',
  'require',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
])
const IMPURE_MEMBERS = new Set(['Math.random', 'Temporal.Now'])

/** The ports, through which time, chance and the machine come in. An unneeded entry is an error too. */
const PORTS: Readonly<Record<string, { uses: readonly string[]; because: string }>> = {
  'engine/clock.ts': {
    uses: ['Date', 'performance', 'setTimeout', 'setInterval', 'clearInterval'],
    because: 'the one place that knows the time',
  },
  'engine/random.ts': { uses: ['node:crypto'], because: 'the one place that draws what is random' },
  'engine/engine.ts': { uses: ['setImmediate'], because: 'lets requests that arrived meanwhile join a batch' },
  'engine/batch-view.ts': { uses: ['node:assert'], because: 'asserts what a decision claims; pure' },
  'interface/checksum.ts': { uses: ['node:crypto'], because: 'hash and cipher of the checksum; pure' },
  'interface/envelope.ts': { uses: ['node:buffer'], because: 'tells whether bytes are UTF-8; pure' },
  'adapters/store/read-batcher.ts': { uses: ['setImmediate'], because: 'lets requests that arrived meanwhile share a read' },
  'adapters/store/database.ts': { uses: ['node:sqlite'], because: 'opens the embedded database' },
  'adapters/store/aside/aside.ts': {
    uses: ['node:path', 'node:worker_threads', 'setTimeout', 'clearTimeout'],
    because: 'the thread beside the writer, with its time-outs',
  },
  'adapters/store/aside/aside-worker.ts': {
    uses: ['node:sqlite', 'node:worker_threads', 'performance'],
    because: 'what runs in that thread, which rests as long as it worked',
  },
  'adapters/store/sqlite.ts': { uses: ['node:sqlite'], because: 'speaks to the embedded database' },
  'adapters/store/sql-store.ts': { uses: ['node:crypto'], because: 'the first fence of a task' },
  'adapters/store/migrate.ts': { uses: ['node:crypto'], because: 'the fingerprint of the schema; pure' },
  'adapters/store/vault.ts': { uses: ['node:crypto'], because: 'sealing and hashing at rest' },
  'adapters/store/files.ts': { uses: ['node:fs', 'process'], because: 'who may read what lies in the folder of the store' },
  'adapters/store/open.ts': {
    uses: ['node:crypto', 'node:fs', 'node:path'],
    because: 'the folder of the embedded store and the key of the sandbox',
  },
  'own.ts': { uses: ['node:url'], because: 'finds the files that lie beside the code' },
  'adapters/reference/read-reference.ts': { uses: ['node:fs', 'node:path'], because: "reads the operator's lists at start" },
  'adapters/open-acquirer.ts': { uses: ['node:path'], because: 'the file of the sandbox bank' },
  'pages/kit/assets.ts': {
    uses: ['node:crypto', 'node:fs', 'node:zlib'],
    because: 'makes the style and the script of the pages ready at start, packs them and names them by their hashes',
  },
  'console/kit/callers.ts': { uses: ['node:crypto'], because: 'compares a cookie in constant time' },
  'console/kit/passwords.ts': { uses: ['node:crypto'], because: 'hashes passwords by Node’s own argon2id, compares in constant time' },
  'console/screens/csv.ts': { uses: ['node:stream'], because: 'a file goes out as fast as it is taken' },
  'console/routes.ts': { uses: ['node:fs'], because: 'reads the style of the console at start' },
  'docs/sources.ts': { uses: ['node:fs', 'node:path'], because: 'reads the Markdown that the pages for developers are made of' },
  'docs/sheet.ts': { uses: ['node:zlib'], because: 'packs those pages; pure' },
  'http/request-headers.ts': { uses: ['node:buffer'], because: 'tells whether bytes are UTF-8; pure' },
  'http/sockets.ts': {
    uses: ['node:http', 'node:net'],
    because: 'makes the server, and says what one of its sockets may do',
  },
  'http/node-internals.ts': { uses: ['node:net'], because: 'what a socket does without a documented name for it' },
  'http/socket-scheduler.ts': { uses: ['setImmediate'], because: 'lets others be read between requests that have piled up' },
  'api/signin/sign-in-client.ts': { uses: ['node:crypto'], because: 'compares secrets in constant time; pure' },
  'adapters/acquirer/remote/connections.ts': {
    uses: ['node:net', 'node:tls', 'setTimeout', 'clearTimeout'],
    because: 'the way to the adapter of a real bank, with its time-outs',
  },
  'adapters/acquirer/remote/exchange.ts': { uses: ['node:http', 'node:net'], because: 'one call over it' },
  'adapters/acquirer/cashfree/ids.ts': { uses: ['node:crypto'], because: "digests of our keys are Cashfree's names; pure" },
  'adapters/acquirer/cashfree/signature.ts': { uses: ['node:crypto'], because: 'checks signatures in constant time; pure' },
  'adapters/acquirer/sandbox/sandbox-bank.ts': { uses: ['setImmediate'], because: 'lets calls that arrived meanwhile share a commit' },
  'adapters/acquirer/remote/signature.ts': {
    uses: ['node:buffer', 'node:crypto'],
    because: 'tells whether bytes are UTF-8, compares signatures in constant time; pure',
  },
  'adapters/delivery/addresses.ts': { uses: ['node:net'], because: 'reads network addresses; pure' },
  'adapters/delivery/egress.ts': {
    uses: ['node:dns/promises', 'node:net', 'node:tls', 'setTimeout', 'clearTimeout'],
    because: 'the only place that dials what merchants named, with its time-outs',
  },
  'adapters/delivery/exchange.ts': { uses: ['node:http'], because: 'a request and its answer over a connection that egress has dialled' },
  'adapters/delivery/connections.ts': {
    uses: ['node:net', 'performance', 'setTimeout', 'clearTimeout', 'setImmediate'],
    because: 'keeps connections for the next notification, each for so long',
  },
  'adapters/delivery/render.ts': { uses: ['node:crypto'], because: 'the signature of Standard Webhooks; pure' },
  'adapters/ask-json.ts': {
    uses: ['fetch'],
    because: 'the server of the demo shop asks over HTTP, as that of any merchant',
  },
  'adapters/messenger/sms-http.ts': { uses: ['fetch'], because: 'the SMS provider' },
  'main.ts': {
    uses: ['node:fs', 'node:net', 'process', 'setTimeout', 'clearTimeout'],
    because: 'reads the world file, names the port, stops in order',
  },
}
/** It runs elsewhere: it imports nothing, and nothing imports it. */
const BROWSER = 'browser'
/** A planted house has fewer files than the real one. */
const PLANTED_MAX = 60
const CONSOLE_PART = 'cli' // the whole command line is a port: it talks with the person at the terminal

/** Mohur's own names end in none of these words. The interface itself uses the names below. */
const EMPTY_WORDS = /(Manager|Service|Helpers?|Utils?|Data|Info)$/
const INTERFACE_NAMES = /(User|Goods|Shipping|Result)Info$/

interface Import {
  from: string
  names: readonly string[]
}
interface Parsed {
  imports: Import[]
  impure: string[]
  functions: { name: string; lines: number }[]
  typeNames: string[]
  exportedTypes: string[]
  texts: string[]
  holdsOperation: boolean
  lines: number
}

const nameIn = (node: unknown): string => (isNode(node) ? String(node['name'] ?? node['value'] ?? '') : '')

const SYNTAX: ParserOptions = { plugins: ['typescript', 'estree'], errorRecovery: true }

function parse(file: string, source: string): Parsed {
  const { program, errors } = parseProgram(source, { sourceFilename: file, ...SYNTAX })
  assert.deepEqual(errors, [], `${file} does not parse`)
  const found: Parsed = {
    imports: [],
    impure: [],
    functions: [],
    typeNames: [],
    exportedTypes: [],
    texts: [],
    holdsOperation: false,
    lines: 0,
  }
  found.lines = source.split('\n').length - 1
  const visit = (node: Node, parent: Node | undefined) => {
    look(node, parent, source, found)
    for (const { field, node: child } of childrenOf(node)) {
      // A name after a point, or before a colon, is no reference to a global.
      const isPlainName = (field === 'property' || field === 'key') && node['computed'] !== true && nameIn(child) !== ''
      if (isPlainName && child.type !== 'Literal' && node['shorthand'] !== true) continue
      visit(child, node)
    }
  }
  visit(program as unknown as Node, undefined)
  return found
}

function look(node: Node, parent: Node | undefined, source: string, found: Parsed) {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
      if (isNode(node['source'])) found.imports.push(importOf(node))
      return
    case 'Identifier':
      if (IMPURE.has(nameIn(node)) && !isPureDate(node, parent)) found.impure.push(nameIn(node))
      return
    case 'MemberExpression': {
      const member = `${nameIn(node['object'])}.${nameIn(node['property'])}`
      if (IMPURE_MEMBERS.has(member)) found.impure.push(member)
      return
    }
    case 'CallExpression':
      if (['operation', 'question'].includes(nameIn(node['callee']))) found.holdsOperation = true
      return
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression': {
      const lines = source.slice(node.start, node.end).split('\n').length
      found.functions.push({ name: nameIn(node['id']) || nameIn(parent?.['id'] ?? parent?.['key']) || 'a function', lines })
      return
    }
    case 'ClassDeclaration':
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      found.typeNames.push(nameIn(node['id']))
      if (parent?.type === 'ExportNamedDeclaration') found.exportedTypes.push(nameIn(node['id']))
      return
    case 'Literal':
      if (typeof node['value'] === 'string') found.texts.push(node['value'])
      return
    case 'TemplateElement':
      found.texts.push(source.slice(node.start, node.end))
      return
  }
}

function importOf(node: Node): Import {
  const specifiers = (node['specifiers'] as Node[] | undefined) ?? []
  return {
    from: nameIn(node['source']),
    names: specifiers.map((specifier) => nameIn(specifier['imported'] ?? specifier['local'])),
  }
}

/** `new Date(x)` and `Date.parse(x)` read no clock. */
function isPureDate(node: Node, parent: Node | undefined): boolean {
  if (nameIn(node) !== 'Date' || !parent) return false
  if (parent.type === 'NewExpression') return (parent['arguments'] as Node[]).length === 1
  return parent.type === 'MemberExpression' && nameIn(parent['property']) === 'parse'
}

const folderOf = (file: string) => file.split('/')[0]!
/** The folder of a file. `main.ts` and similar files are each a room of their own. */
const roomOf = (file: string) => (file.includes('/') ? dirname(file) : file)
/** `domain/subscription/collection/attempt.ts` belongs to the resource `subscription`. */
const resourceOf = (file: string) => file.split('/')[1]
function partOf(file: string): Part | undefined {
  const top = folderOf(file).replace(/\.ts$/, '')
  return BESIDE[top] ?? PARTS.find((part) => part === top)
}

/** All faults of these files of src/, given by their paths below it. */
function problemsOf(sources: Readonly<Record<string, string>>, ports: typeof PORTS = {}): string[] {
  const parsed = new Map(Object.entries(sources).map(([file, source]) => [file, parse(file, source)]))
  const problems = [...parsed].flatMap(([file, found]) => {
    const part = partOf(file)
    if (!part) return [`${file}: is in no part of the house (${[...PARTS, ...Object.keys(BESIDE)].join(', ')})`]
    return [
      ...importProblems(file, part, found, parsed),
      ...impureProblems(file, part, found, ports[file]?.uses ?? []),
      ...sizeProblems(file, found),
      ...nameProblems(file, found),
    ].map((problem) => `${file}: ${problem}`)
  })
  for (const [file, { uses }] of Object.entries(ports)) {
    const found = parsed.get(file)
    const used = [...(found?.impure ?? []), ...(found?.imports ?? []).map(({ from }) => from)]
    for (const use of uses) if (!used.includes(use)) problems.push(`${file}: is listed as a port for ${use} and does not use it`)
  }
  return [...problems, ...cycles(parsed), ...roomProblems(parsed), ...typesTwice(parsed), ...pathsTwice(parsed)]
}

function importProblems(file: string, part: Part, { imports }: Parsed, parsed: ReadonlyMap<string, Parsed>): string[] {
  return imports.flatMap(({ from, names }) => {
    if (from === '' && folderOf(file) === BROWSER) return [] // by an address in the page
    if (!from.startsWith('.')) {
      const allowed = PACKAGES[part]
      const known = from.startsWith('node:') || !allowed || allowed.some((name) => from === name || from.startsWith(`${name}/`))
      return known ? [] : [`${part} does not use the package ${from}`]
    }
    const target = normalize(join(dirname(file), from))
    const targetPart = partOf(target)
    if (target.startsWith('..') || !targetPart) return [`imports ${from}, which is outside the house`]
    if (!parsed.has(target)) return [`imports ${from}, which is not there`]
    if (folderOf(file) === BROWSER && folderOf(target) === BROWSER) return []
    if (folderOf(file) === BROWSER || folderOf(target) === BROWSER) return [`what runs in browsers stands alone (${target})`]
    if (PARTS.indexOf(targetPart) > PARTS.indexOf(part)) return [`${part} must not import ${targetPart} (${target})`]
    if (part !== 'domain') return []
    if (targetPart === 'settings') return [`a decision knows no settings (${target})`]
    if (targetPart === 'domain')
      return parsed.get(target)!.holdsOperation && resourceOf(target) !== resourceOf(file)
        ? [`imports the operation of ${target}; only rules may be shared`]
        : []
    if (targetPart !== 'engine' || target === 'engine/decision.ts') return []
    if (target !== 'engine/clock.ts') return [`a decision does not know ${target}`]
    return names.filter((name) => !PURE_OF_CLOCK.test(name)).map((name) => `a decision does not have the clock (${name})`)
  })
}

/** Rooms that import each other, types counted; rooms with too many files; and reasons that no longer apply. */
function roomProblems(parsed: ReadonlyMap<string, Parsed>): string[] {
  const imports = new Set<string>()
  const sizes = new Map<string, number>()
  for (const [file, found] of parsed) {
    const room = roomOf(file)
    sizes.set(room, (sizes.get(room) ?? 0) + 1)
    for (const { from } of found.imports.filter(({ from }) => from.startsWith('.')))
      imports.add(`${room} ${roomOf(normalize(join(dirname(file), from)))}`)
  }
  const circles = [...imports]
    .map((pair) => pair.split(' '))
    // Between two parts one of the two directions is forbidden anyway.
    .filter(([one, other]) => one! < other! && folderOf(one!) === folderOf(other!) && imports.has(`${other} ${one}`))
    .map(([one, other]) => `${one} ↔ ${other}`)
  const crowded = [...sizes].filter(([, count]) => count > FILES_MAX).map(([room]) => room)
  const isWhole = parsed.size > PLANTED_MAX
  return [
    ...circles.filter((pair) => !CIRCLES[pair]).map((pair) => `${pair}: rooms import each other`),
    ...crowded.filter((room) => !CROWDED[room]).map((room) => `${room}: has ${sizes.get(room)} files; at most ${FILES_MAX}`),
    ...(isWhole ? Object.keys(CIRCLES).filter((pair) => !circles.includes(pair)) : []).map((pair) => `${pair}: is no circle any more`),
    ...(isWhole ? Object.keys(CROWDED).filter((room) => !crowded.includes(room)) : []).map((room) => `${room}: is crowded no more`),
  ]
}

function impureProblems(file: string, part: Part, { impure, imports }: Parsed, allowed: readonly string[]): string[] {
  if (part === CONSOLE_PART || folderOf(file) === BROWSER) return []
  const builtIn = imports.map(({ from }) => from).filter((from) => from.startsWith('node:'))
  return [...new Set([...impure, ...builtIn])].filter((use) => !allowed.includes(use)).map((use) => `uses ${use} and is no port for it`)
}

function sizeProblems(file: string, { lines, functions }: Parsed): string[] {
  const long = lines > FILE_LINES_MAX && !LONG[file] ? [`has ${lines} lines; at most ${FILE_LINES_MAX}`] : []
  const longFunctions = functions.filter((found) => found.lines > FUNCTION_LINES_MAX)
  return [...long, ...longFunctions.map((found) => `${found.name} has ${found.lines} lines; at most ${FUNCTION_LINES_MAX}`)]
}

/** An app's address and the calls of a shop's page are no aliases. */
const NAMING: ReadonlySet<string> = new Set([
  'interface/request.ts',
  'interface/page-paths.ts',
  'pages/payment/view/upi-apps.ts',
  'browser/checkout.js',
])

const isVendorPath = (text: string) => /\/(theia|aoa-[a-z-]+|merchantpgpui|subscription\/create)\//.test(`${text}/`)
/** The paths and names of one vendor's clients are accepted in one place each, so that they remain aliases. */
function nameProblems(file: string, { typeNames, texts, imports }: Parsed): string[] {
  const mayHavePaths = file === 'interface/page-paths.ts' || imports.some(({ from }) => from.endsWith('/kit/descriptor.ts'))
  const paths = mayHavePaths ? [] : texts.filter(isVendorPath)
  const names = NAMING.has(file) ? [] : texts.filter((text) => /paytm/i.test(text))
  return [
    ...typeNames
      .filter((name) => EMPTY_WORDS.test(name) && !INTERFACE_NAMES.test(name))
      .map((name) => `${name} is a name that says nothing`),
    ...paths.map((text) => `spells the path ${text}; a descriptor or interface/page-paths.ts does`),
    ...names.map((text) => `spells ${text}; interface/request.ts has the aliases`),
  ]
}

/** An alias belongs to one operation or one page. */
function pathsTwice(parsed: ReadonlyMap<string, Parsed>): string[] {
  const homes = new Map<string, string>()
  return [...parsed].flatMap(([file, { texts }]) =>
    texts.filter(isVendorPath).flatMap((text) => {
      const home = homes.get(text)
      homes.set(text, home ?? file)
      return home === undefined ? [] : [`${file}: spells the path ${text}, which ${home} does too`]
    }),
  )
}

/** An exported type has one definition, so that its name identifies it. */
function typesTwice(parsed: ReadonlyMap<string, Parsed>): string[] {
  const homes = new Map<string, string>()
  return [...parsed].flatMap(([file, { exportedTypes }]) =>
    exportedTypes.flatMap((name) => {
      const first = homes.get(name)
      homes.set(name, first ?? file)
      return first === undefined ? [] : [`${file}: exports the type ${name}, which ${first} exports too`]
    }),
  )
}

/** Circles of imports between files, types counted. */
function cycles(parsed: ReadonlyMap<string, Parsed>): string[] {
  const done = new Set<string>()
  const problems: string[] = []
  const follow = (file: string, path: readonly string[]) => {
    if (path.includes(file)) problems.push(`imports go in a circle: ${[...path.slice(path.indexOf(file)), file].join(' → ')}`)
    if (path.includes(file) || done.has(file)) return
    for (const { from } of parsed.get(file)?.imports ?? [])
      if (from.startsWith('.')) follow(normalize(join(dirname(file), from)), [...path, file])
    done.add(file)
  }
  for (const file of parsed.keys()) follow(file, [])
  return problems
}

/** Working papers and places of one machine. */
const HOUSE_WORDS: readonly [RegExp, string][] = [
  [/\b(INTERFACE|DESIGN|WIRE|THREATS|STYLE)\.md\b/, 'names a working paper'],
  [/(\.\.|\/work|(^|[^\w.]))\/shared\b/, 'names a folder that is not in the repository'],
  [/\/work\/|\/home\/\w|\/root\/\w/, 'names a place on one machine'],
  [/\bTODO\b|\bFIXME\b/, 'leaves something to do'],
  [/\.(skip|only)\(/, 'leaves tests out'],
  [/securegw|paytmpayments|paytm\.in/i, 'names a vendor’s host'],
]
const wordProblems = (file: string, text: string) =>
  HOUSE_WORDS.flatMap(([pattern, problem]) => {
    const line = text.split('\n').findIndex((line) => pattern.test(line))
    return line < 0 ? [] : [`${file}:${line + 1}: ${problem}`]
  })

const root = resolve(import.meta.dirname, '../..')
const NOT_OURS = new Set(['node_modules', '.git', 'data', 'coverage', 'dist', 'LICENSE', 'package-lock.json'])

/** Every file of the repository, by its path from the root. */
function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (NOT_OURS.has(entry.name) || entry.name.endsWith('.log')) return []
    if (entry.isDirectory()) return filesBelow(path)
    return entry.isFile() ? [path] : []
  })
}
const read = (file: string) => readFileSync(join(root, file), 'utf8')

const OPERATION = "import { operation } from '../../engine/decision.ts'\nexport const pay = operation({})"
const SHELL = {
  'engine/decision.ts': 'export const operation = (of: object) => of',
  'engine/clock.ts': 'export class SystemClock {}\nexport const dateInIndia = (at: number) => at',
  'engine/store.ts': 'export interface Store { at: number }',
  'interface/fields.ts': 'export const mid = 1',
  'tables/tables.ts': "import { mid } from '../interface/fields.ts'\nexport const tables = mid",
  'domain/order/order.ts': 'export const rule = 1',
  'domain/order/pay-order.ts': OPERATION,
  'http/server.ts': 'export const server = 1',
  'main.ts': "import { server } from './http/server.ts'\nexport const main = server",
}
const planted: readonly [string, Record<string, string>, RegExp][] = [
  [
    'interface imports a table',
    { 'interface/a.ts': "import { tables } from '../tables/tables.ts'\ntables" },
    /interface must not import tables/,
  ],
  [
    'a type is imported the wrong way',
    { 'interface/a.ts': "import type { Store } from '../engine/store.ts'\nexport type A = Store" },
    /interface must not import engine/,
  ],
  ['tables import the engine', { 'tables/tables.ts': "export * from '../engine/decision.ts'" }, /tables must not import engine/],
  ['the engine imports a decision', { 'engine/a.ts': "export { rule } from '../domain/order/order.ts'" }, /engine must not import domain/],
  [
    'the engine imports late',
    { 'engine/a.ts': "export const a = () => import('../domain/order/order.ts')" },
    /engine must not import domain/,
  ],
  ['a decision imports the machine', { 'domain/order/a.ts': "import '../../http/server.ts'" }, /domain must not import http/],
  [
    'an adapter imports a flow',
    { 'adapters/bank/a.ts': "import '../../flows/b.ts'", 'flows/b.ts': 'export {}' },
    /^adapters\/bank\/a.ts: adapters must not import flows/,
  ],
  [
    'the machine imports an operation',
    { 'http/a.ts': "import '../api/b.ts'", 'api/b.ts': 'export {}' },
    /^http\/a.ts: http must not import api/,
  ],
  [
    'an operation imports a page',
    { 'api/a.ts': "import '../pages/b.ts'", 'pages/b.ts': 'export {}' },
    /^api\/a.ts: api must not import pages/,
  ],
  [
    'the invariants import a page',
    { 'verify/a.ts': "import '../pages/b.ts'", 'pages/b.ts': 'export {}' },
    /^verify\/a.ts: api must not import pages/,
  ],
  [
    'the service imports what runs in browsers',
    { 'http/a.ts': "import '../browser/b.ts'", 'browser/b.ts': 'document.title' },
    /^http\/a.ts: what runs in browsers stands alone/,
  ],
  ['the machine imports main', { 'http/a.ts': "import '../main.ts'" }, /http must not import main/],
  ['main imports the command line', { 'cli/a.ts': 'export {}', 'main.ts': "import './cli/a.ts'" }, /main must not import cli/],
  [
    'a decision knows a setting',
    { 'domain/order/a.ts': "import { port } from '../../settings.ts'\nport", 'settings.ts': 'export const port = 1' },
    /^domain\/order\/a.ts: a decision knows no settings/,
  ],
  [
    'a decision imports another resource’s operation',
    { 'domain/refund/a.ts': "import { pay } from '../order/pay-order.ts'\npay" },
    /only rules may be shared/,
  ],
  [
    'a decision imports the store',
    { 'domain/order/a.ts': "import type { Store } from '../../engine/store.ts'\nexport type A = Store" },
    /does not know engine\/store/,
  ],
  [
    'a decision takes the clock',
    { 'domain/order/a.ts': "import { SystemClock } from '../../engine/clock.ts'\nSystemClock" },
    /does not have the clock \(SystemClock\)/,
  ],
  ['a decision uses a package', { 'domain/order/a.ts': "import { sql } from 'kysely'\nsql" }, /domain does not use the package kysely/],
  ['a decision uses node:', { 'domain/order/a.ts': "import { hash } from 'node:crypto'\nhash" }, /uses node:crypto/],
  [
    'rooms import each other by types alone',
    {
      'flows/a.ts': "import type { B } from './more/b.ts'\nexport type A = B | 1",
      'flows/more/b.ts': 'export type B = 2',
      'flows/c.ts': 'export type C = 3',
      'flows/more/d.ts': "import type { C } from '../c.ts'\nexport type D = C | 4",
    },
    /^flows ↔ flows\/more: rooms import each other$/,
  ],
  [
    'a room is crowded',
    Object.fromEntries(Array.from({ length: 21 }, (_, count) => [`flows/more/a${count}.ts`, 'export {}'])),
    /^flows\/more: has 21 files; at most 20$/,
  ],
  ['a file is in no part', { 'lib/a.ts': 'export {}' }, /is in no part/],
  ['an import leaves src', { 'http/a.ts': "import '../../test/a.ts'" }, /outside the house/],
  [
    'imports go in a circle',
    { 'http/a.ts': "import './b.ts'", 'http/b.ts': "import { a } from './a.ts'\na" },
    /circle: http\/a.ts → http\/b.ts → http\/a.ts/,
  ],
  [
    'files import each other by types alone',
    {
      'http/a.ts': "import type { B } from './b.ts'\nexport type A = B | 1",
      'http/b.ts': "import { type A } from './a.ts'\nexport type B = A | 2",
    },
    /circle: http\/a.ts → http\/b.ts → http\/a.ts/,
  ],
  ...Object.entries({
    Date: 'Date.now()',
    'Date ': 'new Date()',
    'Date  ': 'Date()',
    'Date   ': 'const at = { Date }',
    'Math.random': 'Math.random()',
    'Temporal.Now': 'Temporal.Now.instant()',
    crypto: 'crypto.randomUUID()',
    performance: 'performance.now()',
    process: 'process.env["A"]',
    'process ': 'export const a = (given = process) => given',
    setTimeout: 'setTimeout(() => {}, 1)',
    setInterval: 'setInterval(() => {}, 1)',
    setImmediate: 'new Promise(setImmediate)',
    fetch: 'await fetch("http://a")',
    globalThis: 'globalThis["fetch"]',
    console: 'console.log(1)',
    require: 'require("fs")',
  }).map(([use, source]): [string, Record<string, string>, RegExp] => [
    source,
    { 'http/a.ts': source, 'domain/order/b.ts': source },
    new RegExp(`http/a.ts: uses ${use.trim()} and[^]*domain/order/b.ts: uses ${use.trim()} and`),
  ]),
  ['a port does what it is not listed for', { 'http/a.ts': 'performance.now(); fetch("a")' }, /uses fetch and is no port/],
  ['a file is too long', { 'http/a.ts': '1\n'.repeat(351) }, /has 351 lines/],
  ['a function is too long', { 'http/a.ts': `export const long = () => {\n${'1\n'.repeat(70)}}\n` }, /long has 72 lines/],
  ['a method is too long', { 'http/a.ts': `export class A {\n  long() {\n${'1\n'.repeat(70)}}\n}\n` }, /long has 72 lines/],
  ['a name says nothing', { 'http/a.ts': 'export class OrderManager {}\nexport interface UserInfo { a: 1 }' }, /OrderManager is a name/],
  [
    'a type has two definitions',
    { 'http/a.ts': 'export interface Asked { a: 1 }', 'flows/b.ts': 'export type Asked = 2' },
    /^flows\/b.ts: exports the type Asked, which http\/a.ts exports too$/,
  ],
  ['a path is spelled twice', { 'http/a.ts': 'export const a = `/theia/api/v1/x`' }, /spells the path/],
  [
    'two operations have one path',
    {
      'api/kit/descriptor.ts': 'export const a = 1',
      'api/order/a.ts': "import { a } from '../kit/descriptor.ts'\nexport const b = [a, '/theia/api/v1/x']",
      'api/order/b.ts': "import { a } from '../kit/descriptor.ts'\nexport const b = [a, '/theia/api/v1/x']",
    },
    /^api\/order\/b.ts: spells the path \/theia\/api\/v1\/x, which api\/order\/a.ts does too$/,
  ],
  ['an alias is spelled twice', { 'domain/order/a.ts': "export const a = 'paytmSsoToken'" }, /spells paytmSsoToken/],
]

test('every planted violation is found, and it alone', () => {
  assert.deepEqual(problemsOf(SHELL), [])
  for (const [what, files, expected] of planted) {
    const problems = problemsOf(
      { ...SHELL, ...files },
      { 'http/a.ts': { uses: what.startsWith('a port') ? ['performance'] : [], because: '' } },
    )
    assert.match(problems.join('\n'), expected, what)
    assert.equal(
      new Set(problems.map((problem) => problem.split(':')[0])).size,
      Object.keys(files).length === 1 ? 1 : problems.length,
      `${what}: ${problems}`,
    )
  }
  assert.match(problemsOf(SHELL, { 'main.ts': { uses: ['fetch'], because: '' } }).join(), /listed as a port for fetch and does not use it/)
})

test('code that only looks like a violation passes', () => {
  const innocent = {
    'domain/order/a.ts': `import { dateInIndia } from '../../engine/clock.ts'
      import { rule } from './order.ts'
      import type { TSchema } from 'typebox'
      interface Port { fetch(url: string): void; process: string; Date: number }
      // process.exit, Date.now() and fetch() are only words here
      export const a = (port: Port, at: number) => [port.fetch('process'), port.process, { crypto: at, Date: rule }, 'performance']
      export const b = (at: number): TSchema | string => new Date(dateInIndia(at)).toISOString() + Date.parse('2026-01-01') + Math.max(1, 2)`,
  }
  assert.deepEqual(problemsOf({ ...SHELL, ...innocent }), [])
})

test('the words of the workshop are found where they are planted', () => {
  const words = [
    'see DESIGN.md',
    'in ../shared/x',
    'in `/shared`',
    '/work/main',
    '// TODO: later',
    "test.skip('a')",
    'https://securegw.example',
  ]
  for (const word of words) assert.equal(wordProblems('a.ts', `first\n${word}`).length > 0, true, word)
  assert.deepEqual(wordProblems('a.ts', 'docs/interface.md, ./shared/a.ts, homework/1, the only (one), skip(1)'), [])
})

test('src/ keeps the rules of the house', () => {
  const files = filesBelow('src').filter((file) => /\.[jt]s$/.test(file))
  assert.ok(files.length > 30)
  assert.deepEqual(problemsOf(Object.fromEntries(files.map((file) => [file.slice('src/'.length), read(file)])), PORTS), [])
})

test('no file of the repository speaks of the workshop it was made in', () => {
  const files = filesBelow('.')
  assert.ok(files.includes('package.json') && files.includes(join('test', 'house', 'tidy.test.ts')))
  assert.deepEqual(
    files.filter((file) => file !== join('test', 'house', 'tidy.test.ts')).flatMap((file) => wordProblems(file, read(file))),
    [],
  )
})

test('behind an await the runner still knows the running test: a test’s `after` work is done before the next test', async (t) => {
  const done: string[] = []
  await t.test('one that leaves something to its end', async () => {
    await turn()
    after(() => void done.push('its end'))
    done.push('itself')
  })
  assert.deepEqual(done, ['itself', 'its end'])
})
