// Does a payer's steps on the payment page by pointer, or by keyboard alone. A payer who tabs must see the focus: each stop follows in the
// document, is on the screen, is not covered, and shows its focus.

import assert from 'node:assert/strict'
import type { Frame, Page } from 'playwright-core'

/** The place of the payment page: a page, or a frame of the shop's. */
export type View = Pick<Page, 'locator' | 'getByRole' | 'getByText' | 'url' | 'goto'>

/** Each selector fits one element. A function gives a text that is known only when it is typed. */
export type Step =
  | { unfold: string }
  | { type: string; text: string | (() => Promise<string>) }
  | { choose: string; label: string }
  | { check: string }
  | { press: string }
export type Hands = (view: View, steps: readonly Step[]) => Promise<void>

const textOf = ({ text }: { text: string | (() => Promise<string>) }) => (typeof text === 'string' ? text : text())
const summaryOf = (panel: string) => `#way-${panel} > summary`
const isOpen = async (view: View, panel: string) => (await view.locator(`#way-${panel}`).getAttribute('open')) !== null

export async function unfold(view: View, panel: string) {
  if (!(await isOpen(view, panel))) await view.locator(summaryOf(panel)).click()
  return view.locator(`#way-${panel}`)
}

export const byPointer: Hands = async (view, steps) => {
  for (const step of steps) {
    if ('unfold' in step) await unfold(view, step.unfold)
    else if ('type' in step) await view.locator(step.type).fill(await textOf(step))
    else if ('choose' in step) await view.locator(step.choose).selectOption({ label: step.label })
    else if ('check' in step) await view.locator(step.check).check()
    else await view.locator(step.press).click()
  }
}

// ---------------------------------------------------------------------------------------------------------- keyboard

const STOPS_MAX = 80 // more than any page of Mohur's has

/** Where the focus is, and its faults. `before` is where it was. */
const LOOK = `(() => {
  const element = document.activeElement
  const box = element.getBoundingClientRect()
  const style = getComputedStyle(element)
  const middle = { x: box.x + Math.min(box.width, innerWidth) / 2, y: box.y + Math.min(box.height, innerHeight) / 2 }
  const top = document.elementFromPoint(middle.x, middle.y)
  const before = globalThis.lastStop
  globalThis.lastStop = element
  const wrong = []
  if (box.width < 1 || box.height < 1 || middle.y < 0 || middle.y > innerHeight || middle.x < 0 || middle.x > innerWidth) wrong.push('is not on the screen')
  else if (top === null || !(element.contains(top) || top.contains(element) || top.control === element)) wrong.push('is covered')
  if (style.outlineStyle === 'none' || parseFloat(style.outlineWidth) < 2) wrong.push('does not show that it has the focus')
  if (before?.isConnected && before !== element && !(before.compareDocumentPosition(element) & 4)) wrong.push('comes before what it follows')
  const name = element.tagName.toLowerCase() + (element.id ? '#' + element.id : ' ' + (element.textContent ?? '').trim().slice(0, 30))
  return { name, isBody: element === document.body, wrong }
})()`

const keysOf = (page: Page | Frame) => ('keyboard' in page ? page : page.page()).keyboard

/** Presses Tab until the element has the focus. From the page's end it goes on at its beginning. */
export async function tabTo(page: Page | Frame, selector: string) {
  const wanted = page.locator(selector)
  await wanted.waitFor()
  for (let stops = 0; stops < STOPS_MAX; stops++) {
    await keysOf(page).press('Tab')
    const { name, isBody, wrong } = await page.evaluate<{ name: string; isBody: boolean; wrong: string[] }>(LOOK)
    // After the last control come the browser's own, and then the first of the page again.
    if (isBody) await page.evaluate('globalThis.lastStop = undefined')
    else assert.deepEqual(wrong, [], `${name} ${wrong.join(', ')}`)
    if ((await page.locator(`${selector}:focus`).count()) === 1) return
  }
  assert.fail(`Tab does not reach ${selector}`)
}

export const byKeyboard: Hands = async (view, steps) => {
  const page = view as Page | Frame
  const keyboard = keysOf(page)
  for (const step of steps) {
    if ('unfold' in step) {
      if (await isOpen(view, step.unfold)) continue
      await tabTo(page, summaryOf(step.unfold))
      await keyboard.press('Enter')
    } else if ('type' in step) {
      await tabTo(page, step.type)
      await keyboard.type(await textOf(step))
    } else if ('choose' in step) {
      await tabTo(page, step.choose)
      await keyboard.type(step.label)
      assert.equal(await page.locator(`${step.choose} option:checked`).innerText(), step.label)
    } else if ('check' in step) {
      await tabTo(page, step.check)
      await keyboard.press('Space')
      assert.ok(await page.locator(step.check).isChecked(), `${step.check} is not chosen by Space`)
    } else {
      await tabTo(page, step.press)
      await keyboard.press('Enter')
    }
  }
}
