// Orders one after the other on one connection. Each is notified before the next is made, so nothing runs beside one payer's path.

import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from './connection.ts'
import { nameEndpoint, startEndpoint } from './endpoint.ts'
import { shop } from './shop.ts'

const QUIET_MS = 100 // after each: by then the results of its notification are written

/** From the first byte of a request to the last of its answer, in milliseconds of the machine's clock, which all processes share. */
export interface Span {
  from: number
  to: number
}
export type Paths = readonly { create: Span; pay: Span }[]

export interface OneByOne {
  run(count: number): Promise<Paths>
  close(): void
}

export async function oneByOne(port: number): Promise<OneByOne> {
  const endpoint = await startEndpoint()
  await nameEndpoint(port, endpoint.url)
  const line = new Connection(port)
  let [runs, reported] = [0, 0]
  return {
    async run(count) {
      const orders = shop(`O${runs++}`, count)
      const paths: Paths[number][] = []
      for (let at = 0; at < count; at++) {
        const create = await span(() => orders.create(line, at))
        const pay = await span(() => orders.pay(line, at))
        paths.push({ create, pay })
        await endpoint.received(++reported)
        await sleep(QUIET_MS)
      }
      return paths
    },
    close() {
      line.close()
      endpoint.close()
    },
  }
}

async function span(work: () => Promise<void>): Promise<Span> {
  const from = machineMs()
  await work()
  return { from, to: machineMs() }
}

/** CLOCK_MONOTONIC, which begins with the machine. */
export function machineMs(): number {
  const [seconds, nanos] = process.hrtime()
  return seconds * 1e3 + nanos / 1e6
}
