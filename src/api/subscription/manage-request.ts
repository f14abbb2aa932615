// How the operations on a subscription that is there cross the wire: docs/interface.md section 4.34.

import type { TSchema } from 'typebox'
import { cancelSubscription, wire as cancelWire } from '../../domain/subscription/cancel-subscription.ts'
import { checkSubscriptionStatus, wire as checkWire } from '../../domain/subscription/check-subscription-status.ts'
import { consultSubscription, wire as consultWire } from '../../domain/subscription/collection/consult-subscription.ts'
import { INVALID_ID, renewSubscription, wire as renewWire } from '../../domain/subscription/collection/renew-subscription.ts'
import { editSubscription, wire as editWire } from '../../domain/subscription/edit-subscription.ts'
import { modifySubscriptionStatus, wire as modifyWire } from '../../domain/subscription/modify-subscription-status.ts'
import { wire as notifyWire, preNotify } from '../../domain/subscription/pre-notification/pre-notify.ts'
import { wire as noticeWire, preNotifyStatus } from '../../domain/subscription/pre-notification/pre-notify-status.ts'
import type { Reply } from '../../engine/decision.ts'
import { numberAt } from '../../engine/number-at.ts'
import type { Edge } from '../../flows/edge.ts'
import { renderSigned, replyHead, signFor } from '../../http/render.ts'
import { type Asked, type Envelope, type EnvelopeRoute, envelopeHandler, type Rendered } from '../../http/route.ts'
import type { JsonObject } from '../../interface/envelope.ts'
import {
  cancelSubscription as cancelCodes,
  checkSubscriptionStatus as checkCodes,
  consultSubscription as consultCodes,
  editSubscription as editCodes,
  modifySubscriptionStatus as modifyCodes,
  preNotifyStatus as noticeCodes,
  preNotify as notifyCodes,
  type ResultCode,
  renewSubscription as renewCodes,
} from '../../interface/result-codes.ts'

type Ids = { subsId?: string; subscriptionId?: string }

/** The signed body says which, by either name; undefined where it does not. Whatever else says one has to agree. */
function subscriptionNamed<Code extends ResultCode>(
  { query, body }: { query: Envelope<TSchema, TSchema>['query']; body: Ids },
  codes: { badRequest: Code },
): string | undefined | Reply<Code> {
  const named = body.subsId ?? body.subscriptionId
  const agrees = (id: string | undefined) => id === undefined || id === named
  const isOne = [body.subscriptionId, query['subsId'], query['subscriptionId']].every(agrees)
  return named === undefined || isOne ? named : { result: codes.badRequest, parameter: 'subsId' }
}

/** Some clients read the one spelling of a result and some the other. */
function renderManaging({ result, message, body }: Reply, asked: Asked, { clock }: Pick<Edge, 'clock'>): Rendered {
  const { status, code } = result
  const said = message ?? result.message
  const resultInfo = { status, code, message: said, resultStatus: status === 'SUCCESS' ? 'S' : 'F', resultCode: code, resultMsg: said }
  return { head: replyHead(asked, clock.now()), body: { resultInfo, ...body }, ...signFor(asked) }
}

/** An operation that writes to the subscription that is named. */
function managingRoute<Body extends TSchema, Code extends ResultCode>(
  wire: EnvelopeRoute<typeof checkWire.head, Body, Code>['wire'],
  codes: { badRequest: Code; idMissing?: Code },
  perform: (
    body: Envelope<typeof checkWire.head, Body>['body'],
    subscriptionId: string,
    signature: 'valid' | 'invalid' | 'absent',
    edge: Edge,
  ) => Promise<Reply>,
): EnvelopeRoute<typeof checkWire.head, Body, Code> {
  return {
    wire,
    signed: { wrong: codes.badRequest },
    async perform({ query, body, signature }, edge) {
      const named = subscriptionNamed({ query, body: body as Ids }, codes)
      if (named === undefined) return { result: codes.idMissing ?? codes.badRequest, parameter: 'subsId' }
      return typeof named === 'string' ? perform(body, named, signature, edge) : named
    },
    render: renderManaging,
  }
}

const checkRoute: EnvelopeRoute<typeof checkWire.head, typeof checkWire.body, (typeof checkCodes)['success']> = {
  wire: checkWire,
  signed: { wrong: checkCodes.badRequest },
  // A published page prints it so.
  translate: ({ head, body: { orderid, ...body } }) => ({
    head,
    body: orderid === undefined || body['orderId'] !== undefined ? body : { ...body, orderId: orderid },
  }),
  async perform({ query: parameters, body, signature }, { query, clock }) {
    const subscriptionId = subscriptionNamed({ query: parameters, body }, checkCodes)
    if (typeof subscriptionId === 'object') return subscriptionId
    return checkSubscriptionStatus.answer({ request: body, caller: { signature }, subscriptionId, now: clock.now() }, query)
  },
  render: renderManaging,
}

/** Its schema knows one name of the id. */
const renewRoute: EnvelopeRoute<typeof renewWire.head, typeof renewWire.body, (typeof renewCodes)['success']> = {
  wire: renewWire,
  signed: { wrong: renewCodes.invalidChecksum },
  translate: ({ head, body }) => ({
    head,
    body: body['subscriptionId'] === undefined && body['subsId'] !== undefined ? { ...body, subscriptionId: body['subsId'] } : body,
  }),
  async perform({ query, body, signature }, { engine, clock, reference, fresh }) {
    const named = subscriptionNamed({ query, body }, { badRequest: renewCodes.missingElement })
    if (typeof named !== 'string') return { ...INVALID_ID, parameter: 'subscriptionId' }
    const now = clock.now()
    const command = { request: body, caller: { signature }, subscriptionId: named, reference, now, fresh: { txnId: numberAt(now, fresh) } }
    return engine.submit(renewSubscription, command)
  },
  render: renderSigned,
}

/** An amount that was written as a number is the text that it was written with. */
const amountAsText: NonNullable<EnvelopeRoute['translate']> = ({ head, body }, _path, _now, written) =>
  typeof body['amount'] === 'number' ? { head, body: { ...body, amount: (written()['body'] as JsonObject)['amount']! } } : { head, body }

export const mandateHandlers = (edge: Edge) => ({
  checkSubscriptionStatus: envelopeHandler(checkRoute, edge),
  cancelSubscription: envelopeHandler(
    managingRoute(cancelWire, cancelCodes, (request, subscriptionId, signature, { engine, clock }) =>
      engine.submit(cancelSubscription, { request, caller: { signature }, subscriptionId, now: clock.now() }),
    ),
    edge,
  ),
  modifySubscriptionStatus: envelopeHandler(
    managingRoute(modifyWire, modifyCodes, (request, subscriptionId, signature, { engine, clock, reference }) =>
      engine.submit(modifySubscriptionStatus, { request, caller: { signature }, subscriptionId, reference, now: clock.now() }),
    ),
    edge,
  ),
  preNotify: envelopeHandler(
    managingRoute(notifyWire, notifyCodes, (request, subscriptionId, signature, { engine, clock, reference, fresh }) => {
      const now = clock.now()
      const command = { request, caller: { signature }, subscriptionId, reference, now, fresh: { noticeId: numberAt(now, fresh) } }
      return engine.submit(preNotify, command)
    }),
    edge,
  ),
  preNotifyStatus: envelopeHandler(
    managingRoute(noticeWire, noticeCodes, (request, subscriptionId, signature, { query }) =>
      preNotifyStatus.answer({ request, caller: { signature }, subscriptionId }, query),
    ),
    edge,
  ),
  renewSubscription: envelopeHandler(renewRoute, edge),
  consultSubscription: envelopeHandler(
    {
      ...managingRoute(consultWire, consultCodes, (request, subscriptionId, signature, { query, clock, reference }) =>
        consultSubscription.answer({ request, caller: { signature }, subscriptionId, reference, now: clock.now() }, query),
      ),
      translate: amountAsText,
    },
    edge,
  ),
  editSubscription: envelopeHandler(
    managingRoute(editWire, editCodes, (request, subscriptionId, signature, { engine, clock, fresh }) => {
      const now = clock.now()
      const command = { request, caller: { signature }, subscriptionId, now, fresh: { editId: numberAt(now, fresh) } }
      return engine.submit(editSubscription, command)
    }),
    edge,
  ),
})
