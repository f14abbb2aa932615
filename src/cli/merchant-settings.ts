// `mohur merchant show|set|disable|enable`. The settings are a world file's members of a merchant, with the same names and rules.

import { reading } from '../adapters/store/open.ts'
import type { Action } from '../domain/audit/actions.ts'
import { type ChangeMerchant, changeMerchant } from '../domain/merchant/change-merchant.ts'
import { ENDED_AT_ONCE, keyNumber } from '../domain/merchant/keys.ts'
import { isWebsiteName, WEBSITE_TAKES } from '../domain/merchant/merchant.ts'
import { dateTimeInIndia } from '../engine/clock.ts'
import { type Random, SystemRandom } from '../engine/random.ts'
import { toRupees } from '../interface/money.ts'
import { languages } from '../pages/kit/messages/messages.ts'
import { demoWorld, readWorld, refuseUndeliverable, type World, WorldError } from '../sandbox/world.ts'
import { merchantRow, PAYMENT_MODES } from '../sandbox/world-merchants.ts'
import { readSettings, SettingError, type Settings } from '../settings.ts'
import { merchantKey, merchantKeysOf } from '../tables/keys.ts'
import { find, type Row } from '../tables/tables.ts'
import { acting, say, settingsHere } from './place.ts'
import { tableOf } from './table.ts'

type Merchant = Row<'merchants'>
type Entry = NonNullable<World['merchants']>[number]
type Websites = Record<string, { callbackUrl?: string; mandateUrl?: string }>
type Columns = ChangeMerchant['settings']

const EVENTS_SHOWN = 1_000 // Mohur's choice: the newest
const SECRET_BYTES = 24 // Standard Webhooks: 24 to 64

/** The settings, grouped by the form of their values. `fee` is kept in hundredths of a percent, the others under their own names. */
const TEXTS = [
  'name',
  'mcc',
  'signedModify',
  'fee',
  'callbackFields',
  'upiCollect',
  'pageLanguage',
  'utilityCode',
  'supportContact',
] as const
const FLAGS = ['checksumEnabled', 'debitCardEmi', 'registersNotificationUrl', 'flatRefund'] as const
const LISTS = ['paymentModes', 'pageOrigins'] as const
/** The values that each setting takes, in the operator's words. The schema of world files has only a programmer's words. */
const TAKES: Readonly<Record<string, string>> = {
  name: 'a text of 1 to 255 characters',
  mcc: 'four digits',
  signedModify: 'optional, amount or always',
  fee: 'a percentage from 0 to 100 with two decimals at most, as 1.50',
  callbackFields: 'all or core',
  upiCollect: 'rule, always or never',
  pageLanguage: Object.keys(languages).join(' or '),
  utilityCode: '1 to 20 capital letters and digits',
  supportContact: 'a phone number, an e-mail address or an https address',
  paymentModes: `some of ${PAYMENT_MODES.join(',')}`,
  pageOrigins: 'origins with commas between them, as https://shop.example',
  websites: 'an address that begins with http:// or https://',
  'notification/url': 'an address that begins with http:// or https://',
  'notification/form': 'json or classic',
  'notification/secret': 'whsec_ and 24 to 64 bytes in base64',
}
/** An empty value removes the setting. */
const OPTIONAL = ['pageLanguage', 'utilityCode', 'supportContact', 'pageOrigins'] as const
const isOne = <T extends string>(names: readonly T[], name: string): name is T => (names as readonly string[]).includes(name)

const noMerchant = (mid: string) => new SettingError(`no merchant has the mid ${mid}`)

// ------------------------------------------------------------------------------------------------------------------- show

/** Prints the settings in the form that `set` takes. Keys and secrets are named, never shown. */
export async function show({ mid }: { mid: string }) {
  const lines = await reading(readSettings(process.env), async ({ query }) => {
    const merchant = await query.row(merchantKey(mid))
    if (!merchant) throw noMerchant(mid)
    const keys = await query.rows(merchantKeysOf(mid))
    const events = await query.rows(
      find('events', {
        equals: { owner: mid, aggregate: 'merchant', id: mid },
        ...{ orderBy: ['version'], direction: 'desc', limit: EVENTS_SHOWN },
      }),
    )
    return [
      `${mid}  ${merchant.status}`,
      ...settingsOf(merchant),
      ...keys.map(keyLine),
      ...(events.length === 0 ? [] : ['', ...historyOf(events.toReversed())]),
    ]
  })
  for (const line of lines) console.log(line)
}

function keyLine({ clientId, generation, lastSeenAt, wrongSignatures, ...key }: Row<'merchantKeys'>): string {
  const seen = lastSeenAt === null ? 'not seen yet' : `last seen ${dateTimeInIndia(lastSeenAt)} (IST)`
  const wrong = isSigning(key) ? `, ${wrongSignatures} wrong signature${wrongSignatures === 1 ? '' : 's'} since it began to sign` : ''
  return `key ${clientId}, number ${keyNumber(generation)}${placeOf(key)}; ${seen}${wrong}`
}

type State = Pick<Row<'merchantKeys'>, 'retiresAt' | 'isPrepared'>
const isSigning = ({ retiresAt, isPrepared }: State) => retiresAt === null && !isPrepared
function placeOf({ retiresAt, isPrepared }: State): string {
  if (isPrepared) return ', prepared: accepted, does not sign'
  if (retiresAt === null) return ', signs'
  return retiresAt === ENDED_AT_ONCE ? ', ended' : `, good until ${dateTimeInIndia(retiresAt)} (IST)`
}

function settingsOf(merchant: Merchant): string[] {
  const { notification, websites, feeHundredths } = merchant
  const values: Readonly<Record<string, unknown>> = { ...merchant, fee: toRupees(feeHundredths) }
  const text = (value: unknown) => (Array.isArray(value) ? value.join(',') : String(value ?? ''))
  return [
    ...[...TEXTS, ...FLAGS, ...LISTS].map((name) => `${name}=${text(values[name])}`),
    ...Object.entries(websites).flatMap(([website, urls]) =>
      (['callbackUrl', 'mandateUrl'] as const).map((name) => `websites.${website}.${name}=${urls[name] ?? ''}`),
    ),
    `notification.url=${notification?.url ?? ''}${notification?.isRegistered ? '   (a plugin registered it)' : ''}`,
    `notification.form=${notification?.form ?? ''}`,
    `notification.secret ${notification ? 'is set' : 'is not set'}`,
  ]
}

const historyOf = (events: readonly Row<'events'>[]) =>
  tableOf([
    ['at (IST)', 'what', 'by', 'settings or key'],
    ...events.map(({ at, type, data }) => [
      ...[dateTimeInIndia(at), type.slice(type.indexOf('.') + 1)],
      ...[String(data['by'] ?? ''), String(data['settings'] ?? '').replace('feeHundredths', 'fee')],
    ]),
  ])

// -------------------------------------------------------------------------------------------------------------------- set

export async function set({ mid }: { mid: string }, given: readonly string[]) {
  if (given.length === 0) throw new SettingError('name what to set as NAME=VALUE, as `mohur merchant show` prints it')
  const assigned = given.map((each) => {
    const at = each.indexOf('=')
    if (at < 1) throw new SettingError(`${each} is not NAME=VALUE`)
    return [each.slice(0, at), each.slice(at + 1)] as const
  })
  const twice = assigned.map(([name]) => name).find((name, at, names) => names.indexOf(name) !== at)
  if (twice !== undefined) throw new SettingError(`${twice} is set twice`)
  const fresh = new SystemRandom()
  await changing(mid, 'merchant.set', (before, mode) => {
    const { settings, entry, secret } = columnsOf(before, assigned, fresh)
    if (mode === 'production' && entry.notification) refuseAddress(entry)
    const shown = secret === undefined ? [] : [`notification.secret ${secret}`, 'Keep the secret now: it is not shown again.']
    return { settings, shown }
  })
}

function refuseAddress(entry: Entry) {
  try {
    refuseUndeliverable({ merchants: [entry] })
  } catch (error) {
    if (!(error instanceof WorldError)) throw error
    throw cannotBeSet(error)
  }
}

interface Assignment {
  /** The assigned settings as an entry of a world file, so that the same schema checks them. */
  entry: Entry
  settings: Columns
  /** A new secret, if the merchant had none. It is shown once. */
  secret?: string
}

function columnsOf(before: Merchant, assigned: readonly (readonly [name: string, value: string])[], fresh: Random): Assignment {
  const entry: Record<string, unknown> = { mid: before.mid }
  const cleared: Record<string, null> = {}
  const websites: Websites = structuredClone(before.websites)
  const { isRegistered: _, ...notified } = before.notification ?? { form: 'json' as const, secret: undefined }
  const notification: Record<string, string | undefined> = { ...notified }
  for (const [name, value] of assigned) {
    const [, website, url] = /^websites\.(.+?)(?:\.(callbackUrl|mandateUrl))?$/.exec(name) ?? []
    const [, ofNotification] = /^notification\.(url|form|secret)$/.exec(name) ?? []
    if (value === '' && isOne(OPTIONAL, name)) cleared[name] = null
    else if (value === '' && name === 'fee') entry[name] = '0.00'
    else if (isOne(TEXTS, name)) entry[name] = value
    else if (isOne(FLAGS, name)) entry[name] = flag(name, value)
    else if (isOne(LISTS, name)) entry[name] = value === '' ? [] : value.split(',')
    else if (website !== undefined) {
      setWebsite(websites, website, url as 'callbackUrl' | undefined, value)
      entry['websites'] = websites
    } else if (ofNotification !== undefined) {
      notification[ofNotification] = value === '' ? undefined : value
      entry['notification'] = notification
    } else throw new SettingError(`${name} cannot be set. \`mohur merchant show ${before.mid}\` prints the settings.`)
  }
  const isNew = entry['notification'] !== undefined && notification['secret'] === undefined
  const secret = isNew ? `whsec_${Buffer.from(fresh.hex(SECRET_BYTES), 'hex').toString('base64')}` : undefined
  if (secret !== undefined) notification['secret'] = secret
  const judged = judgedEntry(JSON.parse(JSON.stringify(entry)))
  const row = merchantRow(judged, before, { signedModify: 'amount', now: 0 })
  // A cleared address stays cleared, even if a plugin registered it.
  const changed: Record<string, unknown> = { ...cleared, ...(judged.notification && { notification: judged.notification }) }
  for (const name of Object.keys(judged) as (keyof Entry)[]) {
    const column = name === 'fee' ? 'feeHundredths' : name
    if (name !== 'mid' && name !== 'keys' && name !== 'notification') changed[column] = row[column as keyof Merchant]
  }
  return { entry: judged, settings: changed as Columns, ...(secret !== undefined && { secret }) }
}

function flag(name: string, value: string): boolean {
  if (value !== 'true' && value !== 'false') throw new SettingError(`${name} is true or false`)
  return value === 'true'
}

/** `websites.NAME=` removes the name. An empty URL removes only that URL. */
function setWebsite(websites: Websites, website: string, url: 'callbackUrl' | 'mandateUrl' | undefined, value: string) {
  if (!isWebsiteName(website)) throw new SettingError(`${website} cannot name a website. A name has ${WEBSITE_TAKES}.`)
  if (url === undefined && value !== '') throw new SettingError(`write websites.${website}.callbackUrl=${value}`)
  if (url === undefined) {
    delete websites[website]
    if (Object.keys(websites).length === 0) throw new SettingError('a merchant needs at least one website')
    return
  }
  const { [url]: _, ...rest } = websites[website] ?? {}
  websites[website] = value === '' ? rest : { ...rest, [url]: value }
}

function judgedEntry(entry: unknown): Entry {
  try {
    return readWorld({ merchants: [entry] }).merchants![0]!
  } catch (error) {
    if (!(error instanceof WorldError)) throw error
    throw cannotBeSet(error)
  }
}

/** `  /merchants/0/fee must match …` becomes `  fee takes …`. Other lines stay. */
function cannotBeSet({ message }: WorldError): SettingError {
  const [, ...lines] = message.split('\n')
  const said = lines.map((line) => {
    const [, path = ''] = /^ {2}\/merchants\/0\/(\S+) /.exec(line) ?? []
    const takes = TAKES[path] ?? TAKES[path.split('/')[0]!]
    return takes ? `  ${path.replaceAll('/', '.')} takes ${takes}` : line
  })
  return new SettingError(`this cannot be set:\n${[...new Set(said)].join('\n')}`)
}

// -------------------------------------------------------------------------------------------------------- disable, enable

export const disable = ({ mid }: { mid: string }) => turnTo(mid, 'DISABLED')
export const enable = ({ mid }: { mid: string }) => turnTo(mid, 'ACTIVE')

const turnTo = (mid: string, status: Merchant['status']) =>
  changing(mid, status === 'ACTIVE' ? 'merchant.enable' : 'merchant.disable', () => ({ settings: { status }, shown: [] }))

// ------------------------------------------------------------------------------------------------------------- what all do

const changing = (
  mid: string,
  action: Action,
  wanted: (before: Merchant, mode: Settings['mode']) => { settings: Columns; shown: string[] },
) => {
  const act = (_: string, { settings }: Pick<ChangeMerchant, 'settings'>) => ({
    ...{ action, subject: `merchant:${mid}`, mid, data: { settings: Object.keys(settings).join(',') } },
  })
  return acting(act, async ({ engine, query, clock, mode }) => {
    const before = await query.row(merchantKey(mid))
    if (!before) throw noMerchant(mid)
    const { settings: columns, shown } = wanted(before, mode)
    const command = { mid, version: before.version, settings: columns, by: 'command', now: clock.now() } as const
    const { result, body } = await engine.submit(changeMerchant, command)
    if (result.name === 'unknown') throw noMerchant(mid)
    if (result.name === 'stale') throw new SettingError(`${mid} was changed at the same moment, so nothing is set: run the command again`)
    if (result.name === 'same') return say(`${mid}: nothing changed`)
    const names = (body as { names: string[] }).names.map((name) => (name === 'feeHundredths' ? 'fee' : name))
    const changed = columns.status ? `status is now ${columns.status}` : `${names.join(', ')} changed`
    say(`${mid}: ${changed}; every running process uses it within five seconds`)
    for (const line of shown) say(line)
    if (settingsHere().world !== undefined || isOfDemo(mid, mode))
      say('The next start sets again what the world file or the demo world names.')
  })
}

const isOfDemo = (mid: string, mode: Settings['mode']) =>
  mode === 'sandbox' && demoWorld.merchants!.some((merchant) => merchant.mid === mid)
