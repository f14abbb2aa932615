// Requests that ask an outside party before this service decides anything: docs/interface.md section 4, "Idempotency-Key".

import type { Handler } from './handler.ts'
import { keyOf } from './idempotency.ts'
import { singleParameters } from './route.ts'

/**
 * A process runs one request of an order and a key at a time. The next request finds that result instead of asking too. Requests without a
 * key do not wait.
 */
export function serializeByKey(handler: Handler): Handler {
  const last = new Map<string, Promise<unknown>>()
  return async (received) => {
    const key = keyOf(received)
    if (key === undefined) return handler(received)
    const { mid, orderId } = singleParameters(received.query)
    const name = JSON.stringify([mid, orderId, key])
    const answer = (last.get(name) ?? Promise.resolve()).then(() => handler(received))
    const over = answer.catch(() => {}) // only the caller gets the error
    last.set(name, over)
    try {
      return await answer
    } finally {
      if (last.get(name) === over) last.delete(name)
    }
  }
}
