// Makes the calls that the decision on a cycle has named (domain/subscription/collection/advance-collection.ts), after its commit. Another
// decision applies the answers. When the bank takes many debits in one call, the debits of a portion go in one call. Their answers make one
// batch again.

import { type Acquirer, COLLECTS_AT_ONCE_MAX, type Collect, type NoticeAnswer } from '../adapters/acquirer/acquirer.ts'
import { advanceCollection } from '../domain/subscription/collection/advance-collection.ts'
import type { ClaimedCycle, Work } from '../domain/subscription/collection/due-cycle.ts'
import { railOfSubscription } from '../domain/subscription/collection/open-cycle.ts'
import { requeueAttempt } from '../domain/subscription/collection/requeue-attempt.ts'
import { applyMandateStatus } from '../domain/subscription/mandate/apply-mandate-status.ts'
import { codeMobileOf, type Facts } from '../domain/subscription/payer-message.ts'
import { applyNoticeResult } from '../domain/subscription/pre-notification/apply-notice-result.ts'
import { type AcquirerAnswer, UNKNOWN } from '../domain/transaction/acquirer-answer.ts'
import { applyTransactionResult } from '../domain/transaction/apply-transaction-result.ts'
import type { Clock } from '../engine/clock.ts'
import type { Engine } from '../engine/engine.ts'
import { askMandate, askNotice, authenticationIn, type MandateParts } from './mandate-due.ts'
import { type Payers, reachesPayer, withLink, worded } from './payer-message-due.ts'

export interface CollectingParts extends MandateParts {
  engine: Pick<Engine, 'submit'>
  clock: Clock
  payers: Payers
  /** A number that sorts by its time, as a txnId does. */
  number(): string
}

export const isClaimedCycle = (body: Partial<ClaimedCycle> | undefined): body is ClaimedCycle => body?.work !== undefined

type Noticing = ClaimedCycle & { work: Extract<Work, { kind: 'notify' }> }
type AskingPayer = ClaimedCycle & { work: Extract<Work, { kind: 'askPayer' }> }
type Debiting = ClaimedCycle & { work: Extract<Work, { kind: 'collect' }> }

export interface CollectionCall {
  cycles: number
  make(): Promise<void>
}

/** The calls of a portion: one for each notice and each question. If the bank takes many debits, one call has up to 256. */
export async function callsOf(parts: CollectingParts, portion: readonly ClaimedCycle[]): Promise<readonly CollectionCall[]> {
  const debits: Debiting[] = []
  const calls: CollectionCall[] = []
  const one = (make: () => Promise<void>) => void calls.push({ cycles: 1, make })
  for (const taken of portion) {
    if (isNoticing(taken)) one(() => notify(parts, taken))
    else if (isAskingPayer(taken)) one(() => askPayer(parts, taken))
    else if (isDebiting(taken) && taken.work.isFirst) debits.push(taken)
    else if (isDebiting(taken)) one(() => ask(parts, taken))
  }
  const takesMany = debits.length > 1 && (await parts.acquirer().mandates?.takesMany()) === true
  if (!takesMany) for (const taken of debits) one(() => collect(parts, taken))
  for (let at = 0; takesMany && at < debits.length; at += COLLECTS_AT_ONCE_MAX) {
    const together = debits.slice(at, at + COLLECTS_AT_ONCE_MAX)
    calls.push({ cycles: together.length, make: () => collectMany(parts, together) })
  }
  return calls
}

const isNoticing = (taken: ClaimedCycle): taken is Noticing => taken.work.kind === 'notify'
const isAskingPayer = (taken: ClaimedCycle): taken is AskingPayer => taken.work.kind === 'askPayer'
const isDebiting = (taken: ClaimedCycle): taken is Debiting => taken.work.kind === 'collect'

// -------------------------------------------------------------------------------------------------------------- notices

async function notify(parts: CollectingParts, taken: Noticing) {
  const { engine, clock, reference, acquirer } = parts
  const { subscription, merchant, work } = taken
  const { mid, noticeId, collectionId } = work.notice
  const isOfWallet = railOfSubscription(subscription) === 'WALLET'
  const answer = isOfWallet ? await tellWallet(parts, taken, clock.now()) : await tellBank(acquirer(), taken, clock)
  const outcome = answer.outcome === 'absent' ? 'unknown' : answer.outcome
  const said = { outcome, authentication: authenticationIn(answer), category: reference.category(merchant.mcc) }
  await engine.submit(applyNoticeResult, { mid, collectionId, noticeId, ...said, now: clock.now() })
  // The payer may have withdrawn or paused the mandate at their bank, and no report of it came.
  if (outcome === 'failure' && !isOfWallet) await askMandate(parts, subscription)
}

/** A notice is sent again unchanged. A notice that is too late for its own day is not sent. It has failed, and leaves room for another. */
async function tellBank({ mandates }: Acquirer, { subscription, work }: Noticing, clock: Clock): Promise<NoticeAnswer> {
  if (!mandates) return UNKNOWN
  const { key, isFirst, notice, authenticationNeeded, until } = work
  const { amountPaise, debitDate, content } = notice
  const mandateReference = subscription.mandate?.reference ?? ''
  const send = () => mandates.notify({ key, mandateReference, amountPaise, debitDate, reason: content.txnMessage, authenticationNeeded })
  const answer = isFirst ? await send() : await mandates.noticeStatus(key)
  if (answer.outcome !== 'absent') return answer
  return clock.now() < until ? send() : { outcome: 'failure' }
}

/**
 * No bank knows of a wallet, so Mohur's message is the notice. The notice has succeeded when the messenger accepted the message. It fails
 * when it would reach a new owner of the number. A message that is sent again has the same key.
 */
async function tellWallet(
  { payers, query }: CollectingParts,
  { subscription, merchant, first, work }: Noticing,
  now: number,
): Promise<NoticeAnswer> {
  const mobile = codeMobileOf(subscription, first)
  if (mobile === undefined || payers.messenger === undefined || now >= work.until) return { outcome: 'failure' }
  const { amountPaise, debitDate: date, collectionId: reference } = work.notice
  const { mid, subscriptionId } = subscription
  const facts: Facts = {
    ...{ kind: 'pre-debit', mobile, merchant: merchant.name, amountPaise, date, reference, paymentMode: 'BALANCE' },
    ...{ mandate: { mid, subscriptionId }, ...(work.authenticationNeeded && { isApprovalNeeded: true }) },
  }
  if (!(await reachesPayer(facts, query))) return { outcome: 'failure' }
  const message = worded(work.key, await withLink(facts, payers), payers)
  const delivery = await payers.messenger.deliver(message)
  if (delivery === 'delivered') return { outcome: 'success', reference: work.key }
  return { outcome: delivery === 'refused' ? 'failure' : 'unknown' }
}

/** Asks the payer's bank whether the payer has approved a debit. After the bank's answer the cycle is decided again. */
async function askPayer(parts: CollectingParts, { subscription, work }: AskingPayer) {
  const { engine, clock, reference, number } = parts
  const { collectionId, until } = work
  const { mid } = subscription
  const isAnswered = await askNotice(parts, { mid, collectionId, number: work.number })
  const fresh = { txnId: number(), noticeId: number() }
  const { body } = await engine.submit(advanceCollection, {
    ...{ mid, collectionId, reference, asked: { until, isAnswered }, now: clock.now(), fresh },
  })
  if (isClaimedCycle(body)) for (const { make } of await callsOf(parts, [body])) await make()
}

// --------------------------------------------------------------------------------------------------------------- debits

/**
 * False when the process stood still for too long after its decision. Another process may have asked since, and learned that there is no
 * such debit.
 */
const mayBeSent = ({ clock }: CollectingParts, { work }: Debiting) => clock.now() < work.until

async function collect(parts: CollectingParts, taken: Debiting) {
  if (!mayBeSent(parts, taken)) return
  const answer = await parts.acquirer().mandates?.collect(callOf(taken))
  await applyResult(parts, taken, answer ?? UNKNOWN)
}

async function collectMany(parts: CollectingParts, all: readonly Debiting[]) {
  const together = all.filter((taken) => mayBeSent(parts, taken))
  if (together.length === 0) return
  const answers = (await parts.acquirer().mandates?.collectMany?.(together.map(callOf))) ?? []
  const applied = await Promise.allSettled(together.map((taken, at) => applyResult(parts, taken, answers[at] ?? UNKNOWN)))
  for (const each of applied) if (each.status === 'rejected') throw each.reason
}

async function ask(parts: CollectingParts, taken: Debiting) {
  const bank = parts.acquirer()
  await applyResult(parts, taken, bank.mandates ? await bank.status(taken.work.key) : UNKNOWN)
}

const callOf = ({ subscription, order, work }: Debiting): Collect => ({
  key: work.key,
  mandateReference: subscription.mandate?.reference ?? '',
  mid: subscription.mid,
  orderId: order!.orderId,
  amountPaise: work.amountPaise,
  ...(work.notifyKey !== undefined && { notifyKey: work.notifyKey }),
  attempt: work.attempt,
  authenticated: work.authenticated,
})

async function applyResult({ engine, clock, reference }: CollectingParts, { subscription, work }: Debiting, answer: AcquirerAnswer) {
  const { mid, subscriptionId } = subscription
  const { txnId, collectionId } = work
  if (answer.outcome === 'absent') return void (await engine.submit(requeueAttempt, { mid, collectionId, txnId, now: clock.now() }))
  // The subscription ends first, and its other cycles with it. The debit in flight ends by its own result, even after a crash in between.
  if (answer.outcome === 'failure' && answer.failure === 'mandateRevoked')
    await engine.submit(applyMandateStatus, { mid, subscriptionId, outcome: 'revoked', reference, now: clock.now() })
  await engine.submit(applyTransactionResult, { mid, txnId, answer, reference, now: clock.now() })
}
