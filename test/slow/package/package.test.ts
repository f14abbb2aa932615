// The npm package of `npm run pack`, installed from its tarball: it has what it needs and nothing else, and answers as the checkout does.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { ask, PASSWORD } from '../../support/console/desk.ts'
import { formsOf } from '../../support/pages/pages.ts'
import { fromCheckout } from '../../support/run/checkout.ts'
import { root } from '../../support/run/files.ts'
import { type Packed, packed } from '../../support/run/packed.ts'
import { mohurCommand, serveProcess } from '../../support/run/process.ts'

let at: Packed
let modules: Map<string, string>
const mohurAt = (file: string, args: readonly string[], env = {}) => mohurCommand(args, env, '', file)
const serveAt = (file: string, env: Record<string, string>) => serveProcess(env, [], file)
before(() => {
  at = packed()
  const lib = join(at.package, 'lib')
  modules = new Map(globSync('*.cjs', { cwd: lib }).map((file) => [file, readFileSync(join(lib, file), 'utf8')]))
})

/** As esbuild writes them. Texts of Mohur's own have other lines. */
const STATIC = /^(?:import|export)\b(?:[^;]*? from)? ?"([\w@:./-]+)";$/gm
const DYNAMIC = /\bimport\("([\w@:./-]+)"\)/g
/** Ajv has texts of code that begin so. */
const REQUIRED = /(?<!['"`])\brequire\d*\("([\w@:./-]+)"\)/g
const found = (patterns: readonly RegExp[], text: string) =>
  patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name]) => name!))

const sourcesOf = (file: string): string[] => JSON.parse(readFileSync(join(at.package, 'lib', `${file}.map`), 'utf8')).sources

test('the code needs nothing beside itself but Node', () => {
  const names = [...modules.values()].flatMap((text) => found([STATIC, DYNAMIC, REQUIRED], text))
  const outside = new Set(names.filter((name) => !name.startsWith('./') && !name.startsWith('node:')))
  for (const name of outside) assert.ok(name === 'pg-native' || isOfNode(name), `lib/ imports ${name}`)
  const { dependencies, private: isPrivate, exports } = JSON.parse(readFileSync(join(at.package, 'package.json'), 'utf8'))
  assert.deepEqual([dependencies, isPrivate, Object.keys(exports)], [undefined, undefined, ['./testing', './package.json']])
})
const isOfNode = (name: string) => process.getBuiltinModule(name) !== undefined

test('lib/ is the program and the thread beside it', () => assert.deepEqual([...modules.keys()].sort(), ['aside-worker.cjs', 'mohur.cjs']))

test('only the sandbox runs the code of its hints', () => {
  const asked = [...modules.get('mohur.cjs')!.matchAll(/.*\binit_hints\(\).*/g)].map(([line]) => line.trim())
  assert.deepEqual(asked, ['(await Promise.resolve().then(() => (init_hints(), hints_exports))).addHints(server, ports);'])
})

test('THIRD-PARTY.txt names each package that is bundled, with its licence, and no other', () => {
  const sources = [...modules.keys()].flatMap(sourcesOf)
  const folders = new Set(sources.flatMap((source) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(source) ?? []))
  const bundled = [...folders].map((folder) => folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length))
  const text = readFileSync(join(at.package, 'THIRD-PARTY.txt'), 'utf8')
  const named = [...text.matchAll(/(?<=^-{80}\n\n|^The code.*\n\n)(\S+) \d+\.\d+\.\S+: (.+)$/gm)]
  assert.deepEqual(named.map(([, name]) => name).sort(), bundled.sort())
  for (const [, name, licence] of named) assert.match(licence!, /^(MIT|ISC|Apache-2\.0|BSD-[23]-Clause|\(MIT OR .*\))$/, name!)
})

test('mohur openapi prints docs/openapi.json, and the version is that of the checkout', async () => {
  const program = join(at.package, 'bin/mohur.mjs')
  assert.equal((await mohurAt(program, ['openapi'])).out, readFileSync(join(root, 'docs/openapi.json'), 'utf8'))
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  assert.equal((await mohurAt(program, ['--version'])).out, `mohur ${version}\n`)
})

/** Pages that lead to all others, and files that no page names. */
const FIRST = [
  ...['/docs', '/docs/guide', '/docs/codes', '/docs/checksum', '/openapi.json'],
  ...['/sandbox/shop', '/sandbox/phone', '/sandbox/phone/none', '/sandbox/reset', '/console', '/console/sign-in', '/pay/frame'],
  '/merchantpgpui/checkoutjs/merchants/DEMO0000000000000001',
]
const LINK = /(?:href|src|action)="(\/[^"#?]*)/g
const MODULE = /["'](\/(?:pay|sandbox|console|docs)\/[\w./-]+\.(?:js|css))["']/g

test('every page and file of the service is that of the checkout, byte for byte; nothing in the package is left unread', async (t) => {
  const reads = join(at.project, 'reads')
  const recorder = join(at.project, 'recorder.mjs')
  writeFileSync(recorder, RECORDER)
  const env = { MOHUR_PUBLIC_URL: 'http://127.0.0.1:9', MOHUR_LOG: 'warn', MOHUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }
  const preload = { NODE_OPTIONS: `--import=${pathToFileURL(recorder).href}`, MOHUR_TEST_READS: reads }
  const folder = (name: string) => join(at.project, name)
  const ours = await serveAt(join(root, 'src/cli/mohur.ts'), { ...env, MOHUR_DATA: folder('ours') })
  const theirs = await serveAt(join(at.package, 'bin/mohur.mjs'), { ...env, ...preload, MOHUR_DATA: folder('theirs') })
  t.after(() => Promise.all([ours, theirs].map(({ kill }) => kill('SIGTERM'))))
  const pictures = readdirSync(join(root, 'docs/pictures')).map((name) => `/docs/pictures/${name}`)
  const paths = new Set([...FIRST, ...pictures])
  const differ: string[] = []
  for (const path of paths) {
    const [one, other] = await Promise.all([ours, theirs].map(({ url }) => answerOf(url, path)))
    if (!one!.bytes.equals(other!.bytes) || one!.status !== other!.status) differ.push(path)
    if (one!.status !== 200 || !/html|javascript|css/.test(one!.type)) continue
    for (const link of found([LINK, MODULE], one!.bytes.toString())) paths.add(link)
  }
  const program = join(at.package, 'bin/mohur.mjs')
  const list = await listOfConsole(join(root, 'src/cli/mohur.ts'), ours, { ...env, MOHUR_DATA: folder('ours') })
  assert.equal(await listOfConsole(program, theirs, { ...env, MOHUR_DATA: folder('theirs') }), list)
  assert.deepEqual(differ, [])
  assert.ok(paths.size > 100, `${paths.size}`)
  for (const args of [['openapi'], ['--version']]) await mohurAt(program, args, preload)
  // `startSandbox` hands no preload on, so the process of a sandbox is read here, where it ends at once.
  await mohurAt(join(at.package, 'testing/serve.mjs'), [], { ...preload, MOHUR_TEST_TEMPORARY: folder('none') })
  for (const script of [
    "import { startSandbox } from 'mohur/testing'; await (await startSandbox()).stop()",
    "import { createRequire } from 'node:module'; await createRequire(process.cwd() + '/x')('mohur/testing').startSandbox()",
  ])
    spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: at.project, env: { ...process.env, ...preload } })
  const here = realpathSync(at.package)
  const read = new Set(readFileSync(reads, 'utf8').split('\n'))
  const files = globSync('**', { cwd: here, withFileTypes: false }).filter((file) => statSync(join(here, file)).isFile())
  const unread = files.filter((file) => !read.has(join(here, file)) && !file.startsWith('lib/') && !FOR_PEOPLE.test(file))
  assert.deepEqual(unread, [])
  t.diagnostic(`${paths.size} paths, 0 differ; ${files.length} files, 0 unread`)
})

/** For people and their tools. The test above covers lib/. */
const FOR_PEOPLE = /^(LICENSE|NOTICE|THIRD-PARTY\.txt|testing\/testing\.d\.[mc]ts)$/

/** Notes every file that a process reads, modules included. */
const RECORDER = `
import fs from 'node:fs'
import { registerHooks, syncBuiltinESMExports } from 'node:module'
import { fileURLToPath } from 'node:url'
const { readFileSync, appendFileSync } = fs
const note = (path) => appendFileSync(process.env.MOHUR_TEST_READS, path + '\\n')
fs.readFileSync = (path, ...rest) => { if (typeof path === 'string') note(path); return readFileSync(path, ...rest) }
syncBuiltinESMExports()
registerHooks({ load(url, context, next) { if (url.startsWith('file:')) note(fileURLToPath(url)); return next(url, context) } })
`

async function answerOf(url: string, path: string) {
  const response = await fetch(url + path, { redirect: 'manual' })
  const bytes = Buffer.from(await response.arrayBuffer())
  return { status: response.status, type: response.headers.get('content-type') ?? '', bytes: isText(response) ? still(bytes) : bytes }
}
const isText = (response: Response) => /html|json/.test(response.headers.get('content-type') ?? '')
/** Ids that a page draws anew each time, and the checksums over them. */
const still = (bytes: Buffer) => Buffer.from(bytes.toString().replace(/(?<=_)[0-9a-f]{8}\b|[\w+/]{100,}={0,2}/g, 'X'))

/** The list of payments, which the thread beside the work answers, for a person whom a command set up. */
async function listOfConsole(file: string, { url }: { url: string }, env: Record<string, string>) {
  const { out } = await mohurAt(file, ['operator', 'setup', '--email', 'person@staff.test'], env)
  const { action, fields } = formsOf((await ask({ url }, /\/console\/set-up\/\S+/.exec(out)![0])).text)[0]!
  const { cookie } = await ask({ url }, action, { form: { ...fields, password: PASSWORD } })
  const { status, text } = await ask({ url }, '/console/payments', { cookie })
  assert.equal(status, 200)
  return text.replace(/name="token" value="[^"]*"|(?<=\?since=)\d+/g, '')
}

test('a package of other sources is recognised, and named by its commit', async () => {
  const { staleness } = await fromCheckout<{ staleness(dist: string): string | undefined }>('bin/pack.mjs')
  assert.equal(staleness(at.package), undefined)
  const manifest = JSON.parse(readFileSync(join(at.package, 'package.json'), 'utf8'))
  const older = join(at.project, 'older')
  mkdirSync(older)
  writeFileSync(join(older, 'package.json'), JSON.stringify({ ...manifest, sources: 'others', gitHead: 'abc123' }))
  assert.match(staleness(older)!, /older is not of these sources: it was packed at commit abc123\. Run `npm run pack`$/)
  assert.match(staleness(join(older, 'none'))!, /there is no package in /)
})

test('the compiled code of a start is kept in MOHUR_DATA, as in the checkout', async () => {
  const MOHUR_DATA = join(at.project, 'cached')
  const service = await serveAt(join(at.package, 'bin/mohur.mjs'), { MOHUR_DATA, MOHUR_LOG: 'warn', NODE_COMPILE_CACHE: '' })
  const cache = join(MOHUR_DATA, 'compile-cache')
  while (!existsSync(join(cache, 'package'))) await sleep(50) // in the first idle second
  await service.kill('SIGTERM')
  assert.equal(statSync(cache).mode & 0o777, 0o700)
  const code = readFileSync(join(cache, 'package'))
  assert.ok(code.includes('--host must not be empty'), 'a text of a function that runs after its module was loaded')
})
