// Notifications over real HTTP: their two forms, their signatures, their schedule and their order (docs/interface.md section 6).

import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, test } from 'node:test'
import { RETRY_AFTER_MS } from '../../src/domain/notification/notification.ts'
import { Engine } from '../../src/engine/engine.ts'
import { LEASE_MS, TaskRunner } from '../../src/engine/tasks.ts'
import { find } from '../../src/tables/tables.ts'
import { advanceBy, notified, placesOf, statusesOf } from '../support/notifications/notified.ts'
import { type Behaviour, contentOf, notifiedWorld, notifyOf, type Received, read, receiver } from '../support/notifications/receiver.ts'
import { MID, onBothStores, type Service, startService } from '../support/run/service.ts'
import { sized } from '../support/run/sizes.ts'
import { Random } from '../support/text/random.ts'

const DAY_MS = 86_400_000

const attemptsOf = (service: Service) =>
  service.store.query.rows(find('deliveryAttempts', { orderBy: ['notificationId', 'attempt'], limit: 1_000 }))
onBothStores('a notification', (store) => {
  test('in the JSON form holds its content as it stands, and both signatures verify', async () => {
    const { service, journal, run } = await notified(store, 'json')
    await notifyOf(service, 'ORDER.1', 1)
    await run()
    assert.equal(journal.length, 1)
    const [received] = journal
    assert.equal(received!.headers['content-type'], 'application/json')
    assert.equal(received!.headers['webhook-id'], `${MID}:ORDER~1:merchant:1`)
    const { fields } = read(received!) as { fields: object }
    assert.deepEqual(fields, contentOf(MID, 'ORDER.1', 1))
  })

  test('in the classic form holds the fields that form has names for, and both signatures verify', async () => {
    const { service, journal, run } = await notified(store, 'classic')
    await notifyOf(service, 'ORDER_2', 1)
    await run()
    const { fields } = read(journal[0]!) as { fields: object }
    assert.deepEqual(fields, {
      MID,
      ORDERID: 'ORDER_2',
      TXNID: 'TXNORDER_21',
      TXNAMOUNT: '1.00',
      CURRENCY: 'INR',
      STATUS: 'TXN_SUCCESS',
      RESPCODE: '01',
      RESPMSG: 'Txn Success',
      TXNTYPE: 'SALE',
      PAYMENTMODE: 'UPI',
      BANKTXNID: '',
      CUSTID: 'CUST_1',
      UDF_1: 'नमस्ते {"} & = +',
      TXNDATE: '2026-06-15',
      TXNDATETIME: '2026-06-15 10:00:00',
    })
  })

  test('goes to the order’s peonUrl too, in the classic form; without a secret there are no webhook headers', async () => {
    const { journal, url } = await receiver()
    const service = await startService(store)
    after(() => service.close())
    await notifyOf(service, 'ORDER_3', 1, { peonUrl: `${url}/peon?a=1` })
    await service.tasks.runDue()
    assert.deepEqual(
      journal.map(({ path }) => path),
      ['/peon?a=1'],
    )
    assert.equal(journal[0]!.headers['content-type'], 'application/x-www-form-urlencoded')
    assert.deepEqual(
      Object.keys(journal[0]!.headers).filter((name) => name.startsWith('webhook')),
      [],
    )
    assert.match(journal[0]!.body, /&CHECKSUMHASH=/)
  })

  test('that fails is tried again on the schedule, the same bytes each time, and then kept as dead', async () => {
    const { service, journal, run, advance } = await notified(store, 'json', () => 500)
    await notifyOf(service, 'ORDER_4', 1)
    await run()
    for (const [at, afterMs] of RETRY_AFTER_MS.entries()) {
      await advance(afterMs - 1)
      assert.equal(journal.length, at + 1)
      await advance(1)
      assert.equal(journal.length, at + 2)
    }
    assert.deepEqual(await statusesOf(service), ['DEAD'])
    await advance(30 * DAY_MS)
    assert.equal(journal.length, 11)
    assert.equal(new Set(journal.map(({ body }) => body)).size, 1)
    assert.equal(new Set(journal.map(({ headers }) => headers['webhook-id'])).size, 1)
    const attempts = await attemptsOf(service)
    assert.deepEqual(
      attempts.map(({ attempt, outcome, httpStatus }) => [Number(attempt), outcome, httpStatus]),
      journal.map((_, at) => [at + 1, 'answered', 500]),
    )
    assert.ok((attempts.at(-1)!.at - attempts[0]!.at) / DAY_MS > 7)
  })

  test('is accepted by any 2xx and by nothing else', async () => {
    const statuses = [302, 304, 400, 401, 404, 429, 503, 200, 201, 204, 299]
    const { service, journal, run, advance } = await notified(store, 'json', () => statuses.shift() ?? 200)
    for (const place of [1, 2, 3, 4]) await notifyOf(service, 'ORDER_5', place)
    await run()
    for (const afterMs of RETRY_AFTER_MS.slice(0, 7)) await advance(afterMs)
    assert.deepEqual(placesOf(journal), [1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4])
    assert.deepEqual(await statusesOf(service), ['DELIVERED', 'DELIVERED', 'DELIVERED', 'DELIVERED'])
  })

  test('waits for those of its order before it, and for no other order’s', async () => {
    let isUp = false
    const { service, journal, run, advance } = await notified(store, 'json', ({ body }) => (isUp || body.includes('ORDER_7') ? 200 : 503))
    await notifyOf(service, 'ORDER_6', 1)
    await run()
    await notifyOf(service, 'ORDER_6', 2)
    await notifyOf(service, 'ORDER_7', 1)
    await run()
    assert.deepEqual(await statusesOf(service), ['OPEN', 'OPEN', 'DELIVERED'])
    assert.deepEqual(placesOf(journal), [1, 1], 'a later one neither overtakes nor brings the retry forward')
    isUp = true
    await advance(RETRY_AFTER_MS[0]!)
    assert.deepEqual(await statusesOf(service), ['DELIVERED', 'DELIVERED', 'DELIVERED'])
    assert.deepEqual(placesOf(journal), [1, 1, 1, 2])
  })

  test('that comes after a dead one revives the stream, from the first that was not delivered', async () => {
    let status = 500
    const { service, journal, run, advance } = await notified(store, 'json', () => status)
    await notifyOf(service, 'ORDER_8', 1)
    await notifyOf(service, 'ORDER_8', 2)
    await run()
    for (const afterMs of RETRY_AFTER_MS) await advance(afterMs)
    assert.deepEqual(await statusesOf(service), ['DEAD', 'OPEN'])
    status = 200
    journal.length = 0
    await notifyOf(service, 'ORDER_8', 3)
    await run()
    assert.deepEqual(placesOf(journal), [1, 2, 3])
    assert.deepEqual(await statusesOf(service), ['DELIVERED', 'DELIVERED', 'DELIVERED'])
  })

  test('to an address that may not be dialled is dead at once, with the attempt in the log', async () => {
    const service = await startService(store)
    after(() => service.close())
    const hostile = [
      'http://10.0.0.1/',
      'http://169.254.169.254/latest',
      'http://[::ffff:7f00:1]:9/',
      'http://0xa9fea9fe/',
      'ftp://127.0.0.1/',
    ]
    for (const [at, peonUrl] of hostile.entries()) await notifyOf(service, `ORDER_9${at}`, 1, { peonUrl })
    await service.tasks.runDue()
    assert.deepEqual(
      await statusesOf(service),
      hostile.map(() => 'DEAD'),
    )
    assert.deepEqual(
      (await attemptsOf(service)).map(({ outcome, httpStatus }) => [outcome, httpStatus]),
      hostile.map(() => ['refused', 0]),
    )
    assert.deepEqual(await service.store.query.rows(find('tasks', { limit: 1 })), [])
  })

  test('that is answered 410 stops the merchant’s endpoint; of a peonUrl it ends one order’s stream', async () => {
    let status = 410
    const { service, journal, url, run, advance } = await notified(store, 'json', () => status)
    await notifyOf(service, 'ORDER_A', 1, { peonUrl: `${url}/peon` })
    await run()
    assert.equal(journal.length, 2)
    await notifyOf(service, 'ORDER_B', 1, { peonUrl: `${url}/peon` })
    await run()
    await advance(7 * DAY_MS)
    assert.deepEqual(
      journal.slice(2).map(({ path }) => path),
      ['/peon'],
      'the merchant’s endpoint is left alone, another order’s peonUrl is not',
    )
    assert.deepEqual(await statusesOf(service), ['DEAD', 'DEAD', 'DEAD', 'DEAD'])
    assert.equal((await attemptsOf(service)).length, 3, 'what was not tried is not in the log')
    await notifyOf(service, 'ORDER_A', 2, { peonUrl: `${url}/peon` })
    await run()
    assert.equal(journal.length, 3, 'whatever else happens to the order')
    assert.deepEqual(await statusesOf(service), ['DEAD', 'OPEN', 'DEAD', 'OPEN', 'DEAD', 'DEAD'])
    status = 200
    const post = async (path: string, body: object) =>
      (
        await fetch(service.url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
      ).json()
    assert.deepEqual(await post('/sandbox/notifications/resend', { mid: MID, dead: true }), { revived: 2, stopped: 2, left: 0 })
    assert.deepEqual(await post('/sandbox/notifications/start', { mid: MID }), { started: [`${url}/merchant`], revived: 2, left: 0 })
    await run()
    assert.deepEqual(await statusesOf(service), Array(6).fill('DELIVERED'))
  })

  test('that is answered 410 at its last attempt ends the stream of a peonUrl all the same', async () => {
    let status = 503
    const { service, journal, url, run, advance } = await notified(store, 'json', ({ path }) => (path === '/peon' ? status : 200))
    await notifyOf(service, 'ORDER_A', 1, { peonUrl: `${url}/peon` })
    await run()
    for (const ms of RETRY_AFTER_MS.slice(0, -1)) await advance(ms)
    status = 410
    await advance(RETRY_AFTER_MS.at(-1)!)
    const tried = journal.filter(({ path }) => path === '/peon').length
    await notifyOf(service, 'ORDER_A', 2, { peonUrl: `${url}/peon` })
    await run()
    assert.deepEqual([tried, journal.filter(({ path }) => path === '/peon').length], [RETRY_AFTER_MS.length + 1, tried])
  })

  test('goes to where the merchant’s endpoint is now, when it moved', async () => {
    const { service, journal, url, run } = await notified(store, 'json', ({ path }) => (path === '/moved' ? 200 : 500))
    await notifyOf(service, 'ORDER_C', 1)
    await run()
    const notification = { ...notifiedWorld(`${url}/moved`, 'json').merchants![0]!.notification! }
    await fetch(`${service.url}/sandbox/world`, {
      method: 'PUT',
      body: JSON.stringify({ merchants: [{ mid: MID, notification }] }),
      headers: { 'content-type': 'application/json' },
    })
    service.clock.advance(RETRY_AFTER_MS[0]!)
    await run()
    assert.deepEqual(
      journal.map(({ path }) => path),
      ['/merchant', '/moved'],
    )
    assert.equal(journal[0]!.body, journal[1]!.body)
  })
})

onBothStores('a process that died between the COMMIT that leased a notification and its sending', (store) => {
  test('leaves it to the next process after the lease: it is sent once, in order, and the clock may be moved meanwhile', async () => {
    const { service, journal, run, advance } = await notified(store, 'json')
    const { clock, ports } = service
    const dead = new TaskRunner(service.store, clock, [{ places: 8, handlers: { 'notification.due': async () => {} } }], [], () => {})
    const engine = new Engine(service.store, clock, ports.fresh, { lease: (tasks, fresh) => dead.lease(tasks, fresh) })
    const died = { ...service, ports: { ...ports, engine } }
    for (const order of ['ORDER_L', 'ORDER_M']) for (const place of [1, 2]) await notifyOf(died, order, place)
    assert.ok((await service.store.query.rows(find('tasks', { limit: 10 }))).every(({ leaseUntil }) => leaseUntil > clock.realNow()))
    assert.deepEqual([await run(), journal.length], [{}, 0])
    await advance(60_000)
    assert.equal(journal.length, 0, 'moving business time ends no lease')
    clock.set(LEASE_MS)
    assert.deepEqual(await run(), { 'notification.due': 4 })
    for (const order of ['ORDER_L', 'ORDER_M']) assert.deepEqual(placesOf(journal.filter(({ body }) => body.includes(order))), [1, 2])
    assert.deepEqual(new Set(await statusesOf(service)), new Set(['DELIVERED']))
  })
})

const STEPS = sized(40, 120)
const DOWN_ORDERS = STEPS / 10

onBothStores('a receiver', (store) => {
  test('that is down for eight days misses nothing, in order, once dead letters are sent again', async () => {
    let isUp = true
    const orders = Array.from({ length: DOWN_ORDERS }, (_, at) => `ORDER_${at}`)
    const reported = new Map(orders.map((order) => [order, 0]))
    const { service, journal, url, run, advance } = await notified(store, 'json', () => (isUp ? 200 : 503))
    const happens = (order: string) => {
      reported.set(order, reported.get(order)! + 1)
      return notifyOf(service, order, reported.get(order)!, { peonUrl: `${url}/peon` })
    }
    for (const order of orders) await happens(order)
    await run()
    await advance(60_000)
    isUp = false
    for (let hour = 0; hour < 8 * 24; hour++) {
      if (hour < orders.length || hour % 40 === 0) await happens(orders[hour % orders.length]!)
      await advance(3_600_000)
    }
    isUp = true
    const answer = await fetch(`${service.url}/sandbox/notifications/resend`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ mid: MID, dead: true }),
    })
    const { revived } = (await answer.json()) as { revived: number }
    assert.ok(revived > 0)
    for (let hour = 0; hour < 48; hour++) await advance(3_600_000) // notifications still on their schedule come by themselves
    const { missing, outOfOrder, refused, differing } = judged(journal, reported, 2)
    console.log(
      `${store}: ${[...reported.values()].reduce((sum, each) => sum + each, 0)} events to 2 endpoints, ${journal.length} requests, ${revived} streams re-sent: missing ${missing}, out of order ${outOfOrder}, signatures refused ${refused}, bodies that differ under one id ${differing}`,
    )
    assert.deepEqual({ missing, outOfOrder, refused, differing }, { missing: 0, outOfOrder: 0, refused: 0, differing: 0 })
    assert.deepEqual(new Set(await statusesOf(service)), new Set(['DELIVERED']))
  })

  test('that does whatever it likes sees every event at last, in order, and no attempt overtakes', async () => {
    const seed = 20_261_121
    const random = new Random(seed)
    let isMended = false
    const accepted: Received[] = []
    const { service, journal, url, advance } = await notified(store, 'classic', (received) => {
      const behaviour = isMended ? 200 : random.pick<Behaviour>([200, 200, 204, 500, 503, 302, 404, drop, halfAnswer])
      if (behaviour === 200 || behaviour === 204 || behaviour === halfAnswer) accepted.push(received)
      return behaviour
    })
    const reported = new Map<string, number>()
    for (let step = 0; step < STEPS; step++) {
      const order = `ORDER_${random.below(8)}`
      reported.set(order, (reported.get(order) ?? 0) + 1)
      await notifyOf(service, order, reported.get(order)!, { peonUrl: `${url}/peon` })
      await advance(random.below(3) * 7 * 60_000)
    }
    isMended = true
    for (let day = 0; day < 9; day++) await advance(DAY_MS)
    const { missing, outOfOrder, refused, differing } = judged(accepted, reported, 2)
    assert.deepEqual({ missing, outOfOrder, refused, differing }, { missing: 0, outOfOrder: 0, refused: 0, differing: 0 }, `seed ${seed}`)
    assert.ok(journal.length > accepted.length)
    await assertLogHolds(service)
  })
})

const drop = (response: ServerResponse) => void response.socket?.destroy()
/** The status arrives, and the rest never comes. */
const halfAnswer = (response: ServerResponse) =>
  void response.writeHead(200, { 'content-length': 10 }).write('x', () => response.socket?.destroy())

/** What a journal lacks, and its faults. Each order had notifications of places 1, 2, 3 … at this many endpoints. */
function judged(journal: readonly Received[], reported: ReadonlyMap<string, number>, endpoints: number) {
  let [refused, differing, outOfOrder] = [0, 0, 0]
  const bodies = new Map<string, string>()
  const firsts = new Map<string, number[]>()
  for (const received of journal) {
    const notification = read(received)
    if (typeof notification === 'string') {
      refused++
      continue
    }
    const { id, orderId, place } = notification
    if ((bodies.get(id) ?? received.body) !== received.body) differing++
    const stream = `${received.path} ${orderId}`
    const seen = firsts.get(stream) ?? []
    if (!bodies.has(id)) seen.push(place)
    bodies.set(id, received.body)
    firsts.set(stream, seen)
  }
  for (const seen of firsts.values()) outOfOrder += seen.filter((place, at) => place !== at + 1).length
  const happened = [...reported.values()].reduce((sum, each) => sum + each, 0) * endpoints
  return { missing: happened - bodies.size, outOfOrder, refused, differing }
}

/** Delivered means that the last attempt was accepted. No attempt was made while an earlier notification of its stream was open. */
async function assertLogHolds(service: Service) {
  const rows = await service.store.query.rows(find('notifications', { orderBy: ['orderId', 'endpoint', 'sequence'], limit: 1_000 }))
  const attempts = Map.groupBy(await attemptsOf(service), ({ notificationId }) => notificationId)
  const ended = new Map<string, number>()
  for (const { orderId, endpoint, notificationId, status, attempts: count } of rows) {
    const log = attempts.get(notificationId)!
    assert.equal(status, 'DELIVERED')
    assert.equal(log.length, count)
    assert.deepEqual(
      log.map(({ outcome }) => outcome === 'delivered'),
      log.map((_, at) => at === log.length - 1),
    )
    const stream = `${orderId} ${endpoint}`
    assert.ok(log[0]!.at >= (ended.get(stream) ?? 0))
    ended.set(stream, log.at(-1)!.at)
  }
}

onBothStores('a slow endpoint', (store) => {
  test('delays no other endpoint, and is sent sixteen at a time', async () => {
    const waiting: ServerResponse[] = []
    let [underWay, most, isReleased] = [0, 0, false]
    const slow = await receiver(() => (response) => {
      underWay++
      response.on('close', () => underWay--)
      if (isReleased) return void response.end()
      most = Math.max(most, underWay)
      waiting.push(response)
    })
    const quick = Promise.withResolvers<void>()
    const fast = await receiver(() => {
      if (fast.journal.length === ORDERS) quick.resolve()
      return 200
    })
    const at = (url: string, host: string) => `${url.replace('127.0.0.1', host)}/`
    const service = await startService(store, { world: notifiedWorld(at(slow.url, 'slow.localhost'), 'json') })
    after(() => service.close())
    const began = performance.now()
    for (let order = 0; order < ORDERS; order++) {
      await notifyOf(service, `SLOW_${order}`, 1)
      await notifyOf(service, `FAST_${order}`, 1, { mid: `M${order}`, peonUrl: at(fast.url, `fast${order % 20}.localhost`) })
    }
    const settled = service.tasks.runDue()
    await quick.promise
    const quickMs = performance.now() - began
    assert.ok(waiting.length > 0 && waiting.length <= PER_HOST, 'most of the slow ones wait for their turn')
    isReleased = true
    for (const response of waiting) response.end()
    await settled
    await advanceBy(service, 60_000)
    assert.deepEqual(new Set(await statusesOf(service)), new Set(['DELIVERED']))
    console.log(
      `${store}: ${ORDERS} notifications of quick endpoints made and delivered in ${quickMs.toFixed(0)} ms beside ${ORDERS} to an endpoint that answers none meanwhile; at most ${most} under way there`,
    )
    assert.ok(most <= PER_HOST, String(most))
    assert.deepEqual(new Set((await attemptsOf(service)).map(({ outcome }) => outcome)), new Set(['delivered']))
  })
})
const ORDERS = 60
const PER_HOST = 16 // docs/interface.md section 8
