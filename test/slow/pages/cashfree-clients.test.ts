// A shop with published clients alone, paid through Cashfree. The unmodified server SDK makes the order, reads its status and refunds it.
// The browser loader opens the payment page in Chromium, and the payer pays at the simulator's bank.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { BrowserContext } from 'playwright-core'
import { pagePaths } from '../../../src/interface/page-paths.ts'
import { accountAt, NET_BANKING } from '../../support/cashfree/account.ts'
import {
  AMOUNT,
  assertBooksAgree,
  assertPaidOnce,
  type Checkout,
  decidesInApp,
  inBrowser,
  lastAtBank,
  openedAtShop,
  orderBySdk,
  statusBySdk,
  webhookArrives,
} from '../../support/cashfree/checkout.ts'
import { CashfreeSimulator } from '../../support/cashfree/simulator.ts'
import { launchWhole, openShop, wholeChromiumPath } from '../../support/pages/browser.ts'
import { resultOf } from '../../support/pages/loader-cases.ts'
import { asOtherSite, NOTES } from '../../support/pages/loader-desk.ts'
import { afterLoader, type Opened, type ShopPage } from '../../support/pages/loader-shop.ts'
import { opened as openedByForm, toShop } from '../../support/pages/page-cases.ts'
import { begin, browserWays, type Paying } from '../../support/pages/page-ways.ts'
import { areClientsRequired } from '../../support/run/installed-client.ts'
import { answered, pointAt, SDK_NAME, type ServerSdk, serverSdk } from '../../support/run/server-sdk.ts'
import { MID, onBothStores, type StoreName, startService, storeNames } from '../../support/run/service.ts'
import { assertHolds } from '../../support/store/verify.ts'

type Way = 'upi' | 'netBanking'
interface Case {
  way: Way
  place: 'overlay' | 'inline'
  /** `merchant.redirect`, and whether the shop passes a handler. */
  redirect: boolean
  hasHandler: boolean
}
const both = [true, false]
const WAYS = ['upi', 'netBanking'] as const
const cases: readonly Case[] = WAYS.flatMap((way) =>
  both.map((redirect) => ({ way, place: 'overlay', redirect, hasHandler: true }) as const),
)
/** The handler counts only where the shop's page holds the page until the end, so not after a bank's page. */
const moreCases: readonly Case[] = [
  ...both.map((redirect) => ({ way: 'upi', place: 'overlay', redirect, hasHandler: false }) as const),
  ...WAYS.map((way) => ({ way, place: 'inline', redirect: false, hasHandler: true }) as const),
]
const nameOf = ({ way, place, redirect, hasHandler }: Case) =>
  `${way === 'upi' ? 'UPI' : 'net banking'}, ${place}, ${redirect ? 'redirect' : 'stays'}, ${hasHandler ? 'handler' : 'no handler'}`
const shopPageOf = ({ place, redirect, hasHandler }: Omit<Case, 'way'>): ShopPage => ({
  html: '<div id="here"></div>',
  ...(!redirect && { redirect }),
  ...(place === 'inline' && { config: { root: '#here' } }),
  ...(hasHandler && { handlers: NOTES }),
})
const STAYS = { place: 'overlay', redirect: false, hasHandler: true } as const
/** The bank's page takes the whole window and leads back to the full page, outside the shop's page. */
const afterBank = { redirect: true, hasHandler: false } as const
const ANDROID = 'Mozilla/5.0 (Linux; Android 15; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36'
const DECLINED = 'Nothing was taken'

/** A browser sees the same on both stores, so its own tests run on one. */
function testClients(store: StoreName, sdk: ServerSdk) {
  const isEverything = store === storeNames[0]
  let checkout: Promise<Checkout> | undefined
  let keptPaise = 0
  let orders = 0
  const newId = () => `CLIENTS-${store}-${++orders}`
  async function open(): Promise<Checkout> {
    const bank = await CashfreeSimulator.start()
    const env = accountAt(bank.url)
    const [service, shop, browser] = await Promise.all([startService(store, { env, polls: true }), openShop(), launchWhole()])
    pointAt(sdk, service)
    return { service, bank, shop, browser, sdk }
  }
  const opened = () => {
    checkout ??= open()
    return checkout
  }
  after(async () => {
    const { browser, service, shop, bank } = (await checkout) ?? {}
    await browser?.close()
    await shop?.close()
    await service?.close()
    await bank?.stop()
  })

  const paying = ({ service }: Checkout, orderId: string, { top, view }: Pick<Opened, 'top'> & { view(): Paying['page'] }): Paying => ({
    ...{ service, page: view(), orderId, hasScript: true, top },
  })
  async function decides(at: Checkout, way: Way, one: Paying, word: 'approve' | 'decline', isNotified = true) {
    if (way === 'netBanking') return browserWays.netBanking!.decide!(one, word)
    await one.page.locator('[data-stage="upi"]').waitFor()
    assert.equal((await statusBySdk(at, one.orderId)).info.resultStatus, 'PENDING')
    const { id, payments } = await lastAtBank(at, one.orderId)
    await decidesInApp(at, payments.at(-1)!.cf_payment_id, word === 'approve' ? 'SUCCESS' : 'FAILED')
    if (isNotified) await webhookArrives(at, id)
    else await one.page.locator('form[action$="/check"] button').click()
  }
  async function paidOnce(at: Checkout, orderId: string, given: Readonly<Record<string, string>>, attempts = 1) {
    keptPaise += 10_000
    await assertPaidOnce(at, orderId, given, attempts)
  }

  // ------------------------------------------------------------------------------------------------------------ the loader

  for (const one of isEverything ? [...cases, ...moreCases] : cases)
    test(`the loader's page is paid: ${nameOf(one)}`, async () => {
      const at = await opened()
      const order = await orderBySdk(at, newId())
      const { orderId } = order
      await inBrowser(at, {}, async (context) => {
        const shown = await openedAtShop(at, context, order, shopPageOf(one))
        await begin(browserWays[one.way]!, paying(at, orderId, shown))
        await decides(at, one.way, paying(at, orderId, shown), 'approve', one.redirect)
        await paidOnce(at, orderId, await resultOf(at, one.way === 'upi' ? one : afterBank, shown, orderId))
      })
    })

  for (const [refused, pays] of [WAYS, WAYS.toReversed()] as const)
    test(`a payer refuses once, and pays then: ${refused}, then ${pays}`, async () => {
      const at = await opened()
      const order = await orderBySdk(at, newId())
      const { orderId } = order
      await inBrowser(at, {}, async (context) => {
        const shown = await openedAtShop(at, context, order, shopPageOf(STAYS))
        await begin(browserWays[refused!]!, paying(at, orderId, shown))
        await decides(at, refused!, paying(at, orderId, shown), 'decline')
        await shown.view().locator('.above .notice').getByText(DECLINED).waitFor()
        assert.equal((await statusBySdk(at, orderId)).info.resultStatus, 'TXN_FAILURE')
        await begin(browserWays[pays!]!, paying(at, orderId, shown))
        await decides(at, pays!, paying(at, orderId, shown), 'approve')
        await paidOnce(at, orderId, await resultOf(at, afterBank, shown, orderId), 2)
      })
    })

  // ---------------------------------------------------------------------------------------------------- the browser's buttons

  /** The payer at the bank's page, to which the overlay has led. */
  async function atBank(at: Checkout, context: BrowserContext) {
    const order = await orderBySdk(at, newId())
    const { orderId } = order
    const shown = await openedAtShop(at, context, order, shopPageOf(STAYS))
    const { top } = shown
    const approve = top.getByRole('button', { name: 'Approve' })
    await begin(browserWays['netBanking']!, paying(at, orderId, shown))
    await approve.waitFor()
    const { id, session } = await lastAtBank(at, orderId)
    const visits = () => at.bank.visits.filter((each) => each === `GET /view/gateway/${session}`).length
    assert.equal(visits(), 1)
    return { shown, top, orderId, id, approve, visits }
  }
  const postsOf = (context: BrowserContext, { callbackUrl }: Checkout['shop']) => {
    const posts: string[] = []
    context.on('request', (request) => {
      if (request.method() === 'POST' && request.url() === callbackUrl) posts.push(request.postData() ?? '')
    })
    return posts
  }

  /** Goes back to the shop's page by the browser's button, and to the payment page by the shop's. */
  async function backAndAgain({ service }: Checkout, { top, hears, view }: Opened) {
    service.clock.advance(1_000)
    await top.goBack()
    await top.locator('#go').click()
    await hears('opened', 2)
    await top.frameLocator('iframe').locator('[data-stage="bank"]').waitFor()
    return view()
  }

  test('a payer who comes back from the bank by the browser is not sent there by itself; the button leads there', async () => {
    const at = await opened()
    await inBrowser(at, {}, async (context) => {
      const posts = postsOf(context, at.shop)
      const { top, shown, orderId, approve, visits } = await atBank(at, context)
      const page = await backAndAgain(at, shown)
      await afterLoader(top)
      assert.equal(visits(), 1)
      await page.locator('form[action*="/transaction/bank"] button').click()
      await approve.waitFor()
      assert.equal(visits(), 2)
      await approve.click()
      await paidOnce(at, orderId, await resultOf(at, afterBank, shown, orderId))
      await top.goBack()
      await afterLoader(top)
      assert.equal(posts.length, 1)
    })
  })

  test('a payer who reloads the page of a bank that has taken the money reads so, and pays nothing more', async () => {
    const at = await opened()
    await inBrowser(at, {}, async (context) => {
      const { top, shown, orderId, approve } = await atBank(at, context)
      const banks = top.url()
      await approve.click()
      await paidOnce(at, orderId, await resultOf(at, afterBank, shown, orderId))
      await top.goto(banks)
      await top.locator('#over').waitFor()
      await top.getByRole('link', { name: 'Back' }).click()
      await top.locator('#told').waitFor()
      await assertPaidOnce(at, orderId, at.shop.callbacks.get(orderId)!)
    })
  })

  test('a payer who never comes back from the bank has paid all the same', async () => {
    const at = await opened()
    await inBrowser(at, {}, async (context) => {
      const { top, orderId, id, approve } = await atBank(at, context)
      await top.route('**/return', (route) => route.abort())
      const sentBack = top.waitForRequest('**/return')
      await approve.click()
      await sentBack
      await webhookArrives(at, id)
      await at.service.tasks.runDue()
      const { body } = await statusBySdk(at, orderId)
      const { txnId: TXNID, bankTxnId: BANKTXNID, txnAmount: TXNAMOUNT } = body
      await paidOnce(at, orderId, { STATUS: body.resultInfo.resultStatus, TXNID, BANKTXNID, TXNAMOUNT })
      assert.equal(at.shop.callbacks.has(orderId), false)
    })
  })

  test('another way is refused while the bank may take it; what the bank takes then goes back, and the order is paid once', async () => {
    const at = await opened()
    await inBrowser(at, {}, async (context) => {
      const { top, shown, orderId, id, approve } = await atBank(at, context)
      const page = await backAndAgain(at, shown)
      await page.locator('form[action$="/cancel"] button').click()
      await page.locator('.notice.bad').waitFor()
      assert.equal(await page.locator('form[action$="/cancel"]').count(), 0)
      await page.locator('form[action*="/transaction/bank"] button').click()
      await approve.click()
      await top.locator('[data-stage="bank"]').waitFor()
      assert.equal((await statusBySdk(at, orderId)).info.resultStatus, 'PENDING')
      at.bank.giveBack(id)
      await webhookArrives(at, id)
      await top.locator('.above .notice').getByText('it is returned automatically').waitFor()
      await begin(browserWays['upi']!, paying(at, orderId, shown))
      await decides(at, 'upi', paying(at, orderId, shown), 'approve')
      await paidOnce(at, orderId, await resultOf(at, afterBank, shown, orderId), 2)
    })
  })

  // ------------------------------------------------------------------------------------------------------------- refunds

  test('the SDK refunds a payment of the loader by the bank: a part, and the rest', async () => {
    const at = await opened()
    const { Refund, RefundDetailBuilder, RefundStatusDetailBuilder } = sdk
    await inBrowser(at, {}, async (context) => {
      const { shown, orderId, id, approve } = await atBank(at, context)
      await approve.click()
      const given = await resultOf(at, afterBank, shown, orderId)
      await paidOnce(at, orderId, given)
      for (const [refId, rupees] of Object.entries({ [`${orderId}-R1`]: '40.50', [`${orderId}-R2`]: '59.50' })) {
        const asked = answered(
          await Refund.initiateRefund(new RefundDetailBuilder(orderId, refId, given['TXNID'], 'REFUND', rupees).build()),
        )
        assert.deepEqual([asked.info.resultStatus, asked.info.resultCode], ['PENDING', '601'])
        await at.service.tasks.runDue()
        const { info, body } = answered(await Refund.getRefundStatus(new RefundStatusDetailBuilder(orderId, refId).build()))
        assert.deepEqual([info.resultStatus, info.resultCode, body.refundAmount], ['TXN_SUCCESS', '10', rupees])
        keptPaise -= Number(rupees) * 100
      }
      assert.deepEqual(
        at.bank.orders.get(id)!.refunds.map(({ amount, status }) => [amount, status]),
        [
          [40.5, 'SUCCESS'],
          [59.5, 'SUCCESS'],
        ],
      )
      const more = new RefundDetailBuilder(orderId, `${orderId}-R3`, given['TXNID'], 'REFUND', '1.00').build()
      assert.equal(answered(await Refund.initiateRefund(more)).info.resultStatus, 'TXN_FAILURE')
      assert.equal(at.bank.orders.get(id)!.refunds.length, 2)
    })
  })

  // ------------------------------------------------------------------------------------------- without the loader, and a phone

  if (isEverything) testOpenings()

  test("Cashfree's book and Mohur's agree about all of it", async () => {
    const at = await opened()
    await assertBooksAgree(at, keptPaise)
    await assertHolds(at.service)
  })

  function testOpenings() {
    for (const [hasScript, isFramed] of [
      [true, false],
      [false, false],
      [true, true],
      [false, true],
    ] as const)
      test(`the bank is reached from a page that a shop's form opens: ${hasScript ? 'script' : 'no script'}, ${isFramed ? 'framed' : 'full'}`, async () => {
        const at = await opened()
        const order = await orderBySdk(at, newId())
        const { orderId } = order
        await inBrowser(at, { javaScriptEnabled: hasScript }, async (context) => {
          const page = await openedByForm(at, context, order, isFramed)
          const one = (): Paying => ({ service: at.service, page: page.view(), orderId, hasScript, ...(isFramed && { top: page.top }) })
          await begin(browserWays['netBanking']!, one())
          await decides(at, 'netBanking', one(), 'approve')
          await toShop(page, hasScript)
          await paidOnce(at, orderId, at.shop.callbacks.get(orderId)!)
        })
      })

    test("a form of the shop's own page begins the payment, and goes on to the bank", async () => {
      const at = await opened()
      const { orderId, txnToken } = await orderBySdk(at, newId())
      await inBrowser(at, {}, async (context) => {
        const fields = { mid: MID, orderId, txnToken, ...NET_BANKING }
        const inputs = Object.entries(fields).map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`)
        const html = `<!doctype html><form method="post" action="${at.service.url}${pagePaths.payByForm}">${inputs.join('')}<button>Pay</button></form>`
        const top = await context.newPage()
        await top.goto(asOtherSite(at.shop.shows(orderId, html)))
        await top.getByRole('button').click()
        await top.getByRole('button', { name: 'Approve' }).click()
        await top.locator('#told').waitFor()
        await paidOnce(at, orderId, at.shop.callbacks.get(orderId)!)
      })
    })

    test('on a phone the link opens an app, which pays while the browser waits', async () => {
      const at = await opened()
      const order = await orderBySdk(at, newId())
      const { orderId } = order
      await inBrowser(
        at,
        { userAgent: ANDROID, viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true },
        async (context) => {
          const shown = await openedAtShop(at, context, order, shopPageOf(STAYS))
          await begin(browserWays['upi']!, paying(at, orderId, shown))
          const link = new URL((await shown.view().locator('.apps a[href^="upi:"]').getAttribute('href'))!)
          assert.deepEqual([link.protocol, link.searchParams.get('am')], ['upi:', AMOUNT])
          const { id } = await lastAtBank(at, orderId)
          await decidesInApp(at, link.searchParams.get('tr')!, 'SUCCESS')
          await webhookArrives(at, id)
          await paidOnce(at, orderId, await resultOf(at, STAYS, shown, orderId))
          const { headers } = at.bank.recorded.findLast(({ path }) => path === '/orders/sessions')!
          assert.deepEqual([headers['x-client-device'], headers['x-client-os']], ['mobile', 'android'])
        },
      )
    })

    test('where the link of UPI is a page, as at the test host, the payer goes there and comes back', async () => {
      const at = await opened()
      const order = await orderBySdk(at, newId())
      const { orderId } = order
      at.bank.payLinks = 'page'
      try {
        await inBrowser(at, {}, async (context) => {
          const shown = await openedAtShop(at, context, order, shopPageOf(STAYS))
          await begin(browserWays['upi']!, paying(at, orderId, shown))
          await decides(at, 'netBanking', paying(at, orderId, shown), 'approve')
          await paidOnce(at, orderId, await resultOf(at, afterBank, shown, orderId))
        })
      } finally {
        at.bank.payLinks = 'upi'
      }
    })
  }
}

const client = await serverSdk()
if ('failure' in client) {
  test('the SDK can be installed where that is required', () => {
    console.log(
      `\n==== ${SDK_NAME} CANNOT BE INSTALLED: these tests are LEFT OUT (${client.failure.split('\n').slice(0, 2).join(', ')}) ====\n`,
    )
    assert.ok(!areClientsRequired, `MOHUR_CLIENTS=required: ${client.failure}`)
  })
} else if (wholeChromiumPath) onBothStores('published clients through Cashfree', (store) => testClients(store, client.sdk))
// Without a browser test/pages/payment/browser.test.ts says so, and fails where one is required.
