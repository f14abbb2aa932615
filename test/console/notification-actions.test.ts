// Notifications that were given up are sent again from the console: one order's, or all that a page showed. Over HTTP.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Change } from '../../src/engine/decision.ts'
import { stoppedEndpointKey, streamKey } from '../../src/tables/keys.ts'
import { find } from '../../src/tables/tables.ts'
import { ask, type Person, personOf } from '../support/console/desk.ts'
import { PAGE_BYTES_MAX } from '../support/console/walks.ts'
import { deadRows } from '../support/notifications/dead.ts'
import { notifiedWorld, receiver } from '../support/notifications/receiver.ts'
import { MID, onBothStores, type Service, startService } from '../support/run/service.ts'

const OTHER = 'OTHER'
const REASON = 'their server is back'

onBothStores('notifications in the console', (store) => {
  let service: Service
  let shop: Awaited<ReturnType<typeof receiver>>
  let staff: Person
  let ofOther: Person
  before(async () => {
    shop = await receiver(() => 200, { endsWithTest: false })
    service = await startService(store, {
      world: notifiedWorld(`${shop.url}/merchant`, 'json', [{ mid: OTHER, url: `${shop.url}/other` }]),
    })
    staff = await personOf(service, ['support'])
    ofOther = await personOf(service, ['developer'], [OTHER])
  })
  after(async () => {
    shop.close()
    await service.close()
  })

  const post = (path: string, form: Record<string, string>, person = staff) =>
    ask(service, `/console/notifications${path}`, { cookie: person.cookie, form: { reason: REASON, ...form, token: person.token } })
  const see = (query = '', person = staff) => ask(service, `/console/notifications${query}`, { cookie: person.cookie })
  const write = (changes: Change[]) => service.store.transaction((transaction) => transaction.write({ changes, events: [], tasks: [] }))
  /** Dead streams, each of one notification, given up after the page that was shown last. Then a second passes. */
  async function dead(orderIds: readonly string[], mid = MID) {
    service.clock.advance(1)
    await write(orderIds.flatMap((orderId) => deadRows({ mid, orderId, url: `${shop.url}/merchant`, now: service.clock.now() })))
    service.clock.advance(1_000)
  }
  const streamOf = async (orderId: string, mid = MID) => (await service.ports.query.row(streamKey(mid, orderId, 'merchant')))!
  const outcomes = async (orderId: string, mid = MID) => {
    const equals = { subject: `order:${orderId}`, mid }
    const rows = await service.ports.query.rows(find('auditLog', { equals, orderBy: ['auditId'], limit: 100 }))
    return rows.map(({ operatorId, action, outcome, reason, data }) => {
      assert.deepEqual([action, reason, data], ['notification.resend', REASON, { endpoint: 'merchant' }])
      return [operatorId === staff.operatorId ? 'staff' : 'other', outcome]
    })
  }
  const allOf = (text: string) => {
    const form = /<form method="post" id="resend">(.*?)<\/form>/s.exec(text)![1]!
    return Object.fromEntries([...form.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, name, value]) => [name!, value!]))
  }
  const givenOf = (text: string, orderId: string) =>
    new RegExp(`formaction="/console/notifications/(${MID}/${orderId}/merchant/resend)" name="given" value="(\\d+)"`).exec(text)!

  test('one order’s are sent again, once, however often its button is pressed', async () => {
    await dead(['ONE', 'LEFT'])
    const [, path, given] = givenOf((await see()).text, 'ONE')
    const answers = await Promise.all([1, 2, 3].map(() => post(`/${path}`, { given: given! })))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 409, 409])
    assert.match(answers.find(({ status }) => status === 409)!.text, /The notifications of this order are now: /)
    assert.equal(answers.find(({ status }) => status === 303)!.location, `/console/notifications?merchant=${MID}&did=resent`)
    await service.tasks.runDue()
    assert.deepEqual([(await streamOf('ONE')).status, (await streamOf('LEFT')).status], ['IDLE', 'DEAD'])
    assert.deepEqual((await outcomes('ONE')).map(([, outcome]) => outcome).sort(), ['changed', 'changed', 'revived'])
    assert.equal(shop.journal.filter(({ body }) => body.includes('TXNONE1')).length, 1)
    assert.deepEqual(await outcomes('LEFT'), [])
  })

  test('all that the page showed are sent again, of the merchants of the person alone; what came later waits', async () => {
    await dead(['ALL_1', 'ALL_2'])
    await dead(['ALL_3'], OTHER)
    const form = allOf((await see('', ofOther)).text)
    await dead(['ALL_4'], OTHER)
    const done = await post('/resend', form, ofOther)
    assert.equal(done.status, 200)
    assert.match(done.text, /Orders whose notifications are sent again: 1\./)
    await service.tasks.runDue()
    assert.deepEqual([(await streamOf('ALL_3', OTHER)).status, (await streamOf('ALL_4', OTHER)).status], ['IDLE', 'DEAD'])
    assert.deepEqual(await outcomes('ALL_3', OTHER), [['other', 'revived']])
    for (const orderId of ['ALL_1', 'ALL_2']) assert.equal((await streamOf(orderId)).status, 'DEAD')
    const again = await post('/resend', form, ofOther)
    assert.match(again.text, /Orders whose notifications are sent again: 0\./)
    assert.deepEqual(await outcomes('ALL_4', OTHER), [])
    const filtered = await post('/resend', allOf((await see(`?merchant=${MID}`)).text))
    assert.match(filtered.text, /Orders whose notifications are sent again: 3\./)
    assert.equal((await streamOf('ALL_4', OTHER)).status, 'DEAD', 'another merchant’s is not on that page')
    assert.deepEqual(await outcomes('ALL_1'), [['staff', 'revived']])
  })

  test('a filter that cannot be read sends nothing again', async () => {
    await dead(['FILTER'])
    const form = allOf((await see(`?merchant=${MID}`)).text)
    assert.equal((await post('/resend', { ...form, from: 'yesterday' })).status, 422)
    assert.equal((await post('/resend', { ...form, after: 'x' })).status, 422)
    for (const shown of ['', 'now', '1e12', '99999999999999']) assert.equal((await post('/resend', { ...form, shown })).status, 400, shown)
    assert.equal((await post('/resend', { ...form, reason: '' })).status, 422)
    assert.equal((await streamOf('FILTER')).status, 'DEAD')
    assert.deepEqual(await outcomes('FILTER'), [])
  })

  test('an endpoint that answered 410 is started first, once', async () => {
    const url = `${shop.url}/merchant`
    await dead(['GONE'])
    await write([{ kind: 'insert', key: stoppedEndpointKey(MID, url), row: { mid: MID, url, stoppedAt: service.clock.now() } }])
    const [, path, given] = givenOf((await see()).text, 'GONE')
    const stopped = await post(`/${path}`, { given: given! })
    assert.equal(stopped.status, 409)
    assert.match(stopped.text, /is stopped\. Start it first\./)
    const all = await post('/resend', allOf((await see(`?merchant=${MID}`)).text))
    assert.match(all.text, /Left, because their endpoint is stopped: [1-9]\d*\. Start it first\./)
    const button = new RegExp(`form="start" formaction="/console/notifications/${MID}/start" name="given" value="([^"]+)"`)
    const { text } = await see()
    const endpoint = { given: button.exec(text)![1]! }
    assert.match(text, new RegExp(`<li><bdi>${URL.parse(url)!.host}</bdi> of `))
    assert.ok(!text.includes('/merchant<') && !text.includes(url), 'the other parts of an address may hold a secret')
    assert.equal((await post(`/${MID}/start`, endpoint, ofOther)).status, 404)
    assert.equal((await post(`/${MID}/start`, { given: url })).status, 409)
    assert.equal((await post('/%E2%80%AEevil%0A/start', endpoint)).status, 404)
    const evil = await service.ports.query.rows(find('auditLog', { equals: { subject: 'merchant:\u202eevil\n' }, limit: 1 }))
    assert.deepEqual(evil, [])
    const answers = await Promise.all([1, 2].map(() => post(`/${MID}/start`, endpoint)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 409])
    const rows = await service.ports.query.rows(find('auditLog', { equals: { subject: `merchant:${MID}`, mid: MID }, limit: 9 }))
    assert.deepEqual(rows.map(({ action, outcome, reason }) => [action, outcome, reason]).sort(), [
      ...Array(2).fill(['notification.start', 'running', REASON]),
      ['notification.start', 'started', REASON],
    ])
    assert.deepEqual(rows.find(({ outcome }) => outcome === 'started')!.data, { host: new URL(url).host })
    assert.equal((await streamOf('GONE')).status, 'DEAD', 'until its notifications are sent again')
    const started = await see(`?merchant=${MID}&did=started`)
    assert.match(started.text, /role="status">The endpoint is started\./)
    await post('/resend', allOf(started.text))
    await service.tasks.runDue()
    assert.equal((await streamOf('GONE')).status, 'IDLE')
  })

  test('people without the permission see the list without its buttons', async () => {
    await dead(['SEEN'])
    const { text } = await see('', await personOf(service, ['finance']))
    assert.match(text, /SEEN/)
    assert.doesNotMatch(text, /Send again|formaction/)
  })

  test('the largest page stays within its bound: fifty streams, fifty endpoints and fifty that wait, with the longest names', async () => {
    const mid = 'M'.repeat(20)
    const long = (what: string, nth: number, length: number) => `${what}${nth}`.padEnd(length, '@')
    const nths = Array.from({ length: 60 }, (_, nth) => nth)
    const stoppedAt = service.clock.now()
    await write([
      ...nths.flatMap((nth) => deadRows({ mid, orderId: long('O', nth, 50), url: shop.url, now: stoppedAt })),
      ...nths.map((nth): Change => {
        const url = `https://shop.example/${long('U', nth, 2_000)}`.replaceAll('@', '&')
        return { kind: 'insert', key: stoppedEndpointKey(mid, url), row: { mid, url, stoppedAt } }
      }),
    ])
    const tasks = nths.map((nth) => {
      const subject = `${mid}|${long('W', nth, 50)}|merchant`
      return { kind: 'add', task: 'notification.due', subject, dueAt: stoppedAt + 3_600_000, payload: {}, attempts: 9 } as const
    })
    await service.store.transaction((transaction) => transaction.write({ changes: [], events: [], tasks }))
    service.clock.advance(1_000)
    const { text } = await see(`?merchant=${mid}`)
    assert.equal([...text.matchAll(/aria-label="Send again for /g)].length, 50)
    assert.equal([...text.matchAll(/aria-label="Start /g)].length, 50)
    assert.equal([...text.matchAll(/tried 9 times/g)].length, 50)
    assert.ok(Buffer.byteLength(text) <= PAGE_BYTES_MAX, `${Buffer.byteLength(text)} bytes`)
  })

  test('a foreign order, a stream that is not there and one that is at work are left alone', async () => {
    await dead(['FOREIGN'])
    const { updatedAt } = await streamOf('FOREIGN')
    const given = String(updatedAt)
    assert.equal((await post(`/${MID}/FOREIGN/merchant/resend`, { given }, ofOther)).status, 404)
    assert.equal((await post(`/${MID}/NOTHING/merchant/resend`, { given })).status, 404)
    assert.equal((await post(`/${MID}/FOREIGN/elsewhere/resend`, { given })).status, 404)
    for (const wrong of ['', 'x', '0']) assert.equal((await post(`/${MID}/FOREIGN/merchant/resend`, { given: wrong })).status, 409, wrong)
    assert.equal((await streamOf('FOREIGN')).status, 'DEAD')
  })
})
