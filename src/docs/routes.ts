// The pages of /docs for developers of shops. Production has them only with MOHUR_DOCS, and without the pages that use a key.

import type { FastifyBaseLogger, FastifyInstance, FastifyReply } from 'fastify'
import { type OperationName, operations } from '../api/operations.ts'
import { shortCss } from '../pages/kit/assets.ts'
import { takeForms } from '../pages/kit/forms.ts'
import { PageError } from '../pages/kit/page-error.ts'
import { answerByDocs } from './error-page.ts'
import { KeptPages, type PageSources } from './kept-pages.ts'
import { codesPage, firstPage, guideList, guidePage } from './pages.ts'
import { DOCS, STYLE } from './sheet.ts'
import { readPicture, readStyle } from './sources.ts'

export interface DocsParts extends PageSources {
  logger: FastifyBaseLogger
  /** In the sandbox: adds the pages that use a key. */
  addTrying?: (scope: FastifyInstance, pages: KeptPages) => void
}

const CODE_LENGTH = 32 // Mohur's choice: longer than any code of section 7

export function addDocs(server: FastifyInstance, parts: DocsParts) {
  const { logger, isSandbox, addTrying } = parts
  const pages = new KeptPages(parts)
  server.register(async (scope) => {
    takeForms(scope)
    answerByDocs(scope, pages, logger)
    const style = shortCss(readStyle())
    scope.get(STYLE, (_request, reply) =>
      reply
        .header('content-type', 'text/css; charset=utf-8')
        .header('cache-control', 'no-cache')
        .header('x-content-type-options', 'nosniff')
        .send(style),
    )
    scope.get(DOCS, (request, reply) => pages.answer(request, reply, '', (sources) => firstPage(sources, parts.url(), isSandbox)))
    scope.get(`${DOCS}/`, (_request, reply) => reply.redirect(DOCS, 301))
    scope.get(`${DOCS}/guide`, (request, reply) => pages.answer(request, reply, 'guide', guideList))
    scope.get<{ Params: { '*': string } }>(`${DOCS}/guide/*`, (request, reply) => {
      const name = request.params['*']
      return pages.answer(request, reply, `guide/${name}`, (sources) => guidePage(sources, name))
    })
    scope.get<{ Params: { name: string } }>(`${DOCS}/pictures/:name`, (request, reply) => sendPicture(request.params.name, reply))
    scope.get<{ Querystring: { code?: unknown } }>(`${DOCS}/codes`, (request, reply) => {
      const { code } = request.query
      if (code === undefined || code === '') return pages.answer(request, reply, 'codes', (sources) => codesPage(sources))
      if (typeof code !== 'string' || code.length > CODE_LENGTH) throw new PageError('form')
      return pages.fresh(request, reply, codesPage(pages.sources(), code))
    })
    scope.get<{ Params: { operation: string } }>(`${DOCS}/:operation`, async (request, reply) => {
      const operation = operationIn(request.params.operation)
      if (!isSandbox) return pages.answer(request, reply, operation, (sources) => pages.ofOperation(operation, sources, {}, undefined))
      return pages.fresh(request, reply, await pages.ofOperation(operation, pages.sources(), pages.known(), {}))
    })
    addTrying?.(scope, pages)
  })
}

export function operationIn(name: string): OperationName {
  if (!Object.hasOwn(operations, name)) throw new PageError('unknown')
  return name as OperationName
}

function sendPicture(name: string, reply: FastifyReply) {
  const picture = readPicture(name)
  if (!picture) throw new PageError('unknown')
  return reply
    .header('content-type', picture.type)
    .header('x-content-type-options', 'nosniff')
    .header('cache-control', 'no-cache')
    .send(picture.bytes)
}
