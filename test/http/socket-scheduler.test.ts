// The order in which piled-up requests of sockets begin, and how much of a socket is read at once (src/http/sockets.ts).

import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { operations } from '../../src/api/operations.ts'
import { SystemClock } from '../../src/engine/clock.ts'
import type { Store } from '../../src/engine/store.ts'
import { SocketScheduler } from '../../src/http/socket-scheduler.ts'
import { Sockets } from '../../src/http/sockets.ts'
import { type Service, startService } from '../support/run/service.ts'

const PER_TURN = 32
const OF_A_PIECE = 4 * 1_024
const READ_AT_ONCE = 64 * 1_024 // by Node

/** A socket with `count` requests after its first one. It notes when each begins. */
function piledUp(name: string, count: number, begun: string[]) {
  let left = count
  return {
    beginOne() {
      if (left > 0) begun.push(name)
      return --left > 0
    },
  }
}

test('requests that are piled up begin a few at a time, a socket after the other, and all other sockets are read in between', async () => {
  const begun: string[] = []
  const turns = new SocketScheduler()
  for (const [name, count] of [
    ['a', 100],
    ['b', 3],
    ['c', 100],
  ] as const)
    turns.ask(piledUp(name, count, begun))
  assert.equal(begun.length, 0, 'none out of the other’s end')
  await turn()
  assert.equal(begun.length, PER_TURN)
  assert.equal(begun.slice(0, 12).join(''), 'abcabcabcaca')
  turns.ask(piledUp('d', 1, begun))
  await turn()
  assert.equal(begun.length, 2 * PER_TURN)
  assert.ok(begun.indexOf('d') < PER_TURN + 3, 'who comes later waits for one of each, and not for all')
  for (let at = 0; at < 10; at++) await turn()
  assert.equal(begun.length, 204)
  turns.ask(piledUp('e', 2, begun))
  await turn()
  assert.equal(begun.slice(204).join(''), 'ee', 'it goes on after a pause')
})

test('bodies after replies that no client could take yet are read once Node reads on, and end no process', async () => {
  const [count, bodyBytes, replyBytes] = [60, 6_000, 70_000]
  const clock = new SystemClock()
  const parts = { clock, connectionsMax: 1, connectionsPerAddress: 1, isProxy: () => false, refused() {}, unreadable: () => '' }
  const held: (() => void)[] = []
  let begun = 0
  /** Answers the first of eight after the others, whose replies wait behind its own. */
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    const answer = () => response.end('y'.repeat(replyBytes))
    const isFirst = begun++ % 8 === 0
    request.resume().on('end', () => (isFirst ? held.push(answer) : answer()))
  }
  const server = new Sockets(parts).serverFactory(handle).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  let heard = ''
  socket.setEncoding('latin1').on('data', (text) => {
    heard += text
  })
  socket.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${bodyBytes}\r\n\r\n${'x'.repeat(bodyBytes)}`.repeat(count))
  const answered = () => heard.split('HTTP/1.1 200').length - 1
  for (let looks = 0; looks < 500 && answered() < count; looks++) {
    await sleep(20)
    held.shift()?.()
  }
  socket.destroy()
  server.close()
  assert.equal(answered(), count)
})

test('a socket on which nothing moves is ended when it is idle, half read or leaves its reply unread, and not while it is owed a reply', async () => {
  const [quietMs, replyBytes] = [200, 64 * 1_024 * 1_024]
  const parts = { connectionsMax: 10, connectionsPerAddress: 10, isProxy: () => false, refused() {}, unreadable: () => '' }
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.url === '/slow') await sleep(4 * quietMs)
    request.resume().on('end', () => response.end(request.url === '/large' ? 'y'.repeat(replyBytes) : 'done'))
  }
  const server = new Sockets({ ...parts, clock: new SystemClock() }).serverFactory((...given) => void handle(...given))
  server.setTimeout(quietMs).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sent = async (awaited: number, ...requests: string[]) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    const heard: string[] = []
    socket.on('error', () => {}).write(requests.join(''))
    if (!requests.some((request) => request.includes('/large')))
      socket.setEncoding('latin1').on('data', (text: unknown) => heard.push(String(text)))
    const [ours] = (await once(server, 'connection')) as [Socket]
    const replies = () => heard.join('').split('HTTP/1.1 200').length - 1
    for (let looks = 0; looks < 1_000 && !ours.destroyed && replies() < awaited; looks++) await sleep(20)
    const result = { replies: replies(), isEnded: ours.destroyed }
    socket.destroy()
    return result
  }
  const [get, half] = [
    (path: string) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`,
    'POST /half HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nx',
  ]
  const cases = {
    idle: await sent(1),
    half: await sent(1, half),
    unread: await sent(1, get('/large')),
    slow: await sent(1, get('/slow')),
    both: await sent(2, get('/slow'), get('/slow')),
  }
  server.close()
  server.closeAllConnections()
  assert.deepEqual(cases, {
    idle: { replies: 0, isEnded: true },
    half: { replies: 0, isEnded: true },
    unread: { replies: 0, isEnded: true },
    slow: { replies: 1, isEnded: false },
    both: { replies: 2, isEnded: false },
  })
})

test('a socket that may not begin another is asked no more until it asks itself', async () => {
  const turns = new SocketScheduler()
  let asked = 0
  turns.ask({
    beginOne() {
      asked++
      return false
    },
  })
  for (let at = 0; at < 3; at++) await turn()
  assert.equal(asked, 1)
})

const opened: Service[] = []
after(() => Promise.all(opened.map((service) => service.close())))

test('when hundreds of requests come at once no more are parsed than Node reads at once, from then on no more than a piece holds, and all are answered', async () => {
  let open = () => {}
  let gate = Promise.resolve()
  const shut = () => {
    gate = new Promise<void>((resolve) => {
      open = resolve
    })
  }
  const wrap = (store: Store): Store => ({
    query: {
      ...store.query,
      row: (key) => store.query.row(key),
      rows: async (find) => {
        if (find.find === 'merchantKeys') await gate
        return store.query.rows(find)
      },
    },
    concurrency: store.concurrency,
    transaction: (work) => store.transaction(work),
    claimTasks: (...given) => store.claimTasks(...given),
    ping: () => store.ping(),
    close: () => store.close(),
  })
  const service = await startService('sqlite', { store: wrap })
  opened.push(service)
  let parsed = 0
  const count = () => parsed++
  subscribe('http.server.request.start', count)
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  try {
    const question = (at: number) => {
      const body = `{"head":{"signature":"x"},"body":{"mid":"NOBODY${String(at).padStart(4, '0')}","orderId":"O1"}}`
      const head = `POST ${operations.orderStatus.paths[0]} HTTP/1.1\r\nHost: mohur\r\nContent-Type: application/json\r\n`
      return `${head}Content-Length: ${body.length}\r\n\r\n${body}`
    }
    const SENT = 450 // twice on a socket, which serves a thousand requests
    let text = ''
    socket.setEncoding('latin1').on('data', (part: unknown) => {
      text += part
    })
    for (const [times, bytes] of [READ_AT_ONCE, OF_A_PIECE].entries()) {
      shut()
      const before = parsed
      socket.write(Array.from({ length: SENT }, (_, at) => question(times * SENT + at)).join(''))
      await sleep(300)
      const now = parsed - before
      assert.ok(now > 8 && now <= bytes / question(1).length + 8, `${now} are parsed`)
      open()
      const [answered, all] = [() => text.split('HTTP/1.1 200').length - 1, (times + 1) * SENT]
      for (let tries = 0; answered() < all && tries < 1_000; tries++) await sleep(10)
      assert.deepEqual([answered(), parsed], [all, all])
    }
  } finally {
    unsubscribe('http.server.request.start', count)
    socket.destroy()
  }
})
