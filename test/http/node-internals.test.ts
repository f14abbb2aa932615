// The parts of Node's HTTP server that src/http/node-internals.ts uses exist, and behave as the sockets need. If a test fails here after an
// update of Node, Mohur no longer limits a socket to eight requests under way (docs/interface.md section 8).

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { isHeldBack, takeParser, throwAway } from '../../src/http/node-internals.ts'

const REPLY = Buffer.alloc(32 * 1024 * 1024, 'x') // more than the kernel buffers for a peer that does not read
const TURNS_MAX = 20_000
const request = (path: string) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`

/** Both ends of a socket of a server with this listener, and the requested paths. */
async function both(answer: RequestListener) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url!)
    answer(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [socket] = (await once(server, 'connection')) as [Socket]
  after(() => {
    client.destroy()
    server.closeAllConnections()
    server.close()
  })
  return { client, socket, asked }
}

async function until(holds: () => boolean, what: string) {
  for (let turns = 0; !holds(); turns++) {
    assert.ok(turns < TURNS_MAX, what)
    await turn()
  }
}

test('the parser reads a socket by one listener, and when that is taken it reads what it is given', async () => {
  const { client, socket, asked } = await both((_, response) => response.end('read'))
  assert.equal(socket.listenerCount('data'), 1)
  const parse = takeParser(socket)
  assert.equal(socket.listenerCount('data'), 0)
  const came: Buffer[] = []
  socket.on('data', (piece: Buffer) => came.push(piece))
  client.write(request('/kept-from-it'))
  await until(() => came.length > 0, 'what comes goes to our own listener')
  assert.deepEqual(asked, [])

  const bytes = Buffer.from(request('/in-pieces'))
  parse(bytes.subarray(0, 9))
  assert.deepEqual(asked, [])
  parse(bytes.subarray(9))
  assert.deepEqual(asked, ['/in-pieces'])
  const [reply] = (await once(client, 'data')) as [Buffer]
  assert.match(String(reply), /read$/)
})

test('bytes that Node has read already can be taken from its parser between two requests', async () => {
  const taken: Buffer[] = []
  const { client, socket, asked } = await both((_, response) => response.end())
  client.write(request('/first'))
  await until(() => asked.length === 1, 'the parser reads by itself')
  const parse = takeParser(socket)
  socket.on('data', (piece: Buffer) => taken.push(piece))
  client.write(request('/second'))
  await until(() => taken.length === 1, 'and then no more')
  assert.deepEqual(asked, ['/first'])
  parse(taken[0]!)
  assert.deepEqual(asked, ['/first', '/second'])
})

test('Node reports that it has stopped a socket with an unread reply, and no more once the reply is read', async () => {
  const { client, socket, asked } = await both(({ url }, response) => {
    if (url === '/1') response.end(REPLY)
    else if (url === '/3') response.end() // and the second never gets an answer
  })
  client.pause()
  client.write(request('/1'))
  await until(() => asked.length === 1, 'the first is asked')
  assert.equal(isHeldBack(socket), false)
  client.write(request('/2'))
  await until(() => isHeldBack(socket), 'the second comes before the first is read')
  assert.equal(socket.isPaused(), true)
  client.resume()
  await until(() => !isHeldBack(socket), 'the first is read')
  client.write(request('/3'))
  await until(() => asked.length === 3, 'Node reads on by itself')
})

test('discarded bytes reach no parser, and the end of the other side is seen', async () => {
  const { client, socket, asked } = await both((_, response) => response.end())
  throwAway(socket)
  client.end(request('/thrown-away'))
  await once(socket, 'end')
  assert.deepEqual(asked, [])
})
