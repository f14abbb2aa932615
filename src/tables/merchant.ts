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

/** One of a merchant's keys, by its place: never the key itself. */
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
    /** What an unsigned Modify Order may do: docs/decisions/0004. */
    signedModify: oneOf('optional', 'amount', 'always'),
    debitCardEmi: boolean,
    websites: json<Readonly<Record<string, { callbackUrl?: string; mandateUrl?: string }>>>(),
    /** Without `url` nobody is told. `isRegistered`: a plugin of the merchant's set or unset the address, not the operator. */
    notification: optionalSealed<{ url?: string; form: 'json' | 'classic'; secret: string; isRegistered?: true }>(),
    paymentModes: json<readonly string[]>(),
    /** What the service keeps of every captured payment, in hundredths of a percent; 0 is nothing. */
    feeHundredths: integer,
    /** Of the browser's form: docs/interface.md section 6, "The callback". */
    callbackFields: oneOf('all', 'core'),
    /** Whether a plugin may say where notifications go: docs/interface.md section 4.18. */
    registersNotificationUrl: boolean,
    /** Whether refunds may be asked for in the older flat form: docs/interface.md section 4.14. */
    flatRefund: boolean,
    /** Whether its payment page asks for a UPI id: domain/merchant/page-settings.ts. */
    upiCollect: oneOf('rule', 'always', 'never'),
    /** Whose pages may show its payment page in a frame; null is the default of domain/merchant/page-settings.ts. */
    pageOrigins: optionalJson<readonly string[]>(),
    /** Of his pages, where the payer's browser names no language that they speak. */
    pageLanguage: optionalText,
    /** The creditor's name at banks, which a bank mandate is given to. */
    utilityCode: optionalText,
    /** Of its latest event; 0 while an operator has changed nothing by a command. */
    version: integer,
    /** Without new orders and payments, what is under way goes on: docs/decisions/0027. */
    status: oneOf('ACTIVE', 'DISABLED'),
    /** Whom its payers ask where money may be on its way: a phone number, an e-mail address or an https address. */
    supportContact: optionalText,
  },
  key: ['mid'],
  checks: ['fee_hundredths between 0 and 10000', 'version >= 0', "version >= 1 or status = 'ACTIVE'"],
})

/** Two generations of one clientId live side by side while a merchant rotates: the older until `retiresAt`. */
export const merchantKeys = table({
  columns: {
    mid: text,
    clientId: text,
    generation: text,
    position: integer,
    key: sealed<string>(),
    retiresAt: optionalInteger,
    /** Its signatures are accepted, and it signs nothing but the answer to a request that it signed. */
    isPrepared: boolean,
    /** When a request was last signed with it; at most an hour late, and nothing is decided by it. */
    lastSeenAt: optionalInteger,
    /** Wrong signatures that came while it was the key that signs. */
    wrongSignatures: integer,
  },
  key: ['mid', 'clientId', 'generation'],
  indexes: {
    merchantKeysByEnd: { columns: ['retiresAt'], where: 'retires_at is not null' },
    merchantKeysPrepared: { columns: ['mid', 'clientId'], unique: true, where: 'is_prepared = 1' },
  },
  checks: ['is_prepared = 0 or retires_at is null', 'wrong_signatures >= 0'],
})
