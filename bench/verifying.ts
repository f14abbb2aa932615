// `mohur verify` over a million paid orders of the embedded store, with every row that a payment leaves. With `--against FOLDER` also by
// another checkout, over payments of its own.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Figure, Options } from './bench.ts'
import { figureOf, inPairs } from './pairs.ts'
import { MASTER_KEY } from './processes.ts'
import { paidStore } from './stored.ts'

const PAYMENTS = 1_000_000
const ROUNDS = 3

export async function verifying({ checkout, against, orders = PAYMENTS, rounds = ROUNDS }: Options): Promise<Figure[]> {
  const pairs = await inPairs(
    { checkout, against, rounds },
    async (checkout): Promise<Filled> => ({ checkout, folder: await paidStore(checkout, orders), stop: async () => {} }),
    secondsOf,
    (seconds) => `${seconds.toFixed(1)} s`,
  )
  return [figureOf(`verify of ${orders} payments, SQLite`, 's', pairs, (seconds) => seconds, { ratioBar: { atMost: 1.05 } })]
}

interface Filled {
  checkout: string
  folder: string
  stop(): Promise<void>
}

/** An invariant that is broken ends the bench, because the figure would be of something else. */
async function secondsOf({ checkout, folder }: Filled): Promise<number> {
  const began = performance.now()
  const verify = spawn(process.execPath, [join(checkout, 'bin/mohur.mjs'), 'verify'], {
    env: { ...process.env, MOHUR_DATA: folder, MOHUR_MASTER_KEY: MASTER_KEY, DATABASE_URL: '' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = await once(verify, 'exit')
  if (code !== 0) throw new Error(`verify ended with ${code}`)
  return (performance.now() - began) / 1_000
}
