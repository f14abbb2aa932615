// Faults that keep a command from its work, or the service from starting. Each gives one sentence without a stack, and its exit code.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { fromCheckout, program, spawned } from '../../support/run/checkout.ts'
import { mohurCommand } from '../../support/run/process.ts'
import { sharedPostgres } from '../../support/store/postgres.ts'

const { exits, failureOf } = await fromCheckout<typeof import('../../../src/cli/exits.ts')>('src/cli/exits.ts')
const { CommitUnknown } = await fromCheckout<typeof import('../../../src/engine/store.ts')>('src/engine/store.ts')

const folder = mkdtempSync(join(tmpdir(), 'mohur-start-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const SECRET = 'hidden-password'
const mohur = (args: readonly string[], environment: Record<string, string>) =>
  mohurCommand(args, { MOHUR_DATA: join(folder, 'data'), MOHUR_LOG: 'silent', PORT: '0', ...environment })

/** Expects this exit code and one sentence, without a stack or a password. */
async function endsWith(code: number, sentence: RegExp, args: readonly string[], environment: Record<string, string> = {}) {
  const ended = await mohur(args, environment)
  assert.deepEqual([ended.code, ended.out], [code, ''], `${args.join(' ')}: ${ended.err}`)
  assert.match(ended.err, sentence)
  assert.equal(ended.err.trim().split('\n').length, 1, ended.err)
  assert.ok(!ended.err.includes(SECRET) && !/\bat .*:\d+:\d+/.test(ended.err), ended.err)
}

async function freePort(): Promise<number> {
  const server = createServer().unref().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}

test('a database that is away', async () => {
  const DATABASE_URL = `postgres://mohur:${SECRET}@127.0.0.1:${await freePort()}/mohur`
  for (const args of [['serve'], ['migrate'], ['verify'], ['merchant', 'list'], ['merchant', 'add', '--mid', 'M1']])
    await endsWith(69, /the database does not answer at 127\.0\.0\.1:\d+ \(ECONNREFUSED\)/, args, { DATABASE_URL })
  await endsWith(69, /the database does not answer at nowhere\.invalid:5432 \((ENOTFOUND|EAI_AGAIN)\)/, ['serve'], {
    DATABASE_URL: `postgres://mohur:${SECRET}@nowhere.invalid/mohur`,
  })
})

test('a COMMIT of unknown outcome ends with 70 whatever broke it, and is not called a database that was not reached', () => {
  const environment = { DATABASE_URL: `postgres://mohur:${SECRET}@db/mohur` }
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  const broken = Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 10, errstr: 'disk I/O error' })
  for (const cause of [reset, new Error('Connection terminated unexpectedly'), broken]) {
    const unknown = new CommitUnknown('COMMIT failed', { cause })
    for (const error of [unknown, new Error('the world was not loaded', { cause: unknown })]) {
      const { exit, sentence } = failureOf(error, environment)
      assert.equal(exits[exit].code, 70)
      assert.match(sentence!, /may or may not be done.*rotate-key/)
    }
    assert.notEqual(failureOf(cause, environment).exit, 'commitUnknown')
  }
})

test('a database that is not there, is empty, or is not to be had by this user', async () => {
  const empty = await (await sharedPostgres()).createDatabase()
  const absent = new URL(empty)
  absent.pathname = '/no_such_database'
  await endsWith(66, /the database of DATABASE_URL does not exist \(3D000/, ['serve'], { DATABASE_URL: absent.href })
  await endsWith(66, /does not exist \(3D000/, ['verify'], { DATABASE_URL: absent.href })
  await endsWith(65, /the database is empty/, ['verify'], { DATABASE_URL: empty })
  const stranger = new URL(empty)
  stranger.username = 'nobody_knows_him'
  await endsWith(77, /the database refuses the user of DATABASE_URL.* \(28/, ['serve'], { DATABASE_URL: stranger.href })
  const role = `reader_${Date.now()}`
  const client = new pg.Client({ connectionString: empty })
  await client.connect()
  await client.query(`create role ${role} login`)
  try {
    const mayNotCreate = new URL(empty)
    mayNotCreate.username = role
    await endsWith(77, /or an operation of Mohur \(42501/, ['migrate'], { DATABASE_URL: mayNotCreate.href })
  } finally {
    await client.query(`drop role ${role}`)
    await client.end()
  }
})

/** Answers the start of every connection as PgBouncer answers one with unknown parameters. */
async function refusingPooler(message: string) {
  const asked = new Set<string>()
  const server = createServer((socket) => {
    socket
      .on('error', () => {})
      .once('data', (bytes) => {
        const words = bytes.toString('utf8', 8).split('\0')
        for (let at = 0; at < words.length; at += 2) if (words[at]) asked.add(words[at]!)
        const fields = `SFATAL\0C08P01\0M${message}\0\0`
        const answer = Buffer.from(`E0000${fields}`)
        answer.writeInt32BE(answer.length - 1, 1)
        socket.end(answer)
      })
  })
  await once(server.unref().listen(0, '127.0.0.1'), 'listening')
  return { port: (server.address() as AddressInfo).port, asked }
}

test('a pooler that refuses what a connection asks for at its start: the sentence names the cure, and all that is asked', async () => {
  for (const [message, parameter] of [
    ['unsupported startup parameter: options', 'options'],
    ['unsupported startup parameter: lock_timeout', 'lock_timeout'],
    ['unsupported startup parameter in options: enable_seqscan', 'enable_seqscan'],
  ] as const) {
    const { port, asked } = await refusingPooler(message)
    const DATABASE_URL = `postgres://mohur:${SECRET}@127.0.0.1:${port}/mohur`
    const sentence = `^the pooler at 127.0.0.1:${port} refuses the startup parameter ${parameter} \\(08P01\\): add (.*) to its ignore_startup_parameters, and set their values`
    for (const args of [['serve'], ['migrate'], ['verify']]) await endsWith(69, new RegExp(sentence), args, { DATABASE_URL })
    const { err } = await mohur(['serve'], { DATABASE_URL })
    const named = new RegExp(sentence).exec(err)![1]!.split(/, | and /)
    const known = ['user', 'database', 'client_encoding', 'application_name'] // PgBouncer accepts these
    assert.deepEqual([...asked].filter((name) => !known.includes(name)).sort(), named.sort())
  }
})

test('a store that is of another Mohur, or is none', async () => {
  const data = join(folder, 'newer')
  assert.equal((await mohur(['migrate'], { MOHUR_DATA: data })).code, 0)
  const file = join(data, 'mohur.sqlite')
  const run = (statement: string) => {
    const database = new DatabaseSync(file)
    database.exec(statement)
    database.close()
  }
  run("insert into kysely_migration (name, timestamp) values ('9999-later', '2030-01-01')")
  for (const args of [['serve'], ['verify'], ['merchant', 'list']])
    await endsWith(
      65,
      /made by a newer Mohur: this version does not know its migration 9999-later\. Run that version, or restore a backup/,
      args,
      { MOHUR_DATA: data },
    )
  const garbage = join(folder, 'garbage')
  mkdirSync(garbage)
  writeFileSync(join(garbage, 'mohur.sqlite'), 'this is no database '.repeat(1_000))
  await endsWith(65, /garbage: file is not a database/, ['serve'], { MOHUR_DATA: garbage })
  await endsWith(66, /there is no database at .*nothing/, ['verify'], { MOHUR_DATA: join(folder, 'nothing') })
})

test('the master key of another store: nothing is written and no key is made', async () => {
  const data = join(folder, 'keyed')
  assert.equal((await mohur(['migrate'], { MOHUR_DATA: data })).code, 0)
  const before = readFileSync(join(data, 'mohur.sqlite'))
  const other = { MOHUR_DATA: data, MOHUR_MASTER_KEY: Buffer.alloc(32, 9).toString('base64') }
  for (const args of [['serve'], ['migrate'], ['merchant', 'add', '--mid', 'M1']])
    await endsWith(2, /the master key is not the one that wrote this database/, args, other)
  for (const [left, sentence] of [
    [undefined, /MOHUR_MASTER_KEY is needed: the sandbox has no key of its own at .*master-key/],
    ['', /master-key does not hold a master key \(32 bytes in base64\)/],
  ] as const) {
    rmSync(join(data, 'master-key'))
    if (left !== undefined) writeFileSync(join(data, 'master-key'), left)
    await endsWith(2, sentence, ['merchant', 'add', '--mid', 'M1'], { MOHUR_DATA: data })
    writeFileSync(join(data, 'master-key'), '')
  }
  assert.deepEqual(readFileSync(join(data, 'mohur.sqlite')), before)
})

test('a folder that cannot be made, or is a file', async () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  await endsWith(73, /cannot be made, read or written \((EEXIST|ENOTDIR)\); MOHUR_DATA names/, ['serve'], { MOHUR_DATA: file })
  await endsWith(73, /cannot be made, read or written \(ENOTDIR\)/, ['migrate'], { MOHUR_DATA: join(file, 'below') })
})

test('a disk that is full', async () => {
  // A file may grow to 8 KiB and no further: to SQLite that is a full disk.
  const command = `ulimit -f 16; exec "${process.execPath}" "${program}" migrate`
  const { status, stderr } = spawnSync('sh', ['-c', command], {
    encoding: 'utf8',
    env: { ...process.env, DATABASE_URL: '', MOHUR_DATA: join(folder, 'full') },
  })
  assert.deepEqual([status, stderr.trim().split('\n').length], [74, 1], stderr)
  assert.match(stderr, /full: (disk I\/O error|database or disk is full)/)
})

test('a store that another process has', async () => {
  const data = join(folder, 'held')
  assert.equal((await mohur(['migrate'], { MOHUR_DATA: data })).code, 0)
  const lock = new DatabaseSync(join(data, 'mohur.sqlite.lock'))
  lock.exec('begin exclusive')
  await endsWith(75, /another process is using .*; stop it first/, ['serve'], { MOHUR_DATA: data })
  lock.close()
})

test('an address that is taken, or not of this machine', async () => {
  const taken = createServer().unref().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const PORT = String((taken.address() as AddressInfo).port)
  await endsWith(76, new RegExp(`port ${PORT} on 127.0.0.1 is taken`), ['serve'], { PORT })
  await endsWith(76, new RegExp(`port ${PORT} on 127.0.0.1 is taken`), ['listen', '--port', PORT])
  taken.close()
  await endsWith(76, /the service cannot listen on 192\.0\.2\.1 port 0 \(EADDRNOTAVAIL\)/, ['serve'], { HOST: '192.0.2.1' })
  await endsWith(76, /cannot listen on nowhere\.invalid port 0 \((ENOTFOUND|EAI_AGAIN)\)/, ['serve'], { HOST: 'nowhere.invalid' })
})

test('a world file that is no JSON is not quoted', async () => {
  const MOHUR_WORLD = join(folder, 'world.json')
  for (const [text, why] of [
    [`{"merchants":[{"key": ${SECRET}}]}`, "Unexpected token 'h'"],
    [`{"merchants":[{"key": "${SECRET}" "mid": "M"}]}`, "Expected ',' or '}' after property value in JSON at position \\d+ .*"],
  ] as const) {
    writeFileSync(MOHUR_WORLD, text)
    await endsWith(2, new RegExp(`^MOHUR_WORLD: \\S+ cannot be read as JSON \\(${why}\\)\n$`), ['serve'], { MOHUR_WORLD })
  }
})

/** A launcher that believes that it is an old Node, in a checkout with only bin/. */
function launched(preload: string, prepare: (root: string) => void = () => {}) {
  const root = mkdtempSync(join(folder, 'checkout-'))
  mkdirSync(join(root, 'bin'))
  for (const file of ['mohur.mjs', 'run.mjs', 'installed-node.mjs']) copyFileSync(join(spawned, 'bin', file), join(root, 'bin', file))
  prepare(root)
  const file = join(root, 'preload.mjs')
  writeFileSync(file, `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.17.0' } })\n${preload}`)
  const args = ['--import', pathToFileURL(file).href, join(root, 'bin/mohur.mjs'), '--version']
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  assert.deepEqual([stdout, stderr.trim().split('\n').length], ['', 1], stderr)
  return { status, stderr }
}

test('a Node that npm did not bring, or that cannot run here', () => {
  const absent = launched('')
  assert.equal(absent.status, 127, absent.stderr)
  assert.match(
    absent.stderr,
    /is not installed: run `npm ci` or `npm install` without --omit=optional, or run it with a Node 26 or newer of your own/,
  )
  const elsewhere = launched("Object.defineProperty(process, 'arch', { value: 'riscv64' })")
  assert.equal(elsewhere.status, 127)
  assert.match(elsewhere.stderr, /not for this one: run it with a Node 26 or newer of your own/)
  const broken = launched('', (root) => {
    const bin = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin')
    mkdirSync(bin, { recursive: true })
    writeFileSync(join(bin, 'node'), '')
    chmodSync(join(bin, 'node'), 0o644)
  })
  assert.equal(broken.status, 126)
  assert.match(broken.stderr, /The Node 26 that npm brought cannot be run \(EACCES\)/)
})

test('musl is known from glibc, and refused in a sentence', () => {
  const musl = launched(
    "Object.defineProperty(process, 'platform', { value: 'linux' }); process.report.getReport = () => ({ header: {} }); Object.defineProperty(process, 'arch', { value: 'x64' })",
  )
  assert.equal(musl.status, 126)
  assert.match(musl.stderr, /built for glibc, and this system has musl: run it with a Node 26 or newer of your own/)
})

test('an unforeseen error has a stack, and a code that no answer has', async () => {
  const file = join(folder, 'planted.mjs')
  writeFileSync(file, "Array.prototype.toSorted = () => { throw new TypeError('planted') }")
  const { code, err } = await mohur(['verify'], { NODE_OPTIONS: `--import=${pathToFileURL(file).href}` })
  assert.deepEqual([code, /TypeError: planted\n +at /.test(err)], [71, true], err)
})
