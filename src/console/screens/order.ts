// One order, and one payment of it: facts, attempts, history and what happens next, all from stored rows.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Action } from '../../domain/audit/actions.ts'
import { writeAudit } from '../../domain/audit/write-audit.ts'
import { refundablePaise } from '../../domain/refund/refund.ts'
import { masked } from '../../domain/subscription/subscription-view.ts'
import { dateTimeInIndia } from '../../engine/clock.ts'
import { type OrderHistory, type OrderPlace, orderHistory, orderRows } from '../../flows/order-history.ts'
import { sayNext } from '../../flows/order-next.ts'
import { html, type Part } from '../../pages/html.ts'
import { formatRupees } from '../../pages/kit/amounts.ts'
import type { Table } from '../../tables/columns.ts'
import { merchantKey } from '../../tables/keys.ts'
import { look, type Row, type TableName, tables } from '../../tables/tables.ts'
import { doneNotice } from '../kit/action-form.ts'
import { ConsoleError } from '../kit/console-error.ts'
import type { ConsoleParts, Viewer } from '../kit/parts.ts'
import { formOf, guarded, sendPage } from '../kit/sheet.ts'
import { byOf } from '../people/sign-in.ts'
import { orderAddress, paymentAddress, stateOf, subscriptionAddress } from './addresses.ts'
import { paidAmount, paidPaise } from './lists.ts'
import { addNote, noteForm } from './notes.ts'
import { askable, askRefundButton, askRefundForm, orderActions } from './order-actions.ts'
import { orderPlaceOf, withPlace } from './places.ts'
import { refundAddress } from './refund.ts'
import { lineOf, withNames } from './timeline.ts'

const ORDER = '/console/orders/:mid/:id'
const PAYMENT = '/console/payments/:mid/:id'
type Named = { Params: { mid: string; id: string } }

export function addOrder(scope: FastifyInstance, parts: ConsoleParts) {
  for (const [at, kind] of [
    [ORDER, 'order'],
    [PAYMENT, 'payment'],
  ] as const) {
    const seenOf = (request: FastifyRequest<Named>) => seen(parts, request.viewer!, kind, request.params)
    addNote(scope, parts, at, async (request) => {
      const found = await seenOf(request)
      return { mid: found.mid, subject: subjectOf(found), at: addressOf(found) }
    })
    const pageOf = async (request: FastifyRequest<Named>, reply: FastifyReply, found: FoundOrder, isShown: boolean) => {
      const place = orderPlaceOf(request.query)
      const { mid, orderId } = found
      const [history, merchant] = await Promise.all([orderHistory(parts.aside, mid, orderId, place), parts.aside.row(merchantKey(mid))])
      if (!history) throw new ConsoleError('unknown')
      const lines = await withNames(parts.aside, history.lines)
      const done = doneNotice(request.query)
      return orderPage(reply, parts, { ...found, history: { ...history, lines }, merchant, done, place, viewer: request.viewer!, isShown })
    }
    scope.get<Named>(at, { config: { admits: 'see' } }, async (request, reply) => pageOf(request, reply, await seenOf(request), false))
    scope.post<Named>(`${at}/show`, { config: { admits: 'showHidden' } }, async (request, reply) => {
      const found = await seenOf(request)
      await answerFor(request, parts, 'console.show', found)
      return pageOf(request, reply, found, true)
    })
    scope.get<Named>(`${at}/raw`, { config: { admits: 'raw' } }, async (request, reply) => {
      const { refunds } = orderPlaceOf(request.query)
      const found = await seenOf(request)
      await answerFor(request, parts, 'console.raw', found)
      const rows = await orderRows(parts.aside, found.mid, found.orderId, refunds)
      const text = rawOf(rows!, addressOf(found))
      return guarded(reply).header('content-type', 'application/json; charset=utf-8').send(text)
    })
  }
}

interface FoundOrder {
  mid: string
  orderId: string
  /** The payment that the page is about. Undefined when the page is about the order. */
  payment: Row<'transactions'> | undefined
}

async function seen({ aside }: ConsoleParts, viewer: Viewer, kind: 'order' | 'payment', { mid, id }: Named['Params']): Promise<FoundOrder> {
  if (!viewer.sees(mid)) throw new ConsoleError('unknown')
  const payment = kind === 'payment' ? await aside.row(look('transactions', mid, id)) : undefined
  if (kind === 'payment' && !payment) throw new ConsoleError('unknown')
  const order = await aside.row(look('orders', mid, payment?.orderId ?? id))
  if (!order) throw new ConsoleError('unknown')
  return { mid, orderId: order.orderId, payment }
}

const subjectOf = ({ orderId, payment }: FoundOrder) => (payment ? `transaction:${payment.txnId}` : `order:${orderId}`)
const addressOf = ({ mid, orderId, payment }: FoundOrder) => (payment ? paymentAddress(mid, payment.txnId) : orderAddress(mid, orderId))

async function answerFor(request: FastifyRequest, { ports, ...parts }: ConsoleParts, action: Action, found: FoundOrder) {
  const { mid } = found
  const by = byOf(request, { ports, ...parts }, request.viewer!.operator.operatorId)
  await ports.engine.submit(writeAudit, { by, act: { action, mid, subject: subjectOf(found), outcome: 'done' } })
}

// ------------------------------------------------------------------------------------------------------------------- page

interface Shown extends FoundOrder {
  history: OrderHistory
  merchant: Row<'merchants'> | undefined
  /** The action that led to this page is done. */
  done: Part
  /** Where the portions of the history begin. */
  place: OrderPlace
  viewer: Viewer
  /** True when the payer's data is shown unmasked. */
  isShown: boolean
}

function orderPage(reply: FastifyReply, parts: ConsoleParts, { history, merchant, done, place, viewer, isShown, ...found }: Shown) {
  const { order, transactions, next } = history
  const { mid, orderId, payment } = found
  const at = addressOf(found)
  const hide = (text: string) => (isShown ? text : masked(text))
  const paise = payment ? paidPaise(payment) : order.amountPaise
  const amount = payment ? paidAmount(payment) : orderAmount(order, transactions)
  const acts = html`${!isShown && viewer.may('showHidden') && formOf(viewer, withPlace(`${at}/show`, place), html`<button class="second">Show the payer</button>`)}${viewer.may('raw') && html`<a class="button second" href="${withPlace(`${at}/raw`, { refunds: place.refunds })}">Raw JSON</a>`}`
  const isRefundable = payment?.status === 'SUCCESS' && refundablePaise(payment) > 0 && viewer.may('refundSmall')
  const refund = isRefundable && html`<a class="button second" href="${refundAddress(mid, payment.txnId)}">Refund</a>`
  const title = html`<div class="title"><div><p class="quiet"><bdi>${mid}</bdi> · order ${payment ? html`<a href="${orderAddress(mid, orderId)}"><bdi>${orderId}</bdi></a>` : html`<bdi>${orderId}</bdi>`}</p><h1>${amount} ${stateOf((payment ?? order).status)}</h1></div><div class="acts">${refund}${acts}</div></div>`
  const attempts = transactions.length > 0 && html`<section class="card"><h2>Payments</h2>${attemptsTable(mid, transactions)}</section>`
  const upcoming = html`<section class="card"><h2>What happens next</h2>${next.length === 0 ? html`<p>Nothing is due.</p>` : html`<ul class="next">${next.map((each) => html`<li>${sayNext(each, parts.ports.clock.now())}</li>`)}</ul>`}</section>`
  const forms = orderActions(viewer, { order, payment, merchant })
  const body = html`${title}${done}<dl class="facts card">${factsOf(order, payment, hide).map(([name, value]) => html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>`)}</dl>${forms}${attempts}${refundsSection(history, at, place, viewer)}${linesSection(history, at, place)}${upcoming}${noteForm(viewer, parts, at)}`
  return sendPage(
    reply,
    { assets: parts.assets, viewer },
    { title: `${orderId} ${formatRupees(paise)}`, body, chapter: payment ? 'payments' : 'orders' },
  )
}

/** The order's amount, with the amount that the payer paid when a discount makes the two differ. */
function orderAmount({ amountPaise }: Row<'orders'>, transactions: readonly Row<'transactions'>[]): Part {
  const paid = transactions.find(({ status, discountPaise }) => status === 'SUCCESS' && discountPaise > 0)
  return html`${formatRupees(amountPaise)}${paid && html` <span class="quiet">paid ${formatRupees(paidPaise(paid))}</span>`}`
}

/** The sums come from the payments' rows, which include all refunds. */
function refundsSection({ transactions, refunds, olderRefunds }: OrderHistory, at: string, place: OrderPlace, viewer: Viewer): Part {
  if (refunds.length === 0 && !place.refunds) return undefined
  const sum = (paise: (row: Row<'transactions'>) => number) => formatRupees(transactions.reduce((all, row) => all + paise(row), 0))
  const back = transactions.some(({ refundedPaise }) => refundedPaise > 0)
  const sums =
    back &&
    html`<p>Refunded ${sum(({ refundedPaise }) => refundedPaise)} (done: ${sum(({ returnedPaise }) => returnedPaise)}); ${sum(refundablePaise)} is left.</p>`
  const newest = place.refunds && link(withPlace(at, { ...place, refunds: undefined }), 'Newest refunds')
  const older = olderRefunds && link(withPlace(at, { ...place, refunds: olderRefunds }), 'Older refunds', 'next')
  const ask = askRefundForm(viewer, refunds)
  return html`<section class="card"><h2>Refunds</h2>${sums}${ask}${refunds.length > 0 && refundsTable(refunds, ask ? askable(refunds) : undefined)}${(newest || older) && html`<p>${newest} ${older}</p>`}</section>`
}

function linesSection({ lines, olderLines, unshownDeliveries, order }: OrderHistory, at: string, place: OrderPlace): Part {
  const newest = place.lines && link(withPlace(at, { ...place, lines: undefined }), 'Newest')
  const older = olderLines && link(withPlace(at, { ...place, lines: olderLines }), 'Older', 'next')
  const unshown =
    unshownDeliveries > 0 &&
    html`<p class="quiet">${unshownDeliveries} more deliveries are in the log: <code>mohur notification list --mid ${order.mid} --order ${order.consentOrderId ?? order.orderId}</code></p>`
  return html`<section class="card"><h2>What happened</h2>${(newest || older) && html`<p>${older} ${newest}</p>`}<ol class="line">${lines.map(lineOf)}</ol>${unshown}</section>`
}

const link = (address: string, says: string, rel?: 'next') =>
  html`<a class="button second" href="${address}"${rel && html` rel="${rel}"`}>${says}</a>`

const PAYERS = /@|(?:[0-9][\s()+-]*){10}/
/** True for a customer id that is a payer's own data. Merchants also use mobile numbers and e-mail addresses as customer ids. */
export const isPayers = (custId: string): boolean => PAYERS.test(custId)

type Fact = readonly [name: string, value: Part]

function factsOf(order: Row<'orders'>, payment: Row<'transactions'> | undefined, hide: (text: string) => string): Fact[] {
  const { userInfo } = order.details
  const facts: (readonly [string, Part | null | undefined])[] = [
    ...(payment ? paymentFacts(payment, hide) : []),
    ['Customer', isPayers(order.custId) ? hide(order.custId) : order.custId],
    ['Mobile', userInfo['mobile'] && hide(userInfo['mobile'])],
    ['E-mail', userInfo['email'] && hide(userInfo['email'])],
    ['Order made', order.txnTokenIssuedAt > 0 ? dateTimeInIndia(order.txnTokenIssuedAt) : undefined],
    ['Closes', order.status === 'CREATED' ? dateTimeInIndia(order.expiresAt) : undefined],
    ['Website', order.websiteName],
    [
      'Subscription',
      order.subscriptionId && html`<a href="${subscriptionAddress(order.mid, order.subscriptionId)}">${order.subscriptionId}</a>`,
    ],
  ]
  return facts.flatMap(([name, value]) => (value === undefined || value === null || value === '' ? [] : [[name, value] as const]))
}

function paymentFacts(payment: Row<'transactions'>, hide: (text: string) => string): (readonly [string, Part | null | undefined])[] {
  const { txnId, paymentMode, channel, instrument, bankTxnId, promocode, discountPaise, walletPaise, capturedPaise, refundedPaise } =
    payment
  const { maskedCardNo, vpa, bank } = instrument
  const means = [paymentMode, channel !== paymentMode && channel, maskedCardNo, vpa && hide(vpa), bank !== channel && bank]
  return [
    ['Transaction', txnId],
    ['By', means.filter(Boolean).join(' ')],
    ["Bank's number", bankTxnId],
    ['Result', payment.result],
    ['Offer', promocode && `${promocode}, − ${formatRupees(discountPaise)}`],
    ['From the wallet', walletPaise > 0 ? formatRupees(walletPaise) : undefined],
    ['Taken', capturedPaise > 0 ? formatRupees(capturedPaise) : undefined],
    ['Refunded', refundedPaise > 0 ? formatRupees(refundedPaise) : undefined],
    ['Left to refund', payment.status === 'SUCCESS' ? formatRupees(refundablePaise(payment)) : undefined],
  ]
}

const attemptsTable = (mid: string, transactions: readonly Row<'transactions'>[]) =>
  html`<table class="list"><thead><tr><th scope="col">Begun (IST)</th><th scope="col">Payment</th><th scope="col">Mode</th><th scope="col">State</th><th scope="col">Result</th></tr></thead><tbody>${transactions.map(({ txnId, initiatedAt, paymentMode, status, result }) => html`<tr><td data-name="Begun (IST)">${dateTimeInIndia(initiatedAt)}</td><td data-name="Payment"><a href="${paymentAddress(mid, txnId)}">${txnId}</a></td><td data-name="Mode">${paymentMode}</td><td data-name="State">${stateOf(status)}</td><td data-name="Result">${result}</td></tr>`)}</tbody></table>`

/** `asked`: the refunds that have a button, for people who may ask. */
const refundsTable = (refunds: readonly Row<'refunds'>[], asked: ReadonlySet<string> | undefined) =>
  html`<table class="list"><thead><tr><th scope="col">Asked (IST)</th><th scope="col">Refund</th><th scope="col" class="sum">Amount</th><th scope="col">State</th><th scope="col">Bank's number</th>${asked && html`<th scope="col">Action</th>`}</tr></thead><tbody>${refunds.map((refund) => refundRow(refund, asked))}</tbody></table>`
function refundRow(refund: Row<'refunds'>, asked: ReadonlySet<string> | undefined) {
  const { refId, requestedAt, amountPaise, status, bankTxnId } = refund
  return html`<tr><td data-name="Asked (IST)">${dateTimeInIndia(requestedAt)}</td><td data-name="Refund"><bdi>${refId}</bdi></td><td data-name="Amount" class="sum">${formatRupees(amountPaise)}</td><td data-name="State">${stateOf(status === 'SUCCESS' ? 'done' : status)}</td><td data-name="Bank's number">${bankTxnId ?? ''}</td>${asked && html`<td data-name="Action">${asked.has(refId) && askRefundButton(refund)}</td>`}</tr>`
}

// -------------------------------------------------------------------------------------------------------------------- raw

/** The stored rows without sealed columns and hashes: a log of support work must hold no payer's data. */
function rawOf({ order, transactions, refunds }: NonNullable<Awaited<ReturnType<typeof orderRows>>>, at: string): string {
  const rows = { order: plain('orders', order), transactions: transactions.map((row) => plain('transactions', row)) }
  // Null when `refunds` has the oldest refunds, so that nothing is left out silently.
  const olderRefunds = refunds.older ? withPlace(`${at}/raw`, { refunds: refunds.older }) : null
  return JSON.stringify({ ...rows, refunds: refunds.rows.map((row) => plain('refunds', row)), olderRefunds }, undefined, 2)
}

function plain(table: TableName, row: object): object {
  const { columns } = tables[table] as unknown as Table
  const shown = Object.entries(row).filter(([name]) => columns[name]?.kind !== 'sealed' && !name.endsWith('Hash'))
  return Object.fromEntries(shown.map(([name, value]) => [name, name === 'custId' && isPayers(value) ? masked(value) : value]))
}
