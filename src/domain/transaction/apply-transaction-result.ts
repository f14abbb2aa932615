// Applies an acquirer's answer to a payment: docs/interface.md section 3. This operation runs under the task that asked. So when two
// processes ask at once, only one answer is applied.

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
  /**
   * With it, one round reads and locks every row that an ordinary payment needs. Requests lock the order before the payment, so a later
   * round for the order could deadlock with them.
   */
  orderId?: string
  answer: AcquirerAnswer
  /** The time of the first inquiry. The task carries it when a clock was wrong: transaction.ts, `begunAt`. */
  from?: number
  reference: Pick<Reference, 'category'>
  now: number
}

/** The rows that an ordinary payment would otherwise read in the second round. */
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
/** Every row that an answer may touch. All operations that apply an answer read these. */
export const rows = { prefetch, reads, readsNext, readsLast }
export type ResultState = First & Next & State<ReturnType<typeof readsLast>>

/** Undefined when the transaction, its order or its merchant does not exist. */
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
      // A result of this attempt does not move a cycle that has gone on without this attempt.
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
