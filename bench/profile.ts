// `node bin/run.mjs bench/profile.ts [--checkout FOLDER] [--store sqlite|postgres] [--orders N]`: where the service spends processor time
// while orders are made, paid and notified. Prints the ten functions in which samples found it most often.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CHECKOUT, checkoutAt, newFolder, payLoad, serveMohur } from './processes.ts'
import { STORES, storesOf, withStore } from './stores.ts'

const LARGEST = 10

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[]
  samples: number[]
  timeDeltas: number[]
}

const { values } = parseArgs({
  options: {
    checkout: { type: 'string', default: CHECKOUT },
    store: { type: 'string', default: 'both' },
    orders: { type: 'string', default: '5000' },
  },
})
const checkout = checkoutAt(values.checkout)
for (const store of storesOf(values.store)) {
  const folder = newFolder()
  await withStore(store, async ({ newPlace }) => {
    const environment = { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` }
    const { port, pid, stop } = await serveMohur({ ...(await newPlace()), checkout, environment })
    await payLoad({ port, pid, connections: 64, orders: Number(values.orders), run: 'P', order: 'both' })
    await stop()
  })
  const [file] = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))
  if (!file) throw new Error('the service left no profile')
  print(STORES[store], JSON.parse(readFileSync(join(folder, file), 'utf8')))
}

function print(store: string, { nodes, samples, timeDeltas }: Profile) {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]))
  const micros = new Map<string, number>()
  for (const [at, id] of samples.entries()) {
    const name = names.get(id)!
    micros.set(name, (micros.get(name) ?? 0) + timeDeltas[at]!)
  }
  micros.delete('(idle)')
  const all = [...micros.values()].reduce((sum, each) => sum + each, 0)
  console.log(`\n${store}, ${checkout}: ${(all / 1e6).toFixed(1)} s at work, ${values.orders} orders\n\n| Share | In |\n|---|---|`)
  const largest = [...micros].sort(([, a], [, b]) => b - a).slice(0, LARGEST)
  for (const [name, each] of largest) console.log(`| ${((100 * each) / all).toFixed(1)} % | ${name} |`)
}

function nameOf({ functionName, url, lineNumber }: Profile['nodes'][number]['callFrame']): string {
  const place = url.replace(/^file:\/\//, '').replace(`${checkout}/`, '')
  return `${functionName || 'anonymous'}${place && ` (${place}:${lineNumber + 1})`}`
}
