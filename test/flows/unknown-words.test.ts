// Words in a store that this version does not know: docs/operating/upgrade.md. Each is read unchanged, nothing is lost or done twice, and
// all work that does not need the word goes on.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../src/api/operations.ts'
import { orderHistory } from '../../src/flows/order-history.ts'
import { sign } from '../../src/interface/checksum.ts'
import { find, lock } from '../../src/tables/tables.ts'
import { verify } from '../../src/verify/verify.ts'
import { orderBody } from '../support/paying/order-body.ts'
import { CARD, createOrder, pay, statusOf } from '../support/paying/paying.ts'
import { paidOrder } from '../support/paying/refunds.ts'
import { KEY, MID, onBothStores, type Service, sharedService } from '../support/run/service.ts'
import { run } from '../support/store/at-rest.ts'
import { assertHolds } from '../support/store/verify.ts'

const beside = ({ place }: Service, statement: string) =>
  run({ MOHUR_DATA: place.dataFolder, DATABASE_URL: place.databaseUrl ?? '' }, statement)
const brokenIn = async ({ place }: Service) => (await verify(place)).filter(({ breaches }) => breaches > 0).map(({ id }) => id)

onBothStores('a stored word that no code knows', (store) => {
  const running = sharedService(store)

  test('of a task: it is left as it is, and no other work waits for it', async () => {
    const service = await running()
    await service.store.transaction((transaction) =>
      transaction.write({
        changes: [],
        events: [],
        tasks: [{ kind: 'add', task: 'renamed.due', subject: 'S1', dueAt: service.clock.now() - 90_000, payload: {} }],
      }),
    )
    await paidOrder(service, 'TASK')
    await service.tasks.runDue()
    const tasks = await service.ports.query.rows(find('tasks', { limit: 9 }))
    assert.deepEqual(
      tasks.filter(({ dueAt }) => dueAt <= service.clock.now()).map(({ task, attempts }) => [task, attempts]),
      [['renamed.due', 0]],
    )
  })

  test('of an event: it is shown by its name, its order answers, and verify names it', async () => {
    const service = await running()
    const order = await paidOrder(service, 'EVENT')
    await beside(service, "update events set type = 'order.renamed' where aggregate = 'order' and id = 'EVENT' and version = 2")
    const { lines } = (await orderHistory(service.ports.query, MID, 'EVENT'))!
    assert.ok(lines.some(({ what }) => what === 'renamed'))
    assert.equal((await statusOf(service, order)).body.resultInfo.resultCode, '01')
    assert.deepEqual(await brokenIn(service), ['I60'])
    await beside(service, "update events set type = 'order.payment-initiated' where type = 'order.renamed'")
    await assertHolds(service)
  })

  test('of a result: a request for it gets the system error, other payments go on, and verify names it', async () => {
    const service = await running()
    const order = await paidOrder(service, 'RESULT')
    await beside(service, "update transactions set result = 'renamed' where order_id = 'RESULT'")
    assert.equal((await statusOf(service, order)).body.resultInfo.resultCode, '501')
    assert.equal((await pay(service, await createOrder(service, 'BESIDE'), CARD)).body.resultInfo.resultStatus, 'S')
    assert.deepEqual(await brokenIn(service), ['I48', 'I49'])
    await beside(service, "update transactions set result = 'success' where order_id = 'RESULT'")
    assert.equal((await statusOf(service, order)).body.resultInfo.resultCode, '01')
    await assertHolds(service)
  })

  test('of a kept answer: the request that comes again gets the system error, and nothing is done twice', async () => {
    const service = await running()
    const body = JSON.stringify(orderBody('KEPT'))
    const text = `{"head":{"signature":"${sign(body, KEY, 'salt')}"},"body":${body}}`
    const ask = () => service.post(`${operations.createOrder.paths[0]}?mid=${MID}&orderId=KEPT`, text, { 'idempotency-key': 'K1' })
    const first = await ask()
    assert.equal(first.body.resultInfo.resultStatus, 'S')
    const [row] = await service.ports.query.rows(find('idempotencyKeys', { limit: 1 }))
    await service.store.transaction(async (transaction) => {
      const key = lock('idempotencyKeys', row!.owner, row!.operation, row!.keyHash)
      await transaction.read([key])
      const reply = { ...row!.reply, name: 'renamed' }
      await transaction.write({ changes: [{ kind: 'update', key, row: { ...row!, reply } }], events: [], tasks: [] })
    })
    const again = await ask()
    assert.deepEqual([again.status, again.body.resultInfo.resultCode], [200, '501'])
    assert.equal((await service.ports.query.rows(find('orders', { equals: { mid: MID, orderId: 'KEPT' }, limit: 2 }))).length, 1)
    await assertHolds(service)
  })
})
