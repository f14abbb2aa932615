// Requests that clients of the payment host really send when they create and change orders and subscriptions (docs/interface.md section
// 4.9). They are accepted there, and still refused on the first paths of the same operations.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sign, verify } from '../../../src/interface/checksum.ts'
import type { World } from '../../../src/sandbox/world.ts'
import { orderKey } from '../../../src/tables/keys.ts'
import { orderBody } from '../../support/paying/order-body.ts'
import { CARD, pay, statusOf } from '../../support/paying/paying.ts'
import { fromCheckout } from '../../support/run/checkout.ts'
import { KEY, MID, onBothStores, type Reply, sharedService } from '../../support/run/service.ts'

const CREATE = '/aoa-acquiring-biz/v2/order'
const HOST_CREATES = ['/theia/api/v1/initiateTransaction', '/theia/api/v1/initiateTransaction/', '/order/initiate']
const [INITIATE, HOST_INITIATE] = ['/subscription/create', '/theia/api/v1/subscription/create']
const [MODIFY, HOST_MODIFY] = ['/aoa-acquiring-biz/v2/modifyOrder', '/theia/api/v1/updateTransactionDetail']
const EMI_MID = 'EMI0000000000000001'

const { demoWorld } = await fromCheckout<typeof import('../../../src/sandbox/world.ts')>('src/sandbox/world.ts')
const [demo] = demoWorld.merchants!
const world: World = {
  ...demoWorld,
  merchants: [
    { ...demo!, keys: [...demo!.keys!, { clientId: '7', key: 'ZYXWVUTSRQPONMLK' }] },
    { mid: EMI_MID, keys: [{ clientId: 'C11', key: KEY }], debitCardEmi: true },
  ],
}

const codeOf = ({ body }: Reply) => [body.resultInfo.resultCode, body.resultInfo.resultMsg].join(' ')
const SUCCESS = '0000 Success'
const STARTED = '0000 Subscription initiated successfully'

onBothStores('the payment host', (store) => {
  const service = sharedService(store, { world })
  let next = 0
  const fresh = () => `HOST-${next++}`

  /** Signs and sends a body as its text stands, because the spelling of a number matters. */
  const send = async (path: string, { mid = MID, orderId, bodyText, head = {}, key = KEY }: Sending): Promise<Reply> => {
    const { post, ports } = await service()
    const text = JSON.stringify({ ...head, signature: sign(bodyText, key, ports.fresh.salt()) })
    return post(`${path}?mid=${mid}&orderId=${orderId}`, `{"head":${text},"body":${bodyText}}`)
  }
  const create = async (path: string, { amount = '"10.00"', userInfo = {}, websiteName = 'DEFAULT', ...more }: Creating = {}) => {
    const { mid = MID, orderId = fresh() } = more
    const body = { requestType: 'PAYMENT', mid, orderId, userInfo: { custId: 'C1', ...userInfo }, websiteName }
    const bodyText = JSON.stringify(body).replace(/\}$/, `,"txnAmount":{"currency":"INR","value":${amount}}}`)
    return { orderId, reply: await send(path, { orderId, bodyText, ...more }) }
  }
  const sendAt = async (path: string, bodyText: string): Promise<Reply> => {
    const { post, ports } = await service()
    return post(path, `{"head":${JSON.stringify({ signature: sign(bodyText, KEY, ports.fresh.salt()) })},"body":${bodyText}}`)
  }
  const initiate = async (path: string, { amount = '"1.00"', userInfo = {}, ...more }: Creating = {}) => {
    const orderId = fresh()
    const body = {
      ...{ requestType: 'NATIVE_SUBSCRIPTION', mid: MID, orderId, websiteName: 'DEFAULT', userInfo: { custId: 'C1', ...userInfo } },
      ...{ subscriptionAmountType: 'FIX', renewalAmount: '600.00', subscriptionFrequencyUnit: 'MONTH', subscriptionGraceDays: '2' },
      ...{ subscriptionStartDate: '2026-07-01', subscriptionExpiryDate: '2027-07-01', subscriptionEnableRetry: '1' },
    }
    const bodyText = JSON.stringify(body).replace(/\}$/, `,"txnAmount":{"value":${amount},"currency":"INR"}}`)
    return send(path, { orderId, bodyText, ...more })
  }
  const modify = async (path: string, amount: string) => {
    const { orderId, reply } = await create(CREATE)
    const head = { tokenType: 'TXN_TOKEN', token: reply.body.txnToken }
    const modified = await send(path, { orderId, head, bodyText: `{"txnAmount":{"value":${amount},"currency":"INR"}}` })
    const paid = await pay(await service(), { orderId, txnToken: reply.body.txnToken }, CARD)
    assert.equal(paid.body.resultInfo.resultCode, '0000')
    return { code: codeOf(modified), amount: (await statusOf(await service(), { orderId })).body.txnAmount }
  }

  for (const [written, amount] of Object.entries({ '499': '499.00', '499.5': '499.50', '499.50': '499.50', '0.01': '0.01' }))
    test(`takes the amount ${written} as a number`, async () => {
      for (const path of HOST_CREATES) {
        const { orderId, reply } = await create(path, { amount: written })
        assert.equal(codeOf(reply), SUCCESS)
        await pay(await service(), { orderId, txnToken: reply.body.txnToken }, CARD)
        assert.equal((await statusOf(await service(), { orderId })).body.txnAmount, amount)
      }
      assert.equal(codeOf(await initiate(HOST_INITIATE!, { amount: written })), STARTED)
      assert.deepEqual(await modify(HOST_MODIFY!, written), { code: SUCCESS, amount })
      // On the first paths the tables hold to the letter.
      assert.equal(codeOf((await create(CREATE, { amount: written })).reply), '2007 Txn amount is invalid')
      assert.equal(codeOf(await initiate(INITIATE!, { amount: written })), '2007 Txn amount is invalid')
      assert.deepEqual(await modify(MODIFY!, written), { code: '2007 Txn amount is invalid', amount: '10.00' })
    })

  test('judges how a number was written, not its value', async () => {
    for (const amount of [
      '1e3',
      '1E400',
      '499.999',
      '-1',
      '-0',
      '1.0e2',
      '1e-2',
      '10000000000',
      '5e-324',
      '99999999999999999999',
      '499.000',
    ])
      for (const path of [...HOST_CREATES, CREATE])
        assert.equal(codeOf((await create(path, { amount })).reply), '2007 Txn amount is invalid', `${path} ${amount}`)
    for (const amount of ['1e2', '1.234', '-1']) {
      assert.equal(codeOf(await initiate(HOST_INITIATE!, { amount })), '2007 Txn amount is invalid', amount)
      assert.deepEqual(await modify(HOST_MODIFY!, amount), { code: '2007 Txn amount is invalid', amount: '10.00' })
    }
    for (const amount of ['0x10', '0499', '.5', '5.', 'NaN', '1_000', '+1'])
      for (const path of HOST_CREATES)
        assert.equal(codeOf((await create(path, { amount })).reply), '2222 Invalid request body', `${path} ${amount}`)
    for (const amount of ['true', '{}', '[499]'])
      assert.equal(codeOf((await create(HOST_CREATES[0]!, { amount })).reply), '2007 Txn amount is invalid', amount)
  })

  test('takes no other number', async () => {
    assert.equal(codeOf((await create(HOST_CREATES[0]!, { userInfo: { firstName: 5 } })).reply), '1001 Invalid firstName')
    const orderId = fresh()
    const price = { price: { value: 5, currency: 'INR' } }
    const bodyText = JSON.stringify(orderBody(orderId, { goods: [price], txnAmount: { value: 5, currency: 'INR' } }))
    assert.match(codeOf(await send(HOST_CREATES[0]!, { orderId, bodyText })), /^1011 .*goodsInfo\[0\]\.price\.value/)
  })

  for (const custId of ['0', '5', '9007199254740991'])
    test(`takes the customer ${custId} as a number`, async () => {
      const numbered = (orderId: string) => JSON.stringify(orderBody(orderId, { userInfo: { custId: 'X' } })).replace('"X"', custId)
      for (const path of HOST_CREATES) {
        const orderId = fresh()
        assert.equal(codeOf(await send(path, { orderId, bodyText: numbered(orderId) })), SUCCESS)
        assert.equal((await (await service()).ports.query.row(orderKey(MID, orderId)))?.custId, custId)
      }
      // The interface's own path holds to the letter.
      const orderId = fresh()
      assert.equal(codeOf(await send(CREATE, { orderId, bodyText: numbered(orderId) })), '1001 Invalid custId')
    })

  test('takes ids as numbers where the same clients query, refund and query the refund', async () => {
    const [orderId, refId] = ['86229610', '7']
    const bodyText = JSON.stringify(orderBody(orderId)).replace(`"orderId":"${orderId}"`, `"orderId":${orderId}`)
    const { body } = await send(HOST_CREATES[0]!, { orderId, bodyText })
    const paid = await pay(await service(), { orderId, txnToken: body.txnToken }, CARD)
    assert.equal(paid.body.resultInfo.resultCode, '0000')
    const ids = `"mid":"${MID}","orderId":${orderId}`
    assert.equal((await sendAt('/v3/order/status', `{${ids}}`)).body.resultInfo.resultCode, '01')
    const refund = `{${ids},"txnId":"${paid.body.txnInfo.TXNID}","refId":${refId},"txnType":"REFUND","refundAmount":"1.00"}`
    assert.equal((await sendAt('/refund/apply', refund)).body.resultInfo.resultCode, '601')
    assert.equal((await sendAt('/v2/refund/status', `{${ids},"refId":${refId}}`)).body.refId, refId)
  })

  test('takes no number that is written otherwise', async () => {
    for (const written of ['1.0', '1e3', '-0', '-1', '9007199254740992', '1'.repeat(40)]) {
      const orderId = fresh()
      const bodyText = JSON.stringify(orderBody(orderId, { userInfo: { custId: 'X' } })).replace('"X"', written)
      assert.equal(codeOf(await send(HOST_CREATES[0]!, { orderId, bodyText })), '1001 Invalid custId', written)
    }
    const { orderId } = await create(HOST_CREATES[0]!)
    assert.equal(
      codeOf(await send(HOST_CREATES[0]!, { orderId, bodyText: `{"requestType":"PAYMENT","mid":"${MID}","orderId":01}` })),
      '2222 Invalid request body',
    )
  })

  test('takes a colon in a customer’s name, which the interface’s own path does not', async () => {
    const userInfo = { custId: 'member:124208' }
    for (const path of HOST_CREATES) assert.equal(codeOf((await create(path, { userInfo })).reply), SUCCESS)
    assert.equal(codeOf((await create(CREATE, { userInfo })).reply), '1001 Invalid custId')
  })

  test('takes the name of a key as a number, and names it in the reply', async () => {
    const second = { head: { clientId: 7 }, key: 'ZYXWVUTSRQPONMLK' }
    for (const path of HOST_CREATES) {
      const { reply } = await create(path, second)
      assert.deepEqual([codeOf(reply), reply.head.clientId], [SUCCESS, '7'])
    }
    assert.equal(codeOf((await create(HOST_CREATES[0]!, { head: { clientId: 8 } })).reply), '2005 Checksum provided is invalid')
    assert.equal(codeOf((await create(CREATE, second)).reply), '1001 Invalid clientId')
  })

  test('signs with the key that is named by a number, also what refuses a pipe', async () => {
    const second = { head: { clientId: 7 }, key: 'ZYXWVUTSRQPONMLK' }
    for (const [custId, said] of [
      ['C1', STARTED],
      ['C|1', '1008 Pipe character is not allowed'],
    ] as const) {
      const reply = await initiate(HOST_INITIATE!, { ...second, userInfo: { custId } })
      assert.deepEqual([codeOf(reply), reply.head.clientId], [said, '7'])
      const bodyText = reply.text.slice(reply.text.indexOf('"body":') + '"body":'.length, -1)
      assert.ok(verify(bodyText, reply.head.signature, second.key), said)
    }
  })

  test('takes the customers that shops name by e-mail addresses and the like, and lists their subscriptions', async () => {
    const { signed } = await service()
    const listed = (custId: string) => signed('/subscription/list/all', { mid: MID, custId }, { head: { tokenType: 'AES', token: 'none' } })
    const names = [..."-+%#~*'"].map((character) => `C${character}1`)
    for (const custId of [...names, "o'neil+shop-1@example.co.in", '%41', 'x'.repeat(254)]) {
      for (const path of HOST_CREATES) assert.equal(codeOf((await create(path, { userInfo: { custId } })).reply), SUCCESS, custId)
      assert.equal(codeOf((await create(CREATE, { userInfo: { custId } })).reply), '1001 Invalid custId', custId)
      assert.equal(codeOf(await initiate(HOST_INITIATE!, { userInfo: { custId } })), STARTED, custId)
      assert.equal(codeOf(await initiate(INITIATE!, { userInfo: { custId } })), '1007 Invalid custId', custId)
      const { body } = await listed(custId)
      assert.deepEqual([body.resultInfo.code, body.subscriptionDetails?.subscriptions[0].custId], ['3006', custId])
    }
    const wrong = ['a"b', 'a\\b', 'a/b', 'a<b', 'a>b', 'a&b', 'a b', 'é', '客', 'a\tb', 'x'.repeat(255), 'a(b', 'a,b']
    for (const custId of [...wrong, 'a|b']) {
      for (const path of HOST_CREATES)
        assert.equal(codeOf((await create(path, { userInfo: { custId } })).reply), '1001 Invalid custId', custId)
      assert.equal((await listed(custId)).body.resultInfo.code, '400', custId)
    }
    for (const custId of wrong)
      assert.equal(codeOf(await initiate(HOST_INITIATE!, { userInfo: { custId } })), '1007 Invalid custId', custId)
  })

  test('reads a mobile number as people write it, and any other text as not given', async () => {
    const emi = { mid: EMI_MID }
    const numbers = [
      '9876543210',
      '+919876543210',
      '+91 98765-43210',
      '919876543210',
      '09876543210',
      '(098765) 43210',
      '91 9876 543 210',
      '9123456789',
    ]
    for (const mobile of numbers)
      for (const path of HOST_CREATES) assert.equal(codeOf((await create(path, { ...emi, userInfo: { mobile } })).reply), SUCCESS, mobile)
    const none = [
      '987654321',
      '98765432100',
      '+9198765432',
      '+92 9876543210',
      'none',
      '98765.43210',
      '९८७६५४३२१०',
      '0091987654321',
      '+91+919876543210',
      '-',
    ]
    for (const mobile of none)
      for (const path of HOST_CREATES) {
        assert.equal(codeOf((await create(path, { ...emi, userInfo: { mobile } })).reply), '1007 Missing mandatory element', mobile)
        assert.equal(codeOf((await create(path, { userInfo: { mobile } })).reply), SUCCESS, mobile)
      }
    for (const mobile of ['+919876543210', '09876543210', 'none'])
      assert.equal(codeOf((await create(CREATE, { userInfo: { mobile } })).reply), '1001 Invalid mobile', mobile)
    assert.equal(codeOf((await create(HOST_CREATES[0]!, { userInfo: { mobile: 9876543210 } })).reply), '1001 Invalid mobile')
    for (const mobile of ['+91 98765 43210', 'none'])
      assert.equal(codeOf(await initiate(HOST_INITIATE!, { userInfo: { mobile } })), STARTED)
  })

  test('counts an e-mail address that is none as not given', async () => {
    for (const email of ['none', 'a@b', 'a b@c.in', 'a|b@c.in', `${'x'.repeat(250)}@c.in`]) {
      for (const path of HOST_CREATES) assert.equal(codeOf((await create(path, { userInfo: { email } })).reply), SUCCESS, email)
      assert.equal(codeOf((await create(CREATE, { userInfo: { email } })).reply), '1001 Invalid email', email)
    }
    assert.equal(codeOf(await initiate(HOST_INITIATE!, { userInfo: { email: 'none' } })), STARTED)
    assert.equal(codeOf((await create(HOST_CREATES[0]!, { userInfo: { email: {} } })).reply), '1001 Invalid email')
  })

  test('a pipe in a new subscription is refused also where it would count as not given', async () => {
    for (const userInfo of [{ email: 'a|b' }, { mobile: '98765|43210' }])
      for (const path of [INITIATE!, HOST_INITIATE!])
        assert.equal(codeOf(await initiate(path, { userInfo })), '1008 Pipe character is not allowed')
  })

  test('the demo merchant knows the websites that plugins and samples come with', async () => {
    for (const websiteName of ['DEFAULT', 'WEBSTAGING', 'APPSTAGING', 'WEB', 'WAP', 'APP', 'retail'])
      for (const path of [CREATE, ...HOST_CREATES]) assert.equal(codeOf((await create(path, { websiteName })).reply), SUCCESS, websiteName)
    assert.equal(codeOf((await create(HOST_CREATES[0]!, { websiteName: 'nobody' })).reply), '1001 Invalid websiteName')
  })
})

interface Sending {
  mid?: string
  orderId: string
  bodyText: string
  head?: object
  key?: string
}
interface Creating extends Partial<Omit<Sending, 'bodyText'>> {
  /** As the JSON spells it. */
  amount?: string
  userInfo?: object
  websiteName?: string
}
