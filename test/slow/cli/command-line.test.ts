// A command line is read whole before a store is opened, a key made or a service started.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { verify } from '../../../src/interface/checksum.ts'
import { program } from '../../support/run/checkout.ts'
import { mohurCommand, serveProcess } from '../../support/run/process.ts'
import { KEY } from '../../support/run/service.ts'

const folder = mkdtempSync(join(tmpdir(), 'mohur-commands-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const data = join(folder, 'data')

/** A command that served by mistake would find its port taken, and end. */
const taken = createServer()
before(async () => {
  await once(taken.listen(0, '127.0.0.1'), 'listening')
})
after(() => taken.close())
const port = () => String((taken.address() as AddressInfo).port)

const mohur = (args: readonly string[], input = '') => mohurCommand(args, { MOHUR_DATA: data, PORT: port(), MOHUR_LOG: 'silent' }, input)

test('--help after a command says what the command takes, and does nothing else', async () => {
  for (const [args, ...words] of [
    [['serve'], '--port', '--host'],
    [['migrate'], 'schema'],
    [['merchant', 'list'], 'merchant list'],
    [['merchant', 'add', '--mid', 'M1'], '--client-id', '--website'],
    [['merchant'], 'merchant add', 'merchant list', 'merchant rotate-key'],
    [['notification', 'list'], '--dead'],
    [['verify'], 'Exits with 1'],
    [['promo', 'explain'], '--cart'],
    [['acquirer', 'check'], '--paid'],
  ] as const) {
    const { out, err, code } = await mohur([...args, '--help'])
    assert.deepEqual([code, err, existsSync(data)], [0, '', false], `${args.join(' ')}: ${out} ${err}`)
    for (const word of words) assert.ok(out.includes(word), `${word} in ${out}`)
    assert.doesNotMatch(out, / $/m)
  }
})

test('a reader who goes away keeps no command from its end', async () => {
  const command = spawn(process.execPath, [program, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] })
  command.stdout.destroy()
  const said: Buffer[] = []
  command.stderr.on('data', (part: Buffer) => said.push(part))
  const [code] = await once(command, 'close')
  assert.deepEqual([code, Buffer.concat(said).toString()], [0, ''])
})

test('--version says which Mohur this is', async () => {
  const { out, code } = await mohur(['--version'])
  assert.match(out, /^mohur \d+\.\d+\.\d+\n$/)
  assert.equal(code, 0)
})

test('an option that a command does not take, and an argument too many, end it with 2 before anything is opened', async () => {
  for (const [args, sentence] of [
    [['serve', '--prot', '9'], /serve: Unknown option '--prot'/],
    [['serve', '9'], /serve: "9" is one argument too many/],
    [['serve', '--port'], /--port <value>' argument missing/],
    [['serve', '--port', '65536'], /--port must be a whole number/],
    [['serve', '--port', ''], /--port must be a whole number/],
    [['serve', '--host', ''], /--host must not be empty/],
    [['migrate', 'now'], /"now" is one argument too many/],
    [['verify', '--quick'], /Unknown option '--quick'/],
    [['merchant', 'list', '--mid', 'M1'], /merchant list: Unknown option '--mid'/],
    [['merchant', 'add', '--mid', 'M1', 'M2'], /"M2" is one argument too many/],
    [['merchant', 'add', '--mid', 'a b'], /--mid must be 1 to 20/],
    [['merchant', 'add'], /--mid MID is needed/],
    [['merchant', 'add', '--mid', ''], /--mid MID is needed/],
    [['merchant', 'add', '--mid', 'M1', '--name', 'a\tb'], /--name must be a text of 1 to 255 characters/],
    [['merchant', 'add', '--mid', 'M1', '--name', ''], /--name must be a text/],
    [['merchant', 'rotate-key', '--mid', 'M1', '--mid', 'M2'], /--mid is given 2 times/],
    [['merchant', 'rename'], /use `merchant add`, `merchant list`, `merchant rotate-key`/],
    [['notification', 'list', '--mid', 'M1', '--dead=1'], /'--dead' does not take an argument/],
    [['sign', '--key', KEY, '{}', '{}'], /one argument too many/],
    [['listen', '--port', '1e3'], /--port must be a whole number/],
    [['promo', 'explain', '--mid', 'M1', '--code', '', '--cart', 'c.json'], /--code CODE is needed/],
    [['--verison'], /no command `--verison`/],
    [['constructor'], /no command `constructor`/],
  ] as const) {
    const { out, err, code } = await mohur(args)
    assert.deepEqual([code, out, existsSync(data)], [2, '', false], `${args.join(' ')}: ${err}`)
    assert.match(err, sentence)
    assert.equal(err.trim().split('\n').length, 1, err)
  }
})

test('serve listens where --port and --host say, whatever PORT and HOST do', async () => {
  const environment = { MOHUR_DATA: join(folder, 'served'), PORT: port(), HOST: '192.0.2.1', MOHUR_LOG: 'silent' }
  const service = await serveProcess(environment, ['--port', '0', '--host', '127.0.0.1'])
  try {
    assert.equal((await fetch(`${service.url}/healthz`)).status, 200)
  } finally {
    assert.equal(await service.kill('SIGTERM'), 0)
  }
})

test('sign leaves out the one line end that a pipe adds, and says so', async () => {
  const body = '{"mid":"M"}'
  for (const [piped, signed, isSaid] of [
    [body, body, false],
    [`${body}\n`, body, true],
    [`${body}\r\n`, body, true],
    [`${body}\n\n`, `${body}\n`, true],
  ] as const) {
    const { out, err, code } = await mohur(['sign', '--key', KEY], piped)
    assert.deepEqual([code, verify(signed, out.trim(), KEY), /line end/.test(err)], [0, true, isSaid], JSON.stringify(piped))
  }
  const { out, err } = await mohur(['sign', '--key', KEY, `${body}\n`])
  assert.deepEqual([verify(`${body}\n`, out.trim(), KEY), err], [true, ''], 'an argument is signed as it is given')
})
