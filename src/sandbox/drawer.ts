// The sandbox's drawer below every payer's page: the bank's next outcome, the waiting code, the latest message, the clock, the phone
// (docs/sandbox.md). Only the sandbox's own bank and inbox have a drawer, so it never shows a real code.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BEHAVIOURS, type Behaviour } from '../adapters/acquirer/sandbox/bank-request.ts'
import { scriptSubject } from '../adapters/acquirer/sandbox/open-books.ts'
import { PAYMENT_ACTIONS, type PaymentAction, SANDBOX_OTP, type SandboxAcquirer } from '../adapters/acquirer/sandbox/sandbox.ts'
import type { SandboxBank } from '../adapters/acquirer/sandbox/sandbox-bank.ts'
import { dateTimeInIndia } from '../engine/clock.ts'
import type { Query } from '../engine/decision.ts'
import type { ClockMove } from '../engine/draining.ts'
import { type Html, html, type Part } from '../pages/html.ts'
import { leadTo } from '../pages/kit/document.ts'
import { hidden, hiddenForm } from '../pages/kit/fields.ts'
import { type Form, takeForms } from '../pages/kit/forms.ts'
import { PageError } from '../pages/kit/page-error.ts'
import type { DrawerSubject, SandboxDrawer } from '../pages/kit/page-parts.ts'
import { messagesOf } from '../tables/keys.ts'
import type { Shell } from './shell.ts'

const DRAWER = '/sandbox/drawer'
const STEP_MINUTES = 15 // Mohur's choice: the lifetime of a page, a token and a UPI request
const CLOCK_STEP_MS = STEP_MINUTES * 60_000
export const CLOCK_NAME = `Clock + ${STEP_MINUTES} minutes`

/** The drawer leads back only to the payer's pages. */
const BACK_FORM = /^\/(?:(?:pay|mandate)\/[0-9a-f]{32}|m\/[A-Za-z0-9_-]{22})$/

export interface DrawerParts {
  bank: SandboxBank
  acquirer: SandboxAcquirer
  query: Query
  shell: Shell
  now(): number
  advanceTo(at: number): Promise<ClockMove>
  /** Notifies the service as a bank would, and waits until all work that follows is done. */
  onEvent(key: string): Promise<void>
  /** Sends the due messages. */
  runDue(): Promise<unknown>
}

export const OUTCOME_NAMES: Readonly<Record<PaymentAction, string>> = {
  approve: 'Approve',
  decline: 'Decline',
  insufficient: 'Not enough money',
  expire: 'Let it expire',
  late: 'Money comes 90 hours late',
  lost: 'Paid, but no answer comes',
}

/** Script words that make sense before a payment begins. The words are few and short, because every first view carries them. */
const NEXT: Partial<Record<Behaviour, string>> = {
  declined: 'declined',
  insufficient: 'not enough money',
  otp: 'asks for a code',
  bankPage: 'goes to the bank’s page',
  slow: 'paid after two minutes',
  late: 'paid 90 hours late',
  lost: 'paid, but no answer comes',
  timeout: 'not paid, and no answer comes',
}

// ------------------------------------------------------------------------------------------------------------- showing

export const drawerOf =
  (parts: DrawerParts): SandboxDrawer =>
  async (subject) => {
    const { order, code, mobile } = subject
    if (code?.from === 'inbox') await parts.runDue() // sends the code
    const messages = mobile === undefined ? [] : await parts.query.rows(messagesOf(mobile))
    const [latest] = messages
    const sent = messages.find(({ content }) => content.otp !== undefined)?.content.otp
    const typed = code?.from === 'bank' ? SANDBOX_OTP : code && sent
    const says =
      typed === undefined
        ? order?.stage === 'waits'
          ? 'choose how this payment ends'
          : 'outcomes, messages, clock'
        : `the code is ${typed}`
    const parted: readonly Part[] = [
      typed !== undefined && code && codeForm(code, String(typed)),
      await acts(parts, subject),
      latest && html`<p><b>Latest message</b> <span class="quiet">${dateTimeInIndia(latest.at)}</span><br>${latest.content.text}</p>`,
      html`<a href="/sandbox/phone/${mobile ?? 'none'}" target="_blank" rel="noopener">Open the phone</a>`,
    ]
    return html`<aside class="sheet alone drawer" lang="en" aria-label="Sandbox"><details class="card other"><summary><span><b>Sandbox</b>: ${says}</span></summary><div class="inner">${parted}</div></details></aside>`
  }

const codeForm = ({ action, field, carries }: NonNullable<DrawerSubject['code']>, code: string): Html =>
  html`<form method="post" action="${action}">${Object.entries(carries).map(([name, value]) => hidden(name, value))}${hidden(field, code)}<button>Fill in ${code} and continue</button></form>`

const button = (act: string, name: string): Html => html`<button class="second" name="act" value="${act}">${name}</button>`

/** One form with all the drawer's buttons, because every first view carries it. */
async function acts({ bank, now }: DrawerParts, { address, mid, order }: DrawerSubject): Promise<Html> {
  const form = (inner: Part, kind = 'ways') =>
    html`<form class="${kind}" method="post" action="${DRAWER}">${hidden('back', address)}${inner}${button('clock', CLOCK_NAME)}</form>`
  if (!order) return form(undefined)
  const of = { mid, orderId: order.orderId }
  const about = html`${hidden('mid', mid)}${hidden('orderId', order.orderId)}`
  if (order.stage === 'waits' && (await bank.waitingOf(of.mid, of.orderId)) !== undefined)
    return form(html`${about}${PAYMENT_ACTIONS.map((action) => button(action, OUTCOME_NAMES[action]))}`)
  if (order.stage !== 'begins') return form(undefined)
  const [scripted] = await bank.call({ keys: [], scriptOf: of, now: now(), run: (books) => books.scriptOf(of) })
  const choices = Object.entries(NEXT).map(
    ([word, name]) => html`<option value="${word}"${word === scripted && html` selected`}>${name}</option>`,
  )
  return form(
    html`${about}<label>The next payment is<select name="next"><option value="">as the card or UPI id says</option>${choices}</select></label>${button('next', 'Set the outcome')}`,
    'stack',
  )
}

// -------------------------------------------------------------------------------------------------------------- acting

export function addDrawer(server: FastifyInstance, parts: DrawerParts) {
  server.register(async (scope) => {
    takeForms(scope)
    parts.shell.answerHere(scope)
    scope.post(DRAWER, async (request, reply) => actOn(request, reply, parts))
  })
}

/**
 * Moves the clock by one step, or to the target of an earlier press. Returns that target and a text when the clock has not arrived there.
 */
export async function moveClock({ now, advanceTo }: Pick<DrawerParts, 'now' | 'advanceTo'>, aim: string | undefined) {
  const to = Math.min(now() + CLOCK_STEP_MS, /^[0-9]{13,15}$/.test(aim ?? '') ? Number(aim) : Number.POSITIVE_INFINITY)
  const { end } = await advanceTo(to)
  if (end !== 'time') return undefined
  const says = html`<p>The clock shows ${dateTimeInIndia(now())} (IST), on its way to ${dateTimeInIndia(to)}. Much work is due until then.</p>`
  return { to: String(to), says }
}

async function actOn(request: FastifyRequest, reply: FastifyReply, parts: DrawerParts) {
  const form = (request.body ?? {}) as Form
  const { back = '', act, mid, orderId, next } = form
  if (!BACK_FORM.test(back)) throw new PageError('wrong', { field: 'back' })
  if (act === 'clock') {
    request.raw.socket.setTimeout(0) // the due work may take longer than the connection's time-out
    const goesOn = await moveClock(parts, form['to'])
    const again =
      goesOn &&
      html`${goesOn.says}${hiddenForm(DRAWER, { back, act, to: goesOn.to }, 'Move on')}<p><a href="${back}">Back to the page</a></p>`
    return again ? parts.shell.send(reply, 'The clock is on its way', again) : leadTo(reply, back)
  }
  if (mid === undefined || orderId === undefined) throw new PageError('wrong', { field: mid === undefined ? 'mid' : 'orderId' })
  if (act === 'next') {
    if (next !== '' && !BEHAVIOURS.some((each) => each === next)) throw new PageError('wrong', { field: 'next' })
    await parts.bank.script(scriptSubject(mid, orderId), next === '' ? [] : [next as Behaviour])
    return leadTo(reply, back)
  }
  if (!PAYMENT_ACTIONS.some((each) => each === act)) throw new PageError('wrong', { field: 'act' })
  const acted = await parts.acquirer.payerActs({ mid, orderId }, act as PaymentAction)
  if (acted && act !== 'lost') await parts.onEvent(acted.key)
  return leadTo(reply, back)
}
