// Signed, durable create-order over HTTP on both stores, beside bare node:http that parses and echoes the same bytes.
// Rounds alternate, so that a busy machine slows all of them alike; the median of the rounds' ratios is what is told.

import { join } from 'node:path'
import { startPostgres } from '../test/support/postgres.ts'
import type { Figure, Options } from './bench.ts'
import type { Measured } from './load.ts'
import { median } from './numbers.ts'
import { ROOM_FOR_LOG } from './paid.ts'
import { CHECKOUT, load, newFolder, type Served, serve, serveMohur } from './processes.ts'

const CONNECTIONS = 64
const ORDERS = 60_000
const ROUNDS = 5
const WARM_UP = 2 // rounds that are not counted: the first requests compile the code

export async function createOrder({ orders = ORDERS, rounds: counted = ROUNDS }: Options): Promise<Figure[]> {
  const postgres = await startPostgres({ durable: true, settings: ROOM_FOR_LOG })
  const bare = await serve(join(CHECKOUT, 'bench/bare.ts'))
  const sqlite = await serveMohur({ folder: newFolder() })
  const onPostgres = await serveMohur({ folder: newFolder(), databaseUrl: await postgres.createDatabase() })
  const run = ({ port }: Served, name: string, expect: string) =>
    load({ port, connections: CONNECTIONS, requests: orders, kind: 'createOrder', run: name, expect })

  const rounds: { bare: Measured; sqlite: Measured; postgres: Measured }[] = []
  for (let round = 0; round < WARM_UP + counted; round++) {
    const measured = {
      bare: await run(bare, `B${round}`, '"requestType"'),
      sqlite: await run(sqlite, `S${round}`, '"0000"'),
      postgres: await run(onPostgres, `P${round}`, '"0000"'),
    }
    if (round >= WARM_UP) rounds.push(measured)
  }
  await Promise.all([bare.stop(), sqlite.stop(), onPostgres.stop()])
  await postgres.stop()

  const over = (pick: (round: (typeof rounds)[number]) => number) => median(rounds.map(pick))
  return [
    { what: 'bare node:http, 64 connections', figure: over(({ bare }) => bare.perSecond), unit: 'per second' },
    { what: 'create order, SQLite', figure: over(({ sqlite }) => sqlite.perSecond), unit: 'per second' },
    {
      what: 'create order, SQLite ÷ bare',
      figure: over(({ sqlite, bare }) => sqlite.perSecond / bare.perSecond),
      unit: 'ratio',
      bar: { atLeast: 0.3 },
    },
    { what: 'create order, SQLite, p50', figure: over(({ sqlite }) => sqlite.p50Ms), unit: 'ms' },
    { what: 'create order, SQLite, p99', figure: over(({ sqlite }) => sqlite.p99Ms), unit: 'ms', bar: { atMost: 25 } },
    { what: 'create order, PostgreSQL', figure: over(({ postgres }) => postgres.perSecond), unit: 'per second' },
    {
      what: 'create order, PostgreSQL ÷ bare',
      figure: over(({ postgres, bare }) => postgres.perSecond / bare.perSecond),
      unit: 'ratio',
      bar: { atLeast: 0.2 },
    },
    { what: 'create order, PostgreSQL, p99', figure: over(({ postgres }) => postgres.p99Ms), unit: 'ms', bar: { atMost: 25 } },
  ]
}
