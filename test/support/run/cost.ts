// What a request costs the process that answers it: SECURITY.md, "Bounds of one request".

import { monitorEventLoopDelay } from 'node:perf_hooks'

/** For the whole request with its client, which is in this process. A busy machine is slower than the 50 ms that a block may last. */
export const CPU_MS_MAX = 150

/** The best of three runs, because other tests share the processors. */
export async function costOf(ask: () => Promise<Response>) {
  let cost = await onceCostOf(ask)
  for (let more = 0; more < 2 && cost.cpuMs > CPU_MS_MAX; more++) cost = await onceCostOf(ask)
  return cost
}

/** The processor time of this thread, and the longest time in which this process answered no request. */
async function onceCostOf(ask: () => Promise<Response>) {
  const blocks = monitorEventLoopDelay({ resolution: 1 })
  blocks.enable()
  const before = process.threadCpuUsage()
  const response = await ask()
  const text = await response.text()
  const { user, system } = process.threadCpuUsage(before)
  blocks.disable()
  return { text, status: response.status, cpuMs: (user + system) / 1_000, blockMs: blocks.max / 1_000_000 }
}
