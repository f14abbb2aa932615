// The bytes of a request's body as they came: a signature covers them exactly. They are gathered in one piece of memory, because
// a body may come in pieces of one byte each, and sixty thousand small pieces take hundreds of times their bytes.

import type { FastifyRequest } from 'fastify'

const FIRST_BYTES = 2 * 1024 // ours: most bodies

/** Beyond the route's limit: HTTP 413. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge'
  readonly statusCode = 413
}

type Done = (error: Error | null, bytes?: Buffer) => void

/** Fastify's own parser keeps every piece until the last has come. For `addContentTypeParser`, without its `parseAs`. */
export function gatherBody(request: FastifyRequest, payload: FastifyRequest['raw'], done: Done) {
  const limit = request.routeOptions.bodyLimit!
  const said = Number(request.headers['content-length'] ?? FIRST_BYTES)
  if (said > limit) return done(new TooLarge())
  let bytes = Buffer.allocUnsafe(Math.min(said, FIRST_BYTES)) // no more than that for a promise
  let length = 0
  const end = (error?: Error) => {
    payload.off('data', gather).off('end', end).off('error', end)
    if (error) done(Object.assign(error, { statusCode: 400 }))
    else done(null, bytes.subarray(0, length))
  }
  const gather = (piece: Buffer) => {
    const wanted = length + piece.length
    if (wanted > limit) {
      payload.off('data', gather).off('end', end).off('error', end)
      return done(new TooLarge())
    }
    if (wanted > bytes.length) {
      const wider = Buffer.allocUnsafe(Math.min(Math.max(2 * bytes.length, wanted), limit))
      bytes.copy(wider, 0, 0, length)
      bytes = wider
    }
    piece.copy(bytes, length)
    length = wanted
  }
  payload.on('data', gather).on('end', end).on('error', end)
}
