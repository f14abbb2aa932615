// Random mandates over ten years, and what must hold for each. The calendar and rules are those of this file and history-rules.ts, which
// use nothing of the service's own. Each seed is one history.

import { readReference } from '../../../src/adapters/reference/read-reference.ts'
import type { Reply } from '../../../src/engine/decision.ts'
import type { Approval, SimulatedOutcome, TakenCall } from '../../../src/sandbox/simulated-bank.ts'
import type { Simulation, SimulationParts } from '../../../src/sandbox/simulation.ts'
import { find } from '../../../src/tables/tables.ts'
import { listen, type Word } from '../bank/debit-words.ts'
import { Random } from '../text/random.ts'
import { begins, DAY, dayOf, dayOfText, dayText, dueDay, HOUR, MINUTE, UNIT_DAYS } from './history-calendar.ts'
import { wrongsOf as wrongsOfLived } from './history-rules.ts'

const FIRST_DAY = Date.UTC(2027, 0, 1)
const YEARS = 10

/** The collector: Mohur, the merchant by the calendar, or the merchant at any time. */
export type Driver = 'us' | 'merchant' | 'onDemand'

export interface Plan {
  mode: string
  /** Used by bank mandates alone. */
  isPaper: boolean
  driver: Driver
  isFixed: boolean
  unit: string
  frequency: number
  start: number
  expiry: number
  grace: number
  retries: number
  isPaidAtOnce: boolean
  createdAt: number
  consentsAfterMs: number
  isCalm: boolean
  /** The first amount. In some histories it is above the limit up to which a debit needs no approval of the payer. */
  amountPaise: number
}

/** A history as this file has seen it: what was done to the mandate and when. Instants, days and paise. */
export interface Lived {
  plan: Plan
  simulation: Simulation
  /** The service's calls to the bank about debits, and the bank's answers. */
  words: readonly Word[]
  suspended: { from: number; until: number }[]
  /** When one of the parties ended it. */
  endedAt: number | undefined
  /** Changed terms that the merchant requested, by the id of the edit: paise, or the last day. */
  edits: Map<string, { paise?: number; day?: number }>
  /** Renewals that were accepted. Debits that were certain to be made, by their day. */
  renewals: number
  certain: Map<string, number>
}

const AMOUNT = 250_00
const ABOVE_LIMIT = 20_000_00
const ABOVE_EVERY = 7 // one history in seven is above the limit; the other seeds keep the histories that they had before this rule
const CHEERFUL: readonly SimulatedOutcome[] = ['success']
const SAD: readonly SimulatedOutcome[] = [
  ...(['success', 'success', 'insufficient', 'insufficient', 'declined', 'slow', 'pending', 'late', 'timeout', 'lost'] as const),
  ...(['wrongAmount'] as const),
]
const NOTICES: readonly SimulatedOutcome[] = ['success', 'success', 'success', 'success', 'declined', 'lost', 'timeout', 'slow', 'optedOut']
const EDITS: readonly SimulatedOutcome[] = ['pending', 'pending', 'pending', 'success', 'declined', 'timeout', 'lost']
const REGISTRATIONS: readonly SimulatedOutcome[] = ['success', 'success', 'success', 'success', 'declined', 'pending']
const isBankMandate = ({ mode }: Plan) => mode === 'BANK_MANDATE'

function drawnPlan(random: Random, seed: number): Plan {
  const unit = random.pick(['WEEK', 'MONTH', 'MONTH', 'BI_MONTHLY', 'QUARTER', 'SEMI_ANNUALLY', 'YEAR'])
  const frequency = 1 + random.below(unit === 'WEEK' ? 4 : 2)
  const mode = random.pick([
    ...['UPI', 'UPI', 'UPI', 'UPI', 'CREDIT_CARD', 'DEBIT_CARD', 'PPBL', 'SVC_DIGITAL_CREDIT', 'BALANCE', 'BANK_MANDATE', 'BANK_MANDATE'],
  ])
  const driver = random.pick(['us', 'us', 'us', 'merchant', 'merchant', 'onDemand'] as const)
  const ends = random.below(3) === 0 // at a month's end, where the day is clamped
  const any = FIRST_DAY / DAY + random.below(365)
  const start = ends ? dueDay('MONTH', 1, FIRST_DAY / DAY + 30, random.below(12)) : any
  const years = 1 + random.below(driver === 'us' ? YEARS : YEARS / 2)
  const created = begins(start) + random.pick([-40 * DAY, -3 * DAY, -1 * DAY, 0, 0]) + random.below(DAY / 1000) * 1000
  const hasGrace = mode !== 'BANK_MANDATE' && driver !== 'onDemand'
  const createdAt = Math.max(created, begins(FIRST_DAY / DAY))
  const begin = Math.max(start, dayOf(createdAt))
  const plan = {
    ...{ mode, isPaper: random.below(3) === 0, driver, isFixed: driver === 'us' || random.below(2) === 0, unit, frequency, start: begin },
    grace: hasGrace ? random.below(Math.min(9, UNIT_DAYS[unit]! * frequency) + 1) : 0,
    retries: mode === 'BANK_MANDATE' ? 0 : random.below(4),
    ...{ isPaidAtOnce: mode !== 'BANK_MANDATE' && random.below(2) === 0, expiry: begin + 365 * years, createdAt },
    consentsAfterMs: random.below(4) === 0 ? random.below(23 * 60) * MINUTE : 0,
    isCalm: random.below(4) === 0,
  }
  // A wallet's payer must act to approve such a debit, and in a calm history no payer acts.
  const isAbove = seed % ABOVE_EVERY === 0 && !(plan.isCalm && mode === 'BALANCE')
  return { ...plan, amountPaise: isAbove ? ABOVE_LIMIT : AMOUNT }
}

const isAboveLimit = ({ amountPaise }: Plan) => amountPaise === ABOVE_LIMIT
/** In proportion to the mandate's amount. */
const scaled = ({ amountPaise }: Plan, paise: number) => (paise * amountPaise) / AMOUNT

const reference = readReference()
export type NewSimulation = (parts: SimulationParts) => Simulation

function requestOf(plan: Plan, random: Random) {
  const { isFixed, unit, frequency, start, expiry, grace, retries, isPaidAtOnce } = plan
  const amount = rupees(plan.amountPaise)
  const ofBank = { subscriptionPaymentMode: 'BANK_MANDATE', mandateType: plan.isPaper ? 'PAPER_MANDATE' : 'E_MANDATE' }
  return {
    ...{ requestType: 'NATIVE_SUBSCRIPTION', websiteName: 'DEFAULT', userInfo: { custId: 'C' } },
    txnAmount: { value: isBankMandate(plan) ? '0.00' : isPaidAtOnce ? amount : '1.00', currency: 'INR' },
    ...(isFixed
      ? { subscriptionAmountType: 'FIX', renewalAmount: amount }
      : { subscriptionAmountType: 'VARIABLE', subscriptionMaxAmount: amount }),
    ...(plan.driver === 'onDemand' ? { subscriptionFrequencyUnit: 'ONDEMAND' } : { subscriptionFrequencyUnit: unit }),
    subscriptionFrequency: String(frequency),
    ...{ subscriptionStartDate: dayText(start), subscriptionExpiryDate: dayText(expiry) },
    ...(isBankMandate(plan) ? ofBank : plan.driver !== 'onDemand' && { subscriptionGraceDays: String(grace) }),
    ...{ subscriptionEnableRetry: retries > 0 ? '1' : '0', subscriptionRetryCount: String(retries) },
    // The merchant collects variable and on-demand mandates, whatever this flag says.
    autoRenewal: plan.driver === 'us' || ((!isFixed || plan.driver === 'onDemand') && random.below(2) === 0),
    autoRetry: random.below(5) > 0,
  } as unknown as SimulationParts['request']
}

async function live(seed: number, newSimulation: NewSimulation, failed: (error: Error) => void): Promise<Lived> {
  const random = new Random(seed)
  const plan = drawnPlan(random, seed)
  const sad: Partial<Record<TakenCall['kind'], readonly SimulatedOutcome[]>> = {
    notify: NOTICES,
    amend: EDITS,
    mandate: REGISTRATIONS,
    collect: SAD,
  }
  const outcomeOf = (kind: TakenCall['kind']): SimulatedOutcome => random.pick((plan.isCalm ? undefined : sad[kind]) ?? CHEERFUL)
  const simulation = newSimulation({
    ...{ request: requestOf(plan, random), paymentMode: plan.mode, mcc: '5999', reference, startsAt: plan.createdAt, outcomeOf, failed },
    ...{ consentsAfterMs: plan.consentsAfterMs, balancePaise: scaled(plan, AMOUNT * (plan.isCalm ? 10_000 : random.below(60)) + 1_000_00) },
    approvalOf: () => approvalOf(random, plan, simulation.now()),
  })
  const words = listen(simulation.bank, simulation.now)
  const refused = await simulation.begin()
  if (refused) throw new Error(`refused: ${JSON.stringify(refused)}`)
  const lived: Lived = {
    ...{ plan, simulation, words, suspended: [], endedAt: undefined, edits: new Map(), renewals: 0, certain: new Map() },
  }
  const end = begins(plan.expiry + 10)
  const story = plan.isCalm ? (plan.driver === 'us' ? undefined : collectCalmly) : happen
  while (story && simulation.now() < end) await story(random, lived, end)
  await outlive(simulation, end)
  return lived
}

/** Moves past the last day, and past a later last day that a late approval has set meanwhile. */
async function outlive(simulation: Simulation, end: number): Promise<void> {
  const over = async () => Math.max(end, begins(dayOfText((await rowOf(simulation)).expiryDate) + 10)) + 60 * DAY
  const until = await over()
  await simulation.moveTo(until)
  if ((await over()) > until) await outlive(simulation, end)
}

/** Most payers answer a debit above the limit, some of them late. A query brings the answer from a bank alone, and a wallet has none. */
function approvalOf(random: Random, { isCalm, mode }: Plan, now: number): Approval | undefined {
  if (isCalm) return { said: 'approved', at: now }
  if (mode === 'BALANCE' || random.below(5) === 0) return undefined
  return { said: random.below(4) > 0 ? 'approved' : 'declined', at: now + random.pick([0, HOUR, DAY, 36 * HOUR, 3 * DAY]) }
}

const rowOf = async ({ store }: Simulation) => (await store.query.rows(find('subscriptions', { limit: 1 })))[0]!
const rupees = (paise: number) => `${Math.floor(paise / 100)}.${String(paise % 100).padStart(2, '0')}`
const isDone = ({ result: { status } }: Reply) => status === 'SUCCESS' || status === 'S'

/** A careful merchant: notifies the payer two days before, and collects in the morning. */
async function collectCalmly(random: Random, lived: Lived, end: number) {
  const { plan, simulation } = lived
  const from = Math.max(dayOf(simulation.now()) + 3, plan.start, dayOf(plan.createdAt + plan.consentsAfterMs) + 3)
  const day = plan.driver === 'onDemand' ? from + random.below(60) : nextDue(plan, isBankMandate(plan) ? from + 6 : from)
  if (day > plan.expiry) return simulation.moveTo(end)
  const paise = plan.isFixed ? plan.amountPaise : 1 + random.below(plan.amountPaise)
  if (!isBankMandate(plan)) {
    await simulation.moveTo(begins(day - 2) + 18 * HOUR)
    const reported = await simulation.notify(rupees(paise), dayText(day))
    if (!isDone(reported)) throw new Error(`${dayText(day)}: a notice was refused: ${JSON.stringify(reported)}`)
  }
  const at = begins(day) + random.pick([6, 11]) * HOUR
  await simulation.moveTo(at)
  const renewed = await simulation.renew(rupees(paise))
  if (!isDone(renewed)) throw new Error(`${dayText(day)}: a renewal was refused: ${JSON.stringify(renewed)}`)
  lived.renewals++
  lived.certain.set(dayText(day), plan.mode === 'UPI' && at > begins(day) + 10 * HOUR ? begins(day) + 13 * HOUR : at)
}

function nextDue({ unit, frequency, start }: Plan, from: number): number {
  for (let number = 0; ; number++) {
    const due = dueDay(unit, frequency, start, number)
    if (due >= from) return due
  }
}

// ------------------------------------------------------------------------------------------------ whatever may happen

/** One event at a drawn time, mostly near a due day. */
async function happen(random: Random, lived: Lived, end: number) {
  const { plan, simulation } = lived
  const next =
    plan.driver === 'onDemand' ? dayOf(simulation.now()) + 1 + random.below(40) : nextDue(plan, dayOf(simulation.now()) + random.below(200))
  // Mostly the merchant collects the cycle, and not always correctly.
  if (plan.driver !== 'us' && random.below(3) > 0) return collect(random, lived, next, end)
  const at =
    random.below(3) === 0 ? simulation.now() + random.below(200 * 24) * HOUR : begins(next) + random.below(30 * 60) * MINUTE - 3 * HOUR
  // Sometimes at the moment of the debit, so that the event finds it in flight.
  const isAtSix = random.below(3) === 0
  await moveTo(lived, isAtSix ? begins(next) + 6 * HOUR : at, end)
  const later = random.pick([HOUR, 5 * HOUR, DAY, 3 * DAY, 40 * DAY])
  if (isAboveLimit(plan) && random.below(2) === 0) return decide(random, lived)
  switch (random.below(12)) {
    case 0:
    case 1:
    case 2:
      return simulation.outage(Math.min(simulation.now() + random.below(30 * 60) * MINUTE + (random.below(4) === 0 ? 21 * DAY : 0), end))
    case 3:
    case 4:
      return pause(random, lived, Math.min(simulation.now() + later, end))
    case 5:
    case 6:
      return renew(random, lived)
    case 7:
    case 8:
      return edit(random, lived, Math.min(simulation.now() + later, end))
    case 9:
      await simulation.payerActs('skip')
      return
    case 10:
      return notify(random, lived, dayOf(simulation.now()) + random.below(10))
    default:
      if (random.below(8) === 0) await endIt(random, lived)
  }
}

const moveTo = ({ simulation }: Lived, at: number, end: number) => simulation.moveTo(Math.min(Math.max(at, simulation.now()), end))

/** Perhaps notifies the payer some days before, and collects on the day, perhaps too early or repeatedly. */
async function collect(random: Random, lived: Lived, due: number, end: number) {
  const { simulation } = lived
  const before = 1 + random.below(4)
  if (random.below(5) > 0) {
    await moveTo(lived, begins(due - before) + random.below(24 * 60) * MINUTE, end)
    await notify(random, lived, due + (random.below(4) === 0 ? random.below(4) - 1 : 0))
  }
  const times = 1 + random.below(3)
  await moveTo(lived, begins(due) + random.below(30 * 60) * MINUTE - 3 * HOUR, end)
  for (let time = 0; time < times; time++) {
    await renew(random, lived)
    await moveTo(lived, simulation.now() + random.pick([MINUTE, 20 * MINUTE, 3 * HOUR, DAY]), end)
  }
}

const drawnAmount = async (random: Random, { plan, simulation }: Lived) => {
  const agreed = (await rowOf(simulation)).maxAmountPaise
  if (random.below(8) === 0) return random.pick([agreed + 1, plan.amountPaise, 0, agreed - 1])
  return plan.isFixed ? agreed : 1 + random.below(agreed)
}
const notify = async (random: Random, lived: Lived, day: number) => {
  await lived.simulation.notify(rupees(await drawnAmount(random, lived)), dayText(day))
}
async function renew(random: Random, lived: Lived) {
  const { plan, simulation } = lived
  const debitDate = random.below(6) === 0 ? `${dayText(dayOf(simulation.now()) + random.below(3))} 07:30:00` : undefined
  const amount = plan.isFixed && random.below(2) === 0 ? undefined : rupees(await drawnAmount(random, lived))
  if (isDone(await simulation.renew(amount, debitDate))) lived.renewals++
}

/** Merchant or payer pauses, also over the other's pause. Each lifts only their own. */
async function pause(random: Random, lived: Lived, until: number) {
  const { simulation } = lived
  const byPayer = random.below(2) === 0
  const isActive = (await rowOf(simulation)).status === 'ACTIVE'
  const from = simulation.now()
  const turned = byPayer ? await simulation.payerActs('pause') : isDone(await simulation.modifyStatus('SUSPENDED'))
  if (byPayer && isActive && isDone(await simulation.modifyStatus('ACTIVE'))) throw new Error("a merchant lifted a payer's pause")
  await simulation.moveTo(until)
  if (byPayer) await simulation.payerActs('resume')
  else await simulation.modifyStatus('ACTIVE')
  if (isActive && turned) lived.suspended.push({ from, until: simulation.now() })
}

/** Changes terms. The payer approves, declines or forgets, perhaps too late. */
async function edit(random: Random, lived: Lived, later: number) {
  const { plan, simulation } = lived
  const paise = scaled(plan, random.pick([100_00, 300_00, 400_00]))
  const day = dayOfText((await rowOf(simulation)).expiryDate) + random.pick([-200, -30, 30, 300])
  const isOfAmount = random.below(3) > 0
  const most = plan.isFixed ? paise : Math.max(paise, plan.amountPaise)
  const amount = plan.isFixed ? { renewalAmount: rupees(most) } : { subscriptionMaxAmount: rupees(most) }
  const asked = await simulation.edit(isOfAmount ? amount : { subscriptionExpiryDate: dayText(day) })
  if (!isDone(asked)) return
  lived.edits.set((asked.body as { editId: string }).editId, isOfAmount ? { paise: most } : { day })
  await simulation.moveTo(later)
  if (random.below(3) > 0) await simulation.payerActs(random.below(4) > 0 ? 'approve' : 'decline')
}

/** The payer answers the latest request in their app, perhaps before its day, perhaps too late. */
async function decide(random: Random, { simulation }: Lived) {
  await simulation.payerActs(random.below(4) > 0 ? 'approve' : 'decline')
}

async function endIt(random: Random, lived: Lived) {
  const { simulation } = lived
  const { status } = await rowOf(simulation)
  if (status !== 'ACTIVE' && status !== 'SUSPENDED') return
  const how = random.pick(['close', 'cancel', 'revoke'] as const)
  if (how === 'close') await simulation.close()
  else if (how === 'cancel') await simulation.cancel()
  else await simulation.payerActs('revoke')
  lived.endedAt = simulation.now()
}

/** The faults in the history of a seed; an empty list when it has none. */
export async function wrongsOf(seed: number, newSimulation: NewSimulation): Promise<string[]> {
  const errors: string[] = []
  const failed = (error: Error) => errors.push(`failed: ${error.stack}`)
  const lived = await live(seed, newSimulation, failed).catch(failed)
  return typeof lived === 'object' ? [...errors, ...(await wrongsOfLived(lived))] : errors
}
