// Many parties get texts that the service signs: notifications go to an endpoint's operator, refusals to any caller. Sent back to any
// operation, none of them is a request: docs/interface.md section 5.1.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../src/api/operations.ts'
import { find } from '../../src/tables/tables.ts'
import { manage } from '../support/mandates/mandates.ts'
import { consented, moveTo } from '../support/mandates/timeline.ts'
import { notifiedWorld, receiver } from '../support/notifications/receiver.ts'
import { promoAsked, promotionWorld, send, TOKEN, tokenAsked } from '../support/paying/promotions.ts'
import { paidOrder, refund } from '../support/paying/refunds.ts'
import { KEY, MID, onBothStores, sharedService, startService } from '../support/run/service.ts'

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

/** The unchanged body, with its signature where the operations of promotions expect it. */
function withToken(text: string): string {
  const { signature } = JSON.parse(text).head
  const head = { channelId: 'WEB', tokenType: 'CHECKSUM', token: signature, signature }
  return `{"head":${JSON.stringify(head)},"body":${text.slice(text.indexOf('"body":') + '"body":'.length, -1)}}`
}

onBothStores('a text that the service has signed', (store) => {
  test('is no request: it debits no payer, ends nothing and changes nothing, whatever operation it is sent to', async () => {
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
      for (const text of said.flatMap((each) => [each, withToken(each)])) {
        const { body } = JSON.parse(text)
        const referenceId = body.referenceId ?? 'REF0000001'
        const query = new URLSearchParams({ mid: MID, orderId: body.orderId ?? orderId, subsId: subscriptionId, referenceId })
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

  const service = sharedService(store, { world: promotionWorld([{ promocode: 'CARD50', flat: '50.00' }]) })
  const ours = [{ resultInfo: { resultCode: '01' } }, { respCode: '01' }, { resultInfo: {}, respCode: '01' }]
  const operationsByToken = {
    [TOKEN]: { ...tokenAsked('NOTICE-0001'), code: '0000' },
    '/theia/api/v2/applyPromo': { ...promoAsked(), code: '00000000' },
    '/theia/api/v1/fetchAllPaymentOffers': { ...promoAsked({ body: { mid: MID }, key: KEY }), code: '00000000' },
  }
  for (const [path, { code, ...asked }] of Object.entries(operationsByToken))
    test(`is wrongly signed in head.token too: ${path}`, async () => {
      const codeOf = async (more: object) =>
        (await send(await service(), path, { ...asked, body: { ...asked.body, ...more } })).body.resultInfo.resultCode
      for (const more of ours) assert.equal(await codeOf(more), '2005', JSON.stringify(more))
      assert.equal(await codeOf({ respMsg: 'ok', STATUS: 'TXN_SUCCESS' }), code, 'and else rightly')
    })
})
