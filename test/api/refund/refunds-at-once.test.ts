// A client that repeats a slow request asks two processes for one refund at the same moment. It is one refund, and both replies say so.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { find } from '../../../src/tables/tables.ts'
import { paidOrder, refund } from '../../support/paying/refunds.ts'
import { codeOf } from '../../support/run/replies.ts'
import { MID, type Service, startService } from '../../support/run/service.ts'
import { sharedPostgres } from '../../support/store/postgres.ts'

const ROUNDS = 10

let services: Service[] = []
after(() => Promise.all(services.map((service) => service.close())))

test('two processes on one PostgreSQL accept the same refund that comes to both at once, once', async () => {
  const env = {
    DATABASE_URL: await (await sharedPostgres()).createDatabase(),
    MOHUR_MASTER_KEY: Buffer.alloc(32, 5).toString('base64'),
  }
  services = [await startService('postgres', { env }), await startService('postgres', { env })]
  const [first, second] = services as [Service, Service]
  for (let round = 0; round < ROUNDS; round++) {
    const paid = await paidOrder(first, `ATONCE${round}`)
    // More than half, so too little would be left for a second one.
    const replies = await Promise.all([first, second].map((service) => refund(service, paid, `R${round}`, '60.00')))
    assert.deepEqual(replies.map(codeOf), ['601', '601'], `round ${round}`)
    assert.equal(new Set(replies.map(({ body }) => body.refundId)).size, 1)
    assert.equal(codeOf(await refund(second, paid, `OTHER${round}`, '60.00')), '619')
  }
  const kept = await first.ports.query.rows(find('refunds', { equals: { mid: MID }, limit: 100 }))
  assert.equal(kept.length, ROUNDS)
})
