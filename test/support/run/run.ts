/**
 * Runs the tests with one PostgreSQL for all of them:
 *
 *     node test/support/run/run.ts [--quick|--prove] [--verbose] [files, folders and options of Node]
 *
 * `--prove` runs every test on both stores. Without it files in a folder `slow` are left out, and PostgreSQL runs only where SQL differs.
 * With `--quick` PostgreSQL is not started at all. A named file runs wherever it is. Write options with a value as `--option=value`.
 * `--verbose` prints every test and everything that tests write. When MOHUR_TEST_DATABASE_URL names a server, the run uses that server and
 * leaves it running.
 *
 * Tests write temporary files into a folder of this run, which the run removes, however the tests end. It is in memory where there is
 * plenty, unless TMPDIR names another place. No test cuts a machine's power, so none needs a disk.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeMigrated, migratedVariable } from '../store/migrated.ts'
import { cacheFolder, memoryFolder, startPostgres, urlVariable } from '../store/postgres.ts'
import { filesOf, root } from './files.ts'
import { repliesHeld, repliesVariable } from './fits.ts'
import { FILE_LIMIT_MS, TestProcesses } from './processes.ts'
import { Progress } from './progress.ts'
import { reachedVariable, summary } from './reached.ts'
import { type Run, runs, storesVariable } from './which-stores.ts'

const CONCURRENCY = '--test-concurrency='

const given = process.argv.slice(2)
const run: Run = given.includes('--prove') ? 'prove' : given.includes('--quick') ? 'quick' : 'test'
const passed = given.filter((argument) => !['--prove', '--quick', '--verbose'].includes(argument))
const options = passed.filter((argument) => argument.startsWith('-') && !argument.startsWith(CONCURRENCY))
const named = passed.filter((argument) => !argument.startsWith('-'))
const isWhole = passed.length === 0
const hasReporter = options.some((option) => option.startsWith('--test-reporter='))
const isVerbose = given.includes('--verbose') || hasReporter
// One more than the processors, because tests also wait: for disks, PostgreSQL, browsers and parties that never answer.
const concurrency =
  Number(passed.findLast((argument) => argument.startsWith(CONCURRENCY))?.slice(CONCURRENCY.length)) || availableParallelism() + 1

/** One for each reporter, because Node wants as many destinations as reporters. */
const toStdout = '--test-reporter-destination=stdout'
const execArgv = [
  `--import=${import.meta.resolve('./follow-tests.ts')}`,
  `--test-reporter=${import.meta.resolve('./report.ts')}`,
  toStdout,
  ...(isVerbose && !hasReporter ? ['--test-reporter=spec', toStdout] : []),
  ...options.flatMap((option) =>
    option.startsWith('--test-reporter=') && !options.some((other) => other.startsWith('--test-reporter-destination'))
      ? [option, toStdout]
      : [option],
  ),
]

let processes: TestProcesses | undefined
let asked: NodeJS.Signals | undefined
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    // Before the tests run there is nothing to wait for, and PostgreSQL's watchdog cleans up.
    if (!processes) process.exit(128 + constants.signals[name])
    // After a second signal, do not wait for the tests to end.
    processes.stop(asked ? 'SIGKILL' : 'SIGTERM')
    asked = name
  })
}

const folder = mkdtempSync(join((process.env['TMPDIR'] ? undefined : memoryFolder()) ?? tmpdir(), 'mohur-run-'))
const reached = join(folder, 'reached')
writeFileSync(reached, '')
const replies = join(folder, 'replies')
writeFileSync(replies, '')
const temporary = join(folder, 'tmp')
mkdirSync(temporary)
const server = process.env[urlVariable] || run === 'quick' ? undefined : await startPostgres({ durable: false })
const migrated = process.env[urlVariable] ? undefined : join(folder, 'migrated')
try {
  const files = filesOf(run, named)
  if (migrated) await makeMigrated(migrated, server)
  const progress = new Progress(files.length, isVerbose)
  const env = {
    ...process.env,
    ...(server && { [urlVariable]: server.url }),
    [storesVariable]: run,
    ...(migrated && { [migratedVariable]: migrated }),
    [reachedVariable]: reached,
    [repliesVariable]: replies,
    TMPDIR: temporary,
    // Every process of tests, and every command that it runs, loads the same modules.
    NODE_COMPILE_CACHE: join(cacheFolder() ?? folder, 'compiled'),
  }
  const isDebugged = options.some((option) => option.startsWith('--inspect'))
  // Paths of the run's own list start in the project's folder, those of named files in the caller's folder.
  const cwd = named.length === 0 ? root : process.cwd()
  const started = { execArgv, env, cwd, isDebugged, limitMs: isDebugged ? undefined : FILE_LIMIT_MS }
  processes = new TestProcesses(
    files,
    started,
    (ended) => progress.ended(ended),
    (output) => progress.rest(output),
  )
  await processes.run(concurrency)
  process.exitCode = asked ? 128 + constants.signals[asked] : progress.counts.failed > 0 ? 1 : 0
  if (!asked) sayHowItEnded(progress)
  if (run === 'quick') await sayIfStale()
} finally {
  rmSync(folder, { recursive: true, force: true })
  await server?.stop()
}

/** If no test reaches a row of a code table over HTTP, nothing shows that it works. */
function sayHowItEnded(progress: Progress) {
  const stores = runs[run].everywhere
  const { lines, missing, operationsMissed, reached: rows } = summary(reached, stores)
  const wanted = !isWhole || run === 'quick' ? [] : run === 'prove' ? missing : operationsMissed
  if (isWhole) progress.sayTheSlowest()
  if (wanted.length > 0) {
    console.log(`rows of docs/interface.md section 7 reached over HTTP\n  ${lines.join('\n  ')}`)
    console.log(`not reached: ${wanted.join('; ')}`)
    process.exitCode ||= 1
  }
  progress.sayWhatFailed()
  const { tests, passed, failed, leftOut } = progress.counts
  const reachedOn = stores.map((store) => `${rows[store]} on ${store}`).join(', ')
  console.log(
    `${run}: ${tests} tests, ${passed} passed, ${failed} failed, ${leftOut} left out, ${Math.round(progress.ms / 1_000)} s; rows of section 7: ${reachedOn}; ${heldOf(replies)}`,
  )
}

/** A quick run has few files, so it names here what would fail in `npm test`. */
async function sayIfStale() {
  const { openapiText } = await import('../../../src/cli/openapi/openapi.ts')
  if (readFileSync(join(root, 'docs/openapi.json'), 'utf8') !== openapiText())
    console.log('docs/openapi.json is stale: `node bin/run.mjs test/support/described/write-document.ts` writes it anew')
}

/** A reply that fits no schema fails its test; this counts the others. */
function heldOf(file: string) {
  const held = repliesHeld(file)
  const count = [...held.values()].reduce((sum, each) => sum + each, 0)
  return `${count} replies of ${held.size} operations fit their schemas`
}
