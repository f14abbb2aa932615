// What the operations on an existing subscription share: docs/interface.md section 4.34.

import type { TSchema } from 'typebox'
import type { wire as checkWire } from '../../domain/subscription/check-subscription-status.ts'
import type { Reply } from '../../engine/decision.ts'
import type { Ports } from '../../flows/ports.ts'
import type { Asked, Rendered } from '../../http/handler.ts'
import { replyHead, signFor } from '../../http/render.ts'
import type { Envelope, EnvelopeRoute } from '../../http/route.ts'
import type { ResultCode } from '../../interface/result-codes.ts'

type Head = typeof checkWire.head
type Ids = { subsId?: string; subscriptionId?: string }

/**
 * Returns the subscription's id in the signed body, under either name; undefined when the body has none. Every other id in the request must
 * agree.
 */
export function subscriptionNamed<Code extends ResultCode>(
  { query, body }: { query: Envelope<TSchema, TSchema>['query']; body: Ids },
  codes: { badRequest: Code },
): string | undefined | Reply<Code> {
  const named = body.subsId ?? body.subscriptionId
  const agrees = (id: string | undefined) => id === undefined || id === named
  const isOne = [body.subscriptionId, query['subsId'], query['subscriptionId']].every(agrees)
  return named === undefined || isOne ? named : { result: codes.badRequest, parameter: 'subsId', cause: 'twoIds' }
}

/** Writes the result in both spellings, because each client reads one of them. */
export function renderManaging({ result, message, body }: Reply, asked: Asked, { clock }: Pick<Ports, 'clock'>): Rendered {
  const { status, code } = result
  const said = message ?? result.message
  const resultInfo = { status, code, message: said, resultStatus: status === 'SUCCESS' ? 'S' : 'F', resultCode: code, resultMsg: said }
  return { head: replyHead(asked, clock.now()), body: { resultInfo, ...body }, ...signFor(asked) }
}

/** An operation on the subscription that the signed body names. */
export function managingRoute<Body extends TSchema, Code extends ResultCode>(
  wire: EnvelopeRoute<Head, Body, Code>['wire'],
  codes: { badRequest: Code; idMissing?: Code },
  perform: (
    body: Envelope<Head, Body>['body'],
    subscriptionId: string,
    signature: 'valid' | 'invalid' | 'absent',
    ports: Ports,
  ) => Promise<Reply>,
): EnvelopeRoute<Head, Body, Code> {
  return {
    wire,
    signed: { wrong: codes.badRequest },
    async perform({ query, body, signature }, ports) {
      const named = subscriptionNamed({ query, body: body as Ids }, codes)
      if (named === undefined) return { result: codes.idMissing ?? codes.badRequest, parameter: 'subsId', cause: 'noId' }
      return typeof named === 'string' ? perform(body, named, signature, ports) : named
    },
    render: renderManaging,
  }
}
