// A shop that takes payments through Cashfree. The official server SDK makes its orders, and the browser loader opens its payment page. The
// simulator is the bank behind them.

import assert from 'node:assert/strict'
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'
import { isInFlight } from '../../../src/domain/transaction/transaction.ts'
import { orderKey, transactionsOfOrder } from '../../../src/tables/keys.ts'
import { find } from '../../../src/tables/tables.ts'
import { PATIENCE_MS, type Shop } from '../pages/browser.ts'
import { asOtherSite } from '../pages/loader-desk.ts'
import { documentOf, type Opened, onShopPage, type ShopPage } from '../pages/loader-shop.ts'
import type { Order } from '../paying/paying.ts'
import { answered, type ServerSdk } from '../run/server-sdk.ts'
import { MID, type Service } from '../run/service.ts'
import { idOf, PAYER, WEBHOOK } from './account.ts'
import { type CashfreeSimulator, CLIENT_ID, CLIENT_SECRET } from './simulator.ts'

export interface Checkout {
  service: Service
  bank: CashfreeSimulator
  shop: Shop
  browser: Browser
  sdk: ServerSdk
}

export const AMOUNT = '100.00'

/** For a customer with a mobile number. */
export async function orderBySdk({ sdk, shop }: Pick<Checkout, 'sdk' | 'shop'>, orderId: string): Promise<Order> {
  const { MerchantProperties, Money, Payment, PaymentDetailBuilder, UserInfo } = sdk
  MerchantProperties.setCallbackUrl(shop.callbackUrl)
  const user = new UserInfo(PAYER.userInfo.custId)
  user.setMobile(PAYER.userInfo.mobile)
  user.setEmail(PAYER.userInfo.email)
  const detail = new PaymentDetailBuilder('WEB', orderId, Money.constructWithCurrencyAndValue('INR', AMOUNT), user).build()
  const { info, body } = answered(await Payment.createTxnToken(detail))
  assert.deepEqual([info.resultStatus, info.resultCode], ['S', '0000'])
  return { orderId, txnToken: body.txnToken }
}

export async function statusBySdk({ sdk }: Pick<Checkout, 'sdk'>, orderId: string) {
  const { Payment, PaymentStatusDetailBuilder } = sdk
  return answered(await Payment.getPaymentStatus(new PaymentStatusDetailBuilder(orderId).build()))
}

// ----------------------------------------------------------------------------------------------------------- the browser

const DESK: BrowserContextOptions = { viewport: { width: 1280, height: 900 }, locale: 'en-IN' }

/** Fails when a page's policy blocked something in its browser. */
export async function inBrowser({ browser }: Checkout, options: BrowserContextOptions, work: (context: BrowserContext) => Promise<void>) {
  const context = await browser.newContext({ ...DESK, ...options })
  context.setDefaultTimeout(PATIENCE_MS)
  const stopped: string[] = []
  context.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) stopped.push(message.text())
  })
  context.on('request', (request) => {
    if (request.url().endsWith('/pay/report')) stopped.push(request.postData() ?? 'a report')
  })
  try {
    await work(context)
    assert.deepEqual(stopped, [])
  } finally {
    await context.close()
  }
}

/** The shop's own page, at another site than the gateway, with the payment page open. */
export async function openedAtShop({ service, shop }: Checkout, context: BrowserContext, order: Order, of: ShopPage): Promise<Opened> {
  const opened = await onShopPage(context, asOtherSite(shop.shows(order.orderId, documentOf(service, order, of), of.headers)))
  await opened.top.locator('#go').click()
  await opened.hears('opened')
  return opened
}

// -------------------------------------------------------------------------------------------------------- payer and bank

/** The order at Cashfree of the last attempt. */
export async function lastAtBank({ service, bank }: Checkout, orderId: string) {
  const attempt = (await attemptsOf(service, orderId)).at(-1)!
  return bank.orders.get(idOf(attempt.txnId))!
}

/** The payer decides in the UPI app, which knows the payment by the number in its link. */
export async function decidesInApp({ bank }: Checkout, entity_id: string, payment_status: 'SUCCESS' | 'FAILED') {
  const headers = {
    'content-type': 'application/json',
    'x-client-id': CLIENT_ID,
    'x-client-secret': CLIENT_SECRET,
    'x-api-version': '2025-01-01',
  }
  const body = JSON.stringify({ entity: 'PAYMENTS', entity_id, entity_simulation: { payment_status } })
  const { status } = await fetch(`${bank.url}/simulate`, { method: 'POST', headers, body })
  assert.equal(status, 200)
}

/** Sends a webhook as Cashfree does. On loopback an order has no `notify_url`, so Cashfree sends none by itself. */
export async function webhookArrives({ service, bank }: Checkout, id: string, type = 'PAYMENT_SUCCESS_WEBHOOK') {
  const { body, headers } = bank.webhook(id, { type })
  assert.equal((await service.call('POST', WEBHOOK, headers, body)).status, 200)
}

// ------------------------------------------------------------------------------------------------------------- the books

export const attemptsOf = ({ ports }: Service, orderId: string) => ports.query.rows(transactionsOfOrder(MID, orderId))

/** One attempt has paid this order, and the others have taken nothing. The shop's page, its server and both books agree. */
export async function assertPaidOnce(checkout: Checkout, orderId: string, given: Readonly<Record<string, string>>, attempts = 1) {
  const { service, bank } = checkout
  const tried = await attemptsOf(service, orderId)
  const paid = tried.filter(({ status }) => status === 'SUCCESS')
  assert.deepEqual([tried.length, paid.length, tried.some(isInFlight)], [attempts, 1, false])
  const { txnId } = paid[0]!
  const order = (await service.ports.query.row(orderKey(MID, orderId)))!
  assert.deepEqual([order.status, order.txnId], ['PAID', txnId])
  const payment = bank.orders.get(idOf(txnId))!.payments.find(({ status }) => status === 'SUCCESS')!
  const { info, body } = await statusBySdk(checkout, orderId)
  assert.deepEqual([info.resultStatus, info.resultCode], ['TXN_SUCCESS', '01'])
  const expected = [txnId, payment.bankReference, AMOUNT]
  assert.deepEqual([body.txnId, body.bankTxnId, body.txnAmount], expected)
  assert.equal(given['STATUS'], 'TXN_SUCCESS')
  assert.deepEqual([given['TXNID'], given['BANKTXNID'], given['TXNAMOUNT']], expected)
  for (const each of tried) assert.equal(keptOf(bank, each.txnId), each.capturedPaise - each.refundedPaise)
}

const keptOf = (bank: CashfreeSimulator, txnId: string) => {
  const { payments, refunds } = bank.orders.get(idOf(txnId))!
  const sum = (all: readonly { status: string; amount: number }[]) =>
    all.filter(({ status }) => status === 'SUCCESS').reduce((paise, { amount }) => paise + Math.round(amount * 100), 0)
  return sum(payments) - sum(refunds)
}

/** What banks owe by the ledger equals what Cashfree has kept. */
export async function assertBooksAgree({ service, bank }: Checkout, keptPaise: number) {
  const lines = await service.ports.query.rows(
    find('ledgerEntries', { equals: { owner: MID, account: 'acquirer_receivable' }, limit: 1_000 }),
  )
  const owed = lines.reduce((paise, { debitPaise, creditPaise }) => paise + debitPaise - creditPaise, 0)
  assert.deepEqual([owed, bank.keptPaise], [keptPaise, keptPaise])
}
