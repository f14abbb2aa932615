// A service with payments day and night, at a rate that it can bear: `soak.ts [--minutes 30] [--per-second 300] [--store sqlite|postgres]`.
// Payments begin at fixed times. Each minute its memory is printed and every notification is checked; at the end, every invariant of its
// store. Exits with 1 when a check fails. It also does so when memory grew by more than a twentieth from the third tenth of the time to the
// last.

import { parseArgs } from 'node:util'
import { median } from '../../bench/numbers.ts'
import { payLoad, residentMb, serveMohur } from '../../bench/processes.ts'
import { storesOf, withStore } from '../../bench/stores.ts'
import { lineOf, verify } from '../../src/verify/verify.ts'

const SAMPLE_MS = 5_000
const GROWTH_MAX = 1.05

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    'per-second': { type: 'string', default: '300' },
    store: { type: 'string', default: 'sqlite' },
  },
})
const [minutes, perSecond] = [Number(values.minutes), Number(values['per-second'])]

for (const store of storesOf(values.store)) {
  await withStore(store, async ({ newPlace }) => {
    const place = await newPlace()
    const served = await serveMohur(place)
    const samples: number[] = []
    const timer = setInterval(() => samples.push(residentMb(served.pid)), SAMPLE_MS)
    for (let minute = 0; minute < Math.ceil(minutes); minute++) {
      // A new generator each minute keeps the number of posts to check small.
      const orders = Math.round(perSecond * 60 * Math.min(1, minutes - minute))
      const { pay, behind } = await payLoad({
        ...{ port: served.port, pid: served.pid, connections: 64, orders, run: `M${minute}` },
        ...{ order: 'open loop', beginPerSecond: perSecond, warmUp: 0 },
      })
      const waited = `pay ${pay.p50Ms.toFixed(0)} / ${pay.p99Ms.toFixed(0)} ms, told ${behind.p50Ms.toFixed(0)} / ${behind.p99Ms.toFixed(0)} ms later`
      console.log(`${store}, minute ${minute + 1}: ${residentMb(served.pid).toFixed(0)} MB, ${waited}`)
    }
    clearInterval(timer)
    await served.stop()

    const tenth = (number: number) =>
      median(samples.slice(Math.floor((samples.length * (number - 1)) / 10), Math.ceil((samples.length * number) / 10)))
    const growth = tenth(10) / tenth(3)
    const invariants = await verify({ dataFolder: place.folder, databaseUrl: place.databaseUrl })
    const broken = invariants.filter(({ breaches }) => breaches > 0)
    for (const each of broken) console.log(lineOf(each))
    console.log(
      `${store}: memory of the last tenth ÷ of the third ${growth.toFixed(3)}, ${broken.length} of ${invariants.length} invariants broken`,
    )
    if (broken.length > 0 || !(growth <= GROWTH_MAX)) process.exitCode = 1
  })
}
