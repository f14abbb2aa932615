// The server SDK `paytm-pg-node-sdk`, unmodified, against a served process: a transaction token, the payment's status, a refund and its
// status. The SDK itself verifies the signature of every successful reply, and fails on a wrong one.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { CARD, pay } from '../support/paying/paying.ts'
import { areClientsRequired } from '../support/run/installed-client.ts'
import { answered, pointAt, SDK_NAME, type ServerSdk, serverSdk } from '../support/run/server-sdk.ts'
import { MID, onBothStores, sharedService } from '../support/run/service.ts'

const client = await serverSdk()
if ('failure' in client) {
  test('the SDK can be installed where that is required', () => {
    console.log(
      `\n==== ${SDK_NAME} CANNOT BE INSTALLED: its tests are LEFT OUT (${client.failure.split('\n').slice(0, 2).join(', ')}) ====\n`,
    )
    assert.ok(!areClientsRequired, `MOHUR_CLIENTS=required: ${client.failure}`)
  })
} else testSdk(client.sdk)

function testSdk(sdk: ServerSdk) {
  const { Money, Payment, PaymentDetailBuilder, PaymentStatusDetailBuilder } = sdk
  const { Refund, RefundDetailBuilder, RefundStatusDetailBuilder, Request, UserInfo } = sdk

  onBothStores('the server SDK', (store) => {
    const service = sharedService(store)
    before(async () => pointAt(sdk, await service()))

    test('creates a transaction token, reads the status, refunds and reads the refund', async () => {
      const orderId = `SDK-${store}-1`
      const user = new UserInfo('CUST_1')
      const detail = new PaymentDetailBuilder('WEB', orderId, Money.constructWithCurrencyAndValue('INR', '250.00'), user).build()
      const created = answered(await Payment.createTxnToken(detail))
      assert.deepEqual([created.info.resultStatus, created.info.resultCode], ['S', '0000'])
      const txnToken: string = created.body.txnToken
      assert.match(txnToken, /^[0-9a-f]{32}[0-9]{13}$/)

      const none = answered(await Payment.getPaymentStatus(new PaymentStatusDetailBuilder(orderId).build()))
      assert.deepEqual([none.info.resultStatus, none.info.resultCode], ['TXN_FAILURE', '331'])

      const paid = await pay(await service(), { orderId, txnToken }, CARD)
      const { txnId } = paid.body
      const status = answered(await Payment.getPaymentStatus(new PaymentStatusDetailBuilder(orderId).build()))
      assert.deepEqual([status.info.resultStatus, status.info.resultCode], ['TXN_SUCCESS', '01'])
      assert.deepEqual([status.body.txnId, status.body.txnAmount], [txnId, '250.00'])

      const refundDetail = new RefundDetailBuilder(orderId, `REF-${store}-1`, txnId, 'REFUND', '100.00').build()
      const refund = answered(await Refund.initiateRefund(refundDetail))
      assert.deepEqual([refund.info.resultStatus, refund.info.resultCode], ['PENDING', '601'])
      assert.equal(refund.body.refundAmount, '100.00')

      await (await service()).tasks.runDue()
      const refunded = answered(await Refund.getRefundStatus(new RefundStatusDetailBuilder(orderId, `REF-${store}-1`).build()))
      assert.deepEqual([refunded.info.resultStatus, refunded.info.resultCode], ['TXN_SUCCESS', '10'])
      assert.equal(refunded.body.refundAmount, '100.00')
    })

    test('its own check of a reply’s signature is not idle: a reply that was changed on its way fails', async () => {
      const body = { requestType: 'Payment', mid: MID, orderId: `SDK-${store}-2`, txnAmount: { value: '1.00', currency: 'INR' } }
      const order = { ...body, userInfo: { custId: 'C1' }, websiteName: 'DEFAULT' }
      const { text, head } = await (await service()).signed(`/theia/api/v1/initiateTransaction?mid=${MID}&orderId=${body.orderId}`, order)
      class InitiateTransactionResponse {}
      const check = (raw: string) =>
        Request.validateResponseSignature(new InitiateTransactionResponse(), 'InitiateTransactionResponse', 'S', raw, head.signature)
      check(text)
      assert.throws(() => check(text.replace('"txnToken":"', '"txnToken":"0')), { message: 'Signature Validation Failed' })
    })
  })
}
