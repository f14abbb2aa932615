// `mohur merchant add|list|rotate-key`. On the embedded store they need the service stopped: it has one process.

import { parseArgs } from 'node:util'
import { SystemClock } from '../engine/clock.ts'
import { Engine } from '../engine/engine.ts'
import { type Fresh, SystemFresh } from '../engine/fresh.ts'
import type { Store } from '../engine/store.ts'
import { addMerchant, DEFAULT_CLIENT_ID, DEFAULT_MCC, rotateKey } from '../merchant/keys.ts'
import { PAYMENT_MODES } from '../sandbox/world.ts'
import { readSettings, SettingError, type Settings } from '../settings.ts'
import { openStore } from '../store/open.ts'
import { find } from '../tables.ts'

const KEY_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const KEY_LENGTH = 16 // AES-128, the only length that every checksum library takes

export async function merchant([what = '', ...args]: string[]) {
  const run = { add, list, 'rotate-key': rotate }[what]
  if (!run) throw new SettingError('say `merchant add`, `merchant list` or `merchant rotate-key`')
  const settings = readSettings(process.env)
  const { store } = await openStore(settings)
  try {
    await run(store, args, settings)
  } finally {
    await store.close()
  }
}

async function add(store: Store, args: string[], settings: Settings) {
  const options = { mid: string, name: string, mcc: string, website: { type: 'string', multiple: true }, 'client-id': string } as const
  const { values } = parseArgs({ args, options })
  const mid = midOf(values.mid)
  const websites = Object.fromEntries((values.website ?? ['DEFAULT']).map(websiteOf))
  const clientId = values['client-id'] ?? DEFAULT_CLIENT_ID
  const fresh = new SystemFresh()
  const key = newKey(fresh)
  const { result } = await new Engine(store, new SystemClock(), fresh).submit(addMerchant, {
    merchant: {
      mid,
      name: values.name ?? mid,
      mcc: values.mcc ?? DEFAULT_MCC,
      checksumEnabled: true,
      signedModify: settings.mode === 'production' ? 'amount' : 'optional',
      debitCardEmi: false,
      websites,
      notification: null,
      paymentModes: PAYMENT_MODES,
    },
    clientId,
    fresh: { key },
  })
  if (result.name === 'known') throw new SettingError(`${mid}: ${result.message}`)
  console.log(`mid ${mid}\nclientId ${clientId}\nkey ${key}\nKeep the key now: it is not shown again.`)
}

async function list(store: Store) {
  for (const { mid, name, checksumEnabled, signedModify } of await store.query.rows(
    find('merchants', { orderBy: ['mid'], limit: 10_000 }),
  )) {
    console.log(`${mid}\t${name}\tchecksumEnabled=${checksumEnabled}\tsignedModify=${signedModify}`)
  }
}

async function rotate(store: Store, args: string[]) {
  const { values } = parseArgs({ args, options: { mid: string, 'client-id': string } })
  const mid = midOf(values.mid)
  const clientId = values['client-id'] ?? DEFAULT_CLIENT_ID
  const [clock, fresh] = [new SystemClock(), new SystemFresh()]
  const key = newKey(fresh)
  const { result } = await new Engine(store, clock, fresh).submit(rotateKey, { mid, clientId, now: clock.realNow(), fresh: { key } })
  if (result.name === 'unknown') throw new SettingError(`${mid}, ${clientId}: ${result.message}`)
  console.log(`mid ${mid}\nclientId ${clientId}\nkey ${key}\n${result.message}. Keep the new key now: it is not shown again.`)
}

const string = { type: 'string' } as const

function midOf(mid: string | undefined): string {
  if (!mid || !/^[A-Za-z0-9_-]{1,20}$/.test(mid)) throw new SettingError('--mid must be 1 to 20 letters, digits, - or _')
  return mid
}

/** `NAME` or `NAME=callbackUrl`. */
function websiteOf(given: string): [string, { callbackUrl?: string }] {
  const at = given.indexOf('=')
  return at < 0 ? [given, {}] : [given.slice(0, at), { callbackUrl: given.slice(at + 1) }]
}

const newKey = (fresh: Fresh) =>
  Array.from({ length: KEY_LENGTH }, () => KEY_CHARACTERS[Math.floor(fresh.fraction() * KEY_CHARACTERS.length)]).join('')
