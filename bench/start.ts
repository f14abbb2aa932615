// From the start of the process to the first answer, and what the process holds when nobody asks for anything.

import type { Figure } from './bench.ts'
import { median } from './numbers.ts'
import { newFolder, residentMb, serveMohur, sleep } from './processes.ts'

const STARTS = 7
const IDLE_MS = 5_000

export async function startAndMemory(): Promise<Figure[]> {
  const folder = newFolder()
  const starts: number[] = []
  let idleMb = 0
  for (let at = 0; at < STARTS; at++) {
    const started = performance.now()
    const served = await serveMohur({ folder })
    await (await fetch(`http://127.0.0.1:${served.port}/healthz`)).text()
    starts.push((performance.now() - started) / 1_000)
    if (at === STARTS - 1) {
      await sleep(IDLE_MS)
      idleMb = residentMb(served.process.pid!)
    }
    await served.stop()
  }
  return [
    { what: 'start to first answer', figure: median(starts), unit: 's', bar: { atMost: 1 } },
    { what: 'idle memory (resident)', figure: idleMb, unit: 'MB', bar: { atMost: 150 } },
  ]
}
