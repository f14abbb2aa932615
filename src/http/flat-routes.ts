// Routes of flat messages (interface/flat.ts). The routes take any content type, or none: the bytes alone decide what a message is.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { gatherBody } from './body.ts'
import type { OperationLine } from './handler.ts'

/** A flat question may also come by GET. An operation that changes something may not. */
export const methodsOf = ({ method, flatPaths, writes }: OperationLine, path: string): OperationLine['method'][] =>
  flatPaths?.includes(path) && !writes ? [method, 'GET'] : [method]

type Serve = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

export function addFlatRoutes(server: FastifyInstance, line: OperationLine, serve: (url: string) => Serve) {
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', gatherBody)
    // The content type is not read, so even an invalid one is no error.
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

/** When the body is empty, the query takes its place, for POST too. */
function queryForBody(request: FastifyRequest, _reply: FastifyReply, done: () => void) {
  const { body } = request
  if (!Buffer.isBuffer(body) || body.length === 0) request.body = Buffer.from(/\?(.*)$/s.exec(request.raw.url!)?.[1] ?? '')
  done()
}
