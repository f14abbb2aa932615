// What an acquirer answered, taken over: docs/interface.md section 3. Made under the task that asked, so that of two who
// asked at once only one is heard.

import { dayEnds } from '../../engine/clock.ts'
import { operation, refuse, type State } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import type { Reference } from '../../reference/reference.ts'
import {
  collectionKey,
  merchantKey,
  newCustomerKey,
  orderKey,
  redemptionKey,
  savedCardKey,
  subscriptionKey,
  transactionKey,
} from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'
import { collectionReads, notificationReads } from '../notification/notification.ts'
import { counterReads } from '../promotion/redemption.ts'
import { notifyOfMoves, recipientKeys } from '../subscription/mandate-notifications.ts'
import { outcomeRules } from '../subscription/outcome-rules.ts'
import type { AcquirerAnswer } from './acquirer-answer.ts'
import { savedCardIdOf } from './capture.ts'
import { begunAt, payeeOf } from './transaction.ts'
import { outcomeOf } from './transaction-outcome.ts'

const codes = ownCodes('applyTransactionResult', 'applied', 'gone')

export interface ApplyTransactionResult {
  mid: string
  txnId: string
  /** Where it is known, all that an ordinary payment needs is read in one round. */
  orderId?: string
  answer: AcquirerAnswer
  /** What the task carries when a clock was wrong: transaction.ts, begunAt. */
  from?: number
  reference: Pick<Reference, 'category'>
  now: number
}

/** What the second round names for an ordinary payment. */
function prefetch({ mid, orderId }: ApplyTransactionResult) {
  if (orderId === undefined) return []
  const { merchantStream, peonStream } = notificationReads(mid, orderId)
  return [orderKey(mid, orderId), merchantStream, peonStream]
}
const reads = ({ mid, txnId }: ApplyTransactionResult) => ({
  merchant: merchantKey(mid),
  transaction: transactionKey(mid, txnId),
  redemption: redemptionKey(mid, txnId),
})
type First = State<ReturnType<typeof reads>>
const readsNext = ({ mid }: ApplyTransactionResult, { transaction, redemption }: First) => ({
  order: transaction && orderKey(mid, transaction.orderId),
  customer: transaction?.payer ? newCustomerKey(transaction.payer.mobile) : undefined,
  ...(redemption ? counterReads(mid, redemption.promocode, redemption.custId) : {}),
  ...(transaction && transaction.collectionId === null ? notificationReads(mid, transaction.orderId) : {}),
  collection: transaction?.collectionId ? collectionKey(mid, transaction.collectionId) : undefined,
})
type Next = State<ReturnType<typeof readsNext>>
const readsLast = ({ answer }: ApplyTransactionResult, { order, transaction }: First & Next) => ({
  savedCard:
    order && transaction && answer.outcome === 'success' && answer.cardToken !== undefined ? keptCard(order, transaction) : undefined,
  subscription: order?.subscriptionId ? subscriptionKey(order.mid, order.subscriptionId) : undefined,
  ...(order?.consentOrderId ? collectionReads(order.mid, order.consentOrderId) : {}),
  ...recipientKeys(order),
})
/** Every row that an answer may touch, whichever way it came. */
export const rows = { prefetch, reads, readsNext, readsLast }
export type ResultState = First & Next & State<ReturnType<typeof readsLast>>

/** What the answer makes of them; undefined when there is nothing that it could be about. */
export function takenOver({ answer, from, reference, now }: ApplyTransactionResult, state: ResultState) {
  const { transaction, redemption, order, merchant, customer, subscription, savedCard, collection, ...more } = state
  if (!transaction || !order || !merchant) return undefined
  const { everybody, ofCustomer, merchantStream, peonStream, callbackStream } = more as Partial<typeof more>
  const paying = {
    order,
    transaction,
    merchant,
    customer,
    redemption,
    savedCard,
    rules: outcomeRules({
      subscription,
      // A cycle that has gone on without this attempt is not moved by what is heard of it.
      collection: collection?.txnId === transaction.txnId && collection.status === 'IN_FLIGHT' ? collection : undefined,
      category: reference.category(merchant.mcc),
    }),
    everybody,
    ofCustomer,
    merchantStream,
    peonStream,
    callbackStream,
    windowEndsAt: collection && dayEnds(collection.windowTo),
    firstAskedAt: begunAt(transaction, from, now),
  }
  const { changes, events, tasks, ...after } = outcomeOf(paying, answer, now)
  return { body: { order: after.order, transaction: after.transaction, payee: payeeOf(merchant) }, changes, events, tasks }
}

export const applyTransactionResult = operation({
  name: 'applyTransactionResult',
  codes,
  ...rows,
  decide(command, state) {
    const taken = takenOver(command, state)
    if (!taken) return refuse(codes.gone)
    const { body, ...writes } = taken
    return notifyOfMoves(state, command.now, { reply: { result: codes.applied, body }, ...writes })
  },
})

function keptCard({ mid, custId }: Row<'orders'>, { instrument }: Row<'transactions'>) {
  const savedCardId = savedCardIdOf(instrument)
  return savedCardId === undefined ? undefined : savedCardKey(mid, custId, savedCardId)
}
