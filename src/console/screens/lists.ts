// The lists of orders, payments, refunds and subscriptions.

import type { FastifyInstance } from 'fastify'
import { dateTimeInIndia } from '../../engine/clock.ts'
import { ordersListed } from '../../flows/list-orders.ts'
import { type Listing, portionOf } from '../../flows/list-portions.ts'
import { toRupees } from '../../interface/money.ts'
import { html, type Part } from '../../pages/html.ts'
import { formatRupees } from '../../pages/kit/amounts.ts'
import type { Row } from '../../tables/tables.ts'
import type { ConsoleParts } from '../kit/parts.ts'
import { orderAddress, paymentAddress, stateOf, subscriptionAddress } from './addresses.ts'
import type { Filters } from './filters.ts'
import { addList, type ListColumn } from './list.ts'
import { askRefundButton, askRefundForm } from './order-actions.ts'

const linkOf = (address: string, text: string) => html`<a href="${address}"><bdi>${text}</bdi></a>`

const listing = ({ mids, from, to, after, limit }: Filters & { limit: number }): Omit<Listing, 'where'> => ({
  mids,
  from,
  to,
  limit,
  ...(after && { after }),
})
const moneyColumn = <R>(name: string, paise: (row: R) => number): ListColumn<R> => ({
  ...{ name, isAmount: true, value: (row) => Number(toRupees(paise(row))), cell: (row) => formatRupees(paise(row)) },
})
const merchantColumn = { name: 'Merchant', value: ({ mid }: { mid: string }) => mid }

const ORDERS = {
  unpaid: 'not paid',
  any: 'any',
  created: 'created',
  inProcess: 'being paid',
  paid: 'paid',
  closed: 'closed',
} as const
const ORDER_STATUSES: Readonly<Record<string, readonly Row<'orders'>['status'][]>> = {
  unpaid: ['CREATED', 'IN_PROCESS', 'CLOSED'],
  any: ['CREATED', 'IN_PROCESS', 'CLOSED', 'PAID'],
  ...{ created: ['CREATED'], inProcess: ['IN_PROCESS'], paid: ['PAID'], closed: ['CLOSED'] },
}
const PAYMENTS = { any: 'any', paid: 'paid', pending: 'pending', unknown: 'no answer', failed: 'failed', begun: 'begun' }
const PAYMENT_STATUSES: Readonly<Record<string, Row<'transactions'>['status']>> = {
  ...{ paid: 'SUCCESS', pending: 'PENDING', unknown: 'UNKNOWN', failed: 'FAILURE', begun: 'INITIATED' },
}
const REFUNDS = { any: 'any', pending: 'pending', done: 'done', failed: 'failed' }
const REFUND_STATUSES: Readonly<Record<string, string>> = { pending: 'PENDING', done: 'SUCCESS', failed: 'FAILURE' }
const SUBSCRIPTIONS = {
  any: 'any',
  ACTIVE: 'active',
  AUTHORIZED: 'authorised',
  SUSPENDED: 'paused',
  INIT: 'begun',
  CLOSED: 'closed',
  EXPIRED: 'expired',
  REJECT: 'rejected',
}

const DAY_MS = 24 * 60 * 60_000

export function addLists(scope: FastifyInstance, parts: ConsoleParts) {
  const { aside, ports } = parts
  addList<Row<'orders'>>(scope, parts, {
    ...{ chapter: 'orders', title: 'Orders', states: ORDERS, filters: [], empty: 'No orders match. Try a longer period.' },
    columns: [
      { name: 'Time (IST)', value: ({ txnTokenIssuedAt }) => dateTimeInIndia(txnTokenIssuedAt) },
      merchantColumn,
      { name: 'Order', value: ({ orderId }) => orderId, cell: ({ mid, orderId }) => linkOf(orderAddress(mid, orderId), orderId) },
      moneyColumn('Amount', ({ amountPaise }) => amountPaise),
      { name: 'State', value: ({ status }) => status, cell: ({ status }) => stateOf(status) },
      { name: 'Attempts', value: ({ transactionCount }) => transactionCount },
    ],
    ask: (filters) => ordersListed(aside, { ...listing(filters), statuses: ORDER_STATUSES[filters.state]!, now: ports.clock.now() }),
  })
  addList<Row<'transactions'>>(scope, parts, {
    ...{ chapter: 'payments', title: 'Payments', states: PAYMENTS, filters: ['mode', 'amount', 'code'] },
    empty: 'No payments match. Try a longer period.',
    columns: [
      { name: 'Time (IST)', value: ({ initiatedAt }) => dateTimeInIndia(initiatedAt) },
      merchantColumn,
      { name: 'Order', value: ({ orderId }) => orderId, cell: ({ mid, orderId, txnId }) => linkOf(paymentAddress(mid, txnId), orderId) },
      { name: 'Mode', value: ({ paymentMode }) => paymentMode },
      { ...moneyColumn('Amount', paidPaise), cell: paidAmount },
      { ...moneyColumn('Before discount', ({ amountPaise }) => amountPaise), isOfFile: true },
      { name: 'State', value: ({ status }) => status, cell: ({ status }) => stateOf(status) },
      { name: 'Result', value: ({ result }) => result },
    ],
    ask: (filters) => portionOf(aside, 'transactions', { ...listing(filters), ...paymentsWanted(filters) }),
  })
  addList<Row<'refunds'>>(scope, parts, {
    ...{ chapter: 'refunds', title: 'Refunds', states: REFUNDS, filters: [], empty: 'No refunds match. Try a longer period.' },
    columns: [
      { name: 'Asked (IST)', value: ({ requestedAt }) => dateTimeInIndia(requestedAt) },
      merchantColumn,
      { name: 'Order', value: ({ orderId }) => orderId, cell: ({ mid, orderId }) => linkOf(orderAddress(mid, orderId), orderId) },
      { name: 'Refund', value: ({ refId }) => refId },
      moneyColumn('Amount', ({ amountPaise }) => amountPaise),
      { name: 'State', value: ({ status }) => status, cell: ({ status }) => stateOf(status === 'SUCCESS' ? 'done' : status) },
      { name: 'Days since', value: ({ requestedAt }) => Math.floor((ports.clock.now() - requestedAt) / DAY_MS) },
      { name: 'Action', actsBy: 'orders', value: () => '', cell: askRefundButton },
    ],
    form: (viewer, _filters, rows) => askRefundForm(viewer, rows),
    ask: (filters) => {
      const status = REFUND_STATUSES[filters.state]
      return portionOf(aside, 'refunds', { ...listing(filters), ...(status !== undefined && { where: { status } }) })
    },
  })
  addList<Row<'subscriptions'>>(scope, parts, {
    ...{ chapter: 'subscriptions', title: 'Subscriptions', states: SUBSCRIPTIONS, filters: [] },
    empty: 'No subscriptions that began in this period match. Try a longer period.',
    columns: [
      { name: 'Begun (IST)', value: ({ createdAt }) => dateTimeInIndia(createdAt) },
      merchantColumn,
      {
        name: 'Subscription',
        value: ({ subscriptionId }) => subscriptionId,
        cell: ({ mid, subscriptionId }) => linkOf(subscriptionAddress(mid, subscriptionId), subscriptionId),
      },
      { name: 'Every', value: ({ frequency, frequencyUnit }) => `${frequency} ${frequencyUnit}` },
      moneyColumn('At most', ({ maxAmountPaise }) => maxAmountPaise),
      { name: 'State', value: ({ status, subStatus }) => `${status}/${subStatus}`, cell: ({ status }) => stateOf(status) },
      { name: 'Mode', value: ({ paymentMode }) => paymentMode ?? '' },
    ],
    ask: (filters) =>
      portionOf(aside, 'subscriptions', { ...listing(filters), ...(filters.state !== 'any' && { where: { status: filters.state } }) }),
  })
}

/** Filters by the amount that the list shows: the amount that the payer pays, after a discount. */
function paymentsWanted({ state, mode, amountPaise, code }: Filters): Pick<Listing, 'where' | 'sum'> {
  const status = PAYMENT_STATUSES[state]
  const where = {
    ...(status !== undefined && { status }),
    ...(mode !== undefined && { paymentMode: mode.toUpperCase() }),
    ...(code !== undefined && { result: code }),
  }
  return { where, ...(amountPaise !== undefined && { sum: { columns: ['walletPaise', 'bankPaise'], is: amountPaise } }) }
}

type Amounts = Pick<Row<'transactions'>, 'amountPaise' | 'discountPaise' | 'walletPaise' | 'bankPaise'>
export const paidPaise = ({ walletPaise, bankPaise }: Amounts) => walletPaise + bankPaise
/** The paid amount, with the order's amount when a discount makes the two differ. */
export const paidAmount = (amounts: Amounts): Part =>
  amounts.discountPaise === 0
    ? formatRupees(paidPaise(amounts))
    : html`${formatRupees(paidPaise(amounts))} <span class="quiet">of ${formatRupees(amounts.amountPaise)}</span>`
