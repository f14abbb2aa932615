// What the loops of this folder share: a store of their own, statements on it, the settling at the end, and the command line.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { openPostgres, openSqlite } from '../../src/adapters/store/database.ts'
import { verify } from '../../src/verify/verify.ts'
import type { ServedProcess } from '../support/run/process.ts'
import type { StoreName } from '../support/run/service.ts'
import { sharedPostgres, startPostgres, urlVariable } from '../support/store/postgres.ts'

const ROUNDS_SETTLING = 3
export const MASTER_KEY = Buffer.alloc(32, 3)

export interface Place {
  store: StoreName
  folder: string
  databaseUrl: string
}

/** A new store for `work`, in the server that runs the tests or in a new durable one. Both are gone afterwards. */
export async function inPlace<T>(store: StoreName, name: string, work: (place: Place) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), `mohur-${name}-`))
  const own = store === 'postgres' && !process.env[urlVariable]
  const postgres = store === 'postgres' ? await (own ? startPostgres() : sharedPostgres()) : undefined
  try {
    return await work({ store, folder, databaseUrl: (await postgres?.createDatabase()) ?? '' })
  } finally {
    if (own) await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Settings of a service on this store. */
export const settingsOf = ({ folder, databaseUrl }: Place) => ({
  ...{ MOHUR_DATA: folder, DATABASE_URL: databaseUrl, MOHUR_LOG: 'silent' },
  MOHUR_MASTER_KEY: MASTER_KEY.toString('base64'),
})

/** For the caller to close. `file` is another file of the embedded store. */
export const openPlace = ({ store, folder, databaseUrl }: Place, file = 'mohur.sqlite') =>
  store === 'postgres' ? openPostgres(databaseUrl) : openSqlite(join(folder, file))

export type Rows = <T>(statement: string) => Promise<T[]>

/** Statements on the service's database, or in another file beside it, while no process has it open. */
export async function within<T>(place: Place, work: (rows: Rows) => Promise<T>, file?: string): Promise<T> {
  const database = openPlace(place, file)
  try {
    return await work(async <R>(statement: string) => (await sql.raw<R>(statement).execute(database.writer)).rows)
  } finally {
    await database.close()
  }
}

/** Ends the leases of dead processes, as half a minute would. */
export const endLeases = (place: Place) => within(place, (rows) => rows('update tasks set lease_until = 0'))

/** Ends the leases, moves time by eight days and runs all due work, three times. */
export async function settle(place: Place, serve: () => Promise<ServedProcess>) {
  for (let round = 0; round < ROUNDS_SETTLING; round++) {
    await endLeases(place)
    const service = await serve()
    try {
      const headers = { 'content-type': 'application/json' }
      const moved = await fetch(`${service.url}/sandbox/clock`, { method: 'POST', headers, body: JSON.stringify({ advance: 'P8D' }) })
      if (moved.status !== 200) throw new Error(`the clock did not move: ${await moved.text()}`)
    } finally {
      await service.kill('SIGTERM')
    }
  }
}

/** The invariants that `mohur verify` finds broken. */
export async function breachesIn({ databaseUrl }: Place, dataFolder: string): Promise<string[]> {
  const verdicts = await verify({ dataFolder, databaseUrl: databaseUrl || undefined })
  return verdicts.filter(({ first }) => first !== undefined).map(({ id }) => id)
}

/**
 * The command of a loop's file: `--store`, `--seed`, and the numbers that `defaults` names. Prints the figures, and ends with 1 unless they
 * are sound.
 */
export async function fromShell<Names extends string, Figures>(
  defaults: Readonly<Record<Names, number>>,
  loop: (store: StoreName, seed: number, numbers: Record<Names, number>) => Promise<Figures>,
  isSound: (figures: Figures) => boolean,
) {
  const names = Object.keys(defaults) as Names[]
  const string = { type: 'string' } as const
  const options = Object.fromEntries(['store', 'seed', ...names].map((name) => [name, string]))
  const { store = 'sqlite', seed = Date.now() % 1e9, ...given } = parseArgs({ options }).values as Record<string, string | undefined>
  if (store !== 'sqlite' && store !== 'postgres') throw new Error('--store is sqlite or postgres')
  const numbers = Object.fromEntries(names.map((name) => [name, Number(given[name] ?? defaults[name])])) as Record<Names, number>
  const figures = await loop(store, Number(seed), numbers)
  console.log(JSON.stringify(figures))
  process.exitCode = isSound(figures) ? 0 : 1
}
