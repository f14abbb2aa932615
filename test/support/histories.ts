// Random mandates over ten years, and what must be true of each: held against a calendar and rules of this file's own, which
// know nothing of the room's. A history is its seed.

import { readReference } from '../../src/acquirer/reference.ts'
import type { SimulatedOutcome, Taken } from '../../src/sandbox/simulated-bank.ts'
import type { Simulation, SimulationParts } from '../../src/sandbox/simulation.ts'
import { find, type Row } from '../../src/tables.ts'
import { Random } from './random.ts'

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]
const IST = 330 * MINUTE
const FIRST_DAY = Date.UTC(2027, 0, 1)
const YEARS = 10

// --------------------------------------------------------------------------------------------------- a calendar apart

const dayOf = (instant: number) => Math.floor((instant + IST) / DAY)
const minuteOf = (instant: number) => Math.floor(((instant + IST) % DAY) / MINUTE)
const begins = (day: number) => day * DAY - IST
const dayOfText = (text: string) => Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)) - 1, Number(text.slice(8, 10))) / DAY
const textOf = (day: number) => new Date(day * DAY).toISOString().slice(0, 10)
const MONTHS: Readonly<Record<string, number>> = { MONTH: 1, BI_MONTHLY: 2, QUARTER: 3, SEMI_ANNUALLY: 6, YEAR: 12 }
const UNIT_DAYS: Readonly<Record<string, number>> = { WEEK: 7, MONTH: 30, BI_MONTHLY: 60, QUARTER: 90, SEMI_ANNUALLY: 180, YEAR: 365 }

/** The how-manieth day of collection. */
function dueDay(unit: string, frequency: number, start: number, number: number): number {
  if (unit === 'WEEK') return start + 7 * frequency * number
  const first = new Date(start * DAY)
  const month = first.getUTCMonth() + MONTHS[unit]! * frequency * number
  const last = new Date(Date.UTC(first.getUTCFullYear(), month + 1, 0)).getUTCDate()
  return Date.UTC(first.getUTCFullYear(), month, Math.min(first.getUTCDate(), last)) / DAY
}
const isForbidden = (mode: string, instant: number) => {
  const minute = minuteOf(instant)
  return mode === 'UPI' && ((minute >= 598 && minute < 780) || (minute >= 1018 && minute < 1290))
}

// --------------------------------------------------------------------------------------------------------- a history

interface Plan {
  mode: string
  unit: string
  frequency: number
  start: number
  expiry: number
  grace: number
  retries: number
  isPaidAtOnce: boolean
  consentAt: number
  isCalm: boolean
}

const CHEERFUL: readonly SimulatedOutcome[] = ['success']
const SAD: readonly SimulatedOutcome[] = [
  ...(['success', 'success', 'insufficient', 'insufficient', 'declined', 'slow', 'pending', 'late', 'timeout', 'lost'] as const),
  ...(['wrongAmount'] as const),
]

function planOf(random: Random): Plan {
  const unit = random.pick(['WEEK', 'MONTH', 'MONTH', 'BI_MONTHLY', 'QUARTER', 'SEMI_ANNUALLY', 'YEAR'])
  const frequency = 1 + random.below(unit === 'WEEK' ? 4 : 2)
  const mode = random.pick(['UPI', 'UPI', 'UPI', 'CREDIT_CARD', 'DEBIT_CARD', 'PPBL', 'SVC_DIGITAL_CREDIT', 'BALANCE'])
  const ends = random.below(3) === 0 // at the end of a month, where clamping matters
  const any = FIRST_DAY / DAY + random.below(365)
  const start = ends ? dueDay('MONTH', 1, FIRST_DAY / DAY + 30, random.below(12)) : any
  const years = 1 + random.below(YEARS)
  const consent = begins(start) + random.pick([-40 * DAY, -3 * DAY, -1 * DAY, 0, 0]) + random.below(DAY / 1000) * 1000
  const grace = random.below(Math.min(mode.endsWith('CARD') ? 3 : 9, UNIT_DAYS[unit]! * frequency) + 1)
  return {
    ...{ mode, unit, frequency, start, grace, retries: random.below(4), isPaidAtOnce: random.below(2) === 0 },
    ...{ expiry: start + 365 * years, consentAt: Math.max(consent, begins(FIRST_DAY / DAY)), isCalm: random.below(4) === 0 },
  }
}

const RENEWAL = 250_00
export type NewSimulation = (parts: SimulationParts) => Simulation
const reference = readReference()

interface Told {
  plan: Plan
  simulation: Simulation
  /** When it was not active, and from when it is over. */
  suspended: { from: number; until: number }[]
  over: number
}

/** Lives one history through. */
async function live(random: Random, newSimulation: NewSimulation, failed: (error: Error) => void): Promise<Told> {
  const plan = planOf(random)
  const words = plan.isCalm ? CHEERFUL : SAD
  const outcomeOf = (kind: Taken['kind']): SimulatedOutcome =>
    kind === 'refund' ? 'success' : kind === 'notify' ? (plan.isCalm ? 'success' : random.pick(NOTICES)) : random.pick(words)
  const request = {
    ...{ requestType: 'NATIVE_SUBSCRIPTION', websiteName: 'DEFAULT', userInfo: { custId: 'C' }, subscriptionAmountType: 'FIX' },
    ...{ txnAmount: { value: plan.isPaidAtOnce ? '250.00' : '1.00', currency: 'INR' }, renewalAmount: '250.00' },
    ...{ subscriptionFrequencyUnit: plan.unit, subscriptionFrequency: String(plan.frequency) },
    ...{ subscriptionStartDate: textOf(Math.max(plan.start, dayOf(plan.consentAt))), subscriptionExpiryDate: textOf(plan.expiry) },
    ...{ subscriptionGraceDays: String(plan.grace), subscriptionEnableRetry: '1', subscriptionRetryCount: String(plan.retries) },
    ...{ autoRenewal: true, autoRetry: random.below(5) > 0 },
  } as unknown as SimulationParts['request']
  const simulation = newSimulation({
    ...{ request, paymentMode: plan.mode, mcc: '5999', reference, startsAt: plan.consentAt, outcomeOf, failed },
    balancePaise: RENEWAL * (plan.isCalm ? 10_000 : random.below(60)) + 1_000_00,
  })
  const refused = await simulation.begin()
  if (refused) throw new Error(`refused: ${JSON.stringify(refused)}`)
  const told: Told = { plan, simulation, suspended: [], over: begins(plan.expiry + 1) }
  const end = begins(plan.expiry + 10)
  while (!plan.isCalm && simulation.now() < end) await happen(random, told, end)
  await simulation.moveTo(end + 60 * DAY)
  return told
}
const NOTICES: readonly SimulatedOutcome[] = ['success', 'success', 'success', 'success', 'declined', 'lost', 'timeout', 'slow', 'optedOut']

/** Something, at some time: near a due day more often than not. */
async function happen(random: Random, told: Told, end: number) {
  const { plan, simulation } = told
  const next = nextDue(plan, dayOf(simulation.now()) + random.below(200))
  const at =
    random.below(3) === 0 ? simulation.now() + random.below(200 * 24) * HOUR : begins(next) + random.below(30 * 60) * MINUTE - 3 * HOUR
  // At times just when it is tried, so that what follows finds it in flight.
  const isAtSix = random.below(3) === 0
  await simulation.moveTo(Math.min(Math.max(isAtSix ? begins(next) + 6 * HOUR : at, simulation.now()), end))
  const isOver = simulation.now() >= told.over
  const later = random.pick([HOUR, 5 * HOUR, DAY, 3 * DAY, 40 * DAY])
  switch (random.below(9)) {
    case 0:
    case 1:
    case 2:
      return simulation.outage(Math.min(simulation.now() + random.below(30 * 60) * MINUTE + (random.below(4) === 0 ? 21 * DAY : 0), end))
    case 3:
    case 4: {
      const byPayer = random.below(2) === 0
      const reply = byPayer ? await simulation.turn('pauseByPayer') : await simulation.modifyStatus('SUSPENDED')
      const from = simulation.now()
      if (isOver || (reply.result.name !== 'moved' && reply.result.name !== 'success')) return
      await simulation.moveTo(Math.min(from + later, end))
      if (byPayer) await simulation.turn('resumeByPayer')
      else await simulation.modifyStatus('ACTIVE')
      told.suspended.push({ from, until: simulation.now() })
      return
    }
    case 5:
    case 6:
      await simulation.renew()
      return
    case 7:
      return simulation.agree(random.pick([100_00, 300_00, 400_00]))
    default:
      if (random.below(10) > 0 || isOver) return
      await simulation.turn(random.pick(['close', 'revoke'] as const))
      told.over = Math.min(told.over, simulation.now())
  }
}

function nextDue({ unit, frequency, start }: Plan, from: number): number {
  for (let number = 0; ; number++) {
    const due = dueDay(unit, frequency, start, number)
    if (due >= from) return due
  }
}

// ------------------------------------------------------------------------------------------------ what must be true

/** What is wrong with the history of a seed; nothing, if it is as it must be. */
export async function wrongsOf(seed: number, newSimulation: NewSimulation): Promise<string[]> {
  const errors: string[] = []
  const told = await live(new Random(seed), newSimulation, (error) => errors.push(`failed: ${error.stack}`))
  const { simulation, plan } = told
  const [collections, transactions] = await Promise.all([
    simulation.store.query.rows(find('collections', { limit: 10_000, orderBy: ['dueDate'] })),
    simulation.store.query.rows(find('transactions', { limit: 100_000 })),
  ])
  const subscription = (await simulation.store.query.rows(find('subscriptions', { limit: 1 })))[0]!
  const start = dayOfText(subscription.startDate)
  const wrongs = collections.flatMap((cycle) => wrongsOfCycle(told, start, cycle, transactions))
  const missing = collections.findIndex(({ number }, at) => number !== at)
  if (missing >= 0) wrongs.push(`cycle ${missing} is not there`)
  const ended = told.over < begins(plan.expiry + 1)
  if (!ended) {
    const count = Array.from({ length: 600 }, (_, number) => dueDay(plan.unit, plan.frequency, start, number)).filter(
      (due) => due <= plan.expiry,
    )
    if (collections.length !== count.length) wrongs.push(`${collections.length} cycles instead of ${count.length}`)
  }
  if (plan.isCalm) wrongs.push(...wrongsOfCalm(told, collections))
  return [...errors, ...wrongs]
}

function wrongsOfCycle(
  { plan, simulation: { bank }, suspended, over }: Told,
  start: number,
  cycle: Row<'collections'>,
  all: readonly Row<'transactions'>[],
) {
  const { mode, unit, frequency, grace, retries, expiry, consentAt } = plan
  const name = cycle.dueDate
  const wrongs: string[] = []
  const wrong = (isSo: boolean, what: string) => {
    if (isSo) wrongs.push(`${name} (${mode} ${unit}): ${what}`)
  }
  const due = dueDay(unit, frequency, start, cycle.number!)
  wrong(textOf(due) !== cycle.dueDate, `due on ${textOf(due)}`)
  const stem = `${cycle.mid}:${cycle.subscriptionId}:${name.replaceAll('-', '')}:`
  const sent =
    mode === 'BALANCE'
      ? all
          .filter((t) => t.collectionId === cycle.collectionId && t.result !== 'cancelled')
          .map((t) => ({ key: `${stem}${t.collectionAttempt}`, at: t.initiatedAt }))
      : bank.heard.filter(({ kind, key }) => kind === 'collect' && key.startsWith(stem))
  const notices = [...bank.taken.values()].filter(
    ({ kind, key, failure, outcome }) => kind === 'notify' && key.startsWith(stem) && !failure && outcome !== 'optedOut',
  )
  const kept = all.filter((t) => t.collectionId === cycle.collectionId && t.status === 'SUCCESS')
  const taken = [...bank.taken.values()].filter(({ kind, key, failure }) => kind === 'collect' && key.startsWith(stem) && !failure)
  const given = all.filter((t) => t.collectionId === cycle.collectionId && t.status === 'FAILURE' && t.capturedPaise > 0)
  wrong(kept.length > 1, `${kept.length} debits are kept`)
  if (mode !== 'BALANCE')
    wrong(taken.length !== kept.length + given.length, `the bank took ${taken.length}, ${kept.length} kept and ${given.length} given back`)
  wrong(
    given.some((t) => t.returnedPaise !== t.capturedPaise),
    'what was not kept was not given back',
  )
  wrong(!['COLLECTED', 'SKIPPED', 'MISSED', 'FAILED'].includes(cycle.status), `has not ended: ${cycle.status}`)
  const isFirst = cycle.status === 'COLLECTED' && cycle.number === 0 && cycle.orderId === 'FIRST'
  wrong((cycle.status === 'COLLECTED') !== (kept.length === 1 || isFirst), `${cycle.status} with ${kept.length} debits`)
  wrong(isFirst && (sent.length > 0 || !plan.isPaidAtOnce), 'paid by the first payment and debited')

  const most = Math.min(1 + retries, mode === 'UPI' ? 4 : 9)
  const keys = new Set(sent.map(({ key }) => key))
  wrong(keys.size > most, `${keys.size} attempts of ${most}`)
  wrong(
    [...keys].some((key) => Number(key.slice(stem.length)) > most),
    'an attempt with a number too high',
  )
  const standsIn = due <= dayOf(consentAt)
  const from = standsIn ? dayOf(consentAt + DAY) : due
  const until = Math.min((standsIn ? from + 1 : from) + grace, expiry, dueDay(unit, frequency, start, cycle.number! + 1) - 1)
  for (const { key, at } of sent) {
    wrong(isForbidden(mode, at), `sent at a forbidden ${new Date(at + IST).toISOString()}`)
    wrong(dayOf(at) < from || dayOf(at) > until, `sent on ${textOf(dayOf(at))}, not from ${textOf(from)} to ${textOf(until)}`)
    wrong(!notices.some(({ knownAt }) => at >= knownAt + DAY), `sent at ${new Date(at + IST).toISOString()} without a day's notice`)
    wrong(at > over, 'sent after the end') // in the instant of an end what was due had begun
    const isOpen = (pause: { from: number }) => sent.some((before) => before.key === key && before.at <= pause.from)
    wrong(
      suspended.some((pause) => pause.from < at && at < pause.until),
      'sent while it was suspended',
    )
    // Its day, or its window, had begun when the pause did or ended.
    const isOff = (pause: { from: number; until: number }) => at > pause.from && from <= dayOf(pause.until - 1) && !isOpen(pause)
    wrong(suspended.some(isOff), 'sent though it was suspended on its day or in its window')
  }
  for (const debit of taken)
    wrong(
      !notices.some(({ amountPaise }) => amountPaise === debit.amountPaise || debit.outcome === 'wrongAmount'),
      'debited for another amount than the payer was told',
    )
  return wrongs
}

/** Where nothing goes wrong, every cycle is collected at six in the morning of its day; the first of all by the rules of consent. */
function wrongsOfCalm({ simulation: { bank }, plan }: Told, collections: readonly Row<'collections'>[]): string[] {
  const sixes = collections.filter(({ windowFrom, dueDate }) => windowFrom === dueDate && dayOfText(dueDate) > dayOf(plan.consentAt) + 2)
  return sixes.flatMap(({ dueDate, status, collectionId }) => {
    if (status !== 'COLLECTED') return [`${dueDate}: ${status} where nothing went wrong`]
    if (plan.mode === 'BALANCE') return []
    const sent = bank.heard
      .filter(({ kind, key }) => kind === 'collect' && key.includes(`:${collectionId.replace('.', ':')}:`))
      .map(({ at }) => at)
    return sent.length === 1 && sent[0] === begins(dayOfText(dueDate)) + 6 * HOUR ? [] : [`${dueDate}: sent at ${sent.join()}`]
  })
}
