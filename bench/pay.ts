// A paid order from end to end: created, paid by UPI at the sandbox's bank, and the merchant's endpoint has been told. On both
// stores, in alternating rounds.

import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { startPostgres } from '../test/support/postgres.ts'
import type { Figure } from './bench.ts'
import type { PayLoad, PayMeasured } from './pay-load.ts'
import { median, newFolder, type Served, serveMohur } from './processes.ts'

const CONNECTIONS = 64
const ORDERS = 3_000
const ROUNDS = 3
const WARM_UP = 1

export async function pay(): Promise<Figure[]> {
  const postgres = await startPostgres({ durable: true, settings: { min_wal_size: '1GB', max_wal_size: '4GB' } })
  const sqlite = await serveMohur({ folder: newFolder() })
  const onPostgres = await serveMohur({ folder: newFolder(), databaseUrl: await postgres.createDatabase() })
  const rounds: { sqlite: PayMeasured; postgres: PayMeasured }[] = []
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const measured = { sqlite: await run(sqlite, `S${round}`), postgres: await run(onPostgres, `P${round}`) }
    if (round >= WARM_UP) rounds.push(measured)
  }
  await Promise.all([sqlite.stop(), onPostgres.stop()])
  await postgres.stop()
  const over = (pick: (round: (typeof rounds)[number]) => number) => median(rounds.map(pick))
  return [
    { what: 'paid order (create, pay, notified), SQLite', figure: over(({ sqlite }) => sqlite.perSecond), unit: 'per second' },
    { what: 'create and pay, SQLite, p99', figure: over(({ sqlite }) => sqlite.p99Ms), unit: 'ms' },
    { what: 'paid order (create, pay, notified), PostgreSQL', figure: over(({ postgres }) => postgres.perSecond), unit: 'per second' },
    { what: 'create and pay, PostgreSQL, p99', figure: over(({ postgres }) => postgres.p99Ms), unit: 'ms' },
  ]
}

async function run({ port }: Served, name: string): Promise<PayMeasured> {
  const generator = fork(fileURLToPath(new URL('./pay-load.ts', import.meta.url)))
  return new Promise((resolve, reject) => {
    generator.once('message', (message) => resolve(message as PayMeasured))
    generator.once('exit', (code) => reject(new Error(`the load generator ended with ${code}`)))
    generator.send({ port, connections: CONNECTIONS, orders: ORDERS, run: name } satisfies PayLoad)
  })
}
