// What the service signs goes to many: notifications to whoever runs the endpoint, refusals to anybody. None of it is a request
// when it is sent back, whatever operation it is sent to: docs/interface.md section 5.1.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../src/interface/operations.ts'
import { find } from '../src/tables.ts'
import { manage } from './support/mandates.ts'
import { notifiedWorld, receiver } from './support/receiver.ts'
import { paidOrder, refund } from './support/refunds.ts'
import { MID, onBothStores, startService } from './support/service.ts'
import { consented, moveTo } from './support/timeline.ts'

const TERMS = {
  txnAmount: { value: '1.00', currency: 'INR' },
  renewalAmount: '499.00',
  subscriptionStartDate: '2026-12-05',
  subscriptionExpiryDate: '2027-05-05',
  subscriptionGraceDays: '3',
  subscriptionRetryCount: '1',
  autoRenewal: false,
  autoRetry: false,
}

onBothStores('what the service has signed', (store) => {
  test('is no request: it debits nobody, ends nothing and changes nothing, whatever operation it is sent to', async () => {
    const { journal, url } = await receiver()
    const service = await startService(store, { world: notifiedWorld(`${url}/merchant`, 'json') })
    try {
      await moveTo(service, '2026-11-21 11:00:00')
      const { subscriptionId, orderId } = await consented(service, 'SIGNED.1', TERMS)
      const paid = await paidOrder(service, 'SIGNED.2')
      const refunded = await refund(service, paid, 'REFUND_1', '10.00')
      await service.tasks.runDue()
      await moveTo(service, '2026-12-03 10:00:00')
      await manage(service, '/subscription/preNotify', {
        subsId: subscriptionId,
        txnAmount: '499.00',
        txnMessage: 'Hello',
        referenceId: 'REF0000001',
        subscriptionScheduledExecutionDate: '2026-12-05',
      })
      await service.tasks.runDue()
      const status = await service.signed('/v3/order/status', { mid: MID, orderId: paid.orderId })
      await moveTo(service, '2026-12-05 11:00:00')

      const said = [...journal.map(({ body }) => body), refunded.text, status.text]
      const kinds = said.map((text) => JSON.parse(text).body.txnType ?? 'reply')
      assert.deepEqual(new Set(kinds), new Set(['SALE', 'SUBSCRIPTION_INIT', 'REFUND', 'SUBSCRIPTION_NOTIFY', 'reply']))
      const events = async () => (await service.store.query.rows(find('events', { limit: 1_000 }))).length
      const before = await events()
      const taken: string[] = []
      for (const text of said) {
        const { body } = JSON.parse(text)
        const query = new URLSearchParams({ mid: MID, orderId: body.orderId ?? orderId, subsId: subscriptionId })
        for (const [operation, { paths }] of Object.entries(operations)) {
          const reply = await service.post(`${paths[0]}?${query}`, text)
          const { resultStatus, status } = reply.body?.resultInfo ?? {}
          if (['S', 'SUCCESS', 'TXN_SUCCESS', 'PENDING'].includes(resultStatus ?? status)) taken.push(`${operation}: ${text}`)
        }
      }
      assert.deepEqual(taken, [])
      assert.equal(await events(), before)
    } finally {
      await service.close()
    }
  })
})
