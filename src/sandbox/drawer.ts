// The sandbox's drawer below every payer's page: what the bank does next, the code that waits to be typed, the latest message, the
// clock, the phone (docs/sandbox.md). Only our own bank and inbox have one, so that no real code is ever shown here.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BEHAVIOURS, type Behaviour } from '../adapters/acquirer/sandbox/bank-request.ts'
import { scriptSubject } from '../adapters/acquirer/sandbox/open-books.ts'
import { PAYMENT_ACTIONS, type PaymentAction, SANDBOX_OTP, type SandboxAcquirer } from '../adapters/acquirer/sandbox/sandbox.ts'
import type { SandboxBank } from '../adapters/acquirer/sandbox/sandbox-bank.ts'
import { dateTimeInIndia } from '../engine/clock.ts'
import type { Query } from '../engine/decision.ts'
import { type Html, html, type Part } from '../pages/html.ts'
import { leadTo } from '../pages/kit/document.ts'
import { hidden } from '../pages/kit/fields.ts'
import { type Form, takeForms } from '../pages/kit/forms.ts'
import { PageError } from '../pages/kit/page-error.ts'
import type { DrawerSubject, SandboxDrawer } from '../pages/kit/page-parts.ts'
import { messagesOf } from '../tables/keys.ts'
import type { Shell } from './shell.ts'

const DRAWER = '/sandbox/drawer'
const STEP_MINUTES = 15 // ours: as long as a page, a token and a UPI request live
export const CLOCK_STEP_MS = STEP_MINUTES * 60_000
export const CLOCK_NAME = `Clock + ${STEP_MINUTES} minutes`

/** The payer's pages, which alone it leads back to. */
const BACK_FORM = /^\/(?:(?:pay|mandate)\/[0-9a-f]{32}|m\/[A-Za-z0-9_-]{22})$/

export interface DrawerParts {
  bank: SandboxBank
  acquirer: SandboxAcquirer
  query: Query
  shell: Shell
  now(): number
  advanceTo(at: number): Promise<unknown>
  /** Tells the service of it as a bank would, and waits until everything has settled. */
  told(key: string): Promise<void>
  /** Sends the messages that are due. */
  settle(): Promise<unknown>
}

/** How a payment that waits can end, in words. */
export const OUTCOME_NAMES: Readonly<Record<PaymentAction, string>> = {
  approve: 'Approve',
  decline: 'Decline',
  insufficient: 'Not enough money',
  expire: 'Let it expire',
  late: 'Money comes 90 hours late',
  lost: 'Paid, but nobody says so',
}

/** The words of a script that make sense before anything is under way. */
const NEXT: Partial<Record<Behaviour, string>> = {
  success: 'it is paid',
  declined: 'the bank declines',
  insufficient: 'there is not enough money',
  pending: 'it waits for the payer',
  otp: 'it asks for a code',
  bankPage: 'it goes to the bank’s page',
  slow: 'it is paid after two minutes',
  late: 'it is paid 90 hours late',
  lost: 'it is paid, and no answer comes',
  timeout: 'nothing is done, and no answer comes',
}

// ------------------------------------------------------------------------------------------------------------- showing

export const drawerOf =
  (parts: DrawerParts): SandboxDrawer =>
  async (subject) => {
    const { order, code, mobile } = subject
    if (code?.from === 'inbox') await parts.settle() // the code is on its way
    const messages = mobile === undefined ? [] : await parts.query.rows(messagesOf(mobile))
    const [latest] = messages
    const sent = messages.find(({ content }) => content.otp !== undefined)?.content.otp
    const typed = code?.from === 'bank' ? SANDBOX_OTP : code && sent
    const says =
      typed === undefined
        ? order?.stage === 'waits'
          ? 'end this payment as you like'
          : 'outcomes, messages, clock'
        : `the code is ${typed}`
    const parted: readonly Part[] = [
      typed !== undefined && code && codeForm(code, String(typed)),
      order && (await outcomes(parts, subject, order)),
      latest && html`<p><b>Latest message</b> <span class="quiet">${dateTimeInIndia(latest.at)}</span><br>${latest.content.text}</p>`,
      html`<div class="ways">${clockForm(subject)}<a class="button second" href="/sandbox/phone/${mobile ?? 'none'}" target="_blank" rel="noopener">Open the phone</a></div>`,
    ]
    return html`<aside class="sheet alone drawer" lang="en" aria-label="Sandbox"><details class="card other"><summary><span><b>Sandbox</b>: ${says}</span></summary><div class="inner">${parted}</div></details></aside>`
  }

const codeForm = ({ action, field, carries }: NonNullable<DrawerSubject['code']>, code: string): Html =>
  html`<form method="post" action="${action}">${Object.entries(carries).map(([name, value]) => hidden(name, value))}${hidden(field, code)}<button>Fill in ${code} and go on</button></form>`

const drawerForm = ({ address, mid, order }: DrawerSubject, kind: string, inner: Part): Html =>
  html`<form method="post" action="${DRAWER}"${kind !== '' && html` class="${kind}"`}>${hidden('back', address)}${order && html`${hidden('mid', mid)}${hidden('orderId', order.orderId)}`}${inner}</form>`

const clockForm = (subject: DrawerSubject) =>
  drawerForm(subject, '', html`<button class="second" name="act" value="clock">${CLOCK_NAME}</button>`)

async function outcomes(
  { bank, now }: DrawerParts,
  subject: DrawerSubject,
  { orderId, stage }: NonNullable<DrawerSubject['order']>,
): Promise<Part> {
  const of = { mid: subject.mid, orderId }
  if (stage === 'waits') {
    if ((await bank.waitingOf(of.mid, of.orderId)) === undefined) return undefined
    const buttons = PAYMENT_ACTIONS.map(
      (action) => html`<button class="second" name="act" value="${action}">${OUTCOME_NAMES[action]}</button>`,
    )
    return drawerForm(subject, 'ways', buttons)
  }
  if (stage !== 'begins') return undefined
  const [scripted] = await bank.call({ keys: [], scriptOf: of, now: now(), run: (books) => books.scriptOf(of) })
  const choices = Object.entries(NEXT).map(
    ([word, name]) => html`<option value="${word}"${word === scripted && html` selected`}>${name}</option>`,
  )
  const none = html`<option value="">as the card or UPI id says</option>`
  return drawerForm(
    subject,
    'stack',
    html`<div class="field"><label for="drawer-next">What the bank does with the next payment</label><select id="drawer-next" name="next">${none}${choices}</select></div><button class="second" name="act" value="next">Set it</button>`,
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

async function actOn(request: FastifyRequest, reply: FastifyReply, parts: DrawerParts) {
  const { back = '', act, mid, orderId, next } = (request.body ?? {}) as Form
  if (!BACK_FORM.test(back)) throw new PageError('form')
  if (act === 'clock') {
    request.raw.socket.setTimeout(0) // what is due by then may take longer than a connection is left alone for
    await parts.advanceTo(parts.now() + CLOCK_STEP_MS)
    return leadTo(reply, back)
  }
  if (mid === undefined || orderId === undefined) throw new PageError('form')
  if (act === 'next') {
    if (next !== '' && !BEHAVIOURS.some((each) => each === next)) throw new PageError('form')
    await parts.bank.script(scriptSubject(mid, orderId), next === '' ? [] : [next as Behaviour])
    return leadTo(reply, back)
  }
  if (!PAYMENT_ACTIONS.some((each) => each === act)) throw new PageError('form')
  const acted = await parts.acquirer.payerActs({ mid, orderId }, act as PaymentAction)
  if (acted && act !== 'lost') await parts.told(acted.key)
  return leadTo(reply, back)
}
