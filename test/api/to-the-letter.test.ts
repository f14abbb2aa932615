// Details in which replies and refusals once differed from docs/interface.md (sections 2, 4.4 to 4.6 and 7).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { World } from '../../src/sandbox/world.ts'
import { subscriptionKey } from '../../src/tables/keys.ts'
import { find, look } from '../../src/tables/tables.ts'
import { CREATE, initiated, issueSsoToken, LIST, subscription } from '../support/mandates/subscription.ts'
import { orderBody } from '../support/paying/order-body.ts'
import { pay } from '../support/paying/paying.ts'
import { applied, promotionWorld } from '../support/paying/promotions.ts'
import { KEY, MID, onBothStores, type Reply, sharedService } from '../support/run/service.ts'

const reported = ({ body: { resultInfo } }: Reply) => `${resultInfo.resultCode} ${resultInfo.resultMsg}`
const ROUTER = '/aoa-acquiring-biz/v2/order'
const HOST = '/theia/api/v1/initiateTransaction'
const WALLET = '9876512340'
const SHORT_CARD = '378282246310005'

const offers: World = {
  ...promotionWorld([
    { promocode: 'BEST', flat: '50.00' },
    { promocode: 'EIGHT', flat: '40.00', bins: ['37828224'], payMethods: ['CREDIT_CARD'], visible: false },
    { promocode: 'LARGE', flat: '60.00', minAmount: '200.00', payMethods: ['PPBL'] },
  ]),
  customers: [{ mobile: WALLET, walletBalance: '50.00' }],
}
const BANK_ONLY = 'BANK0000000000000001'
const bank = { mid: BANK_ONLY, paymentModes: ['BANK_MANDATE' as const], keys: [{ clientId: 'C11', key: KEY }] }

onBothStores('to the letter', (store) => {
  const service = sharedService(store, { world: { ...offers, merchants: [...offers.merchants!, bank] } })
  const create = async (orderId: string, more: object, options: object = {}, path = ROUTER) =>
    (await service()).signed(
      `${path}?mid=${MID}&orderId=${orderId}`,
      orderBody(orderId, { txnAmount: { value: '100.00', currency: 'INR' }, ...more }),
      options,
    )
  const initiate = async (body: object, options: object = {}) => {
    const given = body as { mid: string; orderId: string }
    return (await service()).signed(`${CREATE}?mid=${given.mid}&orderId=${given.orderId}`, body, options)
  }

  test('an e-mail address is one in userInfo, and any text in shippingInfo', async () => {
    for (const email of [
      'a@b..in',
      '.a@c.in',
      'a.@c.in',
      'a..b@c.in',
      'a,b@c.in',
      'a@c.in.',
      'a@-c.in',
      'a@c_d.in',
      '"a"@c.in',
      `${'a'.repeat(65)}@c.in`,
    ])
      assert.equal(reported(await create('never', { userInfo: { custId: 'C1', email } })), '1001 Invalid email', email)
    let orders = 0
    for (const email of ["o'neil+tag@mail.shop.example", 'अ@दुकान.भारत', `${'a'.repeat(64)}@c.in`])
      assert.equal(reported(await create(`EMAIL-${++orders}`, { userInfo: { custId: 'C1', email } })), '0000 Success', email)
    assert.equal(reported(await create('SHIPPING', { shippingInfo: [{ email: 'ask at the door' }] })), '0000 Success')
  })

  test('the router’s Create Order knows no SSO token of the payment host’s: it signs no payer in and is never wrong', async () => {
    const running = await service()
    const ssoToken = await issueSsoToken(running, `silent in ${store}`)
    for (const [at, more] of [
      { svcSsoToken: ssoToken },
      { paytmSsoToken: ssoToken },
      { paytmSsoToken: 5 },
      { svcSsoToken: {} },
    ].entries()) {
      const reply = await create(`SILENT-${at}`, more)
      assert.equal(reported(reply), '0000 Success', JSON.stringify(more))
      const paid = await pay(running, { orderId: `SILENT-${at}`, txnToken: reply.body.txnToken }, { paymentMode: 'BALANCE' })
      assert.equal(reported(paid), '1001 Invalid paymentMode')
    }
    assert.equal((await create('SPOKEN', { paytmSsoToken: ssoToken }, {}, HOST)).body.authenticated, true)
  })

  test('a missing signature is named by its path', async () => {
    const { body } = await create('UNSIGNED', {}, { signature: null })
    assert.deepEqual(body.resultInfo.extraParamsMap, { parameter: 'head.signature' })
  })

  test('a pipe is refused in the key of a member that counts as absent, at any depth', async () => {
    for (const more of [
      { 'a|b': null },
      { 'a|b': '' },
      { 'a|b': [] },
      { userInfo: { custId: 'C1', 'x|': null } },
      { mandateAccountDetails: { '|': '' } },
    ])
      assert.equal(reported(await initiate(subscription('PIPE', more))), '1008 Pipe character is not allowed', JSON.stringify(more))
  })

  test('grace days of any length are held against the cycle', async () => {
    const longer = '4001 Grace days greater than the frequency'
    for (const subscriptionGraceDays of ['9999999999', '9'.repeat(255)])
      assert.equal(reported(await initiate(subscription('GRACE', { subscriptionGraceDays }))), longer)
    assert.equal(reported(await initiate(subscription('GRACE', { subscriptionGraceDays: '01' }))), '1007 Invalid subscriptionGraceDays')
  })

  test('grace days above the cycle are ignored where the request itself leaves nothing but a bank mandate, whatever the merchant has', async () => {
    const zero = { value: '0.00', currency: 'INR' }
    const asked = (orderId: string, subscriptionGraceDays: string, more: object = {}) =>
      subscription(orderId, { mid: BANK_ONLY, mandateType: 'E_MANDATE', txnAmount: zero, subscriptionGraceDays, ...more })
    assert.equal(reported(await initiate(asked('LONG', '31'))), '4001 Grace days greater than the frequency')
    const ofRequest = await initiate(asked('OF-REQUEST', '31', { enablePaymentMode: [{ mode: 'BANK_MANDATE' }] }))
    const ofMerchant = await initiate(asked('OF-MERCHANT', '30'))
    for (const { body } of [ofRequest, ofMerchant]) {
      assert.equal(body.resultInfo.resultCode, '0000')
      const row = await (await service()).ports.query.row(subscriptionKey(BANK_ONLY, body.subscriptionId))
      assert.equal(row?.graceDays, 0)
    }
  })

  test('two wrong values with one code: the first of the field table answers, also where it takes two members to see it', async () => {
    const expired = { subscriptionExpiryDate: '2026-06-14' }
    for (const later of [{ subscriptionEnableRetry: '2' }, { subscriptionRetryCount: '-1' }, { subscriptionFrequency: '0' }])
      assert.equal(
        reported(await initiate(subscription('ORDER', { ...expired, ...later }))),
        '1007 Invalid subscriptionExpiryDate',
        JSON.stringify(later),
      )
    assert.equal(reported(await initiate(subscription('ORDER', { ...expired, autoRetry: 'yes' }))), '1007 Invalid autoRetry')
  })

  test('two missing members: the first of the field table is named, also where it lies inside another', async () => {
    const missing = async (more: object) => {
      const { resultCode, extraParamsMap } = (await create('MISSING', { websiteName: null, ...more })).body.resultInfo
      assert.equal(resultCode, '1007')
      return extraParamsMap.parameter
    }
    assert.equal(await missing({ txnAmount: { value: '1.00' } }), 'txnAmount.currency')
    assert.equal(await missing({ userInfo: {} }), 'userInfo.custId')
    assert.equal(await missing({ goodsInfo: [{ price: { value: '1.00' } }] }), 'goodsInfo[0].price.currency')
    assert.equal(await missing({ mid: null, txnAmount: { value: '1.00' } }), 'mid')
  })

  test('a promocode of spaces is blank: the best offer is given', async () => {
    const { breakup } = await applied(await service(), { promocode: '   ' })
    assert.equal(breakup.promocodeApplied, 'BEST')
  })

  test('an offer for a card of fifteen digits that is promised by eight of them is given, and no more than six are kept', async () => {
    const running = await service()
    const options = { payMethod: 'CREDIT_CARD', transactionAmount: '100.00' }
    const asked = (cardNo: string) =>
      applied(running, { promocode: 'EIGHT', paymentOptions: [{ ...options, cardNo }], totalTransactionAmount: '100.00' })
    assert.equal((await asked(SHORT_CARD)).breakup.instantDiscount, '40.00')
    const { txnToken } = (await create('SHORT', {})).body
    const card = { paymentMode: 'CREDIT_CARD', cardInfo: `|${SHORT_CARD}|1234|122032`, promoCode: 'EIGHT' }
    const paid = await pay(running, { orderId: 'SHORT', txnToken }, card)
    assert.deepEqual([reported(paid), paid.body.txnInfo?.TXNAMOUNT], ['0000 Success', '60.00'])
    const kept = await running.store.query.row(look('transactions', MID, paid.body.txnId))
    assert.deepEqual([kept?.instrument.bin, paid.body.txnInfo.BIN_NUMBER], ['378282', '378282'])
    assert.equal((await asked('378282')).breakup.promocodeApplied, undefined, 'six digits are what a saved card has')
    const other = { ...card, cardInfo: '|371449635398431|1234|122032' }
    const { txnToken: second } = (await create('SHORT-2', {})).body
    assert.equal(reported(await pay(running, { orderId: 'SHORT-2', txnToken: second }, other)), '1001 Invalid promoCode')
  })

  test('validatePromo refuses nothing where no offer is named', async () => {
    const running = await service()
    const [customer] = await running.ports.query.rows(find('customers', { equals: { mobile: WALLET }, limit: 1 }))
    const token = await issueSsoToken(running, `validates in ${store}`, { mobile: WALLET, userId: customer!.userId })
    const txnAmount = { value: '220.00', currency: 'INR' }
    const offered = (orderId: string, simplifiedPaymentOffers: object) =>
      create(
        orderId,
        { txnAmount, paytmSsoToken: token, simplifiedPaymentOffers: { validatePromo: true, ...simplifiedPaymentOffers } },
        {},
        HOST,
      )
    const hybrid = { paymentMode: 'PPBL', paymentFlow: 'HYBRID' }
    const named = (await offered('VALIDATED', { promoCode: 'LARGE' })).body
    assert.equal(reported(await pay(running, { orderId: 'VALIDATED', txnToken: named.txnToken }, hybrid)), '1001 Invalid promoCode')
    const found = (await offered('FOUND', { applyAvailablePromo: true })).body
    const paid = await pay(running, { orderId: 'FOUND', txnToken: found.txnToken }, hybrid)
    assert.deepEqual(
      [reported(paid), paid.body.txnInfo?.TXNAMOUNT],
      ['0000 Success', '170.00'],
      'the best that fits what the wallet leaves',
    )
  })

  test('masking goes by whole characters', async () => {
    const running = await service()
    const mandateAccountDetails = { accountNumber: '𝟏𝟐𝟑𝟒𝟓𝟔' }
    await initiated(running, subscription('MASKED', { userInfo: { custId: 'MASKED' }, mandateAccountDetails }))
    const reply = await running.signed(
      LIST,
      { mid: MID, custId: 'MASKED', detailRequired: true },
      { head: { tokenType: 'AES', token: 'x' } },
    )
    assert.equal(reply.body.subscriptionDetails.subscriptions[0].mandateAccountDetails.accountNumber, 'XX𝟑𝟒𝟓𝟔')
  })

  test('a subscription’s reply names the key that signed it, and no other', async () => {
    const head = { clientId: 'C'.repeat(64) }
    const unknown = await initiate(subscription('CLIENT', { mid: 'NOBODY' }), { head })
    assert.deepEqual(
      [reported(unknown), unknown.head.clientId, unknown.head.signature],
      ['2005 Checksum provided is invalid', undefined, undefined],
    )
    // All keys of this merchant have one clientId. Another clientId selects nothing, and the signature decides (section 5).
    const known = await initiate(subscription('CLIENT'), { head })
    assert.deepEqual([reported(known), known.head.clientId], ['0000 Subscription initiated successfully', 'C11'])
  })
})
