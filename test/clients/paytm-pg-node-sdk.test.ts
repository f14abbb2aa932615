// The server SDK `paytm-pg-node-sdk`, unmodified, against a served process: a transaction token, the payment's status, a
// refund and its status. The SDK verifies the signature of every successful reply itself and fails where it does not hold.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { CARD, pay } from '../support/paying.ts'
import { KEY, MID, onBothStores, type Service, sharedService } from '../support/service.ts'

const require = createRequire(import.meta.url)
const at = (path: string) => `paytm-pg-node-sdk/dist/com/paytm/${path}`

// The SDK writes a log into ./logs of wherever it runs: it is told another place before it writes its first line.
const logs = mkdtempSync(join(tmpdir(), 'mohur-sdk-'))
require(at('pg/constants/Config.js')).Config.logfile = join(logs, 'app.log')
const { MerchantProperties } = require(at('pg/constants/MerchantProperties.js'))
const { Payment } = require(at('pg/process/Payment.js'))
const { Refund } = require(at('pg/process/Refund.js'))
const { Request } = require(at('pg/process/Request.js'))
const { Money } = require(at('pg/models/Money.js'))
const { UserInfo } = require(at('pg/models/UserInfo.js'))
const { PaymentDetailBuilder } = require(at('merchant/models/PaymentDetail.js'))
const { PaymentStatusDetailBuilder } = require(at('merchant/models/PaymentStatusDetail.js'))
const { RefundDetailBuilder } = require(at('merchant/models/RefundDetail.js'))
const { RefundStatusDetailBuilder } = require(at('merchant/models/RefundStatusDetail.js'))

after(() => rmSync(logs, { recursive: true, force: true }))

/** As a merchant's own configuration would: the hosts are settings of the SDK. */
function pointAt({ url }: Service) {
  MerchantProperties.initialize('STAGE', MID, KEY, 'DEFAULT')
  MerchantProperties.setClientId('C11')
  MerchantProperties.initiateTxnUrl = `${url}/theia/api/v1/initiateTransaction`
  MerchantProperties.paymentStatusUrl = `${url}/merchant-status/api/v1/getPaymentStatus`
  MerchantProperties.refundUrl = `${url}/refund/api/v1/async/refund`
  MerchantProperties.refundStatusUrl = `${url}/refund/api/v1/refundStatus`
}

interface Answered {
  resultStatus: string
  resultCode: string
  resultMsg: unknown
}
// biome-ignore lint/suspicious/noExplicitAny: the SDK has no types
const answered = (response: any): { info: Answered; body: any } => {
  const body = response.getResponseObject().getBody()
  const { resultStatus, resultCode, resultMsg } = body.resultInfo
  return { info: { resultStatus, resultCode, resultMsg }, body }
}

onBothStores('the server SDK', (store) => {
  const service = sharedService(store)
  before(async () => pointAt(await service()))

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
