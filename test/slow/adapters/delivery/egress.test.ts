// The service dials a merchant's address only where it is public. Whatever the other side does costs little and harms no other delivery:
// docs/interface.md section 6.
// Runs alone: it measures the memory of its process.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { resolve as resolvePath } from 'node:path'
import { after, test } from 'node:test'
import { setDefaultCACertificates } from 'node:tls'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { isPublic } from '../../../../src/adapters/delivery/addresses.ts'
import { Egress, type Posted } from '../../../../src/adapters/delivery/egress.ts'
import { certificate, key } from '../../../support/notifications/certificate.ts'
import { hostileNames, hostileUrls } from '../../../support/notifications/hostile-urls.ts'

/** Undefined where only root may use the port, or the machine has no IPv6. */
async function listen(server: Server, port: number, host: string): Promise<Server | undefined> {
  try {
    await once(server.listen({ port, host, ipv6Only: host === '::' }), 'listening')
    after(() => server.close())
    return server
  } catch {
    return undefined
  }
}

/** Listens on every address of this machine, at the ports of hostile URLs. Counts connections, and first shows that it does. */
async function canaries() {
  const seen = { connections: 0 }
  const ports = new Set<number>()
  for (const port of [443, 8443]) {
    for (const [host, address] of [
      ['0.0.0.0', '127.0.0.1'],
      ['::', '::1'],
    ] as const) {
      const server = await listen(
        createServer(() => seen.connections++),
        port,
        host,
      )
      if (!server) continue
      const socket = connect(port, address)
      await once(server, 'connection')
      socket.destroy()
      ports.add(port)
    }
  }
  assert.ok(seen.connections >= ports.size && ports.size > 0)
  seen.connections = 0
  return { seen, ports: [...ports] }
}

const run = promisify(execFile)
const MID = 'M1'
const TEST_LIMITS = { connectMs: 500, totalMs: 1_500 }

const resolve = async (name: string) => hostileNames[name] ?? []
const hostOf = (url: string) => new URL(url).hostname.replace(/\.$/, '')

for (const mode of ['production', 'sandbox'] as const) {
  test(`hostile URLs are refused and no address is dialled (${mode})`, async () => {
    const { seen, ports } = await canaries()
    const urls = [...new Set(hostileUrls(mode, ports))]
    assert.ok(urls.length >= 200, String(urls.length))
    const egress = new Egress(mode, resolve, TEST_LIMITS)
    const outcomes = await Promise.all(urls.map(async (url) => ({ url, ...(await egress.post(url, {}, '{}', MID)) })))
    assert.deepEqual(
      outcomes.filter(({ outcome }) => outcome !== 'refused' && outcome !== 'notPublic'),
      [],
    )
    const resolved = new Set(outcomes.flatMap(({ url, outcome }) => (outcome === 'notPublic' ? [hostOf(url)] : [])))
    assert.ok(resolved.size > 5)
    assert.deepEqual(
      [...resolved].filter((name) => !hostileNames[name]),
      [],
      'only an answer of DNS leads to another attempt',
    )
    assert.equal(seen.connections, 0)
    console.log(`${mode}: ${urls.length} hostile URLs at ports ${ports.join(', ')}: ${seen.connections} connections at canaries`)
  })
}

test('a name that changes after it was judged is resolved once, and no second answer is dialled', async () => {
  const { seen, ports } = await canaries()
  const answers = [['2000::1'], ['127.0.0.1'], ['::1']]
  for (const port of ports) {
    let asked = 0
    const egress = new Egress('production', async () => answers[asked++] ?? ['127.0.0.1'], TEST_LIMITS)
    const posted = await egress.post(`https://rebinding.example:${port}/`, {}, '{}', MID)
    assert.notEqual(posted.outcome, 'answered')
    assert.equal(asked, 1)
  }
  assert.equal(seen.connections, 0)
})

test('a name that DNS gives a private address for a moment is dialled once its address is public', async () => {
  const { url } = await raw((socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'))
  for (const wrong of [['0.0.0.0'], ['10.0.0.1'], ['127.0.0.1', '10.0.0.1']]) {
    const answers = [wrong, ['127.0.0.1']]
    const egress = new Egress('sandbox', async () => answers.shift() ?? [], TEST_LIMITS)
    const named = url.replace('127.0.0.1', 'hooks.example')
    assert.deepEqual(await egress.post(named, {}, '', MID), { outcome: 'notPublic' })
    assert.deepEqual(await egress.post(named, {}, '', MID), { outcome: 'answered', httpStatus: 204 })
    egress.close()
  }
})

test('a name without an address, and a resolver that fails or never answers, are no more than unreachable', async () => {
  const post = (resolve: () => Promise<string[]>) => new Egress('production', resolve, TEST_LIMITS).post('https://a.example/', {}, '', MID)
  assert.deepEqual(await post(async () => []), { outcome: 'unreachable' })
  assert.deepEqual(await post(() => Promise.reject(new Error('SERVFAIL'))), { outcome: 'unreachable' })
  assert.deepEqual(await post(() => new Promise(() => {})), { outcome: 'timeout' })
})

test('an environment that names a proxy changes nothing', async () => {
  const { seen, ports } = await canaries()
  const proxy = `http://127.0.0.1:${ports[0]}`
  const { url } = await raw((socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'))
  const program = `const { Egress } = await import(process.argv[1]); console.log(JSON.stringify(await new Egress('sandbox').post(process.argv[2], {}, '', 'M1')))`
  const egress = resolvePath(import.meta.dirname, '../../../../src/adapters/delivery/egress.ts')
  const proxies = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy, HTTPS_PROXY: proxy, http_proxy: proxy, https_proxy: proxy, NO_PROXY: '' }
  const child = await run(process.execPath, ['--input-type=module', '-e', program, egress, url], { env: { ...process.env, ...proxies } })
  assert.deepEqual(JSON.parse(child.stdout), { outcome: 'answered', httpStatus: 204 })
  assert.equal(seen.connections, 0)
})

test('public addresses are public: the edges of the special networks', () => {
  const edges = {
    '9.255.255.255': true,
    '10.0.0.0': false,
    '11.0.0.0': true,
    '100.63.255.255': true,
    '100.127.255.255': false,
    '126.255.255.255': true,
    '127.255.255.255': false,
    '128.0.0.0': true,
    '172.15.255.255': true,
    '172.32.0.0': true,
    '192.167.255.255': true,
    '192.169.0.0': true,
    '198.17.255.255': true,
    '198.20.0.0': true,
    '223.255.255.255': true,
    '224.0.0.0': false,
    '1fff:ffff::1': false,
    '2000::': true,
    '2001:1ff::1': false,
    '2001:200::1': true,
    '2001:db7::1': true,
    '2001:db9::1': true,
    '2002::1': false,
    '2003::1': true,
    '2606:4700::1111': true,
    '3ffe::1': true,
    '3fff:fff::1': false,
    '3fff:1000::1': true,
    '4000::': false,
    'a name': false,
    '': false,
  }
  for (const [address, expected] of Object.entries(edges)) assert.equal(isPublic(address), expected, address)
})

// ---------------------------------------------------------------------------------------------- what the other side does

const sandbox = (limits = TEST_LIMITS) => new Egress('sandbox', undefined, limits)
/** Cases that end by time have enough of it for their first line on a busy machine. The others end by the other side's answer. */
const ENDS = { byTime: { connectMs: 5_000, totalMs: 5_000 }, byAnswer: { connectMs: 120_000, totalMs: 120_000 } }

/** A server of bytes. `answer` gets each connection once a request has begun. */
async function raw(answer: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', () => answer(socket))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, sockets }
}

type Answer = (socket: Socket) => void
const closed = (socket: Socket) => new Promise<void>((done) => (socket.closed ? done() : socket.once('close', () => done())))

/** Writes as long as the other side reads. */
const flood =
  (part: Buffer | string): Answer =>
  (socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(part));
    }
    socket.on('drain', more)
    more()
  }
const drip =
  (part: string): Answer =>
  (socket) => {
    const timer = setInterval(() => socket.write(part), 20)
    socket.on('close', () => clearInterval(timer))
  }
const begin =
  (start: string, rest: Answer = () => {}): Answer =>
  (socket) => {
    socket.write(start)
    rest(socket)
  }
const end =
  (all: string | Buffer): Answer =>
  (socket) =>
    socket.end(all)
const OK = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`
const HEADER = `a: ${'b'.repeat(1000)}\r\n`
const MEGABYTE = Buffer.alloc(1024 * 1024, 'x')
const BOMB = Buffer.concat([Buffer.from(`${OK}content-encoding: gzip\r\n\r\n`), gzipSync(Buffer.alloc(20 * 1024 * 1024))])

const answered = (httpStatus: number): Posted => ({ outcome: 'answered', httpStatus })
const unreachable: Posted = { outcome: 'unreachable' }
const timeout: Posted = { outcome: 'timeout' }

const hostile: readonly [string, Answer, Posted][] = [
  ['an endless body', begin(`${OK}\r\n`, flood(MEGABYTE)), answered(200)],
  ['an endless chunked body', begin(CHUNKED, flood(`100000\r\n${'x'.repeat(0x100000)}\r\n`)), answered(200)],
  ['a body that says it is gigabytes and then is silent', begin(`${OK}content-length: 9999999999\r\n\r\nx`), answered(200)],
  ['a body that drips', begin(`${OK}content-length: 100000\r\n\r\n`, drip('x')), answered(200)],
  ['an error that drips', begin('HTTP/1.1 503 Busy\r\ncontent-length: 100000\r\n\r\n', drip('x')), answered(503)],
  ['a gzip bomb', end(BOMB), answered(200)],
  ['endless headers', begin(OK, flood(HEADER)), unreachable],
  ['one endless header', begin(`${OK}a: `, flood(MEGABYTE)), unreachable],
  ['headers that drip', begin(OK, drip('a: b\r\n')), timeout],
  ['a status line that drips', drip('H'), unreachable],
  ['endless 100 Continue', flood('HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)), unreachable],
  ['endless 103 Early Hints that drip', drip('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'), unreachable],
  ['100 Continue and then an answer', end(`HTTP/1.1 100 Continue\r\n\r\n${OK}\r\n`), answered(200)],
  ['another protocol', begin('HTTP/1.1 101 Switching Protocols\r\nupgrade: a\r\nconnection: upgrade\r\n\r\n'), unreachable],
  ['no answer at all', begin(''), timeout],
  ['an end without an answer', end(''), unreachable],
  ['a reset', (socket) => socket.resetAndDestroy(), unreachable],
  ['200 and then a reset', (socket) => socket.write(`${OK}content-length: 10\r\n\r\nx`, () => socket.resetAndDestroy()), answered(200)],
  ['half a status line', end('HTTP/1.1 20'), unreachable],
  ['what is not HTTP', end('SSH-2.0-OpenSSH_9.9\r\n'), unreachable],
  ['a status that is none', end('HTTP/1.1 0 No\r\n\r\n'), unreachable],
  ['two lengths', end(`${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nx`), unreachable],
  ['endless trailers', begin(`${CHUNKED}0\r\n`, flood(HEADER)), answered(200)],
  ['an endless chunk extension', begin(`${CHUNKED}1;`, flood(MEGABYTE)), answered(200)],
  ['a refusal in two pieces', begin('HTTP/1.1 4', (socket) => setImmediate(() => socket.end('10 Gone\r\n\r\n'))), answered(410)],
]

const ENDS_BY_TIME = [
  'a body that says it is gigabytes and then is silent',
  'a body that drips',
  'an error that drips',
  'headers that drip',
  'no answer at all',
]

test('whatever an endpoint answers takes no memory, no more than its time, and never more than its status', async () => {
  const before = process.memoryUsage().rss
  const began = performance.now()
  const servers = await Promise.all(hostile.map(async ([what, answer, expected]) => ({ what, expected, ...(await raw(answer)) })))
  const [hasty, patient] = [sandbox(ENDS.byTime), sandbox(ENDS.byAnswer)]
  const rounds = 2
  for (let round = 0; round < rounds; round++) {
    await Promise.all(
      servers.map(async ({ what, url, expected }) => {
        const egress = ENDS_BY_TIME.includes(what) ? hasty : patient
        assert.deepEqual(await egress.post(url, { 'content-type': 'text/plain' }, 'hello', MID), expected, what)
      }),
    )
  }
  const seconds = (performance.now() - began) / 1_000
  const grown = (process.memoryUsage().rss - before) / 1024 / 1024
  const taken = Math.max(...servers.flatMap(({ sockets }) => [...sockets].map(({ bytesWritten }) => bytesWritten))) / 1024 / 1024
  assert.ok(seconds < ENDS.byAnswer.totalMs / 1_000, `${seconds} s: what was to end by its answer ended by its time`)
  const open = servers.flatMap(({ sockets }) => [...sockets]).filter((socket) => !socket.destroyed)
  await Promise.all(open.map(closed)) // no connection stays open on this side
  console.log(
    `${hostile.length} hostile answers × ${rounds}: ${seconds.toFixed(1)} s, +${grown.toFixed(0)} MB with both sides in this process, at most ${taken.toFixed(1)} MB written to one connection`,
  )
})

test('a redirect is an answer like any other, and is followed nowhere', async () => {
  let followed = 0
  const canary = await raw(() => followed++)
  for (const status of [301, 302, 303, 307, 308]) {
    const { url } = await raw((socket) =>
      socket.end(`HTTP/1.1 ${status} Elsewhere\r\nlocation: ${canary.url}\r\nrefresh: 0; url=${canary.url}\r\n\r\n`),
    )
    assert.deepEqual(await sandbox().post(url, {}, '{}', MID), answered(status))
  }
  assert.equal(followed, 0)
  assert.equal(canary.sockets.size, 0)
})

test('a request carries what it was given, and nothing that was not', async () => {
  let text = ''
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (part) => {
      text += part
      if (text.endsWith('नम')) socket.end('HTTP/1.1 204 No Content\r\n\r\n')
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  after(() => server.close())
  const { port } = server.address() as AddressInfo
  assert.deepEqual(await sandbox().post(`http://localhost:${port}/a%20b?c=d#e`, { 'content-type': 'text/plain' }, 'नम', MID), answered(204))
  assert.deepEqual(text.split('\r\n'), [
    'POST /a%20b?c=d HTTP/1.1',
    `host: localhost:${port}`,
    'content-type: text/plain',
    'content-length: 6',
    'accept-encoding: identity',
    'connection: keep-alive',
    '',
    'नम',
  ])
})

test('over TLS the name is asked for, and only a certificate for it will do', async () => {
  const names: unknown[] = []
  const server = createTlsServer({ key, cert: certificate }, (request, response) => {
    names.push([(request.socket as unknown as { servername: string }).servername, request.headers.host])
    response.writeHead(202).end()
  })
  server.on('tlsClientError', () => {})
  await once(server.listen(0, '127.0.0.1'), 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const egress = new Egress('sandbox', async () => ['127.0.0.1'], TEST_LIMITS)
  const post = (host: string) => egress.post(`https://${host}:${port}/`, {}, '{}', MID)
  assert.deepEqual(await post('hooks.example'), unreachable, 'nobody vouches for the certificate')
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  try {
    assert.deepEqual(await post('hooks.example'), unreachable, 'nor does the environment')
  } finally {
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
  }
  setDefaultCACertificates([certificate])
  assert.deepEqual(await post('hooks.example'), answered(202))
  assert.deepEqual(await post('hooks.example.'), answered(202))
  assert.deepEqual(await post('other.example'), unreachable, 'another name')
  assert.deepEqual(await post('127.0.0.1'), unreachable, 'an address is not the name')
  assert.deepEqual(names, [
    ['hooks.example', `hooks.example:${port}`],
    ['hooks.example', `hooks.example:${port}`],
  ])
})

const WHOLE = `${OK}content-length: 0\r\n\r\n`

/**
 * Answers every request of a connection with this text, whatever it asks. `raw` calls it at the first bytes; it reads later requests
 * itself.
 */
const always =
  (answer: string): Answer =>
  (socket) => {
    socket.write(answer)
    socket.on('data', (part) => String(part).endsWith('{}') && socket.write(answer))
  }
const openOf = ({ sockets }: { sockets: Set<Socket> }) => [...sockets].filter((socket) => !socket.closed)

test('a connection is kept for the next notification of the same merchant, and left open no longer than its idle time', async () => {
  const server = await raw(always(WHOLE))
  const egress = new Egress('sandbox', undefined, { ...TEST_LIMITS, idleMs: 200 })
  for (let round = 0; round < 3; round++) assert.deepEqual(await egress.post(server.url, {}, '{}', MID), answered(200))
  assert.equal(server.sockets.size, 1)
  assert.deepEqual(await egress.post(server.url, {}, '{}', 'M2'), answered(200))
  assert.equal(server.sockets.size, 2, 'another merchant has one of his own')
  assert.equal(openOf(server).length, 2)
  await Promise.all(openOf(server).map(closed))
})

test('no connection is left open after close(), nor after an answer that is not clean', async () => {
  const clean = await raw(always(WHOLE))
  const unclean = await raw(always('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'))
  const egress = sandbox()
  for (const { url } of [clean, unclean]) assert.deepEqual(await egress.post(url, {}, '{}', MID), answered(200))
  await Promise.all(openOf(unclean).map(closed))
  assert.equal(openOf(clean).length, 1)
  egress.close()
  await Promise.all(openOf(clean).map(closed))
})

test('when the process stops, deliveries under way are broken off and count as no failure', async () => {
  const { url } = await raw(() => egress.close())
  const egress = sandbox()
  await assert.rejects(egress.post(url, {}, '{}', MID), { name: 'Stopped' })
  const later = await raw(() => assert.fail('somebody was called after that'))
  await assert.rejects(egress.post(later.url, {}, '{}', MID), { name: 'Stopped' })
})
