// Every field of every operation with every fault. The reply has a code of the operation's own table, nothing is written, nothing crashes.
// Prints the number of requests. The mutations are fixed, so a failure names the request that repeats it. Where both stores are tested,
// each takes every other fault of a field, because no refusal of a field depends on the store. With MOHUR_LONG=1 both take all.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../../src/api/operations.ts'
import { body as registerNotificationUrl } from '../../../src/domain/merchant/register-notification-url.ts'
import { wire as closeOrder } from '../../../src/domain/order/close-order.ts'
import { wire as createOrder } from '../../../src/domain/order/create-order.ts'
import { wire as modifyOrder } from '../../../src/domain/order/modify-order.ts'
import { wire as sendCheckoutOtp } from '../../../src/domain/order/send-checkout-otp.ts'
import { wire as validateCheckoutOtp } from '../../../src/domain/order/validate-checkout-otp.ts'
import { wire as fetchBalanceInfo } from '../../../src/domain/payment-options/fetch-balance-info.ts'
import { wire as fetchBinDetail } from '../../../src/domain/payment-options/fetch-bin-detail.ts'
import { wire as fetchEmiDetail } from '../../../src/domain/payment-options/fetch-emi-detail.ts'
import { wire as fetchNbPaymentChannels } from '../../../src/domain/payment-options/fetch-nb-payment-channels.ts'
import { wire as fetchPaymentOptions } from '../../../src/domain/payment-options/fetch-payment-options.ts'
import { wire as validateVpa } from '../../../src/domain/payment-options/validate-vpa.ts'
import { wire as applyPromo } from '../../../src/domain/promotion/apply-promo.ts'
import { wire as createAccessToken } from '../../../src/domain/promotion/create-access-token.ts'
import { wire as fetchAllPaymentOffers } from '../../../src/domain/promotion/fetch-payment-offers.ts'
import { wire as applyRefund } from '../../../src/domain/refund/apply-refund.ts'
import { wire as refundList } from '../../../src/domain/refund/refund-list.ts'
import { wire as refundStatus } from '../../../src/domain/refund/refund-status.ts'
import { wire as refreshToken } from '../../../src/domain/signin/refresh-token.ts'
import { wire as sendOtp } from '../../../src/domain/signin/send-otp.ts'
import { wire as validateOtp } from '../../../src/domain/signin/validate-otp.ts'
import { wire as cancelSubscription } from '../../../src/domain/subscription/cancel-subscription.ts'
import { wire as checkSubscriptionStatus } from '../../../src/domain/subscription/check-subscription-status.ts'
import { wire as consultSubscription } from '../../../src/domain/subscription/collection/consult-subscription.ts'
import { wire as renewSubscription } from '../../../src/domain/subscription/collection/renew-subscription.ts'
import { wire as editSubscription } from '../../../src/domain/subscription/edit-subscription.ts'
import { wire as initiateSubscription } from '../../../src/domain/subscription/initiate-subscription.ts'
import { wire as listSubscriptions } from '../../../src/domain/subscription/list-subscriptions.ts'
import { wire as modifySubscriptionStatus } from '../../../src/domain/subscription/modify-subscription-status.ts'
import { wire as preNotify } from '../../../src/domain/subscription/pre-notification/pre-notify.ts'
import { wire as preNotifyStatus } from '../../../src/domain/subscription/pre-notification/pre-notify-status.ts'
import { wire as directBankRequest } from '../../../src/domain/transaction/direct-bank-request.ts'
import { wire as orderList } from '../../../src/domain/transaction/order-list.ts'
import { wire as orderStatus } from '../../../src/domain/transaction/order-status.ts'
import { wire as processTransaction } from '../../../src/domain/transaction/process-transaction.ts'
import { wire as transactionStatus } from '../../../src/domain/transaction/transaction-status.ts'
import type { Store } from '../../../src/engine/store.ts'
import { sign } from '../../../src/interface/checksum.ts'
import { type ResultCode, resultCodeTables } from '../../../src/interface/result-codes.ts'
import { orderBody } from '../../support/paying/order-body.ts'
import { KEY, MID, onBothStores, type Reply, type Service, type StoreName, sharedService, storeNames } from '../../support/run/service.ts'
import { sized } from '../../support/run/sizes.ts'
import { watched } from '../../support/store/faults.ts'
import { at, mutations, pathsOf, put } from '../../support/text/mutations.ts'

type Name = keyof typeof operations

interface Subject {
  schemas: { head?: unknown; body: unknown }
  /** A valid request. `id` is new for each. */
  good(id: string): { query: Record<string, string>; head?: object; body: object }
  /** The member for the body's checksum. Flat requests have none. */
  signature?: 'signature' | 'token'
  headers?: Record<string, string>
  /** Codes besides success whose replies write a counter. */
  writes?: readonly string[]
  /** A text that no reply may repeat. */
  hidden?: string
}

const userInfo = { custId: 'C1', mobile: '9999900001', email: 'a@b.in', firstName: 'Asha', lastName: 'Rao' }
/** Every member of Create Order (docs/interface.md section 4.5) beside those of `orderBody`. */
const wholeOrder = {
  userInfo,
  enablePaymentMode: [{ mode: 'EMI', channels: ['VISA'], banks: ['HDFC'], tenures: [3] }],
  disablePaymentMode: [{ mode: 'UPI', channels: ['UPIPUSH'], banks: ['SBI'], tenures: [6] }],
  callbackUrl: 'https://shop.example/cb',
  goodsInfo: [
    {
      merchantGoodsId: 'g',
      snapshotUrl: 'https://shop.example/p',
      quantity: '1',
      price: { value: '1.00', currency: 'INR' },
      extendInfo: { udf1: 'x' },
    },
  ],
  shippingInfo: [{ carrier: 'Post', chargeAmount: { value: '1.00', currency: 'INR' }, email: 'a@b.in' }],
  extendInfo: { udf1: 'x' },
  ssoToken: { token: '123', pg: 'X' },
  integrationType: 'SDK',
  gatewayInfo: { a: 'b' },
  peonUrl: 'https://shop.example/peon',
  txnRoutingParams: { rule: {} },
  simplifiedPaymentOffers: { promoCode: 'CARD10', applyAvailablePromo: true, validatePromo: 'false' },
}
const mandateHead = { tokenType: 'AES', clientId: 'C11', version: 'v1' }
const basic = `Basic ${Buffer.from('demo-app:demo-secret').toString('base64')}`
const flat = { authorization: basic, 'x-device-identifier': 'device-1' }

const subjects: Readonly<Record<Name, Subject>> = {
  createOrder: {
    schemas: createOrder,
    signature: 'signature',
    good: (id) => ({ query: { mid: MID, orderId: id }, head: { channelId: 'WEB', clientId: 'C11' }, body: orderBody(id, wholeOrder) }),
  },
  modifyOrder: {
    schemas: modifyOrder,
    signature: 'signature',
    good: () => ({
      query: { mid: MID, orderId: 'MODIFIED' },
      head: { tokenType: 'TXN_TOKEN', token: modifyToken, channelId: 'WEB' },
      body: {
        txnAmount: { value: '5.00', currency: 'INR' },
        goodsInfo: [{ price: { value: '1', currency: 'INR' } }],
        shippingInfo: [{ chargeAmount: { value: '1', currency: 'INR' } }],
        extendInfo: { a: 'b' },
      },
    }),
  },
  initiateSubscription: {
    schemas: initiateSubscription,
    signature: 'signature',
    good: (id) => ({
      query: { mid: MID, orderId: id },
      head: { channelId: 'WEB', clientId: 'C11' },
      body: {
        requestType: 'NATIVE_SUBSCRIPTION',
        mid: MID,
        orderId: id,
        websiteName: 'DEFAULT',
        txnAmount: { value: '1.00', currency: 'INR' },
        userInfo: { custId: 'C1', mobile: '9999900001', email: 'a@b.in' },
        subscriptionAmountType: 'FIX',
        renewalAmount: '100.00',
        autoRenewal: true,
        autoRetry: true,
        communicationManager: true,
        subscriptionFrequency: '1',
        subscriptionFrequencyUnit: 'MONTH',
        subscriptionStartDate: '2026-07-01',
        subscriptionGraceDays: '1',
        subscriptionExpiryDate: '2030-07-01',
        subscriptionEnableRetry: '1',
        subscriptionRetryCount: '1',
        appInvokeDevice: '3P',
        mandateAccountDetails: {
          accountHolderName: 'Asha',
          channelCode: 'HDFC',
          accountNumber: '50100012345678',
          ifsc: 'HDFC0000001',
          accountType: 'ISA',
        },
        extendInfo: { udf1: 'x' },
        enablePaymentMode: [{ mode: 'UPI', channels: ['UPI'] }],
        subscriptionPurpose: 'A magazine',
      },
    }),
  },
  listSubscriptions: {
    schemas: listSubscriptions,
    signature: 'signature',
    good: () => ({
      query: {},
      head: { tokenType: 'AES', token: 'none', version: 'v1' },
      body: { mid: MID, custId: 'C1', subsStatusFilter: ['INIT'], frequencyUnit: 'MONTH', detailRequired: true, pageSize: 10 },
    }),
  },
  applyPromo: {
    schemas: applyPromo,
    signature: 'token',
    good: () => ({
      query: { mid: MID },
      head: { channelId: 'WEB', tokenType: 'CHECKSUM', requestId: 'r1' },
      body: {
        mid: MID,
        custId: 'C1',
        promocode: 'CARD10',
        paymentOptions: [{ transactionAmount: '500.00', payMethod: 'CREDIT_CARD', bankCode: 'HDFC', cardNo: '4111111111111111' }],
        totalTransactionAmount: '500.00',
        cartDetails: { items: [] },
      },
    }),
  },
  createAccessToken: {
    schemas: createAccessToken,
    signature: 'token',
    good: (id) => ({
      query: { mid: MID, referenceId: id },
      head: { tokenType: 'CHECKSUM' },
      body: { mid: MID, referenceId: id, custId: 'C1' },
    }),
  },
  processTransaction: {
    schemas: processTransaction,
    writes: ['0001'],
    hidden: '4000000000000002',
    good: () => ({
      query: { mid: MID, orderId: 'PAYING' },
      head: { txnToken: payingToken, channelId: 'WEB' },
      body: {
        ...{ requestType: 'NATIVE', mid: MID, orderId: 'PAYING', paymentMode: 'CREDIT_CARD', cardInfo: '|4000000000000002|123|122032' },
        ...{ authMode: 'otp', channelCode: 'HDFC', payerAccount: 'asha@upi', planId: 'HDFC|3', paymentFlow: 'NONE', storeInstrument: '1' },
        ...{ txnNote: 'note', extendInfo: { udf1: 'x' }, txnRoutingParams: { rule: {} } },
      },
    }),
  },
  directBankRequest: {
    schemas: directBankRequest,
    writes: ['0001'],
    hidden: '717273',
    good: () => ({
      query: { mid: MID, orderId: 'PAYING_OTP' },
      head: { txnToken: payingToken, channelId: 'WEB' },
      body: { mid: MID, orderId: 'PAYING_OTP', requestType: 'submit', otp: '717273' },
    }),
  },
  orderStatus: {
    schemas: orderStatus,
    signature: 'signature',
    good: () => ({ query: {}, head: { clientId: 'C11' }, body: { mid: MID, orderId: 'MODIFIED', txnType: 'SALE' } }),
  },
  closeOrder: {
    schemas: closeOrder,
    signature: 'signature',
    good: () => ({ query: {}, head: { clientId: 'C11' }, body: { requestType: 'CLOSE', mid: MID, orderId: 'CLOSING' } }),
  },
  // For a payment that does not exist: a task settles an accepted refund a moment later, and would write.
  applyRefund: {
    schemas: applyRefund,
    signature: 'signature',
    good: (id) => ({
      query: {},
      head: { channelId: 'WEB', clientId: 'C11' },
      body: {
        ...{ mid: MID, txnType: 'REFUND', orderId: 'MODIFIED', txnId: '1', refId: id, refundAmount: '1.00', comments: 'broken' },
        ...{ preferredDestination: 'TO_SOURCE', subwalletAmount: { FOOD: 1 }, disableMerchantDebitRetry: true, extraParamsMap: { a: 'b' } },
        agentInfo: { employeeId: '1', name: 'Asha', phoneNo: '9', email: 'a@b.in' },
        refundItems: [{ itemId: '1', productId: '2', itemRefundAmount: '1.00' }],
      },
    }),
  },
  refundStatus: {
    schemas: refundStatus,
    signature: 'signature',
    good: (id) => ({ query: {}, head: { clientId: 'C11' }, body: { mid: MID, orderId: 'MODIFIED', refId: id, readTimeOut: '3000' } }),
  },
  orderList: {
    schemas: orderList,
    signature: 'signature',
    good: () => ({
      query: {},
      head: { clientId: 'C11', tokenType: 'AES', channelId: 'WEB' },
      body: {
        mid: MID,
        fromDate: '2026-06-01T00:00:00+05:30',
        toDate: '2026-06-30T23:59:59+05:30',
        orderSearchType: 'TRANSACTION',
        orderSearchStatus: 'SUCCESS|FAILURE|PENDING',
        merchantOrderId: 'MODIFIED',
        payMode: 'UPI',
        pageNumber: 1,
        pageSize: '50',
        isSort: true,
      },
    }),
  },
  refundList: {
    schemas: refundList,
    signature: 'signature',
    good: () => ({
      query: {},
      head: { clientId: 'C11', tokenType: 'CHECKSUM' },
      body: {
        mid: MID,
        startDate: '2026-06-01T00:00:00+05:30',
        endDate: '2026-06-30T23:59:59+05:30',
        pageNum: 1,
        pageSize: '50',
        isSort: 'true',
      },
    }),
  },
  registerNotificationUrl: {
    schemas: { body: registerNotificationUrl },
    headers: { 'x-checksum': 'nobody' },
    good: () => ({ query: {}, body: { mid: MID, queryParam: 'notificationUrls', paymentNotificationUrl: 'https://shop.example/notify' } }),
  },
  fetchPaymentOptions: {
    schemas: fetchPaymentOptions,
    good: () => ({ query: { mid: MID, orderId: 'MODIFIED' }, head: page(), body: { mid: MID, orderId: 'MODIFIED' } }),
  },
  fetchBinDetail: {
    schemas: fetchBinDetail,
    good: () => ({ query: { mid: MID, orderId: 'MODIFIED' }, head: page(), body: { mid: MID, bin: '4111111111111111' } }),
  },
  validateVpa: {
    schemas: validateVpa,
    good: () => ({ query: { mid: MID, orderId: 'MODIFIED' }, head: page(), body: { mid: MID, vpa: 'asha@upi' } }),
  },
  // One token gets sixty answers a minute, so each of these requests has its own.
  transactionStatus: { schemas: transactionStatus, good: () => ({ query: {}, head: another(), body: { mid: MID, orderId: 'MODIFIED' } }) },
  fetchBalanceInfo: {
    schemas: fetchBalanceInfo,
    good: () => ({ query: placed, head: another(), body: { ...placed, paymentMode: 'BALANCE' } }),
  },
  fetchNbPaymentChannels: {
    schemas: fetchNbPaymentChannels,
    good: () => ({ query: placed, head: another(), body: { ...placed, type: 'MERCHANT' } }),
  },
  fetchEmiDetail: {
    schemas: fetchEmiDetail,
    good: () => ({
      query: placed,
      head: another(),
      body: { ...placed, channelCode: 'HDFC,ICICI', emiType: 'DEBIT_CARD', amount: { value: '12000.00', currency: 'INR' } },
    }),
  },
  fetchAllPaymentOffers: {
    schemas: fetchAllPaymentOffers,
    signature: 'token',
    good: () => ({ query: { mid: MID }, head: { channelId: 'WEB', tokenType: 'CHECKSUM', requestId: 'r1' }, body: { mid: MID } }),
  },
  // For subscriptions that do not exist: every fault of a field is refused before that.
  checkSubscriptionStatus: {
    schemas: checkSubscriptionStatus,
    signature: 'signature',
    good: () => ({ query: {}, head: mandateHead, body: { mid: MID, subsId: '1', orderId: 'MODIFIED', custId: 'C1' } }),
  },
  cancelSubscription: {
    schemas: cancelSubscription,
    signature: 'signature',
    good: () => ({ query: { subsId: '1' }, head: mandateHead, body: { mid: MID, subsId: '1', subscriptionId: '1' } }),
  },
  modifySubscriptionStatus: {
    schemas: modifySubscriptionStatus,
    signature: 'signature',
    good: () => ({ query: { subsId: '1' }, head: mandateHead, body: { mid: MID, subsId: '1', subscriptionId: '1', status: 'ACTIVE' } }),
  },
  preNotify: {
    schemas: preNotify,
    signature: 'signature',
    good: (id) => ({
      query: { subsId: '1' },
      head: mandateHead,
      body: {
        ...{ mid: MID, subsId: '1', subscriptionId: '1', txnAmount: '10.00', txnDate: '16-06-2026', referenceId: id, txnMessage: 'Milk' },
        ...{ subscriptionScheduledExecutionDate: '2026-06-16', orderId: id, invoiceDisplayNo: 'I1' },
      },
    }),
  },
  preNotifyStatus: {
    schemas: preNotifyStatus,
    signature: 'signature',
    good: (id) => ({
      query: { subsId: '1' },
      head: mandateHead,
      body: { mid: MID, subsId: '1', subscriptionId: '1', referenceId: id, noticeId: '1', orderId: id },
    }),
  },
  renewSubscription: {
    schemas: renewSubscription,
    signature: 'signature',
    good: (id) => ({
      query: { mid: MID, orderId: id },
      head: { clientId: 'C11' },
      body: {
        ...{ mid: MID, orderId: id, subscriptionId: '1', subsId: '1', txnAmount: { value: '10.00', currency: 'INR' } },
        ...{ extendInfo: { udf1: 'x' }, debitDate: '2026-06-16 06:00:00' },
      },
    }),
  },
  consultSubscription: {
    schemas: consultSubscription,
    signature: 'signature',
    good: () => ({
      query: { subsId: '1' },
      head: mandateHead,
      body: { mid: MID, subsId: '1', subscriptionId: '1', amount: '10.00', debitDate: '2026-06-16 06:00:00' },
    }),
  },
  editSubscription: {
    schemas: editSubscription,
    signature: 'signature',
    good: () => ({
      query: { subsId: '1' },
      head: mandateHead,
      body: {
        ...{ mid: MID, subsId: '1', subscriptionId: '1', renewalAmount: '10.00', subscriptionMaxAmount: '10.00' },
        subscriptionExpiryDate: '2030-06-16',
      },
    }),
  },
  sendOtp: {
    schemas: { body: sendOtp.body },
    headers: flat,
    writes: ['BE1425006'],
    good: () => ({ query: { locale: 'en-IN' }, body: { phone: `9${String(++phones).padStart(9, '0')}`, scopes: ['wallet'] } }),
  },
  validateOtp: {
    schemas: { body: validateOtp.body },
    headers: flat,
    writes: ['BE1425007', 'BE1425008'],
    good: () => ({ query: { locale: 'en-IN', anchor: 'enc_user_id' }, body: { state_token: 'nobody', otp: '123456' } }),
  },
  refreshToken: {
    schemas: { body: refreshToken.body },
    headers: flat,
    good: () => ({ query: {}, body: { grantType: 'refresh_token', refreshToken: 'nobody', deviceId: 'device-1' } }),
  },
  revokeToken: { schemas: { body: {} }, headers: { ...flat, session_token: 'nobody' }, good: () => ({ query: {}, body: {} }) },
  userDetails: { schemas: { body: {} }, headers: { session_token: 'nobody' }, good: () => ({ query: {}, body: {} }) },
  sendCheckoutOtp: {
    schemas: sendCheckoutOtp,
    good: () => ({
      query: { mid: MID, orderId: 'MODIFIED' },
      head: { tokenType: 'TXN_TOKEN', token: modifyToken },
      body: { mobileNo: `8${String(++phones).padStart(9, '0')}` },
    }),
  },
  validateCheckoutOtp: {
    schemas: validateCheckoutOtp,
    writes: ['403'],
    good: () => ({
      query: { mid: MID, orderId: 'MODIFIED' },
      head: { tokenType: 'TXN_TOKEN', token: modifyToken },
      body: { otp: '123456' },
    }),
  },
}
let phones = 0
let modifyToken = ''
let payingToken = ''

/** An order that the requests may use up, and for the one-time password one that waits for it. */
async function ordersFor(name: Name, { signed, post }: Service) {
  const orderId = { processTransaction: 'PAYING', directBankRequest: 'PAYING_OTP', closeOrder: 'CLOSING' }[name as string]
  if (orderId === undefined) return
  const order = orderBody(orderId, { userInfo })
  payingToken = (await signed(`${operations.createOrder.paths[0]}?mid=${MID}&orderId=${orderId}`, order)).body.txnToken
  if (name !== 'directBankRequest') return
  const body = { mid: MID, orderId, paymentMode: 'CREDIT_CARD', authMode: 'otp', cardInfo: '|4000000000003220|123|122032' }
  await post(
    `${operations.processTransaction.paths[0]}?mid=${MID}&orderId=${orderId}`,
    JSON.stringify({ head: { txnToken: payingToken }, body }),
  )
}
const page = () => ({ tokenType: 'TXN_TOKEN', token: modifyToken, channelId: 'WEB', clientId: 'C11', version: 'v1' })
const another = () => ({ ...page(), token: `token ${++phones}` })
const placed = { mid: MID, orderId: 'MODIFIED' }

onBothStores('field × fault', (storeName) => {
  let written = 0
  const countWrites = (store: Store) =>
    watched(store, {
      write({ changes, events, tasks }) {
        // A task of its own delivers a sent OTP a moment later.
        written += changes.filter(({ key }) => key.table !== 'messages').length + events.length
        written += tasks.filter(({ kind }) => kind === 'add').length
      },
    })
  const service = sharedService(storeName, { store: countWrites, env: { MOHUR_SIGNIN_CEILING_PER_MINUTE: '1000000' } })

  for (const name of Object.keys(subjects) as Name[]) {
    test(`${name}: every field in every wrong way`, async (t) => {
      const running = await service()
      const created = await running.signed(
        `${operations.createOrder.paths[0]}?mid=${MID}&orderId=MODIFIED`,
        orderBody('MODIFIED', wholeOrder),
      )
      modifyToken = created.body.txnToken ?? modifyToken
      await ordersFor(name, running)
      const answers = new Map<string, number>()
      let requests = 0
      let inFlight: Promise<void>[] = []
      for (const request of requestsFor(name, storeName)) {
        // A success writes, so its writes are counted alone. Refusals run side by side.
        inFlight.push(
          request.send(running).then((reply) => {
            requests++
            const code = judge(name, reply, request.what)
            answers.set(code, (answers.get(code) ?? 0) + 1)
          }),
        )
        if (inFlight.length < 8) continue
        await settle()
      }
      await settle()
      t.diagnostic(
        `${requests} requests; ${[...answers]
          .sort()
          .map(([code, count]) => `${code}: ${count}`)
          .join(', ')}`,
      )

      async function settle() {
        const [before, mayWrite] = [written, writesOf(name, answers)]
        await Promise.all(inFlight)
        inFlight = []
        if (writesOf(name, answers) === mayWrite) assert.equal(written, before, `${name}: a refusal wrote something`)
      }
    })
  }

  test('the service is as it was: it answers, and no prototype has a new member', async () => {
    const { signed } = await service()
    const reply = await signed(`${operations.createOrder.paths[0]}?mid=${MID}&orderId=LAST`, orderBody('LAST', wholeOrder))
    assert.equal(reply.body.resultInfo.resultCode, '0000')
    assert.equal(({} as { polluted?: boolean }).polluted, undefined)
  })
})

const codesOf = (name: Name): readonly ResultCode[] =>
  Object.values(Object.values(resultCodeTables).find((table) => table.success.operation === name)!)

/** How many of the replies so far were allowed to write. */
const writesOf = (name: Name, answers: ReadonlyMap<string, number>) =>
  [codesOf(name).find((row) => row.name === 'success')!.code, ...(subjects[name].writes ?? [])].reduce(
    (sum, code) => sum + (answers.get(code) ?? 0),
    0,
  )

/** Expects HTTP 200 and a row of the operation's own table, or a status that comes before any operation. */
function judge(name: Name, reply: Reply, what: string): string {
  const { hidden } = subjects[name]
  assert.ok(hidden === undefined || !reply.text.includes(hidden), `${what}: the reply repeats what is hidden`)
  if (reply.body.errorDetails) {
    assert.ok([400, 413, 415].includes(reply.status), `${what}: ${reply.text}`)
    assert.equal(reply.body.errorDetails.code, reply.status, what)
    return `HTTP ${reply.status}`
  }
  const info = reply.body.resultInfo ?? reply.body
  const code = info.resultCode ?? info.responseCode ?? info.code ?? info.error ?? String(reply.status)
  const status = info.status ?? info.resultStatus
  const rows = codesOf(name)
  const found = rows.find((row) => row.code === code && (status === undefined || row.status === status))
  assert.ok(found, `${what}: ${code} ${status} is not in the table`)
  assert.equal(reply.status, found.http ?? 200, `${what}: ${reply.text}`)
  assert.ok(!rows.some((row) => row.name === 'systemError' && row.code === code), `${what}: a system error for bad input`)
  return code
}

let ids = 0

function* requestsFor(name: Name, storeName: StoreName): Generator<{ what: string; send(to: Service): Promise<Reply> }> {
  const { schemas, good } = subjects[name]
  const make = (change: (request: ReturnType<Subject['good']>) => ReturnType<Subject['good']>, what: string, write = JSON.stringify) => ({
    what: `${name}: ${what}`,
    send: (to: Service) => send(to, name, change(good(`X${String(++ids).padStart(11, '0')}`)), write),
  })
  const shares = sized(storeNames.length, 1)
  const isOurs = (field: number, fault: number) => (field + fault + storeNames.indexOf(storeName)) % shares === 0
  for (const part of ['head', 'body'] as const) {
    for (const [field, path] of pathsOf(schemas[part] ?? {}).entries()) {
      for (const [fault, mutation] of mutations.entries())
        if (isOurs(field, fault))
          yield make(
            (request) => put(request, [part, ...path], mutation.value(at(request, [part, ...path]))) as typeof request,
            `${part}.${path.join('.')} is ${mutation.name}`,
          )
    }
  }
  for (const parameter of Object.keys(good('X').query)) {
    for (const value of ['', 'x'.repeat(300), '__proto__', '%00', 'é'])
      yield make(
        (request) => ({ ...request, query: { ...request.query, [parameter]: value } }),
        `query ${parameter} is ${value.slice(0, 20)}`,
      )
    yield make((request) => put(request, ['query', parameter], undefined) as typeof request, `query ${parameter} is absent`)
  }
  const whole: [string, (text: string) => string][] = [
    ['truncated', (text) => text.slice(0, Math.floor(text.length / 2))],
    ['empty', () => ''],
    ['a list', (text) => `[${text}]`],
    ['a string', () => '"text"'],
    ['with a key twice', (text) => `${text.slice(0, -1)},"body":{}}`],
    ['with a key twice inside', (text) => text.replace(/"(mid|phone|otp|txnAmount)":/, '"$1":1,"$1":')],
    ['10,000 deep', (text) => `${text.slice(0, -1)},"deep":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
    ['17 deep', (text) => `${text.slice(0, -1)},"deep":${'['.repeat(17)}${']'.repeat(17)}}`],
    ['with 1,001 members', (text) => `${text.slice(0, -1)},${Array.from({ length: 1_001 }, (_, n) => `"m${n}":1`).join()}}`],
    ['of 1 MB', (text) => `${text.slice(0, -1)},"long":"${'x'.repeat(1_048_576)}"}`],
    ['with __proto__', (text) => `${text.slice(0, -1)},"__proto__":{"polluted":true}}`],
    ['with a byte order mark', (text) => `\ufeff${text}`],
    ['in single quotes', (text) => text.replaceAll('"', "'")],
    ['with a trailing comma', (text) => `${text.slice(0, -1)},}`],
    ['followed by more', (text) => `${text}{}`],
  ]
  for (const [what, change] of whole)
    yield make(
      (request) => request,
      `the request is ${what}`,
      (value: unknown) => change(JSON.stringify(value)),
    )
}

async function send(
  to: Service,
  name: Name,
  { query, head, body }: ReturnType<Subject['good']>,
  write: (value: unknown) => string,
): Promise<Reply> {
  const { schemas, signature, headers } = subjects[name]
  const { method } = operations[name]
  const parameters = Object.entries(query).filter(([, value]) => value !== undefined)
  const path = `${operations[name].paths[0]}?${parameters.map(([key, value]) => `${key}=${value.startsWith('%') ? value : encodeURIComponent(value)}`).join('&')}`
  if (!schemas.head) return to.call(method, path, headers, method === 'GET' ? undefined : write(body))
  const signed =
    signature && head !== undefined && typeof head === 'object' && !(signature in head)
      ? { ...head, [signature]: sign(JSON.stringify(body ?? null), KEY, 'salt') }
      : head
  return to.post(path, write({ head: signed, body }))
}

// ------------------------------------------------------------------------------------------------------------ two at once

/** Missing members, and comparisons with the query, come before wrong values: docs/interface.md section 7, steps 1 to 3. */
const EARLIER_STEPS: ReadonlySet<string> = new Set(['invalidBody', 'missingElement', 'missingParam', 'midMismatch', 'orderIdMismatch'])
/** Credentials and states come after them: steps 6 and 8. */
const LATER_STEPS: ReadonlySet<string> = new Set([
  'transactionInProcess',
  'invalidSsoToken',
  'invalidToken',
  'invalidChecksum',
  'sessionExpired',
  'systemError',
])
/** A value of another type fails every rule of its field. */
const WRONG = [[{ of: 'another type' }], { of: 'another type' }, 'x'.repeat(3_000), '?']
const FIELDS_OF_A_ROW = 2

interface Broken {
  path: readonly (string | number)[]
  value: unknown
  row: ResultCode
}

function refusalIn(name: Name, { body }: Reply): ResultCode | undefined {
  const info = body.resultInfo ?? body
  const code = info.resultCode ?? info.responseCode ?? info.code
  const rows = codesOf(name).filter((row) => row.code === code && row.name !== 'success')
  return rows.length <= 1 ? rows[0] : rows.find((row) => row.message === (info.resultMsg ?? info.message))
}

onBothStores('two wrong values at once', (storeName) => {
  const service = sharedService(storeName, { env: { MOHUR_SIGNIN_CEILING_PER_MINUTE: '1000000' } })
  let pairs = 0

  for (const name of Object.keys(subjects) as Name[])
    test(`${name}: are answered by the row that stands first in the table`, async () => {
      const running = await service()
      const created = await running.signed(
        `${operations.createOrder.paths[0]}?mid=${MID}&orderId=MODIFIED`,
        orderBody('MODIFIED', wholeOrder),
      )
      modifyToken = created.body.txnToken ?? modifyToken
      await ordersFor(name, running)
      const { schemas, good } = subjects[name]
      const sent = (broken: readonly Omit<Broken, 'row'>[]) => {
        let request = good(`P${String(++ids).padStart(11, '0')}`)
        for (const { path, value } of broken) request = put(request, [...path], value) as typeof request
        return send(running, name, request, JSON.stringify)
      }
      // A request about rows that do not exist is refused whatever its values are.
      const usual = refusalIn(name, await sent([]))
      const found = new Map<string, Broken[]>()
      for (const inner of pathsOf(schemas.body ?? {})) {
        const path = ['body', ...inner]
        if (inner.length === 0 || ['mid', 'orderId'].includes(String(inner.at(-1)))) continue
        for (const value of WRONG) {
          const row = refusalIn(name, await sent([{ path, value }]))
          if (!row || row.name === usual?.name || EARLIER_STEPS.has(row.name) || LATER_STEPS.has(row.name)) continue
          const alike = found.get(row.name) ?? []
          if (alike.length < FIELDS_OF_A_ROW) found.set(row.name, [...alike, { path, value, row }])
          break
        }
      }
      const places = new Map(codesOf(name).map((row, place) => [row.name, place]))
      const groups = [...found.values()]
      for (const [at, ones] of groups.entries())
        for (const others of groups.slice(at + 1))
          for (const one of ones)
            for (const other of others) {
              if (other.path.join().startsWith(one.path.join()) || one.path.join().startsWith(other.path.join())) continue
              pairs++
              const [first] = [one.row, other.row].sort((a, b) => places.get(a.name)! - places.get(b.name)!)
              const both = refusalIn(name, await sent([one, other]))
              assert.equal(both?.name, first!.name, `${name}: ${one.path.join('.')} and ${other.path.join('.')}`)
            }
    })

  test('were tried in more than one operation', (t) => {
    t.diagnostic(`${pairs} pairs`)
    assert.ok(pairs > 20, `${pairs} pairs`)
  })
})
