// What `/metrics` says of the work itself (docs/operating/watch.md, "Watching").

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { demoWorld } from '../../src/sandbox/world.ts'
import { SECRET } from '../support/notifications/receiver.ts'
import { CARD, createOrder, pay } from '../support/paying/paying.ts'
import { paidOrder, refund } from '../support/paying/refunds.ts'
import { onBothStores, type Service, sharedService } from '../support/run/service.ts'

/** The value of one line of figures; 0 where there is none. */
async function figure({ url }: Service, name: string, labels: Record<string, string> = {}): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  const line = text.split('\n').find((each) => /^[a-z_]+/.exec(each)?.[0] === name && wanted.every((label) => each.includes(label)))
  return Number(line?.slice(line.lastIndexOf(' ') + 1) ?? 0)
}

onBothStores('figures of the work', (store) => {
  // Nobody listens there.
  const notification = { url: 'http://127.0.0.1:9/notify', form: 'json' as const, secret: SECRET }
  const started = sharedService(store, { world: { ...demoWorld, merchants: [{ ...demoWorld.merchants![0]!, notification }] } })

  test('payments are counted by mode and outcome, and the calls to the acquirer by answer, with their time up to 30 seconds', async () => {
    const service = await started()
    await pay(service, await createOrder(service, 'COUNTED1'), CARD)
    await pay(service, await createOrder(service, 'COUNTED2'), { ...CARD, cardInfo: '|4000000000000002|123|122032' })
    assert.equal(await figure(service, 'mohur_payments_total', { mode: 'CREDIT_CARD', outcome: 'success' }), 1)
    assert.equal(await figure(service, 'mohur_payments_total', { mode: 'CREDIT_CARD', outcome: 'failure' }), 1)
    assert.equal(await figure(service, 'mohur_acquirer_answers_total', { call: 'authorize', outcome: 'success' }), 1)
    assert.equal(await figure(service, 'mohur_acquirer_answers_total', { call: 'authorize', outcome: 'failure' }), 1)
    assert.equal(await figure(service, 'mohur_acquirer_seconds_bucket', { le: '30', call: 'authorize' }), 2)
    assert.ok((await figure(service, 'mohur_reply_seconds_bucket', { le: '30', operation: 'processTransaction' })) >= 2)
  })

  test('refunds and deliveries are counted, and what is due and not done, by kind and age', async () => {
    const service = await started()
    const paid = await paidOrder(service, 'COUNTED3')
    await refund(service, paid, 'R1', '1.00')
    await service.tasks.runDue()
    assert.ok((await figure(service, 'mohur_deliveries_total', { outcome: 'unreachable' })) >= 1)
    assert.equal(await figure(service, 'mohur_refunds_total', { outcome: 'success' }), 1)
    assert.equal(await figure(service, 'mohur_dead_streams'), 0)

    await service.store.transaction((transaction) =>
      transaction.write({
        changes: [],
        events: [],
        tasks: [{ kind: 'add', task: 'waits.due', subject: 'S1', dueAt: service.clock.now() - 90_000, payload: {} }],
      }),
    )
    assert.equal(await figure(service, 'mohur_tasks_waiting', { task: 'waits.due' }), 1)
    assert.equal(await figure(service, 'mohur_tasks_oldest_seconds', { task: 'waits.due' }), 90)
  })
})
