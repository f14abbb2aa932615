// The HTTP server: paths, sizes, time-outs and statuses (docs/interface.md section 4, "HTTP statuses"). The code behind it decides what a
// request means.

import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Clock } from '../engine/clock.ts'
import type { Random } from '../engine/random.ts'
import { BODY_BYTES_MAX } from '../interface/envelope.ts'
import { gatherBody } from './body.ts'
import { letBrowsersIn } from './cors.ts'
import { addFlatRoutes, methodsOf } from './flat-routes.ts'
import type { OperationLine, QueryString, ServedOperation } from './handler.ts'
import { KeyRefused } from './idempotency.ts'
import type { Metrics } from './metrics.ts'
import { isAmong } from './networks.ts'
import { TooManyRequests } from './rate-limit.ts'
import { isNamed } from './request-headers.ts'
import { REQUEST_ID, requestId } from './request-id.ts'
import { RequestLog } from './request-log.ts'
import { Sockets } from './sockets.ts'

const LOG_FLUSHED_EVERY_MS = 1_000
/**
 * Proxies keep these paths from the public by their names, so these paths have no other spelling. Operations may have `//` in their paths.
 */
const FOR_OPERATORS = /^\/(metrics|healthz|readyz|sandbox\/.*)$/

const PLAIN_PART = /^[A-Za-z0-9]+$/

const JSON_TYPE = 'application/json; charset=utf-8'

export interface ServerParts {
  clock: Clock
  fresh: Pick<Random, 'text'>
  operations: readonly ServedOperation[]
  logger: FastifyBaseLogger
  /** Proxies whose X-Forwarded-For is believed. */
  trustedProxies: readonly string[]
  /** `max` is for all addresses together. */
  connections: { max: number; perAddress: number }
  metrics: Metrics
  /** False while the store does not answer, or the process is about to stop. */
  isReady(): Promise<boolean>
}

export interface BuiltServer {
  server: FastifyInstance
  /** Takes no new sockets, answers the requests that were read, and ends. An idle socket may bring one more request within `graceMs`. */
  stop(graceMs: number): Promise<void>
}

export function buildServer(parts: ServerParts): BuiltServer {
  const { operations, clock, fresh, logger, trustedProxies, metrics, isReady } = parts
  const sockets = socketsOf(parts)
  const notFound = notFoundAmong(operations)
  const server = Fastify({
    // Without a logger Fastify makes no child logger for every request. This service logs to its own.
    trustProxy: trustedProxies.length > 0 && isAmong(trustedProxies), // Fastify's own takes no address with a port
    bodyLimit: BODY_BYTES_MAX,
    serverFactory: (handle) => sockets.serverFactory(handle),
    clientErrorHandler: (error, socket) => sockets.clientError(error, socket),
    return503OnClosing: false, // requests that were read are answered; http/sockets.ts ends the sockets
    genReqId: ({ rawHeaders }) => requestId(rawHeaders, fresh),
    routerOptions: { ignoreDuplicateSlashes: true },
    schemaController: { compilersFactory: { buildValidator: schemaless, buildSerializer: schemaless } },
    frameworkErrors: (_error, request, reply) => void notFound(request, reply), // no route has a path that cannot be decoded
  })
  server.addConstraintStrategy(byForm)
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', gatherBody)

  server.decorateRequest('answered', undefined)
  const log = addLog(server, logger, clock)
  addFirstLook(server, log, notFound)
  letBrowsersIn(server, operations)
  const serve = (operation: ServedOperation, url: string) => async (request: FastifyRequest, reply: FastifyReply) => {
    const { name } = operation
    const started = clock.elapsed()
    log.begun(request.id, name)
    const answer = await operation.answer({
      operation,
      url,
      query: request.query as QueryString,
      rawHeaders: request.raw.rawHeaders,
      address: request.ip,
      bytes: (request.body as Buffer | undefined) ?? NO_BYTES,
    })
    metrics.replied(name, answer.result.code, clock.elapsed() - started)
    log.answered(request.id, name, answer)
    request.answered = answer
    reply.code(answer.result.http ?? 200)
    if (request.method === 'GET') reply.header('cache-control', 'no-store') // the answer is about the caller
    return answer.text === '' ? reply.send() : reply.header('content-type', JSON_TYPE).send(answer.text)
  }
  for (const operation of operations) {
    const { method, paths, flatPaths } = operation
    const of = (url: string) => serve(operation, url)
    for (const url of paths) if (!flatPaths?.includes(url)) server.route({ method, url, handler: of(url) })
    addFlatRoutes(server, operation, of)
  }

  server.get('/healthz', async () => ({ status: 'ok' }))
  server.get('/readyz', async (_request, reply) =>
    (await isReady()) ? { status: 'ready' } : reply.code(503).send({ status: 'not ready' }),
  )
  server.get('/metrics', async (_request, reply) => reply.header('content-type', metrics.contentType).send(await metrics.text()))
  server.setNotFoundHandler(notFound)
  server.setErrorHandler((error: HttpError, request, reply) => unreadable(log, error, request, reply))
  return {
    server,
    stop(graceMs) {
      sockets.graceMs = graceMs
      return server.close()
    },
  }
}

function addLog(server: FastifyInstance, logger: FastifyBaseLogger, clock: Clock): RequestLog {
  const log = new RequestLog(logger, clock)
  const stopFlushing = clock.every(LOG_FLUSHED_EVERY_MS, () => log.flush())
  server.addHook('onClose', async () => {
    stopFlushing()
    log.flush()
  })
  return log
}

/** Names the request. Refuses, on every path, a request that is not plain HTTP/1. */
function addFirstLook(server: FastifyInstance, log: RequestLog, notFound: NotFound) {
  server.addHook('onRequest', (request, reply, done) => {
    reply.header(REQUEST_ID, request.id)
    if (!isPlainHttp(request.raw)) void unreadable(log, Object.assign(new Error('not plain HTTP/1'), { statusCode: 400 }), request, reply)
    else done()
  })
  server.addHook('onRoute', (route) => {
    if (FOR_OPERATORS.test(route.url)) route.onRequest = [refuseMisspelt(notFound), ...[route.onRequest ?? []].flat()]
  })
}

function socketsOf({ clock, fresh, connections, trustedProxies, metrics }: ServerParts): Sockets {
  const sockets = new Sockets({
    clock,
    connectionsMax: connections.max,
    connectionsPerAddress: connections.perAddress,
    isProxy: isAmong(trustedProxies),
    refused: (why) => metrics.connectionRefused(why),
    unreadable: (status) => lastWords(status, requestId([], fresh)),
  })
  metrics.connections(() => sockets.count)
  return sockets
}

const NO_BYTES = new Uint8Array(0)

/** No route has a schema for Fastify. Without this function, Fastify would load its schema compilers at each start. */
const schemaless = () => {
  throw new Error('no route has a schema for Fastify: interface/request.ts reads bodies')
}

/** One path takes JSON from a page's script and a form from its browser. The content type decides the route. */
const byForm: Parameters<FastifyInstance['addConstraintStrategy']>[0] = {
  name: 'form',
  storage() {
    const handlers = new Map<unknown, never>()
    return { get: (is) => handlers.get(is) ?? null, set: (is, handler) => void handlers.set(is, handler as never) }
  },
  deriveConstraint: ({ headers }) => (headers['content-type']?.startsWith(FORM_TYPE) ? true : undefined),
  mustMatchWhenDerived: false,
}
const FORM_TYPE = 'application/x-www-form-urlencoded'

/** True for HTTP/1 with at most one Host header. HTTP/0.9 has no headers. With two Host headers, a proxy may have read the other one. */
function isPlainHttp({ httpVersionMajor, rawHeaders }: FastifyRequest['raw']) {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (isNamed(rawHeaders[at]!, 'host')) hosts++
  return httpVersionMajor === 1 && hosts <= 1
}

const refuseMisspelt = (notFound: NotFound) => (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
  const [written, asked] = [request.routeOptions.url!.split('/'), request.url.split('?')[0]!.split('/')]
  const isMisspelt =
    written.length !== asked.length ||
    written.some((part, at) => (part.startsWith(':') ? !PLAIN_PART.test(asked[at]!) : part !== asked[at]))
  if (isMisspelt) void notFound(request, reply)
  else done()
}

type NotFound = (request: FastifyRequest, reply: FastifyReply) => FastifyReply
/** The request names no operation: 404, or 405 if the path has an operation under another method. */
const notFoundAmong = (operations: readonly OperationLine[]) => (request: FastifyRequest, reply: FastifyReply) => {
  reply.header(REQUEST_ID, request.id) // no hook has run for a path that cannot be decoded
  const path = request.url.split('?')[0]!.replace(/\/{2,}/g, '/')
  const line = operations.find(({ paths }) => paths.includes(path))
  const code = line ? 405 : 404
  if (line) reply.header('allow', methodsOf(line, path).join(', '))
  return reply.code(code).send({ errorDetails: { code, errorCode: 'SVE-003', errorMessage: line ? 'Method not allowed' : 'No such path' } })
}

type HttpError = Error & { statusCode?: number }

/** Replies to a request that no operation answered: unreadable bytes, a ceiling that was passed, a refused key, an unexpected error. */
function unreadable(log: RequestLog, error: HttpError, request: FastifyRequest, reply: FastifyReply) {
  const status = error.statusCode ?? 500
  if (status >= 500) log.unexpected(request.id, error)
  const code = status >= 400 && status < 500 ? status : 500
  if (error instanceof TooManyRequests) reply.header('retry-after', error.retryAfterSeconds)
  const errorMessage = error instanceof KeyRefused ? error.message : (MESSAGES[code] ?? (code < 500 ? UNREADABLE : 'System error'))
  return reply.code(code).send({ errorDetails: { code, errorCode: 'SVE-004', errorMessage } })
}

const UNREADABLE = 'The request cannot be read'
const MESSAGES: Readonly<Record<number, string>> = {
  408: 'The request took too long to arrive',
  413: 'The request is larger than 64 KiB',
  415: 'The request is not application/json',
  429: 'Too many requests',
  431: 'The headers are larger than 16 KiB',
}

/** The whole reply to a socket whose bytes are no request that a route could answer. */
function lastWords(code: number, id: string): string {
  const body = JSON.stringify({ errorDetails: { code, errorCode: 'SVE-004', errorMessage: MESSAGES[code] ?? UNREADABLE } })
  const headers = [`content-type: ${JSON_TYPE}`, `content-length: ${body.length}`, `${REQUEST_ID}: ${id}`, 'connection: close']
  return `HTTP/1.1 ${code} ${PHRASES[code] ?? 'Bad Request'}\r\n${headers.join('\r\n')}\r\n\r\n${body}`
}
const PHRASES: Readonly<Record<number, string>> = {
  408: 'Request Timeout',
  413: 'Payload Too Large',
  431: 'Request Header Fields Too Large',
}
