// `POST /acquirer/cashfree/webhook`: Cashfree reports a payment (docs/acquirer-cashfree.md, "Webhooks"). The report is only a hint. The service
// asks for the status of the named key now instead of on schedule.

import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { successIn } from '../adapters/acquirer/cashfree/entities.ts'
import { orderIdOf } from '../adapters/acquirer/cashfree/ids.ts'
import { EVENTS_PATH } from '../adapters/acquirer/cashfree/requests.ts'
import { isSignedByCashfree } from '../adapters/acquirer/cashfree/signature.ts'
import { networkOf } from '../http/networks.ts'
import { RateLimit } from '../http/rate-limit.ts'
import { readRequest } from '../interface/envelope.ts'
import { reader } from '../interface/request.ts'
import { type AcquirerEventParts, EVENTS_PER_MINUTE, KEY_LENGTH, REFUSED_PER_MINUTE, refusedEvent } from './acquirer-events.ts'

const BODY_BYTES_MAX = 64 * 1024 // docs/acquirer-cashfree.md
const APART_MAX_MS = 5 * 60_000 // docs/acquirer-cashfree.md: the greatest difference between Cashfree's clock and this service's
const ALL_SIGNED = 'signed'

const readEvent = reader(
  Type.Object({
    data: Type.Object({
      order: Type.Object({
        order_id: Type.String(),
        order_tags: Type.Object({ key: Type.String({ minLength: 1, maxLength: KEY_LENGTH, pattern: '^[!-~]+$' }) }),
      }),
    }),
  }),
)

export function addCashfreeEvents(server: FastifyInstance, { secret, clock, logger, onEvent }: AcquirerEventParts) {
  const signed = new RateLimit(EVENTS_PER_MINUTE, clock)
  const refused = new RateLimit(REFUSED_PER_MINUTE, clock)
  const isRefused = refusedEvent({ clock, logger }, EVENTS_PATH)

  server.post(EVENTS_PATH, { bodyLimit: BODY_BYTES_MAX }, async (request, reply) => {
    const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    const header = (name: string) => (typeof request.headers[name] === 'string' ? (request.headers[name] as string) : '')
    const timestamp = header('x-webhook-timestamp')
    const isTimely = /^[0-9]{1,15}$/.test(timestamp) && Math.abs(Number(timestamp) - clock.realNow()) <= APART_MAX_MS
    if (!isTimely || !isSignedByCashfree(secret, timestamp, bytes, header('x-webhook-signature'))) {
      refused.take(networkOf(request.ip))
      isRefused(isTimely ? 'its signature is of another secret' : 'its time is more than five minutes from now')
      return reply.code(401).send({ error: 'this is not signed by Cashfree, or not now' })
    }
    signed.take(ALL_SIGNED)
    const read = readRequest(bytes)
    const order = read && readEvent(read.root).value?.data.order
    // An event about something else, or with the tag of another order, is accepted and ignored.
    if (order && orderIdOf(order.order_tags.key) === order.order_id) await onEvent(order.order_tags.key, successIn(read.root))
    return reply.code(200).send({})
  })
}
