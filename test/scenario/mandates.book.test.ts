// What becomes of a mandate when something comes between: pauses, outages, money that is not there, an end. Exactly which events,
// and what the bank did. docs/interface.md section 3.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manage } from '../support/mandates.ts'
import { onBothStores, type Service, sharedService } from '../support/service.ts'
import { at, consented, events, journal, moveTo } from '../support/timeline.ts'
import { assertHolds } from '../support/verify.ts'

const rupees = (value: string) => ({ value, currency: 'INR' })
const setStatus = (service: Service, subsId: string, status: 'ACTIVE' | 'SUSPENDED') =>
  manage(service, '/subscription/subscription/status/modify', { subsId, status })
const isOf =
  (...types: string[]) =>
  (line: string) =>
    types.some((type) => line.endsWith(`collection.${type}`))
const ENDS = isOf('collected', 'missed', 'failed', 'skipped')

onBothStores('a mandate by the book', (store) => {
  const service = sharedService(store)
  /** Each for two months of a year of its own. */
  const agreed = async (orderId: string, start: string, more: Record<string, unknown> = {}) => {
    const running = await service()
    await moveTo(running, `${start.slice(0, 8)}01 11:00:00`)
    const terms = { txnAmount: rupees('1.00'), renewalAmount: '499.00', subscriptionGraceDays: '2', subscriptionRetryCount: '2' }
    const expiry = `${start.slice(0, 5)}0${Number(start[6]) + 2}${start.slice(7)}`
    const dates = { subscriptionStartDate: start, subscriptionExpiryDate: expiry }
    return { running, ...(await consented(running, orderId, { ...terms, ...dates, ...more })) }
  }

  test('that is paused over two due days misses both, and is collected again on the third', async () => {
    const { running, subscriptionId } = await agreed('PAUSED-TWICE', '2027-02-05')
    await moveTo(running, '2027-02-04 23:30:00')
    await setStatus(running, subscriptionId, 'SUSPENDED')
    await moveTo(running, '2027-03-06 09:00:00')
    await setStatus(running, subscriptionId, 'ACTIVE')
    await moveTo(running, '2027-04-06 12:00:00')
    assert.deepEqual((await events(running, subscriptionId)).filter(ENDS), [
      '2027-02-05 06:00:00 20270205 collection.missed',
      '2027-03-05 00:00:00 20270305 collection.missed',
      '2027-04-05 06:00:00 20270405 collection.collected',
    ])
    assert.deepEqual(
      (await journal(running, subscriptionId)).filter((line) => line.includes(' collect ')),
      ['2027-04-05 06:00:00 collect success 499.00'],
    )
  })

  test('that is paused before midnight and resumed before six is not debited on that day', async () => {
    const { running, subscriptionId } = await agreed('PAUSED-OVERNIGHT', '2028-02-05')
    await moveTo(running, '2028-02-04 23:30:00')
    await setStatus(running, subscriptionId, 'SUSPENDED')
    await moveTo(running, '2028-02-05 04:30:00')
    await setStatus(running, subscriptionId, 'ACTIVE')
    await moveTo(running, '2028-03-05 12:00:00')
    assert.deepEqual((await events(running, subscriptionId)).filter(ENDS), [
      '2028-02-05 04:30:00 20280205 collection.missed',
      '2028-03-05 06:00:00 20280305 collection.collected',
    ])
  })

  test('whose attempt is in flight when it is paused ends with that attempt, and is not tried again when it is resumed', async () => {
    const { running, subscriptionId } = await agreed('PAUSED-IN-FLIGHT', '2029-03-05', { payerAccount: 'debit-pending@upi' })
    await moveTo(running, '2029-03-05 06:00:00')
    await setStatus(running, subscriptionId, 'SUSPENDED')
    await moveTo(running, '2029-03-05 06:10:00')
    await setStatus(running, subscriptionId, 'ACTIVE')
    await moveTo(running, '2029-03-20 12:00:00')
    const own = (await events(running, subscriptionId)).filter((line) => line.includes(' 20290305 '))
    assert.equal(own.filter(isOf('attempted')).length, 1)
    assert.equal(own.filter(isOf('failed')).length, 1)
    assert.equal((await journal(running, subscriptionId)).filter((line) => line.includes(' collect ')).length, 1)
  })

  test('that may not be retried fails with its first attempt', async () => {
    const none = { subscriptionEnableRetry: '0', subscriptionRetryCount: undefined, payerAccount: 'debit-declined@upi' }
    const { running, subscriptionId } = await agreed('NO-RETRY', '2030-02-05', none)
    await moveTo(running, '2030-02-20 12:00:00')
    assert.deepEqual((await events(running, subscriptionId)).slice(-2), [
      '2030-02-05 06:00:00 20300205 collection.attempted',
      '2030-02-05 06:00:00 20300205 collection.failed',
    ])
  })

  test('with as much grace as its cycle is tried to the day before the next one, and no day belongs to two', async () => {
    const weekly = {
      subscriptionFrequencyUnit: 'WEEK',
      subscriptionGraceDays: '7',
      subscriptionRetryCount: '3',
      payerAccount: 'debit-declined@upi',
    }
    const { running, subscriptionId } = await agreed('ALL-GRACE', '2031-02-05', weekly)
    await moveTo(running, '2031-02-20 12:00:00')
    const tries = (await events(running, subscriptionId)).filter(isOf('attempted'))
    assert.deepEqual(tries, [
      ...['05', '06', '07', '08'].map((day) => `2031-02-${day} 06:00:00 20310205 collection.attempted`),
      ...['12', '13', '14', '15'].map((day) => `2031-02-${day} 06:00:00 20310212 collection.attempted`),
      '2031-02-19 06:00:00 20310219 collection.attempted',
      '2031-02-20 06:00:00 20310219 collection.attempted',
    ])
  })

  test('of which nothing ran for three weeks is debited for what its window still holds, and has missed the rest', async () => {
    const weekly = { subscriptionFrequencyUnit: 'WEEK', subscriptionGraceDays: '5' }
    const { running, subscriptionId } = await agreed('OUTAGE', '2032-02-05', weekly)
    running.clock.advance(at('2032-02-27 14:00:00') - running.clock.now())
    await moveTo(running, '2032-03-05 12:00:00')
    assert.deepEqual((await events(running, subscriptionId)).filter(ENDS), [
      '2032-02-27 14:00:00 20320205 collection.missed',
      '2032-02-27 14:00:00 20320212 collection.missed',
      '2032-02-27 14:00:00 20320219 collection.missed',
      '2032-02-28 14:00:00 20320226 collection.collected',
      '2032-03-04 06:00:00 20320304 collection.collected',
    ])
  })

  test('expires at the end of its last day, and nothing is debited from then on; the books add up', async () => {
    const { running, subscriptionId } = await agreed('LAST-DAY', '2033-02-05', { subscriptionExpiryDate: '2033-03-05' })
    await moveTo(running, '2033-05-20 12:00:00')
    const all = await events(running, subscriptionId)
    assert.deepEqual(all.slice(-2), ['2033-03-05 06:00:00 20330305 collection.collected', '2033-03-06 00:00:00 subscription.expired'])
    await assertHolds(running)
  })
})
