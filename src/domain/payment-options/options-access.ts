// Rules that a payment page's reading operations share: their token and what it opens (docs/interface.md sections 4.8 and 4.30). The token
// belongs to one order, or is an access token of the merchant's own reference.

import Type, { type TSchema } from 'typebox'
import type { Query } from '../../engine/decision.ts'
import type { JsonObject } from '../../interface/envelope.ts'
import * as fields from '../../interface/fields.ts'
import type { Fault } from '../../interface/request.ts'
import type { ResultCode } from '../../interface/result-codes.ts'
import type { Wire } from '../../interface/wire.ts'
import type { Reference } from '../../reference/reference.ts'
import { accessTokenKey, customerKey, merchantKey, subscriptionKey } from '../../tables/keys.ts'
import type { Payer } from '../../tables/signin.ts'
import type { Row } from '../../tables/tables.ts'
import { type ModeLimits, modesOf, takesDebitCardEmi } from '../order/payment-modes.ts'
import { openedOrder } from '../order/txn-token.ts'
import { isAlive } from '../promotion/access-token.ts'
import { signInOf, standing } from '../signin/signed-in-payer.ts'
import type { Payable } from './payment-options.ts'

const anyHead = {
  clientId: Type.Optional(fields.name),
  requestTimeStamp: Type.Optional(fields.requestTimestamp),
  channelId: Type.Optional(fields.channelId),
}
const token = fields.string()
const head = Type.Object({ ...anyHead, tokenType: Type.Enum(['TXN_TOKEN', 'ACCESS']), token })
const orderHead = Type.Object({ ...anyHead, tokenType: Type.Enum(['TXN_TOKEN']), token })

interface ReadingCodes<Code> {
  missingParam: Code
  invalidBody: Code
  invalidField: Code
  invalidMid: Code
  midMismatch: Code
  orderIdMismatch: Code
  systemError: Code
}

/** The envelope of all reading operations. `missing` is the code for a missing member of the body. */
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

/** The envelope of an operation that only an order's token opens. */
export const orderReadingWire = <Body extends TSchema, Code extends ResultCode>(
  body: Body,
  codes: ReadingCodes<Code>,
  missing: Code,
): Wire<typeof orderHead, Body, Code> => ({ ...readingWire(body, codes, missing), head: orderHead, query: ['mid', 'orderId'] })

/** The token of an order needs the orderId beside it. An access token needs its referenceId. */
const queryFor = ({ tokenType }: JsonObject) =>
  tokenType === 'TXN_TOKEN' ? (['orderId'] as const) : tokenType === 'ACCESS' ? (['referenceId'] as const) : []

export type Credential =
  | { tokenType: 'TXN_TOKEN'; orderId: string; tokenHash: string }
  | { tokenType: 'ACCESS'; referenceId: string; tokenHash: string }

/** Everything that a token opens: one order, or the merchant as the holder of a reference sees it. */
export interface Opened {
  merchant: Row<'merchants'>
  order: Row<'orders'> | undefined
  accessToken: Row<'accessTokens'> | undefined
  /** The order's subscription, if it has been read already. */
  subscription?: Row<'subscriptions'> | undefined
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

export async function modesOpen(
  { merchant, order, subscription }: Opened,
  { taken }: Pick<Reference, 'taken'>,
  query: Query,
): Promise<Map<string, ModeLimits>> {
  const isUnread = order?.subscriptionId && !subscription
  return modesOf(merchant, order, isUnread ? await query.row(subscriptionKey(order.mid, order.subscriptionId!)) : subscription, taken)
}

/** The modes that are open to the payer, and the payer's wallet if they are signed in. */
export async function payableOf(found: Opened, reference: Pick<Reference, 'taken'>, now: number, query: Query) {
  const { merchant, order } = found
  const [modes, who] = await Promise.all([modesOpen(found, reference, query), whoIs(found, now, query)])
  const payable: Payable = {
    modes,
    amountPaise: order?.amountPaise,
    wallet: who?.customer && { balancePaise: who.customer.walletBalancePaise },
    debitCardEmi: takesDebitCardEmi(merchant, modes, order),
  }
  return { payable, who }
}

export interface Who {
  payer: Payer
  customer: Row<'customers'> | undefined
  custId: string | null
}
/** Undefined when the sign-in of the order or access token no longer stands, because that sign-in could not pay either. */
export async function whoIs(
  { order, accessToken }: Pick<Opened, 'order' | 'accessToken'>,
  now: number,
  query: Query,
): Promise<Who | undefined> {
  const from = order ?? accessToken
  if (!from?.payer) return undefined
  const signIn = signInOf(from.payer)
  const [customer, family] = await Promise.all([query.row(customerKey(from.payer.mobile)), signIn && query.row(signIn)])
  const payer = standing(from.payer, { customer, family }, now)
  return payer && { payer, customer, custId: from.custId }
}
