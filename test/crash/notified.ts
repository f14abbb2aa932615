// What two receivers get while the service that notifies them is killed, and the faults in it.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { read } from '../support/notifications/receiver.ts'

const ANSWERS_AFTER_MS = 5 // so that a kill finds some under way

/** A notification in the service's books. */
export interface Notified {
  mid: string
  id: string
  url: string
  status: string
}

interface Heard {
  id: string
  body: string
}

export interface Listener {
  url: string
  heard: readonly Heard[]
  /** How many notifications have no valid signature. */
  unsigned(): number
  hasHeard(id: string): boolean
  close(): void
}

/** A merchant's server that accepts every post, and checks its signature at once. */
export async function listener(): Promise<Listener> {
  const heard: Heard[] = []
  const ids = new Set<string>()
  let unsigned = 0
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part) => {
      body += part
    })
    request.on('end', () => {
      const id = String(request.headers['webhook-id'])
      if (typeof read({ path: request.url!, headers: request.headers, body }) === 'string') unsigned++
      heard.push({ id, body })
      ids.add(id)
      setTimeout(() => response.end(), ANSWERS_AFTER_MS)
    })
    request.on('error', () => {}) // its sender was killed half way
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/told`,
    heard,
    unsigned: () => unsigned,
    hasHeard: (id) => ids.has(id),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

export interface ReportedFigures {
  /** Notifications in the books, and received posts, repeated ones included. */
  notifications: number
  posts: number
  /** Notifications that their receiver did not get, or that the books do not have as delivered. */
  unreported: number
  /** Notifications that another receiver got. */
  atAnother: number
  /** Posts that came too early or too late in their order's stream. */
  outOfOrder: number
  /** Posts whose bytes differ from the first post with their id. */
  otherBytes: number
  unsigned: number
}

export function faultsOf(notifications: readonly Notified[], receivers: Readonly<Record<string, Listener>>): ReportedFigures {
  const listeners = Object.values(receivers)
  const urlOf = new Map(notifications.map(({ id, url }) => [id, url]))
  const figures: ReportedFigures = {
    notifications: notifications.length,
    posts: 0,
    unreported: 0,
    atAnother: 0,
    outOfOrder: 0,
    otherBytes: 0,
    unsigned: 0,
  }
  figures.unreported = notifications.filter(
    ({ id, url, status }) => status !== 'DELIVERED' || !listeners.some((each) => each.url === url && each.hasHeard(id)),
  ).length
  for (const { url, heard, unsigned } of listeners) {
    const [bytes, latest] = [new Map<string, string>(), new Map<string, number>()]
    figures.posts += heard.length
    figures.unsigned += unsigned()
    for (const { id, body } of heard) {
      if (urlOf.get(id) !== url) figures.atAnother++
      if ((bytes.get(id) ?? body) !== body) figures.otherBytes++
      if (!bytes.has(id)) bytes.set(id, body)
      const [, stream = '', place] = /^(.*):(\d+)$/.exec(id) ?? []
      const before = latest.get(stream) ?? 0
      if (Number(place) !== before && Number(place) !== before + 1) figures.outOfOrder++
      latest.set(stream, Number(place))
    }
  }
  return figures
}
