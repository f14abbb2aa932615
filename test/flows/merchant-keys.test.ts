// While a merchant has two living keys, a reply is signed by the key of its request.

import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { NEW_KEY } from '../../src/domain/merchant/keys.ts'
import { joinedValues, sign, verify } from '../../src/interface/checksum.ts'
import { lock, type Row } from '../../src/tables/tables.ts'
import { orderBody } from '../support/paying/order-body.ts'
import { CARD, createOrder, pay } from '../support/paying/paying.ts'
import { KEY, MID, onBothStores, type Reply, type Service, sharedService } from '../support/run/service.ts'

const NEWER = 'NEWERNEWERNEWER1'
const DAY_MS = 24 * 60 * 60_000
const CREATE = '/aoa-acquiring-biz/v2/order'
const STATUS = '/v3/order/status'

const signedWith = ({ text, head }: Reply, ...keys: string[]) =>
  keys.filter((key) => verify(text.slice(text.indexOf('"body":') + '"body":'.length, -1), head.signature, key))

async function keysAre(service: Service, ...rows: Partial<Row<'merchantKeys'>>[]) {
  const before = await service.ports.query.rows({ find: 'merchantKeys', equals: { mid: MID }, limit: 10 })
  await service.store.transaction((transaction) =>
    transaction.write({
      changes: rows.map((row, at) => {
        const [generation, key] = [String(at), lock('merchantKeys', MID, 'C11', String(at))]
        const made: Row<'merchantKeys'> = { mid: MID, clientId: 'C11', generation, position: 0, key: KEY, ...NEW_KEY, ...row }
        return { kind: before.some((one) => one.generation === generation) ? 'update' : 'insert', key, row: made }
      }),
      events: [],
      tasks: [],
    }),
  )
  service.ports.merchantKeys.forget()
}
const rotated = (service: Service) => keysAre(service, { retiresAt: Date.now() + DAY_MS }, { key: NEWER })

onBothStores("a reply's key", (store) => {
  const opened = sharedService(store)

  const orderOf = (orderId: string) => orderBody(orderId, { txnAmount: { value: '100.00', currency: 'INR' } })
  const created = (service: Service, orderId: string, key: string, headers: Record<string, string> = {}) => {
    const body = JSON.stringify(orderOf(orderId))
    const text = `{"head":{"signature":"${sign(body, key, 'salt')}"},"body":${body}}`
    return service.post(`${CREATE}?mid=${MID}&orderId=${orderId}`, text, headers)
  }
  const modified = (
    service: Service,
    { orderId, txnToken }: { orderId: string; txnToken: string },
    headers: Record<string, string> = {},
  ) => {
    const head = { tokenType: 'TXN_TOKEN', token: txnToken }
    const text = JSON.stringify({ head, body: { extendInfo: { udf1: 'a' } } })
    return service.post(`/aoa-acquiring-biz/v2/modifyOrder?mid=${MID}&orderId=${orderId}`, text, headers)
  }

  test('an answer that is given again is signed as it was, whatever was rotated since, while that key lives', async () => {
    const service = await opened()
    const once = { 'idempotency-key': 'once' }
    const order = await createOrder(service, 'KEPT')
    const first = { created: await created(service, 'AGAIN', KEY, once), modified: await modified(service, order, once) }
    assert.equal(first.modified.body.resultInfo.resultStatus, 'S')
    await rotated(service)
    assert.equal((await created(service, 'AGAIN', KEY, once)).text, first.created.text)
    assert.equal((await modified(service, order, once)).text, first.modified.text)
    assert.deepEqual(signedWith(first.modified, KEY, NEWER), [KEY])

    await keysAre(service, { retiresAt: Date.now() - 1 }, { key: NEWER })
    const later = await modified(service, order, once)
    assert.deepEqual(later.body, first.modified.body)
    assert.deepEqual(signedWith(later, KEY, NEWER), [NEWER])
  })

  describe('while two live', () => {
    before(async () => rotated(await opened()))

    test('is the one that the request was signed with', async () => {
      const service = await opened()
      for (const key of [KEY, NEWER]) {
        assert.deepEqual(signedWith(await created(service, `BY_${key}`, key), KEY, NEWER), [key])
        const asked = await service.signed(STATUS, { mid: MID, orderId: `BY_${key}` }, { key })
        assert.deepEqual(signedWith(asked, KEY, NEWER), [key])
        const refused = await service.signed(STATUS, { mid: MID, orderId: 'NONE' }, { key })
        assert.deepEqual(signedWith(refused, KEY, NEWER), [key])
      }
    })

    test('is the newest where nothing was signed, or wrongly', async () => {
      const service = await opened()
      const body = await created(service, 'UNSIGNED', KEY)
      const order = { orderId: 'UNSIGNED', txnToken: body.body.txnToken }
      assert.deepEqual(signedWith(await modified(service, order), KEY, NEWER), [NEWER])
      const wrong = await service.signed(STATUS, { mid: MID, orderId: 'UNSIGNED' }, { key: 'WRONGWRONGWRONG1' })
      assert.deepEqual(signedWith(wrong, KEY, NEWER), [NEWER])
    })

    test('is the newest in what the browser brings to the merchant', async () => {
      const service = await opened()
      const { body } = await created(service, 'PAID', KEY)
      const paid = await pay(service, { orderId: 'PAID', txnToken: body.txnToken }, CARD)
      const { CHECKSUMHASH, ...fields } = paid.body.txnInfo ?? paid.body.callBackUrl?.content ?? {}
      const found = [KEY, NEWER].filter((key) => verify(joinedValues(fields), CHECKSUMHASH, key))
      assert.deepEqual(found, [NEWER], paid.text)
    })
  })
})
