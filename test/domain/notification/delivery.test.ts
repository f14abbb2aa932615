// Decisions about a notification that was sent, or is sent again.

import { applyDeliveryResult } from '../../../src/domain/notification/apply-delivery-result.ts'
import { applyResendResult } from '../../../src/domain/notification/apply-resend-result.ts'
import type { DeliveryAttempt } from '../../../src/domain/notification/notification.ts'
import { postponeDelivery, recallDelivery } from '../../../src/domain/notification/postpone-delivery.ts'
import { resend, startEndpoint } from '../../../src/domain/notification/resend.ts'
import { decides } from '../../support/decided/decides.ts'
import { MID, merchant, NOW, notification, stoppedEndpoint, stream, task } from '../../support/decided/rows.ts'

const URL = 'https://shop.example/all'
const one = { mid: MID, orderId: 'O', endpoint: 'merchant', sequence: '000002', now: NOW } as const
const tried = (outcome: DeliveryAttempt['outcome'], httpStatus = 0): DeliveryAttempt => ({ outcome, httpStatus, durationMs: 12 })
const log = (outcome: string, attempt = '000001') => [`insert deliveryAttempts ${attempt}`, { outcome, at: NOW }] as const
const due = 'notification.due M|O|merchant'
const open = [stream(), notification()]
const deliver = (attempt: DeliveryAttempt | undefined, more: object = {}) => ({ ...one, url: URL, attempt, ...more })
const row = 'update notifications 000002'
const its = 'update notificationStreams merchant'
const MOVED = 'https://moved.example/all'
/** The time of each retry after a failure: docs/interface.md section 6. */
const SCHEDULE = ['1m', '5m', '30m', '2h', '6h', '24h', '24h', '24h', '48h', '48h']

decides(applyDeliveryResult, {
  'with its last notification a stream is idle': {
    given: open,
    when: deliver(tried('delivered', 200)),
    comes: {
      reply: 'delivered',
      changes: [log('delivered'), [its, { status: 'IDLE', next: 3 }], [row, { status: 'DELIVERED', attempts: 1, deliveredAt: NOW }]],
    },
  },
  'behind one that was delivered the next is due, and its tries begin anew': {
    given: [stream({ last: 3, attempts: 4 }), notification()],
    when: deliver(tried('delivered', 200)),
    comes: {
      reply: 'delivered',
      changes: [log('delivered'), [its, { next: 3, attempts: 0 }], [row, { status: 'DELIVERED', attempts: 1, deliveredAt: NOW }]],
      tasks: [`${due} +0`],
    },
  },
  ...Object.fromEntries(
    SCHEDULE.map((after, failures) => [
      `failure ${failures + 1} is followed by a try after ${after}`,
      {
        given: [stream({ attempts: failures }), notification({ attempts: failures })],
        when: deliver(tried('answered', 500)),
        comes: {
          reply: 'waiting',
          changes: [
            log('answered', String(failures + 1).padStart(6, '0')),
            [its, { attempts: failures + 1 }],
            [row, { attempts: failures + 1 }],
          ],
          tasks: [[`${due} +${after}`, { mid: MID, orderId: 'O', endpoint: 'merchant', sequence: '000002' }]],
        },
      } as const,
    ]),
  ),
  ...Object.fromEntries(
    (['timeout', 'unreachable', 'notPublic'] as const).map((outcome) => [
      `a try that ends as ${outcome} is made again`,
      {
        given: open,
        when: deliver(tried(outcome)),
        comes: { reply: 'waiting', changes: [log(outcome), [its, { attempts: 1 }], [row, { attempts: 1 }]], tasks: [`${due} +1m`] },
      } as const,
    ]),
  ),
  'a notification that was sent to another address says so': {
    given: open,
    when: deliver(tried('delivered', 200), { url: MOVED }),
    comes: {
      reply: 'delivered',
      changes: [
        log('delivered'),
        [its, { status: 'IDLE', next: 3 }],
        [row, { status: 'DELIVERED', attempts: 1, deliveredAt: NOW, url: MOVED }],
      ],
    },
  },
  'after the eleventh failure the stream stands still': {
    given: [stream({ attempts: 10 }), notification({ attempts: 10 })],
    when: deliver(tried('unreachable')),
    comes: {
      reply: 'dead',
      changes: [log('unreachable', '000011'), [its, { status: 'DEAD' }], [row, { status: 'DEAD', attempts: 11 }]],
    },
  },
  'an endpoint that is gone is stopped': {
    given: [stream({ attempts: 2 }), notification()],
    when: deliver(tried('gone', 410)),
    comes: {
      reply: 'dead',
      changes: [
        log('gone'),
        [its, { status: 'DEAD', attempts: 0 }],
        [row, { status: 'DEAD', attempts: 1 }],
        [`insert stoppedEndpoints ${URL}`, { stoppedAt: NOW }],
      ],
    },
  },
  'an endpoint is stopped once': {
    given: [...open, stoppedEndpoint()],
    when: deliver(tried('gone', 410)),
    comes: { reply: 'dead', changes: [log('gone'), [its, { status: 'DEAD' }], [row, { status: 'DEAD', attempts: 1 }]] },
  },
  'one that was named for an order ends its stream alone': {
    given: [stream({ endpoint: 'peon' }), notification({ endpoint: 'peon' })],
    when: { ...deliver(tried('gone', 410)), endpoint: 'peon' },
    comes: {
      reply: 'dead',
      changes: [log('gone'), ['update notificationStreams peon', { status: 'DEAD' }], [row, { status: 'DEAD', attempts: 1 }]],
    },
  },
  'a URL that may not be dialled is not dialled again': {
    given: open,
    when: deliver(tried('refused')),
    comes: { reply: 'dead', changes: [log('refused'), [its, { status: 'DEAD' }], [row, { status: 'DEAD', attempts: 1 }]] },
  },
  'to a stopped endpoint nothing is sent': {
    given: [stream({ attempts: 4 }), notification({ attempts: 4 }), stoppedEndpoint({ url: MOVED })],
    when: deliver(undefined, { url: MOVED }),
    comes: {
      reply: 'dead',
      changes: [
        [its, { status: 'DEAD' }],
        [row, { status: 'DEAD', url: MOVED }],
      ],
    },
  },
  'one that was started meanwhile is tried at once': {
    given: open,
    when: deliver(undefined),
    comes: { reply: 'waiting', tasks: [`${due} +0`] },
  },
  'where the stream has moved on, what is next is due': {
    given: [stream({ next: 3, last: 3 }), notification()],
    when: deliver(tried('delivered', 200)),
    comes: { reply: 'stale', tasks: [`${due} +0`] },
  },
  'a stream that stands still is not moved': {
    given: [stream({ status: 'DEAD' }), notification()],
    when: deliver(tried('delivered', 200)),
    comes: 'stale',
  },
  'an idle stream is not moved': {
    given: [stream({ status: 'IDLE', next: 3 }), notification()],
    when: deliver(tried('delivered', 200)),
    comes: 'stale',
  },
  'a stream that is not there is not moved': { given: [notification()], when: deliver(tried('delivered', 200)), comes: 'stale' },
})

const delivered = notification({ status: 'DELIVERED', attempts: 1, deliveredAt: NOW - 1 })
const beside = (attempt: DeliveryAttempt | undefined, attempts = 0) => ({ ...one, url: URL, attempts, attempt })
const again = 'notification-resend.due M:O:merchant:2'

decides(applyResendResult, {
  'what is sent once more moves nothing': {
    given: [delivered],
    when: beside(tried('delivered', 200)),
    comes: { reply: 'delivered', changes: [log('delivered', '000002'), [row, { attempts: 2 }]] },
  },
  'it is tried again on the schedule': {
    given: [delivered],
    when: beside(tried('answered', 500), 1),
    comes: {
      reply: 'waiting',
      changes: [log('answered', '000002'), [row, { attempts: 2 }]],
      tasks: [[`${again} +5m`, { mid: MID, orderId: 'O', endpoint: 'merchant', sequence: '000002', attempts: 2 }]],
    },
  },
  'the row says where it was sent last, and the task how often it failed': {
    given: [delivered],
    when: { ...beside(tried('timeout')), url: MOVED },
    comes: {
      reply: 'waiting',
      changes: [log('timeout', '000002'), [row, { attempts: 2, url: MOVED }]],
      tasks: [[`${again} +1m`, { attempts: 1 }]],
    },
  },
  'a URL that may not be dialled is not dialled again': {
    given: [delivered],
    when: beside(tried('refused')),
    comes: { reply: 'givenUp', changes: [log('refused', '000002'), [row, { attempts: 2 }]] },
  },
  'and then given up': {
    given: [delivered],
    when: beside(tried('answered', 500), 10),
    comes: { reply: 'givenUp', changes: [log('answered', '000002'), [row, { attempts: 2 }]] },
  },
  'an endpoint that is gone is stopped': {
    given: [delivered],
    when: beside(tried('gone', 410)),
    comes: {
      reply: 'givenUp',
      changes: [log('gone', '000002'), [row, { attempts: 2 }], [`insert stoppedEndpoints ${URL}`, { stoppedAt: NOW }]],
    },
  },
  'an endpoint is stopped once': {
    given: [delivered, stoppedEndpoint()],
    when: beside(tried('gone', 410)),
    comes: { reply: 'givenUp', changes: [log('gone', '000002'), [row, { attempts: 2 }]] },
  },
  'to a stopped endpoint nothing is sent': { given: [delivered, stoppedEndpoint()], when: beside(undefined), comes: 'givenUp' },
  'one that was started meanwhile is tried at once': {
    given: [delivered],
    when: beside(undefined, 2),
    comes: { reply: 'waiting', tasks: [[`${again} +0`, { attempts: 2 }]] },
  },
  'what is not there is given up': { given: [], when: beside(tried('delivered', 200)), comes: 'givenUp' },
})

const waiting = task({ task: 'notification.due', subject: 'M|O|merchant', dueAt: NOW + 1_000, payload: { sequence: '000002' } })

decides(postponeDelivery, {
  'a delivery waits for a free place': {
    given: [waiting],
    when: { task: waiting.row, dueAt: 5_000 },
    comes: { reply: 'postponed', tasks: [[`${due} +5s`, { sequence: '000002' }]] },
  },
})

const recall = { task: 'notification.due', subject: 'M|O|merchant', dueAt: NOW + 1_000, now: NOW, realNow: NOW }

decides(recallDelivery, {
  'it is due now when a place is free': {
    given: [waiting],
    when: recall,
    comes: { reply: 'recalled', tasks: [[`${due} +0`, { sequence: '000002' }]] },
  },
  'a notification that was begun already is left alone': {
    given: [task({ ...waiting.row, leaseUntil: NOW + 1 })],
    when: recall,
    comes: 'recalled',
  },
  'and one that was moved': { given: [task({ ...waiting.row, dueAt: NOW + 2_000 })], when: recall, comes: 'recalled' },
  'and one that is due': { given: [task({ ...waiting.row, dueAt: NOW })], when: { ...recall, dueAt: NOW }, comes: 'recalled' },
})

decides(resend, {
  'a stream that is dead since then is revived': {
    given: [merchant(), stream({ status: 'DEAD', attempts: 10, updatedAt: NOW - 1 }), notification({ status: 'DEAD' })],
    when: { ...one, deadSince: NOW - 1 },
    comes: {
      reply: 'revived',
      changes: [
        [its, { status: 'ACTIVE', attempts: 0 }],
        [row, { status: 'OPEN' }],
      ],
      tasks: [`${due} +0`],
    },
  },
  'one that was revived meanwhile is left alone': {
    given: [merchant(), stream({ updatedAt: NOW - 1 }), notification()],
    when: { ...one, deadSince: NOW - 1 },
    comes: 'changed',
  },
  'and one that has died anew': {
    given: [merchant(), stream({ status: 'DEAD', updatedAt: NOW }), notification({ status: 'DEAD' })],
    when: { ...one, deadSince: NOW - 1 },
    comes: 'changed',
  },
  'what was delivered is sent beside its stream': {
    given: [merchant(), stream({ status: 'IDLE', next: 3 }), delivered],
    when: one,
    comes: { reply: 'again', tasks: [[`${again} +0`, { attempts: 0 }]] },
  },
  'what was delivered is sent beside a stream that stands at another': {
    given: [merchant(), stream({ status: 'DEAD', next: 3, last: 3 }), delivered, notification({ sequence: '000003', status: 'DEAD' })],
    when: one,
    comes: { reply: 'again', tasks: [`${again} +0`] },
  },
  'a stream that stands goes on from the first that was not delivered': {
    given: [
      merchant(),
      stream({ status: 'DEAD', last: 3, attempts: 10 }),
      notification({ status: 'DEAD' }),
      notification({ sequence: '000003' }),
    ],
    when: { ...one, sequence: '000003' },
    comes: {
      reply: 'revived',
      changes: [
        [its, { status: 'ACTIVE', attempts: 0 }],
        [row, { status: 'OPEN' }],
      ],
      tasks: [[`${due} +0`, { sequence: '000002' }]],
    },
  },
  'a stream at work begins its tries anew': {
    given: [merchant(), stream({ attempts: 4 }), notification({ attempts: 4 })],
    when: one,
    comes: { reply: 'revived', changes: [[its, { attempts: 0 }], [row]], tasks: [`${due} +0`] },
  },
  'to a stopped endpoint nothing is sent': { given: [merchant(), ...open, stoppedEndpoint()], when: one, comes: 'stopped' },
  'an endpoint is stopped where the merchant is now': {
    given: [merchant({ notification: { url: MOVED, form: 'json', secret: 's' } }), ...open, stoppedEndpoint({ url: MOVED })],
    when: one,
    comes: 'stopped',
  },
  'what is not there is not sent': { given: [merchant(), stream()], when: one, comes: 'unknown' },
  'a notification without its stream is not sent': { given: [merchant(), notification(), stoppedEndpoint()], when: one, comes: 'unknown' },
})

decides(startEndpoint, {
  'an endpoint is started': {
    given: [stoppedEndpoint()],
    when: { mid: MID, url: URL },
    comes: { reply: 'started', changes: [[`delete stoppedEndpoints ${URL}`]] },
  },
  'one that runs runs': { given: [], when: { mid: MID, url: URL }, comes: 'running' },
})
