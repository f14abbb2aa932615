// The load generator: a process of its own, so that what it costs is not counted as the service's. Requests are built and
// signed before the clock starts; each connection sends its next request when the reply to the last has come.

import { connect } from 'node:net'
import { type RequestKind, requestsOf } from './requests.ts'

export interface Load {
  port: number
  connections: number
  requests: number
  kind: RequestKind
  /** Makes ids of one run differ from those of another. */
  run: string
  /** What every reply must hold to be counted as done. */
  expect: string
}

export interface Measured {
  requests: number
  unexpected: number
  firstUnexpected?: string
  seconds: number
  perSecond: number
  p50Ms: number
  p99Ms: number
}

function measure({ port, connections, requests, kind, run, expect }: Load): Promise<Measured> {
  const bytes = requestsOf(kind, run, requests)
  const latencies = new Float64Array(requests)
  let next = 0
  let done = 0
  let unexpected = 0
  let firstUnexpected: string | undefined
  const started = performance.now()

  return new Promise((resolve, reject) => {
    for (let at = 0; at < connections; at++) {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true })
      let sentAt = 0
      let received: Buffer | undefined
      const send = () => {
        if (next >= requests) return socket.destroy()
        sentAt = performance.now()
        socket.write(bytes[next++]!)
      }
      socket.on('connect', send)
      socket.on('error', reject)
      socket.on('data', (chunk: Buffer) => {
        received = received ? Buffer.concat([received, chunk]) : chunk
        if (!isWhole(received)) return
        latencies[done++] = performance.now() - sentAt
        if (!received.includes(expect)) {
          unexpected++
          firstUnexpected ??= received.toString()
        }
        received = undefined
        if (done < requests) return send()
        const seconds = (performance.now() - started) / 1_000
        latencies.sort()
        const percentile = (share: number) => latencies[Math.min(requests - 1, Math.floor(requests * share))]!
        resolve({
          requests,
          unexpected,
          ...(firstUnexpected && { firstUnexpected }),
          seconds,
          perSecond: requests / seconds,
          p50Ms: percentile(0.5),
          p99Ms: percentile(0.99),
        })
      })
    }
  })
}

const HEAD_END = Buffer.from('\r\n\r\n')
const LENGTH = Buffer.from('ontent-length: ') // bare node:http and Fastify begin it differently

/** Bytes are compared, not text: the generator shares the machine with what it measures. */
function isWhole(received: Buffer): boolean {
  const headEnd = received.indexOf(HEAD_END)
  if (headEnd < 0) return false
  let length = 0
  for (let at = received.indexOf(LENGTH) + LENGTH.length; received[at]! >= 48; at++) length = length * 10 + received[at]! - 48
  return received.length >= headEnd + HEAD_END.length + length
}

process.on('message', async (load: Load) => {
  process.send!(await measure(load))
  process.exit(0)
})
