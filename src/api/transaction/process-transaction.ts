// How paying crosses the wire: docs/interface.md sections 4.10 and 4.11. The payment itself is in paying.ts.

import {
  type DirectBankRequest,
  directBankRequest,
  wire as directWire,
  waitingForOtp,
} from '../../domain/transaction/direct-bank-request.ts'
import { wire as payWire, type processTransaction } from '../../domain/transaction/process-transaction.ts'
import { authorizeKey, isInFlight, isReadableByAll, payablePaise, resultOf } from '../../domain/transaction/transaction.ts'
import type { Reply } from '../../engine/decision.ts'
import type { Edge } from '../../flows/edge.ts'
import { type Attempt, type Paid, pay } from '../../flows/pay.ts'
import { renderSigned } from '../../http/render.ts'
import { type Envelope, type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { serializeByKey } from '../../http/serialize-by-key.ts'
import type { JsonObject } from '../../interface/envelope.ts'
import { toRupees } from '../../interface/money.ts'
import { operations, pagePaths } from '../../interface/operations.ts'
import { processTransaction as codes, directBankRequest as directCodes } from '../../interface/result-codes.ts'
import { cutCard } from '../card/card-input.ts'
import { callbackFields } from './callback-form.ts'

type PayCode = (typeof processTransaction.codes)['success']
type PayRoute = EnvelopeRoute<typeof payWire.head, typeof payWire.body, PayCode>

/** Both hosts: the token's name in the head, the router's names of modes, and the card cut out of the body. */
function translate({ head, body }: { head: JsonObject; body: JsonObject }, _path: string, now: number) {
  const token = head['tokenType'] === 'TXN_TOKEN' && head['txnToken'] === undefined ? { txnToken: head['token'] } : {}
  const paymentMode = body['paymentMode'] === 'WALLET' ? 'BALANCE' : body['paymentMode']
  const renamed: JsonObject = { ...body, ...(paymentMode !== undefined && { paymentMode }) }
  if (renamed['cardInfo'] === undefined) return { head: { ...head, ...token } as JsonObject, body: renamed }
  const { cardInfo, card: aside } = cutCard(renamed['cardInfo'], now)
  return { head: { ...head, ...token } as JsonObject, body: { ...renamed, cardInfo }, aside }
}

const payRoute: PayRoute = {
  wire: payWire,
  translate,
  async perform({ head, body, aside }, edge): Promise<Reply> {
    const by = { txnTokenHash: edge.vault.hash('txnToken', head.txnToken) }
    const tried = await pay(edge, { request: body, by, card: aside as Attempt['card'] })
    if ('refusal' in tried) return tried.refusal
    const { body: told, ...reply } = await tell(tried.paid, edge)
    return { ...reply, body: { ...told, ...waitingPage(tried.paid, head, edge) } }
  },
  render: renderSigned,
}

/** A browser that has nothing to do but wait for a UPI app may do so on our page: where the head says that it is one. */
function waitingPage({ transaction }: Paid, { channelId, txnToken }: { channelId?: string; txnToken: string }, { publicUrl }: Edge) {
  const { mid, orderId, txnId, next, instrument } = transaction
  if (next?.kind !== 'collect' || (channelId !== 'WEB' && channelId !== 'WAP')) return {}
  const actionUrl = `${publicUrl()}${pagePaths.upiPollPage}?${new URLSearchParams({ mid, orderId })}`
  const txnAmount = toRupees(payablePaise(transaction))
  const content = { CHANNEL: channelId, externalSrNo: txnId, payerVpa: instrument.vpa ?? '', txnAmount, txnToken }
  return { bankForm: { redirectForm: { actionUrl, method: 'post', headers: {}, content } } }
}

// --------------------------------------------------------------------------------------------------------- the answer

/** What the payer's page does next, or how it ended: docs/interface.md section 4.10. */
async function tell(paid: Paid, edge: Edge): Promise<Reply> {
  const { order, transaction } = paid
  const { txnId, orderId, status } = transaction
  const next = status === 'UNKNOWN' ? null : transaction.next // where nobody has answered, what was to be done may be done already
  const { success, failed } = codes
  const known = { txnId, orderId }
  if (!isInFlight(transaction)) {
    const txnInfo = await callbackFields(paid, edge, isReadableByAll)
    const ended = { ...known, txnInfo, ...(order.callbackUrl && { callBackUrl: order.callbackUrl }) }
    return status === 'SUCCESS' ? { result: success, body: ended } : { result: failed, message: resultOf(transaction).message, body: ended }
  }
  switch (next?.kind) {
    case 'bankForm':
      return {
        result: success,
        body: { ...known, bankForm: { redirectForm: { actionUrl: next.actionUrl, method: 'post', headers: {}, content: next.content } } },
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
            directForms: [{ type: 'otp', actionUrl: `${edge.publicUrl()}${operations.directBankRequest.paths[0]}` }],
          },
        },
      }
    default:
      return { result: success, body: { ...known, transId: txnId } }
  }
}

// ----------------------------------------------------------------------------------------------------- the bank's OTP

type DirectRoute = EnvelopeRoute<typeof directWire.head, typeof directWire.body, (typeof directBankRequest.codes)['success']>

const directRoute: DirectRoute = {
  wire: directWire,
  translate,
  async perform(envelope, edge): Promise<Reply> {
    const { mid, orderId } = envelope.body
    // Of a request that was answered before the bank is not asked again: what is submitted finds that answer.
    const said = edge.isAnswered ? { refusal: { result: directCodes.noTransaction } } : await askBank(envelope, edge)
    const decided = await edge.engine.submit(directBankRequest, { mid, orderId, said, reference: edge.reference, now: edge.clock.now() })
    const paid = decided.body as Paid | undefined
    if (!paid) return decided
    const { result, message, ...told } = await tell(paid, edge)
    return {
      ...told,
      result: result.name === 'failed' ? directCodes.failed : directCodes.success,
      ...(message !== undefined && { message }),
    }
  },
  render: renderSigned,
}

async function askBank(
  { head, body }: Envelope<typeof directWire.head, typeof directWire.body>,
  edge: Edge,
): Promise<DirectBankRequest['said']> {
  const { vault, query, occasion } = edge
  const found = await waitingForOtp.answer({ ...body, txnTokenHash: vault.hash('txnToken', head.txnToken) }, query)
  const transaction = found.body?.transaction
  if (!transaction) return { refusal: found }
  const key = authorizeKey(transaction)
  const action = body.requestType === 'submit' ? { type: body.requestType, otp: body.otp! } : { type: body.requestType }
  // Another process, or this one after a crash, may be asked the same again: to the bank it is the same call then.
  const call = occasion === undefined ? undefined : vault.hash('otpCall', `${key} ${occasion}`)
  return { txnId: transaction.txnId, answer: await edge.acquirer().otp(key, action, call) }
}

export const payHandlers = (edge: Edge) => ({
  processTransaction: envelopeHandler(payRoute, edge),
  directBankRequest: serializeByKey(envelopeHandler(directRoute, edge)),
})
