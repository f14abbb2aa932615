// A merchant's text on its way through a real browser. A form posts it to the callbackUrl, and a script passes it to the shop's page. The
// official library verifies what arrives (docs/interface.md section 6).

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { pagePaths } from '../../../../src/interface/page-paths.ts'
import { chromiumPath, PATIENCE_MS } from '../../../support/pages/browser.ts'
import { sharedWorld, type World } from '../../../support/pages/page-cases.ts'
import { createOrder, inParallel, type Order, pay } from '../../../support/paying/paying.ts'
import { KEY, MID } from '../../../support/run/service.ts'
import { sized } from '../../../support/run/sizes.ts'
import { drawnText } from '../../../support/text/callback-texts.ts'
import { Random } from '../../../support/text/random.ts'

const paytmChecksum = createRequire(import.meta.url)('paytmchecksum') as {
  verifySignature(data: object, key: string, signature: string): boolean
}
const isVerified = ({ CHECKSUMHASH, ...fields }: Record<string, string>) => paytmChecksum.verifySignature(fields, KEY, CHECKSUMHASH!)

const SEED = 36
const LANES = 2
const BATCH = 100 // texts of one browser context, so that its memory stays small

/** The shop's page. `handed` opens the payment page in a frame and returns the frame's message. */
const SHOP_PAGE = `<!doctype html><title>shop</title><script>
const handed = (action, fields) => new Promise((resolve) => {
  const frame = Object.assign(document.createElement('iframe'), { name: 'pay' })
  const form = Object.assign(document.createElement('form'), { method: 'post', action, target: 'pay', hidden: true })
  for (const [name, value] of Object.entries(fields)) form.append(Object.assign(document.createElement('input'), { name, value }))
  const hear = ({ source, data }) => {
    if (source !== frame.contentWindow || data?.mohur !== 'result') return
    removeEventListener('message', hear)
    frame.remove()
    form.remove()
    resolve(data.fields)
  }
  addEventListener('message', hear)
  document.body.append(frame, form)
  form.submit()
})
</script><body>`

describe('a text in a callback', { timeout: sized(600_000, 7_200_000) }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so loudly
  const world = sharedWorld()

  /** Takes callbacks, and leaves the browser where it is. */
  const posted = new Map<string, (fields: Record<string, string>) => void>()
  const callback = createServer(async (request, response) => {
    const fields = Object.fromEntries(new URLSearchParams(await text(request)))
    response.writeHead(204).end()
    posted.get(fields['ORDERID']!)!(fields)
  })
  before(async () => {
    await once(callback.listen(0, '127.0.0.1'), 'listening')
  })
  after(() => {
    callback.closeAllConnections()
    callback.close()
  })
  const callbackUrl = () => `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`

  /** The form that the browser posts, from the page to which a bank sends its payer back. */
  async function postedBy(page: Page, { service }: World, orderId: string, txnId: string): Promise<Record<string, string>> {
    const { promise, resolve } = Promise.withResolvers<Record<string, string>>()
    posted.set(orderId, resolve)
    await page.goto(`${service.url}/transaction/return?mid=${MID}&txnId=${txnId}`, { waitUntil: 'commit' })
    return promise
  }

  /** The fields that the handler `transactionStatus` gets. */
  function handedTo(page: Page, { service, shop }: World, { orderId, txnToken }: Order): Promise<Record<string, string>> {
    const view = JSON.stringify({ held: 'frame', handler: true })
    const fields = { mid: MID, orderId, txnToken, origin: shop.url, view }
    const action = `${service.url}${pagePaths.showPaymentPage}?mid=${MID}&orderId=${orderId}`
    return page.evaluate(`handed(${JSON.stringify(action)}, ${JSON.stringify(fields)})`)
  }

  test('verifies as it was posted and as it was handed over', async (t) => {
    const at = await world()
    const { service, shop, browser } = at
    const shopPage = shop.shows('handed', SHOP_PAGE)
    const random = new Random(SEED)
    const texts = Array.from({ length: sized(60, 10_000) }, () => drawnText(random))
    const failed: string[] = []
    let carried = 0
    await inParallel(LANES, Math.ceil(texts.length / BATCH) * LANES, async (part) => {
      const from = Math.floor(part / LANES) * BATCH
      const mine = texts.slice(from, from + BATCH).filter((_text, place) => place % LANES === part % LANES)
      const context = await browser.newContext({ locale: 'en-IN' })
      context.setDefaultTimeout(PATIENCE_MS)
      const [forms, handlers] = [await context.newPage(), await context.newPage()]
      await handlers.goto(shopPage)
      for (const [place, drawn] of mine.entries()) {
        const more = { callbackUrl: callbackUrl(), extendInfo: { mercUnqRef: drawn } }
        const order = await createOrder(service, `TEXT_${part}_${place}`, more)
        const { body } = await pay(service, order, { paymentMode: 'PPBL' })
        const [byForm, byHandler] = await Promise.all([postedBy(forms, at, order.orderId, body.txnId), handedTo(handlers, at, order)])
        if (byForm['MERC_UNQ_REF'] !== undefined) carried++
        const shown = JSON.stringify(drawn.slice(0, 60))
        if (!isVerified(byForm)) failed.push(`form: ${shown}`)
        if (!isVerified(byHandler)) failed.push(`handler: ${shown}`)
        if (byForm['MERC_UNQ_REF'] !== byHandler['MERC_UNQ_REF']) failed.push(`both differ: ${shown}`)
      }
      await context.close()
    })
    const fails = (of: string) => failed.filter((line) => line.startsWith(of)).length
    t.diagnostic(
      `seed ${SEED}: ${texts.length} texts, ${carried} carried; checksum fails: ${fails('form')} by form, ${fails('handler')} by handler; different: ${fails('both')}`,
    )
    assert.ok(carried > texts.length / 2)
    assert.deepEqual(failed.slice(0, 5), [])
  })
})
