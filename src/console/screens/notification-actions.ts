// Sending again what was given up: one order's notifications, or all of a list. And starting an endpoint that answered 410.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Stream } from '../../domain/notification/notification.ts'
import { startEndpoint } from '../../domain/notification/resend.ts'
import { notificationAct, type Resent, resendStreams } from '../../flows/dead-letters.ts'
import { html, type Part } from '../../pages/html.ts'
import type { Form } from '../../pages/kit/forms.ts'
import { type Endpoint, merchantKey, streamKey } from '../../tables/keys.ts'
import { find, type Row } from '../../tables/tables.ts'
import { portsOf, reasonOf } from '../kit/acting.ts'
import { carried, leadBack, rowButton, rowsForm } from '../kit/action-form.ts'
import { ConsoleError } from '../kit/console-error.ts'
import type { ConsoleParts, Viewer } from '../kit/parts.ts'
import { sendPage } from '../kit/sheet.ts'
import { stateOf } from './addresses.ts'
import { type DeadStreams, deadStreams, NOTIFICATIONS, STATES } from './dead-streams.ts'
import { addressOf, type Filters, readFilters, textOf } from './filters.ts'

const RESENT_MAX = 1_000 // docs/console.md: streams of one action
const STOPPED_MAX = 1_000 // Mohur's choice: of one merchant
const [RESEND, START] = ['resend', 'start'] as const
const SHOWN_AT = /^[0-9]{13}$/
const ENDPOINTS: readonly string[] = ['merchant', 'peon', 'callback'] satisfies Endpoint[]

type OfMerchant = { Params: { mid: string } }
type OfStream = { Params: { mid: string; id: string; endpoint: string } }

export function addNotificationActions(scope: FastifyInstance, parts: ConsoleParts) {
  const admitted = { config: { admits: 'notify' } } as const
  scope.post(`${NOTIFICATIONS}/resend`, admitted, (request, reply) => resendShown(request, reply, parts))
  scope.post<OfStream>(`${NOTIFICATIONS}/:mid/:id/:endpoint/resend`, admitted, (request, reply) => resendOne(request, reply, parts))
  scope.post<OfMerchant>(`${NOTIFICATIONS}/:mid/start`, admitted, (request, reply) => start(request, reply, parts))
}

/** Revives these streams, with an audit row for each. */
const revive = (request: FastifyRequest, parts: ConsoleParts, streams: readonly Stream[], reason: string): Promise<Resent> =>
  resendStreams(
    portsOf(request, parts, (operation, command) => ({ ...notificationAct(operation, command), reason })),
    streams,
  )

async function resendOne(request: FastifyRequest<OfStream>, reply: FastifyReply, parts: ConsoleParts) {
  const { mid, id, endpoint } = request.params
  const isKnown = request.viewer!.sees(mid) && ENDPOINTS.includes(endpoint)
  const streamNow = () => parts.ports.query.row(streamKey(mid, id, endpoint as Endpoint))
  const stream = isKnown ? await streamNow() : undefined
  if (!stream) throw new ConsoleError('unknown')
  const form = request.body as Form
  const reason = reasonOf(form)
  const { stopped, changed } = await revive(request, parts, [{ ...stream, updatedAt: Number(form['given']) }], reason)
  if (stopped > 0) throw new ConsoleError('changed', 'The endpoint answered 410 and is stopped. Start it first.')
  if (changed > 0)
    throw new ConsoleError('changed', html`The notifications of this order are now: ${stateOf((await streamNow())!.status)}.`)
  return leadBack(reply, `${NOTIFICATIONS}?merchant=${encodeURIComponent(mid)}`, 'resent')
}

/** Takes what the form's page showed by its filters. What was given up since then is left, so the same form twice is one action. */
async function resendShown(request: FastifyRequest, reply: FastifyReply, parts: ConsoleParts) {
  const viewer = request.viewer!
  const form = request.body as Form
  const reason = reasonOf(form)
  if (!SHOWN_AT.test(form['shown'] ?? '')) throw new ConsoleError('form')
  const shownAt = Number(form['shown'])
  const filters = readFilters(form, { now: shownAt, viewer, states: STATES })
  if (Object.keys(filters.faults).length > 0) throw new ConsoleError('filter')
  const found = await deadStreams(parts.aside, { ...filters, to: Math.min(filters.to, shownAt), limit: RESENT_MAX })
  const resent = await parts.ports.follow(revive(request, parts, found.rows, reason))
  return resentPage(reply, parts, { viewer, filters, found, resent })
}

interface Shown {
  viewer: Viewer
  filters: Filters
  found: DeadStreams
  resent: Resent
}

function resentPage(reply: FastifyReply, parts: ConsoleParts, { viewer, filters, found, resent }: Shown) {
  const { revived, stopped, changed } = resent
  const left = found.rows.length - revived - stopped - changed
  const rest = found.next && addressOf(NOTIFICATIONS, filters, { after: textOf(found.next) })
  const body = html`<section class="card one"><h1>Sent again</h1><p class="notice good" role="status">Orders whose notifications are sent again: ${revived}.</p>${stopped > 0 && html`<p>Left, because their endpoint is stopped: ${stopped}. Start it first.</p>`}${changed > 0 && html`<p>Left, because they changed meanwhile: ${changed}.</p>`}${left > 0 && html`<p>Left, because the service is stopping: ${left}. Send them again when it runs.</p>`}<p class="acts"><a class="button second" href="${addressOf(NOTIFICATIONS, filters)}">Back to the list</a>${rest !== undefined && html`<a class="button second" href="${rest}" rel="next">The rest of the list</a>`}</p></section>`
  return sendPage(reply, { assets: parts.assets, viewer }, { title: 'Sent again', body, chapter: 'notifications' })
}

async function start(request: FastifyRequest<OfMerchant>, reply: FastifyReply, parts: ConsoleParts) {
  const { mid } = request.params
  const form = request.body as Form
  if (!request.viewer!.sees(mid) || !(await parts.ports.query.row(merchantKey(mid)))) throw new ConsoleError('unknown')
  const reason = reasonOf(form)
  const stopped = await parts.ports.query.rows(find('stoppedEndpoints', { equals: { mid }, orderBy: ['mid', 'url'], limit: STOPPED_MAX }))
  const url = stopped.find((each) => hashOf(parts, each.url) === form['given'])?.url ?? ''
  const { engine } = portsOf(request, parts, (operation, command) => ({ ...notificationAct(operation, command), reason }))
  const { result } = await engine.submit(startEndpoint, { mid, url })
  if (result.name !== 'started') throw new ConsoleError('changed', 'This endpoint is not stopped.')
  return leadBack(reply, `${NOTIFICATIONS}?merchant=${encodeURIComponent(mid)}`, 'started')
}

// --------------------------------------------------------------------------------------------------------------------- forms

/** The form of a list of dead streams: its buttons stand in the rows, and one is for all of them. */
export function resendForm(viewer: Viewer, { given, after }: Filters, now: number): Part {
  if (!viewer.may('notify')) return undefined
  const carries = { ...given, ...(after && { after: textOf(after) }), shown: now }
  const all = html`${carried(carries)}<button class="second" formaction="${NOTIFICATIONS}/resend">Send all again</button><p class="hint">All of this list and its later pages, at most ${RESENT_MAX.toLocaleString('en-IN')} at a time.</p>`
  return rowsForm(viewer, { id: RESEND, more: all })
}

export const resendButton = ({ mid, orderId, endpoint, updatedAt }: Stream): Part =>
  rowButton({
    ...{ id: RESEND, says: 'Send again', about: `for ${orderId}`, value: String(updatedAt) },
    at: `${NOTIFICATIONS}/${encodeURIComponent(mid)}/${encodeURIComponent(orderId)}/${endpoint}/resend`,
  })

export const startForm = (viewer: Viewer): Part => viewer.may('notify') && rowsForm(viewer, { id: START })
export const startButton = (viewer: Viewer, parts: ConsoleParts, { mid, url }: Row<'stoppedEndpoints'>): Part =>
  viewer.may('notify') &&
  rowButton({
    ...{ id: START, says: 'Start', about: `${URL.parse(url)?.origin ?? 'it'} of ${mid}`, value: hashOf(parts, url) },
    at: `${NOTIFICATIONS}/${encodeURIComponent(mid)}/start`,
  })

/** An address may have 2,048 characters, and a page has fifty. */
const hashOf = ({ ports: { vault } }: ConsoleParts, url: string) => vault.hash('console endpoint', url)
