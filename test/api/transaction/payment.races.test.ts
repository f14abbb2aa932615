// Many payers of one order at once: one is charged, whatever the others read. The bank's own journal decides.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bankJournal, createOrder, inParallel, pay, statusOf } from '../../support/paying/paying.ts'
import { type Service, sharedService, startService, whereSqlDiffers } from '../../support/run/service.ts'
import { sized } from '../../support/run/sizes.ts'
import { sharedPostgres } from '../../support/store/postgres.ts'

const ORDERS = sized(30, 200)
const PAYERS = 50
const MEANS = [
  { paymentMode: 'CREDIT_CARD', cardInfo: '|4111111111111111|123|122032' },
  { paymentMode: 'UPI', payerAccount: 'success@upi' },
  { paymentMode: 'PPBL' },
]

whereSqlDiffers('paying at once', 'PostgreSQL locks rows, SQLite has one writer', (store) => {
  const service = sharedService(store)

  test(`${PAYERS} parallel payments of each of ${ORDERS} orders charge each order once`, async () => {
    const running: Service = await service()
    const codes: Record<string, number> = {}
    await inParallel(4, ORDERS, async (at) => {
      const order = await createOrder(running, `RACE${at}`)
      const replies = await Promise.all(Array.from({ length: PAYERS }, (_, payer) => pay(running, order, MEANS[payer % MEANS.length]!)))
      for (const { status, text, body } of replies) {
        assert.ok(body.resultInfo, `HTTP ${status}: ${text}`)
        codes[body.resultInfo.resultCode] = (codes[body.resultInfo.resultCode] ?? 0) + 1
      }
      assert.equal((await statusOf(running, order)).body.resultInfo.resultCode, '01')
    })
    const charges = (await bankJournal(running)).filter(({ kind, outcome }) => kind === 'authorize' && outcome === 'success')
    assert.equal(charges.length, ORDERS)
    console.log(
      `${store}: ${ORDERS} orders x ${PAYERS} parallel pays: ${JSON.stringify(codes)}; charges in the bank's journal ${charges.length}`,
    )
    assert.equal(codes['0000'], ORDERS)
    assert.equal((codes['1005'] ?? 0) + (codes['201'] ?? 0), ORDERS * (PAYERS - 1))
  })
})

test('two processes on one PostgreSQL: the payers of an order go to both, and it is charged once', async () => {
  const env = {
    DATABASE_URL: await (await sharedPostgres()).createDatabase(),
    MOHUR_MASTER_KEY: Buffer.alloc(32, 5).toString('base64'),
  }
  const services = [await startService('postgres', { env }), await startService('postgres', { env })]
  try {
    const [first] = services
    await inParallel(4, 50, async (at) => {
      const order = await createOrder(first!, `TWO${at}`)
      const replies = await Promise.all(
        Array.from({ length: 10 }, (_, payer) => pay(services[payer % 2]!, order, MEANS[payer % MEANS.length]!)),
      )
      assert.equal(replies.filter(({ body }) => body.resultInfo.resultCode === '0000').length, 1)
    })
    const charges = (await bankJournal(first!)).filter(({ kind, outcome }) => kind === 'authorize' && outcome === 'success')
    assert.equal(charges.length, 50)
    assert.equal(new Set(charges.map(({ key }) => key)).size, 50)
  } finally {
    await Promise.all(services.map((service) => service.close()))
  }
})
