// The paths that only the sandbox has (docs/sandbox.md). Production has none of them.

import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import type { SandboxAcquirer } from '../adapters/acquirer/sandbox/sandbox.ts'
import type { SandboxBank } from '../adapters/acquirer/sandbox/sandbox-bank.ts'
import type { DatabaseEngine } from '../adapters/store/database.ts'
import type { Vault } from '../adapters/store/vault.ts'
import type { Store } from '../engine/store.ts'
import type { Ports } from '../flows/ports.ts'
import { BODY_BYTES_MAX, readJson } from '../interface/envelope.ts'
import type { Assets } from '../pages/kit/assets.ts'
import type { SandboxDrawer } from '../pages/kit/page-parts.ts'
import { addBankRoutes } from './bank.ts'
import { MOVE_MAX_MS, type SandboxClock, targetOf } from './clock.ts'
import { addDrawer, drawerOf } from './drawer.ts'
import { addInboxRoute } from './inbox.ts'
import { addNotificationRoutes } from './notifications.ts'
import { addPhone } from './phone.ts'
import { addReset, resetSandbox } from './reset.ts'
import { Shell } from './shell.ts'
import { addShop, type ShopRoutesParts } from './shop.ts'
import { walletPayer } from './wallet-payer.ts'
import { loadWorld, readWorld, type World, WorldError } from './world.ts'

const WORLD_BYTES_MAX = 16 * 1024 * 1024 // Mohur's choice: a world of some ten thousand offers
const WORLD_LIMITS = { membersMax: 300_000, separatorsMax: 1_000_000 } // Mohur's choice: the members and bins of a world with that many offers

export interface SandboxParts {
  database: DatabaseEngine
  store: Store
  vault: Vault
  ports: Ports
  clock: SandboxClock
  /** Absent when another acquirer is connected. */
  bank: { bank: SandboxBank; acquirer: SandboxAcquirer } | undefined
  /** Messages go to the sandbox's own inbox. */
  hasInbox: boolean
  /** Queries a payment's result, as after a bank's message. */
  onEvent(key: string): Promise<void>
  /** Does the due work, so that a call's effects are there when the call is answered. */
  runDue(): Promise<unknown>
  /** Ends the work of due tasks and the moves of the clock. Runs `work` while neither of them runs. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** The world that a start loads. Read again at each call, because the world may be in a file. */
  world(): World
  /** How the demo shop's server calls this service. */
  shop: Pick<ShopRoutesParts, 'ask' | 'ownUrl'>
  /** The style of the sandbox's pages, and the log for their failures. */
  assets: Assets
  logger: FastifyBaseLogger
}

/** Returns the drawer for the payers' pages. Undefined when the bank or the messages are real. */
export function addSandbox(server: FastifyInstance, parts: SandboxParts): SandboxDrawer | undefined {
  const { ports, bank, onEvent, runDue, clock, hasInbox, shop, assets, logger } = parts
  addWorldAndClock(server, parts)
  addInboxRoute(server, { query: ports.query, runDue })
  addNotificationRoutes(server, { ports, runDue })
  const shell = new Shell(assets, logger)
  addReset(server, { shell, now: () => ports.clock.now(), reset: () => parts.alone(() => startAnew(parts)) })
  shell.addStyle(server)
  addShop(server, { ports, shell, runDue, ...shop })
  if (!bank) return undefined
  const onEventAndRun = async (key: string) => {
    await onEvent(key)
    await runDue()
  }
  const around = {
    ...bank,
    query: ports.query,
    runDue,
    now: () => ports.clock.now(),
    advanceTo: (at: number) => clock.advanceTo(at),
    onEvent: onEventAndRun,
    shell,
    walletActs: walletPayer(ports, runDue),
  }
  addBankRoutes(server, around)
  addPhone(server, around)
  if (!hasInbox) return undefined
  addDrawer(server, around)
  return drawerOf(around)
}

/** Called after a change here. Drops the keys and promotions that this process keeps for five seconds. */
export function forget({ merchantKeys, promotions }: Ports) {
  merchantKeys.forget()
  promotions.forget()
}

async function startAnew({ database, store, vault, bank, clock, world }: SandboxParts) {
  await resetSandbox({ database, store, vault, bank: bank?.bank, world: world(), startOver: () => clock.startOver() })
}

function addWorldAndClock(server: FastifyInstance, { store, vault, clock, ports }: SandboxParts) {
  server.put('/sandbox/world', { bodyLimit: WORLD_BYTES_MAX }, async (request, reply) => {
    try {
      const world = worldIn(String(request.body ?? ''))
      const warnings = await loadWorld(store, vault, world, { signedModify: 'optional', flatRefund: true, now: clock.now() })
      forget(ports)
      const merged = Object.fromEntries(Object.entries(world).map(([kind, rows]) => [kind, rows.length]))
      return { merged, ...(warnings.length > 0 && { warnings }) }
    } catch (error) {
      if (error instanceof WorldError || error instanceof SyntaxError) return reply.code(400).send({ error: error.message })
      throw error
    }
  })

  server.get('/sandbox/clock', async () => ({ now: new Date(clock.now()).toISOString() }))
  server.post('/sandbox/clock', async (request, reply) => {
    let asked: unknown
    try {
      asked = json(request)
    } catch {
      return reply.code(400).send({ error: 'the request is not JSON' })
    }
    const target = targetOf(asked, clock.now())
    if (typeof target === 'string') return reply.code(400).send({ error: target })
    request.raw.socket.setTimeout(0) // a move may take longer than the connection's time-out
    const { ran, end } = await clock.advanceTo(target)
    const now = new Date(clock.now()).toISOString()
    if (end === 'arrived') return { now, ran }
    return reply.code(202).send({ now, ran, to: new Date(target).toISOString(), arrived: false, why: WHY[end] })
  })
}

function worldIn(text: string): World {
  if (text.length <= BODY_BYTES_MAX) return readWorld(JSON.parse(text))
  const read = readJson(text, WORLD_LIMITS)
  if (!read) throw new WorldError(`the world is not JSON, names a member twice, or has more than ${WORLD_LIMITS.membersMax} members`)
  return readWorld(read.root, false)
}

const WHY = {
  time: `the move has taken ${MOVE_MAX_MS / 1_000} seconds: send this "to" again to continue from here`,
  ended: 'the sandbox was reset or stopped meanwhile',
} as const

const json = (request: FastifyRequest): unknown => JSON.parse(String(request.body ?? ''))
