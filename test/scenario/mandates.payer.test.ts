// What payers do about their mandates at their banks, told to us or not, and what we tell banks of ends: docs/sandbox.md.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { subscriptionKey } from '../../src/tables.ts'
import { manage } from '../support/mandates.ts'
import { bankJournal, pay } from '../support/paying.ts'
import { MID, onBothStores, type Service, sharedService } from '../support/service.ts'
import { initiate, issueSsoToken, subscription } from '../support/subscription.ts'
import { consented, events, journal, moveTo } from '../support/timeline.ts'
import { assertHolds } from '../support/verify.ts'

const MONTHLY = {
  txnAmount: { value: '1.00', currency: 'INR' },
  renewalAmount: '499.00',
  subscriptionGraceDays: '2',
  subscriptionRetryCount: '2',
}
const dates = (subscriptionStartDate: string, subscriptionExpiryDate: string) => ({ subscriptionStartDate, subscriptionExpiryDate })

const payer = (service: Service, subscriptionId: string, action: string, more: object = {}) =>
  service.post('/sandbox/payer', JSON.stringify({ mid: MID, subscriptionId, action, ...more }))
const script = (service: Service, subscriptionId: string, call: string, outcomes: string[]) =>
  service.post('/sandbox/bank/script', JSON.stringify({ mid: MID, subscriptionId, call, outcomes }))
const stateOf = async ({ edge }: Service, subscriptionId: string) => {
  const row = (await edge.query.row(subscriptionKey(MID, subscriptionId)))!
  return `${row.status} ${row.subStatus}`
}

onBothStores('a payer', (store) => {
  const service = sharedService(store)

  test('who revokes at his bank and is told of ends his subscription, and whoever pauses is not debited until he resumes', async () => {
    const running = await service()
    await moveTo(running, '2026-11-21 11:00:00')
    const of = { ...MONTHLY, ...dates('2026-12-05', '2027-03-05') }
    const revoking = await consented(running, 'REVOKES', of)
    const pausing = await consented(running, 'PAUSES', of)
    await moveTo(running, '2026-12-04 12:00:00')
    assert.equal((await payer(running, revoking.subscriptionId, 'revoke')).status, 200)
    assert.equal((await payer(running, pausing.subscriptionId, 'pause')).status, 200)
    await moveTo(running, '2026-12-20 00:00:00')
    assert.equal((await payer(running, pausing.subscriptionId, 'resume')).status, 200)
    await moveTo(running, '2027-01-06 00:00:00')
    assert.equal(await stateOf(running, revoking.subscriptionId), 'REJECT USER_CANCELLED')
    assert.equal(await stateOf(running, pausing.subscriptionId), 'ACTIVE ACTIVE')
    assert.deepEqual(await journal(running, revoking.subscriptionId), [
      '2026-12-03 18:00:00 notify success 499.00',
      '2026-12-04 12:00:00 revoke success 499.00',
    ])
    assert.deepEqual(await journal(running, pausing.subscriptionId), [
      '2026-12-03 18:00:00 notify success 499.00',
      '2026-12-04 12:00:00 pause success 499.00',
      '2026-12-20 00:00:00 resume success 499.00',
      '2027-01-03 18:00:00 notify success 499.00',
      '2027-01-05 06:00:00 collect success 499.00',
    ])
    assert.deepEqual((await events(running, pausing.subscriptionId)).slice(0, 6), [
      '2026-11-21 11:00:00 subscription.activated',
      '2026-11-21 11:00:00 20261205 collection.scheduled',
      '2026-12-03 18:00:00 20261205 collection.noticed',
      '2026-12-03 18:00:00 20270105 collection.scheduled',
      '2026-12-04 12:00:00 subscription.paused',
      '2026-12-05 06:00:00 20261205 collection.missed',
    ])
  })

  test('whose bank tells nobody is found out by the next debit, or by the next notice', async () => {
    const running = await service()
    await moveTo(running, '2027-04-01 11:00:00')
    const of = { ...MONTHLY, ...dates('2027-04-10', '2027-08-10') }
    const byDebit = await consented(running, 'UNTOLD-DEBIT', of)
    const byPause = await consented(running, 'UNTOLD-PAUSE', of)
    const byNotice = await consented(running, 'UNTOLD-NOTICE', of)
    await payer(running, byNotice.subscriptionId, 'revoke', { isTold: false })
    await moveTo(running, '2027-04-09 12:00:00')
    assert.equal(await stateOf(running, byNotice.subscriptionId), 'REJECT USER_CANCELLED')
    await payer(running, byDebit.subscriptionId, 'revoke', { isTold: false })
    await payer(running, byPause.subscriptionId, 'pause', { isTold: false })
    await moveTo(running, '2027-04-10 07:00:00')
    assert.equal(await stateOf(running, byDebit.subscriptionId), 'REJECT USER_CANCELLED')
    assert.equal(await stateOf(running, byPause.subscriptionId), 'SUSPENDED USER_PAUSED')
    const last = async (subscriptionId: string) => (await events(running, subscriptionId)).slice(-2)
    assert.deepEqual(await last(byDebit.subscriptionId), [
      '2027-04-10 06:00:00 20270410 collection.failed',
      '2027-04-10 06:00:00 20270510 collection.missed',
    ])
    assert.deepEqual(await last(byPause.subscriptionId), [
      '2027-04-10 06:00:00 20270410 collection.attempted',
      '2027-04-10 06:00:00 20270410 collection.missed',
    ])
    assert.equal((await journal(running, byDebit.subscriptionId)).at(-1), '2027-04-10 06:00:00 collect mandateRevoked 499.00')
    await assertHolds(running)
  })

  test('who skips one debit between its notice and its day is not debited for it, and is for the next', async () => {
    const running = await service()
    await moveTo(running, '2027-09-01 11:00:00')
    const { subscriptionId } = await consented(running, 'SKIPS', { ...MONTHLY, ...dates('2027-09-10', '2027-12-10') })
    await moveTo(running, '2027-09-09 12:00:00')
    assert.equal((await payer(running, subscriptionId, 'skip')).status, 200)
    await moveTo(running, '2027-10-11 00:00:00')
    assert.deepEqual(
      (await events(running, subscriptionId)).filter((line) => / 20270910 /.test(line)).map((line) => line.split(' ').slice(2).join(' ')),
      ['20270910 collection.scheduled', '20270910 collection.noticed', '20270910 collection.skipped'],
    )
    assert.equal((await journal(running, subscriptionId)).at(-1), '2027-10-10 06:00:00 collect success 499.00')
  })

  test('who is offered other terms keeps the old ones until he approves, and for the cycle he was told of', async () => {
    const running = await service()
    await moveTo(running, '2028-01-01 11:00:00')
    const of = { ...MONTHLY, ...dates('2028-01-10', '2028-06-10') }
    const approving = await consented(running, 'APPROVES', of)
    const declining = await consented(running, 'DECLINES', of)
    for (const { subscriptionId } of [approving, declining]) {
      const reply = await manage(running, '/subscription/edit', { subsId: subscriptionId, renewalAmount: '599.00' })
      assert.equal(reply.body.resultInfo.code, '3006', reply.text)
      await running.tasks.runDue()
    }
    assert.equal((await payer(running, approving.subscriptionId, 'approve')).status, 200)
    assert.equal((await payer(running, declining.subscriptionId, 'decline')).status, 200)
    assert.equal((await payer(running, declining.subscriptionId, 'approve')).status, 404)
    await moveTo(running, '2028-01-11 00:00:00')
    assert.deepEqual(await journal(running, approving.subscriptionId), [
      '2028-01-01 11:00:00 amend success 599.00',
      '2028-01-08 18:00:00 notify success 599.00',
      '2028-01-10 06:00:00 collect success 599.00',
    ])
    assert.deepEqual(await journal(running, declining.subscriptionId), [
      '2028-01-01 11:00:00 amend cancelled 599.00',
      '2028-01-08 18:00:00 notify success 499.00',
      '2028-01-10 06:00:00 collect success 499.00',
    ])
    assert.ok((await events(running, declining.subscriptionId)).includes('2028-01-01 11:00:00 subscription.edit-declined'))
  })

  test('who approves other terms late has them, from the cycle on of which he was not told', async () => {
    const running = await service()
    await moveTo(running, '2028-07-01 11:00:00')
    const { subscriptionId } = await consented(running, 'LATE-YES', { ...MONTHLY, ...dates('2028-07-04', '2028-12-04') })
    await manage(running, '/subscription/edit', { subsId: subscriptionId, renewalAmount: '399.00' })
    await running.tasks.runDue()
    await moveTo(running, '2028-07-04 12:00:00')
    assert.equal((await payer(running, subscriptionId, 'approve')).status, 200)
    await moveTo(running, '2028-08-05 00:00:00')
    const collects = (await journal(running, subscriptionId)).filter((line) => line.includes(' collect '))
    assert.deepEqual(collects, ['2028-07-04 06:00:00 collect success 499.00', '2028-08-04 06:00:00 collect success 399.00'])
  })

  test('whose merchant cancels has his mandate withdrawn at the bank, and the journal names the cycles of debits', async () => {
    const running = await service()
    await moveTo(running, '2029-01-01 11:00:00')
    const { subscriptionId } = await consented(running, 'CANCELLED', { ...MONTHLY, ...dates('2029-01-10', '2029-06-10') })
    await moveTo(running, '2029-01-10 12:00:00')
    await manage(running, '/subscription/subscription/cancel', { subsId: subscriptionId })
    await running.tasks.runDue()
    const lines = (await bankJournal(running)).filter(({ key }) => key.includes(`:${subscriptionId}:`))
    assert.deepEqual(
      lines.map(({ kind, outcome }) => `${kind} ${outcome}`),
      ['mandate success', 'notify success', 'collect success', 'revoke success'],
    )
    const { dueDate, subscriptionId: of } = lines[2] as unknown as Record<string, string>
    assert.deepEqual([of, dueDate], [subscriptionId, '2029-01-10'])
  })

  test('whose consent cost nothing and came by a wallet is not known to the bank', async () => {
    const running = await service()
    await moveTo(running, '2030-01-01 11:00:00')
    const paytmSsoToken = await issueSsoToken(running, `wallet mandate ${store}`)
    const reply = await initiate(
      running,
      subscription('BY-WALLET', {
        ...{ subscriptionAmountType: 'FIX', subscriptionMaxAmount: undefined, renewalAmount: '10.00', subscriptionPaymentMode: 'PPI' },
        ...{ txnAmount: { value: '0.00', currency: 'INR' }, requestType: 'NATIVE_SUBSCRIPTION', autoRenewal: true },
        ...dates('2030-01-10', '2030-06-10'),
        userInfo: { custId: 'CUST1', svcSsoToken: paytmSsoToken },
      }),
    )
    const { subscriptionId, txnToken } = reply.body as { subscriptionId: string; txnToken: string }
    const paid = await pay(running, { orderId: 'BY-WALLET', txnToken }, { paymentMode: 'BALANCE' })
    assert.equal(paid.body.resultInfo.resultStatus, 'S', paid.text)
    assert.equal(await stateOf(running, subscriptionId), 'ACTIVE ACTIVE')
    await manage(running, '/subscription/subscription/cancel', { subsId: subscriptionId })
    await running.tasks.runDue()
    assert.deepEqual(await journal(running, subscriptionId), [])
  })

  test('whose bank is scripted hears of a debit what the script says, and mistakes in scripts are told', async () => {
    const running = await service()
    await moveTo(running, '2031-01-01 11:00:00')
    const { subscriptionId } = await consented(running, 'SCRIPTED', { ...MONTHLY, ...dates('2031-01-10', '2031-06-10') })
    assert.equal((await script(running, subscriptionId, 'collect', ['declined', 'lost'])).status, 200)
    assert.equal((await script(running, subscriptionId, 'notify', ['declined'])).status, 200)
    assert.equal((await script(running, subscriptionId, 'dance', ['declined'])).status, 400)
    await moveTo(running, '2031-01-13 00:00:00')
    assert.deepEqual(await journal(running, subscriptionId), [
      '2031-01-08 18:00:00 notify declined 499.00',
      '2031-01-08 19:00:00 notify success 499.00',
      '2031-01-10 06:00:00 collect declined 499.00',
      '2031-01-11 06:00:00 collect success 499.00',
    ])
    assert.equal((await payer(running, 'nobody', 'revoke')).status, 404)
  })
})
