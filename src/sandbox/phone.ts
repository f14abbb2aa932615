// The payer's phone: his UPI app, his messages and his mandates, so that whatever waits for him can be tried out by hand (docs/sandbox.md).

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { BankRequest } from '../adapters/acquirer/sandbox/bank-request.ts'
import { PAYMENT_ACTIONS, type PaymentAction, type SandboxAcquirer } from '../adapters/acquirer/sandbox/sandbox.ts'
import type { SandboxBank } from '../adapters/acquirer/sandbox/sandbox-bank.ts'
import { PAYER_ACTIONS, type PayerAction } from '../adapters/acquirer/sandbox/sandbox-mandates.ts'
import { dateTimeInIndia } from '../engine/clock.ts'
import type { Query } from '../engine/decision.ts'
import { isMobile } from '../interface/fields.ts'
import { toRupees } from '../interface/money.ts'
import { type Html, html, type Part } from '../pages/html.ts'
import { type Form, takeForms } from '../pages/kit/forms.ts'
import { PageError } from '../pages/kit/page-error.ts'
import { messagesOf, openCollectionsOf } from '../tables/keys.ts'
import { find, look, type Row } from '../tables/tables.ts'
import type { Shell } from './shell.ts'
import type { walletPayer } from './wallet-payer.ts'

const CUSTOMERS_MAX = 100 // of the list
const SUBSCRIPTIONS_MAX = 500 // that are looked through for a number's
const NO_NUMBER = 'none'

export interface PhoneParts {
  bank: SandboxBank
  acquirer: SandboxAcquirer
  query: Query
  now(): number
  shell: Shell
  /** What the payer of a wallet says, of whom the bank knows nothing; false when nobody has asked him. */
  walletActs: ReturnType<typeof walletPayer>
  /** Tells the service of it as a bank would, and waits until everything has settled. */
  told(key: string): Promise<void>
  settle(): Promise<unknown>
}

interface Waiting {
  request: BankRequest
  merchant: string
  /** Whose app shows it; undefined where the order names nobody. */
  mobile: string | undefined
}

export function addPhone(server: FastifyInstance, parts: PhoneParts) {
  server.register(async (scope) => {
    takeForms(scope)
    parts.shell.answerHere(scope)
    scope.get('/sandbox/phone', (_request, reply) => listPage(reply, parts))
    scope.get<Of>('/sandbox/phone/:mobile', (request, reply) => phonePage(reply, parts, mobileOf(request), request.query))
    scope.post<Of>('/sandbox/phone/:mobile', (request, reply) => act(request, reply, parts))
  })
}
interface Of {
  Params: { mobile: string }
  Querystring: Readonly<Record<string, unknown>>
}

/** Ten digits, or the phone that shows what names no number. */
function mobileOf({ params: { mobile } }: FastifyRequest<Of>): string {
  if (mobile !== NO_NUMBER && !isMobile(mobile)) throw new PageError('unknown')
  return mobile
}

// -------------------------------------------------------------------------------------------------------------- reading

async function waitingOf({ bank, query, now }: PhoneParts): Promise<Waiting[]> {
  const requests = await bank.waiting(now())
  return Promise.all(
    requests.map(async (request) => {
      const [order, merchant] = await Promise.all([
        query.row(look('orders', request.mid, request.order_id)),
        query.row(look('merchants', request.mid)),
      ])
      const mobile = order?.payer?.mobile ?? order?.details.userInfo['mobile']
      return { request, merchant: merchant?.name ?? request.mid, mobile }
    }),
  )
}

async function mandatesOf(mobile: string, { query }: PhoneParts): Promise<Row<'subscriptions'>[]> {
  const latest = await query.rows(find('subscriptions', { orderBy: ['createdAt'], direction: 'desc', limit: SUBSCRIPTIONS_MAX }))
  return latest.filter(({ details, mandate }) => details.mobile === mobile || mandate?.payer?.mobile === mobile)
}

// -------------------------------------------------------------------------------------------------------------- showing

async function listPage(reply: FastifyReply, parts: PhoneParts) {
  await parts.settle()
  const [customers, waiting] = await Promise.all([
    parts.query.rows(find('customers', { orderBy: ['mobile'], limit: CUSTOMERS_MAX })),
    waitingOf(parts),
  ])
  const numbers = [...new Set([...customers.map(({ mobile }) => mobile), ...waiting.flatMap(({ mobile }) => mobile ?? [])])].sort()
  const countOf = (mobile: string | undefined) => waiting.filter((each) => each.mobile === mobile).length
  const line = (to: string, name: Part, count: number) =>
    html`<li><a href="/sandbox/phone/${to}">${name}</a>${count > 0 && html` <b>${count} ${count === 1 ? 'payment waits' : 'payments wait'}</b>`}</li>`
  const body = html`<p>Every number has a phone: its UPI app, its messages and its mandates. An order that names no number is in the app of whoever scans its code.</p><ul>${numbers.map((mobile) => line(mobile, mobile, countOf(mobile)))}${line(NO_NUMBER, 'Orders without a number', countOf(undefined))}</ul>`
  return parts.shell.send(reply, 'Phones', body)
}

async function phonePage(reply: FastifyReply, parts: PhoneParts, mobile: string, query: Of['Querystring']) {
  await parts.settle()
  const of = mobile === NO_NUMBER ? undefined : mobile
  const all = await waitingOf(parts)
  const scanned = scannedIn(query, all)
  const own = all.filter((each) => each.mobile === of)
  const body = html`${saidIn(query)}${appOf(mobile, own, scanned, query)}${of !== undefined && (await messages(of, parts))}${of !== undefined && (await mandateList(mobile, await mandatesOf(of, parts), parts))}<p><a href="/sandbox/phone">All phones</a></p>`
  return parts.shell.send(reply, of ?? 'A phone without a number', body)
}

/** A code by its text: the bank knows its own by `tr`. */
function scannedIn(query: Of['Querystring'], all: readonly Waiting[]): Waiting | 'unknown' | undefined {
  const { code } = query
  if (typeof code !== 'string' || code.trim() === '') return undefined
  const text = code.trim()
  const reference = URL.canParse(text) ? new URL(text).searchParams.get('tr') : text
  return all.find(({ request }) => request.reference === reference && request.asks === 'deepLink') ?? 'unknown'
}

const SAID: Readonly<Record<string, string>> = {
  approve: 'Approved.',
  decline: 'Declined.',
  expire: 'Its time is over: nobody approved it.',
  revoke: 'The mandate is withdrawn.',
  pause: 'The mandate is paused.',
  resume: 'The mandate is resumed.',
  skip: 'The debit that was announced last will not be made.',
  gone: 'That waits no more.',
}
const saidIn = ({ said }: Of['Querystring']) =>
  typeof said === 'string' && Object.hasOwn(SAID, said) && html`<p class="notice good" role="status">${SAID[said]}</p>`

function appOf(mobile: string, own: readonly Waiting[], scanned: ReturnType<typeof scannedIn>, { code }: Of['Querystring']): Html {
  const payments = own.map((each) => paymentOf(mobile, each))
  const found =
    scanned === 'unknown'
      ? html`<p class="notice bad" role="alert">No payment waits with this code.</p>`
      : scanned && paymentOf(mobile, scanned)
  const scan = html`<form class="stack" method="get" action="/sandbox/phone/${mobile}"><div class="field"><label for="code">Scan a code: its text, <code>upi://pay?…</code>, or its <code>tr</code></label><input id="code" name="code" autocomplete="off" maxlength="2048" value="${typeof code === 'string' ? code : ''}"></div><button class="second">Scan</button></form>`
  return html`<section><h2>UPI app</h2>${payments.length > 0 ? payments : html`<p class="quiet">Nothing waits here.</p>`}${scan}${found}</section>`
}

const WAITS: Readonly<Record<string, string>> = {
  collect: 'asked for in the app',
  deepLink: 'opened by a link or a code',
  bankForm: 'waits on the bank’s page',
  otp: 'waits for a one-time password: 123123',
}
function paymentOf(mobile: string, { request, merchant }: Waiting): Html {
  const { key, amount_paise, order_id, asks, due_at } = request
  const buttons = PAYMENT_ACTIONS.map((action) =>
    button(mobile, { key, action }, { approve: 'Approve', decline: 'Decline', expire: 'Let it expire' }[action]),
  )
  return html`<article class="card"><p><b>₹${toRupees(amount_paise)}</b> to <bdi>${merchant}</bdi></p><p class="quiet">Order <bdi>${order_id}</bdi>, ${WAITS[asks] ?? ''}, until ${dateTimeInIndia(due_at)}</p><div class="ways">${buttons}</div></article>`
}

async function messages(mobile: string, { query }: PhoneParts): Promise<Html> {
  const rows = await query.rows(messagesOf(mobile))
  const list = rows.map(({ at, content }) => html`<li><span class="quiet">${dateTimeInIndia(at)}</span> ${withLinks(content.text)}</li>`)
  return html`<section><h2>Messages</h2>${list.length > 0 ? html`<ul>${list}</ul>` : html`<p class="quiet">None yet.</p>`}</section>`
}

/** As phones show them: what leads to the page of a mandate can be pressed. */
function withLinks(text: string): readonly Part[] {
  return text.split(/(https?:\/\/\S+\/m\/[A-Za-z0-9_-]{22})/).map((part, at) => {
    if (at % 2 === 0) return part
    return html`<a href="${part.slice(part.lastIndexOf('/m/'))}">${part}</a>`
  })
}

async function mandateList(mobile: string, mandates: readonly Row<'subscriptions'>[], { query, now }: PhoneParts): Promise<Html> {
  const one = async ({ mid, subscriptionId, status, subStatus, paymentMode, edit }: Row<'subscriptions'>) => {
    const cycles = await query.rows(openCollectionsOf(mid, subscriptionId))
    const isDebitAsked = cycles.some(({ authentication }) => authentication === 'ASKED' || authentication === 'DECLINED')
    const isPending = status === 'IN_AUTHORIZATION' || isDebitAsked || (edit !== null && now() < edit.validUntil)
    const actions = PAYER_ACTIONS.filter((action) => (action !== 'approve' && action !== 'decline') || isPending)
    return html`<article class="card"><p>Subscription <bdi>${subscriptionId}</bdi> at <bdi>${mid}</bdi></p><p class="quiet">${status}, ${subStatus}${paymentMode !== null && html`, ${paymentMode}`}</p><div class="ways">${actions.map((action) => button(mobile, { mid, subscriptionId, action }, NAMES[action]))}</div></article>`
  }
  return html`<section><h2>Mandates</h2>${mandates.length > 0 ? await Promise.all(mandates.map(one)) : html`<p class="quiet">None yet.</p>`}</section>`
}
const NAMES: Readonly<Record<PayerAction, string>> = {
  approve: 'Approve',
  decline: 'Decline',
  revoke: 'Withdraw it',
  pause: 'Pause it',
  resume: 'Resume it',
  skip: 'Skip the next debit',
}

const button = (mobile: string, fields: Readonly<Record<string, string>>, name: string): Html =>
  html`<form method="post" action="/sandbox/phone/${mobile}">${Object.entries(fields).map(([field, value]) => html`<input type="hidden" name="${field}" value="${value}">`)}<button class="second">${name}</button></form>`

// --------------------------------------------------------------------------------------------------------------- acting

async function act(request: FastifyRequest<Of>, reply: FastifyReply, parts: PhoneParts) {
  const mobile = mobileOf(request)
  const { key, action, mid, subscriptionId } = (request.body ?? {}) as Form
  const said = key === undefined ? await ofMandate({ mid, subscriptionId, action }, parts) : await ofPayment(key, action, parts)
  return reply.redirect(`/sandbox/phone/${mobile}?said=${said}`, 303)
}

async function ofPayment(key: string, action: string | undefined, { acquirer, told }: PhoneParts): Promise<string> {
  if (!PAYMENT_ACTIONS.some((each) => each === action)) throw new PageError('form')
  const acted = await acquirer.payerActs({ key }, action as PaymentAction)
  if (acted) await told(acted.key)
  return acted ? action! : 'gone'
}

async function ofMandate(
  { mid, subscriptionId, action }: Readonly<Record<string, string | undefined>>,
  { acquirer, walletActs, told }: PhoneParts,
): Promise<string> {
  if (mid === undefined || subscriptionId === undefined || !PAYER_ACTIONS.some((each) => each === action)) throw new PageError('form')
  const key = await acquirer.mandates.payerActs({ mid, subscriptionId }, action as PayerAction)
  if (key === undefined) return (await walletActs({ mid, subscriptionId }, action as PayerAction)) ? action! : 'gone'
  await told(key)
  return action!
}
