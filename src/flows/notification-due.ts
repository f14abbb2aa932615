// `notification.due` and `notification-resend.due`: sends one notification, then decides its next step. If the process dies in between, the
// lease ends, and another run sends the same bytes under the same id.

import type { Egress, Posted } from '../adapters/delivery/egress.ts'
import { HostSlots } from '../adapters/delivery/host-slots.ts'
import { render, type Sign, webhookHeaders } from '../adapters/delivery/render.ts'
import { applyDeliveryResult } from '../domain/notification/apply-delivery-result.ts'
import { applyResendResult } from '../domain/notification/apply-resend-result.ts'
import { type DeliveryAttempt, urlOf } from '../domain/notification/notification.ts'
import { type Postponed, postponeDelivery, recallDelivery } from '../domain/notification/postpone-delivery.ts'
import type { Lane, TaskHandler } from '../engine/tasks.ts'
import { type Endpoint, merchantKey, notificationKey, stoppedEndpointKey } from '../tables/keys.ts'
import { find, type Row } from '../tables/tables.ts'
import type { EndpointHealth } from './endpoint-health.ts'
import { saltOf } from './merchant-keys.ts'
import type { Ports } from './ports.ts'

const PLACES = 256 // docs/interface.md section 8 (Mohur): deliveries under way in one process

export interface DeliveryParts {
  ports: Ports
  egress: Egress
  health: EndpointHealth
  /** Called for a notification that Mohur does not retry by itself. */
  givenUp(notificationId: string): void
}

interface Payload {
  mid: string
  orderId: string
  endpoint: Endpoint
  sequence: string
}

/** A lane of its own, so that no other work waits for a slow receiver. */
export function deliveryLane(delivery: DeliveryParts): Lane {
  const { ports, givenUp } = delivery
  const { engine, clock } = ports
  const recall = async (postponed: Postponed) => {
    // After a failure here the delivery stays postponed, and runs at its time.
    await engine.submit(recallDelivery, { ...postponed, now: clock.now(), realNow: clock.realNow() }).catch(() => {})
  }
  const places = new HostSlots(clock, PLACES, recall)
  const handlers: Record<'notification.due' | 'notification-resend.due', TaskHandler> = {
    async 'notification.due'(task, lease) {
      const { mid, orderId, endpoint, sequence } = task.payload as unknown as Payload
      const sent = await send(delivery, places, task, sequence)
      if ('dueAt' in sent) return void (await engine.submit(postponeDelivery, { task, dueAt: sent.dueAt }, lease))
      const finished = { mid, orderId, endpoint, sequence, ...sent, now: clock.now() }
      const { result } = await engine.submit(applyDeliveryResult, finished, lease)
      if (result.name === 'dead') givenUp(sent.notificationId)
    },
    async 'notification-resend.due'(task, lease) {
      const { sequence, attempts, ...of } = task.payload as unknown as Payload & { attempts: number }
      const sent = await send(delivery, places, task, sequence)
      if ('dueAt' in sent) return void (await engine.submit(postponeDelivery, { task, dueAt: sent.dueAt }, lease))
      const { result } = await engine.submit(applyResendResult, { ...of, sequence, attempts, ...sent, now: clock.now() }, lease)
      if (result.name === 'givenUp') givenUp(sent.notificationId)
    },
  }
  return { places: PLACES, handlers }
}

type Sent = { notificationId: string; url: string; attempt: DeliveryAttempt | undefined } | { dueAt: number }

async function send({ ports, egress, health }: DeliveryParts, places: HostSlots, task: Row<'tasks'>, sequence: string): Promise<Sent> {
  const { query, clock } = ports
  const { mid, orderId, endpoint } = task.payload as unknown as Payload
  // The address, the secret and whether the endpoint is stopped are read now. They may have changed since the notification was written.
  const [notification, merchant, stopped] = await Promise.all([
    query.row(notificationKey(mid, orderId, endpoint, sequence)),
    query.row(merchantKey(mid)),
    endpoint === 'merchant' ? query.rows(find('stoppedEndpoints', { equals: { mid }, limit: 1 })) : [],
  ])
  if (!notification) throw new Error(`${task.subject}: there is no notification ${sequence}`)
  const { notificationId, form, content } = notification
  const url = urlOf(notification, merchant)
  if (stopped.length > 0 && (await query.row(stoppedEndpointKey(mid, url)))) return { notificationId, url, attempt: undefined }
  const place = await places.take(URL.parse(url)?.hostname ?? '', mid, task)
  if ('dueAt' in place) return place
  const began = clock.elapsed()
  try {
    const { contentType, body } = await render(form, content, signer(ports, mid, notificationId))
    const secret = merchant?.notification?.secret
    const headers = {
      'content-type': contentType,
      'user-agent': 'Mohur',
      ...(secret && webhookHeaders(secret, notificationId, clock.realNow(), body)),
    }
    const posted = await egress.post(url, headers, body, mid)
    const attempt = attemptOf(posted, clock.elapsed() - began)
    health.saw(mid, url, attempt)
    return { notificationId, url, attempt }
  } finally {
    place.release()
  }
}

/** The salt comes from the notification and not from chance. A receiver that gets an id again gets the same bytes again. */
function signer({ merchantKeys, vault }: Ports, mid: string, notificationId: string): Sign {
  const salt = saltOf(vault, notificationId)
  return async (data) => (await merchantKeys.sign(mid, undefined, data, salt))?.signature
}

const GONE = 410

function attemptOf(posted: Posted, elapsedMs: number): DeliveryAttempt {
  const durationMs = Math.round(elapsedMs)
  if (posted.outcome !== 'answered') return { outcome: posted.outcome, httpStatus: 0, durationMs }
  const { httpStatus } = posted
  const isAccepted = httpStatus >= 200 && httpStatus < 300
  return { outcome: isAccepted ? 'delivered' : httpStatus === GONE ? 'gone' : 'answered', httpStatus, durationMs }
}
