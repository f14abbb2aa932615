// Notifications that merchants have not received: streams given up, endpoints that answered 410, and deliveries that wait for a retry.

import type { FastifyInstance } from 'fastify'
import { dateTimeInIndia } from '../../engine/clock.ts'
import { html, type Part } from '../../pages/html.ts'
import { find, type Row } from '../../tables/tables.ts'
import type { ConsoleParts, Viewer } from '../kit/parts.ts'
import { addList } from './list.ts'
import { orderAddress } from './lists.ts'

const SHOWN = 50 // docs/console.md: endpoints, and waiting deliveries
const LOOKED_AT = 1_000 // Mohur's choice: tasks of all merchants; only those in scope are shown

type Stream = Row<'notificationStreams'>

export function addNotifications(scope: FastifyInstance, parts: ConsoleParts) {
  const { aside } = parts
  addList<Stream>(scope, parts, {
    ...{ chapter: 'notifications', title: 'Notifications', states: { dead: 'given up' }, filters: [] },
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
    ],
    async ask({ mids, from, to, after, limit }) {
      const rows = await aside.rows(
        find('notificationStreams', {
          equals: { status: 'DEAD' },
          atLeast: { updatedAt: from },
          atMost: { updatedAt: after ? Math.min(to, after.at) : to },
          ...(mids && { in: { column: 'mid', values: mids.length > 0 ? mids : [''] } }),
          ...(after && { beyond: [after.at, after.mid, ...placeOf(after.id)] }),
          ...{ orderBy: ['updatedAt', 'mid', 'orderId', 'endpoint'], direction: 'desc', limit: limit + 1 },
        }),
      )
      const shown = rows.slice(0, limit)
      const last = rows.length > limit ? shown.at(-1) : undefined
      return {
        rows: shown,
        isCut: false,
        ...(last && { next: { at: last.updatedAt, mid: last.mid, id: `${last.orderId}:${last.endpoint}` } }),
      }
    },
    above: (viewer) => stoppedAndWaiting(parts, viewer),
    empty: 'No notifications were given up in this period.',
  })
}

/** An order may be given up at several endpoints, so a place names the order and the endpoint. */
const placeOf = (id: string): readonly [orderId: string, endpoint: string] => [
  id.slice(0, id.lastIndexOf(':')),
  id.slice(id.lastIndexOf(':') + 1),
]

async function stoppedAndWaiting({ aside }: ConsoleParts, viewer: Viewer): Promise<Part> {
  const [stopped, due] = await Promise.all([
    aside.rows(find('stoppedEndpoints', { orderBy: ['mid', 'url'], limit: LOOKED_AT })),
    aside.rows(find('tasks', { equals: { task: 'notification.due' }, orderBy: ['dueAt'], limit: LOOKED_AT, unopened: true })),
  ])
  const waiting = due.filter(({ subject, attempts }) => attempts > 0 && viewer.sees(subject.split('|')[0]!)).slice(0, SHOWN)
  const ends = stopped.filter(({ mid }) => viewer.sees(mid)).slice(0, SHOWN)
  const stops = ends.map(
    ({ mid, url, stoppedAt }) => html`<li><bdi>${url}</bdi> of <bdi>${mid}</bdi>, since ${dateTimeInIndia(stoppedAt)}</li>`,
  )
  const waits = waiting.map(({ subject, dueAt, attempts }) => {
    const [mid = '', orderId = '', endpoint = ''] = subject.split('|')
    return html`<li><a href="${orderAddress(mid, orderId)}"><bdi>${orderId}</bdi></a> to ${endpoint}: tried ${attempts} times, next at ${dateTimeInIndia(dueAt)} (IST)</li>`
  })
  return html`${stops.length > 0 && html`<section class="card"><h2>Stopped endpoints (410)</h2><ul>${stops}</ul></section>`}${waits.length > 0 && html`<section class="card"><h2>Waiting for a retry</h2><ul>${waits}</ul></section>`}`
}
