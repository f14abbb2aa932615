// Requests whose members all have their form, but which a rule or a row refuses, each with the hint that it must get.

import { consented, manage } from '../mandates/mandates.ts'
import { fix, initiate, LIST, subscription } from '../mandates/subscription.ts'
import { ask, BALANCE, byToken, newOrder, VPA } from '../paying/options.ts'
import { orderBody } from '../paying/order-body.ts'
import { CARD, createOrder, type Order, pay } from '../paying/paying.ts'
import { paidOrder, refund } from '../paying/refunds.ts'
import { MID, type Reply, type Service } from '../run/service.ts'

/** The hint of the request, as `reason at place`. */
export type Standing = readonly [said: string, ask: (service: Service) => Promise<Reply>]

const DAY_MS = 24 * 60 * 60_000
const rupees = (value: string) => ({ value, currency: 'INR' })
const MODIFY = '/aoa-acquiring-biz/v2/modifyOrder'
const CREATE_ORDER = '/aoa-acquiring-biz/v2/order'
const at = (path: string, orderId: string, mid = MID) => `${path}?mid=${mid}&orderId=${orderId}`

const modify = (service: Service, { orderId, txnToken }: Order, body: object, signature: string | null = null) =>
  service.signed(at(MODIFY, orderId), body, { head: { tokenType: 'TXN_TOKEN', token: txnToken }, signature })
const order = (service: Service, body: object) => service.signed(at(CREATE_ORDER, 'STANDS'), { ...orderBody('STANDS'), ...body })
const subscribe = (more: object) => (service: Service) => initiate(service, subscription('STANDS_S', more))
const payBy =
  (name: string, means: object, more: object = {}) =>
  async (service: Service) =>
    pay(service, await createOrder(service, `PAY_${name}`, more), means)
const page = (orderId: string, path: string, body: Record<string, unknown>) => async (service: Service) =>
  ask(service, byToken(path, orderId, await newOrder(service, orderId), body))
const listed =
  (from: string, to: string, more: object = {}) =>
  (service: Service) =>
    service.signed('/merchant-passbook/search/list/order/v2', {
      mid: MID,
      fromDate: from,
      toDate: to,
      orderSearchType: 'TRANSACTION',
      ...more,
    })
const edit = (name: string, terms: object, more: object) => async (service: Service) =>
  manage(service, '/subscription/edit', { subsId: await consented(service, `EDIT_${name}`, terms), ...more })
const renew = (subscriptionId: string, orderId: string, value: string) => ({ mid: MID, orderId, subscriptionId, txnAmount: rupees(value) })

export const standing: readonly Standing[] = [
  ['unknownMid at mid', (service) => service.signed(at(CREATE_ORDER, 'STANDS', 'NOBODY'), { ...orderBody('STANDS'), mid: 'NOBODY' })],
  ['unknownWebsite at websiteName', (service) => order(service, { websiteName: 'NOWHERE' })],
  ['unknownWebsite at websiteName', subscribe({ websiteName: 'NOWHERE' })],
  ['unknownOrder', (service) => service.signed('/v3/order/status', { mid: MID, orderId: 'NEVER_MADE' })],
  ['unknownOrder at orderId', (service) => service.signed('/v1/order/close', { requestType: 'CLOSE', mid: MID, orderId: 'NEVER_MADE' })],
  ['unknownOrder', (service) => pay(service, { orderId: 'NEVER_MADE', txnToken: 'x' }, CARD)],
  ['otherToken', async (service) => pay(service, { ...(await createOrder(service, 'TOKEN')), txnToken: 'x' }, CARD)],
  ['unknownToken', (service) => modify(service, { orderId: 'NEVER_MADE', txnToken: 'x' }, { txnAmount: rupees('1.00') })],
  [
    'otherMember at websiteName',
    async (service) => {
      const made = await createOrder(service, 'OTHER')
      const head = { tokenType: 'TXN_TOKEN', token: made.txnToken }
      return service.signed(at(MODIFY, 'OTHER'), { mid: MID, orderId: 'OTHER', websiteName: 'DEFAULT' }, { head })
    },
  ],
  [
    'ofMandate at txnAmount.value',
    async (service) => {
      const { body } = await initiate(service, subscription('MANDATE'))
      return modify(service, { orderId: 'MANDATE', txnToken: body.txnToken }, { txnAmount: rupees('1.00') })
    },
  ],
  [
    'modifiedEnough',
    async (service) => {
      const made = await createOrder(service, 'OFTEN')
      const change = (value: string) =>
        service.signed(at(MODIFY, 'OFTEN'), { txnAmount: rupees(value) }, { head: { tokenType: 'TXN_TOKEN', token: made.txnToken } })
      for (const value of ['1.00', '2.00', '3.00', '4.00', '5.00']) await change(value)
      return change('6.00')
    },
  ],
  ['needed at channelCode', payBy('BANK', { paymentMode: 'NET_BANKING' })],
  ['unknownBank at channelCode', payBy('NO_BANK', { paymentMode: 'NET_BANKING', channelCode: 'NOBANK' })],
  ['unknownHandle at payerAccount', payBy('HANDLE', { paymentMode: 'UPI', payerAccount: 'asha@nosuchbank' })],
  ['unknownChannel at channelCode', payBy('CHANNEL', { paymentMode: 'UPI', channelCode: 'HDFC', payerAccount: 'asha@upi' })],
  ['unknownPlan at planId', payBy('PLAN', { ...CARD, paymentMode: 'EMI', planId: 'NOBANK|6' })],
  ['cardForm at cardInfo', payBy('CARD', { ...CARD, cardInfo: '4111111111111111' })],
  ['unknownCard at cardInfo', payBy('SAVED', { ...CARD, cardInfo: 'NOCARD||123|' })],
  ['modeNotOffered at paymentMode', payBy('MODE', CARD, { enablePaymentMode: [{ mode: 'UPI' }] })],
  [
    'wayNotOffered at channelCode',
    payBy('WAY', { paymentMode: 'UPI', channelCode: 'UPIPUSH' }, { enablePaymentMode: [{ mode: 'UPI', channels: ['UPI'] }] }),
  ],
  ['noPayer at paymentMode', payBy('WALLET', { paymentMode: 'BALANCE' })],
  ['noPayer', page('PAGE_BALANCE', BALANCE, { paymentMode: 'BALANCE' })],
  ['missing at vpa', page('PAGE_NEITHER', VPA, {})],
  ['unwanted at numericId', page('PAGE_BOTH', VPA, { vpa: 'asha@upi', numericId: '12345678' })],
  ['noSuchOffer at promoCode', payBy('OFFER', { ...CARD, promoCode: 'NO_SUCH_OFFER' })],
  ['overLeft at refundAmount', async (service) => refund(service, await paidOrder(service, 'REFUNDED'), 'OVER', '100.01')],
  ['expiryDay at subscriptionExpiryDate', subscribe({ subscriptionExpiryDate: '2026-06-14' })],
  ['zero at renewalAmount', subscribe(fix('0.00'))],
  ['needed at subscriptionMaxAmount', subscribe({ subscriptionMaxAmount: null })],
  ['graceOfCards at subscriptionGraceDays', subscribe({ subscriptionGraceDays: '5', enablePaymentMode: [{ mode: 'CREDIT_CARD' }] })],
  ['firstOverRenewal at txnAmount.value', subscribe(fix('5.00', { enablePaymentMode: [{ mode: 'UPI' }] }))],
  [
    'fixed at txnAmount.value',
    async (service) => {
      const id = await consented(service, 'FIXED', fix('199.00'))
      return service.signed(at('/subscription/renew', 'FIXED_2'), renew(id, 'FIXED_2', '179.00'))
    },
  ],
  ['noId at subsId', (service) => manage(service, '/subscription/cancel', {})],
  ['twoIds at subsId', (service) => manage(service, '/subscription/cancel', { subsId: '1', subscriptionId: '2' })],
  [
    'twoIds at subscriptionId',
    (service) => service.signed(at('/subscription/renew', 'TWO'), { ...renew('1', 'TWO', '1.00'), subsId: '2' }),
  ],
  ['nothingAsked', edit('NOTHING', {}, {})],
  ['notFixed at renewalAmount', edit('VARIABLE', {}, { renewalAmount: '5.00' })],
  ['notVariable at subscriptionMaxAmount', edit('FIX', fix('199.00'), { subscriptionMaxAmount: '500.00' })],
  ['zero at renewalAmount', edit('ZERO', fix('199.00'), { renewalAmount: '0.00' })],
  ['belowFirst at subscriptionMaxAmount', edit('BELOW', {}, { subscriptionMaxAmount: '9.00' })],
  ['zero at amount', (service) => manage(service, '/subscription/consult', { subsId: '1', amount: '0.00' })],
  [
    'unknownPayer at head.token',
    (service) => service.signed(LIST, { mid: MID, custId: 'C1' }, { head: { tokenType: 'SSO', token: 'nobody' } }),
  ],
  [
    'sum at totalTransactionAmount',
    (service) => {
      const body = { mid: MID, totalTransactionAmount: '2.00', paymentOptions: [{ transactionAmount: '1.00', payMethod: 'UPI' }] }
      return service.post(
        `/theia/api/v2/applyPromo?mid=${MID}`,
        JSON.stringify({ head: { channelId: 'WEB', tokenType: 'CHECKSUM', token: 'x' }, body }),
      )
    },
  ],
  ['range at toDate', listed('2026-06-14T00:00:00+05:30', '2026-06-13T00:00:00+05:30')],
  ['range at pageSize', listed('2026-06-13T00:00:00+05:30', '2026-06-14T00:00:00+05:30', { pageSize: 51 })],
  ['range at pageNumber', listed('2026-06-13T00:00:00+05:30', '2026-06-14T00:00:00+05:30', { pageSize: 50, pageNumber: 201 })],
]

/** Requests that need time or another row. They come last, because they move the clock. */
export const standingLater: readonly Standing[] = [
  [
    'tokenOver',
    async (service) => {
      const made = await createOrder(service, 'LATE')
      service.clock.advance(DAY_MS)
      return modify(service, made, { txnAmount: rupees('1.00') })
    },
  ],
]
