// One order, and one payment of it: facts, attempts, what happened and what happens next, by what is kept and nothing else.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { writeAudit } from '../../domain/audit/write-audit.ts'
import { masked } from '../../domain/subscription/subscription-view.ts'
import { dateTimeInIndia } from '../../engine/clock.ts'
import { type HistoryLine, type OrderHistory, orderHistory, sayNext } from '../../flows/order-history.ts'
import { html, type Part } from '../../pages/html.ts'
import { amountOf } from '../../pages/kit/amounts.ts'
import type { Table } from '../../tables/columns.ts'
import { operatorById } from '../../tables/keys.ts'
import { look, type Row, type TableName, tables } from '../../tables/tables.ts'
import { ConsoleError } from '../kit/console-error.ts'
import type { ConsoleParts, Viewer } from '../kit/parts.ts'
import { formOf, guarded, sendPage } from '../kit/sheet.ts'
import { byOf } from '../people/sign-in.ts'
import { orderAddress, paymentAddress, stateOf, subscriptionAddress } from './lists.ts'

const ORDER = '/console/orders/:mid/:id'
const PAYMENT = '/console/payments/:mid/:id'
type Named = { Params: { mid: string; id: string } }

export function addOrder(scope: FastifyInstance, parts: ConsoleParts) {
  for (const [at, kind] of [
    [ORDER, 'order'],
    [PAYMENT, 'payment'],
  ] as const) {
    const seenOf = (request: FastifyRequest<Named>) => seen(parts, request.viewer!, kind, request.params)
    scope.get<Named>(at, { config: { admits: 'see' } }, async (request, reply) =>
      orderPage(reply, parts, { ...(await seenOf(request)), viewer: request.viewer!, isShown: false }),
    )
    scope.post<Named>(`${at}/show`, { config: { admits: 'showHidden' } }, async (request, reply) => {
      const found = await seenOf(request)
      await answerFor(request, parts, 'console.show', found)
      return orderPage(reply, parts, { ...found, viewer: request.viewer!, isShown: true })
    })
    scope.get<Named>(`${at}/raw`, { config: { admits: 'raw' } }, async (request, reply) => {
      const found = await seenOf(request)
      await answerFor(request, parts, 'console.raw', found)
      return guarded(reply).header('content-type', 'application/json; charset=utf-8').send(rawOf(found.history))
    })
  }
}

interface FoundOrder {
  history: OrderHistory
  /** The one that the page is about; undefined where it is about the order. */
  payment: Row<'transactions'> | undefined
}

async function seen(parts: ConsoleParts, viewer: Viewer, kind: 'order' | 'payment', { mid, id }: Named['Params']): Promise<FoundOrder> {
  if (!viewer.sees(mid)) throw new ConsoleError('unknown')
  const { edge } = parts
  const payment = kind === 'payment' ? await edge.query.row(look('transactions', mid, id)) : undefined
  if (kind === 'payment' && !payment) throw new ConsoleError('unknown')
  const history = await orderHistory(edge.query, mid, payment?.orderId ?? id)
  if (!history) throw new ConsoleError('unknown')
  return { history: { ...history, lines: await named(parts, history.lines) }, payment }
}

async function answerFor(request: FastifyRequest, { edge, ...parts }: ConsoleParts, action: string, { history, payment }: FoundOrder) {
  const { mid, orderId } = history.order
  const subject = payment ? `transaction:${payment.txnId}` : `order:${orderId}`
  const by = byOf(request, { edge, ...parts }, request.viewer!.operator.operatorId)
  await edge.engine.submit(writeAudit, { by, act: { action, mid, subject, outcome: 'done' } })
}

// ------------------------------------------------------------------------------------------------------------------- page

interface Shown extends FoundOrder {
  viewer: Viewer
  /** What is a payer's stands there as it is. */
  isShown: boolean
}

function orderPage(reply: FastifyReply, parts: ConsoleParts, { history, payment, viewer, isShown }: Shown) {
  const { order, transactions, refunds, lines, next } = history
  const { mid, orderId } = order
  const at = payment ? paymentAddress(mid, payment.txnId) : orderAddress(mid, orderId)
  const hide = (text: string) => (isShown ? text : masked(text))
  const paise = payment ? payment.walletPaise + payment.bankPaise : order.amountPaise
  const acts = html`${!isShown && viewer.may('showHidden') && formOf(viewer, `${at}/show`, html`<button class="second">Show the payer</button>`)}${viewer.may('raw') && html`<a class="button second" href="${at}/raw">Raw JSON</a>`}`
  const title = html`<div class="title"><div><p class="quiet"><bdi>${mid}</bdi> · order ${payment ? html`<a href="${orderAddress(mid, orderId)}"><bdi>${orderId}</bdi></a>` : html`<bdi>${orderId}</bdi>`}</p><h1>${amountOf(paise)} ${stateOf((payment ?? order).status)}</h1></div><div class="acts">${acts}</div></div>`
  const attempts = transactions.length > 0 && html`<section class="card"><h2>Payments</h2>${attemptsTable(mid, transactions)}</section>`
  const back = refunds.length > 0 && html`<section class="card"><h2>Refunds</h2>${refundsTable(refunds)}</section>`
  const upcoming = html`<section class="card"><h2>What happens next</h2>${next.length === 0 ? html`<p>Nothing is due.</p>` : html`<ul class="next">${next.map((each) => html`<li>${sayNext(each, parts.edge.clock.now())}</li>`)}</ul>`}</section>`
  const body = html`${title}<dl class="facts card">${factsOf(order, payment, hide).map(([name, value]) => html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>`)}</dl>${attempts}${back}<section class="card"><h2>What happened</h2><ol class="line">${lines.map(lineOf)}</ol></section>${upcoming}`
  return sendPage(
    reply,
    { assets: parts.assets, viewer },
    { title: `${orderId} ${amountOf(paise)}`, body, chapter: payment ? 'payments' : 'orders' },
  )
}

const PAYERS = /@|(?:[0-9][\s()+-]*){10}/
/** Merchants take mobile numbers and e-mail addresses for names of customers too. */
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
    ['Offer', promocode && `${promocode}, − ${amountOf(discountPaise)}`],
    ['From the wallet', walletPaise > 0 ? amountOf(walletPaise) : undefined],
    ['Taken', capturedPaise > 0 ? amountOf(capturedPaise) : undefined],
    ['Refunded', refundedPaise > 0 ? amountOf(refundedPaise) : undefined],
  ]
}

const attemptsTable = (mid: string, transactions: readonly Row<'transactions'>[]) =>
  html`<table class="list"><thead><tr><th scope="col">Begun (IST)</th><th scope="col">Payment</th><th scope="col">Mode</th><th scope="col">State</th><th scope="col">Result</th></tr></thead><tbody>${transactions.map(({ txnId, initiatedAt, paymentMode, status, result }) => html`<tr><td data-name="Begun (IST)">${dateTimeInIndia(initiatedAt)}</td><td data-name="Payment"><a href="${paymentAddress(mid, txnId)}">${txnId}</a></td><td data-name="Mode">${paymentMode}</td><td data-name="State">${stateOf(status)}</td><td data-name="Result">${result}</td></tr>`)}</tbody></table>`
const refundsTable = (refunds: readonly Row<'refunds'>[]) =>
  html`<table class="list"><thead><tr><th scope="col">Asked (IST)</th><th scope="col">Refund</th><th scope="col" class="sum">Amount</th><th scope="col">State</th><th scope="col">Bank's number</th></tr></thead><tbody>${refunds.map(({ refId, requestedAt, amountPaise, status, bankTxnId }) => html`<tr><td data-name="Asked (IST)">${dateTimeInIndia(requestedAt)}</td><td data-name="Refund"><bdi>${refId}</bdi></td><td data-name="Amount" class="sum">${amountOf(amountPaise)}</td><td data-name="State">${stateOf(status === 'SUCCESS' ? 'done' : status)}</td><td data-name="Bank's number">${bankTxnId ?? ''}</td></tr>`)}</tbody></table>`

// --------------------------------------------------------------------------------------------------------------- timeline

const SIGNS: Readonly<Record<string, string>> = {
  ...{ SUCCESS: 'good', PAID: 'good', delivered: 'good', DELIVERED: 'good' },
  ...{ FAILURE: 'bad', dead: 'bad', refused: 'bad', failed: 'bad' },
  ...{ PENDING: 'wait', UNKNOWN: 'wait' },
}

const TITLES: Readonly<Record<HistoryLine['kind'], (line: Pick<HistoryLine, 'of' | 'what'>) => string>> = {
  event: ({ of, what }) => `${of} ${what.replaceAll('-', ' ')}`,
  ledger: ({ of, what }) => `ledger: ${what}, ${of.replaceAll('_', ' ')}`,
  notification: ({ of, what }) => `notification to ${of}: ${what}`,
  delivery: ({ of, what }) => `delivery to ${of}: ${what}`,
  audit: ({ of, what }) => `${ACTS[what] ?? what} by ${of}`,
}
const ACTS: Readonly<Record<string, string>> = { 'console.show': 'payer shown', 'console.raw': 'raw JSON read' }

/** Audit lines with the names of people in the place of their ids. */
async function named({ edge }: ConsoleParts, lines: readonly HistoryLine[]): Promise<readonly HistoryLine[]> {
  const ids = new Set(lines.flatMap(({ kind, of }) => (kind === 'audit' ? [of] : [])))
  const people = (await Promise.all([...ids].map((id) => edge.query.rows(operatorById(id))))).flat()
  const names = new Map(people.map(({ operatorId, name }) => [operatorId, name]))
  return lines.map((line) => (line.kind === 'audit' ? { ...line, of: names.get(line.of) ?? line.of } : line))
}

function lineOf({ at, kind, of, id, what, amountPaise, state, why }: HistoryLine) {
  const sign = SIGNS[state ?? ''] ?? SIGNS[what] ?? ''
  const title = TITLES[kind]({ of, what })
  const money = amountPaise !== undefined && html` ${amountPaise < 0 ? '− ' : ''}${amountOf(Math.abs(amountPaise))}`
  const rest = [state?.toLowerCase().replaceAll('_', ' '), why]
  const about = [...new Set(rest)].filter((each) => each !== undefined && each !== '').join(' · ')
  return html`<li class="${sign}"><time datetime="${new Date(at).toISOString()}">${dateTimeInIndia(at)}</time><div><b>${title}</b>${money}${about !== '' && html` <span class="quiet">${about}</span>`} <span class="quiet"><bdi>${id}</bdi></span></div></li>`
}

// -------------------------------------------------------------------------------------------------------------------- raw

/** The rows as the store has them, but for what is sealed and for hashes: a log of support work holds no payer's values. */
function rawOf({ order, transactions, refunds }: OrderHistory): string {
  const rows = { order: plain('orders', order), transactions: transactions.map((row) => plain('transactions', row)) }
  return JSON.stringify({ ...rows, refunds: refunds.map((row) => plain('refunds', row)) }, undefined, 2)
}

function plain(table: TableName, row: object): object {
  const { columns } = tables[table] as unknown as Table
  const shown = Object.entries(row).filter(([name]) => columns[name]?.kind !== 'sealed' && !name.endsWith('Hash'))
  return Object.fromEntries(shown.map(([name, value]) => [name, name === 'custId' && isPayers(value) ? masked(value) : value]))
}
