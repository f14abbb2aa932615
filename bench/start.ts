// The time from the start of the process, through bin as an operator starts it, to the first answer: with an empty folder, and again. Also
// the memory of the idle process.

import type { Figure, Options } from './bench.ts'
import { inPairs, medianNow, ratios } from './pairs.ts'
import { cpuSeconds, newFolder, residentMb, serveMohur, sleep } from './processes.ts'

const ROUNDS = 7
const IDLE_MS = 5_000

export async function startAndMemory({ checkout, against, rounds = ROUNDS }: Options): Promise<Figure[]> {
  const pairs = await inPairs(
    { checkout, against, rounds },
    async (checkout) => ({ checkout, stop: async () => {} }),
    async ({ checkout }) => {
      const folder = newFolder()
      const first = await start(folder, checkout)
      await first.served.stop()
      const warm = await start(folder, checkout)
      await sleep(IDLE_MS)
      const idleMb = residentMb(warm.served.pid)
      await warm.served.stop()
      return { first: first.seconds, warm: warm.seconds, firstCpu: first.cpu, warmCpu: warm.cpu, idleMb }
    },
    ({ first, warm, firstCpu, warmCpu, idleMb }) =>
      `first ${first.toFixed(2)} s (${firstCpu.toFixed(2)} of processor), warm ${warm.toFixed(2)} s (${warmCpu.toFixed(2)}), ${idleMb.toFixed(0)} MB`,
  )
  return [
    { what: 'start to first answer, warm', figure: medianNow(pairs, ({ warm }) => warm), unit: 's', bar: { atMost: 0.33 } },
    { what: 'start to first answer, with an empty folder', figure: medianNow(pairs, ({ first }) => first), unit: 's' },
    ...ratios('start with an empty folder', pairs, ({ first }) => first, { atMost: 1.1 }),
    ...ratios('start with an empty folder, processor time', pairs, ({ firstCpu }) => firstCpu, { atMost: 1.02 }),
    ...ratios('start, warm, processor time', pairs, ({ warmCpu }) => warmCpu, { atMost: 1.02 }),
    { what: 'idle memory (resident)', figure: medianNow(pairs, ({ idleMb }) => idleMb), unit: 'MB', bar: { atMost: 120 } },
  ]
}

async function start(folder: string, checkout: string) {
  const started = performance.now()
  const served = await serveMohur({ folder, checkout })
  await (await fetch(`http://127.0.0.1:${served.port}/healthz`)).text()
  return { served, seconds: (performance.now() - started) / 1_000, cpu: cpuSeconds(served.pid) }
}
