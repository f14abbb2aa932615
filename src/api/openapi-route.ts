// The document of the interface, for programs: docs/openapi.json as it stands.

import type { FastifyInstance } from 'fastify'

const PATH = '/openapi.json'

/** The document is read once, at the first request for it: a start pays nothing for it. */
export function addOpenapi(server: FastifyInstance, { openapi }: { openapi(): Buffer }) {
  let document: Buffer | undefined
  server.get(PATH, async (_request, reply) => {
    document ??= openapi()
    return reply
      .header('content-type', 'application/json; charset=utf-8')
      .header('access-control-allow-origin', '*') // editors of such documents run in browsers
      .header('x-robots-tag', 'noindex')
      .send(document)
  })
}
