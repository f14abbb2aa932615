// A hundred thousand tasks that are due at once, as after a night without a process. Measures whether the engine finds the first as quickly
// as the last. It runs once in this process with its own runner, and once as notifications to two hundred hosts.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { notify } from '../src/domain/notification/notification.ts'
import { SystemClock } from '../src/engine/clock.ts'
import { operation } from '../src/engine/decision.ts'
import { Engine } from '../src/engine/engine.ts'
import { SystemRandom } from '../src/engine/random.ts'
import { TaskRunner } from '../src/engine/tasks.ts'
import type { Figure, Options } from './bench.ts'
import { fill, openStore } from './fill.ts'
import { newFolder, serveMohur } from './processes.ts'
import { MID } from './requests.ts'

const DUE = 100_000
const PLACES = 64
const HOSTS = 200

export async function due({ orders = DUE }: Options): Promise<Figure[]> {
  const what = (how: string) => `${orders.toLocaleString('en')} due, ${how}, SQLite: rate of the first tenth ÷ of the last`
  const bar = { atLeast: 0.8 }
  return [
    { what: what('in one process'), figure: await inProcess(orders), unit: 'ratio', bar },
    { what: what(`to ${HOSTS} hosts`), figure: await delivered(orders), unit: 'ratio', bar },
  ]
}

const done = { operation: 'did', name: 'done', code: '', status: 'S', message: '', rank: 0 } as const
const did = operation({
  name: 'did',
  codes: { done },
  reads: (_: object) => ({}),
  decide: () => ({ reply: { result: done }, changes: [], events: [], tasks: [] }),
})

async function inProcess(count: number): Promise<number> {
  const place = { folder: newFolder() }
  await fill(place, count, (at) => ({
    changes: [],
    tasks: [{ kind: 'add', task: 'counted.due', subject: String(at).padStart(8, '0'), dueAt: at, payload: {} }],
  }))
  const store = await openStore(place)
  const clock = new SystemClock()
  const engine = new Engine(store, clock, new SystemRandom())
  const all = Promise.withResolvers<void>()
  const times: number[] = []
  const handlers = {
    'counted.due': async (_: unknown, lease: Parameters<typeof engine.submit>[2]) => {
      await engine.submit(did, {}, lease)
      times.push(performance.now())
      if (times.length === count) all.resolve()
    },
  }
  const runner = new TaskRunner(store, clock, [{ places: PLACES, handlers }], [], (_, error) => all.reject(error))
  runner.start()
  runner.wake()
  await all.promise
  await runner.stop()
  await store.close()
  return firstToLast(times)
}

async function delivered(count: number): Promise<number> {
  const times: number[] = []
  const all = Promise.withResolvers<void>()
  const receiver = createServer((request, reply) => {
    request.resume().on('end', () => {
      reply.end()
      times.push(performance.now())
      if (times.length === count) all.resolve()
    })
  }).listen(0, '0.0.0.0') // every address of the loopback network is this machine
  await once(receiver, 'listening')
  const { port } = receiver.address() as AddressInfo
  const place = { folder: newFolder() }
  const nobody = { merchant: undefined, merchantStream: undefined, peonStream: undefined }
  await fill(place, count, (at) => {
    const order = { mid: MID, orderId: `DUE-${at}`, peonUrl: `http://127.0.1.${1 + (at % HOSTS)}:${port}/notify` }
    const content = { mid: MID, orderId: order.orderId, status: 'TXN_SUCCESS', txnAmount: '1.00' }
    return notify({ order, event: `order|${order.orderId}|1`, content }, nobody, at)
  })
  const served = await serveMohur(place)
  await all.promise
  await served.stop()
  receiver.closeAllConnections()
  receiver.close()
  return firstToLast(times)
}

function firstToLast(times: readonly number[]): number {
  const tenth = times.length / 10
  const took = (from: number) => times[from + tenth - 1]! - times[from]!
  return took(times.length - tenth) / took(0)
}
