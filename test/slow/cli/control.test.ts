// The control socket of a service on the embedded store. Tests every command that writes beside it, bytes that are no command, and a socket
// that was left over.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { commands } from '../../../src/cli/commands.ts'
import { controlLoad } from '../../load/control.ts'
import { createOrder } from '../../support/paying/paying.ts'
import { mohurCommand, serveProcess } from '../../support/run/process.ts'
import { MID } from '../../support/run/service.ts'
import { sized } from '../../support/run/sizes.ts'
import { spokenTo } from '../../support/run/spoken-to.ts'
import { place } from '../../support/store/at-rest.ts'

const HALF_MS = 10_000 // src/cli/control.ts

interface ControlReply {
  status: number
  text: string
}
const send = (socketPath: string, text: string | Buffer, { path = '/command', method = 'POST' } = {}) =>
  new Promise<ControlReply>((resolve, reject) => {
    const asked = request({ socketPath, path, method }, (answer) => {
      let came = ''
      answer.setEncoding('utf8').on('data', (chunk) => {
        came += chunk
      })
      answer.on('end', () => resolve({ status: answer.statusCode!, text: came }))
    })
    asked.on('error', reject).end(text)
  })

describe('commands beside a service on the embedded store', () => {
  test('each that writes is carried out at once, and says what it would have said', async () => {
    const at = await place('sqlite')
    const service = await serveProcess(at)
    try {
      await createOrder(spokenTo(service.url), 'CONTROLLED')
      const cases: Readonly<Record<string, [args: string[], code: number, out: RegExp, err?: RegExp]>> = {
        migrate: [[], 0, /the database has the newest schema/],
        'merchant add': [['--mid', 'SHOP_2'], 0, /mid SHOP_2[\s\S]*key [A-Za-z0-9]{16}/],
        'merchant rotate-key': [['SHOP_2', '--now'], 0, /mid SHOP_2[\s\S]*key /],
        'merchant set': [['SHOP_2', 'fee=1.5'], 0, /SHOP_2: fee changed/],
        'merchant disable': [['SHOP_2'], 0, /now DISABLED/],
        'merchant enable': [['SHOP_2'], 0, /now ACTIVE/],
        'notification resend': [['--mid', MID, '--dead'], 0, /0 orders' notifications/],
        'notification start': [['--mid', MID], 0, /no endpoint is stopped/],
        approve: [[], 0, /nothing waits/],
        'order ask': [['CONTROLLED'], 2, /^$/, /no payment of CONTROLLED has begun/],
        'mandate close': [[MID, 'NONE'], 2, /^$/, /has no subscription NONE/],
        'operator setup': [['--email', 'a@staff.test', '--role', 'support'], 0, /\/console\/set-up\/[A-Za-z0-9_-]{43}/],
        'operator reset': [['--email', 'a@staff.test'], 0, /\/console\/set-up\//],
        'sandbox reset': [[], 0, /as it was at its first start/],
      }
      const writing = Object.entries(commands).flatMap(([name, { writes }]) => (writes ? [name] : []))
      assert.deepEqual(Object.keys(cases).sort(), writing.sort(), 'every command that writes, and no other')
      for (const [name, [args, code, out, err = /^$/]] of Object.entries(cases)) {
        const came = await mohurCommand([...name.split(' '), ...args], at)
        assert.equal(came.code, code, `${name}: ${came.err}`)
        assert.match(came.out, out, name)
        assert.match(came.err, err, name)
      }
    } finally {
      await service.kill('SIGTERM')
    }
    assert.ok(!existsSync(join(at['MOHUR_DATA']!, 'control.sock')), 'a stop takes the socket away')
    assert.equal((await mohurCommand(['verify'], at)).code, 0)
  })

  test('each kind of command beside orders that arrive: none of either fails, and the store is whole', async () => {
    const figures = await controlLoad({ commands: sized(110, 1_000), perSecond: 300 })
    assert.deepEqual([figures.failures, figures.ordersFailed, figures.verified], [[], [], true])
    assert.ok(figures.orders > 0)
  })

  test('a key that is ended by a command is refused at the next request', async () => {
    const at = await place('sqlite')
    const service = await serveProcess(at)
    try {
      await createOrder(spokenTo(service.url), 'BEFORE')
      assert.equal((await mohurCommand(['merchant', 'rotate-key', MID, '--now'], at)).code, 0)
      await assert.rejects(createOrder(spokenTo(service.url), 'AFTER'), /was refused/)
    } finally {
      await service.kill('SIGTERM')
    }
  })

  test('bytes that are no command are answered with 400 or not at all, and the service goes on', async () => {
    const at = await place('sqlite')
    const service = await serveProcess(at)
    const path = join(at['MOHUR_DATA']!, 'control.sock')
    const line = (more: object) => JSON.stringify({ command: 'merchant disable', given: { mid: MID }, rest: [], ...more })
    try {
      assert.equal(statSync(path).mode & 0o777, 0o600)
      const wrong = [
        ...[
          '',
          '{',
          'null',
          '[]',
          line({ command: 'serve' }),
          line({ command: 'merchant drop' }),
          line({ command: '__proto__' }),
          line({ command: 7 }),
        ],
        ...[
          line({ given: {} }),
          line({ given: { mid: 7 } }),
          line({ given: { mid: MID, other: 'x' } }),
          line({ given: { mid: [MID] } }),
          line({ given: null }),
        ],
        ...[line({ rest: 'x' }), line({ rest: [1] }), line({ argument: 1 }), `${line({})}x`],
      ]
      for (const text of wrong) assert.equal((await send(path, text)).status, 400, text)
      for (const where of [{ path: '/other' }, { method: 'GET' }]) assert.equal((await send(path, line({}), where)).status, 400)
      const large = await send(path, Buffer.alloc(18 * 1024 * 1024, 0x20)).catch(() => ({ status: 400 }))
      assert.equal(large.status, 400)
      const half = connect(path)
      half.write('POST /command HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"command"')
      half.destroy()
      assert.match((await mohurCommand(['merchant', 'list'], at)).out, /status=ACTIVE/, 'nothing has changed')
      await createOrder(spokenTo(service.url), 'GOES_ON')
      if (process.getuid?.() === 0) {
        const other = spawn(
          process.execPath,
          [
            '-e',
            `require('net').connect(${JSON.stringify(path)}).on('error', (e) => console.log(e.code)).on('connect', () => console.log('open'))`,
          ],
          { uid: 65_534, cwd: '/', env: { PATH: process.env['PATH'] } },
        )
        let says = ''
        other.stdout.on('data', (chunk) => {
          says += chunk
        })
        await new Promise((resolve) => other.on('close', resolve))
        assert.notEqual(says.trim(), 'open', 'another user does not open it')
      }
    } finally {
      await service.kill('SIGTERM')
    }
  })

  test('a stop waits for no request that is not whole', { timeout: 60_000 }, async () => {
    const at = await place('sqlite')
    const service = await serveProcess(at)
    const half = connect(join(at['MOHUR_DATA']!, 'control.sock'))
    half.on('error', () => {})
    const ended = new Promise<void>((resolve) => half.on('close', () => resolve()))
    half.write('POST /command HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"command"')
    assert.match((await mohurCommand(['merchant', 'disable', MID], at)).out, /DISABLED/) // the service has read what came before
    const began = performance.now()
    await service.kill('SIGTERM')
    await ended
    assert.ok(performance.now() - began < HALF_MS, 'the time that a half request is given')
  })

  test('a folder in the place of the socket stops no start', async () => {
    const at = await place('sqlite')
    mkdirSync(join(at['MOHUR_DATA']!, 'control.sock'), { recursive: true })
    const service = await serveProcess(at)
    try {
      await createOrder(spokenTo(service.url), 'WITHOUT')
    } finally {
      await service.kill('SIGTERM')
    }
  })

  test('a socket that a killed service has left is nothing: the command opens the store, and the next start binds anew', async () => {
    const at = await place('sqlite')
    const service = await serveProcess(at)
    await service.kill('SIGKILL')
    assert.ok(existsSync(join(at['MOHUR_DATA']!, 'control.sock')))
    assert.equal((await mohurCommand(['merchant', 'disable', MID], at)).code, 0)
    const again = await serveProcess(at)
    assert.equal((await mohurCommand(['merchant', 'enable', MID], at)).code, 0)
    await again.kill('SIGTERM')
  })

  test('a signal while the control socket is being opened stops the service as later ones do', async () => {
    const folder = join(tmpdir(), `mohur-${'y'.repeat(90)}`)
    mkdirSync(folder, { recursive: true })
    const at = { ...(await place('sqlite')), MOHUR_DATA: folder }
    // Opening the socket warns that this path is too long. The signal comes at that moment.
    const preloaded = `const { error } = console
      console.error = (line) => (String(line).includes('no control socket') && process.kill(process.pid, 'SIGTERM'), error(line))`
    const options = `--import data:text/javascript,${encodeURIComponent(preloaded)}`
    const { code } = await mohurCommand(['serve'], { ...at, PORT: '0', NODE_OPTIONS: options })
    rmSync(folder, { recursive: true, force: true })
    assert.equal(code, 0)
  })

  test('a folder whose path is too long for a socket has none, and the start says so', async () => {
    const folder = join(tmpdir(), `mohur-${'x'.repeat(90)}`)
    mkdirSync(folder, { recursive: true })
    const at = { ...(await place('sqlite')), MOHUR_DATA: folder }
    const service = await serveProcess(at)
    try {
      assert.ok(!existsSync(join(folder, 'control.sock')))
      assert.equal((await mohurCommand(['merchant', 'disable', MID], at)).code, 75)
    } finally {
      await service.kill('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
