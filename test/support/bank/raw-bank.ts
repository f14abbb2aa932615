// A bank's adapter made of bare sockets, so that a test decides about each byte. It takes calls by docs/acquirer.md and makes an honest
// answer, and the test sends it, alters it or keeps it back.

import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { Webhook } from 'standardwebhooks'
import { certificate, key as privateKey } from '../notifications/certificate.ts'
import { ADAPTER_SECRET } from './adapter.ts'

export interface RawCall {
  call: string
  key: string
  socket: Socket
  /** The number of its connection, and of this call on that connection. Both count from 1. */
  connection: number
  position: number
  /** The honest answer as HTTP, head and body. `headers` come before its own. */
  honest(headers?: string): string
}

export interface RawBank {
  url: string
  heard: RawCall[]
  connections: Socket[]
  close(): Promise<void>
}

/** The reference names its key, so a test sees an answer that was credited to another call. */
export const referenceOf = (key: string) => `R${key.replaceAll(':', '-')}`

export async function rawBank(
  serve: (call: RawCall) => void,
  { isTls = false, greeting = '' }: { isTls?: boolean; greeting?: string } = {},
): Promise<RawBank> {
  const taken = new Set<string>()
  const bank: RawBank = { url: '', heard: [], connections: [], close }
  const server = isTls ? createTlsServer({ cert: certificate, key: privateKey }, take) : createServer(take)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  bank.url = `${isTls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}/bank`
  return bank

  function take(socket: Socket) {
    const connection = bank.connections.push(socket)
    let position = 0
    let text = ''
    socket.on('error', () => {})
    if (greeting) socket.write(greeting)
    socket.on('data', (part) => {
      text += part
      const end = text.indexOf('\r\n\r\n')
      const [head, rest] = [text.slice(0, end), text.slice(end + 4)]
      // It plays an adapter from before mandates.
      if (end >= 0 && head.startsWith('GET '))
        return void socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
      if (end < 0 || Buffer.byteLength(rest) < Number(/content-length: (\d+)/i.exec(head)?.[1])) return
      text = ''
      const call = /^POST \/bank\/(\w+) /.exec(head)![1]!
      const id = /webhook-id: (\S+)/i.exec(head)![1]!
      const { key, amountPaise } = JSON.parse(rest) as { key: string; amountPaise: number }
      const outcome = call === 'status' && !taken.has(key) ? 'absent' : 'success'
      if (call !== 'status') taken.add(key)
      const answer = { key, outcome, ...(outcome === 'success' && { reference: referenceOf(key), amountPaise: amountPaise ?? 49_900 }) }
      const heard = { call, key, socket, connection, position: ++position, honest: (more = '') => signed(id, JSON.stringify(answer), more) }
      bank.heard.push(heard)
      serve(heard)
    })
  }

  async function close() {
    for (const socket of bank.connections) socket.destroy()
    await new Promise((done) => server.close(done))
  }
}

function signed(id: string, body: string, more: string): string {
  const at = new Date()
  const signature = new Webhook(ADAPTER_SECRET).sign(`answer_${id}`, at, body)
  return [
    `HTTP/1.1 200 OK\r\n${more}content-type: application/json`,
    `webhook-id: answer_${id}`,
    `webhook-timestamp: ${Math.floor(at.getTime() / 1_000)}`,
    `webhook-signature: ${signature}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `\r\n${body}`,
  ].join('\r\n')
}
