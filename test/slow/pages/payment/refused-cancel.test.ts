// "Pay another way" in a browser. The bank refuses to cancel, its answer is lost, or it takes the money all the same. Then come a reload,
// and a second tab.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { transactionsOfOrder } from '../../../../src/tables/keys.ts'
import { axe, chromiumPath, sentToPay } from '../../../support/pages/browser.ts'
import { sharedWorld, type World } from '../../../support/pages/page-cases.ts'
import { unfold } from '../../../support/pages/page-hands.ts'
import { begin, browserWays, typeCard } from '../../../support/pages/page-ways.ts'
import { script } from '../../../support/paying/paying.ts'
import { MID } from '../../../support/run/service.ts'

const SLOW_MS = 3 * 60_000 // a slow bank has answered by then: docs/sandbox.md
const HOUR_MS = 3_600_000
const ANOTHER = 'Pay another way'
const REFUSED = 'Your bank can no longer cancel this payment. A second payment now could take your money twice.'

describe('another way in a browser', { timeout: 600_000 }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so loudly
  const world = sharedWorld()

  interface Here extends World {
    context: BrowserContext
    page: Page
    /** The same address in another tab. */
    other: Page
  }
  async function waiting(
    orderId: string,
    way: 'card' | 'upiId',
    bank: { pays?: string; cancels?: string },
    work: (here: Here) => Promise<void>,
  ) {
    const parts = await world()
    const context = await parts.browser.newContext({ locale: 'en-IN', viewport: { width: 390, height: 800 } })
    try {
      const { order, page } = await sentToPay({ ...parts, context }, orderId)
      if (bank.pays) await script(parts.service, order, bank.pays)
      await begin(browserWays[way]!, { service: parts.service, page, orderId, hasScript: true })
      await page.locator('[data-stage="waiting"], [data-stage="collect"]').waitFor()
      const outcomes = JSON.stringify({ mid: MID, orderId, call: 'cancel', outcomes: [bank.cancels] })
      if (bank.cancels) await parts.service.post('/sandbox/bank/script', outcomes)
      const other = await context.newPage()
      await other.goto(page.url())
      await other.getByRole('button', { name: ANOTHER }).waitFor()
      await page.bringToFront()
      await page.getByRole('button', { name: ANOTHER }).click()
      await work({ ...parts, context, page, other })
    } finally {
      await context.close()
    }
  }
  const isRefused = async (page: Page) => {
    await page.getByText(REFUSED).waitFor()
    await page.getByText('You can wait here, check now, or leave: the shop is notified of the result.').waitFor()
    assert.deepEqual([await page.getByText(ANOTHER).count(), await page.getByRole('button', { name: 'Check now' }).count()], [0, 1])
  }

  test('refused: the button is gone in both tabs and after a reload, until the bank has decided', () =>
    waiting('BROWSER_REFUSED', 'card', { pays: 'slow' }, async ({ service, shop, page, other }) => {
      await isRefused(page)
      await isRefused(other) // by itself
      for (const each of [page, other]) {
        await each.reload()
        await isRefused(each)
      }
      assert.deepEqual(await axe(page), [])
      service.clock.advance(SLOW_MS)
      await service.tasks.runDue()
      for (const each of [page, other]) await each.locator('#told').waitFor()
      assert.equal(shop.callbacks.get('BROWSER_REFUSED')?.['STATUS'], 'TXN_SUCCESS')
    }))

  test('lost: the button stays in both tabs and after a reload, and the next press frees the order', () =>
    waiting('BROWSER_LOST', 'upiId', { cancels: 'timeout' }, async ({ service, shop, page, other }) => {
      await page.getByText('Your bank has not said whether it cancelled this payment.').waitFor()
      await service.tasks.runDue()
      for (const each of [page, other]) {
        await each.reload()
        await each.getByRole('button', { name: ANOTHER }).waitFor()
        assert.equal(await each.getByText(REFUSED).count(), 0)
      }
      await page.getByRole('button', { name: ANOTHER }).click()
      await page.getByText('The payment was cancelled. Nothing was taken').waitFor()
      await other.locator('[data-stage="choices"]').waitFor() // by itself
      await unfold(other, 'card')
      await typeCard(other, 'card')
      await other.locator('#way-card form button').click()
      await other.locator('#told').waitFor()
      assert.equal(shop.callbacks.get('BROWSER_LOST')?.['STATUS'], 'TXN_SUCCESS')
    }))

  test('late: the order is free in both tabs, and what the bank takes days later is given back', () =>
    waiting('BROWSER_LATE', 'upiId', { cancels: 'late' }, async ({ service, shop, page, other }) => {
      for (const each of [page, other]) await each.locator('[data-stage="choices"]').waitFor()
      await page.reload()
      await page.getByText('The payment was cancelled. Nothing was taken').waitFor()
      await unfold(page, 'card')
      await typeCard(page, 'card')
      await page.locator('#way-card form button').click()
      await page.locator('#told').waitFor()
      assert.equal(shop.callbacks.get('BROWSER_LATE')?.['STATUS'], 'TXN_SUCCESS')
      await service.tasks.advance(service.clock.now() + 200 * HOUR_MS, async (at) =>
        service.clock.advance(Math.max(0, at - service.clock.now())),
      )
      const attempts = await service.ports.query.rows(transactionsOfOrder(MID, 'BROWSER_LATE'))
      assert.deepEqual(
        attempts.map(({ status, result, bankRefundedPaise }) => [status, result, bankRefundedPaise]),
        [
          ['FAILURE', 'returned', 100_00],
          ['SUCCESS', 'success', 0],
        ],
      )
    }))
})
