// `node bin/run.mjs bench/one-payment.ts [--checkout FOLDER] [--store sqlite|postgres|both]`: the parts of one paid order, where each order
// is made, paid and notified alone. strace counts fsyncs and connections, a preload of node:crypto counts cipher objects, and the proxy
// counts journeys.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Postgres } from '../test/support/store/postgres.ts'
import { journeys } from './counts.ts'
import { oneByOne } from './one-by-one.ts'
import { CHECKOUT, checkoutAt, newFolder, serveMohur } from './processes.ts'
import { STORES, type StoreName, storesOf, withStore } from './stores.ts'

const WARM_UP = 20
const ORDERS = 20

const { values } = parseArgs({ options: { checkout: { type: 'string', default: CHECKOUT }, store: { type: 'string', default: 'both' } } })
const checkout = checkoutAt(values.checkout)
console.log(`For one paid order, the mean of ${ORDERS}, in ${checkout}:`)
for (const store of storesOf(values.store)) {
  const counted = await countedOn(store)
  if (store === 'postgres') {
    const { create, pay } = await journeys(checkout)
    Object.assign(counted, { 'journeys of create': create, 'journeys of pay': pay })
  }
  for (const [what, count] of Object.entries(counted)) console.log(`${STORES[store]}: ${what} ${Number(count.toFixed(2))}`)
}

async function countedOn(store: StoreName): Promise<Record<string, number>> {
  return withStore(store, async ({ newPlace, postgres }) => {
    const file = join(newFolder(), 'crypto.json')
    const environment = { NODE_OPTIONS: `--import=${new URL('./count-crypto.mjs', import.meta.url).href}`, COUNT_CRYPTO_IN: file }
    const served = await serveMohur({ ...(await newPlace()), checkout, environment })
    const crypto = async (): Promise<Record<string, number>> => {
      rmSync(file, { force: true })
      served.process.kill('SIGUSR2')
      while (!existsSync(file)) await sleep(10)
      return JSON.parse(readFileSync(file, 'utf8'))
    }
    const shop = await oneByOne(served.port)
    await shop.run(WARM_UP)
    const before = await crypto()
    const calls = await traced([served.pid, ...(postgres ? processesOf(postgres) : [])], () => shop.run(ORDERS))
    const after = await crypto()
    shop.close()
    await served.stop()
    const made = Object.entries(after).map(([name, count]) => [name, count - before[name]!])
    const counted: [string, number][] = Object.entries({ ...calls, ...Object.fromEntries(made) })
    return Object.fromEntries(counted.map(([what, count]) => [what, count / ORDERS]))
  })
}

/** The system calls of these processes during `work`. */
async function traced(pids: readonly number[], work: () => Promise<unknown>): Promise<Record<string, number>> {
  if (spawnSync('strace', ['-V']).error) {
    console.log('strace is not installed (apt-get install strace): fsyncs and connections are not counted')
    await work()
    return {}
  }
  const file = join(newFolder(), 'strace.txt')
  const strace = spawn('strace', ['-f', '-e', 'trace=fsync,fdatasync,connect', '-o', file, ...pids.flatMap((pid) => ['-p', String(pid)])])
  const attached = Promise.withResolvers<void>()
  const waiting = new Set(pids)
  let said = ''
  strace.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
    for (const [, pid] of said.matchAll(/Process (\d+) attached/g)) waiting.delete(Number(pid))
    if (waiting.size === 0) attached.resolve()
  })
  const ended = once(strace, 'exit')
  void ended.then(() => attached.reject(new Error(`strace ended: ${said}`)))
  await attached.promise
  await work()
  strace.kill('SIGINT')
  await ended
  const lines = readFileSync(file, 'utf8').split('\n')
  const count = (call: RegExp) => lines.filter((line) => call.test(line)).length
  return { fsyncs: count(/ f(data)?sync\(/), 'connections opened': count(/ connect\(/) }
}

function processesOf({ dataFolder }: Postgres): number[] {
  const server = Number(readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n')[0])
  const children = readFileSync(`/proc/${server}/task/${server}/children`, 'utf8').split(' ').filter(Boolean)
  return [server, ...children.map(Number)]
}
