// A payment's decisions hand on the rows that they have read and written. Beside them runs one query, for the order's choice of offers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Query } from '../../src/engine/decision.ts'
import type { Store } from '../../src/engine/store.ts'
import { merchantKey } from '../../src/tables/keys.ts'
import type { Find, Key, TableName } from '../../src/tables/tables.ts'
import { CARD, createOrder, pay } from '../support/paying/paying.ts'
import { MID, startService, whereSqlDiffers } from '../support/run/service.ts'

whereSqlDiffers('rows of a payment', 'reads go together on PostgreSQL, one by one on SQLite', (storeName) => {
  test('are read once: a payer who pays by UPI or by card, in vain too, costs one query beside the decisions', async () => {
    const asked: string[] = []
    const noting = (real: Store): Store => ({
      query: {
        ...real.query,
        row: <T extends TableName>(key: Key<T>) => {
          asked.push(key.table)
          return real.query.row(key)
        },
        rows: <T extends TableName>(find: Find<T>) => real.query.rows(find), // only sweeps and due work read sets
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

  test('are current: a change of a merchant between two payments holds for the second', async () => {
    const service = await startService(storeName)
    try {
      const fieldsOf = async (orderId: string) => Object.keys((await pay(service, await createOrder(service, orderId), CARD)).body.txnInfo)
      const world = (merchant: object) =>
        service.call('PUT', '/sandbox/world', {}, JSON.stringify({ merchants: [{ mid: MID, ...merchant }] }))
      const secretOf = async () => (await service.ports.query.row(merchantKey(MID)))?.notification?.secret
      const secrets = [1, 2].map((fill) => `whsec_${Buffer.alloc(24, fill).toString('base64')}`)
      const url = 'https://shop.example/notify'
      assert.equal((await world({ notification: { url, form: 'json', secret: secrets[0] } })).status, 200)
      assert.equal(await secretOf(), secrets[0])
      assert.ok((await fieldsOf('NOW-1')).includes('BIN_NUMBER'))
      const changed = await world({ callbackFields: 'core', notification: { url, form: 'json', secret: secrets[1] } })
      assert.equal(changed.status, 200, changed.text)
      assert.ok(!(await fieldsOf('NOW-2')).includes('BIN_NUMBER'))
      assert.equal(await secretOf(), secrets[1], 'a sealed value that was kept is not taken for the new one')
    } finally {
      await service.close()
    }
  })
})
