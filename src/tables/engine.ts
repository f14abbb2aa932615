import { integer, json, sealed, table, text } from './columns.ts'
import type { KeyName } from './merchant.ts'

/** A reply by the name of its result code. */
export interface KeptReply {
  name: string
  message?: string
  parameter?: string
  body?: object
}

/** One per state change, kept for ever; `version` counts 1, 2, 3 … within one aggregate. */
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

/** Due work: claimed with a lease and a rising fence (docs/operating/watch.md). */
export const tasks = table({
  columns: {
    task: text,
    subject: text,
    dueAt: integer,
    attempts: integer,
    fence: integer,
    leaseUntil: integer,
    payload: sealed<Readonly<Record<string, unknown>>>(),
    /** In real time, by the clock of whoever added it: one that says the future was put off by a wrong clock (docs/decisions/0013). */
    addedAt: integer,
  },
  key: ['task', 'subject'],
  indexes: { tasksByKind: { columns: ['task', 'dueAt'] } },
})

/** A request that came with an Idempotency-Key and what it was answered: docs/interface.md section 4. */
export const idempotencyKeys = table({
  columns: {
    owner: text,
    operation: text,
    keyHash: text,
    requestHash: text,
    /**
     * What was decided; `keptReply` is what the caller heard in the end, where more had to be done after the decision. Where replies
     * are signed, `signedBy` is the key that signed it.
     */
    reply: sealed<KeptReply & { keptReply?: KeptReply; signedBy?: KeyName }>(),
    at: integer,
  },
  key: ['owner', 'operation', 'keyHash'],
  indexes: { idempotencyKeysByAge: { columns: ['at'] } },
})

/** Single values that every process must agree on: the store's mode, which master key it is written with, the sandbox clock's offset. */
export const settings = table({ columns: { name: text, value: text }, key: ['name'] })
