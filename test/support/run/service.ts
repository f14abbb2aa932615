// A whole service in this process, on either store, called over HTTP as a merchant calls it.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import type { Passwords as OwnPasswords } from '../../../src/console/kit/passwords.ts'
import { SystemClock } from '../../../src/engine/clock.ts'
import type { Random } from '../../../src/engine/random.ts'
import type { Store } from '../../../src/engine/store.ts'
import { sign } from '../../../src/interface/checksum.ts'
import type { Running } from '../../../src/main.ts'
import type { World } from '../../../src/sandbox/world.ts'
import { copyMigrated, migratedDatabase } from '../store/migrated.ts'
import { fromCheckout } from './checkout.ts'
import { assertFits } from './fits.ts'
import { assertHinted, noteReached } from './reached.ts'
import { type StoreName, storeNames, storesWhereSqlDiffers } from './which-stores.ts'

const { Passwords } = await fromCheckout<typeof import('../../../src/console/kit/passwords.ts')>('src/console/kit/passwords.ts')
const { start } = await fromCheckout<typeof import('../../../src/main.ts')>('src/main.ts')
const { demoWorld } = await fromCheckout<typeof import('../../../src/sandbox/world.ts')>('src/sandbox/world.ts')
const { POLL_MS } = await fromCheckout<typeof import('../../../src/engine/tasks.ts')>('src/engine/tasks.ts')
const { readSettings } = await fromCheckout<typeof import('../../../src/settings.ts')>('src/settings.ts')

export { type StoreName, storeNames, storesWhereSqlDiffers }

const isOlderCheckout = process.env['MOHUR_TEST_CHECKOUT'] !== undefined

export const MID = 'DEMO0000000000000001'
export const KEY = 'ABCDEFGHIJKLMNOP'

/** Runs the same tests on both stores; in `npm test` on SQLite alone. */
export function onBothStores(what: string, tests: (store: StoreName) => void) {
  for (const store of storeNames) describe(`${what} (${store})`, () => tests(store))
}

/** Runs the same tests on both stores in `npm test` too, for rows that the two SQL dialects may treat differently. */
export function whereSqlDiffers(what: string, _because: string, tests: (store: StoreName) => void) {
  for (const store of storesWhereSqlDiffers) describe(`${what} (${store})`, () => tests(store))
}

export interface ServiceOptions {
  world?: World
  store?: (store: Store) => Store
  exit?: (code: number) => void
  env?: Record<string, string>
  /** The service also looks for due rows by itself, as outside tests. */
  polls?: boolean
  /** Business time passes as real time does, and the sandbox's clock moves it. */
  passes?: boolean
  /** The service's chance. */
  fresh?: Random
  /** Replaces the comparison of passwords. Absent: the cheapest comparison. */
  passwords?: OwnPasswords
  /** Writes rows before the service starts. */
  before?: (place: { folder: string; databaseUrl: string }) => Promise<void>
}

export interface Reply {
  status: number
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: replies are what the test is about to judge
  head: any
  // biome-ignore lint/suspicious/noExplicitAny: as above
  body: any
  /** The sandbox's hint about a refusal. */
  hint: string
}

/** Time that a test moves. It stands still between moves, unless it passes. */
export class TestClock extends SystemClock {
  /**
   * Without it the engine does not look for due rows by itself, because that would interrupt a test at random moments. They run when a test
   * calls `tasks.runDue`.
   */
  readonly #polls: boolean
  readonly #passes: boolean
  constructor(polls = false, passes = false) {
    super()
    this.#polls = polls
    this.#passes = passes
  }
  override every(everyMs: number, work: () => void) {
    return everyMs === POLL_MS && !this.#polls ? () => {} : super.every(everyMs, work)
  }
  #now = Date.parse('2026-06-15T10:00:00+05:30')
  #setByMs = 0
  #passedMs = 0
  override now() {
    return this.#passes ? super.now() : this.#now
  }
  override realNow() {
    return super.realNow() + this.#setByMs
  }
  override elapsed() {
    return super.elapsed() + this.#passedMs
  }
  advance(ms: number) {
    this.#now += ms
  }
  /** Sets the machine's clock forward or back. No time passes, in business or really. */
  set(ms: number) {
    this.#now += ms
    this.#setByMs += ms
  }
  /** Real time passes, as measured. The clock shows no change. */
  pass(ms: number) {
    this.#passedMs += ms
  }
}

export interface Service extends Running {
  clock: TestClock
  /** The place of its store, to open it beside the service. */
  place: { dataFolder: string; databaseUrl: string | undefined }
  call(method: string, path: string, headers?: Record<string, string>, text?: string): Promise<Reply>
  /** Posts this text unchanged. */
  post(path: string, text: string, headers?: Record<string, string>): Promise<Reply>
  /** Posts an envelope whose body is signed with the demo merchant's key. */
  signed(path: string, body: object, options?: { head?: object; key?: string; signature?: string | null }): Promise<Reply>
}

/** The least that argon2 allows, because tests compare thousands of passwords. */
export const QUICK = { memory: 8, passes: 1, everyMs: 0 }

/** A test's numbers are neighbours in one range. Tests of these limits set them themselves. */
const UNBOUND = { MOHUR_OTP_PREFIX_PER_MINUTE: '1000000', MOHUR_OTP_ALL_PER_MINUTE: '1000000' }

/** A new service on a new database. `close` also removes its folder. */
export async function startService(store: StoreName, options: ServiceOptions = {}): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-test-'))
  const databaseUrl = store === 'postgres' ? await migratedDatabase() : ''
  if (store === 'sqlite') copyMigrated(folder)
  const own = { PORT: '0', MOHUR_DATA: folder, DATABASE_URL: databaseUrl, MOHUR_LOG: 'silent', MOHUR_CONNECTIONS_PER_ADDRESS: '1000' }
  const settings = readSettings({ ...own, ...UNBOUND, ...options.env })
  const clock = new TestClock(options.polls, options.passes)
  await options.before?.({ folder, databaseUrl })
  const running = await start(settings, {
    clock,
    world: options.world ?? demoWorld,
    passwords: options.passwords ?? new Passwords(clock, QUICK),
    ...(options.fresh && { fresh: options.fresh }),
    ...(options.store && { store: options.store }),
    ...(options.exit && { exit: options.exit }),
  })

  const call: Service['call'] = async (method, path, headers = {}, text) => {
    const response = await fetch(running.url + path, {
      method,
      headers: { ...(text !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(text !== undefined && { body: text }),
    })
    const reply = await response.text()
    let parsed: { head?: unknown; body?: unknown } = {}
    try {
      parsed = JSON.parse(reply)
    } catch {}
    noteReached(store, path, parsed.body ?? parsed, response.status)
    if (!isOlderCheckout) assertFits(path, reply, parsed, response.status)
    if (settings.mode === 'sandbox' && !isOlderCheckout) assertHinted(path, parsed.body ?? parsed, response)
    return {
      status: response.status,
      text: reply,
      head: parsed.head,
      body: parsed.body ?? parsed,
      hint: response.headers.get('mohur-hint') ?? '',
    }
  }
  const post: Service['post'] = (path, text, headers) => call('POST', path, headers, text)
  return {
    ...running,
    clock,
    place: { dataFolder: settings.dataFolder, databaseUrl: settings.databaseUrl },
    call,
    post,
    async signed(path, body, { head = {}, key = KEY, signature } = {}) {
      const bodyText = JSON.stringify(body)
      const value = signature === undefined ? sign(bodyText, key, running.ports.fresh.salt()) : signature
      return post(path, `{"head":${JSON.stringify(value === null ? head : { ...head, signature: value })},"body":${bodyText}}`)
    },
    async close(...given) {
      await running.close(...given)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** One service for all the tests of a `describe`. */
export function sharedService(store: StoreName, options: ServiceOptions = {}): () => Promise<Service> {
  let service: Promise<Service> | undefined
  after(async () => (await service)?.close())
  return () => {
    service ??= startService(store, options)
    return service
  }
}
