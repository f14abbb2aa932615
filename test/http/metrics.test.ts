// What `/metrics` reports of the work itself (docs/operating/watch.md, "Watching").

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import type { Acquirer } from '../../src/adapters/acquirer/acquirer.ts'
import type { Writes } from '../../src/engine/store.ts'
import { Metrics } from '../../src/http/metrics.ts'
import { demoWorld } from '../../src/sandbox/world.ts'
import { SECRET } from '../support/notifications/receiver.ts'
import { CARD, createOrder, pay } from '../support/paying/paying.ts'
import { paidOrder, refund } from '../support/paying/refunds.ts'
import { onBothStores, type Service, sharedService } from '../support/run/service.ts'
import { cells } from '../support/text/markdown.ts'

/** The value of one line of figures; 0 where there is none. */
async function figure({ url }: Service, name: string, labels: Record<string, string> = {}): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  const line = text.split('\n').find((each) => /^[a-z_]+/.exec(each)?.[0] === name && wanted.every((label) => each.includes(label)))
  return Number(line?.slice(line.lastIndexOf(' ') + 1) ?? 0)
}

onBothStores('figures of the work', (store) => {
  // No server listens there.
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

  test('refunds and deliveries are counted, and overdue work, by kind and age', async () => {
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

async function counted(): Promise<string> {
  const metrics = new Metrics({ now: () => 0, elapsed: () => 0, every: () => () => {} })
  metrics.replied('createOrder', '0000', 1)
  metrics.batch(1)
  metrics.connections(() => 1)
  metrics.connectionRefused('all')
  metrics.message('delivered')
  metrics.providerLeftAlone(true)
  metrics.pageReported()
  const events = [{ type: 'transaction.succeeded' }, { type: 'refund.succeeded' }]
  const attempt = { key: { table: 'deliveryAttempts' }, row: { outcome: 'delivered' } }
  metrics.work.committed({ changes: [attempt], events } as unknown as Writes)
  const bank = { status: async () => ({ outcome: 'success' }) } as unknown as Acquirer
  await metrics.work.watching(bank).status('key')
  metrics.work.backlog(async () => ({ tasks: [{ task: 'refund.due', waiting: 1, oldestDueAt: 0 }], deadStreams: 0, undecidedDebits: 0 }))
  metrics.work.signatures(() => [{ mid: 'M', clientId: 'C11', generation: '0', signatures: 1, wrongSignatures: 1 }])
  return metrics.text()
}

test('docs/operating/watch.md lists every figure of the service with its labels, and no other', async () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/operating/watch.md'), 'utf8')
  const [, ...documented] = cells(page.split('<!-- metrics:')[1]!.split('\n\n')[0]!)
  const text = await counted()
  const labelsOf = (name: string) => {
    const series = new RegExp(`^${name}(?:_count)?(?:\\{(.*)\\})? `, 'm').exec(text) ?? assert.fail(`nothing counts ${name}`)
    return [...(series[1] ?? '').matchAll(/(\w+)="/g)].map(([, label]) => `\`${label}\``).join(', ')
  }
  const names = [...text.matchAll(/^# TYPE (mohur_\w+) /gm)].map(([, name]) => name!)
  assert.deepEqual(documented.map(([name, labels]) => [name, labels]).sort(), names.map((name) => [`\`${name}\``, labelsOf(name)]).sort())
})
