// Requests that begin at fixed times, whatever becomes of those before.

import { Connection } from './connection.ts'
import { latency } from './numbers.ts'
import { sleep } from './processes.ts'
import { requestsOf } from './requests.ts'

export const CREATES_PER_SECOND = 300
const CREATES = 3_000

/** Begins at fixed times whatever becomes of those before; counted from the time at which each was to begin. */
export async function openLoop(count: number, perSecond: number, work: (nth: number) => Promise<boolean>) {
  const ms: number[] = []
  let missed = 0
  const began = performance.now()
  const running = Array.from({ length: count }, async (_, nth) => {
    const due = (nth * 1_000) / perSecond
    await sleep(Math.max(0, began + due - performance.now()))
    if (!(await work(nth))) missed++
    ms.push(performance.now() - began - due)
  })
  await Promise.all(running)
  return { ms, missed }
}

/** The p99 of orders that are created at a steady pace. */
export async function creates(port: number, run: string): Promise<number> {
  const bytes = requestsOf('createOrder', run, CREATES)
  const free: Connection[] = []
  const { ms, missed } = await openLoop(CREATES, CREATES_PER_SECOND, async (nth) => {
    const connection = free.pop() ?? new Connection(port)
    const reply = await connection.ask(bytes[nth]!)
    free.push(connection)
    return reply.includes('"0000"')
  })
  for (const connection of free) connection.close()
  if (missed > 0) throw new Error(`${missed} orders were refused`)
  return latency(ms).p99Ms
}
