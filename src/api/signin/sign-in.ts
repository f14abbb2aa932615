// How the two operations of sign-in cross the wire: flat JSON without an envelope, unsigned (docs/interface.md sections 4.1, 4.7 and 5).
// Headers name the caller.

import type { Static, TSchema } from 'typebox'
import type { SignInCaller, SignInWire } from '../../domain/signin/signin.ts'
import type { Reply } from '../../engine/decision.ts'
import type { Ports } from '../../flows/ports.ts'
import type { Handler, Received } from '../../http/handler.ts'
import { type Keyed, KeyRefused, keyed, keyOf } from '../../http/idempotency.ts'
import { networkOf } from '../../http/networks.ts'
import { counting, TooManyRequests } from '../../http/rate-limit.ts'
import { deviceOf } from '../../http/request-headers.ts'
import { singleParameters } from '../../http/route.ts'
import { readRequest } from '../../interface/envelope.ts'
import { normalise, type Refusal, reader } from '../../interface/request.ts'
import type { ResultCode } from '../../interface/result-codes.ts'
import type { Ceilings } from '../kit/api-parts.ts'
import { at, authorizedClient, DEVICE_FAULT, isDeviceTooLong } from './sign-in-client.ts'

interface Performed {
  reply: Reply
  /** The reply's members besides status, message and responseCode. */
  carries: object
  /** A wrong code was compared with the right one. */
  isWrongGuess?: boolean
}

export interface SignInRoute<Query extends TSchema, Body extends TSchema, Code extends ResultCode> {
  wire: SignInWire<Query, Body, Code>
  perform(query: Static<Query>, body: Static<Body>, caller: SignInCaller, ports: Ports): Promise<Performed>
}

export const signInOtpHash = (stateTokenHash: string, otp: string, vault: Ports['vault']) => vault.hash('otp', `${stateTokenHash}|${otp}`)

/**
 * Refuses in the order of docs/interface.md section 7: Authorization, device, request. Later refusals need stored rows, so the decision
 * makes them.
 */
export function signInHandler<Query extends TSchema, Body extends TSchema, Code extends ResultCode>(
  { wire, perform }: SignInRoute<Query, Body, Code>,
  ports: Ports,
  ceilings: Ceilings,
  wrongCodes?: Ceilings,
): Handler {
  const readers = { query: reader(wire.query), body: reader(wire.body) }

  const answer = async (received: Received): Promise<{ reply: Reply; carries: object }> => {
    const refusal = (reply: Refusal<Code>) => ({ reply, carries: {} })
    const key = keyOf(received) // an invalid key is refused from every caller
    const clientId = await authorizedClient(received.rawHeaders, ports)
    if (clientId === undefined) return refusal({ result: wire.invalidAuthorization })
    ceilings.client.take(clientId)
    const device = deviceOf(received.rawHeaders)
    if (!device) return refusal({ result: wire.deviceMissing })
    const bad = (fault: Parameters<typeof at>[0]) => refusal({ result: wire.badRequest, ...at(fault) })
    if (isDeviceTooLong(device)) return bad(DEVICE_FAULT)
    const once: Keyed | undefined = key === undefined ? undefined : await keyed(received, key, clientId, ports, { more: device })
    const query = readers.query(singleParameters(received.query))
    if (query.faults) return bad(query.faults[0])
    const read = readRequest(received.bytes)
    if (!read) return refusal({ result: wire.badRequest, cause: 'unreadable' })
    const body = readers.body(normalise(read.root))
    if (body.faults) return bad(body.faults[0])
    const caller = { clientId, deviceHash: ports.vault.hash('device', device) }
    const counts = wrongCodes
      ? ([
          [wrongCodes.address, networkOf(received.address)],
          [wrongCodes.client, clientId],
        ] as const)
      : []
    const performed = () => perform(query.value, body.value, caller, once?.ports ?? ports)
    return counting(counts, performed, ({ isWrongGuess }) => isWrongGuess === true)
  }

  return async (received) => {
    ceilings.address.take(networkOf(received.address))
    let answered: { reply: Reply; carries: object }
    let error: Error | undefined
    try {
      answered = await answer(received)
    } catch (thrown) {
      if (thrown instanceof TooManyRequests || thrown instanceof KeyRefused) throw thrown
      error = thrown as Error // the store failed or a decision threw: the caller may know only the table's own row
      answered = { reply: { result: wire.systemError }, carries: {} }
    }
    const { result, message, parameter, cause } = answered.reply
    const text = JSON.stringify({
      status: result.status,
      message: message ?? result.message,
      responseCode: result.code,
      ...answered.carries,
    })
    return { text, result, parameter, cause, error }
  }
}
