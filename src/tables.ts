// The data model on one page: every row, key, index and CHECK. Names are camelCase here and snake_case in the database.
// Every money rule is a CHECK as well as a line in a decision, so that no bug alone can break it.
//
// text, integer and JSON text only, the same in both engines. `sealed` is JSON text encrypted at the store's edge
// (docs/decisions/0005): rooms see plain values, the database, its log and its backups never do.

export interface Column<T = unknown> {
  kind: 'text' | 'integer' | 'boolean' | 'json' | 'sealed'
  optional: boolean
  oneOf?: readonly string[]
  /** Only for the compiler. */
  type?: T
}
const text: Column<string> = { kind: 'text', optional: false }
const optionalText: Column<string | null> = { kind: 'text', optional: true }
const integer: Column<number> = { kind: 'integer', optional: false }
const optionalInteger: Column<number | null> = { kind: 'integer', optional: true }
const boolean: Column<boolean> = { kind: 'boolean', optional: false }
const oneOf = <const T extends string>(...values: readonly T[]): Column<T> => ({ kind: 'text', optional: false, oneOf: values })
const json = <T>(): Column<T> => ({ kind: 'json', optional: false })
const sealed = <T>(): Column<T> => ({ kind: 'sealed', optional: false })
const optionalSealed = <T>(): Column<T | null> => ({ kind: 'sealed', optional: true })

export interface Table<Columns extends Record<string, Column> = Record<string, Column>> {
  columns: Columns
  /** Text columns; the first is `mid`, except where a bearer token's hash finds the row. */
  key: readonly (keyof Columns & string)[]
  indexes?: Readonly<Record<string, { columns: readonly (keyof Columns & string)[]; unique?: true; where?: string }>>
  checks?: readonly string[]
}
const table = <const Columns extends Record<string, Column>>(definition: Table<Columns>): Table<Columns> => definition

export type OrderStatus = 'CREATED' | 'IN_PROCESS' | 'PAID' | 'CLOSED'

/** Everything of an order that people typed. */
export interface OrderDetails {
  userInfo: Readonly<Record<string, string>>
  goodsInfo?: unknown
  shippingInfo?: unknown
  extendInfo?: unknown
  gatewayInfo?: unknown
  txnRoutingParams?: unknown
  integrationType?: string
}
/** What a payment option list starts from: docs/interface.md section 2, PaymentMode. */
export interface PaymentModeFilters {
  enable?: readonly { mode?: string; channels?: readonly string[]; banks?: readonly string[]; tenures?: readonly number[] }[]
  disable?: readonly { mode?: string; channels?: readonly string[]; banks?: readonly string[]; tenures?: readonly number[] }[]
}

export const tables = {
  merchants: table({
    columns: {
      mid: text,
      name: text,
      mcc: text,
      checksumEnabled: boolean,
      /** What an unsigned Modify Order may do: docs/decisions/0004. */
      signedModify: oneOf('optional', 'amount', 'always'),
      debitCardEmi: boolean,
      websites: json<Readonly<Record<string, { callbackUrl?: string; mandateUrl?: string }>>>(),
      notification: optionalSealed<{ url: string; form: 'json' | 'classic'; secret: string }>(),
      paymentModes: json<readonly string[]>(),
    },
    key: ['mid'],
  }),

  /** Two generations of one clientId live side by side while a merchant rotates: the older until `retiresAt`. */
  merchantKeys: table({
    columns: { mid: text, clientId: text, generation: text, position: integer, key: sealed<string>(), retiresAt: optionalInteger },
    key: ['mid', 'clientId', 'generation'],
  }),

  orders: table({
    columns: {
      mid: text,
      orderId: text,
      version: integer,
      status: oneOf('CREATED', 'IN_PROCESS', 'PAID', 'CLOSED'),
      requestType: oneOf('PAYMENT', 'SUBSCRIPTION', 'NATIVE_SUBSCRIPTION'),
      subscriptionId: optionalText,
      amountPaise: integer,
      modifyCount: integer,
      custId: text,
      websiteName: text,
      callbackUrl: optionalText,
      peonUrl: optionalText,
      txnTokenHash: text,
      /** Also the end of the txnToken itself, which is how a token alone finds its order: docs/decisions/0002. */
      txnTokenIssuedAt: integer,
      expiresAt: integer,
      paymentModes: json<PaymentModeFilters>(),
      details: sealed<OrderDetails>(),
    },
    key: ['mid', 'orderId'],
    indexes: {
      ordersByTokenTime: { columns: ['txnTokenIssuedAt'] },
      ordersToExpire: { columns: ['expiresAt'], where: "status = 'CREATED'" },
    },
    checks: [
      'amount_paise >= 0',
      'modify_count between 0 and 5',
      'version >= 1',
      "amount_paise > 0 or request_type = 'NATIVE_SUBSCRIPTION'",
    ],
  }),

  /** A signature that changed one order's amount may not change another's for 24 hours: docs/decisions/0004. */
  usedSignatures: table({
    columns: { mid: text, signatureHash: text, orderId: text, usedAt: integer },
    key: ['mid', 'signatureHash'],
    indexes: { usedSignaturesByAge: { columns: ['usedAt'] } },
  }),

  /** One per state change, kept for ever; `version` counts 1, 2, 3 … within one aggregate. */
  events: table({
    columns: {
      owner: text,
      aggregate: text,
      id: text,
      version: integer,
      type: text,
      fromStatus: text,
      toStatus: text,
      at: integer,
      data: json<Readonly<Record<string, string | number | boolean | null>>>(),
    },
    key: ['owner', 'aggregate', 'id', 'version'],
  }),

  /** Due work: claimed with a lease and a rising fence (docs/operating.md). */
  tasks: table({
    columns: {
      task: text,
      subject: text,
      dueAt: integer,
      attempts: integer,
      fence: integer,
      leaseUntil: integer,
      payload: sealed<Readonly<Record<string, unknown>>>(),
    },
    key: ['task', 'subject'],
    indexes: { tasksByDue: { columns: ['dueAt'] } },
  }),

  /** Single values that every process must agree on: the sandbox clock's offset. */
  settings: table({ columns: { name: text, value: text }, key: ['name'] }),

  signInClients: table({
    columns: { clientId: text, secretHash: text, scopes: json<readonly string[]>() },
    key: ['clientId'],
  }),

  /** An access (SSO) token by its keyed hash; the token itself is never kept. */
  ssoTokens: table({
    columns: {
      tokenHash: text,
      userId: text,
      mobile: text,
      clientId: text,
      familyId: text,
      scopes: json<readonly string[]>(),
      issuedAt: integer,
      expiresAt: integer,
      revokedAt: optionalInteger,
    },
    key: ['tokenHash'],
  }),

  /** Which user a merchant's customer is: set by the first valid SSO token that arrives with the custId. */
  customerLinks: table({
    columns: { mid: text, custId: text, userId: text, linkedAt: integer },
    key: ['mid', 'custId'],
  }),

  customers: table({
    columns: { mobile: text, userId: text, walletBalancePaise: integer, pendingVerification: boolean },
    key: ['mobile'],
    checks: ['wallet_balance_paise >= 0'],
  }),

  /** The sandbox's SMS inbox. */
  messages: table({
    columns: { mobile: text, id: text, at: integer, kind: text, content: sealed<{ text: string; otp?: string }>() },
    key: ['mobile', 'id'],
  }),
} as const

export type Tables = typeof tables
export type TableName = keyof Tables
type TypeOf<C> = C extends Column<infer T> ? T : never
export type Row<T extends TableName> = { readonly [C in keyof Tables[T]['columns']]: TypeOf<Tables[T]['columns'][C]> }

/** A row by its key. `lock` is for rows that the decision may change; `look` keeps merchants' orders from queueing behind each other. */
export interface Key<T extends TableName = TableName> {
  readonly table: T
  readonly id: readonly string[]
  readonly mode: 'lock' | 'look'
}
const lock = <T extends TableName>(table: T, ...id: string[]): Key<T> => ({ table, id, mode: 'lock' })
const look = <T extends TableName>(table: T, ...id: string[]): Key<T> => ({ table, id, mode: 'look' })

/** A declared set of rows, read without a lock; made by `find`, which knows the table's columns. */
export interface Find<T extends TableName = TableName> {
  readonly find: T
  readonly equals?: Readonly<Record<string, unknown>>
  readonly in?: { readonly column: string; readonly values: readonly (string | number)[] }
  readonly atMost?: Readonly<Record<string, unknown>>
  /** All in one direction, so that `beyond` can be compared as one value. */
  readonly orderBy?: readonly string[]
  readonly direction?: 'asc' | 'desc'
  readonly beyond?: readonly (string | number)[]
  readonly limit: number
}
type ColumnName<T extends TableName> = keyof Row<T> & string
export const find = <T extends TableName>(
  table: T,
  options: Omit<Find<T>, 'find' | 'equals' | 'in' | 'atMost' | 'orderBy'> & {
    readonly equals?: Partial<Row<T>>
    readonly in?: { readonly column: ColumnName<T>; readonly values: readonly (string | number)[] }
    readonly atMost?: Partial<Row<T>>
    readonly orderBy?: readonly ColumnName<T>[]
  },
): Find<T> => ({ find: table, ...options })

export const merchantKey = (mid: string) => look('merchants', mid)
export const orderKey = (mid: string, orderId: string) => lock('orders', mid, orderId)
export const usedSignatureKey = (mid: string, signatureHash: string) => lock('usedSignatures', mid, signatureHash)
export const taskKey = (task: string, subject: string) => lock('tasks', task, subject)
export const settingKey = (name: string) => lock('settings', name)
export const signInClientKey = (clientId: string) => look('signInClients', clientId)
export const ssoTokenKey = (tokenHash: string) => look('ssoTokens', tokenHash)
export const customerLinkKey = (mid: string, custId: string) => lock('customerLinks', mid, custId)
export const customerKey = (mobile: string) => look('customers', mobile)
/** Orders whose txnToken was issued at that very millisecond: a handful, of which at most one has the token's hash. */
export const ordersByTokenTime = (txnTokenIssuedAt: number) => find('orders', { equals: { txnTokenIssuedAt }, limit: 1_000 })
export const merchantKeysOf = (mid: string) => find('merchantKeys', { equals: { mid }, orderBy: ['position', 'generation'], limit: 20 })
