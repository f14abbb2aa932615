// What a payment and the bank's one-time password share on the wire: the request's form and the answer (docs/interface.md sections 4.10 and
// 4.11).

import Type from 'typebox'
import { bankFormOf, isInFlight, isReadableByAll, resultOf } from '../../domain/transaction/transaction.ts'
import type { Reply } from '../../engine/decision.ts'
import type { Paid } from '../../flows/pay.ts'
import type { Ports } from '../../flows/ports.ts'
import type { JsonObject } from '../../interface/envelope.ts'
import * as fields from '../../interface/fields.ts'
import { OTP_PATH } from '../../interface/page-paths.ts'
import * as replied from '../../interface/replied.ts'
import { processTransaction as codes } from '../../interface/result-codes.ts'
import { cutCard } from '../card/card-input.ts'
import { callbackFields, callbackReply } from './callback-form.ts'

/** Reads the router's `WALLET` as `BALANCE`, and older kits' channel `collect` as `UPI` where a UPI id is given: section 4.10. */
export function inOurWords(body: JsonObject): JsonObject {
  const { paymentMode, channelCode, payerAccount } = body
  if (paymentMode === 'WALLET') return { ...body, paymentMode: 'BALANCE' }
  const isCollect = typeof channelCode === 'string' && channelCode.toLowerCase() === 'collect'
  return paymentMode === 'UPI' && isCollect && payerAccount !== undefined ? { ...body, channelCode: 'UPI' } : body
}

/** For both hosts: the token's name in the head, the router's names of modes, and the card cut out of the body. */
export function translatePayment({ head, body }: { head: JsonObject; body: JsonObject }, _path: string, now: number) {
  const token = head['tokenType'] === 'TXN_TOKEN' && head['txnToken'] === undefined ? { txnToken: head['token'] } : {}
  const renamed = inOurWords(body)
  if (renamed['cardInfo'] === undefined) return { head: { ...head, ...token } as JsonObject, body: renamed }
  const { cardInfo, card: aside } = cutCard(renamed['cardInfo'], now)
  return { head: { ...head, ...token } as JsonObject, body: { ...renamed, cardInfo }, aside }
}

/** The payer's next step: a form to the bank's page, or the one-time password on the merchant's own page. */
const bankForm = Type.Object({
  redirectForm: Type.Optional(
    Type.Object({
      actionUrl: replied.text,
      method: Type.Enum(['post']),
      headers: Type.Object({}),
      content: Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } }),
    }),
  ),
  pageType: Type.Optional(Type.Enum(['direct'])),
  directForms: Type.Optional(Type.Array(Type.Object({ type: Type.Enum(['otp']), actionUrl: replied.text }))),
})
export const reply = Type.Object({
  txnId: replied.id,
  orderId: fields.orderId,
  txnInfo: Type.Optional(callbackReply),
  callBackUrl: Type.Optional(replied.text),
  bankForm: Type.Optional(bankForm),
  deepLinkInfo: Type.Optional(
    Type.Object({ deepLink: replied.text, orderId: fields.orderId, cashierRequestId: replied.id, transId: replied.id }),
  ),
  transId: Type.Optional(replied.id),
})

/** The next step of the payer's page, or how the payment ended: docs/interface.md section 4.10. */
export async function tellPayment(paid: Paid, ports: Ports): Promise<Reply> {
  const { order, transaction } = paid
  const { txnId, orderId, status } = transaction
  const next = status === 'UNKNOWN' ? null : transaction.next // while no answer has come, the payer may have done the next step already
  const { success, failed } = codes
  const known = { txnId, orderId }
  if (!isInFlight(transaction)) {
    const txnInfo = await callbackFields(paid, ports, isReadableByAll)
    const ended = { ...known, txnInfo, ...(order.callbackUrl && { callBackUrl: order.callbackUrl }) }
    return status === 'SUCCESS' ? { result: success, body: ended } : { result: failed, message: resultOf(transaction).message, body: ended }
  }
  switch (next?.kind) {
    case 'bankForm':
      return {
        result: success,
        body: {
          ...known,
          bankForm: { redirectForm: { ...bankFormOf(next, transaction, ports.publicUrl()), method: 'post', headers: {} } },
        },
      }
    case 'deepLink':
      return {
        result: success,
        body: { ...known, deepLinkInfo: { deepLink: next.deepLink, orderId, cashierRequestId: txnId, transId: txnId } },
      }
    case 'otp':
      return {
        result: success,
        body: {
          ...known,
          bankForm: {
            pageType: 'direct',
            directForms: [{ type: 'otp', actionUrl: `${ports.publicUrl()}${OTP_PATH}` }],
          },
        },
      }
    default:
      return { result: success, body: { ...known, transId: txnId } }
  }
}
