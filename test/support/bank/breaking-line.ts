// A line between service and bank that breaks by a seed: after any number of bytes, in either direction, or when both have passed.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Random } from '../text/random.ts'

const BYTES_MAX = 1_500 // a call has some 700, an answer some 400: one in three breaks comes between two calls, or later
const LATE_MS_MAX = 20

export interface BreakingLine {
  url: string
  /** The chance of each passing piece to be the last, from 0 to 1. */
  breaks: number
  broken: number
  close(): Promise<void>
}

export async function breakingLine(to: string, random: Random): Promise<BreakingLine> {
  const { hostname, port } = new URL(to)
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', () => {}).on('close', () => open.delete(socket))
    }
    relay(near, far)
    relay(far, near)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(to)
  url.port = String((server.address() as AddressInfo).port)
  const line: BreakingLine = { url: url.href, breaks: 0, broken: 0, close }
  return line

  function relay(from: Socket, into: Socket) {
    from.on('data', (part: Buffer) => {
      if (random.fraction() >= line.breaks) return void into.write(part)
      line.broken++
      const passed = part.subarray(0, random.below(BYTES_MAX))
      const end = () => {
        for (const socket of [from, into]) random.fraction() < 0.5 ? socket.resetAndDestroy() : socket.destroy()
      }
      into.write(passed, () => (random.fraction() < 0.5 ? end() : setTimeout(end, random.below(LATE_MS_MAX))))
    })
    from.on('end', () => into.end())
    from.on('close', () => into.destroy())
  }

  async function close() {
    for (const socket of open) socket.destroy()
    await new Promise((done) => server.close(done))
  }
}
