import { integer, json, sealed, table, text } from './columns.ts'
import type { KeyName } from './merchant.ts'

/** A reply by the name of its result code. */
export interface KeptReply {
  name: string
  message?: string
  parameter?: string
  body?: object
}

/** One for each state change, kept for ever. `version` counts 1, 2, 3 … within one aggregate. */
export const events = table({
  columns: {
    owner: text,
    aggregate: text,
    id: text,
    version: integer,
    type: text,
    fromStatus: text,
    toStatus: text,
    at: integer,
    data: json<Readonly<Record<string, string | number | boolean | null>>>(),
  },
  key: ['owner', 'aggregate', 'id', 'version'],
})

/** Due work, claimed with a lease and a rising fence (docs/operating/watch.md). */
export const tasks = table({
  columns: {
    task: text,
    subject: text,
    dueAt: integer,
    attempts: integer,
    fence: integer,
    leaseUntil: integer,
    payload: sealed<Readonly<Record<string, unknown>>>(),
    /**
     * In real time, by the clock of the process that added it. A time in the future shows that a wrong clock postponed the task
     * (docs/decisions/0013).
     */
    addedAt: integer,
  },
  key: ['task', 'subject'],
  indexes: { tasksByKind: { columns: ['task', 'dueAt'] } },
})

/** A request with an Idempotency-Key, and its reply (docs/interface.md section 4). */
export const idempotencyKeys = table({
  columns: {
    owner: text,
    operation: text,
    keyHash: text,
    requestHash: text,
    /**
     * The reply of the decision. `keptReply` is the caller's final reply, if more work followed the decision. `signedBy` is the key that
     * signed the reply, if replies are signed.
     */
    reply: sealed<KeptReply & { keptReply?: KeptReply; signedBy?: KeyName }>(),
    at: integer,
  },
  key: ['owner', 'operation', 'keyHash'],
  indexes: { idempotencyKeysByAge: { columns: ['at'] } },
})

/** Single values on which all processes must agree: the store's mode, the check of its master key, the sandbox clock's offset. */
export const settings = table({ columns: { name: text, value: text }, key: ['name'] })
