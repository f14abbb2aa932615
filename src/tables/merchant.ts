import {
  boolean,
  integer,
  json,
  oneOf,
  optionalInteger,
  optionalJson,
  optionalSealed,
  optionalText,
  sealed,
  table,
  text,
} from './columns.ts'

/** Names one of a merchant's keys, and is never the key itself. */
export interface KeyName {
  clientId: string
  generation: string
}

export const merchants = table({
  columns: {
    mid: text,
    name: text,
    mcc: text,
    checksumEnabled: boolean,
    /** Whether an unsigned Modify Order is accepted, and for which changes: docs/decisions/0004. */
    signedModify: oneOf('optional', 'amount', 'always'),
    debitCardEmi: boolean,
    websites: json<Readonly<Record<string, { callbackUrl?: string; mandateUrl?: string }>>>(),
    /** Without `url` no notification goes out. `isRegistered`: a plugin of the merchant set or unset the address, not the operator. */
    notification: optionalSealed<{ url?: string; form: 'json' | 'classic'; secret: string; isRegistered?: true }>(),
    paymentModes: json<readonly string[]>(),
    /** The service's fee on every captured payment, in hundredths of a percent. */
    feeHundredths: integer,
    /** The fields of the browser's form (docs/interface.md section 6, "The callback"). */
    callbackFields: oneOf('all', 'core'),
    /** A plugin may say where notifications go (docs/interface.md section 4.18). */
    registersNotificationUrl: boolean,
    /** Refunds may be requested in the older flat form (docs/interface.md section 4.14). */
    flatRefund: boolean,
    /** When its payment page asks for a UPI id (domain/merchant/page-settings.ts). */
    upiCollect: oneOf('rule', 'always', 'never'),
    /** The sites that may show its payment page in a frame. Null is the default of domain/merchant/page-settings.ts. */
    pageOrigins: optionalJson<readonly string[]>(),
    /** The language of its pages if the payer's browser names no language that the pages have. */
    pageLanguage: optionalText,
    /** The creditor's name at banks, to which a bank mandate is given. */
    utilityCode: optionalText,
    /** The version of its latest event. 0 until an operator changes the merchant by a command. */
    version: integer,
    /** A disabled merchant gets no new orders and payments. Those under way go on (docs/decisions/0027). */
    status: oneOf('ACTIVE', 'DISABLED'),
    /** A contact for its payers when money may be on its way: a phone number, an e-mail address or an https address. */
    supportContact: optionalText,
  },
  key: ['mid'],
  checks: ['fee_hundredths between 0 and 10000', 'version >= 0', "version >= 1 or status = 'ACTIVE'"],
})

/** While a merchant rotates a key, two generations of one clientId live side by side, the older until `retiresAt`. */
export const merchantKeys = table({
  columns: {
    mid: text,
    clientId: text,
    generation: text,
    position: integer,
    key: sealed<string>(),
    retiresAt: optionalInteger,
    /** True: the key's signatures are accepted, and it signs only answers to requests that it signed. */
    isPrepared: boolean,
    /** When it last signed a request, at most an hour late. No decision reads it. */
    lastSeenAt: optionalInteger,
    /** Wrong signatures that arrived while this was the signing key. */
    wrongSignatures: integer,
  },
  key: ['mid', 'clientId', 'generation'],
  indexes: {
    merchantKeysByEnd: { columns: ['retiresAt'], where: 'retires_at is not null' },
    merchantKeysPrepared: { columns: ['mid', 'clientId'], unique: true, where: 'is_prepared = 1' },
  },
  checks: ['is_prepared = 0 or retires_at is null', 'wrong_signatures >= 0'],
})
