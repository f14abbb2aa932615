// The sandbox's bank from outside: its journal, the script of its next outcomes, its page, and the payer with a UPI app (docs/sandbox.md).

import type { FastifyInstance, FastifyReply } from 'fastify'
import { type BankRequest, BEHAVIOURS, type Behaviour } from '../adapters/acquirer/sandbox/bank-request.ts'
import { scriptSubject } from '../adapters/acquirer/sandbox/open-books.ts'
import { PAYMENT_ACTIONS, type PaymentAction, type SandboxAcquirer } from '../adapters/acquirer/sandbox/sandbox.ts'
import type { SandboxBank } from '../adapters/acquirer/sandbox/sandbox-bank.ts'
import { PAYER_ACTIONS, type PayerAction } from '../adapters/acquirer/sandbox/sandbox-mandates.ts'
import type { Query } from '../engine/decision.ts'
import type { ClockMove } from '../engine/draining.ts'
import { html } from '../pages/html.ts'
import { formatRupees } from '../pages/kit/amounts.ts'
import { hidden, hiddenForm } from '../pages/kit/fields.ts'
import { look } from '../tables/tables.ts'
import { CLOCK_NAME, moveClock, OUTCOME_NAMES } from './drawer.ts'
import { isText, membersOf } from './members.ts'
import type { Shell } from './shell.ts'

const OUTCOMES_MAX = 100 // Mohur's choice: in one script

export interface BankParts {
  bank: SandboxBank
  acquirer: SandboxAcquirer
  advanceTo(at: number): Promise<ClockMove>
  query: Query
  now(): number
  shell: Shell
  /** Answers for a wallet's payer, whom the bank does not know. False when there is nothing to answer. */
  walletActs(of: { mid: string; subscriptionId: string }, action: PayerAction): Promise<boolean>
  /** Notifies the service as a bank would, and waits until all work that follows is done. */
  onEvent(key: string): Promise<void>
}

export function addBankRoutes(server: FastifyInstance, parts: BankParts) {
  const { bank, acquirer, now, walletActs, onEvent, shell } = parts
  server.get<{ Querystring: { since?: unknown } }>('/sandbox/bank/journal', async (request, reply) => {
    const { since } = request.query
    const from = typeof since === 'string' ? Date.parse(since) : 0
    if (Number.isNaN(from)) return reply.code(400).send({ error: '`since` is not an ISO 8601 instant' })
    const lines = await bank.journal(from, now())
    return lines.map(({ at, amount_paise, ...line }) => ({
      ...{ at: new Date(at).toISOString(), ...line, amountPaise: amount_paise },
      ...(line.kind === 'collect' && cycleOf(line.key)),
    }))
  })

  server.post('/sandbox/bank/script', async (request, reply) => {
    const asked = membersOf(request.body)
    const { mid = '', subscriptionId, call, outcomes } = asked
    // A mandate's calls have a script for each kind of call.
    const isOfMandate = isText(subscriptionId) && MANDATE_CALLS.some((each) => each === call)
    const isCancel = call === 'cancel' && isText(asked['orderId'])
    const orderId = isOfMandate ? `${subscriptionId}:${call}` : isCancel ? `${asked['orderId']}:cancel` : asked['orderId']
    const isList = Array.isArray(outcomes) && outcomes.length <= OUTCOMES_MAX && outcomes.every((outcome) => BEHAVIOURS.includes(outcome))
    if (!isText(orderId) || !isText(mid) || !isList)
      return reply.code(400).send({
        error: `send {"orderId", "outcomes": [...]}, with "mid" and "call": "cancel" where needed, or {"mid", "subscriptionId", "call", "outcomes"}; outcomes are ${BEHAVIOURS.join(', ')}`,
      })
    await bank.script(scriptSubject(mid, orderId), outcomes as Behaviour[])
    return isOfMandate ? { subscriptionId, call, outcomes } : { orderId: asked['orderId'], ...(isCancel && { call }), outcomes }
  })

  server.post('/sandbox/payer', async (request, reply) => {
    const { mid, orderId, subscriptionId, action, isReported } = membersOf(request.body)
    if (isText(mid) && isText(subscriptionId) && PAYER_ACTIONS.some((each) => each === action)) {
      const key = await acquirer.mandates.payerActs({ mid, subscriptionId }, action as PayerAction)
      if (key === undefined && (await walletActs({ mid, subscriptionId }, action as PayerAction))) return { subscriptionId, action }
      if (key === undefined) return reply.code(404).send({ error: 'the payer of this mandate cannot do this now' })
      if (isReported !== false) await onEvent(key)
      return { subscriptionId, action }
    }
    if (!isText(mid) || !isText(orderId) || (action !== 'approve' && action !== 'decline'))
      return reply.code(400).send({ error: 'send {"mid", "orderId", "action": "approve" or "decline"}' })
    const acted = await acquirer.payerActs({ mid, orderId }, action)
    if (!acted) return reply.code(404).send({ error: 'no payment of this order waits for its payer' })
    await onEvent(acted.key)
    return { orderId, action }
  })

  server.register(async (scope) => {
    scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, text, done) =>
      done(null, Object.fromEntries(new URLSearchParams(text as string))),
    )
    scope.post('/sandbox/bank/page', async (request, reply) => {
      request.raw.socket.setTimeout(0) // moving the clock may take longer than the connection's time-out
      return bankPage((request.body ?? {}) as Record<string, string>, reply, parts)
    })
    // A tab that is reloaded sends no form.
    scope.get('/sandbox/bank/page', (_request, reply) =>
      shell.send(reply.code(404), 'Test bank', html`<p>Go back to the payment page: it leads here.</p>`),
    )
  })
}

const MANDATE_CALLS = ['collect', 'notify', 'mandate'] as const

/** A debit's key is `mid:subscriptionId:yyyymmdd:n`. */
function cycleOf(key: string) {
  const [, subscriptionId = '', day = ''] = key.split(':')
  return { subscriptionId, dueDate: day.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3') }
}

// ------------------------------------------------------------------------------------------------------------- its page

/** Shows the payment, a first button that stands out, and below it all other outcomes. */
async function choices({ key, mid, order_id, amount_paise, kind }: BankRequest, query: Query) {
  const merchant = await query.row(look('merchants', mid))
  const button = (action: string, name: string, isFirst = false) =>
    html`<form method="post" action="/sandbox/bank/page">${hidden('key', key)}${hidden('action', action)}<button${!isFirst && html` class="second"`}>${name}</button></form>`
  const choice = (action: PaymentAction, isFirst = false) => button(action, OUTCOME_NAMES[action], isFirst)
  // A mandate's registration has no money that could be short or late.
  const others = kind === 'authorize' ? PAYMENT_ACTIONS.filter((action) => action !== 'approve' && action !== 'decline') : []
  const more = html`<details class="other"><summary>Sandbox: other outcomes, the clock, the phone</summary><div class="inner">${others.map((action) => choice(action))}${button('clock', CLOCK_NAME)}<a class="button second" href="/sandbox/phone" target="_blank" rel="noopener">The phone</a></div></details>`
  return html`<p class="sum"><b>${formatRupees(amount_paise)}</b> to <b><bdi>${merchant?.name ?? mid}</bdi></b></p><p class="quiet">Order <bdi>${order_id}</bdi></p>${choice('approve', true)}${choice('decline')}${more}`
}

/** Shows the page with its buttons. After a press of a button, the browser goes back to the service. */
async function bankPage(
  { key, action, to }: Record<string, string>,
  reply: FastifyReply,
  { bank, acquirer, query, now, advanceTo, shell }: BankParts,
) {
  const request = !isText(key) ? undefined : await bank.call({ keys: [key], now: now(), run: (books) => books.request(key) })
  if (!request) return shell.send(reply.code(404), 'Test bank', html`<p>The bank does not know this payment.</p>`)
  const goesOn = action === 'clock' ? await moveClock({ now, advanceTo }, to) : undefined
  const again =
    goesOn && html`${goesOn.says}${hiddenForm('/sandbox/bank/page', { key: request.key, action: 'clock', to: goesOn.to }, 'Move on')}`
  const chosen = PAYMENT_ACTIONS.find((each) => each === action)
  if (!chosen) return shell.send(reply, 'Test bank', html`${again}${await choices(request, query)}`, { goesOn: true })
  await acquirer.payerActs({ key: request.key }, chosen)
  if (chosen !== 'lost') return reply.redirect(request.return_url, 303)
  const body = html`<p>The bank has taken ${formatRupees(request.amount_paise)}, and the payer has closed the window. Neither the shop nor the service knows of it. The service asks the bank by itself: open the order again, or move the clock.</p><p><a href="/sandbox/shop">The demo shop</a></p>`
  return shell.send(reply, 'Test bank', body)
}
