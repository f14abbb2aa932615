// A planned rotation over HTTP: docs/operating/rotate-a-key.md. What a prepared key opens and signs, who signs with which key, and the
// effect of a process's five seconds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rotateKey } from '../../src/domain/merchant/keys.ts'
import { activateKey, dropKey, prepareKey } from '../../src/domain/merchant/prepared-key.ts'
import { MerchantKeys } from '../../src/flows/merchant-keys.ts'
import { joinedValues, sign, verify } from '../../src/interface/checksum.ts'
import { merchantKeysOf } from '../../src/tables/keys.ts'
import { pass } from '../support/clocks/jumps.ts'
import { HOUR_MS } from '../support/clocks/times.ts'
import { notifiedWorld, receiver } from '../support/notifications/receiver.ts'
import { orderBody } from '../support/paying/order-body.ts'
import { CARD, createOrder, pay } from '../support/paying/paying.ts'
import { codeOf } from '../support/run/replies.ts'
import {
  KEY,
  MID,
  onBothStores,
  type Reply,
  type Service,
  type ServiceOptions,
  type StoreName,
  startService,
} from '../support/run/service.ts'

const [NEWER, WRONG] = ['NEWERNEWERNEWER1', 'WRONGWRONGWRONG1']
const STATUS = '/v3/order/status'

const ofKeys = ({ clock }: Service) => ({ mid: MID, clientId: 'C11', now: clock.now(), realNow: clock.realNow() })
const named = async (service: Service, reply: Promise<{ result: { name: string } }>) => {
  const { result } = await reply
  service.ports.merchantKeys.forget()
  return result.name
}
const prepare = (service: Service, key = NEWER) =>
  named(service, service.ports.engine.submit(prepareKey, { ...ofKeys(service), fresh: { key } }))
const activate = (service: Service, atOnce = false) =>
  named(service, service.ports.engine.submit(activateKey, { ...ofKeys(service), atOnce }))
const drop = (service: Service) => named(service, service.ports.engine.submit(dropKey, ofKeys(service)))
const rotate = (service: Service, key: string, atOnce = false) =>
  named(service, service.ports.engine.submit(rotateKey, { ...ofKeys(service), atOnce, fresh: { key } }))

const bodyOf = (text: string) => text.slice(text.indexOf('"body":') + '"body":'.length, -1)
const signerOf = ({ text, head }: Pick<Reply, 'text' | 'head'>) => [KEY, NEWER].find((key) => verify(bodyOf(text), head.signature, key))
const ask = (service: Service, key: string) => service.signed(STATUS, { mid: MID, orderId: 'NONE' }, { key })
/** Whether the key is accepted, and which key signs the reply. */
async function asked(service: Service, key: string) {
  const reply = await ask(service, key)
  return [codeOf(reply) === '334', signerOf(reply)]
}
async function callbackKey(service: Service, orderId: string, key = KEY) {
  const body = JSON.stringify(orderBody(orderId, { txnAmount: { value: '100.00', currency: 'INR' } }))
  const text = `{"head":{"signature":"${sign(body, key, 'salt')}"},"body":${body}}`
  const created = await service.post(`/aoa-acquiring-biz/v2/order?mid=${MID}&orderId=${orderId}`, text)
  const paid = await pay(service, { orderId, txnToken: created.body.txnToken }, CARD)
  const { CHECKSUMHASH, ...fields } = paid.body.txnInfo
  return [KEY, NEWER].find((each) => verify(joinedValues(fields), CHECKSUMHASH, each))
}
const rows = ({ ports }: Service) => ports.query.rows(merchantKeysOf(MID))
const metric = async ({ url }: Service, name: string) =>
  (await (await fetch(`${url}/metrics`)).text())
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`))
    .sort()

async function withService(store: StoreName, work: (service: Service) => Promise<unknown>, options: ServiceOptions = {}) {
  const service = await startService(store, options)
  try {
    await work(service)
  } finally {
    await service.close()
  }
}

onBothStores('a prepared key', (store) => {
  test('is accepted, answers what it signed itself, and signs nothing else until it is activated', async () => {
    const { journal, url } = await receiver()
    const notificationKey = async (service: Service) => {
      await service.tasks.runDue()
      const [received] = journal.splice(0)
      return signerOf({ text: received!.body, head: JSON.parse(received!.body).head })
    }
    await withService(
      store,
      async (service) => {
        assert.equal(await prepare(service), 'prepared')
        assert.deepEqual(await asked(service, NEWER), [true, NEWER])
        assert.deepEqual(await asked(service, KEY), [true, KEY])
        assert.deepEqual(await asked(service, WRONG), [false, KEY], 'the reply to a wrong signature')
        assert.equal(await callbackKey(service, 'BY_OLD'), KEY)
        assert.equal(await notificationKey(service), KEY)
        assert.equal(await callbackKey(service, 'BY_PREPARED', NEWER), KEY, 'the callback of an order that it signed')
        assert.equal(await notificationKey(service), KEY)
        const { txnToken } = await createOrder(service, 'UNSIGNED')
        const text = JSON.stringify({ head: { tokenType: 'TXN_TOKEN', token: txnToken }, body: { extendInfo: { udf1: 'a' } } })
        assert.equal(signerOf(await service.post(`/aoa-acquiring-biz/v2/modifyOrder?mid=${MID}&orderId=UNSIGNED`, text)), KEY)

        assert.equal(await activate(service), 'activated')
        assert.equal(await callbackKey(service, 'AFTER'), NEWER)
        assert.equal(await notificationKey(service), NEWER)
        assert.deepEqual(await asked(service, WRONG), [false, NEWER])
        assert.deepEqual(await asked(service, KEY), [true, KEY])
        pass(service, 23 * HOUR_MS)
        service.ports.merchantKeys.forget()
        assert.deepEqual(await asked(service, KEY), [true, KEY], 'within its day')
        pass(service, HOUR_MS)
        assert.deepEqual(await asked(service, KEY), [false, NEWER], 'after its day')
        assert.deepEqual(await asked(service, NEWER), [true, NEWER])
      },
      { world: notifiedWorld(url, 'json') },
    )
  })

  test('is one of its clientId; each step that cannot be made is refused by name, and changes nothing', () =>
    withService(store, async (service) => {
      assert.equal(await activate(service), 'notPrepared')
      assert.equal(await drop(service), 'notPrepared')
      await prepare(service)
      const before = await rows(service)
      assert.equal(await prepare(service, 'ANOTHERANOTHER01'), 'alreadyPrepared')
      assert.equal(await rotate(service, 'ANOTHERANOTHER01'), 'onePrepared')
      assert.deepEqual(await rows(service), before)
      assert.equal(await drop(service), 'dropped')
      assert.deepEqual(await asked(service, NEWER), [false, KEY])
      assert.equal(await activate(service), 'notPrepared')
    }))

  test('ends with --now, and not when --activate says so in one step', () =>
    withService(store, async (service) => {
      await prepare(service)
      assert.equal(await rotate(service, 'ANOTHERANOTHER01', true), 'ended')
      for (const key of [KEY, NEWER]) assert.deepEqual((await asked(service, key))[0], false, key)
      assert.equal(await activate(service), 'notPrepared')
      assert.equal(await prepare(service), 'prepared')
      assert.equal(await activate(service, true), 'ended')
      assert.deepEqual(await asked(service, 'ANOTHERANOTHER01'), [false, NEWER])
      assert.deepEqual(await asked(service, NEWER), [true, NEWER])
    }))

  test('that was dropped never lends its number: an answer given again is signed by no key that is prepared later', () =>
    withService(store, async (service) => {
      await prepare(service, 'DROPPEDDROPPED01')
      const body = JSON.stringify(orderBody('AGAIN'))
      const text = `{"head":{"signature":"${sign(body, 'DROPPEDDROPPED01', 'salt')}"},"body":${body}}`
      const create = () => service.post(`/aoa-acquiring-biz/v2/order?mid=${MID}&orderId=AGAIN`, text, { 'idempotency-key': 'once' })
      assert.equal(codeOf(await create()), '0000')
      await drop(service)
      await prepare(service)
      assert.equal(signerOf(await create()), KEY)
    }))

  test('when two steps come at once each reports what it did, and one key is prepared at most', () =>
    withService(store, async (service) => {
      const prepared = await Promise.all([prepare(service, 'TWINTWINTWINTWI1'), prepare(service, 'TWINTWINTWINTWI2')])
      assert.deepEqual(prepared.sort(), ['alreadyPrepared', 'prepared'])
      const ends = await Promise.all([activate(service), drop(service)])
      assert.ok(['activated,notPrepared', 'notPrepared,dropped'].includes(ends.join()), ends.join())
    }))

  test('is neither set nor activated by a world file that names it, and the file is warned of', () =>
    withService(store, async (service) => {
      const load = async (key: string) => {
        const world = JSON.stringify({ merchants: [{ mid: MID, keys: [{ clientId: 'C11', key }] }] })
        return JSON.parse((await service.call('PUT', '/sandbox/world', {}, world)).text)
      }
      await prepare(service)
      const before = (await rows(service)).map(({ key, isPrepared, retiresAt }) => ({ key, isPrepared, retiresAt }))
      const now = async () => (await rows(service)).map(({ key, isPrepared, retiresAt }) => ({ key, isPrepared, retiresAt }))
      assert.deepEqual((await load(KEY)).warnings ?? [], [], 'the key that signs')
      for (const key of [NEWER, 'ANOTHERANOTHER01']) {
        const answer = JSON.stringify(await load(key))
        assert.match(answer, /names a key of merchant .* that is not the one that signs/)
        assert.ok(!answer.includes(key), 'no key is said')
        assert.deepEqual(await now(), before)
      }
      assert.equal(await callbackKey(service, 'WORLD'), KEY)
    }))

  test('is unknown for five seconds to a process that has the old keys, and its activation too', () =>
    withService(store, async (service) => {
      const other = new MerchantKeys(service.ports.query, service.clock, service.ports.fresh)
      const holds = () => other.holds(MID, 'data', sign('data', NEWER, 'salt'))
      const signs = async () => {
        const { signature } = (await other.sign(MID, undefined, 'data'))!
        return [KEY, NEWER].find((key) => verify('data', signature, key))
      }
      await signs()
      await prepare(service)
      assert.equal(await holds(), false)
      service.clock.pass(5_000)
      assert.equal(await holds(), true)
      await activate(service)
      assert.equal(await signs(), KEY, 'a key that both sides have')
      service.clock.pass(5_000)
      assert.equal(await signs(), NEWER)
    }))
})

onBothStores('the use of each key', (store) => {
  test('is counted by mid and number, and no figure names a key; what Mohur signed itself does not count', () =>
    withService(store, async (service) => {
      await prepare(service)
      await ask(service, KEY)
      for (const _ of [1, 2]) await ask(service, NEWER)
      for (const _ of [1, 2, 3]) await ask(service, WRONG)
      await service.signed(STATUS, { mid: 'NOBODY', orderId: 'NONE' }, { key: KEY })
      const refusal = await ask(service, WRONG) // signed by Mohur, so a stranger can send it on
      await service.post(STATUS, `{"head":{"signature":"${refusal.head.signature}"},"body":${bodyOf(refusal.text)}}`)
      const of = (number: number) => `{mid="${MID}",client_id="C11",number="${number}"}`
      assert.deepEqual(await metric(service, 'mohur_signatures_total'), [
        `mohur_signatures_total${of(1)} 1`,
        `mohur_signatures_total${of(2)} 2`,
      ])
      assert.deepEqual(await metric(service, 'mohur_wrong_signatures_total'), [`mohur_wrong_signatures_total${of(1)} 4`])
      const figures = await (await fetch(`${service.url}/metrics`)).text()
      for (const key of [KEY, NEWER]) assert.ok(!figures.includes(key))
    }))

  test('is written when a key is first seen, then once an hour, and when the process ends; two processes add up', () =>
    withService(store, async (service) => {
      const written = async () => (await rows(service)).map(({ lastSeenAt, wrongSignatures }) => [lastSeenAt !== null, wrongSignatures])
      await prepare(service)
      await ask(service, NEWER)
      await ask(service, WRONG)
      assert.deepEqual(
        await written(),
        [
          [false, 0],
          [false, 0],
        ],
        'no request writes',
      )
      await service.tasks.runDue()
      assert.deepEqual(await written(), [
        [false, 1],
        [true, 0],
      ])
      const [, first] = await rows(service)
      for (const _ of [1, 2]) await ask(service, WRONG)
      pass(service, 30 * 60_000)
      await ask(service, NEWER)
      await service.tasks.runDue()
      assert.deepEqual([(await rows(service))[0]!.wrongSignatures, (await rows(service))[1]!.lastSeenAt], [1, first!.lastSeenAt])
      pass(service, 30 * 60_000)
      await service.tasks.runDue()
      const [old, newer] = await rows(service)
      assert.equal(old!.wrongSignatures, 3)
      assert.ok(newer!.lastSeenAt! - first!.lastSeenAt! >= 30 * 60_000)
      await ask(service, WRONG)
      await service.tasks.stop()
      assert.equal((await rows(service))[0]!.wrongSignatures, 4)
    }))

  test('a create and a payment write no row of a key', () =>
    withService(store, async (service) => {
      const before = await rows(service)
      for (let at = 0; at < 20; at++) assert.equal(await callbackKey(service, `COST${at}`), KEY)
      assert.deepEqual(await rows(service), before)
    }))
})
