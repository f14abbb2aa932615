// Rules of every mandate's history: one debit in a cycle, each by its notice, within its day, its hours and its terms. No debit comes after
// an end or during a pause.

import type { TakenCall } from '../../../src/sandbox/simulated-bank.ts'
import { find, type Row } from '../../../src/tables/tables.ts'
import { sentBeside } from '../bank/debit-words.ts'
import type { Lived } from './histories.ts'
import { APPROVED_ABOVE, begins, DAY, dayOf, dayOfText, dayText, dueDay, HOUR, isForbidden, timeText } from './history-calendar.ts'

type Cycle = Row<'collections'>
const ENDS = ['COLLECTED', 'SKIPPED', 'MISSED', 'FAILED']
const CARD_GRACE = 3

/** A history with its rows, and the amounts with the instants from which they were in force. */
interface Read {
  lived: Lived
  cycles: readonly Cycle[]
  transactions: readonly Row<'transactions'>[]
  notices: readonly Row<'notices'>[]
  subscription: Row<'subscriptions'>
  activatedAt: number
  /** When the customer's consent began to count. For a bank mandate: when the bank had accepted it and its first day had come. */
  agreedAt: number
  /** When the mandate ended. */
  over: number
  amounts: readonly { at: number; paise: number }[]
}

export async function wrongsOf(lived: Lived): Promise<string[]> {
  const { query } = lived.simulation.store
  const [cycles, transactions, notices, [subscription], events] = await Promise.all([
    query.rows(find('collections', { limit: 10_000, orderBy: ['dueDate'] })),
    query.rows(find('transactions', { limit: 100_000 })),
    query.rows(find('notices', { limit: 100_000 })),
    query.rows(find('subscriptions', { limit: 1 })),
    query.rows(find('events', { equals: { aggregate: 'subscription' }, orderBy: ['at', 'version'], limit: 10_000 })),
  ])
  const { edits, ...terms } = termsLived(lived, events)
  const activatedAt = events.find(({ type }) => type === 'subscription.activated')?.at ?? Number.MAX_SAFE_INTEGER
  const authorizedAt = events.find(({ type }) => type === 'subscription.authorized')?.at
  const agreedAt = authorizedAt === undefined ? activatedAt : Math.max(authorizedAt, begins(dayOfText(subscription!.startDate)))
  const over = Math.min(lived.endedAt ?? Number.MAX_SAFE_INTEGER, terms.expiresAt)
  const rows = { cycles, transactions, notices, subscription: subscription! }
  const read: Read = { lived, ...rows, activatedAt, agreedAt, over, amounts: terms.amounts }
  return [
    ...edits,
    ...wrongsOfLife(read),
    ...cycles.flatMap((cycle) => wrongsOfCycle(read, cycle)),
    ...sentBeside(lived.words),
    ...wrongsOfCalm(read),
  ]
}

/** Terms that the payer approved are in force from when Mohur learned of it, in that order, and no others are. */
function termsLived({ plan, simulation: { bank }, edits: asked, endedAt }: Lived, events: readonly Row<'events'>[]) {
  const applied = new Map(events.filter(({ type }) => type === 'subscription.edited').map(({ at, data }) => [String(data['editId']), at]))
  const approved = [...bank.taken.values()]
    .filter(({ kind, failure, outcome }) => kind === 'amend' && !failure && outcome !== 'pending')
    .sort((a, b) => a.knownAt - b.knownAt)
  const amounts = [{ at: 0, paise: plan.amountPaise }]
  let expiresAt = begins(plan.expiry + 1)
  const wrongs: string[] = []
  const newest = [...asked.keys()].at(-1)
  for (const { key, at: askedAt, knownAt } of approved) {
    const isLate =
      knownAt >= Math.min(endedAt ?? Number.MAX_SAFE_INTEGER, expiresAt) || (askedAt + 31 * DAY < knownAt && !key.endsWith(`:${newest}`))
    const editId = key.slice(key.lastIndexOf(':') + 1)
    const at = applied.get(editId)
    if (at === undefined || at < knownAt) {
      if (!isLate) wrongs.push(`terms that were approved at ${timeText(knownAt)} are not in force`)
      continue
    }
    applied.delete(editId)
    const { paise, day } = asked.get(editId)!
    if (paise !== undefined) amounts.push({ at, paise })
    if (day !== undefined) expiresAt = Math.max(at, begins(day + 1))
  }
  for (const at of applied.values()) wrongs.push(`terms changed at ${timeText(at)} that nobody approved`)
  return { amounts, expiresAt, edits: wrongs }
}

function wrongsOfLife({ lived, cycles, transactions, subscription, over, activatedAt }: Read): string[] {
  const { plan, renewals } = lived
  const { unit, frequency, driver } = plan
  const start = dayOfText(subscription.startDate)
  const wrongs: string[] = []
  if (driver !== 'us') {
    const attempts = transactions.filter(({ collectionId }) => collectionId !== null).length
    if (attempts !== renewals) wrongs.push(`${attempts} attempts where the merchant asked for ${renewals}`)
  }
  if (driver === 'onDemand') return wrongs
  const missing = cycles.findIndex(({ number }, at) => number !== at)
  if (missing >= 0) wrongs.push(`cycle ${missing} is not there`)
  const due = Array.from({ length: 600 }, (_, number) => dueDay(unit, frequency, start, number))
  // A mandate that was ended early has the cycles that were due by then, and perhaps the next two.
  const isWhole = lived.endedAt === undefined && activatedAt < over
  const [least, most] = isWhole
    ? [due.filter((day) => begins(day) < over).length, due.filter((day) => day <= dayOfText(subscription.expiryDate)).length]
    : [0, due.length]
  if (cycles.length < least || cycles.length > Math.max(most, least + 1))
    wrongs.push(`${cycles.length} cycles instead of ${least} to ${most}`)
  return wrongs
}

/** The calls that the bank received about a cycle and its notices. A wallet's cycles have them in Mohur's own books. */
function heardOf({ lived: { plan, simulation }, transactions }: Read, { mid, subscriptionId, dueDate, collectionId }: Cycle) {
  const { bank } = simulation
  const stem = `${mid}:${subscriptionId}:${dueDate.replaceAll('-', '')}:`
  const ofCycle = (kind: TakenCall['kind']) => [...bank.taken.values()].filter((taken) => taken.kind === kind && taken.key.startsWith(stem))
  const own = transactions.filter((t) => t.collectionId === collectionId)
  const sent =
    plan.mode === 'BALANCE'
      ? own
          .filter(({ result }) => result !== 'cancelled' && result !== 'timedOut' && result !== 'notAuthenticated')
          .map((t) => ({ key: `${stem}${t.collectionAttempt}`, at: t.initiatedAt }))
      : bank.received.filter(({ kind, key }) => kind === 'collect' && key.startsWith(stem))
  return {
    stem,
    sent,
    own,
    given: ofCycle('notify').filter(({ failure }) => !failure),
    debits: ofCycle('collect').filter(({ failure }) => !failure),
  }
}

/**
 * The days on which a cycle may be collected: its due day and its days of grace. After a late consent they begin on the first day that the
 * consent allows.
 */
function windowOf({ lived: { plan }, subscription, agreedAt }: Read, cycle: Cycle) {
  const { mode, unit, frequency, driver } = plan
  const day = dayOfText(cycle.dueDate)
  if (driver === 'onDemand') return { from: day, until: day }
  const start = dayOfText(subscription.startDate)
  const due = dueDay(unit, frequency, start, cycle.number!)
  const grace = mode.endsWith('CARD') ? Math.min(plan.grace, CARD_GRACE) : plan.grace
  const from = due > dayOf(agreedAt) ? due : dayOf(agreedAt + (mode === 'BANK_MANDATE' ? 0 : DAY))
  return { from, until: Math.min(from + grace, dueDay(unit, frequency, start, cycle.number! + 1) - 1) }
}

function wrongsOfCycle(read: Read, cycle: Cycle): string[] {
  const { lived, over, subscription } = read
  const { mode, unit, frequency, retries, driver, isPaidAtOnce, isFixed } = lived.plan
  const wrongs: string[] = []
  const wrong = (isSo: boolean, what: string) => {
    if (isSo) wrongs.push(`${cycle.dueDate} (${mode} ${driver} ${unit}): ${what}`)
  }
  if (driver !== 'onDemand') {
    const due = dueDay(unit, frequency, dayOfText(subscription.startDate), cycle.number!)
    wrong(dayText(due) !== cycle.dueDate, `due on ${dayText(due)}`)
  }
  const { stem, sent, own, debits } = heardOf(read, cycle)
  const kept = own.filter(({ status }) => status === 'SUCCESS')
  const returned = own.filter(({ status, capturedPaise }) => status === 'FAILURE' && capturedPaise > 0)
  wrong(kept.length > 1, `${kept.length} debits are kept`)
  if (mode !== 'BALANCE')
    wrong(
      debits.length !== kept.length + returned.length,
      `the bank took ${debits.length}, ${kept.length} kept and ${returned.length} given back`,
    )
  wrong(
    returned.some((t) => t.returnedPaise !== t.capturedPaise),
    'what was not kept was not given back',
  )
  wrong(!ENDS.includes(cycle.status), `has not ended: ${cycle.status}`)
  const isFirst = cycle.status === 'COLLECTED' && cycle.number === 0 && cycle.orderId === 'FIRST'
  wrong((cycle.status === 'COLLECTED') !== (kept.length === 1 || isFirst), `${cycle.status} with ${kept.length} debits`)
  wrong(isFirst && (sent.length > 0 || !isPaidAtOnce || !isFixed), 'paid by the first payment and debited')
  const most = mode === 'BANK_MANDATE' ? 1 : Math.min(1 + retries, mode === 'UPI' ? 4 : 9)
  const keys = new Set(sent.map(({ key }) => key))
  wrong(keys.size > most || own.length > most, `${keys.size} attempts sent, ${own.length} made, of ${most}`)
  wrong(
    [...keys].some((key) => Number(key.slice(stem.length)) > most),
    'an attempt with a number too high',
  )
  for (const { at } of sent) {
    wrong(at > over, 'sent after the end') // work that was due at the instant of the end may have begun
    for (const what of wrongsOfSending(read, cycle, at)) wrong(true, what)
  }
  for (const what of wrongsOfApproval(read, cycle)) wrong(true, what)
  for (const debit of debits) for (const what of wrongsOfAmount(read, cycle, debit)) wrong(true, what)
  return wrongs
}

function* wrongsOfSending(read: Read, cycle: Cycle, at: number) {
  const { plan, suspended } = read.lived
  const { from, until } = windowOf(read, cycle)
  if (isForbidden(plan.mode, at)) yield `sent at a forbidden ${timeText(at)}`
  if (dayOf(at) < from || dayOf(at) > until) yield `sent on ${dayText(dayOf(at))}, not from ${dayText(from)} to ${dayText(until)}`
  const later = read.notices.find(
    (notice) => notice.collectionId === cycle.collectionId && notice.status === 'SUCCESS' && notice.answeredAt! <= at,
  )
  if (later && dayText(dayOf(at)) < later.debitDate) yield `sent on ${dayText(dayOf(at))} though its payer was told of ${later.debitDate}`
  const { given } = heardOf(read, cycle)
  if (plan.mode !== 'BANK_MANDATE' && !given.some(({ knownAt }) => at >= knownAt + DAY))
    yield `sent at ${timeText(at)} without a day's notice`
  if (given.some(({ optedOutAt = at }) => optedOutAt < at)) yield `sent at ${timeText(at)} though its payer had opted out`
  if (suspended.some((pause) => pause.from < at && at < pause.until)) yield 'sent while it was suspended'
  // The pause began or ended when the cycle's day or window had begun.
  if (suspended.some((pause) => at > pause.from && from <= dayOf(pause.until - 1)))
    yield 'sent though it was suspended on its day or in its window'
}

/**
 * Above the limit, and in a cycle for which approval was requested at all, nothing is sent before the payer approves. After the approval it
 * is sent.
 */
function* wrongsOfApproval(read: Read, cycle: Cycle) {
  const { plan, simulation } = read.lived
  const { sent, own, stem, given } = heardOf(read, cycle)
  const asked = given.filter(({ key }) => simulation.bank.approvals.has(key))
  const approvedAt = Math.min(
    ...asked
      .map(({ key }) => simulation.bank.approvals.get(key))
      .map((each) => (each?.said === 'approved' ? each.at : Number.MAX_SAFE_INTEGER)),
  )
  const isAbove = (paise: number) => paise > APPROVED_ABOVE && plan.mode !== 'BANK_MANDATE'
  const above = given.filter(({ amountPaise }) => isAbove(amountPaise))
  if (above.length !== asked.length) yield `${asked.length} notices asked for an approval and ${above.length} were above the limit`
  for (const { key, at } of sent) {
    const attempt = own.find(({ collectionAttempt }) => key === `${stem}${collectionAttempt}`)
    if ((asked.length > 0 || isAbove(attempt?.amountPaise ?? 0)) && approvedAt > at)
      yield `sent at ${timeText(at)} though its payer had not approved it`
  }
  for (const { initiatedAt, result } of own)
    if (result === 'notAuthenticated' && approvedAt < initiatedAt)
      yield `not sent at ${timeText(initiatedAt)} though its payer had approved it`
}

/** The debit has the amount that was in force at the first notice, or, without a notice, at the sending. */
function* wrongsOfAmount(read: Read, cycle: Cycle, debit: TakenCall) {
  const { plan, simulation } = read.lived
  if (debit.outcome === 'wrongAmount') return
  const { given, sent, stem } = heardOf(read, cycle)
  const reported = given.filter(({ knownAt }) => debit.at >= knownAt + DAY)
  const paise = debit.amountPaise
  if (plan.mode !== 'BANK_MANDATE' && !reported.some(({ amountPaise }) => (plan.isFixed ? amountPaise === paise : paise <= amountPaise)))
    yield 'debited for another amount than the payer was told'
  const had = given.filter(({ knownAt }) => knownAt <= debit.at)
  if (had.length > 0 && had.every(({ amountPaise }) => amountPaise < paise)) yield 'debited for more than the payer was told'
  const firstAt = simulation.bank.received.find(({ key }) => key.startsWith(stem))?.at ?? sent[0]!.at
  // Changes in one instant have no known order.
  const agreed = [read.amounts.findLast(({ at }) => at < firstAt)!, ...read.amounts.filter(({ at }) => at === firstAt)].map(
    (each) => each.paise,
  )
  if (!agreed.some((most) => (plan.isFixed ? paise === most : paise <= most)))
    yield `debited for ${paise} where ${agreed.join()} was agreed`
}

/** Where nothing goes wrong, every cycle is collected in its hour; the first one by the rules of consent. */
function wrongsOfCalm(read: Read): string[] {
  const { plan, certain } = read.lived
  if (!plan.isCalm) return []
  const after = dayOf(read.agreedAt) + (plan.mode === 'BANK_MANDATE' ? 0 : 2)
  const due =
    plan.driver === 'us'
      ? read.cycles.filter(({ dueDate }) => dayOfText(dueDate) > after)
      : read.cycles.filter(({ dueDate }) => certain.has(dueDate))
  const missing = [...certain.keys()].filter((day) => !read.cycles.some(({ dueDate }) => dueDate === day)).map((day) => `${day}: no cycle`)
  const wrongs = due.flatMap((cycle) => {
    const { dueDate, status } = cycle
    if (status !== 'COLLECTED') return [`${dueDate}: ${status} where nothing went wrong`]
    if (plan.mode === 'BALANCE') return []
    const sent = heardOf(read, cycle).sent.map(({ at }) => at)
    const expected = certain.get(dueDate) ?? begins(dayOfText(dueDate)) + 6 * HOUR
    return sent.length === 1 && sent[0] === expected
      ? []
      : [`${dueDate}: sent at ${sent.map(timeText).join()}, not at ${timeText(expected)}`]
  })
  return [...missing, ...wrongs]
}
