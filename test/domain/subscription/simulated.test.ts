// Mandates from unforeseen histories, each repeated by itself. The service's own decisions run by the clock over a temporary store and bank
// (src/sandbox/simulation.ts).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readReference } from '../../../src/adapters/reference/read-reference.ts'
import { inDetail } from '../../../src/domain/subscription/subscription-view.ts'
import { dateTimeInIndia } from '../../../src/engine/clock.ts'
import type { SimulatedOutcome, TakenCall } from '../../../src/sandbox/simulated-bank.ts'
import { MID, Simulation, type SimulationParts } from '../../../src/sandbox/simulation.ts'
import { subscriptionKey } from '../../../src/tables/keys.ts'
import { find } from '../../../src/tables/tables.ts'
import { listen, sentBeside, type Word } from '../../support/bank/debit-words.ts'
import { at } from '../../support/mandates/timeline.ts'

const reference = readReference()

interface Reported {
  /** Members of Initiate Subscription's body. */
  body?: Record<string, unknown>
  paymentMode?: string
  /** Taken in turn; then everything succeeds. */
  outcomes?: Partial<Record<TakenCall['kind'], SimulatedOutcome[]>> | undefined
}

/** Agreed on 21 November 2026 at 11:00 with one rupee; ₹499 on the fifth of each month, with two days of grace. */
async function mandate({ body = {}, paymentMode = 'UPI', outcomes = {} }: Reported = {}): Promise<Simulation> {
  const simulation = new Simulation({
    request: {
      ...{ requestType: 'NATIVE_SUBSCRIPTION', websiteName: 'DEFAULT', userInfo: { custId: 'C' } },
      ...{ txnAmount: { value: '1.00', currency: 'INR' }, subscriptionAmountType: 'FIX', renewalAmount: '499.00' },
      ...{ subscriptionFrequencyUnit: 'MONTH', subscriptionFrequency: '1', subscriptionStartDate: '2026-12-05' },
      ...{ subscriptionExpiryDate: '2027-12-05', subscriptionGraceDays: '2', subscriptionEnableRetry: '1', subscriptionRetryCount: '2' },
      ...{ autoRenewal: true, autoRetry: true, ...body },
    } as unknown as SimulationParts['request'],
    ...{ paymentMode, mcc: '5999', reference, startsAt: at('2026-11-21 11:00:00') },
    outcomeOf: (kind) => outcomes[kind]?.shift() ?? 'success',
    failed: (error) => {
      throw error
    },
  })
  assert.equal(await simulation.begin(), undefined)
  return simulation
}
const merchants = { autoRenewal: false }
const onDemand = { subscriptionFrequencyUnit: 'ONDEMAND', subscriptionGraceDays: undefined, autoRenewal: false }
const onAccount = {
  ...{ subscriptionPaymentMode: 'BANK_MANDATE', mandateType: 'E_MANDATE', subscriptionGraceDays: undefined, autoRenewal: false },
  ...{ txnAmount: { value: '0.00', currency: 'INR' }, subscriptionEnableRetry: '0', subscriptionRetryCount: undefined },
}

/** `dueDate state`, in order. */
const cycles = async ({ store }: Simulation) =>
  (await store.query.rows(find('collections', { orderBy: ['dueDate'], limit: 100 }))).map(({ dueDate, status }) => `${dueDate} ${status}`)
const nextCollection = async (simulation: Simulation) => {
  const row = await simulation.store.query.row(subscriptionKey(MID, simulation.subscriptionId))
  const [shown] = await inDetail([row!], MID, simulation.store.query, simulation.now())
  return shown!.nextCollectionDate
}
const debits = ({ bank }: Simulation) => [...bank.taken.values()].filter(({ kind, failure }) => kind === 'collect' && !failure)

/** The bank's answers about the attempts at the first cycle, and the calls: `day time what`, in order. */
const wordsOf = (words: readonly Word[]) =>
  words.filter(({ key }) => key.includes(':20261205:')).map(({ key, at: said, what }) => `${timeText(said)} ${key.at(-1)} ${what}`)
const timeText = (instant: number) => dateTimeInIndia(instant).slice(8, 16)

test('a bank that takes a reported failure back is sent no other debit of that cycle until it reports the failure again', async () => {
  const simulation = await mandate({ body: { subscriptionGraceDays: '5' }, outcomes: { collect: ['declined', 'declined', 'declined'] } })
  const words = listen(simulation.bank, simulation.now)
  const { status } = simulation.bank
  const isBack = () => simulation.now() > at('2026-12-06 00:00:00') && simulation.now() < at('2026-12-08 12:00:00')
  simulation.bank.status = async (key: string) =>
    key.endsWith(':1') && isBack() ? { outcome: 'pending' } : status.call(simulation.bank, key)
  const asked = listen(simulation.bank, simulation.now)
  await simulation.moveTo(at('2026-12-12 00:00:00'))
  assert.deepEqual(
    wordsOf(words).filter((word) => word.endsWith('sent')),
    ['05 06:00 1 sent', '08 13:00 2 sent', '09 06:00 3 sent'],
  )
  assert.deepEqual([...sentBeside(asked)], [])
  assert.deepEqual(await cycles(simulation), ['2026-12-05 FAILED', '2027-01-05 SCHEDULED'])
})

test('a bank that called a debit failed and makes it all the same gives it back before the next is sent', async () => {
  const outcomes: Reported['outcomes'] = { collect: ['declined', 'success'], refund: ['late'] }
  const simulation = await mandate({ body: { subscriptionGraceDays: '5' }, outcomes })
  const { status, taken } = simulation.bank
  simulation.bank.status = async (key: string) => {
    const made = taken.get(key)
    if (key.endsWith(':1') && made && simulation.now() > at('2026-12-06 00:00:00')) taken.set(key, { ...made, failure: undefined })
    return status.call(simulation.bank, key)
  }
  const words = listen(simulation.bank, simulation.now)
  await simulation.moveTo(at('2026-12-12 00:00:00'))
  assert.deepEqual([...sentBeside(words)], [])
  const attempts = await simulation.store.query.rows(find('transactions', { equals: { collectionId: '1.20261205' }, limit: 9 }))
  assert.deepEqual(
    attempts.map(({ status: is, returnedPaise }) => `${is} ${returnedPaise}`),
    ['FAILURE 49900', 'SUCCESS 0'],
  )
})

test('a debit that waited for its hour and was not sent, because its payer had not approved it, bars no other', async () => {
  const simulation = await mandate({ body: { ...merchants, renewalAmount: '20000.00' } })
  await simulation.moveTo(at('2026-12-03 11:00:00'))
  assert.equal((await simulation.notify('20000.00', '2026-12-05')).result.name, 'success')
  await simulation.moveTo(at('2026-12-05 11:00:00'))
  assert.equal((await simulation.renew('20000.00')).result.name, 'success') // in hours when no debit may be sent
  await simulation.moveTo(at('2026-12-05 13:00:00'))
  const [unsent] = await simulation.store.query.rows(find('transactions', { equals: { result: 'notAuthenticated' }, limit: 1 }))
  assert.deepEqual([unsent?.sentAt, unsent?.openAtBank], [null, false])
  assert.equal(await simulation.payerActs('approve'), true)
  assert.equal((await simulation.renew('20000.00')).result.name, 'success')
  assert.equal((await cycles(simulation))[0], '2026-12-05 COLLECTED')
  assert.equal(debits(simulation).length, 1)
})

test('a debit that its bank did not know and then notifies is queried at once, also while it waits to be sent again', async () => {
  const simulation = await mandate({ body: merchants })
  const { bank } = simulation
  const { status, payerActs } = bank
  const key = `${MID}:1:20261205:1`
  let isMade = false
  bank.mandates.collect = async () => ({ outcome: 'unknown' }) // its call is still on its way
  const answer = () => (isMade ? { outcome: 'success' as const, reference: 'S1', amountPaise: 499_00 } : { outcome: 'absent' as const })
  bank.status = async (of) => (of === key ? answer() : status.call(bank, of))
  const tell = async () => {
    bank.payerActs = () => key
    await simulation.payerActs('approve')
    bank.payerActs = payerActs
  }
  await simulation.moveTo(at('2026-12-03 11:00:00'))
  assert.equal((await simulation.notify('499.00', '2026-12-05')).result.name, 'success')
  await simulation.moveTo(at('2026-12-05 09:57:00'))
  assert.equal((await simulation.renew()).result.name, 'success')
  await simulation.moveTo(at('2026-12-05 09:59:00')) // absent; from here on no debit may be sent until 13:00
  await tell()
  assert.equal((await cycles(simulation))[0], '2026-12-05 IN_FLIGHT')
  isMade = true
  await tell()
  assert.equal((await simulation.cancel()).result.name, 'success')
  assert.equal((await cycles(simulation))[0], '2026-12-05 COLLECTED')
})

test('a debit on a bank account that succeeds when it was given up is given back', async () => {
  const simulation = await mandate({ body: onAccount, paymentMode: 'BANK_MANDATE', outcomes: { collect: ['late'] } })
  await simulation.moveTo(at('2026-12-05 09:00:00'))
  assert.equal((await simulation.renew()).result.name, 'success')
  await simulation.moveTo(at('2026-12-20 09:00:00'))
  assert.equal(debits(simulation).length, 1)
  const [attempt] = await simulation.store.query.rows(find('transactions', { equals: { collectionId: '1.20261205' }, limit: 9 }))
  assert.deepEqual(
    [attempt!.status, attempt!.result, attempt!.capturedPaise, attempt!.returnedPaise],
    ['FAILURE', 'returned', 499_00, 499_00],
  )
})

test('a mandate on a bank account that was accepted in time is debited on its due days alone, also when no sweep woke it on its first', async () => {
  const weekly = { subscriptionFrequencyUnit: 'WEEK', subscriptionStartDate: '2026-11-30', subscriptionExpiryDate: '2026-12-20' }
  const simulation = await mandate({ body: { ...onAccount, ...weekly, autoRenewal: true }, paymentMode: 'BANK_MANDATE' })
  await simulation.moveTo(at('2026-11-29 10:00:00'))
  simulation.outage(at('2026-12-06 10:00:00'))
  await simulation.moveTo(at('2026-12-21 00:00:00'))
  assert.deepEqual(await cycles(simulation), ['2026-11-30 MISSED', '2026-12-07 COLLECTED', '2026-12-14 COLLECTED'])
  assert.deepEqual(
    debits(simulation).map(({ at: sentAt }) => sentAt),
    [at('2026-12-07 06:00:00'), at('2026-12-14 06:00:00')],
  )
})

test('where the merchant collects, a payer who pauses on the due day or opts out leaves the next cycle', async () => {
  const paused = await mandate({ body: merchants })
  await paused.moveTo(at('2026-12-05 09:00:00'))
  await paused.payerActs('pause')
  await paused.payerActs('resume')
  assert.deepEqual(await cycles(paused), ['2026-12-05 MISSED', '2027-01-05 SCHEDULED'])
  const skipped = await mandate({ body: merchants })
  await skipped.moveTo(at('2026-12-03 09:00:00'))
  await skipped.notify('499.00', '2026-12-05')
  await skipped.payerActs('skip')
  assert.deepEqual(await cycles(skipped), ['2026-12-05 SKIPPED', '2027-01-05 SCHEDULED'])
  await skipped.moveTo(at('2027-02-06 00:00:00'))
  await skipped.notify('499.00', '2027-02-07') // two cycles later it may still be collected
  await skipped.moveTo(at('2027-02-07 09:00:00'))
  assert.equal((await skipped.renew()).result.name, 'success')
  assert.deepEqual((await cycles(skipped)).slice(0, 3), ['2026-12-05 SKIPPED', '2027-01-05 MISSED', '2027-02-05 COLLECTED'])
})

test('a later last day brings a cycle when the one that was the last has ended already', async () => {
  const simulation = await mandate({ body: { subscriptionExpiryDate: '2027-01-20' } })
  await simulation.moveTo(at('2027-01-10 10:00:00'))
  assert.deepEqual(await cycles(simulation), ['2026-12-05 COLLECTED', '2027-01-05 COLLECTED'])
  await simulation.edit({ subscriptionExpiryDate: '2027-03-20' })
  assert.deepEqual((await cycles(simulation)).slice(2), ['2027-02-05 SCHEDULED'])
  await simulation.moveTo(at('2027-04-01 10:00:00'))
  assert.deepEqual((await cycles(simulation)).slice(2), ['2027-02-05 COLLECTED', '2027-03-05 COLLECTED'])
})

test('a later last day brings a cycle also when the one that was the last is under way, however that ends', async () => {
  const ends: [string, SimulatedOutcome[], (of: Simulation) => Promise<unknown>, string][] = [
    ['2027-01-04 10:00:00', [], (of) => of.payerActs('skip'), 'SKIPPED'],
    ['2027-01-07 06:01:00', ['declined', 'declined', 'pending'], (of) => of.payerActs('skip'), 'FAILED'],
  ]
  for (const [when, collect, end, status] of ends) {
    const simulation = await mandate({ body: { subscriptionExpiryDate: '2027-01-20' }, outcomes: { collect: ['success', ...collect] } })
    await simulation.moveTo(at(when))
    assert.deepEqual((await cycles(simulation)).length, 2, when)
    await simulation.edit({ subscriptionExpiryDate: '2027-02-20' })
    await end(simulation)
    await simulation.moveTo(at('2027-03-01 10:00:00'))
    assert.deepEqual(await cycles(simulation), ['2026-12-05 COLLECTED', `2027-01-05 ${status}`, '2027-02-05 COLLECTED'], when)
  }
})

test('a cycle due after an earlier last day is neither notified nor debited, and is back with a later one', async () => {
  const simulation = await mandate()
  await simulation.moveTo(at('2026-12-10 10:00:00'))
  await simulation.edit({ subscriptionExpiryDate: '2027-01-04' })
  const heard = simulation.bank.received.length
  await simulation.moveTo(at('2027-01-04 09:00:00'))
  assert.equal(simulation.bank.received.length, heard)
  assert.deepEqual(await cycles(simulation), ['2026-12-05 COLLECTED', '2027-01-05 SCHEDULED'])
  assert.equal(await nextCollection(simulation), undefined)
  await simulation.edit({ subscriptionExpiryDate: '2027-02-04' })
  assert.equal(await nextCollection(simulation), '2027-01-05')
  await simulation.moveTo(at('2027-03-01 09:00:00'))
  assert.deepEqual(await cycles(simulation), ['2026-12-05 COLLECTED', '2027-01-05 COLLECTED'])
})

test('an edit leaves the notified cycle as it was, and its successor is not opened before its time', async () => {
  const simulation = await mandate()
  await simulation.moveTo(at('2026-12-04 10:00:00'))
  await simulation.edit({ renewalAmount: '300.00' })
  await simulation.moveTo(at('2027-01-06 10:00:00'))
  assert.deepEqual(
    debits(simulation).map(({ amountPaise }) => amountPaise),
    [499_00, 300_00],
  )
  assert.deepEqual(await cycles(simulation), ['2026-12-05 COLLECTED', '2027-01-05 COLLECTED', '2027-02-05 SCHEDULED'])
})

test('on demand a pause, and an end, take every notified day with them, however many', async () => {
  for (const end of [(of: Simulation) => of.modifyStatus('SUSPENDED'), (of: Simulation) => of.cancel()]) {
    const simulation = await mandate({ body: onDemand })
    await simulation.moveTo(at('2027-01-01 09:00:00'))
    const days = ['02', '03', '04', '05', '06', '07', '08'].map((day) => `2027-01-${day}`)
    for (const day of days) assert.equal((await simulation.notify('499.00', day)).result.name, 'success')
    await simulation.moveTo(at('2027-01-02 10:30:00'))
    assert.equal((await simulation.renew()).result.name, 'success') // waits for one o'clock
    await end(simulation)
    await simulation.modifyStatus('ACTIVE')
    await simulation.moveTo(at('2027-01-02 14:00:00'))
    assert.deepEqual([debits(simulation).length, (await cycles(simulation))[0]], [0, '2027-01-02 MISSED'])
    await simulation.moveTo(at('2027-02-01 09:00:00'))
    assert.deepEqual(
      await cycles(simulation),
      days.map((day) => `${day} MISSED`),
    )
  }
})

test('a payer who opts out while an attempt is under way is not tried again, and what waits for its hour is not sent', async () => {
  const tried = await mandate({ outcomes: { collect: ['pending'] } })
  await tried.moveTo(at('2026-12-05 06:01:00'))
  await tried.payerActs('skip')
  await tried.moveTo(at('2026-12-09 10:00:00'))
  assert.deepEqual([debits(tried).length, (await cycles(tried))[0]], [0, '2026-12-05 FAILED'])
  const waiting = await mandate({ body: merchants })
  await waiting.moveTo(at('2026-12-03 09:00:00'))
  await waiting.notify('499.00', '2026-12-05')
  await waiting.moveTo(at('2026-12-05 10:30:00'))
  assert.equal((await waiting.renew()).result.name, 'success') // waits for one o'clock
  await waiting.payerActs('skip')
  await waiting.moveTo(at('2026-12-09 10:00:00'))
  assert.deepEqual([debits(waiting).length, (await cycles(waiting))[0]], [0, '2026-12-05 SKIPPED'])
  const order = await waiting.store.query.rows(find('orders', { equals: { orderId: 'R1' }, limit: 1 }))
  assert.deepEqual(
    order.map(({ status }) => status),
    ['CLOSED'],
  )
})

test('a mandate that its payer has resumed at the bank is debited again although the answer was lost', async () => {
  const simulation = await mandate()
  const [subscription, { mandates }] = [
    async () => (await simulation.store.query.rows(find('subscriptions', { limit: 1 })))[0]!,
    simulation.bank,
  ]
  await simulation.moveTo(at('2026-12-10 10:00:00'))
  await simulation.payerActs('pause')
  assert.equal((await subscription()).subStatus, 'USER_PAUSED')
  const { status } = mandates
  mandates.status = async () => ({ outcome: 'unknown' })
  await simulation.moveTo(at('2026-12-20 10:00:00'))
  await simulation.payerActs('resume')
  await simulation.moveTo(at('2026-12-21 11:00:00'))
  assert.equal((await subscription()).subStatus, 'USER_PAUSED', 'nobody has said so')
  mandates.status = status
  await simulation.moveTo(at('2026-12-22 11:00:00'))
  assert.equal((await subscription()).subStatus, 'ACTIVE')
  await simulation.moveTo(at('2027-12-06 00:00:00'))
  assert.deepEqual((await cycles(simulation)).slice(0, 3), ['2026-12-05 COLLECTED', '2027-01-05 COLLECTED', '2027-02-05 COLLECTED'])
  assert.equal((await subscription()).status, 'EXPIRED')
})

test('a merchant’s pause that reaches the bank late, or stays after its lifting, is lifted again and never taken for the payer’s', async () => {
  for (const isLate of [true, false]) {
    const simulation = await mandate()
    const { bank } = simulation
    const { pause, resume, status } = bank.mandates
    const lifted: string[] = []
    const byMerchant = { outcome: 'paused', pausedBy: 'merchant' } as const
    bank.mandates.status = async (key) => (bank.state === 'paused' ? byMerchant : status(key))
    bank.mandates.pause = async (key, reference) => (isLate ? { outcome: 'unknown' } : pause(key, reference))
    bank.mandates.resume = async (key, reference) => {
      lifted.push(key)
      return isLate || lifted.length > 2 ? resume(key, reference) : byMerchant
    }
    await simulation.moveTo(at('2026-12-10 10:00:00'))
    await simulation.modifyStatus('SUSPENDED')
    await simulation.modifyStatus('ACTIVE')
    if (isLate) await pause('', '')
    await simulation.moveTo(at('2027-01-06 10:00:00'))
    const moves = await simulation.store.query.rows(
      find('events', { equals: { aggregate: 'subscription' }, orderBy: ['version'], limit: 9 }),
    )
    assert.deepEqual(
      moves.slice(2).map(({ type }) => type),
      ['subscription.paused', 'subscription.resumed'],
    )
    assert.deepEqual((await cycles(simulation)).slice(0, 2), ['2026-12-05 COLLECTED', '2027-01-05 COLLECTED'])
    assert.equal(lifted.length, isLate ? 2 : 3)
    assert.equal(new Set(lifted).size, lifted.length, 'each time under a key of its own')
  }
})

test('a late approval holds although other terms were requested since, and their approval holds when it comes too', async () => {
  const simulation = await mandate({ outcomes: { amend: ['pending', 'pending'] } })
  const most = async () => (await simulation.store.query.rows(find('subscriptions', { limit: 1 })))[0]!.renewalAmountPaise
  await simulation.edit({ renewalAmount: '300.00' })
  await simulation.moveTo(at('2026-11-23 11:00:00'))
  await simulation.edit({ renewalAmount: '200.00' })
  await simulation.payerActs('decline') // the newer
  await simulation.payerActs('approve') // the older
  assert.equal(await most(), 300_00)
  const both = await mandate({ outcomes: { amend: ['pending', 'pending'] } })
  await both.edit({ renewalAmount: '300.00' })
  await both.moveTo(at('2026-11-23 11:00:00'))
  await both.edit({ renewalAmount: '200.00' })
  await both.payerActs('approve')
  const [row] = await both.store.query.rows(find('subscriptions', { limit: 1 }))
  assert.deepEqual([row!.renewalAmountPaise, row!.edit], [200_00, null])
})
