// Requests that begin at fixed times, whether or not those before have ended.

import { Connection } from './connection.ts'
import { latency, median } from './numbers.ts'
import { sleep } from './processes.ts'
import { requestsOf } from './requests.ts'

export const CREATES_PER_SECOND = 300
const CREATES = 3_000

/** Begins at fixed times, whether or not the calls before have ended. Each time counts from the planned beginning. */
export async function openLoop(count: number, perSecond: number, work: (nth: number) => Promise<boolean>) {
  const ms = new Array<number>(count)
  let missed = 0
  const began = performance.now()
  const running = Array.from({ length: count }, async (_, nth) => {
    const due = (nth * 1_000) / perSecond
    await sleep(Math.max(0, began + due - performance.now()))
    if (!(await work(nth))) missed++
    ms[nth] = performance.now() - began - due
  })
  await Promise.all(running)
  return { ms, missed }
}

/**
 * Creates orders at a steady pace. Returns the middle one of the p99s of all seconds. A disk that stalls for a moment spoils one second; a
 * slowdown of every second shows.
 */
export const creates = async (port: number, run: string): Promise<number> =>
  median(bySecond(await createTimes(port, run)).map((second) => latency(second).p99Ms))

/** Creates orders at a steady pace. Returns the milliseconds of each, in the order in which they began. */
export async function createTimes(port: number, run: string): Promise<readonly number[]> {
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
  return ms
}

const bySecond = (ms: readonly number[]) =>
  Array.from({ length: Math.floor(ms.length / CREATES_PER_SECOND) }, (_, nth) =>
    ms.slice(nth * CREATES_PER_SECOND, (nth + 1) * CREATES_PER_SECOND),
  )
