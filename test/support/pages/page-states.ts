// Every state of the payment page, reached as a payer reaches it. Tests of each compare a screen reader's text, and whether anything is cut
// off (page-cut.ts).

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { Catalogue, Language } from '../../../src/pages/kit/messages/messages.ts'
import { languages } from '../../../src/pages/kit/messages/messages.ts'
import { type Order, script } from '../paying/paying.ts'
import { MID, type Service } from '../run/service.ts'
import { changeWorld } from '../signin/signin.ts'
import { addressOf, becomes, PATIENCE_MS, sentToPay } from './browser.ts'
import type { World } from './page-cases.ts'
import { unfold } from './page-hands.ts'
import { ANDROID } from './page-middles.ts'
import { begin, browserWays, mobileOf, typeCard } from './page-ways.ts'

interface Here {
  service: Service
  page: Page
  order: Order
  orderId: string
  hasScript: true
}
interface State {
  /** The way that makes the order. Absent: a plain order with an offer. */
  way?: keyof typeof browserWays
  more?: object
  before?(service: Service): Promise<unknown>
  context?: BrowserContextOptions
  reach(here: Here): Promise<unknown>
  /** What a screen reader must find by name, beside the snapshot. */
  fields?(
    texts: Catalogue,
  ): readonly (readonly [role: 'textbox' | 'combobox' | 'button' | 'radio' | 'heading' | 'link' | 'alert', name: string])[]
}

/** The offer has a maximum of orders for each customer, so each order here has its own customer. */
const PLAIN = { txnAmount: { value: '5000.00', currency: 'INR' }, simplifiedPaymentOffers: { applyAvailablePromo: true } }
const takes = (way: keyof typeof browserWays) => (here: Here) => begin(browserWays[way]!, here)
const payByCard = async ({ page }: Here, number?: string) => {
  await unfold(page, 'card')
  await typeCard(page, 'card', number === undefined ? {} : { number })
  await page.locator('#way-card form button').click()
}
const byScript = (outcome: string, stage: string) => async (here: Here) => {
  await script(here.service, here.order, outcome)
  await payByCard(here)
  await here.page.locator(stage).waitFor()
}
const BY_CARD = { way: 'card', isConsent: false } as const
const BY_UPI = { way: 'upi', isConsent: false } as const
const cardFields = (texts: Catalogue) =>
  [
    ['textbox', texts.cardNumber],
    ['textbox', texts.expiry],
    ['textbox', texts.cvv],
  ] as const

export const states: Readonly<Record<string, State>> = {
  choices: {
    reach: ({ page }) => unfold(page, 'card'),
    fields: (texts) => [...cardFields(texts), ['heading', texts.howToPay], ['combobox', texts.language]],
  },
  fault: {
    async reach(here) {
      await payByCard(here, '4111111111111112')
      await here.page.locator('[aria-invalid]').waitFor()
    },
    fields: cardFields,
  },
  failed: { reach: byScript('declined', '[role="alert"]'), fields: (texts) => [['heading', texts.howToPay]] },
  bankList: { reach: ({ page }) => unfold(page, 'bank'), fields: (texts) => [['combobox', texts.bank]] },
  emi: { reach: ({ page }) => page.goto(`${page.url()}?emi=HDFC`), fields: cardFields },
  code: {
    way: 'wallet',
    async reach({ page, orderId }) {
      await unfold(page, 'wallet')
      await page.locator('#wallet-mobile').fill(mobileOf(orderId))
      await page.locator('form[action$="/sign-in"] button').click()
      await page.locator('#wallet-code').waitFor()
    },
    fields: (texts) => [
      ['textbox', texts.code],
      ['textbox', texts.mobile],
      ['button', texts.confirmCode],
    ],
  },
  wallet: {
    way: 'wallet',
    async reach(here) {
      await browserWays['wallet']!.ready!(here)
      await unfold(here.page, 'wallet')
    },
    fields: (texts) => [['button', texts.pay('₹100.00')]],
  },
  saved: {
    way: 'saved',
    async reach(here) {
      await browserWays['saved']!.ready!(here)
      await unfold(here.page, 'saved')
    },
    fields: (texts) => [
      ['textbox', texts.cvv],
      ['radio', texts.endsIn('Visa', '1111')],
    ],
  },
  consent: { way: 'consent', reach: ({ page }) => unfold(page, 'upi'), fields: (texts) => [['heading', texts.mandate.agreed]] },
  mandate: {
    way: 'mandate',
    reach: ({ page }) => unfold(page, 'mandate'),
    fields: (texts) => [
      ['textbox', texts.mandate.holder],
      ['textbox', texts.mandate.account],
      ['textbox', texts.mandate.ifsc],
      ['combobox', texts.bank],
      ['button', texts.agree],
    ],
  },
  leaving: {
    reach: ({ page }) => page.goto(`${page.url()}?leave=1`),
    fields: (texts) => [
      ['heading', texts.cancel.heading],
      ['button', texts.cancel.yes],
      ['link', texts.cancel.no],
    ],
  },
  soon: {
    async reach({ service, page }) {
      service.clock.advance(14 * 60_000)
      await page.reload()
      await page.locator('[data-soon]:visible').waitFor()
    },
    fields: (texts) => [['button', texts.time.more]],
  },
  otp: {
    way: 'otp',
    reach: takes('otp'),
    fields: (texts) => [
      ['textbox', texts.otp.label],
      ['button', texts.otp.submitAndPay('₹100.00')],
      ['button', texts.another.button(BY_CARD)],
    ],
  },
  bank: {
    way: 'netBanking',
    async reach(here) {
      await takes('netBanking')(here)
      await here.page.locator('[data-stage="bank"]').waitFor()
    },
    fields: (texts) => [
      ['heading', texts.bankPage.heading({ way: 'bank', isConsent: false })],
      ['button', texts.bankPage.goTo('HDFC Bank')],
    ],
  },
  upi: {
    way: 'upi',
    async reach(here) {
      await takes('upi')(here)
      await here.page.locator('svg.code').waitFor()
    },
    fields: (texts) => [
      ['heading', texts.upiWaiting.heading(BY_UPI)],
      ['button', texts.waiting.checkPaid(BY_UPI)],
    ],
  },
  upiOnPhone: {
    way: 'upi',
    context: { userAgent: ANDROID },
    async reach(here) {
      await takes('upi')(here)
      await here.page.locator('a[href^="upi://"]').waitFor()
    },
    fields: (texts) => [['link', texts.upiWaiting.openOther]],
  },
  collect: {
    way: 'upiId',
    async reach(here) {
      await takes('upiId')(here)
      await here.page.locator('[data-stage="collect"]').waitFor()
    },
    fields: (texts) => [['heading', texts.collect.heading(BY_UPI)]],
  },
  waiting: { reach: byScript('slow', '[data-stage="waiting"]'), fields: (texts) => [['heading', texts.waiting.heading(BY_CARD)]] },
  unknown: {
    reach: byScript('timeout', '[data-stage="waiting"]'),
    fields: (texts) => [
      ['heading', texts.waiting.heading(BY_CARD)],
      ['button', texts.another.button(BY_CARD)],
    ],
  },
  refused: {
    async reach(here) {
      await byScript('slow', '[data-stage="waiting"]')(here)
      await here.page.locator('form[action$="/cancel"] button').click()
      await here.page.locator('[role="alert"]').waitFor()
    },
    fields: (texts) => [['button', texts.waiting.check]],
  },
  paid: { reach: byScript('success', '[data-stage="paid"]'), fields: (texts) => [['heading', texts.result.paid('₹4,900.00')]] },
  receipt: {
    before: (service) => changeWorld(service, { merchants: [{ mid: MID, websites: { DEFAULT: {}, BARE: {} } }] }),
    more: { callbackUrl: undefined, websiteName: 'BARE' },
    reach: byScript('success', '[data-stage="paid"]'),
  },
  agreed: {
    way: 'consent',
    async reach({ page }) {
      await unfold(page, 'card')
      await typeCard(page, 'card')
      await page.locator('#way-card form button').click()
      await page.locator('[data-stage="paid"]').waitFor()
    },
  },
  closed: {
    async reach({ page }) {
      await page.goto(`${page.url()}?leave=1`)
      await page.locator('.work form[action$="/leave"] button').click()
      await page.locator('[data-stage="closed"]').waitFor()
    },
    fields: (texts) => [['heading', texts.result.closed]],
  },
  over: {
    async reach({ service, page }) {
      service.clock.advance(15 * 60_000)
      await page.reload()
      await page.locator('[data-stage="over"]').waitFor()
    },
    fields: (texts) => [['heading', texts.errors.over.title]],
  },
  missing: {
    reach: ({ page }) => page.goto(page.url().replace(/[0-9a-f]{32}/, '0'.repeat(32))),
    fields: (texts) => [['heading', texts.errors.unknown.title]],
  },
}

/** The browser in a state. Steps that would lead to a bank or a shop do not leave it. */
export async function inState(
  { service, shop, browser }: World,
  { state, language, ...more }: { state: string; language: Language } & BrowserContextOptions,
  orderId: string,
): Promise<{ page: Page; context: BrowserContext }> {
  const { way, more: ordered, before, context: options, reach } = states[state]!
  const context = await browser.newContext({ locale: `${language}-IN`, viewport: { width: 1280, height: 800 }, ...options, ...more })
  await context.route(/\/(callback|sandbox\/bank\/page)$/, (route) => route.fulfill({ status: 204 }))
  await before?.(service)
  const goTo = async () => {
    if (!way) return sentToPay({ service, shop, context }, orderId, { ...PLAIN, userInfo: { custId: orderId }, ...ordered })
    const order = await browserWays[way]!.order(service, orderId, shop.callbackUrl)
    context.setDefaultTimeout(PATIENCE_MS)
    const page = await context.newPage()
    await page.goto(addressOf(service, order))
    return { order, page }
  }
  const { order, page } = await goTo()
  await reach({ service, page, order, orderId, hasScript: true })
  assert.ok(await becomes(page, `getComputedStyle(document.querySelector('main')).display === 'grid'`)) // styled; that also separates words
  await keepEnd(page)
  return { page, context }
}

/** A key keeps the end of a payment in sight, which else leaves for the shop. */
async function keepEnd(page: Page) {
  if ((await page.locator(':is([data-stage="paid"], [data-stage="closed"]) form[data-goes]').count()) === 0) return
  await page.locator('[data-going]').waitFor()
  await page.keyboard.press('Shift')
  await page.locator('[data-going]').waitFor({ state: 'hidden' })
}

// ------------------------------------------------------------------------------------------------- what is read aloud

const folder = resolve(import.meta.dirname, '../../snapshots')
export const snapshotFile = (language: Language) => resolve(folder, `payment-page.${language}.yml`)

/** A screen reader's text, without the parts that differ each time. */
export async function heard(page: Page, orderId: string): Promise<string> {
  const reported = await page.locator('body').ariaSnapshot()
  return reported
    .replace(/\n- complementary "Sandbox":(\n {2}.*)*/, '') // the sandbox's drawer
    .replaceAll(orderId, 'ORDER')
    .replace(/(?:(?:रात|सुबह|दोपहर|शाम) )?\b\d{1,2}:\d{2}( ?[ap]m)?\b/gi, 'TIME')
    .replace(/\b\d{10,}\b/g, 'NUMBER')
    .replace(/•+\d{4}/g, 'MOBILE')
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'HOST')
    .replace(/\/pay\/[0-9a-f]{32}/g, '/pay/ID')
    .replace(/(\/url: ).*(upi|sandbox\/phone).*/g, '$1ADDRESS')
}

export function keptSnapshots(language: Language): ReadonlyMap<string, string> {
  const parts = readFileSync(snapshotFile(language), 'utf8').split(/^# /m).slice(1)
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1).trimEnd()]))
}
export const snapshotText = (snapshots: ReadonlyMap<string, string>) =>
  [...snapshots].map(([state, reported]) => `# ${state}\n${reported}\n`).join('\n')

export async function assertHeard(page: Page, { state, language }: { state: string; language: Language }, orderId: string) {
  const { fields } = states[state]!
  const { texts } = languages[language]
  for (const [role, name] of fields?.(texts) ?? [])
    assert.equal(await page.locator('main').getByRole(role, { name, exact: true }).count(), 1, `${state}, ${language}: ${role} ${name}`)
  assert.equal(
    await heard(page, orderId),
    keptSnapshots(language).get(state),
    `${state}, ${language}: npm run pages -- snapshots writes them anew`,
  )
}
