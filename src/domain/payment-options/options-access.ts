// What the calls of a payment page that only read have in common: a token of one order, or an access token of the merchant's
// own reference (docs/interface.md sections 4.8 and 4.30).

import Type, { type TSchema } from 'typebox'
import type { Query } from '../../engine/decision.ts'
import type { JsonObject } from '../../interface/envelope.ts'
import * as fields from '../../interface/fields.ts'
import type { Fault } from '../../interface/request.ts'
import type { ResultCode } from '../../interface/result-codes.ts'
import type { Wire } from '../../interface/wire.ts'
import { accessTokenKey, merchantKey, subscriptionKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'
import { type ModeLimits, modesOf } from '../order/payment-modes.ts'
import { openedOrder } from '../order/txn-token.ts'
import { isAlive } from '../promotion/access-token.ts'

const head = Type.Object({
  clientId: Type.Optional(fields.name),
  requestTimeStamp: Type.Optional(fields.requestTimestamp),
  channelId: Type.Optional(fields.channelId),
  tokenType: Type.Enum(['TXN_TOKEN', 'ACCESS']),
  token: fields.string(),
})

interface ReadingCodes<Code> {
  missingParam: Code
  invalidBody: Code
  invalidField: Code
  invalidMid: Code
  midMismatch: Code
  orderIdMismatch: Code
  systemError: Code
}

/** What all of them say of their envelope; `missing` is what a member of the body that is not there answers. */
export const readingWire = <Body extends TSchema, Code extends ResultCode>(
  body: Body,
  codes: ReadingCodes<Code>,
  missing: Code,
): Wire<typeof head, Body, Code> => {
  const invalid = ({ name }: Fault) => ({ result: codes.invalidField, message: `Invalid ${name}` })
  return {
    query: ['mid'],
    queryFor,
    head,
    body,
    faults: {
      missing: () => ({ result: missing }),
      wrong: (fault) => (fault.path === 'mid' ? { result: codes.invalidMid } : invalid(fault)),
    },
    unreadable: codes.invalidBody,
    missingParam: () => ({ result: codes.missingParam }),
    wrongHead: invalid,
    midMismatch: codes.midMismatch,
    orderIdMismatch: codes.orderIdMismatch,
    systemError: codes.systemError,
  }
}

/** A token of an order needs the order's id beside it, an access token its reference. */
const queryFor = ({ tokenType }: JsonObject) =>
  tokenType === 'TXN_TOKEN' ? (['orderId'] as const) : tokenType === 'ACCESS' ? (['referenceId'] as const) : []

export type Credential =
  | { tokenType: 'TXN_TOKEN'; orderId: string; tokenHash: string }
  | { tokenType: 'ACCESS'; referenceId: string; tokenHash: string }

/** What a token opens: one order, or the merchant as the holder of a reference sees him. */
export interface Opened {
  merchant: Row<'merchants'>
  order: Row<'orders'> | undefined
  accessToken: Row<'accessTokens'> | undefined
}

export async function opened(
  mid: string,
  credential: Credential,
  now: number,
  query: Query,
): Promise<Opened | 'invalidMid' | 'sessionExpired'> {
  const merchant = await query.row(merchantKey(mid))
  if (!merchant) return 'invalidMid'
  const { tokenType, tokenHash } = credential
  if (tokenType === 'TXN_TOKEN') {
    const order = await openedOrder({ mid, orderId: credential.orderId, txnTokenHash: tokenHash, now }, query)
    return order ? { merchant, order, accessToken: undefined } : 'sessionExpired'
  }
  const accessToken = await query.row(accessTokenKey(mid, credential.referenceId))
  return accessToken && isAlive(accessToken, tokenHash, now) ? { merchant, order: undefined, accessToken } : 'sessionExpired'
}

/** What may be paid by there. */
export async function modesOpen({ merchant, order }: Opened, query: Query): Promise<Map<string, ModeLimits>> {
  const subscription = order?.subscriptionId ? await query.row(subscriptionKey(order.mid, order.subscriptionId)) : undefined
  return modesOf(merchant, order, subscription)
}
