/**
 * Runs the tests with one PostgreSQL for all of them: `node test/support/run.ts [patterns and options of node --test]`.
 * Options with a value are written `--option=value`; an argument without a dash is a pattern, and replaces the default one.
 * `--store=sqlite` leaves out what tests do on the other store, and starts no PostgreSQL.
 * When the environment already names a server (MOHUR_TEST_DATABASE_URL), that one is used and left running.
 *
 * Whatever tests put into the temp folder they put into one of this run, which goes with it, however they end.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, constants, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { makeMigrated, migratedVariable } from './migrated.ts'
import { cacheFolder, startPostgres, urlVariable } from './postgres.ts'
import { reachedVariable, summary } from './reached.ts'
import { storesVariable } from './which-stores.ts'

const given = process.argv.slice(2)
const store = given.find((argument) => argument.startsWith('--store='))?.slice('--store='.length)
const passed = given.filter((argument) => !argument.startsWith('--store='))
const usesDefault = passed.every((argument) => argument.startsWith('-'))
const reporter = passed.some((argument) => argument.startsWith('--test-reporter')) ? [] : ['--test-reporter=spec']
// Node's own choice is one less than there are, which is one at a time on two: but tests wait for disks and for PostgreSQL too.
const concurrency = passed.some((argument) => argument.startsWith('--test-concurrency'))
  ? []
  : [`--test-concurrency=${Math.max(2, availableParallelism())}`]
// Node takes what stands after a file for the file's own arguments, and would pass over an option there without a word.
const [options, files] = [true, false].map((isOption) => passed.filter((argument) => argument.startsWith('-') === isOption))
const follows = `--import=${import.meta.resolve('./follow-tests.ts')}`
const args = [follows, '--test', ...concurrency, ...reporter, ...options!, ...(usesDefault ? ['test/**/*.test.ts'] : files!)]

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

const folder = mkdtempSync(join(tmpdir(), 'mohur-run-'))
const reached = join(folder, 'reached')
writeFileSync(reached, '')
const temporary = join(folder, 'tmp')
mkdirSync(temporary)
const server = process.env[urlVariable] || store === 'sqlite' ? undefined : await startPostgres({ durable: false })
const migrated = process.env[urlVariable] ? undefined : join(folder, 'migrated')
try {
  if (migrated) await makeMigrated(migrated, server)
  tests = spawn(process.execPath, args, {
    stdio: 'inherit',
    // The default pattern is meant from the project's folder, the caller's patterns from where the caller is.
    cwd: usesDefault ? resolve(import.meta.dirname, '../..') : process.cwd(),
    env: {
      ...process.env,
      ...(server && { [urlVariable]: server.url }),
      ...(store && { [storesVariable]: store }),
      ...(migrated && { [migratedVariable]: migrated }),
      [reachedVariable]: reached,
      TMPDIR: temporary,
      // Every test file, and every command that it runs, is a process of its own that loads the same modules.
      NODE_COMPILE_CACHE: join(cacheFolder() ?? folder, 'compiled'),
    },
  })
  const [code, signal] = (await once(tests, 'exit')) as [number | null, NodeJS.Signals | null]
  const endedBy = asked ?? signal
  process.exitCode = endedBy ? 128 + constants.signals[endedBy] : (code ?? 1)
  if (given.length === 0 && process.exitCode === 0) tellReached()
} finally {
  rmSync(folder, { recursive: true, force: true })
  await server?.stop()
}

/** A row of a code table that no test reaches over HTTP is a row that nobody knows to work. */
function tellReached() {
  const { lines, missing } = summary(reached, ['sqlite', 'postgres'])
  console.log(`rows of docs/interface.md section 7 reached over HTTP\n  ${lines.join('\n  ')}`)
  if (missing.length === 0) return
  console.log(`not reached: ${missing.join('; ')}`)
  process.exitCode = 1
}
