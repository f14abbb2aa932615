// What one socket may do, and how it ends (docs/interface.md section 4, "Connections").
// Runs alone: it measures the memory of its process.

import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { operations } from '../../../src/api/operations.ts'
import type { Store } from '../../../src/engine/store.ts'
import { onBothStores, type Service, type ServiceOptions, startService } from '../../support/run/service.ts'

const STATUS = operations.orderStatus.paths[0]
const SLOW_LIMIT_MS = 13_000 // ten seconds, the second between two looks, and some for a busy machine

const opened: Service[] = []
async function started(options: ServiceOptions = {}) {
  const service = await startService('sqlite', options)
  opened.push(service)
  return service
}
after(() => Promise.all(opened.map((service) => service.close())))

interface Heard {
  socket: Socket
  text: () => string
  /** When and how the other side has closed. */
  ended: Promise<'ended' | 'reset'>
}
function dial({ url }: Pick<Service, 'url'>, localAddress = '127.0.0.1'): Heard {
  const { hostname, port } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, localAddress })
  let text = ''
  socket.setEncoding('latin1').on('data', (part) => {
    text += part
  })
  const ended = new Promise<'ended' | 'reset'>((resolve) => {
    socket.once('error', () => resolve('reset'))
    socket.once('close', () => resolve('ended'))
  })
  return { socket, text: () => text, ended }
}
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: mohur\r\n\r\n`
const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: mohur\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 ([0-9]{3}) /g)].map(([, status]) => Number(status))
/** When the condition never holds, the assertion after it fails, a minute later. */
const until = async (holds: () => boolean) => {
  for (let tries = 0; !holds() && tries < 6_000; tries++) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** A store that answers no look-up of a merchant's keys until `open` is called. It counts the waiting ones. */
function gated() {
  let [waiting, most] = [0, 0]
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const wrap = (store: Store): Store => ({
    query: {
      ...store.query,
      row: (key) => store.query.row(key),
      async rows(find) {
        if (find.find !== 'merchantKeys') return store.query.rows(find)
        most = Math.max(most, ++waiting)
        await gate
        waiting--
        return store.query.rows(find)
      },
    },
    concurrency: store.concurrency,
    transaction: (work) => store.transaction(work),
    claimTasks: (...given) => store.claimTasks(...given),
    ping: () => store.ping(),
    close: () => store.close(),
  })
  return { wrap, open: () => open(), most: () => most, waiting: () => waiting }
}
/** A query for which the service looks up the keys of an unknown merchant. */
const question = (at: number) =>
  post(STATUS, `{"head":{"signature":"x"},"body":{"mid":"NOBODY${String(at).padStart(4, '0')}","orderId":"O1"}}`)

/** Begins first and is judged last, so that it takes its ten seconds while the other tests run. */
const slowBody = (async () => {
  const service = await started()
  const began = performance.now()
  const slow = dial(service)
  slow.socket.write(`POST ${STATUS} HTTP/1.1\r\nHost: mohur\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`)
  const limit = new Promise<'still open'>((resolve) => setTimeout(resolve, SLOW_LIMIT_MS, 'still open').unref())
  const end = await Promise.race([slow.ended, limit])
  slow.socket.destroy()
  return { end, tookMs: performance.now() - began, text: slow.text() }
})()

/** Begins first too. Its client sends many requests at once, whose turn comes only after more time than a request may take. */
const longWait = (async () => {
  const gate = gated()
  const service = await started({ store: gate.wrap })
  const { socket, text, ended } = dial(service)
  const sent = 600 // more than the service reads at once, so one of them is half read
  socket.write(Array.from({ length: sent }, (_, at) => question(at)).join(''))
  await new Promise((resolve) => setTimeout(resolve, SLOW_LIMIT_MS))
  gate.open()
  await Promise.race([ended, until(() => statuses(text()).length === sent)])
  const heard = statuses(text())
  // A client that then leaves one half sent is still cut off.
  socket.write(question(sent).slice(0, 40))
  return { heard, sent, text, ended, socket }
})()

test('eight of the requests that one socket sends at once are under way, and all are answered in order', async () => {
  const gate = gated()
  const service = await started({ store: gate.wrap })
  const sent = 300
  const { socket, text } = dial(service)
  socket.write(Array.from({ length: sent }, (_, at) => question(at)).join(''))
  await until(() => gate.waiting() >= 8)
  await new Promise((resolve) => setTimeout(resolve, 100))
  assert.equal(gate.waiting(), 8)
  gate.open()
  await until(() => statuses(text()).length === sent)
  assert.equal(statuses(text()).filter((status) => status === 200).length, sent)
  assert.equal(gate.most(), 8)
  socket.destroy()
})

test('the thousandth reply of a socket says that it is the last, and what came after it was never read', async () => {
  const service = await started()
  const { socket, text, ended } = dial(service)
  socket.write(Array.from({ length: 1_200 }, () => get('/healthz')).join(''))
  assert.equal(await ended, 'ended')
  assert.deepEqual([...new Set(statuses(text()))], [200])
  assert.equal(statuses(text()).length, 1_000)
  assert.equal([...text().matchAll(/^connection: close/gim)].length, 1)
  assert.ok(text().slice(text().lastIndexOf('HTTP/1.1')).toLowerCase().includes('connection: close'))
})

test('an unknown expectation is left alone, and the reply has the name of its request', async () => {
  const service = await started()
  const { socket, text } = dial(service)
  const expecting = question(2).replace('Host: mohur\r\n', 'Host: mohur\r\nExpect: a miracle\r\nX-Request-ID: expecting-1\r\n')
  const granted = question(3).replace('Host: mohur\r\n', 'Host: mohur\r\nExpect: 100-continue\r\n')
  socket.write(`${question(1)}${expecting}${granted}`)
  await until(() => statuses(text()).length === 4)
  assert.deepEqual(statuses(text()).sort(), [100, 200, 200, 200])
  assert.match(text(), /x-request-id: expecting-1\r\n/i)
  assert.equal([...text().matchAll(/^x-request-id: /gim)].length, 3)
  socket.destroy()
})

test('without a body it is the content type that was sent which is judged', async () => {
  const service = await started()
  const { socket, text } = dial(service)
  const none = (headers: string) => `POST ${STATUS} HTTP/1.1\r\nHost: mohur\r\n${headers}\r\n`
  const length = 'Content-Length: 0\r\n'
  const json = 'Content-Type: application/json\r\n'
  const chunked = 'Transfer-Encoding: chunked\r\n'
  socket.write([none(''), none(length), none(json + length), none(json + chunked), '0\r\n\r\n'].join(''))
  socket.write(none(`Content-Type: text/plain\r\n${length}`) + none('Content-Type: text/plain\r\n'))
  await until(() => statuses(text()).length === 6)
  assert.deepEqual(statuses(text()), [200, 200, 200, 200, 415, 415])
  assert.equal(text().split('"resultCode":"2222"').length - 1, 4)
  socket.destroy()
})

test('a client that sends rubbish after a request gets the reply to the request first', async () => {
  const gate = gated()
  const service = await started({ store: gate.wrap })
  const { socket, text } = dial(service)
  socket.write(`${question(1)}${question(2)}\u0000rubbish\r\n\r\n`)
  await until(() => gate.waiting() === 2)
  gate.open()
  await until(() => statuses(text()).length === 3)
  assert.deepEqual(statuses(text()), [200, 200, 400])
})

test('one address may have so many sockets, and another address is served all the same', async () => {
  const service = await started({ env: { MOHUR_CONNECTIONS_PER_ADDRESS: '3' } })
  const heard: Heard[] = []
  for (let at = 0; at < 5; at++) {
    heard.push(dial(service))
    heard[at]!.socket.write(get('/healthz'))
    await until(() => heard[at]!.text() !== '' || heard[at]!.socket.destroyed)
  }
  assert.deepEqual(
    heard.map(({ text }) => statuses(text())),
    [[200], [200], [200], [], []],
  )
  const other = dial(service, '127.0.0.2')
  other.socket.write(get('/metrics'))
  await until(() => other.text().includes('mohur_connections_refused_total{'))
  assert.match(other.text(), /mohur_connections_refused_total\{why="address"\} 2/)
  heard[0]!.socket.destroy()
  await heard[0]!.ended
  let answered: number[] = []
  for (let tries = 0; answered.length === 0 && tries < 50; tries++) {
    const again = dial(service)
    again.socket.write(get('/healthz'))
    await until(() => again.text() !== '' || again.socket.destroyed)
    answered = statuses(again.text())
    again.socket.destroy()
  }
  assert.deepEqual(answered, [200])
  for (const { socket } of [...heard, other]) socket.destroy()
})

test('a trusted proxy has no such limit; all together have one', async () => {
  const service = await started({
    env: { MOHUR_CONNECTIONS_PER_ADDRESS: '1', MOHUR_CONNECTIONS: '4', MOHUR_TRUSTED_PROXIES: '127.0.0.0/24' },
  })
  const heard = Array.from({ length: 6 }, () => dial(service))
  for (const { socket } of heard) socket.write(get('/healthz'))
  await until(() => heard.every(({ text, socket }) => text() !== '' || socket.destroyed))
  assert.equal(heard.filter(({ text }) => statuses(text())[0] === 200).length, 4)
  for (const { socket } of heard) socket.destroy()
})

test('at a stop what has been read is answered with the last reply of its socket, and no socket is reset', async () => {
  const gate = gated()
  const service = await started({ store: gate.wrap })
  const [busy, piped, idle, silent] = [dial(service), dial(service), dial(service), dial(service)]
  idle.socket.write(get('/healthz'))
  silent.socket.write(get('/healthz'))
  busy.socket.write(question(1))
  piped.socket.write(question(2) + question(3) + question(4))
  await until(() => gate.waiting() === 4 && idle.text() !== '' && silent.text() !== '')
  const closed = service.close(5_000)
  opened.splice(opened.indexOf(service), 1)
  idle.socket.write(get('/readyz'))
  await until(() => statuses(idle.text()).length === 2)
  gate.open()
  assert.deepEqual(await Promise.all([busy.ended, piped.ended, idle.ended, silent.ended]), ['ended', 'ended', 'ended', 'ended'])
  await closed
  assert.deepEqual(statuses(idle.text()), [200, 503], 'it is not ready any more, and says so')
  assert.deepEqual(statuses(busy.text()), [200])
  assert.deepEqual(statuses(piped.text()), [200, 200, 200])
  for (const { text } of [busy, piped, idle]) assert.equal([...text().matchAll(/^connection: close/gim)].length, 1)
})

onBothStores('readiness', (store) => {
  test('a store that stands still makes the process not ready within two seconds, and is asked once', async (t) => {
    let pings = 0
    const hanging = (given: Store): Store => ({
      query: given.query,
      concurrency: given.concurrency,
      transaction: (work) => given.transaction(work),
      claimTasks: (...of) => given.claimTasks(...of),
      ping() {
        pings++
        return new Promise(() => {})
      },
      close: () => given.close(),
    })
    const service = await startService(store, { store: hanging })
    opened.push(service)
    const waits = t.mock.method(service.clock, 'every') // the intended wait, because a busy machine answers later
    const asked = Array.from({ length: 3 }, () => fetch(`${service.url}/readyz`, { signal: AbortSignal.timeout(30_000) }))
    for (const reply of await Promise.all(asked)) assert.equal(reply.status, 503)
    assert.deepEqual(
      waits.mock.calls.map(({ arguments: [ms] }) => ms < 2_000),
      [true, true, true],
    )
    assert.equal(pings, 1)
  })
})

test('a request whose body does not come is cut off after ten seconds', async () => {
  const { end, tookMs, text } = await slowBody
  assert.notEqual(end, 'still open')
  assert.ok(tookMs >= 9_900, `${tookMs} ms`)
  assert.deepEqual(statuses(text), [408])
  assert.match(text, /x-request-id: .*\r\nconnection: close\r\n/)
})

test('a client that sends many requests at once is not refused as slow because they wait for their turn', async () => {
  const { heard, sent, text, ended, socket } = await longWait
  assert.deepEqual([heard.length, ...new Set(heard)], [sent, 200])
  const limit = new Promise<'still open'>((resolve) => setTimeout(resolve, SLOW_LIMIT_MS, 'still open').unref())
  assert.equal(await Promise.race([ended, limit]), 'ended')
  assert.equal(statuses(text()).at(-1), 408)
  socket.destroy()
})

test('a body in pieces of one byte each is read like any other, and costs no more memory', async () => {
  const service = await started()
  const head = (path: string, type: string) =>
    `POST ${path} HTTP/1.1\r\nHost: mohur\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`
  const pieces = (text: string) => [...text].map((byte) => `1\r\n${byte}\r\n`).join('')
  const asked = '{"head":{},"body":{"mid":"A B","orderId":"A"}}'
  const whole = dial(service)
  whole.socket.write(`${head(STATUS, 'application/json')}${pieces(asked)}0\r\n\r\n`)
  await until(() => whole.text().includes('resultCode'))
  assert.match(whole.text(), /"resultCode":"335"/)
  const many = dial(service)
  many.socket.write(`${head(STATUS, 'application/json')}${pieces('x'.repeat(64 * 1024 + 1))}`)
  await until(() => statuses(many.text()).length > 0)
  assert.deepEqual(statuses(many.text()), [413])

  const before = process.memoryUsage().rss
  const SOCKETS = 10
  for (const [path, type] of [
    [STATUS, 'application/json'],
    ['/order/status', 'text/plain'],
    ['/transaction/return', 'application/x-www-form-urlencoded'],
  ] as const) {
    const open = Array.from({ length: SOCKETS }, () => dial(service))
    const text = `${head(path, type)}${pieces('x'.repeat(60_000))}`
    await Promise.all(open.map(({ socket }) => new Promise((sent) => socket.write(text, sent))))
    const tick = dial(service)
    tick.socket.write(get('/healthz'))
    await until(() => statuses(tick.text()).length > 0)
    const grown = (process.memoryUsage().rss - before) / 1024 / 1024
    for (const { socket } of [...open, tick]) socket.destroy()
    assert.ok(grown < 100, `${path}: ${Math.round(grown)} MiB for ${SOCKETS} bodies of 60 kB`)
  }
  whole.socket.destroy()
})
