// The compiled code that `serve` keeps between starts (docs/decisions/0016). An account that can write it runs code as the service.
// Whatever happens to it, the service starts.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { crc32 } from 'node:zlib'
import { isPackage, spawned } from '../../support/run/checkout.ts'
import { production, productionStore } from '../../support/store/at-rest.ts'
import { sharedPostgres } from '../../support/store/postgres.ts'

const folder = mkdtempSync(join(tmpdir(), 'mohur-compiled-'))
const children: ChildProcess[] = []
after(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const OURS = 'Mohur listens on'
const PLANTED = 'Other code is on'
/** Most of what a start keeps. A package has its code in one file. */
const KEPT_MIN = isPackage ? 1 : 1_000
const command = [join(spawned, 'bin/mohur.mjs'), 'serve']

interface Started {
  /** How the running code names itself. */
  says: string
  /** Why no cache is used; empty when one is. */
  why: string
  out: string
  url: string
  /** Stops it in order, after which all that it has compiled is kept. */
  stop(): Promise<void>
}

/** Starts the service on this folder, as npm does. `program` and `args` replace Node where given. */
async function started(data: string, env: Record<string, string> = {}, program = process.execPath, args = command): Promise<Started> {
  const { NODE_COMPILE_CACHE: _, ...inherited } = process.env
  const own = { PORT: '0', DATABASE_URL: '', MOHUR_DATA: data, MOHUR_LOG: 'debug', ...env }
  const child = spawn(program, args, { env: { ...inherited, ...own }, stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(child)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let out = ''
  await new Promise<void>((resolve, reject) => {
    const hear = (part: unknown) => {
      out += part
      if (/ on http:/.test(out)) resolve()
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${out}`)))
  })
  return {
    says: /^(.*) http:/m.exec(out)![1]!,
    why: /nothing compiled is kept for the next start: ([^"]*)/.exec(out)?.[1] ?? '',
    out,
    url: /http:\/\/[\d.:]+/.exec(out)![0],
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

const cacheIn = (data: string) => join(data, 'compile-cache')
const filesIn = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  )

/** Data with an attacker's cache: Node would believe it, and its code names itself otherwise. */
const planted = join(folder, 'planted')
before(async () => {
  const service = await started(planted)
  assert.deepEqual([service.says, service.why], [OURS, ''])
  while (filesIn(cacheIn(planted)).length < KEPT_MIN) await sleep(50) // soon after the start, and not only at an orderly stop
  await service.stop()
  assert.equal(statSync(cacheIn(planted)).mode & 0o777, 0o700)
  let changed = 0
  for (const file of filesIn(cacheIn(planted))) {
    const bytes = readFileSync(file)
    const at = bytes.indexOf(OURS)
    if (at < 0) continue
    bytes.write(PLANTED, at)
    bytes.writeUInt32LE(crc32(bytes.subarray(20)), 16) // the last of Node's five numbers before the content
    writeFileSync(file, bytes)
    changed++
  }
  assert.ok(changed > 0) // of a TypeScript file Node also keeps the text without its types
})

function withPlanted(name: string): string {
  const data = join(folder, name)
  cpSync(planted, data, { recursive: true })
  chmodSync(data, 0o700)
  chmodSync(cacheIn(data), 0o700)
  return data
}

test('compiled code is kept and run at the next start, so that an account that can write it runs any code', async () => {
  const service = await started(withPlanted('believed'))
  assert.deepEqual([service.says, service.why], [PLANTED, ''])
  const sticky = withPlanted('sticky')
  chmodSync(sticky, 0o1777)
  assert.equal((await started(sticky)).says, PLANTED, 'nobody replaces what is another’s in a folder like /tmp')
})

const isRoot = process.getuid?.() === 0
/** A preload that makes this process believe that it runs as another user. */
const stranger = join(folder, 'stranger.mjs')
writeFileSync(stranger, 'process.getuid = () => 12345')

const strange: readonly [string, (data: string) => void, RegExp, Record<string, string>?][] = [
  ['others may look into', (data) => chmodSync(cacheIn(data), 0o750), /compile-cache is not for its owner alone/],
  ['others may write into', (data) => chmodSync(cacheIn(data), 0o777), /compile-cache is not for its owner alone/],
  ['we may not write into', (data) => chmodSync(cacheIn(data), 0o500), /compile-cache is not for its owner alone/],
  ['others may put another in the place of', (data) => chmodSync(data, 0o777), /others may write into .*replaceable/],
  [
    'is a link',
    (data) => {
      renameSync(cacheIn(data), join(data, 'elsewhere'))
      symlinkSync(join(data, 'elsewhere'), cacheIn(data))
    },
    /compile-cache is no folder/,
  ],
  [
    'is a file',
    (data) => {
      rmSync(cacheIn(data), { recursive: true })
      writeFileSync(cacheIn(data), PLANTED)
    },
    /compile-cache is no folder/,
  ],
  isRoot
    ? ['another user has', (data) => chownSync(cacheIn(data), 65_534, 65_534), /compile-cache is another user's/]
    : ['another user has', () => {}, /is another user's/, { NODE_OPTIONS: `--import=${pathToFileURL(stranger).href}` }],
]
for (const [what, change, why, env] of strange) {
  test(`from a folder that ${what} nothing is run, and nothing is changed in it`, async () => {
    const data = withPlanted(what === 'others may put another in the place of' ? 'replaceable' : what.replaceAll(' ', '-'))
    change(data)
    const before = lstatSync(cacheIn(data))
    const service = await started(data, env)
    assert.equal(service.says, OURS, service.out)
    assert.match(service.why, why)
    assert.equal(service.out.match(/nothing compiled/g)?.length, 1, 'it is said once')
    await service.stop()
    const { mode, uid, mtimeMs } = lstatSync(cacheIn(data))
    assert.deepEqual({ mode, uid, mtimeMs }, { mode: before.mode, uid: before.uid, mtimeMs: before.mtimeMs })
    if (before.isDirectory()) chmodSync(cacheIn(data), 0o700) // without write access only root can remove files from a folder
  })
}

test('a cache that is broken is made anew', async () => {
  const broken: readonly ((file: string) => void)[] = [
    (file) => writeFileSync(file, ''),
    (file) => writeFileSync(file, readFileSync(file).subarray(0, 30)),
    (file) =>
      writeFileSync(
        file,
        readFileSync(file).map((byte, at) => (at < 20 ? byte : byte ^ 1)),
      ),
    (file) => writeFileSync(file, Buffer.alloc(4_096, 0xff)),
    (file) => {
      rmSync(file)
      mkdirSync(file)
    },
  ]
  for (const first of isPackage ? broken.keys() : [0]) {
    const data = withPlanted(`broken-${first}`)
    for (const [at, file] of filesIn(cacheIn(data)).entries()) broken[(first + at) % broken.length]!(file)
    const service = await started(data)
    assert.deepEqual([service.says, service.why], [OURS, ''])
    await service.stop()
    const again = await started(data)
    assert.deepEqual([again.says, again.why], [OURS, ''])
    await again.stop()
  }
})

test('help alone keeps nothing, so that no later start runs a part of what it needs', () => {
  const data = join(folder, 'help')
  const { status, stdout } = spawnSync(process.execPath, [...command, '--help'], {
    env: { ...process.env, MOHUR_DATA: data },
    encoding: 'utf8',
  })
  assert.match(stdout, /mohur serve/)
  assert.deepEqual([status, existsSync(data)], [0, false])
})

test('a disk that takes nothing more stops no start', async () => {
  const data = join(folder, 'full')
  mkdirSync(data, { mode: 0o700 })
  const DATABASE_URL = await (await sharedPostgres()).createDatabase()
  const env = { DATABASE_URL, MOHUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }
  const service = await started(data, env, 'sh', ['-c', `ulimit -f 0; exec "${process.execPath}" "${command[0]}" serve`])
  assert.equal(service.says, OURS, service.out)
  await service.stop()
  assert.deepEqual(
    filesIn(data)
      .map((file) => statSync(file).size)
      .filter((size) => size > 0),
    [],
  )
})

test('leftovers of other checkouts and other Nodes are removed once they have become much', async () => {
  const data = withPlanted('much')
  const older = join(cacheIn(data), 'v1')
  mkdirSync(older)
  for (let at = 0; at < 5_000; at++) writeFileSync(join(older, String(at)), '')
  const service = await started(data)
  assert.deepEqual([service.says, service.why], [OURS, ''])
  await service.stop()
  assert.ok(!existsSync(older))
})

test('nothing is kept in the temporary folder, and nothing is said where all is well', async () => {
  const temporary = join(folder, 'temporary')
  mkdirSync(temporary)
  const service = await started(withPlanted('apart'), { TMPDIR: temporary, MOHUR_LOG: 'info' })
  await service.stop()
  assert.deepEqual(readdirSync(temporary), [])
  assert.ok(!service.out.includes('nothing compiled'))
})

test('two processes on one PostgreSQL may share the folder, which has nothing else: each starts and stops without the other', async () => {
  const place = await productionStore('postgres')
  const data = place['MOHUR_DATA']!
  const start = () => started(data, { ...production(place), MOHUR_LOG: 'debug' })
  const [first, second] = [await start(), await start()]
  const isReady = async ({ url }: Started) => (await fetch(`${url}/readyz`)).ok
  assert.ok((await isReady(first)) && (await isReady(second)))
  await first.stop()
  const third = await start()
  assert.ok((await isReady(second)) && (await isReady(third)))
  for (const service of [second, third]) await service.stop()
  for (const { why } of [first, second, third]) assert.equal(why, '')
  assert.deepEqual(readdirSync(data), ['compile-cache'])
})
