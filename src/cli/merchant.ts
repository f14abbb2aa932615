// `mohur merchant add|list|rotate-key`.

import { reading } from '../adapters/store/open.ts'
import { isMisleading } from '../domain/audit/reason.ts'
import { addMerchant, DEFAULT_CLIENT_ID, DEFAULT_MCC, rotateKey } from '../domain/merchant/keys.ts'
import { isWebsiteName, WEBSITE_TAKES } from '../domain/merchant/merchant.ts'
import { isSupportContact } from '../domain/merchant/page-settings.ts'
import { activateKey, dropKey, prepareKey } from '../domain/merchant/prepared-key.ts'
import type { Reply } from '../engine/decision.ts'
import { type Random, SystemRandom } from '../engine/random.ts'
import { formats } from '../interface/fields.ts'
import { PAYMENT_MODES } from '../sandbox/world-merchants.ts'
import { readSettings, SettingError } from '../settings.ts'
import { find } from '../tables/tables.ts'
import { acting, say } from './place.ts'

const KEY_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const MERCHANT_NAME_LENGTH = 255 // as in a world file
const KEY_LENGTH = 16 // AES-128, the only length that every checksum library takes

interface OfKey {
  mid: string
  'client-id'?: string
}

interface OfMerchant extends OfKey {
  name?: string
  mcc?: string
  website?: string[]
  'callback-fields'?: string
  'support-contact'?: string
}

export async function add(given: OfMerchant) {
  const mid = midOf(given.mid)
  const websites = Object.fromEntries((given.website ?? ['DEFAULT']).map(websiteOf))
  const clientId = clientIdOf(given['client-id'])
  const mcc = given.mcc ?? DEFAULT_MCC
  if (!/^[0-9]{4}$/.test(mcc)) throw new SettingError('--mcc must be 4 digits')
  const { name = mid } = given
  if (name === '' || name.length > MERCHANT_NAME_LENGTH || isMisleading(name))
    throw new SettingError(`--name must be a text of 1 to ${MERCHANT_NAME_LENGTH} characters, and none that controls a terminal`)
  const callbackFields = given['callback-fields'] ?? 'all'
  if (callbackFields !== 'all' && callbackFields !== 'core') throw new SettingError('--callback-fields must be all or core')
  const supportContact = given['support-contact'] ?? null
  if (supportContact !== null && !isSupportContact(supportContact))
    throw new SettingError('--support-contact must be a phone number, an e-mail address or an https address, of 120 characters at most')
  const fresh = new SystemRandom()
  const key = newKey(fresh)
  const { result } = await acting({ action: 'merchant.add', subject: `merchant:${mid}`, mid }, ({ engine, mode }) =>
    engine.submit(addMerchant, {
      merchant: {
        mid,
        name,
        mcc,
        checksumEnabled: true,
        signedModify: mode === 'production' ? 'amount' : 'optional',
        debitCardEmi: false,
        feeHundredths: 0,
        registersNotificationUrl: false,
        flatRefund: mode !== 'production',
        upiCollect: 'rule',
        pageOrigins: null,
        pageLanguage: null,
        utilityCode: null,
        version: 0,
        status: 'ACTIVE',
        supportContact,
        callbackFields,
        websites,
        notification: null,
        paymentModes: PAYMENT_MODES,
      },
      clientId,
      fresh: { key },
    }),
  )
  if (result.name === 'known') throw new SettingError(`${mid}: ${result.message}`)
  say(`mid ${mid}\nclientId ${clientId}\nkey ${key}\nKeep the key now: it is not shown again.`)
}

export async function list() {
  const all = find('merchants', { orderBy: ['mid'], limit: 10_000 })
  for (const { mid, name, checksumEnabled, signedModify, callbackFields, status } of await reading(readSettings(process.env), ({ query }) =>
    query.rows(all),
  )) {
    console.log(
      `${mid}\t${name}\tchecksumEnabled=${checksumEnabled}\tsignedModify=${signedModify}\tcallbackFields=${callbackFields}\tstatus=${status}`,
    )
  }
}

interface OfRotation extends OfKey {
  prepare?: boolean
  activate?: boolean
  drop?: boolean
  now?: boolean
}

export async function rotate(given: OfRotation) {
  const of = { mid: midOf(given.mid), clientId: clientIdOf(given['client-id']) }
  const way = wayOf(given)
  const atOnce = given.now ?? false
  const fresh = { key: newKey(new SystemRandom()) }
  const act = {
    action: `merchant.${way ?? 'rotate'}-key` as const,
    subject: `merchant:${of.mid}`,
    mid: of.mid,
    data: { clientId: of.clientId },
  }
  const { result } = await acting<Reply>(act, ({ engine, clock }) => {
    const command = { ...of, now: clock.now(), realNow: clock.realNow() }
    if (way === 'prepare') return engine.submit(prepareKey, { ...command, fresh })
    if (way === 'activate') return engine.submit(activateKey, { ...command, atOnce })
    if (way === 'drop') return engine.submit(dropKey, command)
    return engine.submit(rotateKey, { ...command, atOnce, fresh })
  })
  const { mid, clientId } = of
  if (result.status === 'F') throw new SettingError(`${mid}, ${clientId}: ${result.message}`)
  if (way === 'activate' || way === 'drop') return say(`mid ${mid}\nclientId ${clientId}\n${result.message}.`)
  say(`mid ${mid}\nclientId ${clientId}\nkey ${fresh.key}\n${result.message}. Keep the new key now: it is not shown again.`)
}

function wayOf(given: OfRotation): 'prepare' | 'activate' | 'drop' | undefined {
  const [way, ...others] = (['prepare', 'activate', 'drop'] as const).filter((name) => given[name])
  if (others.length > 0) throw new SettingError('--prepare, --activate and --drop are three steps: use one of them')
  if (given.now && (way === 'prepare' || way === 'drop')) throw new SettingError(`--now does not go with --${way}`)
  return way
}

// List Subscriptions takes a client id of at most three characters, so its callers could never name a longer id.
function clientIdOf(given = DEFAULT_CLIENT_ID): string {
  if (!/^[A-Za-z0-9]{1,3}$/.test(given)) throw new SettingError('--client-id must be 1 to 3 letters or digits')
  return given
}

function midOf(mid: string): string {
  if (!/^[A-Za-z0-9_-]{1,20}$/.test(mid)) throw new SettingError('--mid must be 1 to 20 letters, digits, - or _')
  return mid
}

function websiteOf(given: string): [string, { callbackUrl?: string }] {
  const [name = '', ...rest] = given.split('=')
  const callbackUrl = rest.join('=')
  if (!isWebsiteName(name)) throw new SettingError(`--website needs a name. A name has ${WEBSITE_TAKES}.`)
  if (rest.length > 0 && !formats.httpUrl(callbackUrl))
    throw new SettingError('--website must be NAME or NAME=URL, an http or https address')
  return [name, rest.length > 0 ? { callbackUrl } : {}]
}

const newKey = (fresh: Random) =>
  Array.from({ length: KEY_LENGTH }, () => KEY_CHARACTERS[Math.floor(fresh.fraction() * KEY_CHARACTERS.length)]).join('')
