// The page's text about money that may have been taken.

import { html, type Part } from '../../html.ts'
import { rowsOf } from '../../kit/layout.ts'
import type { PageView } from '../view/page-view.ts'

/** When the money returns, the numbers to quote, and whom to ask. */
export function doubtPart({ doubt, shop, texts }: PageView): Part {
  if (!doubt) return undefined
  const { returns, ids, ask } = doubt
  const numbers = ids.length > 0 && rowsOf(ids.map(([label, id]) => [label, html`<bdi class="copied">${id}</bdi>`]))
  const leaves = ask?.address.startsWith('https:') && html` target="_blank" rel="noopener noreferrer"`
  const whom = ask && html`<p>${texts.doubt.ask(shop.name, html`<a href="${ask.address}"${leaves}><bdi>${ask.contact}</bdi></a>`)}</p>`
  return html`${returns !== undefined && html`<p>${returns}</p>`}${numbers}${whom}`
}
