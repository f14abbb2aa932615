// Whether anything on a page is cut off: as it is, with larger text (WCAG 2.2, criterion 1.4.4), and with wider spacing (1.4.12).

import type { Page } from 'playwright-core'

/** Text at 200 % (WCAG 1.4.4), and its spacing (1.4.12). */
const SIZES = {
  'text at 200 %': 'html { font-size: 200% }',
  'text spaced':
    '* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important } p { margin-bottom: 2em !important }',
} as const

const NARROW = 640 // 1,280 at 200 %: WCAG 2.2 asks for either, not for both

/** Words that are cut off, run out of the window, or overlap. */
const CUT = `(() => {
  const found = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const lines = []
  while (walker.nextNode()) {
    const text = walker.currentNode
    const parent = text.parentElement
    if (text.data.trim() === '' || !parent.checkVisibility({ visibilityProperty: true }) || parent.closest('select')) continue
    const range = document.createRange()
    range.selectNodeContents(text)
    for (const box of range.getClientRects()) if (box.width > 0) lines.push({ box, text: text.data.trim().slice(0, 30), parent })
    for (let around = parent; around !== document.body; around = around.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(around)
      const isClipped = (overflowX !== 'visible' && around.scrollWidth > around.clientWidth + 1) || (overflowY !== 'visible' && around.scrollHeight > around.clientHeight + 1)
      if (isClipped) found.push('cut off: ' + text.data.trim().slice(0, 30))
    }
  }
  for (const { box, text } of lines) if (box.left < -1 || box.right > document.documentElement.clientWidth + 1) found.push('out of the window: ' + text)
  for (const [at, one] of lines.entries())
    for (const other of lines.slice(at + 1)) {
      // A dialog lies on what it asks about.
      if (one.parent === other.parent || one.parent.closest('dialog') !== other.parent.closest('dialog')) continue
      const [across, down] = [Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left), Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top)]
      // Boxes of lines are a little higher than their letters.
      if (across > 2 && down > Math.min(one.box.height, other.box.height) * 0.4) found.push('on one another: ' + one.text + ' / ' + other.text)
    }
  for (const control of document.querySelectorAll('select, input:not([type=hidden], [type=radio], [type=checkbox])')) {
    if (!control.checkVisibility()) continue
    const { fontSize, paddingTop, paddingBottom, paddingLeft, paddingRight, font, letterSpacing, wordSpacing } = getComputedStyle(control)
    if (control.clientHeight + 1 < parseFloat(fontSize) * 1.15 + parseFloat(paddingTop) + parseFloat(paddingBottom)) found.push('too low: ' + control.id)
    if (control.tagName !== 'SELECT') continue
    const measure = Object.assign(document.createElement('span'), { textContent: control.selectedOptions[0]?.label ?? '' })
    document.body.append(measure)
    Object.assign(measure.style, { font, letterSpacing, wordSpacing, position: 'absolute', whiteSpace: 'nowrap' })
    const width = measure.getBoundingClientRect().width
    measure.remove()
    if (width + parseFloat(paddingLeft) + parseFloat(paddingRight) > control.clientWidth + 1) found.push('cut off in its list: ' + (control.selectedOptions[0]?.label ?? '') + ' ' + Math.round(width) + ' of ' + control.clientWidth)
  }
  if (document.documentElement.scrollWidth > document.documentElement.clientWidth) found.push('wider than the window')
  return [...new Set(found)]
})()`

export const cutIn = (page: Pick<Page, 'evaluate'>) => page.evaluate<string[]>(CUT)
/** What is cut where text is larger, spaced, or both; empty when all is well. The narrowest window is tested with spaced text only. */
export async function cutWhenLarger(page: Page): Promise<string[]> {
  const found = []
  const [large, spaced] = [SIZES['text at 200 %'], SIZES['text spaced']]
  const isNarrow = page.viewportSize()!.width < NARROW
  for (const [name, rules] of [...Object.entries(SIZES), ['both', `${large} ${spaced}`] as const]) {
    if (isNarrow && rules !== spaced) continue
    await page.evaluate(
      `(() => { const sheet = new CSSStyleSheet(); sheet.replaceSync(${JSON.stringify(rules)}); document.adoptedStyleSheets = [sheet] })()`,
    )
    found.push(...(await cutIn(page)).map((each) => `${name}: ${each}`))
  }
  await page.evaluate('document.adoptedStyleSheets = []')
  return found
}
