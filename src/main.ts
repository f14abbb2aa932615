// Wires the parts, listens, and stops in order.

import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pino } from 'pino'
import { SystemClock } from './engine/clock.ts'
import { Engine } from './engine/engine.ts'
import { type Fresh, SystemFresh } from './engine/fresh.ts'
import type { Store } from './engine/store.ts'
import type { Edge } from './http/edge.ts'
import { MerchantKeys } from './http/merchant-keys.ts'
import { Metrics } from './http/metrics.ts'
import { orderHandlers } from './http/order-routes.ts'
import { buildServer } from './http/server.ts'
import { demoWorld, loadWorld, readWorld, type World } from './sandbox/world.ts'
import { SettingError, type Settings } from './settings.ts'
import { openPostgres, openSqlite } from './store/database.ts'
import { migrate } from './store/migrate.ts'
import { SqlStore } from './store/sql-store.ts'
import { MASTER_KEY_BYTES, Vault } from './store/vault.ts'

const DRAIN_MS = 10_000 // requests under way at a stop; longer ones are cut off
const EXIT_COMMIT_UNKNOWN = 70 // EX_SOFTWARE: a supervisor starts the process again, and recovery reads the truth

export interface Running {
  url: string
  edge: Edge
  store: Store
  close(): Promise<void>
}

/** Ports that tests replace. */
export interface Ports {
  clock?: SystemClock
  fresh?: Fresh
  /** Wraps the store, to make it fail. */
  store?: (store: Store) => Store
  exit?: (code: number) => void
  world?: World
}

export async function start(settings: Settings, ports: Ports = {}): Promise<Running> {
  const logger = pino({ level: settings.logLevel, base: null })
  const { store, vault } = await openStore(settings, ports)
  const clock = ports.clock ?? new SystemClock()
  const fresh = ports.fresh ?? new SystemFresh()
  await prepareWorld(settings, store, vault, ports.world)

  const metrics = new Metrics()
  let healthy = true
  const stopAtOnce = (error: Error) => {
    healthy = false
    logger.fatal({ error: { name: error.name, message: error.message } }, 'a COMMIT has an unknown outcome; stopping')
    setTimeout(() => (ports.exit ?? process.exit)(EXIT_COMMIT_UNKNOWN), 50) // long enough for the replies of the batch to leave
  }
  const engine = new Engine(store, clock, fresh, { commitUnknown: stopAtOnce, batch: (size) => metrics.batch(size) })
  const edge: Edge = { engine, query: store.query, clock, fresh, vault, merchantKeys: new MerchantKeys(store.query, clock, fresh) }
  const isReady = () =>
    store.ping().then(
      () => healthy,
      () => false,
    )
  const server = buildServer({ handlers: orderHandlers(edge), logger, metrics, isReady })
  try {
    await server.listen({ port: settings.port, host: settings.host })
  } catch (error) {
    await store.close()
    if ((error as { code?: string }).code === 'EADDRINUSE')
      throw new SettingError(`port ${settings.port} on ${settings.host} is taken; set PORT to another (0 for any free one)`)
    throw error
  }
  const { port } = server.server.address() as AddressInfo
  return {
    url: settings.publicUrl ?? `http://${settings.host.includes(':') ? `[${settings.host}]` : settings.host}:${port}`,
    edge,
    store,
    async close() {
      const cutOff = setTimeout(() => server.server.closeAllConnections(), DRAIN_MS)
      await server.close()
      clearTimeout(cutOff)
      await store.close()
    },
  }
}

/** Opens and migrates the database that the settings name. */
export async function openStore(settings: Settings, ports: Ports = {}): Promise<{ store: Store; vault: Vault }> {
  const vault = new Vault(settings.masterKey ?? sandboxKey(settings))
  if (!settings.databaseUrl) mkdirSync(settings.dataFolder, { recursive: true, mode: 0o700 })
  const database = settings.databaseUrl ? openPostgres(settings.databaseUrl) : openSqlite(join(settings.dataFolder, 'mohur.sqlite'))
  await migrate(database)
  const store = new SqlStore(database, vault)
  return { store: ports.store?.(store) ?? store, vault }
}

/** The sandbox makes its own master key at the first start, readable by its owner only. */
function sandboxKey(settings: Settings): Buffer {
  if (settings.mode === 'production')
    throw new SettingError('MOHUR_MASTER_KEY is needed in production: 32 random bytes in base64, kept outside the database')
  mkdirSync(settings.dataFolder, { recursive: true, mode: 0o700 })
  const file = join(settings.dataFolder, 'master-key')
  try {
    writeFileSync(file, randomBytes(MASTER_KEY_BYTES).toString('base64'), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  }
  return Buffer.from(readFileSync(file, 'utf8'), 'base64')
}

async function prepareWorld(settings: Settings, store: Store, vault: Vault, given: World | undefined) {
  const defaults = { signedModify: settings.mode === 'production' ? ('amount' as const) : ('optional' as const) }
  const world =
    given ??
    (settings.world ? readWorld(JSON.parse(readFileSync(settings.world, 'utf8'))) : settings.mode === 'sandbox' ? demoWorld : undefined)
  if (world) await loadWorld(store, vault, world, defaults)
  const merchants = await store.query.rows({ find: 'merchants', limit: 1 })
  if (settings.mode === 'production' && merchants.length === 0)
    throw new SettingError('production needs a merchant: `mohur merchant add` makes one')
}
