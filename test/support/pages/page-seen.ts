// What a payer sees of a state without scrolling: the choice, the amount taken now, the terms of a subscription, and the next step.

import type { Page } from 'playwright-core'
import { becomes } from './browser.ts'

/** The window sizes of a small phone, a phone and a desk. */
export const SIZES = [
  { width: 320, height: 568 },
  { width: 390, height: 664 },
  { width: 1280, height: 800 },
] as const

/**
 * A part is seen when one of its elements is whole in the window, and nothing covers that element's middle. Each state has a choice, and
 * every page with an order has an amount. The next step is the focused control. Without one it is the first control of the open way, the
 * first button of the state, or the code to scan.
 */
const UNSEEN = `(() => {
  const isSeen = (element) => {
    const box = element.getBoundingClientRect()
    if (box.width < 1 || box.height < 1 || box.top < -1 || box.left < -1 || box.bottom > innerHeight + 1 || box.right > innerWidth + 1) return false
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)
    return top !== null && element.contains(top)
  }
  const all = (selector) => [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility())
  const main = document.querySelector('main')
  const open = all('.modes details[open]')[0]
  const chosen = open ? [open.querySelector('summary')] : all('main h1, main h2').slice(0, 1)
  const { activeElement: focused } = document
  const isControl = focused.matches('input, select, button, a, summary') && main.contains(focused)
  const inWay = (kinds) => [...open.querySelectorAll(kinds)].filter((each) => each.checkVisibility())
  const buttons = open ? inWay('button') : all('.work button, .work a.button')
  const scanned = all('.work svg.code')
  const first = open ? inWay('input:not([type=hidden]), select, button') : buttons
  const next = isControl ? [focused] : scanned.length > 0 ? scanned : first.slice(0, 1)
  const isAmount = /₹/
  const amounts = [...all('.amount, [data-summary], fieldset label'), ...buttons].filter((each) => isAmount.test(each.textContent))
  const parts = { chosen, amount: amounts, terms: all('[data-terms]'), next }
  const has = (part) => parts[part].length > 0 || part === 'chosen' || (part === 'amount' && document.querySelector('.total') !== null)
  const unseen = Object.entries(parts).filter(([part, elements]) => has(part) && !elements.some(isSeen))
  return unseen.map(([part]) => part)
})()`

const DRAWN_MS = 2_000 // for the script that scrolls an opened way into sight

/** The parts of a state that the window does not show at this moment. */
export const unseenNow = (page: Page): Promise<readonly string[]> => page.evaluate<string[]>(UNSEEN)
/** The unseen parts once the page is drawn; empty when all is well. */
export async function unseenIn(page: Page): Promise<readonly string[]> {
  await becomes(page, `${UNSEEN}.length === 0`, DRAWN_MS)
  return unseenNow(page)
}

/** Parts that may be out of sight up to a width of the window, each with its reason. */
export const OUT_OF_SIGHT: Readonly<Record<string, { upTo: number; parts: readonly string[]; why: string }>> = {
  failed: { upTo: 320, parts: ['chosen', 'next'], why: 'why the payment failed is read first; the way that failed is open below it' },
  wallet: { upTo: 320, parts: ['next'], why: 'whose wallet it is stands before its button, whose edge is below the window' },
}

/** Parts out of sight without a reason. */
export function unseenAmiss(state: string, width: number, unseen: readonly string[]): readonly string[] {
  const { upTo = 0, parts = [] } = OUT_OF_SIGHT[state] ?? {}
  return width <= upTo ? unseen.filter((part) => !parts.includes(part)) : unseen
}
