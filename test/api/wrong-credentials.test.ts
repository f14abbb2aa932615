// A value of an impossible form in a credential's place is a wrong credential, and not a wrong field. docs/interface.md sections 4.2 to
// 4.4, 4.6, 4.8, 4.9 and 4.33.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fix, initiate, issueSsoToken, LIST, subscription } from '../support/mandates/subscription.ts'
import { orderBody } from '../support/paying/order-body.ts'
import { createOrder } from '../support/paying/paying.ts'
import { APPLY, promoAsked, promotionWorld, send, TOKEN, tokenAsked } from '../support/paying/promotions.ts'
import { MID, onBothStores, type Reply, sharedService } from '../support/run/service.ts'

const LONG = 'A'.repeat(300) // a compact JWE is this long, or longer
const FORMS: readonly unknown[] = [LONG, 5, true, ['token'], { token: 1 }]
const OFFERS = '/theia/api/v1/fetchAllPaymentOffers'
const codeOf = ({ status, body }: Reply) => `${status} ${body.resultInfo.resultCode ?? body.resultInfo.code}`

onBothStores('a wrong credential of any form', (store) => {
  const service = sharedService(store, {
    world: promotionWorld([{ promocode: 'BANK', flat: '50.00', payMethods: ['CREDIT_CARD'], banks: ['HDFC'] }]),
  })

  test('is a wrong signature or a session that is over in Apply Promo, Create Access Token and the list of offers', async () => {
    const running = await service()
    for (const token of FORMS) {
      assert.equal(codeOf(await send(running, APPLY, promoAsked({ head: { channelId: 'WEB', tokenType: 'CHECKSUM', token } }))), '200 2005')
      const access = { query: { mid: MID, referenceId: 'REFERENCE-1' }, head: { channelId: 'WEB', tokenType: 'ACCESS', token } }
      assert.equal(codeOf(await send(running, APPLY, promoAsked(access))), '200 1006')
      const given = tokenAsked('REFERENCE-1')
      assert.equal(codeOf(await send(running, TOKEN, { ...given, head: { tokenType: 'CHECKSUM', token } })), '200 2005')
      for (const [tokenType, code] of [
        ['CHECKSUM', '2005'],
        ['SSO', '1006'],
        ['ACCESS', '1006'],
      ])
        assert.equal(
          codeOf(await send(running, OFFERS, { ...given, head: { tokenType, token }, body: { mid: MID } })),
          `200 ${code}`,
          `${tokenType} ${JSON.stringify(token)}`,
        )
    }
  })

  test('of a payer is 2004 in Initiate Subscription, signs no payer in at the payment host and refuses no order there', async () => {
    const running = await service()
    for (const [at, svcSsoToken] of FORMS.entries()) {
      const asked = subscription(`S${at}`, fix('499.00', { userInfo: { custId: 'C1', svcSsoToken } }))
      assert.equal(codeOf(await initiate(running, asked)), '200 2004')
      const orderId = `H${at}`
      const made = await running.signed(
        `/theia/api/v1/initiateTransaction?mid=${MID}&orderId=${orderId}`,
        orderBody(orderId, { requestType: 'Payment', paytmSsoToken: svcSsoToken }),
      )
      assert.equal(codeOf(made), '200 0000')
      assert.equal(made.body.authenticated, false)
    }
  })

  test('is 1006 in Modify Order; with AES List Subscriptions looks at none, with SSO it knows none', async () => {
    const running = await service()
    await createOrder(running, 'MODIFIED')
    await issueSsoToken(running, 'sso')
    for (const token of FORMS) {
      const body = `{"head":{"tokenType":"TXN_TOKEN","token":${JSON.stringify(token)}},"body":{"extendInfo":{"udf1":"1"}}}`
      assert.equal(codeOf(await running.post(`/aoa-acquiring-biz/v2/modifyOrder?mid=${MID}&orderId=MODIFIED`, body)), '200 1006')
      const wrongToo = `{"head":{"tokenType":"SSO","token":${JSON.stringify(token)}},"body":{}}`
      const refused = await running.post(`/aoa-acquiring-biz/v2/modifyOrder?mid=${MID}&orderId=MODIFIED`, wrongToo)
      assert.equal(refused.body.resultInfo.resultMsg, 'Invalid tokenType', 'a wrong field is told first')
      const list = (tokenType: string) => running.signed(LIST, { mid: MID, custId: 'C1' }, { head: { tokenType, token } })
      assert.equal(codeOf(await list('AES')), '200 200')
      assert.equal(codeOf(await list('SSO')), '200 400')
    }
  })

  test('Apply Promo promises what a payment by the same card is given: its own bank counts, whatever the request says of it', async () => {
    const running = await service()
    const offered = async (more: object) => {
      const option = { transactionAmount: '1000.00', payMethod: 'CREDIT_CARD', ...more }
      const body = { mid: MID, paymentOptions: [option], totalTransactionAmount: '1000.00', promocode: 'BANK' }
      return (await send(running, APPLY, promoAsked({ body }))).body.paymentOffers.totalInstantDiscount
    }
    const OF_HDFC = '4111111111111111'
    assert.equal(await offered({ cardNo: OF_HDFC }), '50.00')
    assert.equal(await offered({ cardNo: OF_HDFC, bankCode: 'SBI' }), '50.00')
    assert.equal(await offered({ bankCode: 'HDFC' }), '50.00')
    assert.equal(await offered({ cardNo: '4999999999999999' }), '0.00')
  })
})
