// `collection.due` and `subscription.due`: what mandates do by themselves. A look only decides (subscription/take-up-collection.ts);
// the calls that it names are made afterwards, in places of their own, and what is answered is decided again.

import type { Clock } from '../engine/clock.ts'
import type { Query, Reply } from '../engine/decision.ts'
import type { Engine } from '../engine/engine.ts'
import type { Fresh } from '../engine/fresh.ts'
import type { Sweep } from '../engine/tasks.ts'
import { type Payers, worded } from '../messenger/payer-message.ts'
import { railOfSubscription } from '../subscription/open-cycle.ts'
import { mobileOf } from '../subscription/payer-message.ts'
import { sendAgain } from '../subscription/send-again.ts'
import { settleMandate } from '../subscription/settle-mandate.ts'
import { settleNotice } from '../subscription/settle-notice.ts'
import type { Subscription } from '../subscription/subscription.ts'
import { type TakenUp, takeUpCollection, type Work } from '../subscription/take-up-collection.ts'
import { type Woken, wakeSubscription } from '../subscription/wake-subscription.ts'
import { collectionsDue, find, look, type Row, subscriptionsToWake } from '../tables.ts'
import type { Answer } from '../transaction/answer.ts'
import type { Reference } from '../transaction/reference.ts'
import { settleTransaction } from '../transaction/settle-transaction.ts'
import type { Acquirer, NoticeAnswer } from './acquirer.ts'
import { askMandate } from './mandate-due.ts'

const PLACES = 256 // ours: calls for mandates under way in one process, apart from payments
const WOKEN_AT_ONCE = 500 // ours: of one look

export interface CollectorParts {
  engine: Pick<Engine, 'submit'>
  query: Query
  clock: Clock
  fresh: Fresh
  reference: Reference
  acquirer(): Acquirer
  payers: Payers
  follow<T>(work: Promise<T>): Promise<T>
  /** A number that sorts by its time, as transactions have. */
  number(): string
  /** Nobody hears of what goes wrong here but the operator; the work is found again by its time. */
  failed(error: Error): void
}

/** `collection.due`: notices, debits, questions and ends, as many as there are free places. */
export function collector(parts: CollectorParts): Sweep {
  const { engine, query, reference, number } = parts
  let underWay = 0
  return {
    name: 'collection.due',
    nextDue: async () =>
      (await query.rows(find('collections', { atMost: { nextAt: NEVER }, orderBy: ['nextAt'], limit: 1 })))[0]?.nextAt ?? undefined,
    async run(now) {
      const due = PLACES > underWay ? await query.rows(collectionsDue(now, PLACES - underWay)) : []
      const replies = await Promise.all(
        due.map(({ mid, collectionId }) =>
          engine.submit(takeUpCollection, { mid, collectionId, reference, now, fresh: { txnId: number(), noticeId: number() } }),
        ),
      )
      for (const reply of replies as Reply<never, Partial<TakenUp>>[]) {
        const { work, subscription } = reply.body ?? {}
        if (!work || !subscription) continue
        underWay++
        void parts
          .follow(perform(parts, { work, subscription, order: reply.body?.order }))
          .catch((error: unknown) => parts.failed(error as Error))
          .finally(() => underWay--)
      }
      return due.length
    },
  }
}
const NEVER = Number.MAX_SAFE_INTEGER

/** Makes the call, and submits what is answered. */
async function perform(parts: CollectorParts, taken: TakenUp): Promise<void> {
  if (taken.work.kind === 'notify') await notify(parts, taken, taken.work)
  else await collect(parts, taken, taken.work)
}

async function notify(parts: CollectorParts, { subscription }: TakenUp, work: Extract<Work, { kind: 'notify' }>) {
  const { engine, clock, query, reference, acquirer, payers } = parts
  const { mid } = subscription
  const [notice, merchant, order] = await Promise.all([
    query.row(look('notices', mid, work.noticeId)),
    query.row(look('merchants', mid)),
    query.row(look('orders', mid, subscription.orderId)),
  ])
  if (!notice || !merchant) return
  const { noticeId } = notice
  const isOfWallet = railOfSubscription(subscription) === 'WALLET'
  const answer = isOfWallet
    ? await tellWallet(payers, { subscription, merchant, order, notice, key: work.key })
    : await tellBank(acquirer(), subscription, work)
  const outcome = answer.outcome === 'absent' ? 'unknown' : answer.outcome
  const category = reference.category(merchant.mcc)
  await engine.submit(settleNotice, { mid, collectionId: notice.collectionId, noticeId, outcome, category, now: clock.now() })
  // Its payer may have withdrawn or paused the mandate at his bank, and nobody has told us.
  if (outcome === 'failure' && !isOfWallet) await askMandate(parts, subscription)
}

async function tellBank({ mandates }: Acquirer, { mandate }: Subscription, work: Extract<Work, { kind: 'notify' }>): Promise<NoticeAnswer> {
  if (!mandates) return { outcome: 'unknown' }
  const { key, amountPaise, debitDate, reason, isFirst } = work
  const send = () => mandates.notify({ key, mandateReference: mandate?.reference ?? '', amountPaise, debitDate, reason })
  const answer = isFirst ? await send() : await mandates.noticeStatus(key)
  return answer.outcome === 'absent' ? send() : answer
}

interface WalletNotice {
  subscription: Subscription
  merchant: Row<'merchants'>
  order: Row<'orders'> | undefined
  notice: Row<'notices'>
  key: string
}

/** No bank knows of a wallet: our message is the notice, and it has succeeded when the messenger took it. Sent again it has the same key. */
async function tellWallet(payers: Payers, { subscription, merchant, order, notice, key }: WalletNotice): Promise<NoticeAnswer> {
  const mobile = mobileOf(subscription, order)
  if (mobile === undefined || payers.messenger === undefined) return { outcome: 'failure' }
  const { amountPaise, debitDate: date, collectionId: reference } = notice
  const message = worded(key, { kind: 'pre-debit', mobile, merchant: merchant.name, amountPaise, date, reference }, payers)
  const delivery = await payers.messenger.deliver(message)
  if (delivery === 'delivered') return { outcome: 'success', reference: key }
  return { outcome: delivery === 'refused' ? 'failure' : 'unknown' }
}

async function collect(
  { engine, clock, query, reference, acquirer }: CollectorParts,
  { subscription, order }: TakenUp,
  work: Extract<Work, { kind: 'collect' }>,
) {
  const { mid, mandate } = subscription
  const { key, txnId, amountPaise, notifyKey, attempt, authenticated, isFirst } = work
  const bank = acquirer()
  const ask = (): Promise<Answer> =>
    bank.mandates!.collect({
      ...{ key, mid, amountPaise, attempt, orderId: order!.orderId },
      mandateReference: mandate?.reference ?? '',
      ...(notifyKey !== undefined && { notifyKey }),
      authenticated,
    })
  const answer: Answer = !bank.mandates ? { outcome: 'unknown' } : isFirst ? await ask() : await bank.status(key)
  if (answer.outcome === 'absent') {
    const transaction = await query.row(look('transactions', mid, txnId))
    if (transaction?.collectionId) await engine.submit(sendAgain, { mid, collectionId: transaction.collectionId, txnId, now: clock.now() })
    return
  }
  await engine.submit(settleTransaction, { mid, txnId, answer, now: clock.now() })
  // The subscription has ended with it; its other cycles do so too.
  if (answer.outcome === 'failure' && answer.failure === 'mandateRevoked')
    await engine.submit(settleMandate, {
      mid,
      subscriptionId: subscription.subscriptionId,
      outcome: 'revoked',
      reference,
      now: clock.now(),
    })
}

/** `subscription.due`: starts, expiries, and mandates that their banks have not decided on. */
export const waking = (parts: Omit<CollectorParts, 'number' | 'payers'>): Sweep => ({
  name: 'subscription.due',
  nextDue: async () =>
    (await parts.query.rows(find('subscriptions', { atMost: { wakesAt: NEVER }, orderBy: ['wakesAt'], limit: 1 })))[0]?.wakesAt ??
    undefined,
  async run(now) {
    const { engine, query, reference } = parts
    const due = await query.rows(subscriptionsToWake(now, WOKEN_AT_ONCE))
    const replies = await Promise.all(
      due.map(({ mid, subscriptionId }) => engine.submit(wakeSubscription, { mid, subscriptionId, reference, now })),
    )
    for (const { body } of replies as Reply<never, Woken>[])
      if (body?.asks) void parts.follow(askMandate(parts, body.asks)).catch((error: unknown) => parts.failed(error as Error))
    return due.length
  },
})
