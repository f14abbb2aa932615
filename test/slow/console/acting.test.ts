// Actions of the console in a browser, with and without script: by the keyboard, with a proof before the form where one is needed.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { emailHashOf, operatorLink } from '../../../src/flows/operator-links.ts'
import { operatorKey, stoppedEndpointKey } from '../../../src/tables/keys.ts'
import { find, look } from '../../../src/tables/tables.ts'
import { PASSWORD, personOf } from '../../support/console/desk.ts'
import { consented } from '../../support/mandates/timeline.ts'
import { deadRows } from '../../support/notifications/dead.ts'
import { notifiedWorld, receiver } from '../../support/notifications/receiver.ts'
import { axe, chromiumPath, launch, PATIENCE_MS } from '../../support/pages/browser.ts'
import { createOrder, pay, script } from '../../support/paying/paying.ts'
import { paidOrder, refund } from '../../support/paying/refunds.ts'
import { MID, type Service, startService } from '../../support/run/service.ts'

const MINUTE_MS = 60_000
const TABS_MAX = 120
const REASON = 'the payer called'

describe('acting in the console with a browser', { timeout: 600_000 }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so loudly
  const shop = receiver(() => 200, { endsWithTest: false })
  const starting = shop.then(({ url }) =>
    Promise.all([startService('sqlite', { world: notifiedWorld(`${url}/merchant`, 'json') }), launch()]),
  )
  after(async () => {
    for (const part of (await starting).toReversed()) await part.close()
    ;(await shop).close()
  })

  for (const javaScriptEnabled of [true, false])
    test(`every action is done by the keyboard, ${javaScriptEnabled ? 'with' : 'without'} script`, async (t) => {
      const [service, browser] = await starting
      const name = javaScriptEnabled ? 'SCRIPT' : 'PLAIN'
      const context = await browser.newContext({ javaScriptEnabled, viewport: { width: 1_280, height: 800 } })
      context.setDefaultTimeout(PATIENCE_MS)
      const page = await context.newPage()
      const operatorId = await signsIn(page, service, `${name.toLowerCase()}@staff.test`)
      const hand = new Hand({ page, service, operatorId, hasScript: javaScriptEnabled })
      const done = [
        await asksOfPayment(hand, `ASK_${name}`),
        await asksOfRefund(hand, `REFUND_${name}`),
        await closes(hand, `CLOSE_${name}`),
        await resends(hand, name, (await shop).url),
        await moves(hand, `MANDATE_${name}`),
      ].flat()
      t.diagnostic(`${done.length} actions ${javaScriptEnabled ? 'with' : 'without'} script by the keyboard: ${done.join(', ')}; axe 0`)
      await context.close()
    })

  test('on a phone nothing is cut, and no user meets a barrier, in both schemes', async (t) => {
    const [service, browser] = await starting
    const staff = await personOf(service, ['operations'])
    const { subscriptionId } = await consented(service, 'PHONE_MANDATE', { renewalAmount: '10.00' })
    const order = await createOrder(service, 'PHONE_OPEN')
    const { txnId } = (await pay(service, order, { paymentMode: 'UPI', payerAccount: 'slow@upi' })).body
    const paid = await paidOrder(service, 'PHONE_PAID')
    await script(service, paid, 'slow')
    await refund(service, paid, 'PHONE_REF', '1.00')
    const url = `${(await shop).url}/merchant`
    await write(service, [
      ...deadRows({ mid: MID, orderId: 'PHONE_DEAD', url, now: service.clock.now() }),
      { kind: 'insert', key: stoppedEndpointKey(MID, url), row: { mid: MID, url, stoppedAt: service.clock.now() } },
    ])
    const paths = ['orders', 'payments', 'refunds'].map((list) => `/${list}`)
    paths.push('/notifications', `/orders/${MID}/PHONE_OPEN`, `/payments/${MID}/${txnId}`, `/payments/${MID}/${paid.txnId}`)
    paths.push(...['', '/pause', '/close'].map((more) => `/subscriptions/${MID}/${subscriptionId}${more}`))
    let views = 0
    for (const width of [320, 1_280])
      for (const colorScheme of ['light', 'dark'] as const) {
        const context = await browser.newContext({ viewport: { width, height: 700 }, colorScheme })
        await context.addCookies([{ name: 'console', value: staff.cookie, url: `${service.url}/console`, sameSite: 'Strict' }])
        const page = await context.newPage()
        for (const path of paths) {
          await page.goto(`${service.url}/console${path}`)
          assert.deepEqual(await axe(page), [], `${path} at ${width}, ${colorScheme}`)
          assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= width, `${path} scrolls sideways at ${width}`)
          views++
        }
        await context.close()
      }
    t.diagnostic(`${paths.length} screens with actions, ${views} views: axe 0`)
  })
})

const write = (
  service: Service,
  changes: Parameters<Parameters<Parameters<Service['store']['transaction']>[0]>[0]['write']>[0]['changes'],
) => service.store.transaction((transaction) => transaction.write({ changes, events: [], tasks: [] }))

/** Signs in by a link and a password, as a new colleague does. Returns the person's id. */
async function signsIn(page: Page, service: Service, email: string): Promise<string> {
  const person = { email, name: 'At the keyboard', roles: ['operations'] as const, mids: null }
  const made = await operatorLink(service.ports, { kind: 'SETUP', person, by: { operatorId: 'shell', network: '' } })
  assert.ok('link' in made)
  await page.goto(`${service.url}/console/set-up/${made.link}`)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button').click()
  await page.getByRole('searchbox').waitFor()
  return (await service.ports.query.row(operatorKey(emailHashOf(service.ports.vault, email))))!.operatorId
}

/** A person at the keyboard. */
class Hand {
  readonly page: Page
  readonly service: Service
  readonly operatorId: string
  /** axe is a script of its own. */
  readonly #hasScript: boolean
  constructor({ page, service, operatorId, hasScript }: { page: Page; service: Service; operatorId: string; hasScript: boolean }) {
    this.page = page
    this.service = service
    this.operatorId = operatorId
    this.#hasScript = hasScript
  }

  async open(path: string) {
    await this.page.goto(`${this.service.url}/console${path}`)
  }

  /** Goes by the tabulator to the element with this name, from where the focus is. */
  async #to(isIt: (name: string) => boolean) {
    const passed: string[] = []
    for (let tab = 0; tab < TABS_MAX; tab++) {
      await this.page.keyboard.press('Tab')
      const focused = this.page.locator(':focus')
      if ((await focused.count()) === 0) continue
      const name = await focused.evaluate((element) => `${element.id}|${element.getAttribute('aria-label') ?? element.textContent}`)
      if (isIt(name)) return
      passed.push(name)
    }
    assert.fail(`no tab leads there, only to ${passed.slice(0, 40).join(', ')}`)
  }

  /** Writes the reason of the form and presses this button. */
  async acts(form: string, button: string) {
    if (this.#hasScript) assert.deepEqual(await axe(this.page), [])
    await this.#to((name) => name.startsWith(`${form}-reason|`))
    await this.page.keyboard.type(REASON)
    await this.#to((name) => name.split('|')[1] === button)
    await this.page.keyboard.press('Enter')
  }

  async follows(link: string) {
    await this.#to((name) => name.split('|')[1] === link)
    await this.page.keyboard.press('Enter')
  }

  /** The proof comes before the form, so nothing is lost by it. */
  async proves() {
    await this.page.getByRole('heading', { name: 'Is it you?' }).waitFor()
    await this.#to((name) => name.startsWith('password|'))
    await this.page.keyboard.type(PASSWORD)
    await this.page.keyboard.press('Enter')
  }

  says = (text: string | RegExp) => this.page.getByRole('status').filter({ hasText: text }).waitFor()
}

async function asksOfPayment(hand: Hand, orderId: string) {
  const { service } = hand
  const order = await createOrder(service, orderId)
  const { txnId } = (await pay(service, order, { paymentMode: 'UPI', payerAccount: 'slow@upi' })).body
  service.clock.advance(2 * MINUTE_MS + 10_000)
  await hand.open(`/payments/${MID}/${txnId}`)
  await hand.acts('ask', 'Ask the bank now')
  await hand.says('The bank was asked.')
  assert.equal((await service.ports.query.row(look('transactions', MID, txnId)))!.status, 'SUCCESS')
  return ['ask the bank of a payment']
}

async function asksOfRefund(hand: Hand, orderId: string) {
  const { service } = hand
  const paid = await paidOrder(service, orderId)
  await script(service, paid, 'slow')
  await refund(service, paid, `R_${orderId}`, '30.00')
  await service.tasks.runDue()
  service.clock.advance(2 * MINUTE_MS)
  const dueAt = async () => (await service.ports.query.row(look('tasks', 'refund.due', `${MID}:R_${orderId}`)))?.dueAt
  await hand.open('/refunds')
  // Enter in the field acts on no row.
  await hand.page.locator('#ask-refund-reason').fill(REASON)
  await hand.page.locator('#ask-refund-reason').press('Enter')
  const { operatorId } = hand
  const rows = () => service.ports.query.rows(find('auditLog', { equals: { operatorId }, orderBy: ['auditId'], limit: 100 }))
  await hand.open('/refunds') // by then the service has what Enter sent
  assert.ok((await rows()).every(({ action }) => action !== 'refund.ask'))
  await hand.acts('ask-refund', `Ask the bank about R_${orderId}`)
  await hand.says('The service asks the bank about the refund now.')
  await service.tasks.runDue()
  assert.equal(await dueAt(), undefined, 'it is done')
  return ['ask the bank of a refund']
}

async function closes(hand: Hand, orderId: string) {
  await createOrder(hand.service, orderId)
  await hand.open(`/orders/${MID}/${orderId}`)
  await hand.acts('close', 'Close the order')
  await hand.says('The order is closed.')
  await hand.page.getByText('close order by').first().waitFor()
  return ['close an order']
}

async function resends(hand: Hand, name: string, url: string) {
  const { service } = hand
  const stopped = `${url}/merchant`
  await write(service, [
    ...['ONE', 'TWO', 'THREE'].flatMap((orderId) =>
      deadRows({ mid: MID, orderId: `${orderId}_${name}`, url: stopped, now: service.clock.now() }),
    ),
    { kind: 'insert', key: stoppedEndpointKey(MID, stopped), row: { mid: MID, url: stopped, stoppedAt: service.clock.now() } },
  ])
  service.clock.advance(1_000)
  await hand.open('/notifications')
  await hand.acts('start', `Start ${url} of ${MID}`)
  await hand.says('The endpoint is started.')
  await hand.acts('resend', `Send again for ONE_${name}`)
  await hand.says('The notifications of the order are sent again.')
  await hand.acts('resend', 'Send all again')
  await hand.says('Orders whose notifications are sent again: 2.')
  await service.tasks.runDue()
  const dead = await service.ports.query.rows(find('notificationStreams', { equals: { status: 'DEAD' }, limit: 9 }))
  assert.deepEqual(dead, [])
  return ['start an endpoint', 'send one again', 'send all again']
}

async function moves(hand: Hand, orderId: string) {
  const { service, page } = hand
  const { subscriptionId } = await consented(service, orderId, { renewalAmount: '10.00' })
  service.clock.set(6 * MINUTE_MS) // the proof of the sign-in has ended
  for (const [word, says, done] of [
    ['pause', 'Pause the mandate', 'The mandate is paused.'],
    ['resume', 'Resume the mandate', 'The mandate is collected again.'],
    ['close', 'Close the mandate', 'The mandate is closed.'],
  ] as const) {
    await hand.open(`/subscriptions/${MID}/${subscriptionId}`)
    await hand.follows(says)
    if (word === 'pause') await hand.proves()
    await page.getByRole('heading', { name: says }).waitFor()
    await hand.acts(word, says)
    await hand.says(done)
  }
  return ['pause, resume and close a mandate']
}
