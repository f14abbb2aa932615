// A merchant that an operator disables: docs/decisions/0027.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ChangeMerchant, changeMerchant } from '../../../src/domain/merchant/change-merchant.ts'
import { find } from '../../../src/tables/tables.ts'
import { renew } from '../../support/mandates/scenario.ts'
import { fix, initiate, subscription } from '../../support/mandates/subscription.ts'
import { journal as bankLines, consented, events, moveTo } from '../../support/mandates/timeline.ts'
import { notifiedWorld, receiver } from '../../support/notifications/receiver.ts'
import { ask, goesTo, newPage } from '../../support/pages/pages.ts'
import { orderBody } from '../../support/paying/order-body.ts'
import { CARD, createOrder, pay, statusOf } from '../../support/paying/paying.ts'
import { paidOrder, refund } from '../../support/paying/refunds.ts'
import { MID, onBothStores, type Reply, type Service, sharedService, startService } from '../../support/run/service.ts'
import { assertHolds } from '../../support/store/verify.ts'

const codeOf = ({ body }: Reply) => body.resultInfo.resultCode
const change = ({ ports, clock }: Service, settings: ChangeMerchant['settings']) =>
  ports.engine.submit(changeMerchant, { mid: MID, settings, by: 'command', now: clock.now() })

onBothStores('a merchant that is disabled', (store) => {
  const started = sharedService(store)

  test('has its new orders, payments, subscriptions and renewals refused like those of an unknown merchant, and accepted again once it is enabled', async () => {
    const service = await started()
    const open = await createOrder(service, 'BEFORE')
    const { page } = await newPage(service, 'ON_ITS_PAGE')
    assert.equal((await ask(service, page)).status, 200)
    const mandate = await consented(service, 'CONSENT', { ...fix('199.00'), autoRenewal: false })
    assert.equal((await change(service, { status: 'DISABLED' })).result.name, 'changed')
    const create = () => service.signed(`/aoa-acquiring-biz/v2/order?mid=${MID}&orderId=NEW`, orderBody('NEW'))
    assert.equal(codeOf(await create()), '2006')
    assert.equal(codeOf(await pay(service, open, CARD)), '1006')
    assert.equal((await ask(service, page)).status, 410)
    assert.equal(goesTo(await ask(service, `${page}/pay`, { mode: 'UPI', panel: 'upi' })), page)
    assert.equal(codeOf(await initiate(service, subscription('NEW_MANDATE'))), '2005')
    assert.equal(codeOf(await renew(service, mandate, 'R1', { txnAmount: { value: '199.00', currency: 'INR' } })), '2006')
    assert.equal((await service.ports.query.rows(find('transactions', { equals: { mid: MID, orderId: 'BEFORE' }, limit: 1 }))).length, 0)
    assert.equal((await change(service, { status: 'ACTIVE' })).result.name, 'changed')
    assert.equal((await ask(service, page)).status, 200)
    assert.equal(codeOf(await create()), '0000')
    assert.equal(codeOf(await pay(service, open, CARD)), '0000')
    assert.equal(codeOf(await initiate(service, subscription('NEW_MANDATE'))), '0000')
    assert.notEqual(codeOf(await renew(service, mandate, 'R1', { txnAmount: { value: '199.00', currency: 'INR' } })), '2006')
    await assertHolds(service)
  })

  test('gets one answer to a wrong signature and to a right one, so that a stolen key learns nothing', async () => {
    const service = await startService(store)
    try {
      const { subscriptionId } = await consented(service, 'CONSENT', { ...fix('199.00'), autoRenewal: false })
      await change(service, { status: 'DISABLED' })
      const renewal = { mid: MID, orderId: 'R1', subscriptionId, txnAmount: { value: '199.00', currency: 'INR' } }
      for (const [path, body] of [
        [`/aoa-acquiring-biz/v2/order?mid=${MID}&orderId=NEW`, orderBody('NEW')],
        [`/theia/api/v1/initiateTransaction?mid=${MID}&orderId=NEW`, orderBody('NEW')],
        [`/subscription/renew?mid=${MID}&orderId=R1`, renewal],
      ] as const) {
        const right = await service.signed(path, body)
        const wrong = await service.signed(path, body, { key: 'another key 1234' })
        assert.deepEqual([wrong.status, wrong.body], [right.status, right.body], path)
        assert.equal(codeOf(wrong), '2006')
      }
    } finally {
      await service.close()
    }
  })

  test('has its payment under way queried and finished, its refunds given, and is notified of both', async () => {
    const { journal, url } = await receiver()
    const service = await startService(store, { world: notifiedWorld(`${url}/merchant`, 'json') })
    try {
      const paid = await paidOrder(service, 'PAID')
      const waiting = await createOrder(service, 'WAITS')
      await pay(service, waiting, { paymentMode: 'UPI', payerAccount: 'slow@upi' })
      await service.tasks.runDue()
      const before = journal.length
      await change(service, { status: 'DISABLED' })
      await moveTo(service, '2026-06-15 10:05:00')
      assert.equal((await statusOf(service, waiting)).body.resultInfo.resultCode, '01')
      assert.equal(codeOf(await refund(service, paid, 'BACK', '100.00')), '601')
      await service.tasks.runDue()
      const [row] = await service.ports.query.rows(find('refunds', { equals: { mid: MID, refId: 'BACK' }, limit: 1 }))
      assert.equal(row!.status, 'SUCCESS')
      assert.deepEqual(
        journal
          .slice(before)
          .map(({ body }) => JSON.parse(body).body)
          .map(({ orderId, txnType, status }) => `${orderId} ${txnType} ${status}`),
        ['WAITS SALE TXN_SUCCESS', 'PAID REFUND PENDING', 'PAID REFUND TXN_SUCCESS'],
      )
      await assertHolds(service)
    } finally {
      await service.close()
    }
  })

  test('has no mandate debited: a cycle waits for the merchant, and ends with its days', async () => {
    const service = await startService(store)
    try {
      const terms = { ...fix('199.00'), subscriptionStartDate: '2026-07-15', subscriptionGraceDays: '2' }
      const { subscriptionId } = await consented(service, 'MONTHLY', terms)
      await moveTo(service, '2026-07-14 12:00:00')
      await change(service, { status: 'DISABLED' })
      await moveTo(service, '2026-07-16 12:00:00')
      const debits = async () => (await bankLines(service, subscriptionId)).filter((line) => line.includes(' collect '))
      assert.deepEqual(await debits(), [])
      await change(service, { status: 'ACTIVE' })
      await moveTo(service, '2026-07-16 20:00:00')
      assert.equal((await debits()).length, 1)
      await change(service, { status: 'DISABLED' })
      await moveTo(service, '2026-08-20 12:00:00')
      assert.equal((await debits()).length, 1)
      assert.deepEqual(
        (await events(service, subscriptionId)).filter((line) => /collection\.(attempted|collected|missed|failed)/.test(line)),
        [
          '2026-07-16 13:00:00 20260715 collection.attempted',
          '2026-07-16 13:00:00 20260715 collection.collected',
          '2026-08-18 00:00:00 20260815 collection.missed',
        ],
      )
      await assertHolds(service)
    } finally {
      await service.close()
    }
  })

  test('has one event for each change, with what was changed and by what, and none where nothing changes', async () => {
    const service = await startService(store)
    try {
      assert.equal((await change(service, { status: 'ACTIVE' })).result.name, 'same')
      await change(service, { feeHundredths: 250, upiCollect: 'never' })
      await change(service, { status: 'DISABLED' })
      await change(service, { feeHundredths: 300 })
      await change(service, { status: 'ACTIVE' })
      const rows = await service.ports.query.rows(
        find('events', { equals: { owner: MID, aggregate: 'merchant' }, orderBy: ['version'], limit: 9 }),
      )
      assert.deepEqual(
        rows.map(({ version, type, fromStatus, toStatus, data }) => [version, type, fromStatus, toStatus, data['by'], data['settings']]),
        [
          [1, 'merchant.changed', '', 'ACTIVE', 'command', 'feeHundredths upiCollect'],
          [2, 'merchant.disabled', 'ACTIVE', 'DISABLED', 'command', 'status'],
          [3, 'merchant.changed', 'DISABLED', 'DISABLED', 'command', 'feeHundredths'],
          [4, 'merchant.enabled', 'DISABLED', 'ACTIVE', 'command', 'status'],
        ],
      )
      const unknown = { mid: 'NOBODY', settings: {}, by: 'command', now: service.clock.now() } as const
      assert.equal((await service.ports.engine.submit(changeMerchant, unknown)).result.name, 'unknown')
      await assertHolds(service)
    } finally {
      await service.close()
    }
  })
})
