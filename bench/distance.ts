// PostgreSQL a millisecond away in each direction, beside the same proxy without delay.

import type { Figure, Options } from './bench.ts'
import { median } from './numbers.ts'
import { payLoad, serveMohur, serveProxy } from './processes.ts'
import { withStore } from './stores.ts'

const CONNECTIONS = 64
const ORDERS = 3_000
const ROUNDS = 4
const DELAY_MS = 1

export const distance = ({ checkout, orders = ORDERS, rounds = ROUNDS }: Options): Promise<Figure[]> =>
  withStore('postgres', async ({ newPlace }) => {
    const start = async (delayMs: number) => {
      const place = await newPlace()
      const proxy = await serveProxy(place.databaseUrl!, delayMs)
      return { proxy, served: await serveMohur({ ...place, checkout, databaseUrl: proxy.databaseUrl }) }
    }
    const [near, far] = [await start(0), await start(DELAY_MS)]
    const ratios: { create: number; pay: number }[] = []
    for (let round = 0; round < rounds; round++) {
      const run = ({ served: { port, pid } }: typeof near) =>
        payLoad({ port, pid, connections: CONNECTIONS, orders, run: `F${round}`, order: 'create, then pay' })
      const measured = { near: await run(near), far: await run(far) }
      ratios.push({
        create: measured.far.create.perSecond / measured.near.create.perSecond,
        pay: measured.far.pay.perSecond / measured.near.pay.perSecond,
      })
    }
    for (const { proxy, served } of [near, far]) {
      await served.stop()
      await proxy.stop()
    }
    const what = (step: string) => `${step}, PostgreSQL with ${DELAY_MS} ms each way ÷ with 0`
    return [
      { what: what('create'), figure: median(ratios.map(({ create }) => create)), unit: 'ratio', bar: { atLeast: 0.45 } },
      { what: what('pay'), figure: median(ratios.map(({ pay }) => pay)), unit: 'ratio', bar: { atLeast: 0.75 } },
    ]
  })
