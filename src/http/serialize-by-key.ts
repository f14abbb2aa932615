// Requests that ask somebody outside before anything of ours is decided: docs/interface.md section 4, "Idempotency-Key".

import type { Handler } from './handler.ts'
import { keyOf } from './idempotency.ts'
import { singleParameters } from './route.ts'

/**
 * Of one order's requests with one key a process has one under way: the next one finds what came of it, instead of asking too. Without
 * a key nobody waits.
 */
export function serializeByKey(handler: Handler): Handler {
  const last = new Map<string, Promise<unknown>>()
  return async (received) => {
    const key = keyOf(received)
    if (key === undefined) return handler(received)
    const { mid, orderId } = singleParameters(received.query)
    const name = JSON.stringify([mid, orderId, key])
    const answer = (last.get(name) ?? Promise.resolve()).then(() => handler(received))
    const over = answer.catch(() => {}) // how it ended is said to whoever asked
    last.set(name, over)
    try {
      return await answer
    } finally {
      if (last.get(name) === over) last.delete(name)
    }
  }
}
