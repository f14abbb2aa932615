// Consult reports Renew's reply at that moment (docs/interface.md section 4.40). Tested with drawn mandates, each at one instant, and with
// one that changes while Consult reads it.

import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { readReference } from '../../../../../src/adapters/reference/read-reference.ts'
import { dateInIndia, dateTimeInIndia } from '../../../../../src/engine/clock.ts'
import type { Change, Looks, Query, Read, Reads, Reply } from '../../../../../src/engine/decision.ts'
import { toRupees } from '../../../../../src/interface/money.ts'
import type { Simulation as Simulated, SimulationParts } from '../../../../../src/sandbox/simulation.ts'
import { collectionKey, merchantKey, orderKey, subscriptionKey } from '../../../../../src/tables/keys.ts'
import { type Find, type Key, look, type Row } from '../../../../../src/tables/tables.ts'
import { addCycle, CONSENTED, consented } from '../../../../support/mandates/mandates.ts'
import {
  agreedTo,
  broughtTo,
  cycleIdOn,
  type Drawn,
  drawn,
  lastDayOf,
  renamed,
  rowsOf,
  rupees,
} from '../../../../support/mandates/renewals.ts'
import { at } from '../../../../support/mandates/timeline.ts'
import { fromCheckout } from '../../../../support/run/checkout.ts'
import { MID, onBothStores, type Service, sharedService, startService } from '../../../../support/run/service.ts'
import { sized } from '../../../../support/run/sizes.ts'
import { Random } from '../../../../support/text/random.ts'

const { MemoryStore } = await fromCheckout<typeof import('../../../../../src/engine/memory-store.ts')>('src/engine/memory-store.ts')
const { consultSubscription } = await fromCheckout<
  typeof import('../../../../../src/domain/subscription/collection/consult-subscription.ts')
>('src/domain/subscription/collection/consult-subscription.ts')
const { renewSubscription } = await fromCheckout<typeof import('../../../../../src/domain/subscription/collection/renew-subscription.ts')>(
  'src/domain/subscription/collection/renew-subscription.ts',
)

const { MID: SIMULATED, Simulation } =
  await fromCheckout<typeof import('../../../../../src/sandbox/simulation.ts')>('src/sandbox/simulation.ts')
const reference = readReference()
type Simulation = Simulated

const SEED = Number(process.env['MOHUR_SEED'] ?? 20_261_123)
const VALID = { signature: 'valid' } as const
const AT_ONCE = 'sent at once'
const SHOWN_MAX = 5

/** A row of the table of section 4.40. Renew's reply has a code, and names no time. */
const WORDS: Readonly<Record<string, string>> = {
  ...{ notActive: 'notActive', expired: 'expired', tooEarly: 'tooEarlyForCycle', alreadyCollected: 'alreadyCollected' },
  ...{ skipped: 'skipped', inFlight: 'inFlight', retryNotAllowed: 'retryNotAllowed', attemptsUsedUp: 'attemptsUsedUp' },
  ...{ noticeNotFound: 'noNotice', invalidTxnAmount: 'anotherAmount', amountOverMax: 'amountOverMax' },
}
const isWord = (rule: string) => Object.values(WORDS).includes(rule)

/** Where a drawn mandate is written. Every check gets its own rows. */
interface Place {
  query: Query
  renew(command: Parameters<typeof renewSubscription.decide>[0]): Promise<Reply>
}
type Where = (drawn: Drawn) => Promise<{ of: Drawn } & Place>

// ----------------------------------------------------------------------------------------------------------- what is said

const requestOf = ({ subscription: { mid, subscriptionId }, category, amountPaise }: Drawn) => ({
  ...{ mid, subscriptionId, caller: VALID, reference: { category: () => category }, amount: toRupees(amountPaise) },
})

async function consulted({ of, query }: { of: Drawn } & Place): Promise<string> {
  const { mid, amount, ...command } = requestOf(of)
  const request = { mid, amount, ...(of.debitDate !== undefined && { debitDate: of.debitDate }) }
  const { result, body } = await consultSubscription.answer({ ...command, request, now: of.now }, query)
  assert.equal(result.name, 'success')
  const { permitted, rule, nextPermittedTime } = body as { permitted: boolean; rule?: string; nextPermittedTime?: string }
  if (permitted) return [AT_ONCE, rule, nextPermittedTime].filter(Boolean).join(' ')
  return isWord(rule!) ? rule! : [rule, nextPermittedTime].filter(Boolean).join(' ')
}

async function renewed({ of, renew }: { of: Drawn } & Place, now: number, debitDate?: string): Promise<string> {
  const { mid, amount: _, ...command } = requestOf(of)
  const named = { orderId: `R${of.subscription.subscriptionId}`, subscriptionId: command.subscriptionId }
  const request = { mid, ...named, txnAmount: rupees(of.amountPaise), ...(debitDate !== undefined && { debitDate }) }
  const { result, message, body } = await renew({ ...command, request, now, fresh: { txnId: `T${of.subscription.subscriptionId}` } })
  if (result.name === 'success') {
    const { rule, nextAttemptTime } = body as { rule?: string; nextAttemptTime?: string }
    return rule === undefined ? AT_ONCE : `${rule} ${nextAttemptTime}`
  }
  if (result.name !== 'forbidden') return WORDS[result.name] ?? result.name
  const [, rule, next] = /: (\w+)(?:, next (.*))?$/.exec(message!)!
  return [rule, next].filter(Boolean).join(' ')
}

/** Consult reports the amount last. When Renew refuses the amount, the test asks a mandate that allows it for the next reason. */
async function renewal(where: Where, drawn: Drawn, now: number, debitDate?: string, placed?: { of: Drawn } & Place): Promise<string> {
  const heard = await renewed(placed ?? (await where(drawn)), now, debitDate)
  if (heard !== 'anotherAmount' && heard !== 'amountOverMax') return heard
  const otherwise = await renewed(await where(agreedTo(drawn)), now, debitDate)
  return otherwise === AT_ONCE || otherwise.startsWith('debitDate ') ? heard : otherwise
}

interface Figures {
  different: string[]
  heard: Map<string, number>
}

async function compare(where: Where, drawn: Drawn, { different, heard }: Figures) {
  const { now, debitDate, subscription } = drawn
  const wanted = debitDate === undefined ? now : at(debitDate)
  const then = Math.max(now, wanted)
  const asked = broughtTo(drawn, then)
  const placed = await where(asked)
  const said = await consulted(placed)
  const answered = await renewal(where, asked, then, undefined, placed)
  const about = () => `${dateTimeInIndia(now)}${debitDate ? `, debitDate ${debitDate}` : ''}, ${JSON.stringify(asked)}`
  note(heard, said)
  if (said !== answered) return different.push(`consult: ${said}; renew: ${answered}; ${about()}`)
  // A renewal now for a later debit, where both are in one cycle. It waits for that time, and for whatever else it would wait for then.
  const cycle = drawn.cycles.find(({ collectionId }) => collectionId === cycleIdOn(drawn, now))
  const isOfOneCycle = cycleIdOn(drawn, now) === cycleIdOn(drawn, then) && (cycle === undefined || cycle.windowFrom <= dateInIndia(now))
  const isWithin = cycle !== undefined || dateInIndia(then) <= (lastDayOf(drawn, now) ?? '')
  if (then === now || !isOfOneCycle || !isWithin || dateInIndia(then) > subscription.expiryDate) return
  const waits = await renewal(where, drawn, now, debitDate)
  const expected = said === AT_ONCE ? `debitDate ${debitDate}` : said
  if (waits !== expected) different.push(`consult: ${said}; renew with debitDate: ${waits}; ${about()}`)
}

function note(heard: Map<string, number>, said: string) {
  const kind = said === AT_ONCE ? said : said.split(' ')[0]!
  heard.set(kind, (heard.get(kind) ?? 0) + 1)
}
const kindsIn = (heard: Map<string, number>) =>
  [...heard]
    .sort(([, a], [, b]) => b - a)
    .map(([kind, times]) => `${kind} ${times}`)
    .join(', ')

async function pairs(t: TestContext, count: number, seed: number, first: Row<'subscriptions'>, where: Where) {
  const random = new Random(seed)
  const figures: Figures = { different: [], heard: new Map() }
  for (let at = 0; at < count; at++) await compare(where, drawn(random, first, `D${at}`), figures)
  const { different, heard } = figures
  t.diagnostic(`seed ${seed}: ${count} pairs, ${different.length} different; ${kindsIn(heard)}`)
  return figures
}

// ------------------------------------------------------------------------------------------------------------- in memory

const FIRST = {
  ...{ mid: MID, subscriptionId: '', orderId: 'FIRST', custId: 'C', details: {}, appInvokeDevice: '3P', paymentModes: [] },
  ...{ ...CONSENTED, createdAt: 0, updatedAt: 0 },
} as unknown as Row<'subscriptions'>

/** Decided without a write, so that each query meets the same rows. */
const inMemory: Where = async (of) => {
  const store = new MemoryStore()
  const changes: Change[] = [
    { kind: 'insert', key: merchantKey(MID), row: { mid: MID, mcc: '5999', status: 'ACTIVE' } as Row<'merchants'> },
    { kind: 'insert', key: orderKey(MID, 'FIRST'), row: { mid: MID, orderId: 'FIRST', details: { userInfo: {} } } as Row<'orders'> },
    ...rowsOf(of),
  ]
  store.write({ changes, events: [], tasks: [] })
  const { query } = store
  const brought = (read: Read) =>
    'table' in read ? query.row(read) : 'limit' in read ? query.rows(read) : Promise.all(read.map((key) => query.row(key)))
  const read = async (reads: Reads) =>
    Object.fromEntries(await Promise.all(Object.entries(reads).map(async ([name, read]) => [name, read && (await brought(read))])))
  return {
    ...{ of, query },
    async renew(command) {
      const state = await read(renewSubscription.reads(command))
      const next = await read(renewSubscription.readsNext!(command, state as never))
      return renewSubscription.decide(command, { ...state, ...next } as never).reply
    },
  }
}

const ALL_WORDS = [
  ...[AT_ONCE, ...Object.values(WORDS)],
  ...['noticeTooShort', 'noticedLater', 'forbiddenHours', 'windowOver', 'moreThanNoticed', 'notAuthenticated'],
]

test('Consult and Renew say the same of drawn mandates, each at one instant', async (t) => {
  const count = sized(1_000, 10_000)
  const { different, heard } = await pairs(t, count, SEED, FIRST, inMemory)
  assert.equal(different.length, 0, different.slice(0, SHOWN_MAX).join('\n'))
  for (const word of ALL_WORDS) assert.ok(heard.has(word), `${word} was never said`)
})

// ----------------------------------------------------------------------------------------------------------------- lived

/** By the clock, with payers who skip and pause, and a service that is down for a while. */
async function lived(random: Random): Promise<Simulation> {
  const isFixed = random.below(2) === 0
  const [unit, days] = random.pick([
    ['WEEK', 7],
    ['MONTH', 30],
    ['BI_MONTHLY', 60],
    ['ONDEMAND', 7],
  ] as const)
  const amount = random.pick(['499.00', '15000.00', '20000.00'])
  const simulation = new Simulation({
    request: {
      ...{ requestType: 'NATIVE_SUBSCRIPTION', websiteName: 'DEFAULT', userInfo: { custId: 'C' } },
      ...{ txnAmount: rupees(100), subscriptionAmountType: isFixed ? 'FIX' : 'VARIABLE' },
      ...(isFixed ? { renewalAmount: amount } : { subscriptionMaxAmount: amount }),
      ...{ subscriptionFrequencyUnit: unit, subscriptionFrequency: '1', subscriptionStartDate: '2026-12-05' },
      ...{ subscriptionExpiryDate: '2027-12-05', subscriptionEnableRetry: '1', subscriptionRetryCount: '2' },
      ...(unit !== 'ONDEMAND' && { subscriptionGraceDays: '2' }),
      ...{ autoRenewal: isFixed && unit !== 'ONDEMAND' && random.below(2) === 0, autoRetry: true },
    } as unknown as SimulationParts['request'],
    ...{
      paymentMode: random.pick(['UPI', 'CREDIT_CARD', 'BALANCE']),
      balancePaise: 50_000_00,
      mcc: '5999',
      reference,
      startsAt: at('2026-11-21 11:00:00'),
    },
    outcomeOf: () => (random.below(4) > 0 ? 'success' : random.pick(['declined', 'pending'] as const)),
    failed: (error) => {
      throw error
    },
  })
  assert.equal(await simulation.begin(), undefined)
  for (let steps = random.below(8); steps > 0; steps--) await step(random, simulation, days, amount)
  return simulation
}

async function step(random: Random, simulation: Simulation, days: number, amount: string) {
  const to = simulation.now() + random.below(days * 36) * 60 * 60_000
  const day = dateInIndia(simulation.now() + random.below(8) * 24 * 60 * 60_000)
  const acts: (() => unknown)[] = [
    ...[() => simulation.moveTo(to), () => simulation.moveTo(to), () => simulation.moveTo(to), () => simulation.outage(to)],
    ...[() => simulation.notify(amount, day), () => simulation.notify(amount, day), () => simulation.notify('100.00', day)],
    ...[() => simulation.modifyStatus('SUSPENDED'), () => simulation.modifyStatus('ACTIVE'), () => simulation.renew(amount)],
    ...(['skip', 'pause', 'resume', 'approve'] as const).map((act) => () => simulation.payerActs(act)),
  ]
  await random.pick(acts)()
}

test('Consult and Renew say the same of mandates that were lived', async (t) => {
  const [count, seed] = [sized(100, 1_000), SEED + 2]
  const random = new Random(seed)
  const heard = new Map<string, number>()
  const different: string[] = []
  for (let lives = 0; lives < count; lives++) {
    const simulation = await lived(random)
    const { store, subscriptionId } = simulation
    const subscription = (await store.query.row(look('subscriptions', SIMULATED, subscriptionId)))!
    for (let asks = 0; asks < 4; asks++) {
      if (random.below(2) === 0) simulation.outage(simulation.now() + random.below(100) * 60 * 60_000)
      const now = simulation.now()
      const amountPaise = random.pick([subscription.maxAmountPaise, subscription.maxAmountPaise, 100_00])
      const of = { subscription, cycles: [], notices: [], category: undefined, amountPaise, debitDate: undefined, now }
      const place = {
        of,
        query: store.query,
        renew: ({ request }: Parameters<Place['renew']>[0]) => simulation.renew(request.txnAmount?.value),
      }
      const said = await consulted(place)
      const answered = await renewed(place, now)
      note(heard, said)
      const isAmount = answered === 'anotherAmount' || answered === 'amountOverMax'
      if (isAmount ? said === AT_ONCE : said !== answered)
        different.push(`consult: ${said}; renew: ${answered}; life ${lives}, ${dateTimeInIndia(now)}`)
    }
  }
  t.diagnostic(`seed ${seed}: ${count * 4} pairs in ${count} lives, ${different.length} different; ${kindsIn(heard)}`)
  assert.equal(different.length, 0, different.slice(0, SHOWN_MAX).join('\n'))
})

// --------------------------------------------------------------------------------------------------------- on both stores

onBothStores('consult and renew', (store) => {
  const running = sharedService(store)
  const opened: Service[] = []
  after(() => Promise.all(opened.map((service) => service.close())))

  test('say the same of drawn mandates that are written', async (t) => {
    const { ports, store: kept } = await running()
    const id = await consented(await running(), 'drawn')
    const first = (await ports.query.row(look('subscriptions', MID, id)))!
    let copies = 0
    const written: Where = async (drawn) => {
      const of = renamed(drawn, `${drawn.subscription.subscriptionId}-${copies++}`)
      await kept.transaction(({ write }) => write({ changes: rowsOf(of), events: [], tasks: [] }))
      return { of, query: ports.query, renew: (command) => ports.engine.submit(renewSubscription, command) }
    }
    const { different } = await pairs(t, sized(200, 600), SEED + 1, first, written)
    assert.equal(different.length, 0, different.slice(0, SHOWN_MAX).join('\n'))
  })

  test('a mandate that is cancelled while Consult reads it is as before or as after, and not half of each', async () => {
    let changes: Change[] = []
    const service = await startService(store, {
      store(real) {
        /** After the read of the subscription's row everything else changes, and nothing waits for the reader. */
        const looksOf = (looks: Looks): Looks => ({
          async row<T extends Key['table']>(key: Key<T>) {
            const row = await looks.row(key)
            const due = key.table === 'subscriptions' ? changes : []
            if (due.length > 0) changes = []
            if (due.length > 0) await real.transaction(({ write }) => write({ changes: due, events: [], tasks: [] }))
            return row
          },
          rows: <T extends Key['table']>(find: Find<T>) => looks.rows(find),
        })
        const { query } = real
        const atOneMoment: Query['atOneMoment'] = (work) => query.atOneMoment((looks) => work(looksOf(looks)))
        const seen: Query = { ...query, ...looksOf(query), atOneMoment }
        return new Proxy(real, {
          get(target, member) {
            const value: unknown = member === 'query' ? seen : Reflect.get(target, member, target)
            return typeof value === 'function' ? value.bind(target) : value
          },
        })
      },
    })
    opened.push(service)
    const id = await consented(service, 'torn')
    const cycle = await addCycle(service, id, { windowTo: '2026-06-17' })
    const subscription = (await service.ports.query.row(look('subscriptions', MID, id)))!
    const ask = async () => {
      const request = { mid: MID, amount: '50.00' }
      const command = { request, caller: VALID, subscriptionId: id, reference: service.ports.reference, now: service.clock.now() }
      return ((await consultSubscription.answer(command, service.ports.query)).body as { rule: string }).rule
    }
    assert.equal(await ask(), 'noNotice')
    changes = [
      { kind: 'update', key: subscriptionKey(MID, id), row: { ...subscription, status: 'REJECT', subStatus: 'MERCHANT_CANCELLED' } },
      { kind: 'update', key: collectionKey(MID, cycle.collectionId), row: { ...cycle, status: 'MISSED', nextAt: null } },
    ]
    assert.equal(await ask(), 'noNotice', 'an active mandate with a cycle that was missed never was')
    assert.equal(await ask(), 'notActive')
  })
})
