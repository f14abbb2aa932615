// Notifications that merchants have not received: streams given up, endpoints that answered 410, and deliveries that wait for a retry.

import type { FastifyInstance } from 'fastify'
import type { Stream } from '../../domain/notification/notification.ts'
import { dateTimeInIndia } from '../../engine/clock.ts'
import { hostOf } from '../../flows/dead-letters.ts'
import { html, type Part } from '../../pages/html.ts'
import { find } from '../../tables/tables.ts'
import type { ConsoleParts, Viewer } from '../kit/parts.ts'
import { orderAddress } from './addresses.ts'
import { deadStreams, STATES } from './dead-streams.ts'
import { addList } from './list.ts'
import { resendButton, resendForm, startButton, startForm } from './notification-actions.ts'

const SHOWN = 50 // docs/console.md: endpoints, and waiting deliveries
const LOOKED_AT = 1_000 // Mohur's choice: tasks of all merchants; only those in scope are shown

export function addNotifications(scope: FastifyInstance, parts: ConsoleParts) {
  const { aside, ports } = parts
  addList<Stream>(scope, parts, {
    ...{ chapter: 'notifications', title: 'Notifications', states: STATES, filters: [] },
    columns: [
      { name: 'Given up (IST)', value: ({ updatedAt }) => dateTimeInIndia(updatedAt) },
      { name: 'Merchant', value: ({ mid }) => mid },
      {
        name: 'Order',
        value: ({ orderId }) => orderId,
        cell: ({ mid, orderId }) => html`<a href="${orderAddress(mid, orderId)}"><bdi>${orderId}</bdi></a>`,
      },
      { name: 'To', value: ({ endpoint }) => endpoint },
      { name: 'Not delivered', value: ({ last, next }) => last - next + 1 },
      { name: 'Tries', value: ({ attempts }) => attempts },
      { name: 'Action', actsBy: 'notify', value: () => '', cell: resendButton },
    ],
    ask: (filters) => deadStreams(aside, filters),
    form: (viewer, filters) => resendForm(viewer, filters, ports.clock.now()),
    above: (viewer) => stoppedAndWaiting(parts, viewer),
    empty: 'No notifications were given up in this period.',
  })
}

async function stoppedAndWaiting(parts: ConsoleParts, viewer: Viewer): Promise<Part> {
  const { aside } = parts
  const [stopped, due] = await Promise.all([
    aside.rows(find('stoppedEndpoints', { orderBy: ['mid', 'url'], limit: LOOKED_AT })),
    aside.rows(find('tasks', { equals: { task: 'notification.due' }, orderBy: ['dueAt'], limit: LOOKED_AT, unopened: true })),
  ])
  const waiting = due.filter(({ subject, attempts }) => attempts > 0 && viewer.sees(subject.split('|')[0]!)).slice(0, SHOWN)
  const ends = stopped.filter(({ mid }) => viewer.sees(mid)).slice(0, SHOWN)
  const stops = ends.map(
    ({ mid, url, stoppedAt }) =>
      html`<li><bdi>${hostOf(url)}</bdi> of <bdi>${mid}</bdi>, since ${dateTimeInIndia(stoppedAt)} ${startButton(viewer, parts, { mid, url, stoppedAt })}</li>`,
  )
  const waits = waiting.map(({ subject, dueAt, attempts }) => {
    const [mid = '', orderId = '', endpoint = ''] = subject.split('|')
    return html`<li><a href="${orderAddress(mid, orderId)}"><bdi>${orderId}</bdi></a> to ${endpoint}: tried ${attempts} times, next at ${dateTimeInIndia(dueAt)} (IST)</li>`
  })
  return html`${stops.length > 0 && html`<section class="card"><h2>Stopped endpoints (410)</h2>${startForm(viewer)}<ul>${stops}</ul></section>`}${waits.length > 0 && html`<section class="card"><h2>Waiting for a retry</h2><ul>${waits}</ul></section>`}`
}
