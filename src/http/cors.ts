// Calls that a page of another host may make from the payer's browser: docs/interface.md section 4, "Browsers". The calls use a token that
// the page was given, never a cookie, so any origin may call. Calls that a merchant signs are not for browsers.

import type { FastifyInstance } from 'fastify'
import type { OperationLine } from './handler.ts'

const PREFLIGHT_KEPT_SECONDS = 600 // docs/interface.md section 8 (Mohur)
const SENT_HEADERS = 'content-type, idempotency-key, x-request-id'
const READ_HEADERS = 'retry-after, x-request-id, mohur-hint'

/** Answers the browser's preflight. Marks every answer of a browser's path, even an answer that no operation gave. */
export function letBrowsersIn(server: FastifyInstance, operations: readonly OperationLine[]) {
  const paths: ReadonlySet<string> = new Set(operations.flatMap(({ browser, paths }) => (browser ? paths : [])))
  server.addHook('onRequest', (request, reply, done) => {
    if (paths.has(requestPath(request.url)))
      void reply.header('access-control-allow-origin', '*').header('access-control-expose-headers', READ_HEADERS)
    done()
  })
  for (const url of paths) {
    server.route({
      method: 'OPTIONS',
      url,
      handler: (_request, reply) =>
        reply
          .code(204)
          .header('access-control-allow-methods', 'POST')
          .header('access-control-allow-headers', SENT_HEADERS)
          .header('access-control-max-age', PREFLIGHT_KEPT_SECONDS)
          .send(),
    })
  }
}

/** The path as the router reads it: without the query, repeated slashes as one. */
function requestPath(url: string): string {
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  return path.includes('//') ? path.replace(/\/{2,}/g, '/') : path
}
