// The world file: merchants, sign-in clients, customers and promotions as JSON (docs/sandbox.md). A start loads the file, and PUT
// /sandbox/world merges another into a running service. Named members are set, and others are left alone.

import { Ajv } from 'ajv'
import Type, { type Static } from 'typebox'
import { Egress } from '../adapters/delivery/egress.ts'
import type { Vault } from '../adapters/store/vault.ts'
import { movement } from '../domain/ledger/ledger.ts'
import { isWebsiteName } from '../domain/merchant/merchant.ts'
import { isOrigin, isSupportContact } from '../domain/merchant/page-settings.ts'
import type { Change } from '../engine/decision.ts'
import { type Store, transact } from '../engine/store.ts'
import { isChecksumKey } from '../interface/checksum.ts'
import { amount, formats, mobile } from '../interface/fields.ts'
import { toPaise } from '../interface/money.ts'
import { SettingError } from '../settings.ts'
import { merchantKey } from '../tables/keys.ts'
import { type Key, lock, type Row, type TableName } from '../tables/tables.ts'
import { type Defaults, FROM_FILE, merchant, merchantChanges } from './world-merchants.ts'
import { promotion, promotionMistake, promotionRow } from './world-promotions.ts'

const optional = Type.Optional
const name = Type.String({ minLength: 1, maxLength: 255, format: 'text' })
const strict = { additionalProperties: false }
const signInClient = Type.Object({ clientId: name, clientSecret: name, scopes: optional(Type.Array(name)) }, strict)
const customer = Type.Object(
  {
    mobile,
    walletBalance: optional(amount),
    /** `true` counts from the first load, a time from that time. */
    pendingVerification: optional(Type.Unsafe<boolean | string>({ type: ['boolean', 'string'], format: 'instant' })),
  },
  strict,
)
export const schema = Type.Object(
  {
    merchants: optional(Type.Array(merchant)),
    signInClients: optional(Type.Array(signInClient)),
    customers: optional(Type.Array(customer)),
    promotions: optional(Type.Array(promotion)),
  },
  strict,
)
export type World = Static<typeof schema>

/** ISO 8601 with an offset, so it is one instant wherever the file is read. */
function isInstant(text: string): boolean {
  try {
    return Temporal.Instant.from(text).epochMilliseconds > 0
  } catch {
    return false
  }
}

/** Says where a world file is wrong, for the person who wrote it. */
export class WorldError extends SettingError {
  override readonly name = 'WorldError'
}

/** `allErrors`: name ten faults instead of the first. Gathering the faults of millions of entries takes all memory. */
export function readWorld(value: unknown, allErrors = true): World {
  const known = { ...formats, instant: isInstant, origin: isOrigin, supportContact: isSupportContact, websiteName: isWebsiteName }
  const validate = new Ajv({ allErrors, formats: known, allowUnionTypes: true }).compile(schema)
  if (!validate(value)) {
    const lines = validate.errors!.slice(0, 10).map(({ instancePath, message, params }) => {
      const name = params['additionalProperty'] ?? params['propertyName']
      return `  ${instancePath || '/'} ${message}${name === undefined ? '' : ` ("${name}")`}`
    })
    throw new WorldError(`the world is not valid:\n${lines.join('\n')}`)
  }
  const world = value as World
  refuseTwice('merchant', world.merchants, ({ mid }) => mid)
  refuseTwice('sign-in client', world.signInClients, ({ clientId }) => clientId)
  refuseTwice('customer', world.customers, ({ mobile }) => mobile)
  refuseTwice('promotion', world.promotions, ({ mid, promocode }) => `${promocode} of merchant ${mid}`)
  for (const { mid, keys } of world.merchants ?? []) refuseTwice(`merchant ${mid}, key`, keys, ({ clientId }) => clientId)
  for (const { mid, keys } of world.merchants ?? []) {
    for (const { clientId, key } of keys ?? []) {
      if (!isChecksumKey(key))
        throw new WorldError(`the world is not valid:\n  merchant ${mid}, key ${clientId}: a key is 16, 24 or 32 bytes long`)
    }
  }
  return world
}

/** Refuses a name that two entries have. Otherwise it would be unclear which entry counts. */
function refuseTwice<T>(kind: string, entries: readonly T[] = [], nameOf: (entry: T) => string) {
  const seen = new Set<string>()
  for (const name of entries.map(nameOf)) {
    if (seen.has(name)) throw new WorldError(`the world is not valid:\n  ${kind} ${name} is named twice`)
    seen.add(name)
  }
}

/** Production never sends to an address that is not public, so a merchant with that address would wait in vain. */
export function refuseUndeliverable({ merchants = [] }: World) {
  const egress = new Egress('production')
  for (const { mid, notification } of merchants) {
    if (notification?.url !== undefined && !egress.mayReach(notification.url))
      throw new WorldError(
        `the world is not valid:\n  merchant ${mid}: production notifies at public addresses only, by https:// at port 443 or 8443`,
      )
  }
}

/**
 * All rows that a world names, so that they are locked at once and briefly. Another process may serve payers whose rows are among them. A
 * payer who waits for one row waits for all reads in between.
 */
function keysOf({ merchants = [], signInClients = [], customers = [], promotions = [] }: World): readonly Key[] {
  const named = [
    ...merchants.flatMap(({ mid, keys = [] }) => [
      lock('merchants', mid),
      ...keys.map(({ clientId }) => lock('merchantKeys', mid, clientId, FROM_FILE)),
    ]),
    ...signInClients.map(({ clientId }) => lock('signInClients', clientId)),
    ...customers.map(({ mobile }) => lock('customers', mobile)),
    ...promotions.map(({ mid, promocode }) => lock('promotions', mid, promocode)),
  ]
  const mids = new Set(merchants.map(({ mid }) => mid))
  const others = new Set(promotions.map(({ mid }) => mid)).difference(mids)
  return [...named, ...[...others].map(merchantKey)]
}

/** Merges a world into the store, all of it or nothing. Returns warnings about entries that it left alone. */
export function loadWorld(store: Store, vault: Vault, world: World, defaults: Defaults): Promise<readonly string[]> {
  return transact(store, async (transaction) => {
    const changes: Change[] = []
    const rows = await transaction.read(keysOf(world))
    const put = <T extends TableName>(table: T, id: string[], make: (before: Row<T> | undefined) => Row<T>) => {
      const key = lock(table, ...id)
      const before = rows.get(key.name) as Row<T> | undefined
      changes.push({ kind: before ? 'update' : 'insert', key, row: make(before) } as Change)
    }
    const merchants = await merchantChanges(transaction, rows, world.merchants ?? [], defaults)
    changes.push(...merchants.changes)
    for (const { clientId, clientSecret, scopes } of world.signInClients ?? []) {
      put('signInClients', [clientId], (before) => ({
        clientId,
        secretHash: vault.hash('clientSecret', `${clientId}:${clientSecret}`),
        scopes: scopes ?? before?.scopes ?? [],
      }))
    }
    for (const { mobile, walletBalance, pendingVerification } of world.customers ?? []) {
      put('customers', [mobile], (before) => {
        const userId = before?.userId ?? vault.hash('userId', mobile)
        const walletBalancePaise = before?.walletBalancePaise ?? toPaise(walletBalance ?? '0')
        if (!before) changes.push(...opening(userId, walletBalancePaise, defaults.now))
        const pendingVerificationSince = pendingSince(pendingVerification, before?.pendingVerificationSince ?? null, defaults.now)
        return { mobile, userId, walletBalancePaise, pendingVerificationSince, signedInAt: before?.signedInAt ?? null }
      })
    }
    const mids = new Set((world.merchants ?? []).map(({ mid }) => mid))
    for (const given of world.promotions ?? []) {
      if (!mids.has(given.mid) && !rows.has(merchantKey(given.mid).name))
        throw new WorldError(`the world is not valid:\n  promotion ${given.promocode}: no merchant has the mid ${given.mid}`)
      put('promotions', [given.mid, given.promocode], (before) => {
        const row = promotionRow(given, before)
        const mistake = promotionMistake(given, row)
        if (mistake) throw new WorldError(`the world is not valid:\n  promotion ${given.promocode} of merchant ${given.mid}: ${mistake}`)
        return row
      })
    }
    await transaction.write({ changes, events: merchants.events, tasks: [] })
    return merchants.warnings
  })
}

/** A file that is loaded at every start does not restart the 48 hours: they run from the first load. */
function pendingSince(given: boolean | string | undefined, before: number | null, now: number): number | null {
  if (given === undefined) return before
  if (typeof given === 'string') return Temporal.Instant.from(given).epochMilliseconds
  return given ? (before ?? now) : null
}

/** Books the balance of a new wallet as money from outside. */
export const opening = (userId: string, paise: number, now: number) =>
  movement('wallet', `opening:${userId}`, userId, now, [
    ['wallet_float', paise],
    ['customer_wallet', -paise, userId],
  ])

/** The names that shop plugins, app kits and sample backends use. */
const DEMO_WEBSITES = ['DEFAULT', 'WEBSTAGING', 'APPSTAGING', 'WEB', 'WAP', 'APP', 'retail']
/** All names lead to the demo shop, which shows the fields that a browser brings there. */
function websitesAt(url: string) {
  const callbackUrl = `${url}/sandbox/shop/callback`
  return Object.fromEntries(DEMO_WEBSITES.map((name) => [name, { callbackUrl, mandateUrl: callbackUrl }]))
}

/** The sandbox's world without a world file, where browsers reach it at `url`. */
export const demoWorldAt = (url: string): World => ({
  merchants: [
    {
      mid: 'DEMO0000000000000001',
      name: 'Demo Stores',
      mcc: '5411',
      keys: [{ clientId: 'C11', key: 'ABCDEFGHIJKLMNOP' }],
      websites: websitesAt(url),
      upiCollect: 'always',
      supportContact: 'help@demo-stores.example',
    },
  ],
  signInClients: [{ clientId: 'demo-app', clientSecret: 'demo-secret', scopes: ['wallet', 'profile'] }],
  customers: [{ mobile: '9999900001', walletBalance: '5000.00', pendingVerification: false }],
  promotions: [
    {
      mid: 'DEMO0000000000000001',
      promocode: 'CARD10',
      kind: 'DISCOUNT',
      title: '10% off by credit card, up to Rs 100',
      percent: '10',
      upTo: '100.00',
      minAmount: '200.00',
      ...{ payMethods: ['CREDIT_CARD'], banks: [], bins: [], skus: [] },
      validFrom: '2026-01-01',
      budget: '100000.00',
      fundedBy: 'merchant',
      maxPerCustomer: 5,
      visible: true,
    },
  ],
})
export const demoWorld = demoWorldAt('http://127.0.0.1:8080') // as docs/sandbox.md writes it
