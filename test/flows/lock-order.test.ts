// All that happens to one payment locks its rows in one order. On PostgreSQL two processes would else wait for each other until one of them
// gets 40P01.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../src/api/operations.ts'
import type { Store } from '../../src/engine/store.ts'
import { find } from '../../src/tables/tables.ts'
import { createOrder, pay } from '../support/paying/paying.ts'
import { MID, onBothStores, startService } from '../support/run/service.ts'

onBothStores('locks of one payment', (storeName) => {
  test('are taken in one order by the payment, its status inquiries and a refund', async () => {
    const taken: string[][] = []
    const noting = (real: Store): Store => ({
      query: real.query,
      concurrency: real.concurrency,
      transaction: (work, lockWaitMs) =>
        real.transaction((transaction) => {
          const tables: string[] = []
          taken.push(tables)
          return work({
            ...transaction,
            read(keys) {
              const locked = keys.filter(({ mode }) => mode === 'lock').map(({ name, table }) => [name, table] as const)
              tables.push(...locked.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, table]) => table)) // as src/adapters/store/sql-store.ts
              return transaction.read(keys)
            },
          })
        }, lockWaitMs),
      claimTasks: (...given) => real.claimTasks(...given),
      ping: () => real.ping(),
      close: () => real.close(),
    })
    const service = await startService(storeName, { store: noting })
    try {
      const order = await createOrder(service, 'ONE')
      taken.length = 0
      await pay(service, order, { paymentMode: 'UPI', payerAccount: 'pending@upi' })
      service.clock.advance(2 * 60_000)
      await service.tasks.runDue()
      await service.post('/sandbox/payer', JSON.stringify({ mid: MID, orderId: 'ONE', action: 'approve' }))
      await service.tasks.runDue()
      const [attempt] = await service.ports.query.rows(find('transactions', { equals: { mid: MID }, limit: 1 }))
      assert.equal(attempt!.status, 'SUCCESS')
      const { txnId } = attempt!
      const refund = { mid: MID, orderId: 'ONE', txnId, refId: 'REFUND', txnType: 'REFUND', refundAmount: '1.00' }
      const { body } = await service.signed(operations.applyRefund.paths[0]!, refund)
      assert.equal(body.resultInfo.resultStatus, 'PENDING')

      const pairs = new Set<string>()
      for (const tables of taken)
        for (const [at, first] of tables.entries()) for (const second of tables.slice(at + 1)) pairs.add(`${first} ${second}`)
      assert.ok(pairs.has('orders transactions') && pairs.has('notificationStreams transactions'), [...pairs].join(', '))
      const crossed = [...pairs].filter((pair) => {
        const [first, second] = pair.split(' ')
        return first !== second && pairs.has(`${second} ${first}`)
      })
      assert.deepEqual(crossed, [])
    } finally {
      await service.close()
    }
  })
})
