// The payer's phone with its UPI app, messages and mandates, so every payer's step can be tried by hand (docs/sandbox.md).

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PAYMENT_ACTIONS, type PaymentAction, type SandboxAcquirer } from '../adapters/acquirer/sandbox/sandbox.ts'
import type { SandboxBank } from '../adapters/acquirer/sandbox/sandbox-bank.ts'
import { PAYER_ACTIONS, type PayerAction } from '../adapters/acquirer/sandbox/sandbox-mandates.ts'
import type { Query } from '../engine/decision.ts'
import { openCyclesOf } from '../flows/payer-actions.ts'
import { isMobile } from '../interface/fields.ts'
import { html, type Part } from '../pages/html.ts'
import { browserFile, shortScript } from '../pages/kit/assets.ts'
import { privately } from '../pages/kit/document.ts'
import { type Form, takeForms } from '../pages/kit/forms.ts'
import { PageError } from '../pages/kit/page-error.ts'
import { messagesOf } from '../tables/keys.ts'
import { find, look, type Row } from '../tables/tables.ts'
import { mandateList, messageList, type PhoneMandate, type Scanned, upiApp, type WaitingPayment } from './phone-pages.ts'
import type { Shell } from './shell.ts'
import type { walletPayer } from './wallet-payer.ts'

const CUSTOMERS_MAX = 100 // Mohur's choice: on the list
const SUBSCRIPTIONS_MAX = 500 // Mohur's choice: searched for a number's mandates
const NO_NUMBER = 'none'

export interface PhoneParts {
  bank: SandboxBank
  acquirer: SandboxAcquirer
  query: Query
  now(): number
  shell: Shell
  /** Answers for a wallet's payer, whom the bank does not know. False when there is nothing to answer. */
  walletActs: ReturnType<typeof walletPayer>
  /** Notifies the service as a bank would, and waits until all work that follows is done. */
  onEvent(key: string): Promise<void>
  runDue(): Promise<unknown>
}

export function addPhone(server: FastifyInstance, parts: PhoneParts) {
  const script = shortScript(browserFile('phone.js'))
  server.register(async (scope) => {
    takeForms(scope)
    parts.shell.answerHere(scope)
    scope.get('/sandbox/phone.js', (_request, reply) =>
      reply.header('content-type', 'text/javascript; charset=utf-8').header('cache-control', 'no-store').send(script),
    )
    scope.get('/sandbox/phone', (_request, reply) => listPage(reply, parts))
    scope.get<Of>('/sandbox/phone/:mobile', (request, reply) => phonePage(reply, parts, mobileOf(request), request.query))
    scope.get<Of>('/sandbox/phone/:mobile/state', async (request, reply) => {
      await parts.runDue()
      return privately(reply).send({ version: versionOf(await heldBy(mobileOf(request), parts)) })
    })
    scope.post<Of>('/sandbox/phone/:mobile', (request, reply) => act(request, reply, parts))
  })
}
interface Of {
  Params: { mobile: string }
  Querystring: Readonly<Record<string, unknown>>
}

/** Ten digits, or the phone of the orders without a number. */
function mobileOf({ params: { mobile } }: FastifyRequest<Of>): string {
  if (mobile !== NO_NUMBER && !isMobile(mobile)) throw new PageError('unknown')
  return mobile
}

// -------------------------------------------------------------------------------------------------------------- reading

/**
 * The waiting payments, the latest first. Each order shows only the attempt that the order stands by, and only while that attempt is under
 * way.
 */
async function waitingOf({ bank, query, now }: PhoneParts): Promise<WaitingPayment[]> {
  const requests = await bank.waiting(now())
  const found = await Promise.all(
    requests.map(async (request) => {
      const [order, merchant] = await Promise.all([
        query.row(look('orders', request.mid, request.order_id)),
        query.row(look('merchants', request.mid)),
      ])
      const mobile = order?.payer?.mobile ?? order?.details.userInfo['mobile']
      if (order?.status !== 'IN_PROCESS') return undefined
      const terms = order.subscriptionId === null ? undefined : await query.row(look('subscriptions', request.mid, order.subscriptionId))
      return { request, merchant: merchant?.name ?? request.mid, terms, mobile }
    }),
  )
  const orders = new Set<string>()
  return found.filter((each): each is WaitingPayment => {
    const order = each && `${each.request.mid}:${each.request.order_id}`
    if (order === undefined || orders.has(order)) return false
    orders.add(order)
    return true
  })
}

/** The number's mandates, the newest first. A subscription in INIT is left out: its payer was not asked yet. */
async function mandatesOf(mobile: string, { bank, query, now }: PhoneParts): Promise<PhoneMandate[]> {
  const latest = await query.rows(find('subscriptions', { orderBy: ['createdAt'], direction: 'desc', limit: SUBSCRIPTIONS_MAX }))
  const own = latest.filter(
    ({ details, mandate, status }) => (details.mobile === mobile || mandate?.payer?.mobile === mobile) && status !== 'INIT',
  )
  return Promise.all(
    own.map(async (subscription) => {
      const { mid, status, edit } = subscription
      const [merchant, open] = await Promise.all([query.row(look('merchants', mid)), openCyclesOf({ query }, subscription)])
      const isDebitAsked = open.some(({ cycle: { authentication } }) => authentication === 'ASKED' || authentication === 'DECLINED')
      const isAsked = status === 'IN_AUTHORIZATION' && (await bank.waitingOf(mid, subscription.subscriptionId)) !== undefined
      const isPending = isAsked || isDebitAsked || (edit !== null && now() < edit.validUntil)
      return { subscription, merchant: merchant?.name ?? mid, open, isPending }
    }),
  )
}

interface Held {
  all: readonly WaitingPayment[]
  own: readonly WaitingPayment[]
  messages: readonly Row<'messages'>[]
  mandates: readonly PhoneMandate[]
}

async function heldBy(mobile: string, parts: PhoneParts): Promise<Held> {
  const of = mobile === NO_NUMBER ? undefined : mobile
  const [all, messages, mandates] = await Promise.all([
    waitingOf(parts),
    of === undefined ? [] : parts.query.rows(messagesOf(of)),
    of === undefined ? [] : mandatesOf(of, parts),
  ])
  const own = all.filter((each) => each.mobile === of)
  // A waiting first payment shows its mandate's terms, so that mandate is left out here.
  const agreed = new Set(own.map(({ request: { mid, order_id } }) => `${mid}:${order_id}`))
  return { all, own, messages, mandates: mandates.filter(({ subscription: { mid, orderId } }) => !agreed.has(`${mid}:${orderId}`)) }
}

/** A text that changes whenever the phone would look different. The page's script compares it. */
const versionOf = ({ own, messages, mandates }: Held) =>
  JSON.stringify([
    own.map(({ request }) => request.key),
    messages.map(({ id }) => id),
    mandates.map(({ subscription, open, isPending }) => [
      ...[subscription.subscriptionId, subscription.version, isPending],
      open.map(({ cycle, notice }) => [cycle.collectionId, cycle.version, notice?.noticeId]),
    ]),
  ])

// -------------------------------------------------------------------------------------------------------------- showing

async function listPage(reply: FastifyReply, parts: PhoneParts) {
  await parts.runDue()
  const [customers, waiting] = await Promise.all([
    parts.query.rows(find('customers', { orderBy: ['mobile'], limit: CUSTOMERS_MAX })),
    waitingOf(parts),
  ])
  const numbers = [...new Set([...customers.map(({ mobile }) => mobile), ...waiting.flatMap(({ mobile }) => mobile ?? [])])].sort()
  const countOf = (mobile: string | undefined) => waiting.filter((each) => each.mobile === mobile).length
  const line = (to: string, name: Part, count: number) =>
    html`<li><a href="/sandbox/phone/${to}">${name}</a>${count > 0 && html` <b>${count} ${count === 1 ? 'payment waits' : 'payments wait'}</b>`}</li>`
  const body = html`<p>Every number has a phone with its UPI app, messages and mandates. An order without a number appears in any app that scans its code.</p><ul>${numbers.map((mobile) => line(mobile, mobile, countOf(mobile)))}${line(NO_NUMBER, 'Orders without a number', countOf(undefined))}</ul>`
  return parts.shell.send(reply, 'Phones', body)
}

async function phonePage(reply: FastifyReply, parts: PhoneParts, mobile: string, query: Of['Querystring']) {
  await parts.runDue()
  const held = await heldBy(mobile, parts)
  const code = typeof query['code'] === 'string' ? query['code'] : ''
  const lists = mobile !== NO_NUMBER && html`${messageList(held.messages)}${mandateList(mobile, held.mandates)}`
  const state = html`<p class="notice wait" role="status" data-state="/sandbox/phone/${mobile}/state" data-version="${versionOf(held)}" hidden>There is something new. <a href="/sandbox/phone/${mobile}">Reload</a></p>`
  const body = html`${saidIn(query)}${state}${upiApp(mobile, held.own, scannedIn(query, held.all), code)}${lists}<p><a href="/sandbox/phone">All phones</a> · <a href="/sandbox/phone/${mobile}">Reload</a></p><script type="module" src="/sandbox/phone.js"></script>`
  return parts.shell.send(reply, mobile === NO_NUMBER ? 'A phone without a number' : mobile, body)
}

/** Finds the payment of a scanned code by the code's text. The bank knows its own codes by `tr`. */
function scannedIn(query: Of['Querystring'], all: readonly WaitingPayment[]): Scanned {
  const { code } = query
  if (typeof code !== 'string' || code.trim() === '') return undefined
  const text = code.trim()
  const reference = /^upi:/i.test(text) ? (URL.parse(text)?.searchParams.get('tr') ?? text) : text
  return all.find(({ request }) => request.reference === reference && request.asks === 'deepLink') ?? 'unknown'
}

const SAID: Readonly<Record<string, string>> = {
  approve: 'Approved.',
  decline: 'Declined.',
  expire: 'Expired without an approval.',
  revoke: 'The mandate is withdrawn.',
  pause: 'The mandate is paused.',
  resume: 'The mandate is resumed.',
  skip: 'The latest announced debit is skipped.',
  gone: 'This no longer waits for an answer.',
}
const saidIn = ({ said }: Of['Querystring']) =>
  typeof said === 'string' && Object.hasOwn(SAID, said) && html`<p class="notice good" role="status">${SAID[said]}</p>`

// --------------------------------------------------------------------------------------------------------------- acting

async function act(request: FastifyRequest<Of>, reply: FastifyReply, parts: PhoneParts) {
  const mobile = mobileOf(request)
  const { key, action, mid, subscriptionId } = (request.body ?? {}) as Form
  const said = key === undefined ? await ofMandate({ mid, subscriptionId, action }, parts) : await ofPayment(key, action, parts)
  return reply.redirect(`/sandbox/phone/${mobile}?said=${said}`, 303)
}

async function ofPayment(key: string, action: string | undefined, { acquirer, onEvent }: PhoneParts): Promise<string> {
  if (!PAYMENT_ACTIONS.some((each) => each === action)) throw new PageError('wrong', { field: 'action' })
  const acted = await acquirer.payerActs({ key }, action as PaymentAction)
  if (acted) await onEvent(acted.key)
  return acted ? action! : 'gone'
}

async function ofMandate(
  { mid, subscriptionId, action }: Readonly<Record<string, string | undefined>>,
  { acquirer, walletActs, onEvent }: PhoneParts,
): Promise<string> {
  if (mid === undefined || subscriptionId === undefined)
    throw new PageError('wrong', { field: mid === undefined ? 'mid' : 'subscriptionId' })
  if (!PAYER_ACTIONS.some((each) => each === action)) throw new PageError('wrong', { field: 'action' })
  const key = await acquirer.mandates.payerActs({ mid, subscriptionId }, action as PayerAction)
  if (key === undefined) return (await walletActs({ mid, subscriptionId }, action as PayerAction)) ? action! : 'gone'
  await onEvent(key)
  return action!
}
