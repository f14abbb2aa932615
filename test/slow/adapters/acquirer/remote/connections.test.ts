// Connections to a bank's adapter are kept where that is safe. Whatever comes over them, no call is sent twice and no answer is credited to
// another call. docs/acquirer.md, docs/decisions/0010.
// Runs alone: it counts connections while nothing else of its process has one.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import dns from 'node:dns'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setDefaultCACertificates } from 'node:tls'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import type { Authorize } from '../../../../../src/adapters/acquirer/acquirer.ts'
import { RemoteAcquirer } from '../../../../../src/adapters/acquirer/remote/remote.ts'
import { SystemRandom } from '../../../../../src/engine/random.ts'
import { ADAPTER_SECRET } from '../../../../support/bank/adapter.ts'
import { payAtClosingBank } from '../../../../support/bank/closing-bank.ts'
import { type RawCall, rawBank, referenceOf } from '../../../../support/bank/raw-bank.ts'
import { certificate } from '../../../../support/notifications/certificate.ts'
import { onBothStores } from '../../../../support/run/service.ts'

const PAYMENTS = 200
const SEED = 1
const TOTAL_MS = 1_000 // an honest bank answers within it, also on a busy machine
const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS

const payment = (key: string): Authorize => ({
  key,
  mid: 'SHOP',
  merchantName: 'Shop',
  mcc: '5999',
  orderId: 'O1',
  amountPaise: 49_900,
  means: { kind: 'card', number: '4111111111111111', cvv: '987', expiryMonth: 12, expiryYear: 2030 },
  keepCard: false,
  directOtp: false,
  returnUrl: 'https://shop.example/return',
})

const taken = (key: string) => ({ outcome: 'success', reference: referenceOf(key), amountPaise: 49_900 })

interface Shop extends Awaited<ReturnType<typeof rawBank>> {
  acquirer: RemoteAcquirer
  doubts: string[]
  pass(ms: number): void
  pay(key: string): Promise<unknown>
  /** The connection that each call used. */
  over(): number[]
  times(call: string, key: string): number
}

async function within(
  serve: (call: RawCall) => void,
  work: (shop: Shop) => Promise<void>,
  more: Parameters<typeof rawBank>[1] & { url?: (url: string) => string } = {},
) {
  const bank = await rawBank(serve, more)
  const doubts: string[] = []
  let elapsed = 0
  const acquirer = new RemoteAcquirer({
    url: more.url?.(bank.url) ?? bank.url,
    secret: ADAPTER_SECRET,
    clock: { realNow: Date.now, elapsed: () => elapsed },
    fresh: new SystemRandom(),
    doubted: (...reported) => void doubts.push(reported.join(' ')),
    totalMs: TOTAL_MS,
  })
  try {
    await work({
      ...bank,
      acquirer,
      doubts,
      pass: (ms) => (elapsed += ms),
      pay: (key) => acquirer.authorize(payment(key)),
      over: () => bank.heard.map(({ connection }) => connection),
      times: (call, key) => bank.heard.filter((each) => each.call === call && each.key === key).length,
    })
    assert.doesNotMatch(doubts.join('\n'), /4111|987|whsec|49900/)
  } finally {
    await acquirer.close()
    await bank.close()
  }
}

/** As in egress: a name that leads to this machine, and its certificate. */
const NAME = 'hooks.example'
const named = (url: string) => url.replace('127.0.0.1', NAME)
function trusted(t: TestContext, addressOf = () => '127.0.0.1') {
  setDefaultCACertificates([certificate])
  t.mock.method(dns, 'lookup', (name: string, options: { all?: boolean }, done: (...answer: unknown[]) => void) => {
    const address = name === NAME ? addressOf() : name
    process.nextTick(() => (options.all ? done(null, [{ address, family: 4 }]) : done(null, address, 4)))
  })
}

const honest = (call: RawCall) => call.socket.write(call.honest())

/** Waits until the other side's action has arrived here, because its bytes travel through the kernel. */
async function until(holds: () => boolean) {
  for (let tries = 0; !holds(); tries++) {
    assert.ok(tries < 200)
    await sleep(5)
  }
}

/** Leaves a usable connection to a bank that has proved to keep its connections. */
async function proved(shop: Shop) {
  assert.deepEqual(await shop.pay('S:first'), taken('S:first'))
  shop.pass(SECOND_MS)
  assert.deepEqual(await shop.pay('S:second'), taken('S:second'))
  assert.deepEqual(shop.over(), [1, 2])
}

test('payments go over kept connections once one has stood idle for a second, and never over one that has not answered within the last', () =>
  within(honest, async (shop) => {
    for (const key of ['S:1', 'S:2']) assert.deepEqual(await shop.pay(key), taken(key))
    assert.deepEqual(shop.over(), [1, 2], 'nothing is proved yet')
    shop.pass(SECOND_MS)
    for (const key of ['S:3', 'S:4']) assert.deepEqual(await shop.pay(key), taken(key))
    assert.deepEqual(shop.over().slice(2), [3, 3])
    shop.pass(SECOND_MS - 1)
    await shop.pay('S:5')
    shop.pass(SECOND_MS)
    await shop.pay('S:6')
    assert.deepEqual(shop.over().slice(4), [3, 4])
    for (let at = 0; at < 62; at++) {
      shop.pass(SECOND_MS - 1)
      await shop.pay(`S:AGE${at}`)
    }
    assert.deepEqual([...new Set(shop.over().slice(6))], [4, 5], 'after a minute the name is looked up anew')
  }))

test('queries go over any connection that answered within four seconds', () =>
  within(honest, async (shop) => {
    await shop.pay('S:1')
    for (const ms of [1, 3_999, 4_000]) {
      shop.pass(ms)
      assert.deepEqual(await shop.acquirer.status('S:1'), taken('S:1'))
    }
    assert.deepEqual(shop.over(), [1, 1, 1, 2])
  }))

const hints: readonly [string, number, number][] = [
  ['keep-alive: timeout=1\r\n', 0, 2],
  ['keep-alive: timeout=2\r\n', 999, 1],
  ['keep-alive: timeout=2\r\n', 1_000, 2],
  ['keep-alive: max=9, timeout=3\r\n', 1_999, 1],
  ['keep-alive: timeout=3\r\n', 2_000, 2],
  ['keep-alive: timeout=999999999\r\n', 4_000, 2],
  ['connection: close\r\n', 0, 2],
]
for (const [hint, ms, connections] of hints) {
  test(`an adapter that says ${JSON.stringify(hint.trim())} is asked over ${connections === 1 ? 'the same' : 'another'} connection after ${ms} ms`, () =>
    within(
      (call) => call.socket.write(call.honest(hint)),
      async (shop) => {
        await shop.pay('S:1')
        shop.pass(ms)
        await shop.acquirer.status('S:1')
        assert.equal(shop.connections.length, connections)
      },
    ))
}

const closings: Readonly<Record<string, (call: RawCall) => void>> = {
  'with its answer': ({ socket, honest }) => socket.end(honest()),
  'by a reset after its answer': ({ socket, honest }) => socket.write(honest(), () => setImmediate(() => socket.resetAndDestroy())),
  'some milliseconds after its answer': ({ socket, honest }) => socket.write(honest(), () => setTimeout(() => socket.end(), 5)),
}
for (const [how, serve] of Object.entries(closings)) {
  test(`a bank that closes ${how}, without saying so, is paid over a fresh connection each, and every payment is answered`, () =>
    within(serve, async (shop) => {
      const keys = Array.from({ length: 60 }, (_, at) => `S:${at}`)
      for (let at = 0; at < keys.length; at += 10) {
        const some = keys.slice(at, at + 10)
        assert.deepEqual(await Promise.all(some.map(shop.pay)), some.map(taken))
        await until(() => shop.connections.every(({ destroyed }) => destroyed))
        shop.pass(2 * SECOND_MS)
      }
      for (const key of keys) assert.equal(shop.times('authorize', key), 1)
      assert.equal(shop.connections.length, keys.length)
      assert.deepEqual(shop.doubts, [])
    }))
}

onBothStores('at a bank that closes a little after each answer, without saying so', (store) => {
  test('every payment is sent once, and none is in doubt', async () => {
    const { connections, perSecond, ...figures } = await payAtClosingBank(store, PAYMENTS, 'a little later', SEED)
    assert.deepEqual(figures, { payments: PAYMENTS, paid: PAYMENTS, unknown: 0, sentMost: 1 })
    console.log(`${store}: ${PAYMENTS} payments over ${connections} connections, seed ${SEED}`)
  })
})

test('a kept connection that breaks under a payment: queried at once over another, not sent again, and none is kept for ten minutes', () => {
  const breaks = ({ position, call, socket, honest }: RawCall) =>
    position > 1 && call === 'authorize' ? socket.resetAndDestroy() : socket.write(honest())
  return within(breaks, async (shop) => {
    await proved(shop)
    assert.deepEqual(await shop.pay('S:1'), taken('S:1'))
    assert.deepEqual([shop.times('authorize', 'S:1'), shop.times('status', 'S:1')], [1, 1])
    assert.deepEqual(shop.doubts, ['authorize S:1 the connection failed (ECONNRESET)'])
    const before = shop.connections.length
    for (const minutes of [0, 4, 5]) {
      shop.pass(minutes * MINUTE_MS)
      await shop.pay(`S:${minutes}+`)
      shop.pass(2 * SECOND_MS)
      await shop.pay(`S:${minutes}-`)
    }
    assert.equal(shop.connections.length, before + 6)
    shop.pass(MINUTE_MS)
    await shop.pay('S:a')
    shop.pass(SECOND_MS)
    await shop.pay('S:b')
    await shop.pay('S:c') // proved anew
    assert.equal(shop.connections.length, before + 8)
  })
})

test('a query over a kept connection that breaks is made once more, and once only', () =>
  within(
    ({ position, key, socket, honest }) => (position > 1 || key === 'S:never' ? socket.resetAndDestroy() : socket.write(honest())),
    async (shop) => {
      await shop.pay('S:1')
      assert.deepEqual(await shop.acquirer.status('S:1'), taken('S:1'))
      assert.equal(shop.times('status', 'S:1'), 2)
      assert.deepEqual(await shop.acquirer.status('S:never'), { outcome: 'unknown' })
      assert.equal(shop.times('status', 'S:never'), 2)
    },
  ))

// ------------------------------------------------------------------------------------------ what comes over a connection

const FOREIGN = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}'
const changed = ({ honest }: RawCall, from: string | RegExp, to: string) => honest().replace(from, to)
function chunked({ honest }: RawCall): string {
  const [head = '', body = ''] = honest().split('\r\n\r\n')
  return `${head.replace(/content-length: \d+/, 'transfer-encoding: chunked')}\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
}
/** Puts each byte into a chunk with a thousand more around it, which neither body nor head contains. */
function padded({ honest }: RawCall): string {
  const [head = '', body = ''] = honest().split('\r\n\r\n')
  const chunks = [...body].map((byte) => `1;${'x'.repeat(1_500)}\r\n${byte}\r\n`).join('')
  return `${head.replace(/content-length: \d+/, 'transfer-encoding: chunked')}\r\n\r\n${chunks}0\r\n\r\n`
}
const later = (work: () => void) => void setTimeout(work, 5)

/** Answers to a call. `answered`: it counts as an answer. `isKept`: it ends where it says, so the next call may follow. */
const answers: Readonly<Record<string, { serve(call: RawCall): void; answered?: boolean; isKept?: boolean }>> = {
  'as it should': { serve: honest, answered: true, isKept: true },
  'in pieces': {
    serve: ({ socket, honest }) => {
      const text = honest()
      for (let at = 0; at < text.length; at += 7) setTimeout(() => socket.write(text.slice(at, at + 7)), at / 20)
    },
    answered: true,
    isKept: true,
  },
  'in chunks': {
    serve: (call) => call.socket.write(chunked(call)),
    answered: true,
    isKept: true,
  },
  'in chunks with more around them than any answer may have': { serve: (call) => call.socket.write(padded(call)), answered: true },
  'in chunks with half of a second answer behind it': { serve: (call) => call.socket.write(chunked(call) + FOREIGN.slice(0, 40)) },
  'with one answer before it that says "wait"': {
    serve: ({ socket, honest }) => socket.write(`HTTP/1.1 103 Early Hints\r\n\r\n${honest()}`),
    answered: true,
  },
  'with a hundred that say "wait"': {
    serve: ({ socket, honest }) => socket.write('HTTP/1.1 102 Processing\r\n\r\n'.repeat(100) + honest()),
  },
  'with another protocol': {
    serve: ({ socket }) => socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: bank\r\n\r\n'),
  },
  'in HTTP/1.0': { serve: (call) => call.socket.end(changed(call, 'HTTP/1.1', 'HTTP/1.0')), answered: true },
  'in HTTP/1.0 that is kept': {
    serve: (call) => call.socket.write(changed(call, 'HTTP/1.1 200 OK', 'HTTP/1.0 200 OK\r\nconnection: keep-alive')),
    answered: true,
  },
  'until the connection ends': { serve: (call) => call.socket.end(changed(call, /content-length: \d+\r\n/, '')), answered: true },
  'without an end': {
    serve: (call) => {
      call.socket.write(changed(call, /content-length: \d+\r\n/, ''))
      const more = () => call.socket.writable && call.socket.write('x'.repeat(65_536), later.bind(undefined, more))
      more()
    },
  },
  'with a head without an end': { serve: ({ socket }) => socket.write(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(10_000)}`) },
  'with less than it says, and ends': { serve: (call) => call.socket.end(changed(call, /content-length: (\d+)/, 'content-length: 9$1')) },
  'with less than it says, and waits': {
    serve: (call) => call.socket.write(changed(call, /content-length: (\d+)/, 'content-length: 9$1')),
  },
  'with more than it says': { serve: (call) => call.socket.write(changed(call, /content-length: \d+/, 'content-length: 20')) },
  'with two lengths': { serve: (call) => call.socket.write(call.honest('content-length: 5\r\n')) },
  'with a length and in chunks': { serve: (call) => call.socket.write(call.honest('transfer-encoding: chunked\r\n')) },
  'with two types': { serve: (call) => call.socket.write(call.honest('content-type: text/html\r\n')), isKept: true },
  'with two signed ids': { serve: (call) => call.socket.write(call.honest('webhook-id: answer_authorize_1\r\n')), isKept: true },
  packed: {
    serve: (call) => {
      const [head = '', body = ''] = call.honest('content-encoding: gzip\r\n').split('\r\n\r\n')
      const bytes = gzipSync(body)
      call.socket.write(`${head.replace(/content-length: \d+/, `content-length: ${bytes.length}`)}\r\n\r\n`)
      call.socket.write(bytes)
    },
    isKept: true,
  },
  'with a second answer behind it': { serve: ({ socket, honest }) => socket.write(honest() + FOREIGN) },
  'with half of a second answer behind it': { serve: ({ socket, honest }) => socket.write(honest() + FOREIGN.slice(0, 40)) },
  'twice the same': { serve: ({ socket, honest }) => socket.write(honest() + honest()) },
  'with a second answer some milliseconds later': {
    serve: ({ socket, honest }) => socket.write(honest(), () => later(() => socket.write(FOREIGN))),
    answered: true,
  },
  'with line ends behind it': { serve: ({ socket, honest }) => socket.write(`${honest()}\r\n\r\n`), answered: true },
  'with nothing, and ends': { serve: ({ socket }) => socket.end() },
  'with half a head, and ends': { serve: ({ socket, honest }) => socket.end(honest().slice(0, 40)) },
  'with a redirect': {
    serve: ({ socket }) => socket.write('HTTP/1.1 307 See\r\nlocation: /bank/elsewhere\r\ncontent-length: 0\r\n\r\n'),
    isKept: true,
  },
}

for (const isTls of [false, true]) {
  for (const position of ['first', 'kept'] as const) {
    test(`whatever comes over a ${position} connection${isTls ? ' with TLS' : ''} is credited to no other call, and no call is sent twice`, async (t) => {
      if (isTls) trusted(t)
      for (const [how, { serve, answered = false, isKept = false }] of Object.entries(answers)) {
        const bent = (call: RawCall) => (call.key === 'S:bent' && call.call === 'authorize' ? serve(call) : honest(call))
        await within(
          bent,
          async (shop) => {
            if (position === 'kept') await proved(shop)
            const said = await shop.pay('S:bent')
            const isTaken = (said as { outcome: string }).outcome === 'success'
            if (isTaken) assert.deepEqual(said, taken('S:bent'), how)
            if (answered) assert.ok(isTaken, `${how}: ${shop.doubts}`)
            assert.equal(shop.times('authorize', 'S:bent'), 1, how)
            const [bentCall] = shop.heard.filter(({ key }) => key === 'S:bent')
            if (!isKept) await until(() => bentCall!.socket.destroyed)
            const keys = ['S:a', 'S:b', 'S:c']
            assert.deepEqual(await Promise.all(keys.map(shop.pay)), keys.map(taken), how)
            for (const key of keys) assert.deepEqual(await shop.acquirer.status(key), taken(key), how)
            for (const key of keys) assert.equal(shop.times('authorize', key), 1, how)
            const afterwards = shop.heard.filter(({ key }) => key !== 'S:bent').slice(position === 'kept' ? 2 : 0)
            const again = afterwards.some(({ connection }) => connection === bentCall!.connection)
            assert.equal(again, isKept && position === 'kept', `${how}: the connection is ${again ? '' : 'not '}used again`)
          },
          isTls ? { isTls, url: named } : {},
        )
      }
    })
  }
}

for (const greeting of [FOREIGN, FOREIGN.slice(0, 40), 'x', '\r\n\r\n'])
  test(`an answer that comes before anything was asked is no answer: ${JSON.stringify(greeting)}`, () =>
    within(
      honest,
      async (shop) => {
        for (const key of ['S:1', 'S:2']) {
          const said = (await shop.pay(key)) as { outcome: string }
          assert.deepEqual(said, said.outcome === 'success' ? taken(key) : { outcome: 'unknown' })
          assert.ok(shop.times('authorize', key) <= 1)
        }
      },
      { greeting },
    ))

test('bytes on an idle connection are the answer to nothing', () => {
  let recorded = ''
  return within(
    (call) => {
      if (call.key === 'S:first') recorded = call.honest()
      honest(call)
    },
    async (shop) => {
      await proved(shop)
      for (const said of [recorded, FOREIGN.slice(0, 20), ' ']) {
        const [idle] = shop.connections.slice(-1)
        idle!.write(said)
        await until(() => idle!.destroyed)
        const key = `S:${said.length}`
        assert.deepEqual(await shop.pay(key), taken(key))
        assert.equal(shop.times('authorize', key), 1)
      }
      assert.deepEqual(shop.doubts, [])
    },
  )
})

test('a name whose address changes is followed by every fresh connection, and after a minute by all', async (t) => {
  let address = '127.0.0.1'
  trusted(t, () => address)
  await within(
    honest,
    async (shop) => {
      await proved(shop)
      address = '127.0.0.2' // no server listens there
      await shop.pay('S:kept')
      assert.equal(shop.over().at(-1), 2)
      shop.pass(SECOND_MS)
      assert.deepEqual(await shop.pay('S:moved'), { outcome: 'unknown' })
      assert.match(shop.doubts.join(), /^authorize S:moved the connection failed \(ECONNREFUSED\)$/)
      for (let at = 0; at < 57; at++) {
        assert.deepEqual(await shop.acquirer.status('S:kept'), taken('S:kept'))
        shop.pass(SECOND_MS)
      }
      shop.pass(MINUTE_MS)
      assert.deepEqual(await shop.acquirer.status('S:kept'), { outcome: 'unknown' })
      assert.equal(shop.connections.length, 2)
    },
    { isTls: true, url: named },
  )
})

test('a certificate is checked whatever the environment says: of an unknown authority, and of another name', async (t) => {
  const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED']
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  t.after(() => {
    if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before
  })
  trusted(t)
  const refused = (shop: Shop, code: RegExp) =>
    shop.pay('S:1').then((said) => {
      assert.deepEqual([said, shop.heard.length], [{ outcome: 'unknown' }, 0])
      assert.match(shop.doubts.join(), code)
    })
  await within(honest, (shop) => refused(shop, /ERR_TLS_CERT_ALTNAME_INVALID/), { isTls: true })
  setDefaultCACertificates([])
  await within(honest, (shop) => refused(shop, /DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_VERIFY/), { isTls: true, url: named })
})

test('an environment that names a proxy changes nothing', async () => {
  const seen = { connections: 0 }
  const proxy = createServer(() => void seen.connections++)
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  const at = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const program = `
    const { AdapterConnections } = await import(process.argv[1])
    const sending = { withinMs: 5000, mayRepeat: true }
    const heard = await new AdapterConnections(process.argv[2], { elapsed: () => performance.now() }).post('status', { 'webhook-id': 'status_1' }, '{"key":"S:1"}', sending)
    console.log(heard.httpStatus)`
  const bank = await rawBank(honest)
  const proxies = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: at, HTTPS_PROXY: at, http_proxy: at, https_proxy: at, NO_PROXY: '', no_proxy: '' }
  try {
    const child = await promisify(execFile)(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        program,
        resolve(import.meta.dirname, '../../../../../src/adapters/acquirer/remote/connections.ts'),
        bank.url,
      ],
      { env: { ...process.env, ...proxies } },
    )
    assert.deepEqual([child.stdout.trim(), bank.heard.length, seen.connections], ['200', 1, 0])
  } finally {
    proxy.close()
    await bank.close()
  }
})

test('a process that stops leaves no connection behind, and what was kept keeps none alive', () =>
  within(honest, async (shop) => {
    const keys = ['S:1', 'S:2', 'S:3']
    await Promise.all(keys.map(shop.pay))
    assert.ok(shop.connections.every(({ destroyed }) => !destroyed))
    await shop.acquirer.close()
    await until(() => shop.connections.every(({ destroyed }) => destroyed))
    assert.deepEqual(await shop.pay('S:4'), { outcome: 'unknown' })
    assert.equal(shop.connections.length, 3)
  }))
