// What a payer typed and chose, and what may make a page come anew: each field that may be kept is looked for afterwards. Card numbers, CVVs,
// codes and account numbers may not be kept (docs/pages.md).

import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { script } from '../paying/paying.ts'
import { addressOf } from './browser.ts'
import type { World } from './page-cases.ts'
import { byPointer, type Step, unfold } from './page-hands.ts'
import { browserWays, cardSteps, TYPED_ACCOUNT, TYPED_CARD } from './page-ways.ts'

const STEP_MS = 30_000

/** What makes a field wrong. `heldBy`: who keeps the form from being sent; the browser does so with script and without. Else the service refuses it. */
interface Fault {
  step: Step
  heldBy?: 'script' | 'browser'
}
interface Filled {
  way: keyof typeof browserWays
  panel: string
  /** Everything that the payer gives, right. */
  steps: readonly Step[]
  button: string
  /** What may be kept, by the field's name. */
  keeps: readonly string[]
  /** What may not, and stays only where the page itself stays. */
  secret: readonly string[]
  faults: Readonly<Record<string, Fault>>
  /** Whether a bank may decline it, and what is kept then: the page comes by a redirect. */
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
/** With script the page stays, or what was typed goes along; without, the service has only what a form has sent. */
const events: readonly Event[] = filled.flatMap((of) => [
  ...staying.map((name) => ({ name, of, hasScript: true })),
  ...[true, false].flatMap((hasScript) =>
    Object.entries(of.faults).map(([name, fault]) => ({ name: `fault ${name}`, of, hasScript, fault })),
  ),
  ...(of.declined ? [true, false].map((hasScript) => ({ name: 'declined', of, hasScript })) : []),
])
export const nameOfEvent = ({ name, of, hasScript }: Event) => `${of.way}, ${name}, ${hasScript ? 'script' : 'no script'}`
export const eventNames = events.map(nameOfEvent)
/** Without script nothing but the service keeps what was typed: rows of `viewOf` hold that. */
export const eventNamesWithScript = events.filter(({ hasScript }) => hasScript).map(nameOfEvent)

/** A card's digits are grouped when the script of the fields has come, which may be after they were typed. */
const ungrouped = (value: string | undefined) => value?.replaceAll(' ', '')

/** What stands in the fields of a panel, by name: of a choice, what is chosen. */
const fieldsOf = (page: Page, { button: pressed }: Filled) =>
  page.evaluate<Record<string, string>>(
    `Object.fromEntries([...new FormData(document.querySelector(${JSON.stringify(pressed)})?.form ?? document.createElement('form'))].filter(([, value]) => value !== ''))`,
  )

/** The fields that were given, may be kept and are gone. */
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

/** Without script nothing can be asked of the page itself: its fields are read from outside. */
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

/** Lets it happen: whether the page stays, comes as an answer to what was sent, or by a redirect. */
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
        // The mark moves the button, and a press that is under way would miss it.
        if (hasScript) {
          await page.keyboard.press('Tab')
          await page.locator('[aria-invalid]').waitFor()
        }
        await press()
        // Marked and gone to: the press has been judged.
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
