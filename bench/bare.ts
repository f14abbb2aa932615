// The base of the ratios: bare node:http that parses the same bytes and echoes them. It answers a GET with constant bytes.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const CONSTANT = Buffer.alloc(4096, 'x')

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/javascript', 'content-length': CONSTANT.length })
    return response.end(CONSTANT)
  }
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const text = JSON.stringify(JSON.parse(Buffer.concat(chunks).toString()))
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    response.end(text)
  })
})
server.listen(0, '127.0.0.1', () => console.log(`bare listens on http://127.0.0.1:${(server.address() as AddressInfo).port}`))
