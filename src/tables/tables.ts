// The data model: every row, key, index and CHECK. Names are camelCase here and snake_case in the database.
// Every money rule is a CHECK as well as a line in a decision, so that no bug alone can break it.

import { auditLog } from './audit.ts'
import type { Column } from './columns.ts'
import { events, idempotencyKeys, settings, tasks } from './engine.ts'
import { ledgerEntries } from './ledger.ts'
import { merchantKeys, merchants } from './merchant.ts'
import { deliveryAttempts, notificationStreams, notifications, stoppedEndpoints } from './notification.ts'
import { approvalCommands, approvals, operatorSessions, operators, operatorTokens, signInFailures } from './operator.ts'
import { checkoutOtpSends, checkoutOtps, orders, usedSignatures } from './order.ts'
import { mandateCodeSends, mandateLinks, mandatePages } from './payer-page.ts'
import { pages } from './payment-page.ts'
import { accessTokens, promotionCounters, promotions, redemptions } from './promotion.ts'
import { refunds } from './refund.ts'
import { messages } from './sandbox.ts'
import { lateTerms, merchantOrders, searchOrders, searchTerms } from './search.ts'
import {
  customerLinks,
  customers,
  otpChallenges,
  otpFailures,
  otpSends,
  refreshTokens,
  signInClients,
  ssoTokens,
  tokenFamilies,
} from './signin.ts'
import { collections, notices, subscriptions } from './subscription.ts'
import { savedCards, transactions } from './transaction.ts'

export const tables = {
  merchants,
  merchantKeys,
  orders,
  subscriptions,
  collections,
  notices,
  usedSignatures,
  events,
  tasks,
  transactions,
  refunds,
  ledgerEntries,
  redemptions,
  savedCards,
  checkoutOtps,
  notificationStreams,
  notifications,
  deliveryAttempts,
  stoppedEndpoints,
  idempotencyKeys,
  settings,
  signInClients,
  otpChallenges,
  otpSends,
  checkoutOtpSends,
  otpFailures,
  tokenFamilies,
  refreshTokens,
  ssoTokens,
  customerLinks,
  customers,
  promotions,
  promotionCounters,
  accessTokens,
  pages,
  mandateLinks,
  mandatePages,
  mandateCodeSends,
  operators,
  operatorTokens,
  operatorSessions,
  signInFailures,
  approvals,
  approvalCommands,
  auditLog,
  searchOrders,
  searchTerms,
  lateTerms,
  merchantOrders,
  messages,
} as const

export type Tables = typeof tables
export type TableName = keyof Tables
type TypeOf<C> = C extends Column<infer T> ? T : never
export type Row<T extends TableName> = { readonly [C in keyof Tables[T]['columns']]: TypeOf<Tables[T]['columns'][C]> }

/**
 * A row by its key. `lock` is for rows that the decision may change. `look` locks nothing, so a merchant's orders do not queue behind each
 * other.
 */
export interface Key<T extends TableName = TableName> {
  readonly table: T
  readonly id: readonly string[]
  readonly mode: 'lock' | 'look'
  /** Table and id as one text, made once, because a batch looks keys up many times. */
  readonly name: string
}
export function nameOf(table: TableName, id: readonly string[]): string {
  let name: string = table // one paid order makes a hundred names, and a join costs half as much again
  for (const part of id) name += `\u0000${part}`
  return name
}
const keyOf =
  (mode: Key['mode']) =>
  <T extends TableName>(table: T, ...id: string[]): Key<T> => ({ table, id, mode, name: nameOf(table, id) })
export const lock = keyOf('lock')
export const look = keyOf('look')

/** A declared set of rows, read without a lock. `find` makes it, because it knows the table's columns. */
export interface Find<T extends TableName = TableName> {
  readonly find: T
  readonly equals?: Readonly<Record<string, unknown>>
  readonly in?: { readonly column: string; readonly values: readonly (string | number)[] }
  /** The set once for each of these values, in one statement. `limit` counts for each. */
  readonly each?: { readonly column: string; readonly values: readonly (string | number)[] }
  readonly atMost?: Readonly<Record<string, unknown>>
  readonly atLeast?: Readonly<Record<string, unknown>>
  /** Only the row that is last by `by`, among all rows that are equal in `of`. */
  readonly lastOf?: { readonly of: readonly string[]; readonly by: string }
  /** All columns in one direction, so that `beyond` can be compared as one value. */
  readonly orderBy?: readonly string[]
  readonly direction?: 'asc' | 'desc'
  readonly beyond?: readonly (string | number)[]
  readonly limit: number
  /**
   * Only the matching rows among the first `firstOf` of the set: a filter that no index serves, bounded even if matching rows are rare.
   * With `beyond`, the search goes on behind the last row that was examined.
   */
  readonly filter?: Filter
  /** How many rows are skipped first, for lists whose pages have numbers, and whose last page is bounded. */
  readonly offset?: number
  /** The columns to read. If one of them is sealed, the key's columns must be among them. Absent: all. The rows lack the other columns. */
  readonly only?: readonly string[]
  /**
   * Leaves sealed columns and JSON null. Sweeps for overdue rows set it, so that one row that cannot be opened does not hide all
   * others.
   */
  readonly unopened?: true
}
export interface Filter {
  readonly firstOf: number
  readonly equals?: Readonly<Record<string, unknown>>
  /** Columns that have to add up to `is`. */
  readonly sum?: { readonly columns: readonly string[]; readonly is: number }
  readonly in?: { readonly column: string; readonly values: readonly (string | number)[] }
}
type ColumnName<T extends TableName> = keyof Row<T> & string
export const find = <T extends TableName>(
  table: T,
  options: Omit<Find<T>, 'find' | 'equals' | 'in' | 'each' | 'atMost' | 'atLeast' | 'lastOf' | 'orderBy' | 'only' | 'filter'> & {
    readonly equals?: Partial<Row<T>>
    readonly in?: { readonly column: ColumnName<T>; readonly values: readonly (string | number)[] }
    readonly each?: { readonly column: ColumnName<T>; readonly values: readonly (string | number)[] }
    readonly atMost?: Partial<Row<T>>
    readonly atLeast?: Partial<Row<T>>
    readonly lastOf?: { readonly of: readonly ColumnName<T>[]; readonly by: ColumnName<T> }
    readonly orderBy?: readonly ColumnName<T>[]
    readonly only?: readonly ColumnName<T>[]
    readonly filter?: Omit<Filter, 'equals' | 'sum' | 'in'> & {
      readonly equals?: Partial<Row<T>>
      readonly sum?: { readonly columns: readonly ColumnName<T>[]; readonly is: number }
      readonly in?: { readonly column: ColumnName<T>; readonly values: readonly (string | number)[] }
    }
  },
): Find<T> => ({ find: table, ...options })
