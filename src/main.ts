// Wires the parts, listens, and stops in order.

import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { type Clock, SystemClock } from './engine/clock.ts'
import { Engine } from './engine/engine.ts'
import { type Fresh, SystemFresh } from './engine/fresh.ts'
import type { Store } from './engine/store.ts'
import { type TaskHandler, TaskRunner } from './engine/tasks.ts'
import type { Edge } from './http/edge.ts'
import { MerchantKeys } from './http/merchant-keys.ts'
import { Metrics } from './http/metrics.ts'
import { orderHandlers } from './http/order-routes.ts'
import { PromotionCache } from './http/promotion-cache.ts'
import { promotionHandlers } from './http/promotion-routes.ts'
import { buildServer } from './http/server.ts'
import { signInHandlers } from './http/signin-routes.ts'
import { subscriptionHandlers } from './http/subscription-routes.ts'
import { orderExpiry, signatureForgetting } from './http/sweeps.ts'
import { HttpMessenger } from './messenger/http.ts'
import { InboxMessenger } from './messenger/inbox.ts'
import type { Messenger } from './messenger/messenger.ts'
import { otpMessage } from './messenger/otp-message.ts'
import { SandboxClock } from './sandbox/clock.ts'
import { addInboxRoute } from './sandbox/inbox.ts'
import { addSandboxRoutes } from './sandbox/routes.ts'
import { demoWorld, loadWorld, readWorld, type World } from './sandbox/world.ts'
import { SettingError, type Settings } from './settings.ts'
import { openStore } from './store/open.ts'
import type { Vault } from './store/vault.ts'

const DRAIN_MS = 10_000 // requests under way at a stop; longer ones are cut off
const LAST_REPLIES_MS = 50 // for the replies of a batch whose COMMIT failed
const EXIT_COMMIT_UNKNOWN = 70 // EX_SOFTWARE: a supervisor starts the process again, and recovery reads the truth

export interface Running {
  url: string
  edge: Edge
  store: Store
  tasks: TaskRunner
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
  const opened = await openStore(settings)
  const store = ports.store?.(opened.store) ?? opened.store
  const { vault } = opened
  for (const warning of opened.warnings) logger.warn(warning)
  const clock = ports.clock ?? new SystemClock()
  const fresh = ports.fresh ?? new SystemFresh()
  const metrics = new Metrics()

  let healthy = true
  const engine = new Engine(store, clock, fresh, {
    batch: (size) => metrics.batch(size),
    tasksAdded: () => tasks.wake(),
    commitUnknown(error) {
      healthy = false
      logger.fatal({ error: { name: error.name, message: error.message } }, 'a COMMIT has an unknown outcome; stopping')
      void clock.sleep(LAST_REPLIES_MS).then(() => (ports.exit ?? process.exit)(EXIT_COMMIT_UNKNOWN))
    },
  })
  const edge = edgeOf(engine, store, clock, fresh, vault)
  const messenger = messengerFor(settings, store, clock)
  const givenUp = (message: string) => logger.error({ message }, 'a one-time password could not be sent')
  const taskHandlers: Record<string, TaskHandler> = { 'otp-message.due': otpMessage({ engine, clock, messenger, givenUp }) }
  const tasks = new TaskRunner(store, clock, taskHandlers, [orderExpiry(edge), signatureForgetting(edge)], (task, error) =>
    logger.error({ task, error: { name: error.name, message: error.message } }, 'a task failed and will be tried again'),
  )
  const signIn = { settings: settings.signIn, canSend: messenger !== undefined }
  const isReady = () =>
    store.ping().then(
      () => healthy,
      () => false,
    )
  const handlers = { ...orderHandlers(edge), ...promotionHandlers(edge), ...signInHandlers(edge, signIn), ...subscriptionHandlers(edge) }
  const server = buildServer({ handlers, clock, logger, trustedProxies: settings.trustedProxies, metrics, isReady })
  let stopFollowing = () => {}
  try {
    await prepareWorld(settings, opened.store, vault, ports.world)
    if (settings.mode === 'sandbox') {
      const sandboxClock = new SandboxClock(store, clock, tasks)
      stopFollowing = await sandboxClock.follow()
      addSandboxRoutes(server, { store, vault, clock: sandboxClock, forget: () => forget(edge) })
      addInboxRoute(server, { query: store.query, settle: () => tasks.runDue() })
    }
    await listen(server, settings)
  } catch (error) {
    stopFollowing()
    await store.close()
    throw error
  }
  tasks.start()
  const { port } = server.server.address() as AddressInfo
  return {
    url: settings.publicUrl ?? `http://${settings.host.includes(':') ? `[${settings.host}]` : settings.host}:${port}`,
    edge,
    store,
    tasks,
    async close() {
      const cutOff = setTimeout(() => server.server.closeAllConnections(), DRAIN_MS)
      await server.close()
      clearTimeout(cutOff)
      stopFollowing()
      await tasks.stop()
      await store.close()
    },
  }
}

/** Undefined in production without a provider: Send OTP then answers its system error. */
function messengerFor({ sms, mode }: Settings, store: Store, clock: Clock): Messenger | undefined {
  if (sms) return new HttpMessenger(sms)
  return mode === 'sandbox' ? new InboxMessenger(store, clock) : undefined
}

async function listen(server: FastifyInstance, { port, host }: Settings) {
  try {
    await server.listen({ port, host })
  } catch (error) {
    if ((error as { code?: string }).code !== 'EADDRINUSE') throw error
    throw new SettingError(`port ${port} on ${host} is taken; set PORT to another (0 for any free one)`)
  }
}

function edgeOf(engine: Engine, store: Store, clock: Clock, fresh: Fresh, vault: Vault): Edge {
  const { query } = store
  const merchantKeys = new MerchantKeys(query, clock, fresh)
  return { engine, query, clock, fresh, vault, merchantKeys, promotions: new PromotionCache(query, clock) }
}

/** What is remembered for five seconds is read anew after a change in this process. */
function forget({ merchantKeys, promotions }: Edge) {
  merchantKeys.forget()
  promotions.forget()
}

async function prepareWorld(settings: Settings, store: Store, vault: Vault, given: World | undefined) {
  const defaults = { signedModify: settings.mode === 'production' ? ('amount' as const) : ('optional' as const) }
  const world = given ?? (settings.world ? readWorldFile(settings.world) : settings.mode === 'sandbox' ? demoWorld : undefined)
  if (world) await loadWorld(store, vault, world, defaults)
  const merchants = await store.query.rows({ find: 'merchants', limit: 1 })
  if (settings.mode === 'production' && merchants.length === 0)
    throw new SettingError('production needs a merchant: `mohur merchant add` makes one')
}

function readWorldFile(file: string): World {
  let text: unknown
  try {
    text = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new SettingError(`MOHUR_WORLD: ${file} cannot be read as JSON (${(error as Error).message.slice(0, 80)})`)
  }
  return readWorld(text)
}
