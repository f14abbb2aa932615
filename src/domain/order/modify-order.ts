// Modify Order: docs/interface.md section 4.3. The payer holds the txnToken. So the merchant's setting says what an unsigned request may
// change (docs/decisions/0004).

import Type, { type Static } from 'typebox'
import { operation, refuse, refuseWith } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import { toPaise } from '../../interface/money.ts'
import { type FaultCodes, type Refusal, shownMember, wrongValue } from '../../interface/request.ts'
import { modifyOrder as codes } from '../../interface/result-codes.ts'
import type { Signed, Wire } from '../../interface/wire.ts'
import { merchantKey, orderKey, usedSignatureKey } from '../../tables/keys.ts'
import type { OrderDetails } from '../../tables/order.ts'
import type { Row } from '../../tables/tables.ts'
import {
  MODIFY_COUNT_MAX,
  orderEvent,
  SIGNATURE_REUSE_MS,
  TXN_TOKEN_VALIDITY_MS,
  UNSIGNED_MODIFY_COUNT_MAX,
  vouchedGoods,
} from './order.ts'
import { type ByToken, orderOf, readsNamed, readsOthers } from './txn-token.ts'

const head = Type.Object({
  channelId: Type.Optional(fields.channelId),
  requestTimeStamp: Type.Optional(fields.requestTimestamp),
  clientId: Type.Optional(fields.name),
  tokenType: Type.Enum(['TXN_TOKEN']),
  token: Type.Unknown(),
  signature: Type.Optional(Type.Unknown()),
})
const changes = Type.Object({
  txnAmount: Type.Optional(fields.payable),
  goodsInfo: Type.Optional(fields.array(fields.goodsInfo)),
  shippingInfo: Type.Optional(fields.array(fields.shippingInfo)),
  extendInfo: Type.Optional(fields.map),
})
/** Official clients send these members too, but they change nothing. */
const beside = Type.Object({
  mid: Type.Optional(Type.Unknown()),
  orderId: Type.Optional(Type.Unknown()),
  userInfo: Type.Optional(Type.Unknown()),
})
/** A signed request of another operation is no modification, so `requestType` is refused: docs/decisions/0004. */
const body = Type.Object({ ...changes.properties, ...beside.properties, requestType: Type.Optional(fields.never) })
const CHANGES: ReadonlySet<string> = new Set(Object.keys(changes.properties))
const BESIDE: ReadonlySet<string> = new Set(Object.keys(beside.properties))

const faults: FaultCodes<(typeof codes)['success']> = {
  missing: () => ({ result: codes.missingParam }),
  wrong(fault) {
    if (fault.path === 'txnAmount.value') return { result: codes.invalidTxnAmount }
    if (fault.nested) return { result: codes.illegalParameter } // only Create Order's row of section 7 gives the message a form
    return wrongValue(fault, codes)
  },
}

export const wire: Wire<typeof head, typeof body, (typeof codes)['success']> = {
  query: ['mid', 'orderId'],
  head,
  body,
  faults,
  unreadable: codes.invalidBody,
  missingParam: () => ({ result: codes.missingParam }),
  systemError: codes.systemError,
}

export const reply = Type.Object({})

export interface ModifyOrder extends ByToken {
  /** Complete when `bodyRefusal` is absent. */
  request: Static<typeof body>
  bodyRefusal?: Refusal<(typeof codes)['success']>
  caller: Signed
  signatureHash: string
  now: number
}

export const modifyOrder = operation({
  name: 'modifyOrder',
  codes,
  reads: (command: ModifyOrder) => readsNamed(command),
  readsNext: (command, named) => readsOthers(command, named),
  readsLast(command, found) {
    const { mid, signatureHash, caller } = command
    const order = orderOf(command, found)
    return {
      merchant: order && merchantKey(order.mid),
      usedSignature: order && caller.signature === 'valid' ? usedSignatureKey(mid, signatureHash) : undefined,
    }
  },
  decide(command, { merchant, usedSignature, ...found }) {
    const { mid, orderId, request: r, bodyRefusal, caller, signatureHash, now } = command
    const order = orderOf(command, found)
    if (!order || !merchant) return refuse(codes.invalidToken, undefined, undefined, 'unknownToken')
    if (order.mid !== mid) return refuse(codes.midMismatch)
    if (order.orderId !== orderId) return refuse(codes.orderIdMismatch)
    if (bodyRefusal) return refuseWith(bodyRefusal)
    if (r.txnAmount && order.requestType === 'NATIVE_SUBSCRIPTION')
      return refuse(codes.invalidTxnAmount, undefined, 'txnAmount.value', 'ofMandate')
    const reused = usedSignature !== undefined && usedSignature.orderId !== orderId && now < usedSignature.usedAt + SIGNATURE_REUSE_MS
    if (caller.signature === 'invalid' || reused)
      return refuse(codes.invalidField, 'Invalid signature', 'head.signature', reused ? 'usedSignature' : 'signature')
    const wanted = merchant.signedModify === 'always' || (merchant.signedModify === 'amount' && r.txnAmount !== undefined)
    if (wanted && caller.signature === 'absent') return refuse(codes.missingParam, undefined, 'head.signature', 'signature')
    const foreign = caller.signature === 'valid' && foreignTo(order, r)
    if (foreign) return refuseWith(foreign)
    switch (order.status) {
      case 'PAID':
        return refuse(codes.orderPaid)
      case 'CLOSED':
        return refuse(codes.orderClosed)
      case 'IN_PROCESS':
        return refuse(codes.transactionInProcess)
      case 'CREATED':
        break
      default:
        return order.status satisfies never
    }
    if (now >= order.txnTokenIssuedAt + TXN_TOKEN_VALIDITY_MS) return refuse(codes.invalidToken, undefined, undefined, 'tokenOver')
    if (order.modifyCount >= MODIFY_COUNT_MAX)
      return refuse(
        codes.transactionInProcess,
        `modification not allowed, limit of ${MODIFY_COUNT_MAX} reached`,
        undefined,
        'modifiedEnough',
      )
    const isSigned = caller.signature === 'valid'
    const isTrusted = isSigned || merchant.signedModify === 'optional'
    if (!isTrusted && order.unsignedModifyCount >= UNSIGNED_MODIFY_COUNT_MAX)
      return refuse(
        codes.transactionInProcess,
        `modification not allowed, limit of ${UNSIGNED_MODIFY_COUNT_MAX} without a signature reached`,
        undefined,
        'modifiedUnsigned',
      )

    const row: Row<'orders'> = {
      ...order,
      version: order.version + 1,
      modifyCount: order.modifyCount + 1,
      unsignedModifyCount: order.unsignedModifyCount + (isSigned ? 0 : 1),
      amountPaise: r.txnAmount ? toPaise(r.txnAmount.value) : order.amountPaise,
      details: { ...revise(order.details, r), vouchedGoods: (isTrusted && r.goodsInfo) || vouchedGoods(order) },
    }
    const used: Row<'usedSignatures'> = { mid, signatureHash, orderId, usedAt: now }
    const remember = !isSigned
      ? []
      : [{ kind: usedSignature ? ('update' as const) : ('insert' as const), key: usedSignatureKey(mid, signatureHash), row: used }]
    return {
      reply: { result: codes.success },
      changes: [{ kind: 'update', key: orderKey(mid, orderId), row }, ...remember],
      events: [orderEvent('order.modified', order, row, now)],
      tasks: [],
    }
  },
})

/** The refusal of a body that the merchant did not sign to change this order. Undefined when they did. */
function foreignTo(order: Row<'orders'>, request: ModifyOrder['request']): Refusal<(typeof codes)['success']> | undefined {
  const { mid, orderId } = request
  if (mid !== undefined && mid !== order.mid) return { result: codes.midMismatch, parameter: 'mid' }
  if (orderId !== undefined && orderId !== order.orderId) return { result: codes.orderIdMismatch, parameter: 'orderId' }
  const given = Object.keys(request)
  // A body that names the order and changes nothing was signed as a question, so it is refused.
  const names = given.some((member) => CHANGES.has(member)) ? undefined : given.find((member) => member === 'mid' || member === 'orderId')
  const other = given.find((member) => !CHANGES.has(member) && !BESIDE.has(member)) ?? names
  if (other === undefined) return undefined
  const name = shownMember(other)
  return { result: codes.invalidField, message: `Invalid ${name}`, parameter: name, cause: 'otherMember' }
}

/** A given member replaces the old one whole. */
function revise(details: OrderDetails, { goodsInfo, shippingInfo, extendInfo }: ModifyOrder['request']): OrderDetails {
  return { ...details, ...(goodsInfo && { goodsInfo }), ...(shippingInfo && { shippingInfo }), ...(extendInfo && { extendInfo }) }
}
