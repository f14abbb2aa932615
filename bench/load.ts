// The load generator, in its own process, so that its cost does not count as the service's. It builds and signs requests before the clock
// starts. Each connection sends its next request after the reply to the last.

import { Connection } from './connection.ts'
import { type Latency, latency } from './numbers.ts'
import { formRequest, getRequest, type RequestKind, requestsOf } from './requests.ts'

export interface Load {
  port: number
  connections: number
  requests: number
  /** Signed requests of this kind; or GETs of these addresses, or posts of one form to them, over and over. */
  kind: RequestKind | { get: readonly string[] } | { post: readonly string[]; form: string; authorization?: string }
  /** Makes ids of one run differ from those of another. */
  run: string
  /** A text in every reply. A reply without it ends the run. */
  expect: string
}

export interface Measured extends Latency {
  perSecond: number
}

async function measure({ port, connections, requests, kind, run, expect }: Load): Promise<Measured> {
  const bytes = bytesOf(kind, run, requests)
  const latencies = new Float64Array(requests)
  let next = 0
  const client = async () => {
    const connection = new Connection(port)
    for (let at = next++; at < requests; at = next++) {
      const sentAt = performance.now()
      const reply = await connection.ask(bytes[at % bytes.length]!)
      latencies[at] = performance.now() - sentAt
      if (!reply.includes(expect)) throw new Error(`not as expected: ${reply}`)
    }
    connection.close()
  }
  const started = performance.now()
  await Promise.all(Array.from({ length: connections }, client))
  return { perSecond: requests / ((performance.now() - started) / 1_000), ...latency(latencies) }
}

function bytesOf(kind: Load['kind'], run: string, requests: number): Buffer[] {
  if (typeof kind === 'string') return requestsOf(kind, run, requests)
  return 'get' in kind ? kind.get.map(getRequest) : kind.post.map((address) => formRequest(address, kind.form, kind.authorization))
}

process.on('message', async (load: Load) => {
  process.send!(await measure(load))
  process.exit(0)
})
