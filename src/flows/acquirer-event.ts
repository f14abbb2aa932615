// The bank reports news about the key of a payment, a notice, a debit or a mandate. The service does not believe the report. It asks the
// bank now, before the schedule would.

import { recheckCollection } from '../domain/subscription/collection/recheck-collection.ts'
import { recheckEdit } from '../domain/subscription/mandate/apply-edit-result.ts'
import { retryBankCall } from '../domain/subscription/mandate/retry-bank-call.ts'
import { type RecheckTransaction, recheckTransaction } from '../domain/transaction/recheck-transaction.ts'
import { askedKey, authorizeKey, transactionSubject } from '../domain/transaction/transaction.ts'
import type { TaskRunner } from '../engine/tasks.ts'
import { transactionsOfOrder } from '../tables/keys.ts'
import { find, look } from '../tables/tables.ts'
import { askMandate, askNotice, type MandateParts } from './mandate-due.ts'

const STATUS_INQUIRY_WAITS_MS = 20 // Mohur's choice: a process that is asking the bank has its answer after this time
const BUSY_WAIT_MS = 2_000 // Mohur's choice: most queries are over by then, and a stop waits no longer
const QUESTIONS_MAX = 256 // Mohur's choice, docs/acquirer.md: about mandates and notices, under way at once; the schedule asks the rest
const WAITS_MAX = 256 // Mohur's choice, docs/acquirer.md: for queries under way; the schedule asks the rest
const LIMITS_MET_MAX = 3 // Mohur's choice: a limit of the acquirer's lasts a minute at most
const DAY_FORM = /^\d{8}$/
const ATTEMPT_FORM = /^[1-9]\d{0,2}$/ // the rules of a rail leave a cycle few attempts

/** Begins a question that calls the bank itself, or one that waits first. */
type Begin = (question: () => Promise<unknown>) => void
type Begins = Readonly<Record<'begin' | 'later', Begin>>

/**
 * The handler resolves before the service asks the bank, because the bank's only worker may be waiting for it. `failed` gets the error of a
 * failed question.
 */
export function acquirerEventHandler(
  parts: MandateParts,
  tasks: () => TaskRunner,
  failed: (error: Error) => void,
): (key: string, reported?: string) => Promise<void> {
  const bounded = (max: number): Begin => {
    let underWay = 0
    return (question) => {
      if (underWay >= max) return
      underWay++
      void tasks()
        .follow(question())
        .catch((error: unknown) => failed(error as Error))
        .finally(() => underWay--)
    }
  }
  const begins: Begins = { begin: bounded(QUESTIONS_MAX), later: bounded(WAITS_MAX) }
  return async (key, reported) => {
    await tasks().follow(parts.clock.sleep(STATUS_INQUIRY_WAITS_MS).then(() => ask(parts, { key, reported }, begins)))
    tasks().wake()
  }
}

/** The forms of keys: docs/acquirer.md. */
async function ask(
  parts: MandateParts,
  { key, reported }: { key: string; reported?: string | undefined },
  begins: Begins,
): Promise<unknown> {
  const { begin } = begins
  const [mid = '', id = '', what = '', ...more] = key.split(':')
  const { engine, clock } = parts
  const now = clock.now()
  if (DAY_FORM.test(what) && more[0] === 'notify')
    return begin(() => askNotice(parts, { mid, collectionId: `${id}.${what}`, number: Number(more[1]) }))
  if (DAY_FORM.test(what)) return askOfDebit(parts, { mid, collectionId: `${id}.${what}` }, more[0] ?? '', begins)
  if (what === 'mandate' && more.at(-1) === 'revoke') {
    const attempt = more.length > 1 ? Number(more[0]) : 1
    return engine.submit(retryBankCall, { mid, subscriptionId: id, word: 'revoke', attempt, now, realNow: clock.realNow() })
  }
  if (what === 'mandate') return askOfMandate(parts, { mid, subscriptionId: id }, Number(more[0] ?? 1), begins)
  if (what === 'revoke' || what === 'pause' || what === 'resume') {
    const word = what === 'revoke' ? what : 'pause'
    return engine.submit(retryBankCall, { mid, subscriptionId: id, word, now, realNow: clock.realNow() })
  }
  if (what === 'amend') return engine.submit(recheckEdit, { mid, subscriptionId: id, editId: more[0] ?? '', now })
  return askOfPayment(parts, { mid, txnId: id, ...(reported !== undefined && { reported }) }, begins)
}

/** A process may be asking the bank already, and its answer may be older than the report. Then the service tries once more. */
async function askOfPayment(
  { engine, clock, acquirer }: MandateParts,
  of: Pick<RecheckTransaction, 'mid' | 'txnId' | 'key' | 'reported'>,
  { begin, later }: Begins,
) {
  const { busy, paidOtherwise } = recheckTransaction.codes
  // The adapter reports two successes of one key to a person. The payment in the books stays as it is, and no task asks about it.
  const lookAgain = async (left: number): Promise<void> => {
    const answer = await acquirer().status(of.key ?? transactionSubject(of))
    if (answer.outcome !== 'unknown' || answer.retryAfterMs === undefined || left === 0) return
    // A stop does not wait for so long.
    const stop = clock.every(answer.retryAfterMs, () => {
      stop()
      begin(() => lookAgain(left - 1))
    })
  }
  const recheck = async () => {
    const { result } = await engine.submit(recheckTransaction, { ...of, now: clock.now(), realNow: clock.realNow() })
    if (result === paidOtherwise) begin(() => lookAgain(LIMITS_MET_MAX))
    return result
  }
  if ((await recheck()) === busy) later(() => clock.sleep(BUSY_WAIT_MS).then(recheck))
}

/**
 * The collection sweep asks about an attempt in flight. For an earlier attempt of the cycle, the service asks the bank as for any failed
 * payment.
 */
async function askOfDebit(parts: MandateParts, of: { mid: string; collectionId: string }, number: string, begins: Begins) {
  const { engine, query, clock } = parts
  const { mid, collectionId } = of
  const now = clock.now()
  const collection = await query.row(look('collections', mid, collectionId))
  const isInFlight = collection?.status === 'IN_FLIGHT' && String(collection.attempts) === number
  if (!collection || isInFlight || !ATTEMPT_FORM.test(number)) return engine.submit(recheckCollection, { mid, collectionId, now })
  const equals = { mid, collectionId, collectionAttempt: Number(number) }
  const [attempt] = await query.rows(find('transactions', { equals, limit: 1 }))
  if (!attempt) return
  return askOfPayment(parts, { mid, txnId: attempt.txnId, key: authorizeKey(attempt) }, begins)
}

/**
 * Asks about the mandate of the subscription, if the key names that mandate. Otherwise asks about an attempt at the first payment, which
 * waits for its mandate or was given up.
 */
async function askOfMandate(parts: MandateParts, of: { mid: string; subscriptionId: string }, number: number, begins: Begins) {
  const { query } = parts
  const subscription = await query.row(look('subscriptions', of.mid, of.subscriptionId))
  if (!subscription) return
  if (subscription.status !== 'INIT' && number === (subscription.mandate?.attempt ?? 1)) return begins.begin(() => askMandate(parts, of))
  const attempts = await query.rows(transactionsOfOrder(of.mid, subscription.orderId))
  const registered = attempts.find(({ attempt, paymentMode }) => attempt === number && paymentMode === 'BANK_MANDATE')
  const asked = registered ?? attempts.at(-1)
  if (!asked) return
  await askOfPayment(parts, { mid: of.mid, txnId: asked.txnId, key: askedKey(asked, of.subscriptionId) }, begins)
}
