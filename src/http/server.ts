// The HTTP server: paths, sizes, time-outs and statuses (docs/interface.md section 4, "HTTP statuses"). What a request
// means is decided behind it.

import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Clock } from '../engine/clock.ts'
import { BODY_BYTES_MAX } from '../interface/envelope.ts'
import { operations } from '../interface/operations.ts'
import type { ResultCode } from '../interface/result-codes.ts'
import { TooManyRequests } from './ceiling.ts'
import { letBrowsersIn } from './cors.ts'
import { KeyRefused } from './idempotency.ts'
import type { Metrics } from './metrics.ts'
import type { Answer, Handler, QueryString } from './route.ts'

const CONNECTION_TIMEOUT_MS = 30_000 // a socket that neither sends nor receives
const REQUEST_TIMEOUT_MS = 10_000 // from the first byte of a request to its last: slow senders are cut off
const HEADERS_TIMEOUT_MS = 5_000
const KEEP_ALIVE_MS = 72_000 // longer than the usual proxy's, so that the proxy closes first
const HEADER_BYTES_MAX = 8 * 1024

const JSON_TYPE = 'application/json; charset=utf-8'

export interface ServerParts {
  clock: Clock
  handlers: Readonly<Record<keyof typeof operations, Handler>>
  logger: FastifyBaseLogger
  /** Whose X-Forwarded-For is believed. */
  trustedProxies: readonly string[]
  metrics: Metrics
  /** False while the store does not answer, or the process is about to stop. */
  isReady(): Promise<boolean>
}

export function buildServer({ handlers, clock, logger, trustedProxies, metrics, isReady }: ServerParts): FastifyInstance {
  const server = Fastify({
    // Without a logger of its own Fastify makes no child logger for every request; what we log goes to ours.
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    bodyLimit: BODY_BYTES_MAX,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    routerOptions: { ignoreDuplicateSlashes: true },
    http: { headersTimeout: HEADERS_TIMEOUT_MS, maxHeaderSize: HEADER_BYTES_MAX },
    frameworkErrors: (_error, request, reply) => void notFound(request, reply), // a path that cannot be decoded is none of ours
  })
  server.removeAllContentTypeParsers()
  // The bytes are kept as they came: a signature covers them exactly.
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes))

  letBrowsersIn(server)
  for (const [name, { method, paths }] of Object.entries(operations)) {
    const handler = handlers[name as keyof typeof operations]
    for (const url of paths) {
      server.route({
        method,
        url,
        handler: async (request, reply) => {
          const started = clock.elapsed()
          const answer = await handler({
            operation: name as keyof typeof operations,
            url,
            query: request.query as QueryString,
            rawHeaders: request.raw.rawHeaders,
            address: request.ip,
            bytes: (request.body as Buffer | undefined) ?? NO_BYTES,
          })
          metrics.replied(name, answer.result.code, clock.elapsed() - started)
          log(logger, name, answer)
          reply.code(answer.result.http ?? 200)
          if (method === 'GET') reply.header('cache-control', 'no-store') // it is about whoever asks
          return answer.text === '' ? reply.send() : reply.header('content-type', JSON_TYPE).send(answer.text)
        },
      })
    }
  }

  server.get('/healthz', async () => ({ status: 'ok' }))
  server.get('/readyz', async (_request, reply) =>
    (await isReady()) ? { status: 'ready' } : reply.code(503).send({ status: 'not ready' }),
  )
  server.get('/metrics', async (_request, reply) => reply.header('content-type', metrics.contentType).send(await metrics.text()))
  server.setNotFoundHandler(notFound)
  server.setErrorHandler((error: HttpError, _request, reply) => unreadable(logger, error, reply))
  return server
}

const NO_BYTES = new Uint8Array(0)

/** What operators see of a refusal: its operation, code and parameter; never a value that somebody sent. */
function log(logger: FastifyBaseLogger, operation: string, { result, parameter, error }: Answer) {
  if (error) logger.error({ operation, code: result.code, error: told(error) }, 'system error')
  else if (isRefusal(result)) logger.info({ operation, code: result.code, name: result.name, ...(parameter && { parameter }) }, 'refused')
  else logger.debug({ operation, code: result.code }, 'done')
}

/** A request that was refused; a payment or a refund that failed is an answer to a question about it. */
function isRefusal({ operation, status, name }: ResultCode) {
  if (status !== 'TXN_FAILURE') return status === 'F' || status === 'FAILURE'
  return operation === 'applyRefund' || (name.startsWith('invalid') && name !== 'invalidInstrument')
}

/** No operation is meant: 404, or 405 where the path has one under another method. */
function notFound(request: FastifyRequest, reply: FastifyReply) {
  const path = request.url.split('?')[0]!.replace(/\/{2,}/g, '/')
  const line = Object.values(operations).find(({ paths }) => (paths as readonly string[]).includes(path))
  const code = line ? 405 : 404
  if (line) reply.header('allow', line.method)
  return reply.code(code).send({ errorDetails: { code, errorCode: 'SVE-003', errorMessage: line ? 'Method not allowed' : 'No such path' } })
}

/** Enough to find the fault. A database's own message may hold a value, so of a cause only its name and code are told. */
function told(error: Error) {
  const cause = error.cause as { name?: string; code?: string } | undefined
  return { name: error.name, message: error.message, ...(cause && { cause: { name: cause.name, code: cause.code } }) }
}

type HttpError = Error & { statusCode?: number }

/** Bytes that could not be read at all: too many, of another type, or not HTTP. */
function unreadable(logger: FastifyBaseLogger, error: HttpError, reply: FastifyReply) {
  const status = error.statusCode ?? 500
  if (status >= 500) logger.error({ error: told(error) }, 'unexpected')
  const code = status >= 400 && status < 500 ? status : 500
  if (error instanceof TooManyRequests) reply.header('retry-after', error.retryAfterSeconds)
  const errorMessage =
    error instanceof KeyRefused
      ? error.message
      : code === 413
        ? 'The request is larger than 64 KiB'
        : code === 415
          ? 'The request is not application/json'
          : code === 429
            ? 'Too many requests'
            : code < 500
              ? 'The request cannot be read'
              : 'System error'
  return reply.code(code).send({ errorDetails: { code, errorCode: 'SVE-004', errorMessage } })
}
