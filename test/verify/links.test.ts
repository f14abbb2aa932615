// A payer's link to their mandate, and the event that records it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consented } from '../support/mandates/timeline.ts'
import { startService, whereSqlDiffers } from '../support/run/service.ts'
import { named } from '../support/store/tampering.ts'

whereSqlDiffers("mohur verify, of payers' links,", 'an aggregate of its own stands in a subquery', (store) => {
  test('names a link that was deleted, and one whose event was', async () => {
    const service = await startService(store)
    try {
      const userInfo = { custId: 'C1', mobile: '9810000001' }
      const terms = { txnAmount: { value: '1.00', currency: 'INR' }, renewalAmount: '1.00', userInfo, communicationManager: true }
      await consented(service, 'LINKED', terms)
      await service.tasks.runDue()
      assert.deepEqual(await named(service, { does: [] }), [])
      assert.deepEqual(await named(service, { does: ['delete from mandate_links'] }), ['I13'])
      assert.deepEqual(await named(service, { does: ["delete from events where aggregate = 'link'"] }), ['I13'])
      assert.deepEqual(await named(service, { does: ["update mandate_links set subscription_id = 'OTHER'"] }), ['I13'])
    } finally {
      await service.close()
    }
  })
})
