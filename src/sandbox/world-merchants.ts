// The merchants of a world file and their keys, as rows and events: docs/sandbox.md.

import Type, { type Static } from 'typebox'
import { DEFAULT_MCC, keyName, keyOf, lockMerchant, NEW_KEY } from '../domain/merchant/keys.ts'
import { changedColumns, changedMerchant } from '../domain/merchant/merchant-event.ts'
import type { Change, Event } from '../engine/decision.ts'
import type { StoreTransaction } from '../engine/store.ts'
import { mid } from '../interface/fields.ts'
import { toPaise } from '../interface/money.ts'
import { ORDER_PAYMENT_MODES, type PaymentModeName, paymentModes, SUBSCRIPTION_PAYMENT_MODES } from '../interface/payment-modes.ts'
import { type Language, languages } from '../pages/kit/messages/messages.ts'
import { SECRET_FORM } from '../settings.ts'
import { merchantKeysOf } from '../tables/keys.ts'
import type { Row } from '../tables/tables.ts'
import { percent } from './world-promotions.ts'

type Merchant = Row<'merchants'>
type MerchantKey = Row<'merchantKeys'>

/** The generation of a key from a file. Rotation counts up from this number. */
export const FROM_FILE = '0'
/** The modes of a merchant that names none. The modes of orders come first. */
export const PAYMENT_MODES: readonly PaymentModeName[] = [
  ...ORDER_PAYMENT_MODES,
  ...SUBSCRIPTION_PAYMENT_MODES.filter((mode) => !paymentModes[mode].isOfOrders),
]

const optional = Type.Optional
const name = Type.String({ minLength: 1, maxLength: 255, format: 'text' })
const strict = { additionalProperties: false }
const KEYS_MAX = 40 // Mohur's choice: for one merchant; these keys and the keys that rotation adds stay below MERCHANT_KEYS_MAX
const PAGE_ORIGINS_MAX = 50 // Mohur's choice: all origins stand in one header of each page

export const merchant = Type.Object(
  {
    mid,
    name: optional(name),
    mcc: optional(Type.String({ pattern: '^[0-9]{4}$' })),
    keys: optional(
      Type.Array(Type.Object({ clientId: Type.String({ pattern: '^[A-Za-z0-9]{1,3}$' }), key: Type.String() }, strict), {
        minItems: 1,
        maxItems: KEYS_MAX,
      }),
    ),
    checksumEnabled: optional(Type.Boolean()),
    signedModify: optional(Type.Enum(['optional', 'amount', 'always'])),
    debitCardEmi: optional(Type.Boolean()),
    /** Percent of every captured payment. */
    fee: optional(percent),
    websites: optional(
      Type.Record(
        Type.String(),
        Type.Object(
          { callbackUrl: optional(Type.String({ format: 'httpUrl' })), mandateUrl: optional(Type.String({ format: 'httpUrl' })) },
          strict,
        ),
        { propertyNames: { type: 'string', format: 'websiteName' } },
      ),
    ),
    notification: optional(
      Type.Object(
        {
          url: optional(Type.String({ format: 'httpUrl' })),
          form: Type.Enum(['json', 'classic']),
          secret: Type.String({ pattern: SECRET_FORM.source }),
        },
        strict,
      ),
    ),
    registersNotificationUrl: optional(Type.Boolean()),
    flatRefund: optional(Type.Boolean()),
    callbackFields: optional(Type.Enum(['all', 'core'])),
    upiCollect: optional(Type.Enum(['rule', 'always', 'never'])),
    pageOrigins: optional(Type.Array(Type.String({ format: 'origin' }), { maxItems: PAGE_ORIGINS_MAX })),
    pageLanguage: optional(Type.Enum(Object.keys(languages) as Language[])),
    supportContact: optional(Type.String({ format: 'supportContact' })),
    utilityCode: optional(Type.String({ pattern: '^[A-Z0-9]{1,20}$' })),
    paymentModes: optional(Type.Array(Type.Enum([...PAYMENT_MODES]))),
  },
  strict,
)
type GivenMerchant = Static<typeof merchant>

interface Merchants {
  changes: Change[]
  events: Event[]
  /** For the operator, about entries that were left unchanged. */
  warnings: string[]
}

/** `rows` are the rows that the world names, locked. */
export async function merchantChanges(
  transaction: Pick<StoreTransaction, 'find'>,
  rows: ReadonlyMap<string, unknown>,
  merchants: readonly GivenMerchant[],
  defaults: Defaults,
): Promise<Merchants> {
  const made: Merchants = { changes: [], events: [], warnings: [] }
  const known = await Promise.all(merchants.map(({ mid, keys }) => (keys ? transaction.find(merchantKeysOf(mid)) : [])))
  for (const [at, given] of merchants.entries()) {
    const { mid } = given
    const before = rows.get(lockMerchant(mid).name) as Merchant | undefined
    const keys = keysOf(given, known[at] as readonly MerchantKey[])
    const after = merchantRow(given, before, defaults)
    const settings = before ? [...changedColumns(before, after), ...keys.changed] : []
    const type = 'changed'
    const told = before && settings.length > 0 && changedMerchant({ type, before, after, by: 'world file', settings, now: defaults.now })
    made.changes.push({ kind: before ? 'update' : 'insert', key: lockMerchant(mid), row: told ? told.row : after }, ...keys.changes)
    if (told) made.events.push(told.event)
    made.warnings.push(...keys.warnings)
  }
  return made
}

function keysOf({ mid, keys = [] }: GivenMerchant, known: readonly MerchantKey[]) {
  const found: { changes: Change[]; changed: string[]; warnings: string[] } = { changes: [], changed: [], warnings: [] }
  for (const [position, { clientId, key }] of keys.entries()) {
    const own = known.filter((row) => row.clientId === clientId)
    // After a rotation or preparation the store decides. The file may name an older key, or the prepared one.
    if (own.some(({ generation }) => generation !== FROM_FILE)) {
      if (!own.some((row) => row.key === key && row.retiresAt === null && !row.isPrepared))
        found.warnings.push(rotatedWarning(mid, clientId))
      continue
    }
    const before = own.find(({ generation }) => generation === FROM_FILE)
    const isSame = before?.key === key
    const row: MerchantKey = { ...(isSame ? before : NEW_KEY), mid, clientId, generation: FROM_FILE, position, key }
    found.changes.push({ kind: before ? 'update' : 'insert', key: keyOf(mid, clientId, FROM_FILE), row })
    if (!isSame) found.changed.push(keyName({ clientId, generation: FROM_FILE }))
  }
  return found
}

const rotatedWarning = (mid: string, clientId: string) =>
  `the world names a key of merchant ${mid}, clientId ${clientId}, that is not the one that signs since a rotation. The key is ignored: remove it from the file.`

/** Values for members that an entry leaves out. `now` dates the wallets that open. */
export interface Defaults {
  signedModify: 'optional' | 'amount'
  flatRefund?: boolean
  now: number
}
export function merchantRow(given: GivenMerchant, before: Row<'merchants'> | undefined, defaults: Defaults): Row<'merchants'> {
  return {
    mid: given.mid,
    name: given.name ?? before?.name ?? given.mid,
    mcc: given.mcc ?? before?.mcc ?? DEFAULT_MCC,
    checksumEnabled: given.checksumEnabled ?? before?.checksumEnabled ?? true,
    signedModify: given.signedModify ?? before?.signedModify ?? defaults.signedModify,
    debitCardEmi: given.debitCardEmi ?? before?.debitCardEmi ?? false,
    feeHundredths: given.fee === undefined ? (before?.feeHundredths ?? 0) : toPaise(given.fee),
    websites: given.websites ?? before?.websites ?? { DEFAULT: {} },
    notification: notificationOf(given.notification, before?.notification ?? null),
    registersNotificationUrl: given.registersNotificationUrl ?? before?.registersNotificationUrl ?? false,
    callbackFields: given.callbackFields ?? before?.callbackFields ?? 'all',
    upiCollect: given.upiCollect ?? before?.upiCollect ?? 'rule',
    pageOrigins: given.pageOrigins ?? before?.pageOrigins ?? null,
    pageLanguage: given.pageLanguage ?? before?.pageLanguage ?? null,
    utilityCode: given.utilityCode ?? before?.utilityCode ?? null,
    flatRefund: given.flatRefund ?? before?.flatRefund ?? defaults.flatRefund ?? false,
    paymentModes: given.paymentModes ?? before?.paymentModes ?? PAYMENT_MODES,
    version: before?.version ?? 0,
    status: before?.status ?? 'ACTIVE',
    supportContact: given.supportContact ?? before?.supportContact ?? null,
  }
}

/** An entry without an address keeps the address that a plugin registered. */
function notificationOf(given: GivenMerchant['notification'], before: Row<'merchants'>['notification']): Row<'merchants'>['notification'] {
  if (!given || given.url !== undefined || !before?.isRegistered) return given ?? before
  return { ...before, ...given }
}
