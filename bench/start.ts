// The time from the start of the process, through bin as an operator starts it, to the first answer: with an empty folder, and again. Also
// the memory of the idle process.

import type { Figure, Options } from './bench.ts'
import { figureOf, inPairs } from './pairs.ts'
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
    figureOf('start to first answer, warm', 's', pairs, ({ warm }) => warm, { bar: { atMost: 0.33 } }),
    figureOf('start to first answer, with an empty folder', 's', pairs, ({ first }) => first, { ratioBar: { atMost: 1.1 } }),
    figureOf('start, warm: processor time', 's', pairs, ({ warmCpu }) => warmCpu, { ratioBar: { atMost: 1.02 } }),
    figureOf('start with an empty folder: processor time', 's', pairs, ({ firstCpu }) => firstCpu, { ratioBar: { atMost: 1.02 } }),
    figureOf('idle memory (resident)', 'MB', pairs, ({ idleMb }) => idleMb, { bar: { atMost: 120 } }),
  ]
}

async function start(folder: string, checkout: string) {
  const started = performance.now()
  const served = await serveMohur({ folder, checkout })
  await (await fetch(`http://127.0.0.1:${served.port}/healthz`)).text()
  return { served, seconds: (performance.now() - started) / 1_000, cpu: cpuSeconds(served.pid) }
}
