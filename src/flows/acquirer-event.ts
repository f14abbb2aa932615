// A bank tells us that something has become of a key: of a payment, a notice, a debit, a mandate. Nothing of it is believed: the bank is
// asked, now instead of when the schedule has it.

import { recheckCollection } from '../domain/subscription/collection/recheck-collection.ts'
import { recheckEdit } from '../domain/subscription/mandate/apply-edit-result.ts'
import { retryBankCall } from '../domain/subscription/mandate/retry-bank-call.ts'
import { recheckTransaction } from '../domain/transaction/recheck-transaction.ts'
import { askedKey, authorizeKey } from '../domain/transaction/transaction.ts'
import type { TaskRunner } from '../engine/tasks.ts'
import { transactionsOfOrder } from '../tables/keys.ts'
import { find, look } from '../tables/tables.ts'
import { askMandate, askNotice, type MandateParts } from './mandate-due.ts'

const STATUS_INQUIRY_WAITS_MS = 20 // ours: a process that is asking at this moment has had its answer by then
const QUESTIONS_MAX = 256 // ours, docs/acquirer.md: of mandates and notices under way; what comes beyond them the schedule asks
const DAY_FORM = /^\d{8}$/
const ATTEMPT_FORM = /^[1-9]\d{0,2}$/ // the rules of a rail leave a cycle few

/** Begins a question that a call is. */
type Begin = (question: () => Promise<unknown>) => void

/** What it answers resolves before the bank is asked: it may be its only hand that waits for us. `failed` hears of a question that failed. */
export function acquirerEventHandler(
  parts: MandateParts,
  tasks: () => TaskRunner,
  failed: (error: Error) => void,
): (key: string) => Promise<void> {
  let questions = 0
  const begin: Begin = (question) => {
    if (questions >= QUESTIONS_MAX) return
    questions++
    void tasks()
      .follow(question())
      .catch((error: unknown) => failed(error as Error))
      .finally(() => questions--)
  }
  return async (key) => {
    await tasks().follow(parts.clock.sleep(STATUS_INQUIRY_WAITS_MS).then(() => ask(parts, key, begin)))
    tasks().wake()
  }
}

/** The forms of keys: docs/acquirer.md. */
async function ask(parts: MandateParts, key: string, begin: Begin): Promise<unknown> {
  const [mid = '', id = '', what = '', ...more] = key.split(':')
  const { engine, clock } = parts
  const now = clock.now()
  if (DAY_FORM.test(what) && more[0] === 'notify')
    return begin(() => askNotice(parts, { mid, collectionId: `${id}.${what}`, number: Number(more[1]) }))
  if (DAY_FORM.test(what)) return askOfDebit(parts, { mid, collectionId: `${id}.${what}` }, more[0])
  if (what === 'mandate' && more.at(-1) === 'revoke') {
    const attempt = more.length > 1 ? Number(more[0]) : 1
    return engine.submit(retryBankCall, { mid, subscriptionId: id, word: 'revoke', attempt, now, realNow: clock.realNow() })
  }
  if (what === 'mandate') return askOfMandate(parts, { mid, subscriptionId: id }, Number(more[0] ?? 1), begin)
  if (what === 'revoke' || what === 'pause' || what === 'resume') {
    const word = what === 'revoke' ? what : 'pause'
    return engine.submit(retryBankCall, { mid, subscriptionId: id, word, now, realNow: clock.realNow() })
  }
  if (what === 'amend') return engine.submit(recheckEdit, { mid, subscriptionId: id, editId: more[0] ?? '', now })
  return engine.submit(recheckTransaction, { mid, txnId: id, now, realNow: clock.realNow() })
}

/** The collection sweep asks about an attempt in flight. The bank is asked about an earlier attempt of the cycle as about any failed payment. */
async function askOfDebit({ engine, query, clock }: MandateParts, of: { mid: string; collectionId: string }, number = '') {
  const { mid, collectionId } = of
  const now = clock.now()
  const collection = await query.row(look('collections', mid, collectionId))
  const isInFlight = collection?.status === 'IN_FLIGHT' && String(collection.attempts) === number
  if (!collection || isInFlight || !ATTEMPT_FORM.test(number)) return engine.submit(recheckCollection, { mid, collectionId, now })
  const equals = { mid, collectionId, collectionAttempt: Number(number) }
  const [attempt] = await query.rows(find('transactions', { equals, limit: 1 }))
  if (!attempt) return
  return engine.submit(recheckTransaction, { mid, txnId: attempt.txnId, key: authorizeKey(attempt), now, realNow: clock.realNow() })
}

/** Asks about the one that the subscription stands on; else about that of the attempt at the first payment that waits for it, or was given up. */
async function askOfMandate(parts: MandateParts, of: { mid: string; subscriptionId: string }, number: number, begin: Begin) {
  const { engine, query, clock } = parts
  const subscription = await query.row(look('subscriptions', of.mid, of.subscriptionId))
  if (!subscription) return
  if (subscription.status !== 'INIT' && number === (subscription.mandate?.attempt ?? 1)) return begin(() => askMandate(parts, of))
  const attempts = await query.rows(transactionsOfOrder(of.mid, subscription.orderId))
  const registered = attempts.find(({ attempt, paymentMode }) => attempt === number && paymentMode === 'BANK_MANDATE')
  const asked = registered ?? attempts.at(-1)
  if (!asked) return
  const key = askedKey(asked, of.subscriptionId)
  await engine.submit(recheckTransaction, { mid: of.mid, txnId: asked.txnId, key, now: clock.now(), realNow: clock.realNow() })
}
