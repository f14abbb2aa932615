// `POST /acquirer/webhook`: an adapter reports that the state of a key has changed (docs/acquirer.md). The service believes no report. It
// reads the key, and asks the adapter now instead of on schedule.

import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import Type from 'typebox'
import { EVENT_ID, signatureDoubt } from '../adapters/acquirer/remote/signature.ts'
import type { Clock } from '../engine/clock.ts'
import { networkOf } from '../http/networks.ts'
import { onceAMinute } from '../http/once-a-minute.ts'
import { RateLimit } from '../http/rate-limit.ts'
import { readRequest } from '../interface/envelope.ts'
import { reader } from '../interface/request.ts'

const BODY_BYTES_MAX = 4_096 // docs/acquirer.md
export const EVENTS_PER_MINUTE = 120_000 // docs/acquirer.md: each event is a command of the engine
export const REFUSED_PER_MINUTE = 60 // docs/acquirer.md: refused events of one network address; signed events do not count
export const KEY_LENGTH = 128

const readEvent = reader(Type.Object({ key: Type.String({ minLength: 1, maxLength: KEY_LENGTH, pattern: '^[!-~]+$' }) }))
const ALL_SIGNED = 'signed'
const EVENTS_PATH = '/acquirer/webhook'

export interface AcquirerEventParts {
  secret: string
  clock: Pick<Clock, 'realNow' | 'elapsed'>
  logger: Pick<FastifyBaseLogger, 'warn'>
  /** Asks the adapter about the key now, and does not wait for the answer. An unknown key causes no question. `reported`: the number of a success. */
  onEvent(key: string, reported?: string): Promise<void>
}

/** Writes a line once a minute at most. `why` holds nothing that the sender chose. */
export function refusedEvent({ clock, logger }: Pick<AcquirerEventParts, 'clock' | 'logger'>, path: string) {
  const isDue = onceAMinute(clock)
  return (why: string) => {
    if (isDue()) logger.warn({ path, why }, 'a report of the acquirer was refused; Mohur asks for the result on schedule')
  }
}

export function addAcquirerEvents(server: FastifyInstance, { secret, clock, logger, onEvent }: AcquirerEventParts) {
  const signed = new RateLimit(EVENTS_PER_MINUTE, clock)
  const refused = new RateLimit(REFUSED_PER_MINUTE, clock)
  const isRefused = refusedEvent({ clock, logger }, EVENTS_PATH)

  server.post(EVENTS_PATH, { bodyLimit: BODY_BYTES_MAX }, async (request, reply) => {
    const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    const header = (name: string) => (typeof request.headers[name] === 'string' ? request.headers[name] : undefined)
    const id = header('webhook-id')
    const signature = { id, timestamp: header('webhook-timestamp'), signature: header('webhook-signature') }
    const doubt = signatureDoubt(secret, signature, bytes, clock.realNow())
    if (doubt || !EVENT_ID.test(id!)) {
      refused.take(networkOf(request.ip))
      const why = `this ${doubt ?? 'is signed for another call'}`
      isRefused(why)
      return reply.code(401).send({ error: why })
    }
    signed.take(ALL_SIGNED)
    const read = readRequest(bytes)
    const { value } = read ? readEvent(read.root) : { value: undefined }
    if (!value) return reply.code(400).send({ error: 'send {"key"}' })
    await onEvent(value.key)
    return reply.code(202).send({})
  })
}
