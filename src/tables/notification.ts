import { instant, integer, oneOf, optionalInstant, sealed, table, text } from './columns.ts'

/** The notifications to one endpoint about one order, in sequence. `next` is the first that was not delivered. */
export const notificationStreams = table({
  columns: {
    mid: text,
    orderId: text,
    endpoint: oneOf('merchant', 'peon', 'callback'),
    status: oneOf('IDLE', 'ACTIVE', 'DEAD'),
    last: integer,
    next: integer,
    /** The attempts at `next`. */
    attempts: integer,
    updatedAt: instant,
  },
  key: ['mid', 'orderId', 'endpoint'],
  indexes: {
    deadStreams: { columns: ['mid', 'updatedAt'], where: "status = 'DEAD'" },
    streamsDead: { columns: ['updatedAt', 'mid', 'orderId', 'endpoint'], where: "status = 'DEAD'" },
  },
  checks: ['last >= 1', 'next between 1 and last + 1', "(status = 'IDLE') = (next = last + 1)"],
})

export const notifications = table({
  columns: {
    mid: text,
    orderId: text,
    endpoint: oneOf('merchant', 'peon', 'callback'),
    /** Its place in the stream, with leading zeros. */
    sequence: text,
    notificationId: text,
    status: oneOf('OPEN', 'DELIVERED', 'DEAD'),
    form: oneOf('json', 'classic'),
    url: text,
    /** The event that it reports: aggregate, id and version. */
    event: text,
    content: sealed<Readonly<Record<string, string>>>(),
    /** All attempts ever made: the number of the latest row of the delivery log. */
    attempts: integer,
    createdAt: instant,
    deliveredAt: optionalInstant,
  },
  key: ['mid', 'orderId', 'endpoint', 'sequence'],
  indexes: { notificationsById: { columns: ['mid', 'notificationId'], unique: true } },
  checks: ["(status = 'DELIVERED') = (delivered_at is not null)", 'attempts >= 0'],
})

/** The delivery log: every attempt and its outcome. */
export const deliveryAttempts = table({
  columns: {
    mid: text,
    notificationId: text,
    attempt: text,
    at: integer,
    durationMs: integer,
    /** 0 when no answer came. */
    httpStatus: integer,
    /** In Mohur's own words, never in the endpoint's. */
    outcome: text,
  },
  key: ['mid', 'notificationId', 'attempt'],
})

/** The endpoint answered 410. Nothing is sent there until an operator starts it again. */
export const stoppedEndpoints = table({ columns: { mid: text, url: text, stoppedAt: instant }, key: ['mid', 'url'] })
