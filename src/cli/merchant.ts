// `mohur merchant add|list|rotate-key`. On the embedded store they need the service stopped: it has one process.

import { parseArgs } from 'node:util'
import { SystemClock } from '../engine/clock.ts'
import { Engine } from '../engine/engine.ts'
import { type Fresh, SystemFresh } from '../engine/fresh.ts'
import type { Store } from '../engine/store.ts'
import { formats } from '../interface/fields.ts'
import { addMerchant, DEFAULT_CLIENT_ID, DEFAULT_MCC, rotateKey } from '../merchant/keys.ts'
import { PAYMENT_MODES } from '../sandbox/world.ts'
import { readSettings, SettingError, type Settings } from '../settings.ts'
import { openInItsMode } from '../store/open.ts'
import { find } from '../tables.ts'

const KEY_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const WEBSITE_NAME_LENGTH = 64 // docs/interface.md section 8 (Mohur): a longer websiteName cannot be sent
const KEY_LENGTH = 16 // AES-128, the only length that every checksum library takes

export async function merchant([what = '', ...args]: string[]) {
  const run = { add, list, 'rotate-key': rotate }[what]
  if (!run) throw new SettingError('say `merchant add`, `merchant list` or `merchant rotate-key`')
  const { store, mode } = await openInItsMode(readSettings(process.env))
  try {
    await run(store, args, mode)
  } finally {
    await store.close()
  }
}

async function add(store: Store, args: string[], mode: Settings['mode']) {
  const options = { mid: string, name: string, mcc: string, website: { type: 'string', multiple: true }, 'client-id': string } as const
  const { values } = parseArgs({ args, options })
  const mid = midOf(values.mid)
  const websites = Object.fromEntries((values.website ?? ['DEFAULT']).map(websiteOf))
  const clientId = values['client-id'] ?? DEFAULT_CLIENT_ID
  // List Subscriptions takes three characters and no more, so a longer one could never be named there.
  if (!/^[A-Za-z0-9]{1,3}$/.test(clientId)) throw new SettingError('--client-id must be 1 to 3 letters or digits')
  const mcc = values.mcc ?? DEFAULT_MCC
  if (!/^[0-9]{4}$/.test(mcc)) throw new SettingError('--mcc must be 4 digits')
  const fresh = new SystemFresh()
  const key = newKey(fresh)
  const { result } = await new Engine(store, new SystemClock(), fresh).submit(addMerchant, {
    merchant: {
      mid,
      name: values.name ?? mid,
      mcc,
      checksumEnabled: true,
      signedModify: mode === 'production' ? 'amount' : 'optional',
      debitCardEmi: false,
      feeHundredths: 0,
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
  if (result.name !== 'rotated') throw new SettingError(`${mid}, ${clientId}: ${result.message}`)
  console.log(`mid ${mid}\nclientId ${clientId}\nkey ${key}\n${result.message}. Keep the new key now: it is not shown again.`)
}

const string = { type: 'string' } as const

function midOf(mid: string | undefined): string {
  if (!mid || !/^[A-Za-z0-9_-]{1,20}$/.test(mid)) throw new SettingError('--mid must be 1 to 20 letters, digits, - or _')
  return mid
}

/** `NAME` or `NAME=callbackUrl`. */
function websiteOf(given: string): [string, { callbackUrl?: string }] {
  const [name = '', ...rest] = given.split('=')
  const callbackUrl = rest.join('=')
  if (name === '' || name.length > WEBSITE_NAME_LENGTH)
    throw new SettingError(`--website needs a name of 1 to ${WEBSITE_NAME_LENGTH} characters`)
  if (rest.length > 0 && !formats.httpUrl(callbackUrl))
    throw new SettingError('--website must be NAME or NAME=URL, an http or https address')
  return [name, rest.length > 0 ? { callbackUrl } : {}]
}

const newKey = (fresh: Fresh) =>
  Array.from({ length: KEY_LENGTH }, () => KEY_CHARACTERS[Math.floor(fresh.fraction() * KEY_CHARACTERS.length)]).join('')
