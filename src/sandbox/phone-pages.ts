// The pages of the payer's phone (docs/sandbox.md): the newest first, one card for each payment or mandate, and no button that does
// nothing.

import type { BankRequest } from '../adapters/acquirer/sandbox/bank-request.ts'
import { type PaymentAction, SANDBOX_OTP } from '../adapters/acquirer/sandbox/sandbox.ts'
import type { PayerAction } from '../adapters/acquirer/sandbox/sandbox-mandates.ts'
import { mayMove } from '../domain/subscription/subscription.ts'
import { dateTimeInIndia } from '../engine/clock.ts'
import { type Announced, maySkip } from '../flows/payer-actions.ts'
import { type Html, html, type Part } from '../pages/html.ts'
import { formatRupees } from '../pages/kit/amounts.ts'
import { hidden } from '../pages/kit/fields.ts'
import { languages } from '../pages/kit/messages/messages.ts'
import { termsIn } from '../pages/kit/terms.ts'
import type { Row } from '../tables/tables.ts'

const SHOWN_MAX = 5 // Mohur's choice: older cards are folded away

export interface WaitingPayment {
  request: BankRequest
  merchant: string
  /** The terms that the payer agrees to by a mandate's first payment. Undefined for other payments. */
  terms: Row<'subscriptions'> | undefined
  /** The phone that shows the payment. Undefined when the order names no number. */
  mobile: string | undefined
}

export interface PhoneMandate {
  subscription: Row<'subscriptions'>
  merchant: string
  open: readonly Announced[]
  /** True when the payer was asked for an answer and has not given it. */
  isPending: boolean
}

const section = (heading: string, cards: readonly Html[], none: string, more?: Part): Html => {
  const [shown, older] = [cards.slice(0, SHOWN_MAX), cards.slice(SHOWN_MAX)]
  const folded =
    older.length > 0 && html`<details class="other"><summary>${older.length} older</summary><div class="inner">${older}</div></details>`
  return html`<section class="item"><h2>${heading}</h2>${cards.length > 0 ? shown : html`<p class="quiet">${none}</p>`}${folded}${more}</section>`
}

const button = (mobile: string, fields: Readonly<Record<string, string>>, name: string, kind = 'second'): Html =>
  html`<form method="post" action="/sandbox/phone/${mobile}">${Object.entries(fields).map(([field, value]) => hidden(field, value))}<button${kind !== '' && html` class="${kind}"`}>${name}</button></form>`

// ------------------------------------------------------------------------------------------------------------- UPI app

export type Scanned = WaitingPayment | 'unknown' | undefined

/** A scanned payment stands first, and once. */
export function upiApp(mobile: string, own: readonly WaitingPayment[], scanned: Scanned, code: string): Html {
  const found = scanned !== undefined && scanned !== 'unknown' ? scanned : undefined
  const rest = own.filter(({ request }) => request.key !== found?.request.key)
  const cards = [...(found ? [found] : []), ...rest].map((each) => paymentCard(mobile, each, each === found))
  const unknown = scanned === 'unknown' && html`<p class="notice bad" role="alert">No payment waits with this code.</p>`
  const scan = html`<form class="stack" method="get" action="/sandbox/phone/${mobile}"><div class="field"><label for="code">Scan a code: its text, <code>upi://pay?…</code>, or its <code>tr</code></label><input id="code" name="code" autocomplete="off" maxlength="2048" value="${code}"></div><button class="second">Scan</button></form>`
  return section('UPI app', cards, 'Nothing waits here.', html`${unknown}${scan}`)
}

const WAITS: Readonly<Record<string, string>> = {
  collect: 'asked for in the app',
  deepLink: 'opened by a link or a code',
  bankForm: 'waits on the bank’s page',
  otp: `waits for a one-time password: ${SANDBOX_OTP}`,
}
const ACTIONS = { approve: 'Approve', decline: 'Decline', expire: 'Let it expire' } as const satisfies Partial<
  Record<PaymentAction, string>
>

function paymentCard(mobile: string, { request, merchant, terms }: WaitingPayment, isScanned: boolean): Html {
  const { key, amount_paise, order_id, asks, due_at } = request
  const buttons = Object.entries(ACTIONS).map(([action, name]) =>
    button(mobile, { key, action }, name, action === 'approve' ? '' : 'second'),
  )
  return html`<article class="card matter"><p>${isScanned && html`<span class="quiet">Scanned</span> `}<b class="sum">${formatRupees(amount_paise)}</b> to <b><bdi>${merchant}</bdi></b></p>${terms && html`<p>You agree to ${inEnglish(terms)}</p>`}<p class="quiet">Order <bdi>${order_id}</bdi>, ${WAITS[asks] ?? ''}, until ${dateTimeInIndia(due_at)}</p><div class="ways">${buttons}</div></article>`
}

// ------------------------------------------------------------------------------------------------------------ messages

export function messageList(rows: readonly Row<'messages'>[]): Html {
  const cards = rows.map(
    ({ at, content }) =>
      html`<article class="card matter"><p class="quiet">${dateTimeInIndia(at)}</p><p>${withLinks(content.text)}</p></article>`,
  )
  return section('Messages', cards, 'None yet.')
}

/** A link to a mandate's page can be pressed, as on a phone. */
function withLinks(text: string): readonly Part[] {
  return text.split(/(https?:\/\/\S+\/m\/[A-Za-z0-9_-]{22})/).map((part, at) => {
    if (at % 2 === 0) return part
    return html`<a href="${part.slice(part.lastIndexOf('/m/'))}">${part}</a>`
  })
}

// ------------------------------------------------------------------------------------------------------------ mandates

const inEnglish = (subscription: Row<'subscriptions'>) => termsIn({ texts: languages.en.texts, language: 'en' }, subscription)

export const mandateList = (mobile: string, mandates: readonly PhoneMandate[]): Html =>
  section(
    'Mandates',
    mandates.map((each) => mandateCard(mobile, each)),
    'None yet.',
  )

const NAMES: Readonly<Record<PayerAction, string>> = {
  approve: 'Approve',
  decline: 'Decline',
  revoke: 'Withdraw',
  pause: 'Pause',
  resume: 'Resume',
  skip: 'Skip the next debit',
}

/** Only the actions that are possible now. An ended mandate has no buttons. */
function possibleActions({ subscription, open, isPending }: PhoneMandate): PayerAction[] {
  const { status } = subscription
  if (status !== 'IN_AUTHORIZATION' && status !== 'AUTHORIZED' && status !== 'ACTIVE' && status !== 'SUSPENDED') return []
  return [
    ...(isPending ? (['approve', 'decline'] as const) : []),
    ...(status === 'ACTIVE' && open.some((each) => maySkip(each) && each.cycle.noticedAt !== null) ? (['skip'] as const) : []),
    ...(mayMove(subscription, 'pauseByPayer') ? (['pause'] as const) : []),
    ...(mayMove(subscription, 'resumeByPayer') ? (['resume'] as const) : []),
    ...(status === 'IN_AUTHORIZATION' ? [] : (['revoke'] as const)),
  ]
}

const REJECTED: Readonly<Record<string, string>> = {
  USER_CANCELLED: 'Withdrawn by you',
  MERCHANT_CANCELLED: 'Ended by the shop',
  TIMED_OUT: 'Not agreed to in time',
}
function stateOf({ subscription: { status, subStatus }, isPending }: PhoneMandate): string {
  if (isPending) return 'Waits for your answer'
  switch (status) {
    case 'INIT':
    case 'IN_AUTHORIZATION':
      return 'Not agreed to yet'
    case 'AUTHORIZED':
      return 'Agreed to; it begins later'
    case 'ACTIVE':
      return 'Active'
    case 'SUSPENDED':
      return subStatus === 'MERCHANT_PAUSED' ? 'Paused by the shop' : 'Paused'
    case 'AUTHORIZATION_FAILED':
      return 'Refused by the bank'
    case 'REJECT':
      return REJECTED[subStatus] ?? 'Ended'
    case 'EXPIRED':
      return 'Expired'
    case 'CLOSED':
      return 'Ended by the operator'
    default:
      return status satisfies never
  }
}

function mandateCard(mobile: string, mandate: PhoneMandate): Html {
  const { subscription, merchant } = mandate
  const { mid, subscriptionId } = subscription
  const buttons = possibleActions(mandate).map((action) =>
    button(mobile, { mid, subscriptionId, action }, NAMES[action], action === 'approve' ? '' : 'second'),
  )
  return html`<article class="card matter"><p><b><bdi>${merchant}</bdi></b> · ${stateOf(mandate)}</p><p>${inEnglish(subscription)}</p><details class="other"><summary>Its number</summary><p class="inner"><bdi>${subscriptionId}</bdi></p></details>${buttons.length > 0 && html`<div class="ways">${buttons}</div>`}</article>`
}
