/**
 * Runs the tests with one PostgreSQL for all of them: `node test/support/run/run.ts [--quick|--prove] [files, folders and options of node --test]`.
 * `--prove` runs every test on both stores. Without it files in a folder `slow` are left out and PostgreSQL runs only where SQL differs;
 * with `--quick` it is not started at all. What is named runs wherever it is. Options with a value are written `--option=value`.
 * When the environment already names a server (MOHUR_TEST_DATABASE_URL), that one is used and left running.
 *
 * Whatever tests put into the temp folder they put into one of this run, which goes with it, however they end.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism, constants, tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { makeMigrated, migratedVariable } from '../store/migrated.ts'
import { cacheFolder, startPostgres, urlVariable } from '../store/postgres.ts'
import { repliesHeld, repliesVariable } from './fits.ts'
import { reachedVariable, summary } from './reached.ts'
import type { Tally } from './tally.ts'
import { type Run, runs, storesVariable } from './which-stores.ts'

const root = resolve(import.meta.dirname, '../../..')
const SLOW = /(^|\/)test\/slow\//
const SLOWEST = 20
/** So many files share a process. With fewer more time goes into starts, with more one processor has nothing to do at the end. */
const TOGETHER = 14
/** What takes so long that its process runs this file alone, and begins first. */
const LONG =
  /(^|\/)test\/(pages\/(payment\/browser|loader\/walks)|scenario\/kills|flows\/notification-due|adapters\/store\/store)\.test\.ts$/

const given = process.argv.slice(2)
const run: Run = given.includes('--prove') ? 'prove' : given.includes('--quick') ? 'quick' : 'test'
const passed = given.filter((argument) => argument !== '--prove' && argument !== '--quick')
const isNamed = (name: string) => passed.some((argument) => argument.startsWith(name))
// Node takes what stands after a file for the file's own arguments, and would pass over an option there without a word.
const [options, named] = [true, false].map((isOption) => passed.filter((argument) => argument.startsWith('-') === isOption)) as [
  string[],
  string[],
]
const isWhole = passed.length === 0
const folder = mkdtempSync(join(tmpdir(), 'mohur-run-'))
const tally = join(folder, 'tally')
const groups = join(folder, 'groups')
const reporters = options.filter((option) => option.startsWith('--test-reporter='))
const args = [
  `--import=${import.meta.resolve('./follow-tests.ts')}`,
  '--test',
  // Node's own choice is one less than there are, which is one at a time on two: but tests wait for disks and for PostgreSQL too.
  ...(isNamed('--test-concurrency') ? [] : [`--test-concurrency=${Math.max(2, availableParallelism())}`]),
  ...(reporters.length > 0 ? [] : ['--test-reporter=spec']),
  ...(isNamed('--test-reporter-destination')
    ? []
    : (reporters.length > 0 ? reporters : ['spec']).map(() => '--test-reporter-destination=stdout')),
  ...options,
  ...[`--test-reporter=${import.meta.resolve('./tally.ts')}`, `--test-reporter-destination=${tally}`],
  ...filesOf(named),
]

/** Node sorts what it is given, and absolute paths come before others: so the slow files begin first. */
function filesOf(named: readonly string[]): string[] {
  const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory()
  if (named.length > 0) return named.map((path) => (isFolder(path) ? join(path, '**/*.test.ts') : path))
  const files = globSync('test/**/*.test.ts', { cwd: root })
  const quick = files.filter((file) => !SLOW.test(file))
  if (run === 'prove') return [...files.filter((file) => SLOW.test(file)).map((file) => join(root, file)), ...quick]
  return isWhole ? grouped(quick) : quick
}

/** Files that share a process; each file of this list is such a process. `npm run prove` runs every file in one of its own. */
function grouped(files: readonly string[]): string[] {
  const long = files.filter((file) => LONG.test(file))
  const short = files.filter((file) => !LONG.test(file)).sort()
  const count = Math.ceil(short.length / TOGETHER)
  const together = Array.from({ length: count }, (_, group) => short.slice(group * TOGETHER, (group + 1) * TOGETHER))
  mkdirSync(groups)
  return [...long.map((file) => [file]), ...together].map((group, at) => {
    const path = join(groups, `${String(at).padStart(3, '0')}.test.mjs`)
    const given = group.map((file) => ({ name: file, path: join(root, file) }))
    const from = JSON.stringify(import.meta.resolve('./together.ts'))
    writeFileSync(path, `import { runTogether } from ${from}\nawait runTogether(${JSON.stringify(given)})\n`)
    return path
  })
}

let tests: ReturnType<typeof spawn> | undefined
let asked: NodeJS.Signals | undefined
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    // Before the tests run there is nothing to wait for, and PostgreSQL's watchdog does the rest.
    if (!tests) process.exit(128 + constants.signals[name])
    // Asked a second time, we no longer wait for the runner's own ending.
    // The runner ends its test processes on SIGINT and SIGTERM, and leaves them behind on SIGHUP.
    tests.kill(asked ? 'SIGKILL' : name === 'SIGHUP' ? 'SIGTERM' : name)
    asked = name
  })
}

const reached = join(folder, 'reached')
writeFileSync(reached, '')
const replies = join(folder, 'replies')
writeFileSync(replies, '')
const temporary = join(folder, 'tmp')
mkdirSync(temporary)
const server = process.env[urlVariable] || run === 'quick' ? undefined : await startPostgres({ durable: false })
const migrated = process.env[urlVariable] ? undefined : join(folder, 'migrated')
try {
  if (migrated) await makeMigrated(migrated, server)
  tests = spawn(process.execPath, args, {
    stdio: 'inherit',
    // Our own list is meant from the project's folder, what the caller names from where the caller is.
    cwd: named.length === 0 ? root : process.cwd(),
    env: {
      ...process.env,
      ...(server && { [urlVariable]: server.url }),
      [storesVariable]: run,
      ...(migrated && { [migratedVariable]: migrated }),
      [reachedVariable]: reached,
      [repliesVariable]: replies,
      TMPDIR: temporary,
      // Every test file, and every command that it runs, is a process of its own that loads the same modules.
      NODE_COMPILE_CACHE: join(cacheFolder() ?? folder, 'compiled'),
    },
  })
  const [code, signal] = (await once(tests, 'exit')) as [number | null, NodeJS.Signals | null]
  const endedBy = asked ?? signal
  process.exitCode = endedBy ? 128 + constants.signals[endedBy] : (code ?? 1)
  if (!endedBy && existsSync(tally)) sayHowItEnded()
} finally {
  rmSync(folder, { recursive: true, force: true })
  await server?.stop()
}

/** A row of a code table that no test reaches over HTTP is a row that nobody knows to work. */
function sayHowItEnded() {
  const { counts, ms, files } = JSON.parse(readFileSync(tally, 'utf8')) as Tally
  const stores = runs[run].everywhere
  const { lines, missing, operationsMissed, reached: rows } = summary(reached, stores)
  const wanted = !isWhole || run === 'quick' ? [] : run === 'prove' ? missing : operationsMissed
  if (isWhole) {
    const [slowest, rest] = [files.sort((a, b) => b.ms - a.ms).slice(0, SLOWEST), files.slice(SLOWEST)]
    const seconds = (ms: number) => (ms / 1_000).toFixed(1).padStart(6)
    for (const { file, ms } of slowest) console.log(`| ${relative(root, file)} | ${seconds(ms)} |`)
    console.log(`| ${rest.length} other files | ${seconds(rest.reduce((sum, { ms }) => sum + ms, 0))} |`)
    console.log(`rows of docs/interface.md section 7 reached over HTTP\n  ${lines.join('\n  ')}`)
  }
  if (wanted.length > 0) {
    console.log(`not reached: ${wanted.join('; ')}`)
    process.exitCode ||= 1
  }
  const { tests, passed, skipped, todo } = counts
  const failed = tests - passed - skipped - todo
  const reachedOn = stores.map((store) => `${rows[store]} on ${store}`).join(', ')
  console.log(
    `${run}: ${tests} tests, ${passed} passed, ${failed} failed, ${skipped + todo} left out, ${Math.round(ms / 1_000)} s; rows of section 7: ${reachedOn}; ${heldOf(replies)}`,
  )
}

/** A reply that fits no schema fails its test. */
function heldOf(file: string) {
  const held = repliesHeld(file)
  const count = [...held.values()].reduce((sum, each) => sum + each, 0)
  return `${count} replies of ${held.size} operations fit their schemas`
}
