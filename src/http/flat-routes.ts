// Routes of flat messages (interface/flat.ts): any content type or none is taken, and the bytes alone say what they are.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { gatherBody } from './body.ts'
import type { OperationLine } from './handler.ts'

/** A flat question may also be asked by GET; what changes something may not. */
export const methodsOf = ({ method, flatPaths, writes }: OperationLine, path: string): OperationLine['method'][] =>
  flatPaths?.includes(path) && !writes ? [method, 'GET'] : [method]

type Serve = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

export function addFlatRoutes(server: FastifyInstance, line: OperationLine, serve: (url: string) => Serve) {
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', gatherBody)
    // Not looked at, so that not even one that is none is an error.
    scope.addHook('onRequest', (request, _reply, done) => {
      delete request.raw.headers['content-type']
      done()
    })
    for (const url of line.flatPaths ?? []) {
      const method = methodsOf(line, url)
      const preHandler = method.includes('GET') ? [queryForBody] : []
      scope.route({ method, url, exposeHeadRoute: false, preHandler, handler: serve(url) })
    }
  })
}

/** A question without a body stands in the query, by POST too. */
function queryForBody(request: FastifyRequest, _reply: FastifyReply, done: () => void) {
  const { body } = request
  if (!Buffer.isBuffer(body) || body.length === 0) request.body = Buffer.from(/\?(.*)$/s.exec(request.raw.url!)?.[1] ?? '')
  done()
}
