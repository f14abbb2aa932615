// How an operator views notifications and acts on them: `mohur notification` and /sandbox/notifications (docs/operating/watch.md,
// docs/sandbox.md).

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { sequenceOf } from '../../src/domain/notification/notification.ts'
import type { Change } from '../../src/engine/decision.ts'
import { notificationKey, streamKey } from '../../src/tables/keys.ts'
import { find } from '../../src/tables/tables.ts'
import { notifiedWorld, notifyOf, receiver } from '../support/notifications/receiver.ts'
import { mohurCommand, mohurHere } from '../support/run/process.ts'
import { MID, onBothStores, type Service, startService } from '../support/run/service.ts'
import { emptyPlace } from '../support/store/stores.ts'

async function manyDead({ store }: Service, orderId: string, count: number) {
  const [like] = await store.query.rows(find('notifications', { equals: { mid: MID, endpoint: 'merchant' }, limit: 1 }))
  const stream = (await store.query.row(streamKey(MID, like!.orderId, 'merchant')))!
  const dead = { ...stream, orderId, status: 'DEAD' as const, next: 2, last: count }
  const changes: Change[] = [{ kind: 'insert', key: streamKey(MID, orderId, 'merchant'), row: dead }]
  for (let place = 1; place <= count; place++) {
    const sequence = sequenceOf(place)
    const delivered = place === 1 ? ({ status: 'DELIVERED', deliveredAt: 1 } as const) : ({ status: 'OPEN', deliveredAt: null } as const)
    const row = { ...like!, ...delivered, orderId, sequence, notificationId: `${MID}:${orderId}:merchant:${place}`, attempts: 0 }
    changes.push({ kind: 'insert', key: notificationKey(MID, orderId, 'merchant', sequence), row })
  }
  await store.transaction((transaction) => transaction.write({ changes, events: [], tasks: [] }))
}

onBothStores('/sandbox/notifications', (store) => {
  const ask = async ({ url }: Service, path: string, body?: unknown) => {
    const post = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }
    const response = await fetch(`${url}/sandbox/notifications${path}`, body === undefined ? {} : post)
    const members = (await response.json()) as { notifications?: unknown; result?: string; revived?: number }
    return { status: response.status, ...members }
  }
  const statuses: number[] = []
  let begun: Promise<{ merchant: Awaited<ReturnType<typeof receiver>>; service: Service }> | undefined
  const started = () => {
    begun ??= receiver(() => statuses.shift() ?? 200, { endsWithTest: false }).then(async (merchant) => {
      return { merchant, service: await startService(store, { world: notifiedWorld(`${merchant.url}/merchant`, 'json') }) }
    })
    return begun
  }
  after(async () => {
    const { merchant, service } = await started()
    merchant.close()
    await service.close()
  })

  test('shows each notification, its receiver, its state and the result of every attempt', async () => {
    const { service, merchant } = await started()
    statuses.push(503)
    await notifyOf(service, 'ORDER_1', 1)
    const at = new Date(service.clock.now()).toISOString()
    const { status, notifications } = await ask(service, `?mid=${MID}&orderId=ORDER_1`)
    const [{ deliveries, ...rest }] = notifications as [{ deliveries: { durationMs: number }[] }]
    assert.equal(status, 200)
    assert.deepEqual(rest, {
      notificationId: `${MID}:ORDER_1:merchant:1`,
      orderId: 'ORDER_1',
      endpoint: 'merchant',
      status: 'OPEN',
      event: 'order|ORDER_1|1',
      url: `${merchant.url}/merchant`,
      createdAt: at,
      deliveredAt: null,
    })
    const { durationMs } = deliveries[0]!
    assert.deepEqual(deliveries, [{ attempt: 1, at, durationMs, httpStatus: 503, outcome: 'answered' }])
  })

  test('sends one again: a waiting one comes at once, a delivered one comes once more with the same bytes', async () => {
    const { service, merchant } = await started()
    const { journal } = merchant
    const notificationId = `${MID}:ORDER_1:merchant:1`
    assert.deepEqual(await ask(service, '/resend', { mid: MID, notificationId }), { status: 200, result: 'revived' })
    await service.tasks.runDue()
    assert.deepEqual(await ask(service, '/resend', { mid: MID, notificationId }), { status: 200, result: 'again' })
    const { notifications } = await ask(service, `?mid=${MID}`)
    const [{ status, deliveries }] = notifications as [{ status: string; deliveries: { outcome: string }[] }]
    assert.equal(status, 'DELIVERED')
    assert.deepEqual(
      deliveries.map(({ outcome }) => outcome),
      ['answered', 'delivered', 'delivered'],
    )
    assert.equal(journal.length, 3)
    assert.equal(new Set(journal.map(({ body }) => body)).size, 1)
  })

  test('one that was delivered and fails when it is sent again stays delivered, and is tried again', async () => {
    const { service, merchant } = await started()
    const { journal } = merchant
    const before = journal.length
    statuses.push(500)
    await ask(service, '/resend', { mid: MID, notificationId: `${MID}:ORDER_1:merchant:1` })
    await service.tasks.runDue()
    service.clock.advance(60_000)
    const { notifications } = await ask(service, `?mid=${MID}`)
    assert.deepEqual(
      (notifications as { status: string }[]).map(({ status }) => status),
      ['DELIVERED'],
    )
    assert.equal(journal.length, before + 2)
  })

  test('lists dead notifications, with all that wait behind them', async () => {
    const { service } = await started()
    for (const place of [1, 2]) await notifyOf(service, 'ORDER_2', place, { peonUrl: 'http://10.0.0.1/' })
    const { notifications } = await ask(service, `?mid=${MID}&dead=true`)
    assert.deepEqual(
      (notifications as Record<string, unknown>[]).map(({ notificationId, status }) => [notificationId, status]),
      [1, 2].map((place) => [`${MID}:ORDER_2:peon:${place}`, 'DEAD']),
    )
    assert.deepEqual((await ask(service, `?mid=${MID}&dead=true&orderId=ORDER_1`)).notifications, [])
    assert.deepEqual(await ask(service, '/resend', { mid: MID, dead: true }), { status: 200, revived: 1, stopped: 0, left: 0 })
  })

  test('starts anew what an interrupted start has left dead, though nothing is stopped any more', async () => {
    const { service } = await started()
    await service.tasks.runDue()
    await manyDead(service, 'LEFT', 3)
    const { revived, ...rest } = await ask(service, '/start', { mid: MID })
    assert.deepEqual(rest, { status: 200, started: [], left: 0 })
    assert.ok(revived! >= 1)
    assert.deepEqual((await ask(service, `?mid=${MID}&dead=true&orderId=LEFT`)).notifications, [])
  })

  test('asks for what it needs, and answers 400 or 404 to anything else', async () => {
    const { service } = await started()
    for (const path of ['', '?orderId=A', '?mid=A&mid=B', '?mid=A&orderId=B&orderId=C', '?mid=%00', `?mid=${MID}&orderId=%00`])
      assert.equal((await ask(service, path)).status, 400, path)
    for (const body of [
      '',
      '[]',
      'null',
      '{',
      '{}',
      { mid: MID },
      { mid: MID, dead: 'true' },
      { mid: 1, dead: true },
      { mid: MID, notificationId: 'a', dead: true },
      { mid: '\0', dead: true },
      { mid: MID, notificationId: '\0' },
    ])
      assert.equal((await ask(service, '/resend', body)).status, 400, JSON.stringify(body))
    for (const body of [{}, { mid: '\0' }]) assert.equal((await ask(service, '/start', body)).status, 400)
    assert.equal((await ask(service, '/resend', { mid: MID, notificationId: 'unknown' })).status, 404)
    assert.equal(
      (await ask(service, '/resend', { mid: 'OTHER', notificationId: `${MID}:ORDER_1:merchant:1` })).status,
      404,
      'nobody else’s',
    )
    assert.deepEqual(await ask(service, '/start', { mid: 'OTHER' }), { status: 200, started: [], revived: 0, left: 0 })
    assert.deepEqual((await ask(service, `?mid=${MID}&orderId=NONE`)).notifications, [])
  })
})

onBothStores('mohur notification', (store) => {
  test('lists, sends again and starts; on the embedded store while the service is stopped', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mohur-notification-'))
    after(() => rmSync(folder, { recursive: true, force: true }))
    const env = {
      MOHUR_DATA: folder,
      MOHUR_MASTER_KEY: Buffer.alloc(32, 5).toString('base64'),
      DATABASE_URL: store === 'postgres' ? await emptyPlace(store) : '',
    }
    let status = 410
    const { journal, url } = await receiver(() => status)
    const options = { world: notifiedWorld(`${url}/merchant`, 'json'), env }
    let service = await startService(store, options)
    /** The embedded store has one process, so the service makes way for the command. */
    const mohur = async (...args: string[]) => {
      if (store === 'sqlite') await service.close()
      const ended = await mohurHere(['notification', ...args], env)
      if (store === 'sqlite') service = await startService(store, options)
      service.clock.advance(Math.max(Date.now() + 1_000 - service.clock.now(), 0)) // the command has its own clock
      await service.tasks.runDue()
      return ended
    }
    await notifyOf(service, 'ORDER_1', 1, { peonUrl: 'http://10.0.0.1/' })
    await service.tasks.runDue()
    const merchants = `${MID}:ORDER_1:merchant:1`

    const listed = await mohur('list', '--mid', MID, '--dead')
    assert.equal(listed.code, 0)
    assert.match(listed.out, /^notificationId\tstatus\tevent\turl\tcreatedAt \(IST\)\t/)
    const one = (await mohur('list', '--mid', MID, '--limit', '1')).out.trim().split('\n')
    assert.equal(one.length, 3, one.join('\n'))
    assert.match(one[2]!, /^\d+ older ones are not shown/)
    assert.match(
      listed.out,
      new RegExp(`^${merchants}\tDEAD\torder\\|ORDER_1\\|1\t${url}/merchant\t2026-06-15 10:00:00\t1 attempts, the last gone 410$`, 'm'),
    )
    assert.match(listed.out, /ORDER_1:peon:1\tDEAD\t.*1 attempts, the last refused$/m)
    assert.match((await mohur('resend', '--mid', MID, '--id', merchants)).err, /its endpoint is stopped; start it first/)
    assert.match(
      (await mohur('resend', '--mid', MID, '--dead')).out,
      /^1 orders.* are sent again; 1 stay dead because their endpoint is stopped/,
    )
    status = 200
    assert.match((await mohur('start', '--mid', MID)).out, new RegExp(`started ${url}/merchant\n2 orders`))
    assert.equal(journal.length, 2)
    assert.match(
      (await mohur('list', '--mid', MID, '--order', 'ORDER_1')).out,
      /merchant:1\tDELIVERED\t.*2 attempts, the last delivered 200$/m,
    )
    assert.match((await mohur('start', '--mid', MID)).out, /no endpoint is stopped\n1 orders/)
    assert.match((await mohur('resend', '--mid', MID, '--id', merchants)).out, /it had been delivered; it is sent once more/)
    assert.equal(journal.length, 3)

    await manyDead(service, 'MANY', 1_100)
    const reported = async (...args: string[]) =>
      (await mohur('list', '--mid', MID, '--limit', '2000', ...args)).out.match(/^\S+:MANY:merchant:\d+(?=\t)/gm)
    assert.equal(new Set(await reported()).size, 1_100, 'however many they are')
    assert.equal(new Set(await reported('--dead')).size, 1_099, 'the first was delivered')

    await service.close()
    for (const [args, message] of [
      [[], /use `notification list`/],
      [['list'], /--mid MID is needed/],
      [['list', '--mid', 'NOBODY'], /no merchant has the mid NOBODY/],
      [['list', '--mid', MID, '--limit', '0'], /--limit is a whole number from 1/],
      [['list', '--mid', MID, '--order', 'NOPE'], /has no order NOPE/],
      [['resend', '--mid', MID], /use --id ID for one/],
      [['resend', '--mid', MID, '--id', 'a', '--dead'], /use --id ID for one/],
      [['resend', '--mid', MID, '--id', 'a'], /has no notification a/],
    ] as const) {
      const run = args.length === 0 ? mohurCommand : mohurHere // only the command line says which command it is
      const { err, code } = await run(['notification', ...args], env)
      assert.deepEqual([code, message.test(err)], [2, true], err)
    }
  })
})
