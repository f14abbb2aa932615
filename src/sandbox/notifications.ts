// GET /sandbox/notifications, POST /sandbox/notifications/resend and /start: the delivery log, and the work of `mohur notification` while
// the service runs (docs/sandbox.md).

import type { FastifyInstance } from 'fastify'
import { listNotifications, resendDead, resendOne, startEndpoints } from '../flows/dead-letters.ts'
import type { Ports } from '../flows/ports.ts'
import { isText, membersOf } from './members.ts'

export interface NotificationParts {
  ports: Ports
  /** Sends due notifications, so a list shows the notifications that the previous call caused. */
  runDue(): Promise<unknown>
}

export function addNotificationRoutes(server: FastifyInstance, { ports, runDue }: NotificationParts) {
  server.get<{ Querystring: Record<string, unknown> }>('/sandbox/notifications', async (request, reply) => {
    const { mid, orderId, dead } = request.query
    if (!isText(mid) || (orderId !== undefined && !isText(orderId)))
      return reply.code(400).send({ error: 'name a merchant by ?mid=, and an order by &orderId= where needed' })
    await runDue()
    const which = { mid, ...(orderId !== undefined && { orderId }), dead: dead === 'true' }
    return { notifications: (await listNotifications(ports.query, which)).map(inWords) }
  })

  server.post('/sandbox/notifications/resend', async (request, reply) => {
    const { mid, notificationId, dead } = membersOf(request.body)
    if (isText(mid) && dead === true && notificationId === undefined) return resendDead(ports, mid)
    if (!isText(mid) || !isText(notificationId) || dead !== undefined)
      return reply.code(400).send({ error: 'send {"mid", "notificationId"} or {"mid", "dead": true}' })
    const result = await resendOne(ports, mid, notificationId)
    return result === 'unknown' ? reply.code(404).send({ error: 'no notification of this merchant has this id' }) : { result }
  })

  server.post('/sandbox/notifications/start', async (request, reply) => {
    const { mid } = membersOf(request.body)
    if (!isText(mid)) return reply.code(400).send({ error: 'send {"mid"}' })
    return startEndpoints(ports, mid)
  })
}

const instant = (at: number) => new Date(at).toISOString()

const inWords = ({ createdAt, deliveredAt, deliveries, ...rest }: Awaited<ReturnType<typeof listNotifications>>[number]) => ({
  ...rest,
  createdAt: instant(createdAt),
  deliveredAt: deliveredAt === null ? null : instant(deliveredAt),
  deliveries: deliveries.map(({ attempt, at, ...came }) => ({ attempt: Number(attempt), at: instant(at), ...came })),
})
