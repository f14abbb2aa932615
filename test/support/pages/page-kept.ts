// What a payer typed and chose, and what may reload a page. Afterwards each field that may be kept must still be there. The page may not
// keep card numbers, CVVs, codes and account numbers (docs/pages.md).

import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { script } from '../paying/paying.ts'
import { addressOf } from './browser.ts'
import type { World } from './page-cases.ts'
import { byPointer, type Step, unfold } from './page-hands.ts'
import { browserWays, cardSteps, TYPED_ACCOUNT, TYPED_CARD } from './page-ways.ts'

const STEP_MS = 30_000

/**
 * A step that makes a field wrong. `heldBy` names what stops the form from being sent; the browser does so with script and without. Without
 * `heldBy` the service refuses it.
 */
interface Fault {
  step: Step
  heldBy?: 'script' | 'browser'
}
interface Filled {
  way: keyof typeof browserWays
  panel: string
  /** Everything that the payer types and chooses, without a fault. */
  steps: readonly Step[]
  button: string
  /** The names of the fields that may be kept. */
  keeps: readonly string[]
  /** Fields that may not be kept. They stay only while the page itself stays. */
  secret: readonly string[]
  faults: Readonly<Record<string, Fault>>
  /** The fields that are kept when a bank declines, which brings the page by a redirect. Absent where no bank can decline. */
  declined?: readonly string[]
}

const button = (panel: string) => `#way-${panel} form[data-pays] button`
const card = (panel: string) => ({
  steps: cardSteps(panel),
  faults: {
    cardNumber: { step: { type: `#${panel}-cardNumber`, text: '4111111111111112' }, heldBy: 'script' },
    expiry: { step: { type: `#${panel}-expiry`, text: '13/29' }, heldBy: 'script' },
    past: { step: { type: `#${panel}-expiry`, text: '01/20' }, heldBy: 'script' },
    cvv: { step: { type: `#${panel}-cvv`, text: '12' }, heldBy: 'browser' },
  } as const,
})

const filled: readonly Filled[] = [
  { way: 'card', panel: 'card', ...card('card'), button: button('card'), keeps: ['expiry'], secret: ['cardNumber', 'cvv'], declined: [] },
  {
    ...{ way: 'emi', panel: 'emi', button: button('emi'), keeps: ['plan', 'expiry'], secret: ['cardNumber', 'cvv'] },
    steps: [{ check: '#way-emi input[name="plan"][value="HDFC|6"]' }, ...cardSteps('emi')],
    faults: card('emi').faults,
    declined: ['plan'],
  },
  {
    ...{ way: 'saved', panel: 'saved', button: button('saved'), keeps: ['savedCard'], secret: ['cvv'] },
    steps: [{ check: '#way-saved input[type="radio"][name="savedCard"]' }, { type: '#saved-cvv', text: TYPED_CARD.cvv }],
    faults: { cvv: { step: { type: '#saved-cvv', text: '12' }, heldBy: 'browser' } },
    declined: ['savedCard'],
  },
  {
    ...{ way: 'upiId', panel: 'upi', button: 'form:has(#upi-upiId) button', keeps: ['upiId'], secret: [] },
    steps: [{ type: '#upi-upiId', text: 'success@upi' }],
    faults: { upiId: { step: { type: '#upi-upiId', text: 'nobody' } } },
    declined: ['upiId'],
  },
  {
    ...{ way: 'netBanking', panel: 'bank', button: button('bank'), keeps: ['bank'], secret: [] },
    steps: [{ choose: '#bank-bank', label: 'HDFC Bank' }],
    faults: {},
    declined: ['bank'],
  },
  {
    ...{
      way: 'mandate',
      panel: 'mandate',
      button: button('mandate'),
      keeps: ['holder', 'ifsc', 'bank', 'kind', 'how'],
      secret: ['account'],
    },
    steps: [
      { type: '#mandate-holder', text: 'Asha Rao' },
      { type: '#mandate-account', text: TYPED_ACCOUNT },
      { type: '#mandate-ifsc', text: 'HDFC0000001' },
      { check: '#way-mandate input[name="kind"][value="CURRENT"]' },
      { check: '#way-mandate input[name="how"][value="DEBIT_CARD"]' },
      { choose: '#mandate-bank', label: 'HDFC Bank' },
    ],
    faults: {
      account: { step: { type: '#mandate-account', text: '12' } },
      ifsc: { step: { type: '#mandate-ifsc', text: 'HDFC1' } },
      doubted: { step: { type: '#mandate-ifsc', text: 'SBIN0000001' } },
    },
  },
  {
    ...{ way: 'wallet', panel: 'wallet', button: 'form[action$="/sign-in"] button', keeps: ['mobile'], secret: [] },
    steps: [{ type: '#wallet-mobile', text: '9876501234' }],
    faults: { mobile: { step: { type: '#wallet-mobile', text: '98765' } } },
  },
]

interface Event {
  name: string
  of: Filled
  hasScript: boolean
  fault?: Fault
}
const staying = ['language', 'go on paying', 'offline'] as const
/** With script the page stays, or takes the typed values along. Without script the service has only what a form has sent. */
const events: readonly Event[] = filled.flatMap((of) => [
  ...staying.map((name) => ({ name, of, hasScript: true })),
  ...[true, false].flatMap((hasScript) =>
    Object.entries(of.faults).map(([name, fault]) => ({ name: `fault ${name}`, of, hasScript, fault })),
  ),
  ...(of.declined ? [true, false].map((hasScript) => ({ name: 'declined', of, hasScript })) : []),
])
export const nameOfEvent = ({ name, of, hasScript }: Event) => `${of.way}, ${name}, ${hasScript ? 'script' : 'no script'}`
export const eventNames = events.map(nameOfEvent)
/** Without script only the service keeps typed values, and rows of `viewOf` test that. */
export const eventNamesWithScript = events.filter(({ hasScript }) => hasScript).map(nameOfEvent)

/** The script of the fields groups a card's digits, perhaps after they were typed. */
const ungrouped = (value: string | undefined) => value?.replaceAll(' ', '')

/** The values of a panel's fields, by name; for a choice, the chosen one. */
const fieldsOf = (page: Page, { button: pressed }: Filled) =>
  page.evaluate<Record<string, string>>(
    `Object.fromEntries([...new FormData(document.querySelector(${JSON.stringify(pressed)})?.form ?? document.createElement('form'))].filter(([, value]) => value !== ''))`,
  )

/** The fields that were filled in, may be kept and are gone. */
export async function lostBy({ service, shop, browser }: World, name: string, orderId: string): Promise<readonly string[]> {
  const event = events.find((each) => nameOfEvent(each) === name)!
  const { of, hasScript } = event
  const way = browserWays[of.way]!
  const context = await browser.newContext({ locale: 'en-IN', javaScriptEnabled: hasScript })
  context.setDefaultTimeout(STEP_MS)
  try {
    const order = await way.order(service, orderId, shop.callbackUrl)
    const page = await context.newPage()
    await page.goto(addressOf(service, order))
    if (of.way !== 'wallet') await way.ready?.({ service, page, orderId, hasScript })
    await unfold(page, of.panel)
    await byPointer(page, [...of.steps, ...(event.fault ? [event.fault.step] : [])])
    const given = hasScript ? await fieldsOf(page, of) : undefined
    if (event.name === 'declined') await script(service, order, 'declined')
    const after = await comesAnew(page, event)
    const kept = after === 'redirect' ? of.declined! : after === 'stays' ? [...of.keeps, ...of.secret] : of.keeps
    const now = await shownIn(page, of)
    for (const secret of after === 'stays' ? [] : of.secret) assert.ok(!now[secret], `${secret} came back`)
    return kept.filter((field) => !now[field] || (given !== undefined && ungrouped(given[field]) !== ungrouped(now[field])))
  } finally {
    await context.close()
  }
}

/** Reads the fields from outside, because without script the page cannot run anything. */
async function shownIn(page: Page, { panel, keeps, secret }: Filled): Promise<Record<string, string>> {
  const shown: Record<string, string> = {}
  for (const name of [...keeps, ...secret]) {
    const field = page.locator(`#way-${panel} form [name="${name}"]`)
    if ((await field.count()) === 0) continue
    const isRadio = (await field.first().getAttribute('type')) === 'radio'
    const one = isRadio ? page.locator(`#way-${panel} form [name="${name}"]:checked`) : field.first()
    if ((await one.count()) > 0) shown[name] = await one.inputValue()
  }
  return shown
}

/** Causes the event. Returns whether the page stays, comes as an answer to a form, or comes by a redirect. */
async function comesAnew(page: Page, { name, of, hasScript, fault }: Event): Promise<'stays' | 'answer' | 'redirect'> {
  const press = () => page.locator(of.button).click()
  switch (name) {
    case 'language':
      await page.locator('#language').selectOption('hi')
      await page.locator('form.language button').click()
      await page.locator('html[lang="hi-IN"]').waitFor()
      return 'answer'
    case 'go on paying':
      await page.locator('a[data-leaves]').click()
      await page.locator('dialog[open] form[method="dialog"] button').click()
      return 'stays'
    case 'offline':
      await page.context().setOffline(true)
      await press()
      await page.locator('[data-offline]').waitFor()
      return 'stays'
    case 'declined':
      await press()
      await page.locator('[data-stage="choices"] [role="alert"]').waitFor()
      return 'redirect'
    default: {
      if (fault?.heldBy === 'browser' || (fault?.heldBy === 'script' && hasScript)) {
        let sent = 0
        page.on('request', (request) => {
          if (request.method() === 'POST' && !request.url().endsWith('/price')) sent++
        })
        // The mark moves the button, so a press at that moment would miss it.
        if (hasScript) {
          await page.keyboard.press('Tab')
          await page.locator('[aria-invalid]').waitFor()
        }
        await press()
        // Once the field is marked and focused, the press was judged.
        await page.locator(hasScript ? '[aria-invalid]:focus' : ':user-invalid:focus').waitFor()
        assert.equal(sent, 0, 'it was sent all the same')
        return 'stays'
      }
      const answered = page.waitForResponse((response) => response.status() === 422)
      await press()
      await answered
      await page.locator('.fault, [role="alert"]').first().waitFor()
      return 'answer'
    }
  }
}
