/**
 * Lets a merchant, payers, an operator's clock and two services on one PostgreSQL work on a few mandates at once, at a lying bank:
 *
 *     node bin/run.mjs test/crash/mandate-race.ts --times 20 [--mandates 10] [--rounds 40] [--seed 1]
 *
 * In each round time goes on, through all due work or past it. Then every request about a mandate is sent in parallel, to either service,
 * while both collection sweeps look for due work. At the end time moves past the last day of every mandate. No cycle may be debited twice
 * or stay without an end, and no debit may be on one side only. No ended mandate may stay live at the bank, no request may get a system
 * error, and `mohur verify` may name nothing. Prints the figures, and ends with 1 when something is wrong.
 */

import { parseArgs } from 'node:util'
import { MASTER_KEY } from '../../bench/processes.ts'
import { dateInIndia } from '../../src/engine/clock.ts'
import { Unreachable } from '../../src/engine/store.ts'
import { verify } from '../../src/verify/verify.ts'
import { manage } from '../support/mandates/mandates.ts'
import { initiate, subscription } from '../support/mandates/subscription.ts'
import { pay } from '../support/paying/paying.ts'
import { KEY, MID, type Reply, type Service, startService } from '../support/run/service.ts'
import { signIn } from '../support/signin/tokens.ts'
import { Random } from '../support/text/random.ts'
import { endLeases } from './place.ts'
import { type BookFigures, inspect } from './renewal-books.ts'

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000]
const AFTER_DAYS = 45 // after the last day of every mandate: until each party has answered, and late debits are given back
const TRIES = 5
const SCRIPTED = 12 // answers of one mandate
const JUMPS_MS = [MINUTE_MS, 2 * MINUTE_MS, 20 * MINUTE_MS, 3 * HOUR_MS, DAY_MS]
const HOURS_OF_WORK = [0, 6, 13, 18, 21.5] // ends of days, debits, retries, notices
const COLLECTS = [
  ...['success', 'success', 'success', 'insufficient', 'declined', 'lost', 'timeout', 'timeout'],
  ...['slow', 'late', 'pending', 'wrongAmount'],
]
const NOTICES = ['success', 'success', 'success', 'success', 'success', 'lost', 'timeout', 'declined', 'optedOut']
const TERMS = ['pending', 'pending', 'pending', 'success', 'timeout', 'lost']
const MOBILE = '9999900001'

const WEEKLY = { subscriptionFrequencyUnit: 'WEEK', subscriptionGraceDays: '3', subscriptionRetryCount: '2' }
const FIXED = { subscriptionAmountType: 'FIX', subscriptionMaxAmount: undefined, renewalAmount: '400.00' }
const OURS = { autoRenewal: true, autoRetry: true }
/** The mandates take these in turn: the terms, the means of consent, and the amount of the debits. */
const KINDS = [
  { terms: { ...WEEKLY, ...FIXED, ...OURS }, means: { paymentMode: 'UPI', payerAccount: 'success@upi' }, amount: '400.00' },
  { terms: { ...WEEKLY, ...FIXED }, means: { paymentMode: 'UPI', payerAccount: 'success@upi' }, amount: '400.00' },
  {
    terms: { ...WEEKLY, ...FIXED, ...OURS, renewalAmount: '20000.00' },
    means: { paymentMode: 'CREDIT_CARD', cardInfo: '|4111111111111111|123|122032' },
    amount: '20000.00',
  },
  {
    terms: {
      ...{ subscriptionMaxAmount: '400.00', subscriptionFrequencyUnit: 'ONDEMAND' },
      ...{ subscriptionGraceDays: undefined, subscriptionRetryCount: '2' },
    },
    means: { paymentMode: 'UPI', payerAccount: 'success@upi' },
    amount: '390.00',
  },
  { terms: { ...WEEKLY, ...FIXED, ...OURS, subscriptionPaymentMode: 'PPI' }, means: { paymentMode: 'BALANCE' }, amount: '400.00' },
] as const
type Kind = (typeof KINDS)[number]

export interface RaceFigures extends BookFigures {
  seed: number
  rounds: number
  asked: number
  /** Answers that no request may have. */
  systemErrors: string[]
  breaches: string[]
}

interface Mandate {
  subscriptionId: string
  kind: Kind
}
interface Race {
  random: Random
  services: readonly [Service, Service]
  mandates: readonly Mandate[]
  /** The last day of every mandate, unless it is edited. */
  lastDay: string
  orders: number
  asked: number
  systemErrors: string[]
}

export async function mandateRace(seed: number, { mandates = 10, rounds = 40 } = {}): Promise<RaceFigures> {
  const first = await startService('postgres', { env: { MOHUR_MASTER_KEY: MASTER_KEY } })
  const { databaseUrl = '' } = first.place
  const second = await startService('postgres', { env: { MOHUR_MASTER_KEY: MASTER_KEY, DATABASE_URL: databaseUrl } })
  const lastDay = dateInIndia(first.clock.now() + (rounds / 2 + 14) * DAY_MS)
  const race: Race = { random: new Random(seed), services: [first, second], mandates: [], lastDay, orders: 0, asked: 0, systemErrors: [] }
  try {
    const { ssoToken } = await signIn(first, MOBILE)
    race.mandates = await Promise.all(
      Array.from({ length: mandates }, (_, at) => consented(race, `RACE_${at}`, KINDS[at % KINDS.length]!, ssoToken)),
    )
    for (const mandate of race.mandates) await teachToLie(race, mandate)
    for (let round = 0; round < rounds; round++) {
      await goOn(race)
      await together(race)
    }
    const place = { store: 'postgres' as const, folder: first.place.dataFolder, databaseUrl }
    // Work whose process failed is retried when its lease expires, half a minute later.
    await endLeases(place)
    for (const mandate of race.mandates) await resume(race, mandate)
    const end = Date.parse(`${lastDay}T00:00:00+05:30`) + AFTER_DAYS * DAY_MS
    await inTheEnd(() => first.tasks.advance(end, async (instant) => setClocks(race, instant)))
    await Promise.all(looking(race))
    const breaches = (await verify(first.place)).filter(({ breaches }) => breaches > 0).map(({ id }) => id)
    const { asked, systemErrors } = race
    return { seed, rounds, asked, ...(await inspect(place)), systemErrors, breaches }
  } finally {
    for (const service of race.services) await service.close()
  }
}

async function consented({ services: [service], lastDay }: Race, orderId: string, kind: Kind, ssoToken: string): Promise<Mandate> {
  const ofWallet = kind.means.paymentMode === 'BALANCE' && { userInfo: { custId: 'C1', svcSsoToken: ssoToken } }
  const dates = { subscriptionStartDate: dateInIndia(service.clock.now() + DAY_MS), subscriptionExpiryDate: lastDay }
  const terms = { txnAmount: { value: '1.00', currency: 'INR' }, communicationManager: true, ...dates, ...kind.terms, ...ofWallet }
  const { body } = await initiate(service, subscription(orderId, terms))
  const { subscriptionId, txnToken } = body as { subscriptionId: string; txnToken: string }
  const paid = await pay(service, { orderId, txnToken }, kind.means)
  if (paid.body.resultInfo.resultStatus !== 'S') throw new Error(`nobody consented to ${orderId}: ${paid.text}`)
  return { subscriptionId, kind }
}

/** Resumes every paused mandate, so that its remaining days are collected. */
async function resume({ services: [service] }: Race, { subscriptionId }: Mandate) {
  await service.post('/sandbox/payer', JSON.stringify({ mid: MID, subscriptionId, action: 'resume' }))
  await manage(service, '/subscription/status/modify', { subsId: subscriptionId, status: 'ACTIVE' })
}

async function teachToLie({ random, services: [service] }: Race, { subscriptionId }: Mandate) {
  for (const [call, words] of Object.entries({ collect: COLLECTS, notify: NOTICES, mandate: TERMS })) {
    const outcomes = Array.from({ length: SCRIPTED }, () => random.pick(words))
    await service.post('/sandbox/bank/script', JSON.stringify({ mid: MID, subscriptionId, call, outcomes }))
  }
}

// ------------------------------------------------------------------------------------------------------------------- time

/** Moves time: either all work on the way runs, or no process runs meanwhile. */
async function goOn(race: Race) {
  const { random, services } = race
  const now = services[0].clock.now()
  const day = Date.parse(`${dateInIndia(now + random.below(2) * DAY_MS)}T00:00:00+05:30`)
  const to = random.below(2) === 0 ? now + random.pick(JUMPS_MS) : day + random.pick(HOURS_OF_WORK) * HOUR_MS
  if (random.below(4) > 0) return pass(race, to)
  setClocks(race, to)
}

const setClocks = ({ services }: Race, to: number) => {
  for (const { clock } of services) clock.advance(Math.max(0, to - clock.now()))
}

/** Passes every instant at which work is due. Both services look for it there. */
async function pass(race: Race, to: number) {
  const [first, second] = race.services
  const looks: Promise<unknown>[] = []
  await inTheEnd(() =>
    first.tasks.advance(to, async (instant) => {
      setClocks(race, instant)
      looks.push(inTheEnd(() => second.tasks.runDue()))
    }),
  )
  await Promise.all([...looks, ...looking(race)])
}

const looking = ({ services }: Race) => services.map(({ tasks }) => inTheEnd(() => tasks.runDue()))

/** A busy machine may keep a service from its database for seconds, so the look for due work is repeated. */
async function inTheEnd(work: () => Promise<unknown>, tries = TRIES): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Unreachable) || tries === 1) throw error
    await inTheEnd(work, tries - 1)
  }
}

// ----------------------------------------------------------------------------------------------------- what happens at once

type Act = (race: Race, service: Service, mandate: Mandate) => Promise<Reply>

const asking =
  (path: string, bodyOf: (race: Race, mandate: Mandate, now: number) => object): Act =>
  (race, service, mandate) =>
    manage(service, path, { subsId: mandate.subscriptionId, ...bodyOf(race, mandate, service.clock.now()) })

const paying =
  (actionOf: (random: Random) => string): Act =>
  ({ random }, service, { subscriptionId }) =>
    service.post('/sandbox/payer', JSON.stringify({ mid: MID, subscriptionId, action: actionOf(random), isReported: random.below(3) > 0 }))

/** Under a new order id, or under that of another renewal. */
const renewing: Act = (race, service, { subscriptionId, kind }) => {
  const orderId = `RENEWAL_${race.random.below(3) === 0 ? race.orders : ++race.orders}`
  const txnAmount = { value: kind.amount, currency: 'INR' }
  return service.signed(`/subscription/renew?mid=${MID}&orderId=${orderId}`, { mid: MID, orderId, subscriptionId, txnAmount }, { key: KEY })
}
const closing: Act = ({ random, orders }, service) =>
  service.signed('/v1/order/close', { requestType: 'CLOSE', mid: MID, orderId: `RENEWAL_${Math.max(0, orders - random.below(3))}` })

const notifying = asking('/subscription/preNotify', ({ random }, { kind }, now) => ({
  ...{ txnAmount: kind.amount, subscriptionScheduledExecutionDate: dateInIndia(now + (1 + random.below(2)) * DAY_MS) },
  ...(random.below(3) === 0 && { referenceId: 'AGAIN' }),
}))
const editing = asking('/subscription/edit', ({ random, lastDay }, { kind }) => {
  if (random.below(2) === 0) return { subscriptionExpiryDate: dateInIndia(Date.parse(lastDay) + random.pick([-7, -3, 7, 20]) * DAY_MS) }
  return kind.terms.subscriptionMaxAmount === undefined
    ? { renewalAmount: random.pick(['400.00', '410.00', '16000.00']) }
    : { subscriptionMaxAmount: random.pick(['410.00', '16000.00']) }
})

const often = (times: number, act: Act): readonly Act[] => Array.from({ length: times }, () => act)
const ACTS: readonly Act[] = [
  ...[...often(9, renewing), ...often(6, notifying), ...often(2, closing), editing],
  asking('/subscription/consult', (_, { kind }) => ({ amount: kind.amount })),
  asking('/subscription/checkStatus', () => ({})),
  asking('/subscription/status/modify', () => ({ status: 'SUSPENDED' })),
  ...often(
    2,
    asking('/subscription/status/modify', () => ({ status: 'ACTIVE' })),
  ),
  ...often(
    3,
    paying((random) => random.pick(['approve', 'approve', 'approve', 'approve', 'decline', 'skip'])),
  ),
  paying((random) => random.pick(['pause', 'resume', 'resume', 'resume'])),
]
const ENDS: readonly Act[] = [asking('/subscription/cancel', () => ({})), paying(() => 'revoke')]
const ENDS_ONE_IN = 200
const AT_ONCE_MAX = 6 // of one mandate

async function together(race: Race) {
  const { random, services, mandates } = race
  const acts = mandates.flatMap((mandate) =>
    Array.from({ length: random.below(AT_ONCE_MAX + 1) }, () => ({
      act: random.pick(random.below(ENDS_ONE_IN) === 0 ? ENDS : ACTS),
      service: random.pick(services),
      mandate,
    })),
  )
  race.asked += acts.length
  // Without this most mandates would be paused most of the time.
  const resumed = random.below(2) === 0 ? mandates.map((mandate) => resume(race, mandate)) : []
  const replies = acts.map(async ({ act, service, mandate }) => {
    const { status, text, body } = await act(race, service, mandate)
    const { code, resultCode, resultStatus } = body.resultInfo ?? {}
    if (status >= 500 || code === '500' || resultCode === '00000900' || resultStatus === 'U') race.systemErrors.push(text.slice(0, 200))
  })
  await Promise.all([...replies, ...resumed, ...looking(race)])
}

// ------------------------------------------------------------------------------------------------------------------ verdict

/** The figures that must be zero. */
export function faultsIn({ debitedTwice, onlyAtTheBank, onlyOurs, withoutEnd, liveAtTheBank, ...more }: RaceFigures) {
  const { wrongWallets, trialBalance, systemErrors, breaches } = more
  const counts = { debitedTwice, onlyAtTheBank, onlyOurs, withoutEnd, liveAtTheBank, wrongWallets, trialBalance }
  return Object.entries({ ...counts, systemErrors: systemErrors.length, breaches: breaches.length }).filter(([, count]) => count !== 0)
}

if (process.argv[1] === import.meta.filename) {
  const string = { type: 'string' } as const
  const { values } = parseArgs({
    options: {
      times: { ...string, default: '20' },
      mandates: { ...string, default: '10' },
      rounds: { ...string, default: '40' },
      seed: { ...string, default: '1' },
    },
  })
  const [times, mandates, rounds, seed] = [values.times, values.mandates, values.rounds, values.seed].map(Number) as [
    number,
    number,
    number,
    number,
  ]
  for (let time = 0; time < times; time++) {
    const figures = await mandateRace(seed + time, { mandates, rounds })
    console.log(JSON.stringify(figures))
    if (faultsIn(figures).length > 0) process.exitCode = 1
  }
}
