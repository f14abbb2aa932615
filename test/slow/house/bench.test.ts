// The measuring tools. A tool that misses a fault, or hangs, prints a worthless figure.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { Connection } from '../../../bench/connection.ts'
import { SECRET, startEndpoint } from '../../../bench/endpoint.ts'
import { median, quantile } from '../../../bench/numbers.ts'
import { serveProxy } from '../../../bench/processes.ts'
import { KEY, payRequest } from '../../../bench/requests.ts'
import { sign } from '../../../src/interface/checksum.ts'

const request = payRequest('ORDER', 'token', 'success@upi')

test('a generator opens a new connection when the last one announces its end, and fails when one ends otherwise', async () => {
  let asked = 0
  let connections = 0
  const server = createServer((request, reply) => {
    asked++
    if (asked === 6) return void request.socket.destroy()
    reply.writeHead(200, { 'content-length': 2, ...(asked % 2 === 0 && { connection: 'close' }) }).end('ok')
  })
    .on('connection', () => connections++)
    .listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const line = new Connection((server.address() as AddressInfo).port)
  try {
    for (let at = 0; at < 5; at++) assert.match((await line.ask(request)).toString(), /\r\n\r\nok$/)
    assert.equal(connections, 3)
    await assert.rejects(line.ask(request), /ended a connection/)
    assert.throws(() => line.ask(request), /ended a connection/)
  } finally {
    line.close()
    server.close()
  }
})

test('the endpoint finds a notification that is missing, came twice, too early, for no order, or with a wrong signature of either kind', async () => {
  const post = (orderId: string, status: string, { id = `${orderId}-${status}`, secret = SECRET, key = KEY } = {}) => {
    const body = JSON.stringify({ orderId, status })
    const text = `{"head":{"signature":"${sign(body, key, 'salt')}"},"body":${body}}`
    const signature = new Webhook(secret).sign(id, new Date(1_795_000_000_000), text)
    const headers = { 'webhook-id': id, 'webhook-timestamp': '1795000000', 'webhook-signature': signature }
    return { text, headers }
  }
  const [failed, paid] = [post('A', 'TXN_FAILURE'), post('A', 'TXN_SUCCESS')]
  const cases = [
    { posts: [failed, paid], fault: undefined },
    { posts: [failed], fault: /notified of A: TXN_FAILURE, expected/ },
    { posts: [paid, failed], fault: /notified of A: TXN_SUCCESS,TXN_FAILURE, expected/ },
    { posts: [failed, failed, paid], fault: /came twice/ },
    { posts: [failed, paid, post('B', 'TXN_SUCCESS')], fault: /nobody made/ },
    { posts: [failed, post('A', 'TXN_SUCCESS', { key: KEY.toLowerCase() })], fault: /wrong checksum/ },
    { posts: [failed, post('A', 'TXN_SUCCESS', { secret: `whsec_${Buffer.alloc(24, 2).toString('base64')}` })], fault: /wrong signature/ },
  ]
  for (const { posts, fault } of cases) {
    const endpoint = await startEndpoint()
    try {
      for (const { text, headers } of posts) await (await fetch(endpoint.url, { method: 'POST', headers, body: text })).text()
      await endpoint.received(posts.length)
      const check = () => endpoint.check(new Map([['A', ['TXN_FAILURE', 'TXN_SUCCESS']]]))
      if (fault) assert.throws(check, fault)
      else assert.deepEqual([...check().keys()], ['A'])
    } finally {
      endpoint.close()
    }
  }
})

test('the proxy adds its time in each direction, keeps the order, and counts a journey where a client sends after having received', async () => {
  const echo = createTcpServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1')
  await new Promise((resolve) => echo.once('listening', resolve))
  const proxy = await serveProxy(`postgres://127.0.0.1:${(echo.address() as AddressInfo).port}/x`, 20, { tells: true })
  const client = connect({ port: Number(new URL(proxy.databaseUrl).port), host: '127.0.0.1', noDelay: true })
  let heard = ''
  client.setEncoding('utf8').on('data', (text) => {
    heard += text
  })
  const hears = async (text: string) => {
    while (heard.length < text.length) await new Promise((resolve) => client.once('data', resolve))
    assert.equal(heard, text)
  }
  try {
    const sent = Array.from({ length: 50 }, (_, at) => `${at},`)
    const began = performance.now()
    for (const piece of sent) await new Promise<void>((resolve) => client.write(piece, () => resolve()))
    await hears(sent.join(''))
    assert.ok(performance.now() - began >= 40)
    client.write('more')
    await hears(`${sent.join('')}more`)
    while (proxy.journeys.length < 2) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(proxy.journeys.length, 2)
    assert.ok(proxy.journeys[1]! - proxy.journeys[0]! >= 40)
  } finally {
    client.destroy()
    await proxy.stop()
    echo.close()
  }
})

test('a quartile was measured; a median of an even number lies between the two in the middle', () => {
  assert.deepEqual([median([5, 1, 9]), median([9, 1, 4, 2]), quantile([8, 1, 5, 3], 0.25), quantile([2], 0.75)], [5, 3, 3, 2])
})
