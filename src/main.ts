// Wires the parts, listens, and stops in order.

import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { type Logger, pino } from 'pino'
import { askJson, exchange } from './adapters/ask-json.ts'
import { Egress } from './adapters/delivery/egress.ts'
import { type BreakerEvents, CircuitBreaker } from './adapters/messenger/circuit-breaker.ts'
import { InboxMessenger } from './adapters/messenger/inbox.ts'
import type { Messenger } from './adapters/messenger/messenger.ts'
import { HttpMessenger } from './adapters/messenger/sms-http.ts'
import { acquirerLines, openAcquirer } from './adapters/open-acquirer.ts'
import { readReference } from './adapters/reference/read-reference.ts'
import { openAside } from './adapters/store/aside/aside.ts'
import { readBacklog } from './adapters/store/backlog.ts'
import { openStore } from './adapters/store/open.ts'
import type { Vault } from './adapters/store/vault.ts'
import { addAcquirerRoutes } from './api/acquirer-routes.ts'
import { apiParts, signInParts } from './api/kit/api-parts.ts'
import { addOpenapi } from './api/openapi-route.ts'
import { servedOperations } from './api/operations.ts'
import type { Passwords } from './console/kit/passwords.ts'
import { openConsole } from './console/routes.ts'
import type { KeptPages } from './docs/kept-pages.ts'
import { addDocs } from './docs/routes.ts'
import { type Clock, SystemClock } from './engine/clock.ts'
import { Engine, LeaseLost } from './engine/engine.ts'
import { loggedError } from './engine/logged-error.ts'
import { type Random, SystemRandom } from './engine/random.ts'
import type { Store } from './engine/store.ts'
import { TaskRunner } from './engine/tasks.ts'
import { acquirerEventHandler } from './flows/acquirer-event.ts'
import { dueWork } from './flows/due-work.ts'
import { mandateLink } from './flows/mandate-link.ts'
import { MerchantKeys } from './flows/merchant-keys.ts'
import type { Ports } from './flows/ports.ts'
import { PromotionCache } from './flows/promotion-cache.ts'
import { onCommitUnknown } from './http/commit-unknown.ts'
import { Metrics } from './http/metrics.ts'
import { Readiness } from './http/readiness.ts'
import { buildServer } from './http/server.ts'
import { own } from './own.ts'
import { readAssets } from './pages/kit/assets.ts'
import { addLoader } from './pages/loader/routes.ts'
import { addMandatePages } from './pages/mandate/routes.ts'
import { addBankRedirect } from './pages/payment/bank-redirect.ts'
import { addReturnPage } from './pages/payment/return-page.ts'
import { addPages } from './pages/payment/routes.ts'
import { addShopForms } from './pages/payment/shop-forms.ts'
import type { Reference } from './reference/reference.ts'
import { MOVE_MAX_MS, SandboxClock } from './sandbox/clock.ts'
import { addSandbox, forget, type SandboxParts } from './sandbox/routes.ts'
import { demoWorld, demoWorldAt, loadWorld, readWorld, refuseUndeliverable, type World, WorldError } from './sandbox/world.ts'
import { AddressError, SettingError, type Settings, warningsOf } from './settings.ts'

const DRAIN_MS = 10_000 // how long requests and deliveries under way may take at a stop; then they are cut off
const LOG_KEPT_BYTES = 1024 * 1024 // Mohur's choice, docs/operating/watch.md: lines that wait while standard output takes none
const EXIT_COMMIT_UNKNOWN = 70 // docs/operating/commands.md, "Exit codes": a supervisor starts the process again, and recovery reads the truth

export interface Running {
  url: string
  ports: Ports
  store: Store
  tasks: TaskRunner
  /**
   * Requests that were read are answered first. A client with an idle connection may send one more within `graceMs`. The store stays open
   * until `others` have ended too.
   */
  close(graceMs?: number, others?: Promise<unknown>): Promise<void>
}

/** Ports that tests replace. */
export interface ReplacedPorts {
  clock?: SystemClock
  fresh?: Random
  /** Wraps the store, to make it fail. */
  store?: (store: Store) => Store
  exit?: (code: number) => void
  world?: World
  passwords?: Passwords
}

export async function start(settings: Settings, replaced: ReplacedPorts = {}): Promise<Running> {
  const logger = pino({ level: settings.logLevel, base: null }, standardOutput())
  let port = 0
  const ownUrl = () => urlOf(REACHED_AT.get(settings.host) ?? settings.host, port)
  const publicUrl = () => settings.publicUrl ?? urlOf(settings.host, port)
  const inside = await wire(settings, replaced, logger, publicUrl)
  const { ports, store, tasks, bank, egress, onEvent, metrics, readiness } = inside
  const { clock, fresh, vault } = ports
  const signIn = signInParts(settings.signIn, inside.messenger !== undefined, ports, () => inside.metrics.message('ceiling'))
  const ofApi = apiParts(ports, signIn)
  const { trustedProxies, connections } = settings
  const limits = { trustedProxies, connections, isReady: () => readiness.isReady() }
  const { server, stop } = buildServer({ operations: servedOperations(ofApi), clock, fresh, logger, metrics, ...limits })
  const assets = readAssets()
  const closeStores = closing(bank, inside.aside, store)
  let stopFollowing = () => {}
  try {
    const sandboxClock = settings.mode === 'sandbox' ? new SandboxClock(store, inside.clock, tasks, () => metrics.replies) : undefined
    stopFollowing = (await sandboxClock?.follow(() => forget(ports))) ?? stopFollowing
    const now = inside.clock.now() // read after `follow`, which takes over the clock's stored offset
    const prepare = () => prepareWorld(settings, inside.unwrapped, vault, { given: replaced.world, now, publicUrl })
    port = settings.port
    for (const warning of await prepare()) logger.warn(warning)
    const opened = {
      ownUrl,
      assets,
      logger,
      hasInbox: settings.sms === undefined,
      world: () => worldOf(settings, replaced.world, publicUrl())!,
    }
    const drawer = sandboxClock && (await openSandbox(server, inside, { ...opened, clock: sandboxClock }))
    const shown = { ...ofApi, assets, isSandbox: sandboxClock !== undefined, hasPhone: bank.sandbox !== undefined, drawer }
    const pages = { ...shown, grievanceUrl: settings.grievanceUrl, logger, reported: () => metrics.pageReported() }
    for (const add of [addReturnPage, addBankRedirect, addPages, addShopForms, addLoader, addMandatePages]) add(server, pages)
    const docs = { ...(await docsParts(ports, sandboxClock !== undefined, ownUrl)), assets, logger, url: publicUrl }
    if (sandboxClock || settings.hasDocs) for (const add of [addDocs, addOpenapi]) add(server, docs)
    openConsole(server, settings, { ports, aside: inside.aside.query, passwords: replaced.passwords, assets, logger, publicUrl })
    addAcquirerRoutes(server, settings, { clock, logger, onEvent })
    await listen(server, settings)
    port = (server.server.address() as AddressInfo).port
    if (settings.port === 0 && !settings.world && !replaced.world) await prepare() // the demo world names this service's own address
  } catch (error) {
    stopFollowing()
    await closeStores()
    throw error
  }
  tasks.start()
  return {
    url: urlOf(settings.host, port),
    ports,
    store,
    tasks,
    async close(graceMs = 0, others) {
      readiness.end()
      const cutOff = setTimeout(() => {
        server.server.closeAllConnections()
        egress.close()
        if (settings.acquirer ?? settings.cashfree) void bank.close()
      }, DRAIN_MS)
      await stop(graceMs)
      stopFollowing()
      const [tasksFinished] = await Promise.all([tasks.stop(), others])
      clearTimeout(cutOff)
      egress.close()
      await closeStores()
      logger.info({ tasksFinished }, 'stopped: requests were answered, and running tasks have finished; others begin at the next start')
    },
  }
}

/**
 * Writes each line at once. If the disk is full, or the reader is gone or stands still, lines wait until the next line is written. Beyond
 * `LOG_KEPT_BYTES` lines are dropped, because payments need no log.
 * Writes are synchronous: otherwise pino would try for ever to write the last lines while the process ends. A write still never blocks,
 * because `process.stdout` has set pipes and terminals to refuse instead.
 */
function standardOutput() {
  const output = pino.destination({ dest: process.stdout.fd, sync: true, maxLength: LOG_KEPT_BYTES, retryEAGAIN: () => false })
  return output.on('error', () => {})
}

/** Everything behind the server: store, engine, acquirer, due work, and the ports of the routes. */
async function wire(settings: Settings, replaced: ReplacedPorts, logger: Logger, publicUrl: () => string) {
  const lists = readReference(settings.reference)
  const { store: unwrapped, database, vault, warnings } = await openStore(settings)
  const store = replaced.store?.(unwrapped) ?? unwrapped
  for (const warning of [...warnings, ...warningsOf(settings)]) logger.warn(warning)
  const [clock, fresh] = [replaced.clock ?? new SystemClock(), replaced.fresh ?? new SystemRandom()]
  const metrics = new Metrics(clock)
  const readiness = new Readiness(store, clock)
  const engine = new Engine(store, clock, fresh, {
    batch: (size) => metrics.batch(size),
    lease: (added, from) => tasks.lease(added, from),
    tasksAdded: () => tasks.wake(),
    committed: (writes) => metrics.work.committed(writes),
    commitUnknown: onCommitUnknown({ logger, clock, readiness, exit: () => (replaced.exit ?? process.exit)(EXIT_COMMIT_UNKNOWN) }),
  })
  const failed = (task: string, error: Error) => {
    // The process with the new lease does the work, so nothing went wrong.
    if (error instanceof LeaseLost) return logger.debug({ task }, 'a lease was lost')
    logger.error({ task, error: loggedError(error) }, 'a task failed and will be tried again')
  }
  const askingFailed = (error: Error) => failed('acquirer.webhook', error)
  const onEvent = acquirerEventHandler(
    { engine, clock, query: store.query, reference: lists, acquirer: () => ports.acquirer() },
    () => tasks,
    askingFailed,
  )
  const bank = await openAcquirer(settings, database, {
    clock,
    fresh,
    publicUrl,
    onEvent: (key) => void onEvent(key).catch(askingFailed),
    reference: lists,
    ...acquirerLines(logger),
  })
  const acquirer = bank.acquirer && metrics.work.watching(bank.acquirer)
  const reference = { ...lists, ...(acquirer?.takes && { taken: acquirer.takes }) }
  metrics.work.backlog((now) => readBacklog(database, now))
  metrics.work.signatures(() => ports.merchantKeys.uses.all())
  const ports: Ports = {
    ...portsOf(engine, store, clock, fresh, vault, reference),
    acquirer: () => acquirer ?? absent('no acquirer is connected'),
    collected: async () => (acquirer?.mandates ? acquirer.mandates.modes() : []),
    follow: (work) => tasks.follow(work),
    isStopping: () => readiness.isOver,
    publicUrl,
    allowsUrl: (url) => egress.allows(url),
  }
  const messenger = messengerFor(settings, store, clock, {
    delivered: (outcome) => metrics.message(outcome),
    leftAlone(isLeftAlone) {
      metrics.providerLeftAlone(isLeftAlone)
      logger.warn(isLeftAlone ? 'the message provider does not answer; it is tried every 5 seconds' : 'the message provider answers again')
    },
  })
  // Payers' messages have their own breaker: a fault with them must not delay one-time passwords.
  const forPayers = messengerFor(settings, store, clock, { delivered: (outcome) => metrics.message(outcome), leftAlone() {} })
  const payers = { messenger: forPayers, grievanceUrl: settings.grievanceUrl, linkOf: mandateLink(ports) }
  const egress = new Egress(settings.mode)
  const { lanes, sweeps } = dueWork(ports, {
    messenger,
    payers,
    egress,
    logger,
    again: () => tasks.poll(),
    isBusy: () => engine.waiting > 0,
  })
  const tasks = new TaskRunner(store, clock, lanes, sweeps, failed)
  const aside = openAside(settings, vault)
  return { ports, store, unwrapped, aside, database, clock, tasks, bank, egress, messenger, metrics, onEvent, readiness }
}

const closing =
  (...parts: readonly { close(): Promise<unknown> }[]) =>
  async () => {
    for (const each of parts) await each.close()
  }

/** Undefined in production without a provider. Send OTP then answers its system error. */
function messengerFor({ sms, mode }: Settings, store: Store, clock: Clock, onEvent: BreakerEvents): Messenger | undefined {
  if (sms) return new CircuitBreaker(new HttpMessenger(sms), clock, onEvent)
  return mode === 'sandbox' ? new InboxMessenger(store, clock) : undefined
}

async function listen(server: FastifyInstance, { port, host }: Settings) {
  try {
    await server.listen({ port, host })
  } catch (error) {
    throw addressError(error as { code?: string }, host, port)
  }
}

function addressError({ code }: { code?: string }, host: string, port: number): AddressError {
  if (code === 'EADDRINUSE')
    return new AddressError(`port ${port} on ${host} is taken. Choose another one by PORT or --port (0 for any free one).`)
  return new AddressError(
    `the service cannot listen on ${host} port ${port} (${code}). HOST must be an address of this machine, and PORT a port that you may use.`,
  )
}

/** The address at which this machine reaches a service that listens on every address. */
const REACHED_AT: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
])
export const urlOf = (host: string, port: number) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`

const absent = (what: string): never => {
  throw new Error(what)
}

function portsOf(engine: Engine, store: Store, clock: Clock, fresh: Random, vault: Vault, reference: Reference) {
  const { query } = store
  const merchantKeys = new MerchantKeys(query, clock, fresh)
  return { engine, query, clock, fresh, vault, merchantKeys, promotions: new PromotionCache(query, clock), reference }
}

export function worldOf({ world, mode }: Settings, given: World | undefined, publicUrl: string): World | undefined {
  return given ?? (world ? readWorldFile(world) : mode === 'production' ? undefined : demoWorldAt(publicUrl))
}

type Inside = Awaited<ReturnType<typeof wire>>
type SandboxWiring = Pick<SandboxParts, 'clock' | 'hasInbox' | 'assets' | 'logger' | 'world'> & { ownUrl(): string }

async function openSandbox(server: FastifyInstance, inside: Inside, { ownUrl, ...wiring }: SandboxWiring) {
  const { ports, store, database, tasks, bank, onEvent } = inside
  const shop = { ownUrl, ask: (path: string, text: string) => askJson(`${ownUrl()}${path}`, text) }
  const around = { runDue: () => tasks.runDue(MOVE_MAX_MS), alone: tasks.alone.bind(tasks) }
  const drawer = addSandbox(server, { ...wiring, ...around, store, database, vault: ports.vault, ports, bank: bank.sandbox, onEvent, shop })
  // Production never loads the hints: they would reveal whose key made a signature.
  ;(await import('./sandbox/hints/hints.ts')).addHints(server, ports)
  return drawer
}

/** Production has no form to try an operation, because a try needs a key. */
async function docsParts({ clock, fresh, merchantKeys }: Ports, isSandbox: boolean, ownUrl: () => string) {
  const openapi = () => readFileSync(own('docs/openapi.json'))
  const ofEverybody = { isSandbox, now: () => clock.now(), chance: () => fresh.hex(4), openapi }
  if (!isSandbox) return ofEverybody
  const { addTrying } = await import('./docs/trying-routes.ts')
  const trying = {
    sign: async (mid: string, text: string) => (await merchantKeys.sign(mid, undefined, text))?.signature,
    exchange: (path: string, request: Parameters<typeof exchange>[1]) => exchange(`${ownUrl()}${path}`, request),
  }
  const otherKeys = demoWorld.merchants!.flatMap(({ keys }) => keys!.map(({ key }) => key))
  return { ...ofEverybody, addTrying: (...at: [FastifyInstance, KeptPages]) => addTrying(...at, { trying, otherKeys, clock }) }
}

interface Preparing {
  given: World | undefined
  now: number
  publicUrl(): string
}

async function prepareWorld(settings: Settings, store: Store, vault: Vault, { given, now, publicUrl }: Preparing) {
  const isProduction = settings.mode === 'production'
  const defaults = { signedModify: isProduction ? ('amount' as const) : ('optional' as const), flatRefund: !isProduction, now }
  let warnings: readonly string[] = []
  try {
    const world = worldOf(settings, given, publicUrl())
    if (world && isProduction) refuseUndeliverable(world)
    if (world) warnings = await loadWorld(store, vault, world, defaults)
  } catch (error) {
    // Only this message names the setting and the file. `PUT /sandbox/world` has no file, and answers with the bare message.
    if (error instanceof WorldError && settings.world) throw new WorldError(`MOHUR_WORLD: ${settings.world}: ${error.message}`)
    throw error
  }
  const merchants = await store.query.rows({ find: 'merchants', limit: 1 })
  if (settings.mode === 'production' && merchants.length === 0)
    throw new SettingError('production needs a merchant: `mohur merchant add` makes one')
  return warnings
}

function readWorldFile(file: string): World {
  let text: unknown
  try {
    text = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    // The rest of V8's message quotes the file's text, which may be a key.
    const [why = ''] = (error as Error).message.split(/, (?:\.\.\.)?"/)
    throw new SettingError(`MOHUR_WORLD: ${file} cannot be read as JSON (${why.slice(0, 80)})`)
  }
  return readWorld(text)
}
