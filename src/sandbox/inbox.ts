// GET /sandbox/inbox?mobile=: the messages to a number, newest first (docs/sandbox.md).

import type { FastifyInstance } from 'fastify'
import type { Query } from '../engine/decision.ts'
import { messagesOf } from '../tables/keys.ts'

export interface InboxParts {
  query: Query
  /** Sends due messages, so a message is there as soon as the call that caused it was answered. */
  runDue(): Promise<unknown>
}

export function addInboxRoute(server: FastifyInstance, { query, runDue }: InboxParts) {
  server.get<{ Querystring: { mobile?: unknown } }>('/sandbox/inbox', async (request, reply) => {
    const { mobile } = request.query
    if (typeof mobile !== 'string' || !/^[0-9]{10}$/.test(mobile))
      return reply.code(400).send({ error: 'name the inbox: ?mobile= and 10 digits' })
    await runDue()
    const messages = await query.rows(messagesOf(mobile))
    return { messages: messages.map(({ at, kind, content }) => ({ at: new Date(at).toISOString(), kind, ...content })) }
  })
}
