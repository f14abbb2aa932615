// The sandbox's bank from outside: its journal, the script of what it does next, its page, and the payer with his UPI app
// (docs/sandbox.md).

import type { FastifyInstance, FastifyReply } from 'fastify'
import { BEHAVIOURS, type Behaviour } from '../adapters/acquirer/sandbox/bank-request.ts'
import { scriptSubject } from '../adapters/acquirer/sandbox/open-books.ts'
import type { SandboxAcquirer } from '../adapters/acquirer/sandbox/sandbox.ts'
import type { SandboxBank } from '../adapters/acquirer/sandbox/sandbox-bank.ts'
import { PAYER_ACTIONS, type PayerAction } from '../adapters/acquirer/sandbox/sandbox-mandates.ts'
import { toRupees } from '../interface/money.ts'
import { html } from '../pages/html.ts'
import { hiddenForm } from '../pages/kit/fields.ts'
import { isText, membersOf } from './members.ts'
import type { Shell } from './shell.ts'

const OUTCOMES_MAX = 100 // ours: of one script

export interface BankParts {
  bank: SandboxBank
  acquirer: SandboxAcquirer
  now(): number
  shell: Shell
  /** What the payer of a wallet says, of whom the bank knows nothing; false when nobody has asked him. */
  walletActs(of: { mid: string; subscriptionId: string }, action: PayerAction): Promise<boolean>
  /** Tells the service of it as a bank would, and waits until everything has settled. */
  told(key: string): Promise<void>
}

export function addBankRoutes(server: FastifyInstance, { bank, acquirer, now, walletActs, told, shell }: BankParts) {
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
    // What a mandate's calls end as, each kind by itself.
    const isOfMandate = isText(subscriptionId) && MANDATE_CALLS.some((each) => each === call)
    const isCancel = call === 'cancel' && isText(asked['orderId'])
    const orderId = isOfMandate ? `${subscriptionId}:${call}` : isCancel ? `${asked['orderId']}:cancel` : asked['orderId']
    const isList = Array.isArray(outcomes) && outcomes.length <= OUTCOMES_MAX && outcomes.every((outcome) => BEHAVIOURS.includes(outcome))
    if (!isText(orderId) || !isText(mid) || !isList)
      return reply.code(400).send({
        error: `say {"orderId", "outcomes": [...]} and, if need be, "mid" and "call": "cancel", or {"mid", "subscriptionId", "call", "outcomes"}; outcomes are ${BEHAVIOURS.join(', ')}`,
      })
    await bank.script(scriptSubject(mid, orderId), outcomes as Behaviour[])
    return isOfMandate ? { subscriptionId, call, outcomes } : { orderId: asked['orderId'], ...(isCancel && { call }), outcomes }
  })

  server.post('/sandbox/payer', async (request, reply) => {
    const { mid, orderId, subscriptionId, action, isTold } = membersOf(request.body)
    if (isText(mid) && isText(subscriptionId) && PAYER_ACTIONS.some((each) => each === action)) {
      const key = await acquirer.mandates.payerActs({ mid, subscriptionId }, action as PayerAction)
      if (key === undefined && (await walletActs({ mid, subscriptionId }, action as PayerAction))) return { subscriptionId, action }
      if (key === undefined) return reply.code(404).send({ error: 'there is nothing of this mandate that its payer could do this to' })
      if (isTold !== false) await told(key)
      return { subscriptionId, action }
    }
    if (!isText(mid) || !isText(orderId) || (action !== 'approve' && action !== 'decline'))
      return reply.code(400).send({ error: 'say {"mid", "orderId", "action": "approve" or "decline"}' })
    const acted = await acquirer.payerActs({ mid, orderId }, action)
    if (!acted) return reply.code(404).send({ error: 'no payment of this order waits for its payer' })
    await told(acted.key)
    return { orderId, action }
  })

  server.register(async (scope) => {
    scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, text, done) =>
      done(null, Object.fromEntries(new URLSearchParams(text as string))),
    )
    scope.post('/sandbox/bank/page', async (request, reply) => bankPage((request.body ?? {}) as Record<string, string>, reply))
    // A tab that is opened anew brings no form along.
    scope.get('/sandbox/bank/page', (_request, reply) =>
      shell.send(reply.code(404), 'Test bank', html`<p>Go back to the payment page: it leads here.</p>`),
    )
  })

  /** First the page with its two buttons; then, with one of them pressed, back to the service. */
  async function bankPage({ key, action }: Record<string, string>, reply: FastifyReply) {
    const request = !isText(key) ? undefined : await bank.call({ keys: [key], now: now(), run: (books) => books.request(key) })
    if (!request) return shell.send(reply.code(404), 'Test bank', html`<p>There is no such payment.</p>`)
    if (action !== 'approve' && action !== 'decline') {
      const choice = (action: string, name: string) => hiddenForm('/sandbox/bank/page', { key: request.key, action }, name)
      const body = html`<p><b>₹${toRupees(request.amount_paise)}</b>, order <bdi>${request.order_id}</bdi></p><div class="ways">${choice('approve', 'Approve')}${choice('decline', 'Decline')}</div>`
      return shell.send(reply, 'Test bank', body, { goesOn: true })
    }
    await acquirer.payerActs({ key: request.key }, action)
    return reply.redirect(request.return_url, 303)
  }
}

const MANDATE_CALLS = ['collect', 'notify', 'mandate'] as const

/** `mid:subscriptionId:yyyymmdd:n`. */
function cycleOf(key: string) {
  const [, subscriptionId = '', day = ''] = key.split(':')
  return { subscriptionId, dueDate: day.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3') }
}
