// The command line as an operator uses it, on its own embedded store. Tests of the process itself run it in another process.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { exits } from '../../src/cli/exits.ts'
import { type Ending, stopBy } from '../../src/cli/stop.ts'
import { verify } from '../../src/interface/checksum.ts'
import { demoWorld } from '../../src/sandbox/world.ts'
import { readSettings } from '../../src/settings.ts'
import { mohurCommand, mohurHere, serveProcess } from '../support/run/process.ts'

const folder = mkdtempSync(join(tmpdir(), 'mohur-cli-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const masterKey = Buffer.alloc(32, 3).toString('base64')

const ours = { MOHUR_DATA: join(folder, 'data'), MOHUR_MASTER_KEY: masterKey }
const mohur = (args: string[], environment: Record<string, string> = {}) => mohurHere(args, { ...ours, ...environment })
const spawned = (args: string[], environment: Record<string, string> = {}, input = '') =>
  mohurCommand(args, { ...ours, ...environment }, input)
const production = { MOHUR_MODE: 'production', MOHUR_DATA: join(folder, 'production') }

test('--help names every command and every setting, and an unknown command is refused', async () => {
  const help = await spawned(['--help'])
  assert.equal(help.code, 0)
  for (const word of ['serve', 'migrate', 'sign', 'rotate-key', 'MOHUR_DATA', 'DATABASE_URL', 'MOHUR_MASTER_KEY'])
    assert.ok(help.out.includes(word), word)
  const unknown = await spawned(['pay'])
  assert.deepEqual([unknown.code, unknown.out], [2, ''])
  assert.match(unknown.err, /no command `pay`/)
})

test('sign makes a checksum of an argument and of standard input', async () => {
  const body = '{"mid":"M"}'
  const argument = await mohur(['sign', '--key', 'ABCDEFGHIJKLMNOP', body])
  const piped = await spawned(['sign', '--key', 'ABCDEFGHIJKLMNOP'], {}, body)
  for (const { out } of [argument, piped]) assert.ok(verify(body, out.trim(), 'ABCDEFGHIJKLMNOP'))
  assert.equal((await mohur(['sign', '--key', 'short', body])).code, 2)
})

test('production starts with a master key and a merchant, and not before; it has no sandbox', async () => {
  assert.match((await mohur(['serve'], { ...production, MOHUR_MASTER_KEY: '' })).err, /MOHUR_MASTER_KEY is needed/)
  assert.match((await mohur(['serve'], { ...production, PORT: '0' })).err, /production needs a merchant/)
  const added = await mohur(['merchant', 'add', '--mid', 'SHOP1', '--name', 'Shop', '--website', 'WEB=https://shop.example/cb'], production)
  assert.match(added.out, /key [A-Za-z0-9]{16}\n/)
  assert.match((await mohur(['merchant', 'add', '--mid', 'SHOP1'], production)).err, /exists already/)
  assert.match((await mohur(['merchant', 'list'], production)).out, /SHOP1\tShop\tchecksumEnabled=true\tsignedModify=amount/)
  const service = await serveProcess({ ...production, MOHUR_MASTER_KEY: masterKey, MOHUR_LOG: 'silent' })
  try {
    assert.equal((await fetch(`${service.url}/sandbox/clock`)).status, 404)
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200)
    assert.match((await mohur(['merchant', 'rotate-key', '--mid', 'SHOP1'], production)).err, /another process is using/)
    assert.match((await mohur(['merchant', 'list'], production)).out, /^SHOP1\t/) // it only reads
  } finally {
    assert.equal(await service.kill('SIGTERM'), 0)
  }
  assert.match(
    (await mohur(['migrate'], { ...production, MOHUR_MASTER_KEY: Buffer.alloc(32, 4).toString('base64') })).err,
    /not the one that wrote this database/,
  )
  assert.equal((await mohur(['migrate'], production)).code, 0)
})

test('a rotated key works at once, and the old one dies a day later, also when a world file names it again', async () => {
  const file = join(folder, 'world.json')
  writeFileSync(file, JSON.stringify(demoWorld))
  const environment = { MOHUR_DATA: join(folder, 'rotated'), MOHUR_WORLD: file, MOHUR_MASTER_KEY: masterKey, MOHUR_LOG: 'silent' }
  const mid = demoWorld.merchants![0]!.mid
  const ask = async (url: string, key: string) => {
    const body = JSON.stringify({ mid, custId: 'C1' })
    const signature = (await mohur(['sign', '--key', key, body])).out.trim()
    const text = `{"head":{"tokenType":"AES","token":"x","signature":"${signature}"},"body":${body}}`
    const response = await fetch(`${url}/subscription/list/all`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: text,
    })
    return ((await response.json()) as { body: { resultInfo: { code: string } } }).body.resultInfo.code
  }
  await (await serveProcess(environment)).kill('SIGTERM')
  const rotated = await mohur(['merchant', 'rotate-key', '--mid', mid], environment)
  const newKey = /key (\w{16})/.exec(rotated.out)![1]!
  const service = await serveProcess(environment)
  try {
    assert.deepEqual(
      [await ask(service.url, newKey), await ask(service.url, 'ABCDEFGHIJKLMNOP'), await ask(service.url, 'ABCDEFGHIJKLMNOQ')],
      ['200', '200', '400'],
    )
  } finally {
    await service.kill('SIGTERM')
  }
  const ended = await mohur(['merchant', 'rotate-key', '--mid', mid, '--now'], environment)
  assert.match(ended.out, /key \w{16}\nevery running process takes the new key within five seconds, and no older one/)
  assert.match((await mohur(['merchant', 'rotate-key', '--mid', 'NOBODY'], environment)).err, /no merchant has this mid/)
})

test('proxies in front may be named with spaces between', () => {
  assert.deepEqual(readSettings({ MOHUR_TRUSTED_PROXIES: '10.0.0.1, ::1/128 ,192.168.0.0/16,' }).trustedProxies, [
    '10.0.0.1',
    '::1/128',
    '192.168.0.0/16',
  ])
})

test('a merchant is added only with what the operations can use', async () => {
  const environment = { MOHUR_DATA: join(folder, 'refused') }
  for (const [option, value] of [
    ['--mid', 'a b'],
    ['--client-id', 'LONG'],
    ['--client-id', ''],
    ['--mcc', '54'],
    ['--website', '=https://shop.example'],
    ['--website', 'SHOP=javascript:alert(1)'],
    ['--website', 'X'.repeat(65)],
  ] as const) {
    const { code, err } = await mohur(['merchant', 'add', '--mid', 'REFUSED', option, value], environment)
    assert.deepEqual([code, err.includes(option)], [2, true], `${option} ${value}: ${err}`)
  }
  assert.equal((await mohur(['merchant', 'list'], environment)).out, '')
})

test('a port that is taken is an error that says so', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const refused = await spawned(['serve'], { PORT: String(port) })
  taken.close()
  assert.equal(refused.code, 76)
  assert.match(refused.err, new RegExp(`port ${port} on 127.0.0.1 is taken`))
})

test('settings that make no sense are refused without showing a secret', async () => {
  for (const [name, value] of [
    ['PORT', '99999'],
    ['MOHUR_MODE', 'test'],
    ['DATABASE_URL', 'mysql://u:hidden@h/d'],
    ['MOHUR_MASTER_KEY', 'hidden'],
    ['MOHUR_LOG', 'loud'],
    ['MOHUR_PUBLIC_URL', 'shop.example'],
    ['MOHUR_PUBLIC_URL', 'https://pay.example '],
    ['MOHUR_PUBLIC_URL', 'https://pay.example/?hidden'],
    ['MOHUR_PUBLIC_URL', 'https://u:hidden@pay.example'],
    ['DATABASE_URL', 'postgres://u:hid/den@127.0.0.1/d'],
    ['PORT', ' '],
    ['PORT', '0x50'],
    ['MOHUR_OTP_TRIES', '1e0'],
    ['MOHUR_TRUSTED_PROXIES', '10.0.0.1, nobody'],
    ['MOHUR_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['MOHUR_TRUSTED_PROXIES', '10.0.0.0/0'],
  ] as const) {
    const { code, err } = await mohur(['serve'], { [name]: value })
    assert.equal(code, 2, name)
    assert.ok(err.includes(name) && !err.includes('hidden'), err)
  }
})

test('a stop ends the process with 0 when all has come to its end, and with 69 and a sentence when something never does', async () => {
  const ends: number[] = []
  const said: string[] = []
  const limits = new Map<() => void, number>()
  const ending: Ending = {
    every(ms, work) {
      limits.set(work, ms)
      return () => void limits.delete(work)
    },
    exit: (code) => void ends.push(code),
    say: (sentence) => void said.push(sentence),
  }
  await stopBy(async () => {}, ending)
  assert.deepEqual([ends, limits.size, said], [[0], 0, []])
  void stopBy(() => new Promise(() => {}), ending)
  const [[isOver, ms]] = [...limits] as [[() => void, number]]
  assert.ok(ms > 10_000) // work under way has ten seconds
  isOver()
  assert.deepEqual([ends, said.length], [[0, exits.away.code], 1])
})
