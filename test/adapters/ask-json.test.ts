// How the demo shop's server calls the service: a reply that is no JSON object is no answer.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { askJson } from '../../src/adapters/ask-json.ts'

test('an object is an answer; other JSON, other text, a redirect and an address without a server are none', async () => {
  const server = createServer((request, response) => {
    const [, kind] = request.url!.split('/')
    if (kind === 'moved') return response.writeHead(302, { location: '/object' }).end()
    request.resume().on('end', () => response.end(kind === 'object' ? '{"a":1}' : kind === 'number' ? '7' : '<p>'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  assert.deepEqual(await askJson(`${url}/object`, '{}'), { a: 1 })
  for (const kind of ['number', 'text', 'moved']) assert.equal(await askJson(`${url}/${kind}`, '{}'), undefined, kind)
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
  assert.equal(await askJson(`${url}/object`, '{}'), undefined)
})
