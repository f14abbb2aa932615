// The document of the interface, for programs: docs/openapi.json, unchanged.

import type { FastifyInstance } from 'fastify'

const PATH = '/openapi.json'

/** Serves the document. Reads it once, at the first request for it, so that a start pays nothing for it. */
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
