// What `head.clientId` selects: docs/interface.md section 5. Where all living keys of a merchant have one clientId, it selects nothing.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { rotateKey } from '../../src/domain/merchant/keys.ts'
import { sign, verify } from '../../src/interface/checksum.ts'
import type { World } from '../../src/sandbox/world.ts'
import { orderKey } from '../../src/tables/keys.ts'
import { find, lock } from '../../src/tables/tables.ts'
import { subscription } from '../support/mandates/subscription.ts'
import { orderBody } from '../support/paying/order-body.ts'
import { fromCheckout } from '../support/run/checkout.ts'
import { codeOf } from '../support/run/replies.ts'
import { onBothStores, type Reply, type Service, sharedService } from '../support/run/service.ts'

const FIRST = 'ABCDEFGHIJKLMNOP'
const SECOND = 'BBCDEFGHIJKLMNOP'
const THIRD = 'CBCDEFGHIJKLMNOP'
const NOBODYS = 'NOBODYNOBODYNOBO'
const [ONE, ROTATING, RETIRED, THREE] = ['ONEKEY', 'ROTATING', 'RETIRED', 'THREEKEYS']

const { demoWorld } = await fromCheckout<typeof import('../../src/sandbox/world.ts')>('src/sandbox/world.ts')
const keysOf: Readonly<Record<string, readonly string[]>> = {
  [ONE]: [FIRST],
  [ROTATING]: [FIRST],
  [RETIRED]: [FIRST, SECOND],
  [THREE]: [FIRST, SECOND, THIRD],
}
const world: World = {
  ...demoWorld,
  promotions: [],
  merchants: Object.entries(keysOf).map(([mid, keys]) => ({
    ...demoWorld.merchants![0]!,
    mid,
    keys: keys.map((key, at) => ({ clientId: `C1${at + 1}`, key })),
  })),
}

/** Texts that no merchant's key has as its clientId. */
const UNKNOWN = ['C99', 'c11', ' C11', 'C11 ', 'C', '7', '0', 'C11,C12', '__proto__', 'é😀', 'x'.repeat(64)]
/** These count as absent. */
const NONE = [undefined, null, '', []]
/** The schemas accept none of these. */
const WRONG = [7, 1.5, true, {}, ['C11'], { C11: 1 }, 'x'.repeat(65), 'C\u000111']

const bodyTextOf = ({ text }: Reply) => text.slice(text.indexOf('"body":') + '"body":'.length, -1)

onBothStores('head.clientId', (store) => {
  const service = sharedService(store, { world })
  let next = 0

  before(async () => {
    const { ports, store: rows, clock } = await service()
    await ports.engine.submit(rotateKey, {
      mid: ROTATING,
      clientId: 'C11',
      now: clock.now(),
      realNow: clock.realNow(),
      fresh: { key: SECOND },
    })
    const [second] = await ports.query.rows(find('merchantKeys', { equals: { mid: RETIRED, clientId: 'C12' }, limit: 1 }))
    const key = lock('merchantKeys', RETIRED, 'C12', second!.generation)
    const row = { ...second!, retiresAt: clock.realNow() - 1 }
    await rows.transaction((transaction) => transaction.write({ changes: [{ kind: 'update', key, row }], events: [], tasks: [] }))
    ports.merchantKeys.forget()
  })

  const create = async (mid: string, clientId: unknown, key: string) => {
    const { post, ports } = await service()
    const orderId = `CLIENT-${next++}`
    const text = JSON.stringify({ ...orderBody(orderId), mid })
    const head = JSON.stringify({ clientId, signature: sign(text, key, 'salt') })
    const reply = await post(`/aoa-acquiring-biz/v2/order?mid=${mid}&orderId=${orderId}`, `{"head":${head},"body":${text}}`)
    const isMade = (await ports.query.row(orderKey(mid, orderId))) !== undefined
    assert.equal(isMade, codeOf(reply) === '0000', reply.text)
    return reply
  }
  const signedWith = (reply: Reply) =>
    [FIRST, SECOND, THIRD].filter((key) => reply.head.signature && verify(bodyTextOf(reply), reply.head.signature, key))

  test('selects nothing where all living keys have one clientId, and the reply repeats it', async () => {
    for (const clientId of [...UNKNOWN, 'C11', 'C12', ...NONE]) {
      const what = JSON.stringify(clientId) ?? 'absent'
      const repeated = typeof clientId === 'string' && clientId !== '' ? clientId : undefined
      for (const mid of [ONE, RETIRED]) {
        const reply = await create(mid, clientId, FIRST)
        assert.deepEqual([codeOf(reply), reply.head.clientId], ['0000', repeated], `${mid} ${what}`)
        assert.deepEqual(signedWith(reply), [FIRST])
        for (const key of [SECOND, NOBODYS]) {
          const refused = await create(mid, clientId, key)
          assert.deepEqual([codeOf(refused), refused.head.clientId, signedWith(refused)], ['2005', repeated, [FIRST]])
        }
      }
      // Two generations of one clientId: a reply has the key of its request, a refusal the newest.
      for (const key of [FIRST, SECOND]) {
        const reply = await create(ROTATING, clientId, key)
        assert.deepEqual([codeOf(reply), signedWith(reply)], ['0000', [key]], `${ROTATING} ${what}`)
      }
      const refused = await create(ROTATING, clientId, NOBODYS)
      assert.deepEqual([codeOf(refused), signedWith(refused)], ['2005', [SECOND]], `${ROTATING} ${what}`)
    }
  })

  test('selects its own key where there are several clientIds, and one that is unknown is wrong', async () => {
    const own: Readonly<Record<string, string>> = { C11: FIRST, C12: SECOND, C13: THIRD }
    for (const key of [FIRST, SECOND, THIRD, NOBODYS]) {
      for (const [clientId, its] of Object.entries(own))
        assert.equal(codeOf(await create(THREE, clientId, key)), key === its ? '0000' : '2005', `${clientId} ${key}`)
      for (const clientId of NONE) assert.equal(codeOf(await create(THREE, clientId, key)), key === FIRST ? '0000' : '2005', key)
      for (const clientId of UNKNOWN) assert.equal(codeOf(await create(THREE, clientId, key)), '2005', `${clientId} ${key}`)
    }
  })

  test('is a wrong value where it is no text of its length, however many keys there are', async () => {
    for (const mid of [ONE, ROTATING, RETIRED, THREE])
      for (const clientId of WRONG) assert.equal(codeOf(await create(mid, clientId, FIRST)), '1001', `${mid} ${JSON.stringify(clientId)}`)
  })

  test('is judged alike by every operation that a merchant signs', async () => {
    const running = await service()
    const answers = async (mid: string) => {
      const id = `ALIKE-TO-ALL-${next++}`
      const ids = { mid, orderId: `${id}NONE` }
      const offered = { mid, paymentOptions: [{ transactionAmount: '10.00', payMethod: 'UPI' }], totalTransactionAmount: '10.00' }
      const asked: readonly (readonly [string, object, 'head' | 'token' | 'AES'])[] = [
        [`/subscription/create?mid=${mid}&orderId=${id}`, { ...subscription(id), mid }, 'head'],
        ['/v3/order/status', ids, 'head'],
        ['/refund/apply', { ...ids, txnType: 'REFUND', txnId: '1', refId: id, refundAmount: '1.00' }, 'head'],
        ['/v1/order/close', { ...ids, requestType: 'CLOSE' }, 'head'],
        ['/subscription/checkStatus', { mid, subsId: '1' }, 'head'],
        [`/theia/api/v1/token/create?mid=${mid}&referenceId=${id}`, { mid, referenceId: id }, 'token'],
        [`/theia/api/v1/fetchAllPaymentOffers?mid=${mid}`, { mid }, 'token'],
        [`/theia/api/v2/applyPromo?mid=${mid}`, offered, 'token'],
        ['/subscription/list/all', { mid, custId: 'C1' }, 'AES'],
      ]
      const codes: [string, string][] = []
      // One after the other, because the list at the end has what the first call made.
      for (const [path, body, how] of asked) codes.push([path.split('?')[0]!, codeOf(await send(running, path, body, how))])
      return codes
    }
    const one = Object.fromEntries(await answers(ONE))
    const three = Object.fromEntries(await answers(THREE))
    // With the accepted signature: a subscription and a token are made, and no order and no offer exists.
    assert.deepEqual(one, {
      '/subscription/create': '0000',
      '/v3/order/status': '334',
      '/refund/apply': '607',
      '/v1/order/close': '334',
      '/subscription/checkStatus': '3004',
      '/theia/api/v1/token/create': '0000',
      '/theia/api/v1/fetchAllPaymentOffers': '00000000',
      '/theia/api/v2/applyPromo': '1012',
      '/subscription/list/all': '3006',
    })
    assert.deepEqual(three, {
      '/subscription/create': '2005',
      '/v3/order/status': '330',
      '/refund/apply': '606',
      '/v1/order/close': '2005',
      '/subscription/checkStatus': '400',
      '/theia/api/v1/token/create': '2005',
      '/theia/api/v1/fetchAllPaymentOffers': '2005',
      '/theia/api/v2/applyPromo': '2005',
      '/subscription/list/all': '400',
    })
  })
})

function send(service: Service, path: string, body: object, how: 'head' | 'token' | 'AES') {
  const text = JSON.stringify(body)
  const signature = sign(text, FIRST, 'salt')
  const head = {
    head: { clientId: 'C99', signature },
    token: { clientId: 'C99', channelId: 'WEB', tokenType: 'CHECKSUM', token: signature },
    AES: { clientId: 'C99', tokenType: 'AES', token: 'x', signature },
  }[how]
  return service.post(path, `{"head":${JSON.stringify(head)},"body":${text}}`)
}
