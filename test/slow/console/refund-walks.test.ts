// One walk of each role through refunds and approvals in a browser, with and without script. Also by the keyboard alone, with axe on each
// new screen, and with hostile reasons.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { ROLES } from '../../../src/domain/operator/operator.ts'
import { approvalKey } from '../../../src/tables/keys.ts'
import type { OperatorRole } from '../../../src/tables/operator.ts'
import { type Person, personOf } from '../../support/console/desk.ts'
import {
  APPROVALS_ON,
  approvalOf,
  approvalRow,
  askedBy,
  give,
  paidAnew,
  paymentAt,
  refundAt,
  refundBy,
  refundsOf,
} from '../../support/console/refunds.ts'
import { axe, chromiumPath, launch, PATIENCE_MS } from '../../support/pages/browser.ts'
import { startService } from '../../support/run/service.ts'
import { sized } from '../../support/run/sizes.ts'

const REASONS = sized(20, 2_000)
const TABS_MAX = 60
const FORMS = [
  '<script>window.hit=1</script>',
  '"><img src=x onerror=window.hit=1>',
  '</bdi></dd></dl><form action=//x.test><button>go',
  '\u202egnp.live',
  '=HYPERLINK("http://x.test","y")',
  '" autofocus onfocus="window.hit=1',
  '&lt;b&gt;',
]
const ELEMENTS = "document.querySelectorAll('*').length + ' ' + ('hit' in window)"

describe('refunds and approvals in a browser', { timeout: 1_800_000 }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so loudly
  const starting = Promise.all([startService('sqlite', { env: APPROVALS_ON }), launch()])
  after(async () => {
    for (const part of (await starting).toReversed()) await part.close()
  })
  const paid = async (rupees: number) => paidAnew((await starting)[0], rupees)
  const asked = async () => {
    const [service] = await starting
    return askedBy(service, await personOf(service, ['finance']))
  }

  async function at(person: Person, options: object = {}): Promise<Page> {
    const [service, browser] = await starting
    const context = await browser.newContext({ baseURL: service.url, ...options })
    context.setDefaultTimeout(PATIENCE_MS)
    await context.addCookies([{ name: 'console', value: person.cookie, url: `${service.url}/console`, sameSite: 'Strict' }])
    return context.newPage()
  }
  const refundOnPage = async (page: Page, txnId: string, amount: string) => {
    await page.goto(paymentAt(txnId))
    await page.getByRole('link', { name: 'Refund', exact: true }).click()
    await page.getByLabel('Amount (₹)').fill(amount)
    await page.getByLabel('Reason').fill('The parcel came back')
    await page.getByRole('button', { name: 'Refund' }).click()
  }

  type Walk = (page: Page, person: Person) => Promise<void>
  const walks: Readonly<Record<OperatorRole, Walk>> = {
    async finance(page) {
      const { txnId } = await paid(30_000)
      await refundOnPage(page, txnId, '4000.50')
      await page.getByText('Refunded ₹4,000.50').waitFor()
      await (await starting)[0].tasks.runDue()
      await refundOnPage(page, txnId, '9000')
      await page.getByText('Another person has to approve this.').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Approve' }).count(), 0)
      await page.getByRole('link', { name: 'Approvals' }).click()
      await page.getByRole('link', { name: 'refund' }).first().waitFor()
    },
    async operations(page) {
      const [service] = await starting
      const { payment, id } = await asked()
      await page.goto('/console')
      await page.getByRole('heading', { name: 'Waiting for a second person' }).waitFor()
      await page.locator(`a[href$="${id}"]`).click()
      await page.getByText('The parcel came back').waitFor()
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByRole('heading', { name: /given/ }).waitFor()
      assert.equal((await refundsOf(service, payment)).length, 1)
      await page.goto(`/console/approvals/${(await asked()).id}`)
      await page.getByRole('button', { name: 'Refuse' }).click()
      await page.getByRole('heading', { name: /refused/ }).waitFor()
    },
    async support(page) {
      const { txnId } = await paid(30_000)
      await refundOnPage(page, txnId, '1999')
      await page.getByText('Refunded ₹1,999.00').waitFor()
      await (await starting)[0].tasks.runDue()
      await refundOnPage(page, txnId, '2')
      await page.getByText('You may refund a payment up to ₹2,000.00 in all.').waitFor()
      await page.getByText('₹28,001.00 is left').waitFor()
      await page.goto('/console/approvals')
      await page.getByText('Nothing waits.').waitFor()
    },
    admin: (page, person) => watches(page, person),
    auditor: (page, person) => watches(page, person),
    async developer(page) {
      const { txnId } = await paid(1_000)
      await page.goto(paymentAt(txnId))
      assert.equal(await page.getByRole('link', { name: 'Refund', exact: true }).count(), 0)
      assert.equal((await page.goto(refundAt(txnId)))?.status(), 403)
      await page.goto('/console/approvals')
      await page.getByText('Nothing waits.').waitFor()
    },
  }
  /** Sees what waits, and decides nothing. */
  const watches: Walk = async (page) => {
    const { payment, id } = await asked()
    await page.goto('/console/approvals')
    await page.locator(`a[href$="${id}"]`).click()
    await page.getByText('The parcel came back').waitFor()
    assert.equal(await page.getByRole('button', { name: /Approve|Refuse/ }).count(), 0)
    await page.goto(paymentAt(payment.txnId))
    assert.equal(await page.getByRole('link', { name: 'Refund', exact: true }).count(), 0)
  }

  for (const role of ROLES)
    for (const javaScriptEnabled of [true, false])
      test(`${role}, ${javaScriptEnabled ? 'with' : 'without'} script`, async () => {
        const [service] = await starting
        const person = await personOf(service, [role])
        const page = await at(person, { javaScriptEnabled })
        await walks[role](page, person)
        await page.context().close()
      })

  test('by the keyboard alone, without script, a refund is asked for and given', async () => {
    const [service] = await starting
    const payment = await paid(20_000)
    const to = async (page: Page, says: string) => {
      for (let tab = 0; tab < TABS_MAX; tab++) {
        await page.keyboard.press('Tab')
        if (
          (
            await page.locator(':focus').evaluate((element) => `${element.id} ${element.textContent} ${element.getAttribute('href')}`)
          ).includes(says)
        )
          return
      }
      assert.fail(`no tab leads to ${says}`)
    }
    const [first, second] = [await personOf(service, ['finance']), await personOf(service, ['operations'])]
    const asker = await at(first, { javaScriptEnabled: false })
    await asker.goto(paymentAt(payment.txnId))
    await to(asker, 'Refund /console/payments/')
    await asker.keyboard.press('Enter')
    await asker.waitForURL(/\/refund$/)
    await to(asker, 'reason ')
    await asker.keyboard.type('The shop closed')
    await asker.keyboard.press('Enter')
    await asker.getByText('Another person has to approve this.').waitFor()
    const giver = await at(second, { javaScriptEnabled: false })
    await giver.goto(asker.url())
    await to(giver, 'Approve')
    await giver.keyboard.press('Enter')
    await giver.getByRole('heading', { name: /given/ }).waitFor()
    assert.equal((await refundsOf(service, payment)).length, 1)
    for (const page of [asker, giver]) await page.context().close()
  })

  for (const width of [320, 1280])
    for (const colorScheme of ['light', 'dark'] as const)
      test(`each screen at ${width}, ${colorScheme}: no barrier, and nothing is cut`, async (t) => {
        const [service] = await starting
        const [asker, giver] = [await personOf(service, ['finance']), await personOf(service, ['operations'])]
        const [waits, given] = [await paid(20_000), await paid(20_000)]
        const ids = [await refundBy(service, asker, waits.txnId), await refundBy(service, asker, given.txnId)].map(approvalOf)
        await give(service, giver, ids[1]!)
        let screens = 0
        for (const person of [asker, giver]) {
          const page = await at(person, { viewport: { width, height: 700 }, colorScheme })
          const ofApprovals = ['', '?state=given', '?from=x', ...ids.map((id) => `/${id}`)].map((rest) => `/console/approvals${rest}`)
          for (const path of ['/console', paymentAt(waits.txnId), refundAt(waits.txnId), refundAt(given.txnId), ...ofApprovals]) {
            await page.goto(path)
            assert.deepEqual(await axe(page), [], path)
            assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= width, `${path} scrolls sideways`)
            screens++
          }
          await page.goto(refundAt(waits.txnId))
          await page.getByLabel('Amount (₹)').fill('x')
          await page.getByLabel('Reason').fill('y')
          await page.getByRole('button', { name: 'Refund' }).click()
          await page.getByRole('alert').waitFor()
          assert.deepEqual(await axe(page), [], 'a fault')
          await page.context().close()
        }
        t.diagnostic(`${screens} screens at ${width}, ${colorScheme}: axe 0`)
      })

  test('hostile reasons add no element', async (t) => {
    const [service] = await starting
    const { id } = await asked()
    const row = await approvalRow(service, id)
    const page = await at(await personOf(service, ['operations']))
    await page.goto(`/console/approvals/${id}`)
    const expected = await page.evaluate<string>(ELEMENTS)
    let added = 0
    for (let nth = 0; nth < REASONS; nth++) {
      const key = approvalKey(`${nth}`)
      // Planted as no form would let them in.
      const planted = { ...row, approvalId: `${nth}`, reason: `${FORMS[nth % FORMS.length]}${nth}` }
      await service.store.transaction((transaction) =>
        transaction.write({ changes: [{ kind: 'insert', key, row: planted }], events: [], tasks: [] }),
      )
      await page.goto(`/console/approvals/${nth}`)
      if ((await page.evaluate<string>(ELEMENTS)) !== expected) added++
    }
    assert.equal(added, 0)
    t.diagnostic(`${REASONS} hostile reasons: elements added ${added}`)
  })
})
