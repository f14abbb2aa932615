// How paying crosses the wire: docs/interface.md sections 4.10 and 4.11. A payment is decided, committed, and only then asked
// of the acquirer, under the lease of the task that would ask again if this process died here.

import type { Acquirer, Means } from '../acquirer/acquirer.ts'
import { registered, registration } from '../acquirer/bank-mandate.ts'
import type { Reply } from '../engine/decision.ts'
import { type Lease, LeaseLost } from '../engine/engine.ts'
import { FIRST_FENCE_MAX, LEASE_MS } from '../engine/tasks.ts'
import type { Edge } from '../http/edge.ts'
import { numberAt, renderSigned } from '../http/render.ts'
import { type Envelope, type EnvelopeRoute, envelopeHandler } from '../http/route.ts'
import type { JsonObject } from '../interface/envelope.ts'
import { operations } from '../interface/operations.ts'
import { processTransaction as codes, directBankRequest as directCodes } from '../interface/result-codes.ts'
import { mandateKey } from '../subscription/collection.ts'
import type { MandateTerms } from '../subscription/consent.ts'
import { look, merchantKey, orderKey, type Row, transactionKey } from '../tables.ts'
import type { Answer } from '../transaction/answer.ts'
import { directBankRequest, wire as directWire } from '../transaction/direct-bank-request.ts'
import { describeInstrument } from '../transaction/instrument.ts'
import { BANK_ACCOUNT, wire as payWire, processTransaction } from '../transaction/process-transaction.ts'
import { settleTransaction } from '../transaction/settle-transaction.ts'
import {
  authorizeKey,
  isInFlight,
  type Payee,
  payeeOf,
  resultOf,
  type Transaction,
  transactionSubject,
} from '../transaction/transaction.ts'
import { callbackFields } from './callback.ts'
import { type CardMeans, cutCard } from './cards.ts'
import { candidatePromocode } from './offer-candidate.ts'

type PayCode = (typeof processTransaction.codes)['success']
type PayRoute = EnvelopeRoute<typeof payWire.head, typeof payWire.body, PayCode>
type PayEnvelope = Envelope<typeof payWire.head, typeof payWire.body>

/** As the latest decision left it, so that nothing of it is read again. */
export interface Paid {
  order: Row<'orders'>
  transaction: Transaction
  payee: Payee
  /** What the payer agrees to with this payment. */
  mandate?: MandateTerms
}

/** Both hosts: the token's name in the head, the router's names of modes, and the card cut out of the body. */
function translate({ head, body }: { head: JsonObject; body: JsonObject }, _path: string, now: number) {
  const token = head['tokenType'] === 'TXN_TOKEN' && head['txnToken'] === undefined ? { txnToken: head['token'] } : {}
  const paymentMode = body['paymentMode'] === 'WALLET' ? 'BALANCE' : body['paymentMode']
  const renamed: JsonObject = { ...body, ...(paymentMode !== undefined && { paymentMode }) }
  if (renamed['cardInfo'] === undefined) return { head: { ...head, ...token } as JsonObject, body: renamed }
  const { cardInfo, ...aside } = cutCard(renamed['cardInfo'], now)
  return { head: { ...head, ...token } as JsonObject, body: { ...renamed, cardInfo }, aside }
}

const payRoute: PayRoute = {
  wire: payWire,
  translate,
  async perform(envelope, edge): Promise<Reply> {
    const { engine, clock, fresh, vault, query, reference } = edge
    const { head, body } = envelope
    const card = envelope.aside as { means?: CardMeans; instrument: Row<'transactions'>['instrument'] } | undefined
    const acquirer = edge.acquirer()
    const order = await query.row(look('orders', body.mid, body.orderId))
    const instrument = describeInstrument(body, card?.instrument ?? {}, reference)
    if ('result' in instrument) return instrument
    const now = clock.now()
    const txnId = numberAt(now, fresh)
    const lease = { fence: Math.floor(fresh.fraction() * FIRST_FENCE_MAX), until: clock.realNow() + LEASE_MS }
    const begun = await engine.submit(processTransaction, {
      request: body,
      txnTokenHash: vault.hash('txnToken', head.txnToken),
      instrument,
      reference,
      promocode: await candidatePromocode(edge, body, order, instrument, now),
      now,
      fresh: { txnId, lease },
    })
    const paid = begun.body as Paid | undefined
    if (!paid) return begun
    // A request that is answered again has begun nothing: what is told is how it stands now.
    if (paid.transaction.txnId !== txnId) return tell(await current(edge, paid), edge)
    if (!isInFlight(paid.transaction)) return tell(paid, edge)
    const work = authorizeNow(edge, acquirer, paid, await meansOf(envelope, card?.means, paid, edge), { ...leaseOf(paid), ...lease })
    return tell(await edge.follow(work), edge)
  },
  render: renderSigned,
}

const leaseOf = ({ transaction }: Paid): Omit<Lease, 'fence'> => ({ task: 'transaction.due', subject: transactionSubject(transaction) })

/** Asks the acquirer and takes its answer over; returns how things stand then. */
async function authorizeNow(edge: Edge, acquirer: Acquirer, paid: Paid, wanted: Wanted, lease: Lease & { until: number }): Promise<Paid> {
  const { transaction, payee, mandate } = paid
  const { mid, txnId, orderId, bankPaise } = transaction
  if (edge.clock.realNow() >= lease.until) return paid // held up for so long that somebody else is asking already
  const returnUrl = `${edge.publicUrl()}/transaction/return?mid=${mid}&txnId=${txnId}`
  if (mandate && wanted.account) {
    const { account, isPaper = false } = wanted
    const call = { ...mandate, mid, merchantName: payee.name, orderId, isPaper, account, returnUrl }
    return settleUnder(edge, paid, await registered(acquirer, call, txnId), lease)
  }
  const { account: _, isPaper: __, ...means } = wanted
  const answer = await acquirer.authorize({
    key: authorizeKey(transaction),
    mid,
    merchantName: payee.name,
    orderId,
    amountPaise: bankPaise,
    returnUrl,
    ...means,
    ...(mandate && { mandate }),
  })
  return settleUnder(edge, paid, answer, lease)
}

async function settleUnder(edge: Edge, paid: Paid, answer: Answer, lease: Lease): Promise<Paid> {
  try {
    return await settle(edge, paid, answer, lease)
  } catch (error) {
    if (error instanceof LeaseLost) return current(edge, paid) // whoever holds it now asks the acquirer himself
    throw error
  }
}

/** Under a lease when a task is being run, without one when the acquirer or the payer has just said something. */
export async function settle(edge: Edge, paid: Paid, answer: Answer, lease?: Lease): Promise<Paid> {
  const { mid, txnId, orderId } = paid.transaction
  const reply = await edge.engine.submit(settleTransaction, { mid, txnId, orderId, answer, now: edge.clock.now() }, lease)
  return (reply.body as Paid | undefined) ?? paid
}

async function current({ query }: Edge, paid: Paid): Promise<Paid> {
  const { mid, txnId, orderId } = paid.transaction
  const rows = [query.row(transactionKey(mid, txnId)), query.row(orderKey(mid, orderId)), query.row(merchantKey(mid))] as const
  const [transaction, order, merchant] = await Promise.all(rows)
  return transaction && order && merchant ? { transaction, order, payee: payeeOf(merchant) } : paid
}

interface Wanted {
  means: Means
  emi?: { tenure: number; planId: string }
  keepCard: boolean
  directOtp: boolean
  /** Of a bank mandate, and nothing is paid with it. */
  account?: Readonly<Record<string, string>>
  isPaper?: boolean
}

/** What has become of a payment that its payer comes back from. */
export async function statusOf(acquirer: Acquirer, { order, transaction }: Paid): Promise<Answer> {
  if (transaction.paymentMode !== 'BANK_MANDATE' || !order.subscriptionId) return acquirer.status(authorizeKey(transaction))
  return registration(acquirer, mandateKey(order.mid, order.subscriptionId), transaction.txnId)
}

async function meansOf({ body }: PayEnvelope, card: CardMeans | undefined, { order }: Paid, { query }: Edge): Promise<Wanted> {
  // A saved card that is paid with again is kept already.
  const keepCard = card?.kind === 'card' && (body.storeInstrument === '1' || body.storeInstrument === 1 || body.storeInstrument === true)
  const [bank, months] = body.planId?.split('|') ?? []
  const emi = body.paymentMode === 'EMI' && bank && months ? { emi: { tenure: Number(months), planId: body.planId! } } : {}
  const wanted = { keepCard, directOtp: body.authMode === 'otp', ...emi }
  switch (body.paymentMode) {
    case 'CREDIT_CARD':
    case 'DEBIT_CARD':
    case 'EMI': {
      if (card?.kind !== 'savedCard') return { means: card!, ...wanted }
      const saved = await query.row(look('savedCards', body.mid, order.custId, body.cardInfo!.savedCardId!))
      return { means: { kind: 'savedCard', token: saved!.card.token, cvv: card.cvv }, ...wanted }
    }
    case 'UPI_INTENT':
      return { means: { kind: 'upiIntent' }, ...wanted }
    case 'UPI':
      if (body.channelCode === 'UPIPUSH') return { means: { kind: 'upiIntent' }, ...wanted }
      if (body.channelCode === 'UPIPUSHEXPRESS')
        return { means: { kind: 'upiPush', ...(body.payerAccount && { vpa: body.payerAccount }) }, ...wanted }
      return { means: { kind: 'upiCollect', vpa: body.payerAccount! }, ...wanted }
    case 'NET_BANKING':
      return { means: { kind: 'netBanking', bank: body.channelCode! }, ...wanted }
    case 'BANK_MANDATE': {
      const subscription = await query.row(look('subscriptions', body.mid, order.subscriptionId!))
      const typed = BANK_ACCOUNT.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]] as const]))
      const bank = body.channelCode === undefined ? {} : { channelCode: body.channelCode }
      const account = { ...subscription?.details.mandateAccountDetails, ...Object.fromEntries(typed), ...bank }
      return { means: { kind: 'account' }, ...wanted, account, isPaper: subscription?.mandateType === 'PAPER_MANDATE' }
    }
    case 'SVC_DIGITAL_CREDIT':
      return { means: { kind: 'postpaid' }, ...wanted }
    default:
      return { means: { kind: 'account' }, ...wanted }
  }
}

// --------------------------------------------------------------------------------------------------------- the answer

/** What the payer's page does next, or how it ended: docs/interface.md section 4.10. */
async function tell(paid: Paid, edge: Edge): Promise<Reply> {
  const { order, transaction } = paid
  const { txnId, orderId, status, next } = transaction
  const { success, failed } = codes
  const known = { txnId, orderId }
  if (!isInFlight(transaction)) {
    const txnInfo = await callbackFields(paid, edge)
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
  translate: ({ head, body }, path, now) => translate({ head, body }, path, now),
  async perform({ head, body }, edge): Promise<Reply> {
    const found = await directBankRequest.answer({ ...body, txnTokenHash: edge.vault.hash('txnToken', head.txnToken) }, edge.query)
    const paid = found.body as Paid | undefined
    if (!paid) return found
    const action = body.requestType === 'submit' ? { type: 'submit' as const, otp: body.otp! } : { type: body.requestType }
    const answer = await edge.acquirer().otp(authorizeKey(paid.transaction), action)
    if (answer.outcome === 'wrongOtp') return { result: directCodes.wrongOtp }
    const { result, message, ...told } = await tell(await settle(edge, paid, answer), edge)
    return {
      ...told,
      result: result.name === 'failed' ? directCodes.failed : directCodes.success,
      ...(message !== undefined && { message }),
    }
  },
  render: renderSigned,
}

export const payHandlers = (edge: Edge) => ({
  processTransaction: envelopeHandler(payRoute, edge),
  directBankRequest: envelopeHandler(directRoute, edge),
})
