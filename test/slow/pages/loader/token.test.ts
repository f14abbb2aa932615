// The path of the transaction token when a shop's page pays by the loader. The token goes from the shop's page to Mohur's frame, and from
// there in the body of one form. It is in no address, no Referer, no answer and no log. A control value that is in all of them is found.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { operations } from '../../../../src/api/operations.ts'
import { sign } from '../../../../src/interface/checksum.ts'
import { chromiumPath, launch, openShop, PATIENCE_MS, type Shop } from '../../../support/pages/browser.ts'
import { openedByLoader } from '../../../support/pages/loader-shop.ts'
import { byPointer } from '../../../support/pages/page-hands.ts'
import { cardSteps } from '../../../support/pages/page-ways.ts'
import { orderBody } from '../../../support/paying/order-body.ts'
import { type ServedProcess, serveProcess } from '../../../support/run/process.ts'
import { KEY, MID } from '../../../support/run/service.ts'

const CONTROL = 'Control7f3a'
const ROWS = [
  { redirect: false, hasHandler: true },
  { redirect: false, hasHandler: false },
  { redirect: true, hasHandler: true },
  { redirect: true, hasHandler: false },
]

describe('the token of an order that is paid by the loader', { timeout: 600_000 }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so, and fails where a browser is required
  const folder = mkdtempSync(join(tmpdir(), 'mohur-token-'))
  let service: ServedProcess
  let shop: Shop
  let browser: Browser
  before(async () => {
    service = await serveProcess({ MOHUR_DATA: folder, MOHUR_LOG: 'debug' })
    shop = await openShop()
    browser = await launch()
  })
  after(async () => {
    await browser.close()
    await shop.close()
    await service.kill('SIGTERM')
    rmSync(folder, { recursive: true })
  })

  /** By HTTP alone, because the service is another process. */
  async function newOrder(orderId: string) {
    const body = JSON.stringify(orderBody(orderId, { callbackUrl: shop.callbackUrl }))
    const answer = await fetch(`${service.url}${operations.createOrder.paths[0]}?mid=${MID}&orderId=${orderId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"head":{"signature":"${sign(body, KEY, 'salt')}"},"body":${body}}`,
    })
    return { orderId, txnToken: ((await answer.json()) as { body: { txnToken: string } }).body.txnToken }
  }

  test('is in no address, Referer, answer or log, in each row of the table of results', async () => {
    const seen = { addresses: [] as string[], referers: [] as string[], answers: [] as string[], bodies: [] as string[] }
    const tokens: string[] = []
    for (const [at, { redirect, hasHandler }] of ROWS.entries()) {
      const context = await browser.newContext()
      const reading: Promise<unknown>[] = []
      context.on('request', (request) => {
        seen.addresses.push(request.url())
        seen.referers.push(request.headers()['referer'] ?? '')
        seen.bodies.push(request.postData() ?? '')
      })
      context.on('response', (response) => {
        if (!response.url().startsWith(service.url)) return
        seen.answers.push(JSON.stringify(response.headers()))
        if (response.status() === 200)
          reading.push(
            response.text().then(
              (text) => seen.answers.push(text),
              () => undefined,
            ),
          )
      })
      const order = await newOrder(`${CONTROL}_${at}`)
      tokens.push(order.txnToken)
      const opened = await openedByLoader({ service: service as never, shop, context }, order, {
        redirect,
        ...(hasHandler && { handlers: { transactionStatus: '' } }),
      })
      await byPointer(opened.view(), [{ unfold: 'card' }, ...cardSteps('card'), { press: '#way-card form[data-pays] button' }])
      if (hasHandler) await opened.hears('transactionStatus')
      if (redirect || !hasHandler) await opened.top.locator('#told').waitFor({ timeout: PATIENCE_MS })
      await Promise.all(reading)
      await context.close()
    }
    const places = { addresses: seen.addresses, referers: seen.referers, answers: seen.answers, log: [service.log().toString()] }
    for (const [place, texts] of Object.entries(places))
      for (const token of tokens) assert.ok(!texts.some((text) => text.includes(token)), `the token is in the ${place}`)
    // The search would find them: pages and the log contain the order's number, and the form that opens the page contains the token.
    assert.ok(seen.answers.some((text) => text.includes(CONTROL)))
    assert.ok(service.log().includes(CONTROL))
    for (const token of tokens) assert.equal(seen.bodies.filter((body) => body.includes(token)).length, 1, 'sent once, by our frame')
    assert.ok(seen.addresses.length > 40, `${seen.addresses.length} requests`)
  })
})
