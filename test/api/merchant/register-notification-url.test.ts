// Register Notification URL over HTTP, as shops' plugins call it: docs/interface.md section 4.18.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Egress } from '../../../src/adapters/delivery/egress.ts'
import { operations } from '../../../src/api/operations.ts'
import { sign } from '../../../src/interface/checksum.ts'
import { registerNotificationUrl as codes } from '../../../src/interface/result-codes.ts'
import { demoWorld, loadWorld } from '../../../src/sandbox/world.ts'
import { merchantKey } from '../../../src/tables/keys.ts'
import { receiver, SECRET } from '../../support/notifications/receiver.ts'
import { DELIVERABLE, UNDELIVERABLE } from '../../support/notifications/undeliverable.ts'
import { createOrder, pay } from '../../support/paying/paying.ts'
import { KEY, MID, onBothStores, type Reply, type Service, sharedService } from '../../support/run/service.ts'
import { withFailingQuery } from '../../support/store/faults.ts'

const PATH = operations.registerNotificationUrl.paths[0]
const OTHER_MID = 'OTHER000000000000001'
const OTHER_KEY = 'QRSTUVWXYZABCDEF'
const SHOP = 'http://127.0.0.1:9/notify'

const textOf = (url: unknown, more: object = {}) =>
  JSON.stringify({ mid: MID, queryParam: 'notificationUrls', paymentNotificationUrl: url, ...more })
const put = ({ call }: Service, text: string, checksum: string = sign(text, KEY, 'salt')): Promise<Reply> =>
  call('PUT', PATH, checksum === '' ? undefined : { 'x-checksum': checksum }, text)

const isRefused = (reply: Reply, name: Exclude<keyof typeof codes, 'success'>, what?: string) => {
  const { code, message } = codes[name]
  assert.equal(reply.status, 200)
  assert.deepEqual(reply.body, { responseCode: code, message, [code]: message }, what ?? name)
}
const isDone = (reply: Reply) => assert.deepEqual(reply.body, { responseCode: '200', message: 'Success', success: true })

onBothStores('Register Notification URL', (store) => {
  const failing = { now: false }
  const service = sharedService(store, {
    world: { ...demoWorld, merchants: [...demoWorld.merchants!, { mid: OTHER_MID, keys: [{ clientId: 'C11', key: OTHER_KEY }] }] },
    store: (real) => withFailingQuery(real, failing),
  })
  const set = async (running: Service, merchant: object) =>
    loadWorld(
      running.store,
      running.ports.vault,
      { merchants: [{ mid: MID, ...merchant }] },
      { signedModify: 'optional', now: running.clock.now() },
    )
  const notificationOf = async ({ ports }: Service) => (await ports.query.row(merchantKey(MID)))!.notification

  test('E_422: bytes that are no request, a member that is missing or wrong, whatever the checksum', async () => {
    const running = await service()
    for (const text of [
      '',
      '[]',
      '{"mid":',
      textOf(undefined),
      textOf('javascript:alert(1)'),
      textOf('ftp://shop.example/'),
      textOf('https://user:secret@shop.example/'),
      textOf(5),
      textOf(SHOP, { mid: 'A B' }),
      textOf(SHOP, { queryParam: 'merchantName' }),
      textOf(`https://shop.example/${'x'.repeat(2_048)}`),
    ])
      isRefused(await put(running, text, 'x'), 'invalidRequest', text)
  })

  test('E_401: no checksum, a wrong one, one of another merchant or over other bytes, an unknown merchant', async () => {
    const running = await service()
    await set(running, { registersNotificationUrl: true })
    const text = textOf(SHOP)
    for (const checksum of ['', 'x', sign(text, OTHER_KEY, 'salt'), sign(`${text} `, KEY, 'salt')])
      isRefused(await put(running, text, checksum), 'invalidChecksum')
    isRefused(await put(running, textOf(SHOP, { mid: OTHER_MID })), 'invalidChecksum')
    isRefused(await put(running, textOf(SHOP, { mid: 'NOBODY' })), 'invalidChecksum')
    assert.equal(await notificationOf(running), null)
    await set(running, { registersNotificationUrl: false })
  })

  test('E_403: while the setting is off, which it is unless an operator turned it on', async () => {
    const running = await service()
    isRefused(await put(running, textOf(SHOP)), 'notRegistered')
    const other = textOf(SHOP, { mid: OTHER_MID })
    isRefused(await put(running, other, sign(other, OTHER_KEY, 'salt')), 'notRegistered')
    assert.equal(await notificationOf(running), null)
  })

  test('E_406: an address that points inside, or has no name', async () => {
    const running = await service()
    await set(running, { registersNotificationUrl: true })
    for (const url of ['http://10.0.0.1/', 'http://169.254.169.254/latest/meta-data', 'http://[fd00::1]/', 'https://nowhere.invalid/'])
      isRefused(await put(running, textOf(url)), 'invalidUrl', url)
    assert.equal(await notificationOf(running), null)
  })

  test('in production it takes and refuses the addresses that a world file does', async () => {
    const egress = new Egress('production', async () => ['8.8.8.8'])
    for (const url of UNDELIVERABLE) assert.deepEqual([await egress.allows(url), egress.mayReach(url)], [false, false], url)
    for (const url of DELIVERABLE) assert.deepEqual([await egress.allows(url), egress.mayReach(url)], [true, true], url)
  })

  test('a registered address is notified in the classic form; earlier notifications keep their address; dummyUrl unsets, and the secret stays', async () => {
    const running = await service()
    await set(running, { registersNotificationUrl: true })
    const [first, second] = [await receiver(undefined, { endsWithTest: false }), await receiver(undefined, { endsWithTest: false })]
    const paid = async (orderId: string) => pay(running, await createOrder(running, orderId), { paymentMode: 'PPBL' })

    isDone(await put(running, textOf(`${first.url}/one`)))
    const registered = (await notificationOf(running))!
    assert.deepEqual({ ...registered, secret: '' }, { form: 'classic', secret: '', isRegistered: true, url: `${first.url}/one` })
    assert.match(registered.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    await paid('REG1')
    isDone(await put(running, textOf(`${second.url}/two`)))
    assert.deepEqual(await notificationOf(running), { ...registered, url: `${second.url}/two` })
    await paid('REG2')
    isDone(await put(running, textOf('https://www.dummyUrl.com')))
    assert.deepEqual(await notificationOf(running), { form: 'classic', secret: registered.secret, isRegistered: true })
    await paid('REG3')
    await running.tasks.runDue()
    assert.deepEqual(
      [first, second].map(({ journal }) => journal.map(({ path, body }) => [path, new URLSearchParams(body).get('ORDERID')])),
      [[['/one', 'REG1']], [['/two', 'REG2']]],
    )
    isDone(await put(running, textOf(`${first.url}/three`)))
    assert.equal((await notificationOf(running))!.secret, registered.secret)
    for (const { close } of [first, second]) close()
    await set(running, { name: 'Demo Stores' }) // a start merges the world again
    assert.equal((await notificationOf(running))!.url, `${first.url}/three`)
  })

  test('an operator sets form and secret, and leaves the address to the plugin', async () => {
    const running = await service()
    await set(running, { registersNotificationUrl: true, notification: { form: 'json', secret: SECRET } })
    isDone(await put(running, textOf(SHOP)))
    const expected = { form: 'json', secret: SECRET, isRegistered: true, url: SHOP }
    assert.deepEqual(await notificationOf(running), expected)
    await set(running, { notification: { form: 'json', secret: SECRET } })
    assert.deepEqual(await notificationOf(running), expected)
  })

  test('E_400: an address that the operator set is neither replaced nor unset', async () => {
    const running = await service()
    const notification = { url: 'https://shop.example/operator', form: 'json' as const, secret: SECRET }
    await set(running, { registersNotificationUrl: true, notification })
    for (const url of [SHOP, 'https://www.dummyUrl.com']) isRefused(await put(running, textOf(url)), 'alreadySet')
    assert.deepEqual(await notificationOf(running), notification)
  })

  test('E_500: the store fails', async () => {
    const running = await service()
    failing.now = true
    try {
      isRefused(await put(running, textOf(SHOP)), 'systemError')
    } finally {
      failing.now = false
    }
  })
})
