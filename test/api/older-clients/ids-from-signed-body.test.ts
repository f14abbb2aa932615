// A signed body names the mid and the order where the query does not: docs/interface.md section 4.9. A shop kit posts
// `initiateTransaction?mid=…&ORDER_ID=…`. Everything else is refused as before.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sign } from '../../../src/interface/checksum.ts'
import type { World } from '../../../src/sandbox/world.ts'
import { orderKey } from '../../../src/tables/keys.ts'
import { find } from '../../../src/tables/tables.ts'
import { subscription } from '../../support/mandates/subscription.ts'
import { orderBody } from '../../support/paying/order-body.ts'
import { fromCheckout } from '../../support/run/checkout.ts'
import { codeOf } from '../../support/run/replies.ts'
import { KEY, MID, onBothStores, type Reply, sharedService } from '../../support/run/service.ts'

const OTHER_MID = 'OTHER00000000000001'
const LAX_MID = 'LAX000000000000001'
const { demoWorld } = await fromCheckout<typeof import('../../../src/sandbox/world.ts')>('src/sandbox/world.ts')
const world: World = {
  ...demoWorld,
  merchants: [
    ...demoWorld.merchants!,
    { ...demoWorld.merchants![0]!, mid: OTHER_MID },
    { ...demoWorld.merchants![0]!, mid: LAX_MID, checksumEnabled: false },
  ],
}

const CREATES = ['/theia/api/v1/initiateTransaction', '/theia/api/v1/initiateTransaction/', '/order/initiate']
const INITIATE = '/theia/api/v1/subscription/create'
const LAW = ['/aoa-acquiring-biz/v2/order', '/subscription/create']
const isInitiate = (path: string) => path.endsWith('/subscription/create')

const bodyFor = (path: string, orderId: string): object => (isInitiate(path) ? subscription(orderId) : orderBody(orderId))

onBothStores('a signed body at the payment host', (store) => {
  const service = sharedService(store, { world })
  let next = 0
  const fresh = () => `IDS-${next++}`

  interface Sent {
    body?: object
    signature?: string | null
    headers?: Record<string, string>
    head?: object
  }
  const send = async (path: string, query: string, { body = {}, signature, headers, head = {} }: Sent): Promise<Reply> => {
    const text = JSON.stringify(body)
    const given = { ...head, ...(signature !== null && { signature: signature ?? sign(text, KEY, 'salt') }) }
    return (await service()).post(`${path}?${query}`, `{"head":${JSON.stringify(given)},"body":${text}}`, headers)
  }
  const ordersThere = async () => (await (await service()).ports.query.rows(find('orders', { limit: 1_000 }))).length

  /** Queries with and without the order id, each with its expected code. */
  const queries = (id: string): readonly (readonly [string, string])[] => [
    ['', '0000'],
    [`mid=${MID}`, '0000'],
    [`orderId=${id}`, '0000'],
    [`ORDER_ID=${id}`, '0000'],
    [`mid=${MID}&ORDER_ID=${id}`, '0000'],
    [`mid=${MID}&orderId=${id}&ORDER_ID=${id}`, '0000'],
    // Repeated or empty parameters count as absent.
    [`orderId=${id}&orderId=another`, '0000'],
    ['mid=&orderId=&ORDER_ID=', '0000'],
    [`mid=${OTHER_MID}`, '2013'],
    [`mid=${OTHER_MID}&ORDER_ID=another`, '2013'],
    ['orderId=another', '2014'],
    ['ORDER_ID=another', '2014'],
    [`ORDER_ID=${id}+`, '2014'],
    [`orderId=${id}&ORDER_ID=another`, '2014'],
    [`orderId=another&ORDER_ID=${id}`, '2014'],
  ]

  for (const path of [...CREATES, INITIATE])
    test(`${path} takes the ids of the body, and refuses a query that names another`, async () => {
      const { ports } = await service()
      for (const at of queries('').keys()) {
        const orderId = fresh()
        const [query, code] = queries(orderId)[at]!
        const before = await ordersThere()
        const reply = await send(path, query, { body: bodyFor(path, orderId) })
        assert.equal(codeOf(reply), code, `${query}: ${reply.text}`)
        assert.equal((await ports.query.row(orderKey(MID, orderId))) !== undefined, code === '0000')
        assert.equal((await ordersThere()) - before, code === '0000' ? 1 : 0)
        assert.ok(reply.head.signature, 'the reply is signed for the merchant of the body')
      }
    })

  test('nothing is made of ids that the signature does not prove', async () => {
    const before = await ordersThere()
    for (const path of [...CREATES, INITIATE]) {
      const [orderId, another] = [fresh(), fresh()]
      const of = (id: string) => sign(JSON.stringify(bodyFor(path, id)), KEY, 'salt')
      const moved = { ...bodyFor(path, orderId), mid: OTHER_MID }
      for (const [sent, code] of [
        [{ body: bodyFor(path, orderId), signature: of(another) }, '2005'],
        [{ body: moved, signature: of(orderId) }, '2005'],
        [{ body: bodyFor(path, orderId), signature: '' }, isInitiate(path) ? '1007' : '1012'],
        [{ body: bodyFor(path, orderId), signature: null }, isInitiate(path) ? '1007' : '1012'],
        [{ body: bodyFor(path, orderId), head: { signature: {} }, signature: null }, '2005'],
        // A reply of Mohur's own, sent back: it was signed, but not for this operation.
        [{ body: { ...bodyFor(path, orderId), resultInfo: {} } }, '2005'],
        [{ body: { ...bodyFor(path, orderId), mid: undefined } }, isInitiate(path) ? '1007' : '1012'],
        [{ body: { ...bodyFor(path, orderId), orderId: undefined } }, isInitiate(path) ? '1007' : '1012'],
        [{ body: { ...bodyFor(path, orderId), orderId: {} } }, isInitiate(path) ? '1007' : '1012'],
        [{ body: { ...bodyFor(path, orderId), orderId: 'a/b' } }, isInitiate(path) ? '1007' : '2012'],
        [{ body: { ...bodyFor(path, orderId), mid: 'a/b' } }, isInitiate(path) ? '1007' : '2006'],
        [{ body: { ...bodyFor(path, orderId), mid: 'NOBODY' } }, isInitiate(path) ? '2005' : '2006'],
      ] as const)
        for (const query of ['', `mid=${MID}`]) {
          const reply = await send(path, query, sent)
          const isMid = query !== '' && 'mid' in sent.body && sent.body.mid !== MID && sent.body.mid !== undefined
          const isNamed = query !== '' && 'mid' in sent.body && sent.body.mid === undefined
          const expected = isMid ? '2013' : isNamed ? '1007' : code
          assert.equal(codeOf(reply), expected, `${path} ${JSON.stringify([query, sent])}: ${reply.text}`)
        }
    }
    assert.equal(await ordersThere(), before)
  })

  test('without a signature the query names the order as before, also for a merchant that needs none', async () => {
    const [orderId, named] = [fresh(), fresh()]
    const lax = (id: string) => ({ ...orderBody(id), mid: LAX_MID })
    for (const query of ['', `mid=${LAX_MID}`, `mid=${LAX_MID}&ORDER_ID=${orderId}`, `orderId=${orderId}`])
      assert.equal(codeOf(await send(CREATES[0]!, query, { body: lax(orderId), signature: null })), '1012', query)
    const whole = `mid=${LAX_MID}&orderId=${named}&ORDER_ID=another`
    assert.equal(codeOf(await send(CREATES[0]!, whole, { body: lax(named), signature: null })), '0000')
    assert.equal(codeOf(await send(CREATES[0]!, '', { body: lax(orderId) })), '0000', 'a signature proves the ids of any merchant')
  })

  test('the first paths, and operations that go by a token, take the ids of the query alone', async () => {
    const { ports } = await service()
    for (const path of LAW) {
      const orderId = fresh()
      for (const query of ['', `mid=${MID}`, `mid=${MID}&ORDER_ID=${orderId}`])
        assert.equal(codeOf(await send(path, query, { body: bodyFor(path, orderId) })), isInitiate(path) ? '1007' : '1012')
      assert.equal(await ports.query.row(orderKey(MID, orderId)), undefined)
    }
    const orderId = fresh()
    const made = await send(CREATES[0]!, '', { body: orderBody(orderId) })
    const head = { txnToken: made.body.txnToken, tokenType: 'TXN_TOKEN', token: made.body.txnToken }
    const change = { mid: MID, orderId, txnAmount: { value: '5.00', currency: 'INR' } }
    for (const [path, body] of [
      ['/theia/api/v1/updateTransactionDetail', change],
      ['/theia/api/v1/processTransaction', { mid: MID, orderId, paymentMode: 'UPI' }],
      ['/theia/api/v2/fetchPaymentOptions', { mid: MID, orderId }],
    ] as const)
      for (const query of ['', `mid=${MID}`, `mid=${MID}&ORDER_ID=${orderId}`])
        assert.equal(codeOf(await send(path, query, { body, head })), '1012', path)
    assert.equal((await ports.query.row(orderKey(MID, orderId)))?.version, 1)
  })

  test('an Idempotency-Key is the merchant’s that the body names', async () => {
    const orderId = fresh()
    const headers = { 'idempotency-key': `${store} ${orderId}` }
    const first = await send(CREATES[0]!, '', { body: orderBody(orderId), headers })
    assert.equal(codeOf(first), '0000')
    assert.equal((await send(CREATES[0]!, '', { body: orderBody(orderId), headers })).text, first.text)
    assert.equal((await send(CREATES[0]!, '', { body: orderBody(fresh()), headers })).status, 409)
    const others = await send(CREATES[0]!, '', { body: { ...orderBody(orderId), mid: OTHER_MID }, headers })
    assert.equal(codeOf(others), '0000', 'the same key is another of another merchant')
  })

  test('an order that the body names by an integer is that of ORDER_ID in digits', async () => {
    const [id, other] = ['86229611', '86229612']
    for (const [named, code] of [
      [other, '2014'],
      [id, '0000'],
    ] as const) {
      const text = JSON.stringify(orderBody(id)).replace(`"${id}"`, id)
      const head = JSON.stringify({ signature: sign(text, KEY, 'salt') })
      const reply = await (await service()).post(`${CREATES[0]}?mid=${MID}&ORDER_ID=${named}`, `{"head":${head},"body":${text}}`)
      assert.equal(codeOf(reply), code, named)
    }
  })
})
