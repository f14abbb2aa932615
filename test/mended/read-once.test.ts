// What a payment's decisions have read and written is handed on: beside them one question is asked, for the order that says
// which offer to try.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Query } from '../../src/engine/decision.ts'
import type { Store } from '../../src/engine/store.ts'
import type { Find, Key, TableName } from '../../src/tables.ts'
import { CARD, createOrder, pay } from '../support/paying.ts'
import { onBothStores, startService } from '../support/service.ts'

onBothStores('rows of a payment', (storeName) => {
  test('are read once: a payer who pays by UPI or by card, in vain too, costs one question beside the decisions', async () => {
    const asked: string[] = []
    const noting = (real: Store): Store => ({
      query: {
        row: <T extends TableName>(key: Key<T>) => {
          asked.push(key.table)
          return real.query.row(key)
        },
        rows: <T extends TableName>(find: Find<T>) => real.query.rows(find), // only sweeps and due work ask for many
      } satisfies Query,
      transaction: (work) => real.transaction(work),
      claimTasks: (...given) => real.claimTasks(...given),
      concurrency: real.concurrency,
      ping: () => real.ping(),
      close: () => real.close(),
    })
    const service = await startService(storeName, { store: noting })
    try {
      const means = [CARD, { paymentMode: 'UPI', payerAccount: 'asha@upi' }, { paymentMode: 'UPI', payerAccount: 'declined@upi' }]
      for (const [at, by] of means.entries()) {
        const order = await createOrder(service, `READ-${at}`)
        await service.tasks.runDue()
        const before = asked.length
        const { body } = await pay(service, order, by)
        assert.equal(body.txnInfo.STATUS, at < 2 ? 'TXN_SUCCESS' : 'TXN_FAILURE')
        assert.ok(body.txnInfo.CHECKSUMHASH)
        const questions = asked.slice(before).filter((table) => table === 'orders' || table === 'transactions' || table === 'merchants')
        assert.deepEqual(questions, ['orders'], JSON.stringify(by))
      }
    } finally {
      await service.close()
    }
  })
})
