// Create Order: docs/interface.md section 4.5.

import Type, { type Static } from 'typebox'
import { operation, refuse } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import { toPaise } from '../../interface/money.ts'
import * as replied from '../../interface/replied.ts'
import { type Fault, type FaultCodes, refusalsOf, wrongValue } from '../../interface/request.ts'
import { createOrder as codes } from '../../interface/result-codes.ts'
import type { Signed, Wire } from '../../interface/wire.ts'
import { customerLinkKey, merchantKey, orderKey, ssoTokenKey } from '../../tables/keys.ts'
import type { OrderDetails } from '../../tables/order.ts'
import type { Row } from '../../tables/tables.ts'
import { takesPayments } from '../merchant/merchant.ts'
import { linkChanges, payerOf, signInReads, valid } from '../signin/sso-token.ts'
import { ORDER_VALIDITY_MS, orderEvent } from './order.ts'
import { availableModes, offersDebitCardEmi, unknownChannels } from './payment-modes.ts'

/** Clients send a boolean or its name. */
const yesOrNo = Type.Unsafe<boolean | 'true' | 'false'>({ enum: [true, false, 'true', 'false'] })

const body = Type.Object({
  requestType: Type.Enum(['PAYMENT', 'SUBSCRIPTION']),
  mid: fields.mid,
  orderId: fields.orderId,
  txnAmount: fields.payable,
  userInfo: fields.userInfo,
  enablePaymentMode: Type.Optional(fields.array(fields.orderPaymentMode)),
  disablePaymentMode: Type.Optional(fields.array(fields.orderPaymentMode)),
  callbackUrl: Type.Optional(fields.callbackUrl),
  goodsInfo: Type.Optional(fields.array(fields.goodsInfo)),
  shippingInfo: Type.Optional(fields.array(fields.shippingInfo)),
  extendInfo: Type.Optional(fields.map),
  ssoToken: Type.Optional(
    Type.Object({ token: Type.Optional(Type.String({ pattern: '^[0-9]{1,255}$' })), pg: Type.Optional(fields.string()) }),
  ),
  integrationType: Type.Optional(Type.Enum(['CUSTOM_CHECKOUT', 'JS_CHECKOUT', 'SDK', 'UNKNOWN'])),
  gatewayInfo: Type.Optional(fields.map),
  websiteName: fields.name,
  peonUrl: Type.Optional(fields.url),
  txnRoutingParams: Type.Optional(fields.mapOfObjects),
  simplifiedPaymentOffers: Type.Optional(
    Type.Object({
      promoCode: Type.Optional(fields.string(64)),
      applyAvailablePromo: Type.Optional(yesOrNo),
      validatePromo: Type.Optional(yesOrNo),
    }),
  ),
  /** Only clients of the payment host send it, as paytmSsoToken: section 4.9. */
  svcSsoToken: Type.Optional(Type.Unknown()),
})
const head = Type.Object({
  requestTimeStamp: Type.Optional(fields.requestTimestamp),
  channelId: Type.Optional(fields.channelId),
  clientId: Type.Optional(fields.name),
  signature: Type.Optional(Type.Unknown()),
})

export const faults: FaultCodes<(typeof codes)['success']> = {
  missing: () => ({ result: codes.missingElement }),
  wrong(fault: Fault) {
    switch (fault.path) {
      case 'txnAmount.value':
        return { result: codes.invalidTxnAmount }
      case 'mid':
        return { result: codes.invalidMid }
      case 'orderId':
        return { result: codes.invalidOrderId }
    }
    return wrongValue(fault, codes)
  },
}

/**
 * Clients of the payment host name channels that no mode has. On that host an unknown channel is no fault and fits nothing:
 * docs/interface.md section 2.
 */
const paymentHostBody: typeof body = Type.Object({
  ...body.properties,
  userInfo: fields.hostUserInfo,
  enablePaymentMode: Type.Optional(fields.array(fields.paymentHostMode)),
  disablePaymentMode: Type.Optional(fields.array(fields.paymentHostMode)),
})
type CreateWire = Wire<typeof head, typeof body, (typeof codes)['success']>
export const wire: CreateWire = {
  query: ['mid', 'orderId'],
  head,
  body,
  faults,
  unreadable: codes.invalidBody,
  missingParam: () => ({ result: codes.missingParam }),
  midMismatch: codes.midMismatch,
  orderIdMismatch: codes.orderIdMismatch,
  systemError: codes.systemError,
  check: (request) => refusalsOf(unknownChannels(request), faults),
}
const { check: _, ...hostWire } = wire
export const paymentHostWire: CreateWire = { ...hostWire, body: paymentHostBody, idsFromSignedBody: true }

export const reply = Type.Object({ txnToken: replied.text })
/** Shops of the payment host read two more members: docs/interface.md section 4.9. */
export const paymentHostReply = Type.Object({ ...reply.properties, isPromoCodeValid: replied.yes, authenticated: replied.yes })

/** The caller draws `fresh`, so that `decide` gives the same answer each time it runs. */
export interface CreateOrder {
  request: Static<typeof body>
  caller: Signed
  /** Hash of `svcSsoToken`, if the request has one. */
  ssoTokenHash: string | undefined
  searchTerms: string
  now: number
  fresh: { txnToken: string; txnTokenHash: string }
  /** Keyed hash of the checkout form that creates the order. When the form comes again, it opens the order's page again. */
  formHash?: string
}

export const createOrder = operation({
  name: 'createOrder',
  codes,
  reads: ({ request: r, ssoTokenHash }: CreateOrder) => ({
    merchant: merchantKey(r.mid),
    order: orderKey(r.mid, r.orderId),
    ssoToken: ssoTokenHash === undefined ? undefined : ssoTokenKey(ssoTokenHash),
    link: ssoTokenHash === undefined ? undefined : customerLinkKey(r.mid, r.userInfo.custId),
  }),
  readsNext: (_command, { ssoToken }) => signInReads(ssoToken),
  decide({ request: r, caller, searchTerms, now, fresh, formHash }, { merchant, order, ssoToken, link, customer, family }) {
    if (!takesPayments(merchant)) return refuse(codes.invalidMid, undefined, 'mid', merchant ? 'disabledMid' : 'unknownMid')
    if (caller.signature === 'invalid') return refuse(codes.invalidChecksum, undefined, 'head.signature')
    if (caller.signature === 'absent' && merchant.checksumEnabled)
      return refuse(codes.missingParam, undefined, 'head.signature', 'signature')
    if (!Object.hasOwn(merchant.websites, r.websiteName))
      return refuse(codes.invalidField, 'Invalid websiteName', 'websiteName', 'unknownWebsite')
    const paymentModes = {
      ...(r.enablePaymentMode && { enable: r.enablePaymentMode }),
      ...(r.disablePaymentMode && { disable: r.disablePaymentMode }),
    }
    if (r.userInfo.mobile === undefined && offersDebitCardEmi(merchant, availableModes(merchant.paymentModes, paymentModes)))
      return refuse(codes.missingElement, undefined, 'userInfo.mobile', 'debitCardEmi')
    if (order) return refuse(codes.duplicateOrderId, undefined, 'orderId')

    // An invalid token refuses no order; the payer is just not signed in. A token in an unsigned request signs no payer in either.
    // Otherwise any caller could tie a custId to themselves.
    const user = caller.signature === 'valid' ? valid(ssoToken, { customer, family }, now) : undefined
    const row: Row<'orders'> = {
      mid: r.mid,
      orderId: r.orderId,
      version: 1,
      status: 'CREATED',
      requestType: r.requestType,
      subscriptionId: null,
      amountPaise: toPaise(r.txnAmount.value),
      modifyCount: 0,
      unsignedModifyCount: 0,
      consentOrderId: null,
      custId: r.userInfo.custId,
      searchTerms,
      websiteName: r.websiteName,
      callbackUrl: r.callbackUrl ?? merchant.websites[r.websiteName]?.callbackUrl ?? null,
      peonUrl: r.peonUrl ?? null,
      txnTokenHash: fresh.txnTokenHash,
      txnTokenIssuedAt: now,
      expiresAt: now + ORDER_VALIDITY_MS,
      paymentModes,
      details: { ...detailsOf(r), ...(formHash !== undefined && { formHash }) },
      transactionCount: 0,
      leftCount: 0,
      txnId: null,
      payer: user ? payerOf(user) : null,
      updatedAt: now,
    }
    return {
      reply: { result: codes.success, body: { txnToken: fresh.txnToken, authenticated: user !== undefined } },
      changes: [{ kind: 'insert', key: orderKey(r.mid, r.orderId), row }, ...(user ? linkChanges(r.mid, row.custId, user, link, now) : [])],
      events: [orderEvent('order.created', undefined, row, now)],
      tasks: [],
    }
  },
})

const isYes = (given: boolean | 'true' | 'false' | undefined) => given === true || given === 'true'

/** Each member is named, so that a request can set no other. The ssoToken is a credential and is not kept. */
function detailsOf({
  userInfo,
  goodsInfo,
  shippingInfo,
  extendInfo,
  gatewayInfo,
  txnRoutingParams,
  integrationType,
  simplifiedPaymentOffers: offers,
}: CreateOrder['request']): OrderDetails {
  const { custId, mobile, email, firstName, lastName } = userInfo
  return {
    userInfo: {
      custId,
      ...(mobile !== undefined && { mobile }),
      ...(email !== undefined && { email }),
      ...(firstName !== undefined && { firstName }),
      ...(lastName !== undefined && { lastName }),
    },
    ...(goodsInfo && { goodsInfo }),
    ...(shippingInfo && { shippingInfo }),
    ...(extendInfo && { extendInfo }),
    ...(gatewayInfo && { gatewayInfo }),
    ...(txnRoutingParams && { txnRoutingParams }),
    ...(integrationType && { integrationType }),
    ...(offers && {
      simplifiedPaymentOffers: {
        ...(offers.promoCode && { promoCode: offers.promoCode }),
        applyAvailablePromo: isYes(offers.applyAvailablePromo),
        validatePromo: isYes(offers.validatePromo),
      },
    }),
  }
}
