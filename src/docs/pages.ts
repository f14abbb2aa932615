// The pages of /docs that are the same for all readers: the first order, the guides, the codes.

import { type OperationName, operations } from '../api/operations.ts'
import { html, type Part } from '../pages/html.ts'
import { linked, placesIn } from './cross-links.ts'
import { leadsFrom, rendered } from './markdown.ts'
import { needOf, titleOf } from './operation-page.ts'
import { DOCS, type DocsPage } from './sheet.ts'
import type { Sources } from './sources.ts'

const names = Object.keys(operations) as OperationName[]

export async function firstPage(sources: Sources, url: string, isSandbox: boolean): Promise<DocsPage> {
  const leads = leadsFrom('', (name) => sources.guides.has(name))
  const order = await rendered(sources.firstOrder.replaceAll('http://127.0.0.1:8080', url), leads)
  const groups = GROUPS.map(([room, title]) => {
    const rows = names
      .filter((operation) => roomOf(operation) === room)
      .map((operation) => [
        html`<a href="${DOCS}/${operation}">${titleOf(sources, operation)}</a>`,
        needOf(sources, operation),
        html`<code>${operations[operation].method} ${operations[operation].paths[0]}</code>`,
      ])
    return html`<h3>${title}</h3>${tableOf(['Operation', 'What for', 'Path'], rows)}`
  })
  const body = html`${isSandbox && TO_PAY}${order}<h2 id="operations">Operations</h2><p>For programs: <a href="/openapi.json">/openapi.json</a>, OpenAPI 3.1.</p>${groups}`
  return { title: 'A first order', body, chapter: DOCS }
}

const TO_PAY = html`<p>To see it first: pay in the <a href="/sandbox/shop">demo shop</a>, with the card 4111 1111 1111 1111, any later month, any CVV. Approve UPI on the <a href="/sandbox/phone">sandbox’s phone</a>. Run the commands below in the folder of Mohur. The page of each <a href="#operations">operation</a> has a sample in your own language.</p>`

const roomOf = (operation: OperationName) => operations[operation].resource
/** The groups of operations, in the order in which a shop needs them. test/docs/routes.test.ts fails when an operation is missing. */
const GROUPS = [
  ['order', 'Orders'],
  ['transaction', 'Payments'],
  ['refund', 'Refunds'],
  ['subscription', 'Subscriptions'],
  ['payment-options', 'Ways to pay'],
  ['promotion', 'Offers'],
  ['signin', 'Sign-in'],
  ['merchant', 'The merchant'],
] as const

/** The guides that a shop's developer reads, in this order. The operator reads the other guides. */
const FOR_SHOPS = ['getting-started', 'examples', 'trying', 'sandbox', 'checksum', 'pages', 'moving', 'interface']

export function guideList({ guides }: Sources): DocsPage {
  const list = (names: readonly string[]) =>
    html`<ul>${names.map((name) => html`<li><a href="${DOCS}/guide/${name}">${guides.get(name)!.title}</a></li>`)}</ul>`
  const others = [...guides.keys()].filter((name) => !FOR_SHOPS.includes(name)).toSorted()
  const isDecision = (name: string) => name.startsWith('decisions')
  const body = html`<h2>For shops</h2>${list(FOR_SHOPS)}<h2>For operators</h2>${list(others.filter((name) => !isDecision(name)))}<h2>Decisions</h2>${list(others.filter(isDecision))}`
  return { title: 'Guides', body, chapter: `${DOCS}/guide` }
}

export async function guidePage(sources: Sources, name: string): Promise<DocsPage | undefined> {
  const guide = sources.guides.get(name)
  if (!guide) return undefined
  const folder = name === 'examples' ? 'examples/' : `docs/${FOLDER.exec(name)?.[0] ?? ''}`
  return {
    title: guide.title,
    body: await rendered(
      name === 'interface' ? linked(guide.text, placesIn(guide.text)) : guide.text,
      leadsFrom(folder, (each) => sources.guides.has(each)),
    ),
    chapter: `${DOCS}/guide`,
  }
}
const FOLDER = /^(operating|decisions)\/?/

// ------------------------------------------------------------------------------------------------------------ codes

/** Every row of section 7, or the rows of one code. */
export function codesPage(sources: Sources, code = ''): DocsPage {
  const rows = [...sources.codes].flatMap(([operation, text]) =>
    tableRows(text)
      .filter(([each]) => code === '' || each === code)
      .map((cells): Part[] => [linkTo(sources, operation), ...cells.map((cell) => html`${cell}`)]),
  )
  const form = html`<form method="get" action="${DOCS}/codes" class="stack"><div class="field"><label for="code">One code</label><input id="code" name="code" value="${code}" maxlength="32" autocomplete="off" spellcheck="false"></div><button>Show</button></form>`
  const found =
    rows.length > 0 ? tableOf(['Operation', 'Code', 'Status', 'Message', 'When'], rows) : html`<p>No operation answers this code.</p>`
  return { title: 'Codes', body: html`${form}${found}`, chapter: `${DOCS}/codes` }
}

/** A link from a title in section 7 to the operation's page. Section 7 names an operation as section 4 does. */
function linkTo(sources: Sources, title: string): Part {
  const operation = names.find((name) => titleOf(sources, name) === title)
  return operation ? html`<a href="${DOCS}/${operation}">${title}</a>` : title
}

/** The body rows of a text's first table, as cells. A backslash precedes a cell's own pipe. */
export const tableRows = (text: string): readonly (readonly string[])[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll('`', '').replaceAll('\\|', '|')),
    )

const tableOf = (heads: readonly string[], rows: readonly (readonly Part[])[]) =>
  html`<div class="wide" role="group" aria-label="${heads[0]!}" tabindex="0"><table><thead><tr>${heads.map((head) => html`<th>${head}</th>`)}</tr></thead><tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`
