// `/docs/<operation>`: its section of the interface, its codes, and a sample request in four languages. In the sandbox a form sends the
// sample.

import { type Known, SAMPLE_KEY, SAMPLE_MID } from '../api/kit/sample.ts'
import { type OperationName, operations } from '../api/operations.ts'
import { pagePaths } from '../interface/page-paths.ts'
import { type Html, html, type Part } from '../pages/html.ts'
import { hidden } from '../pages/kit/fields.ts'
import { notice } from '../pages/kit/layout.ts'
import { linked, placesIn } from './cross-links.ts'
import { leadsFrom, rendered } from './markdown.ts'
import { placeholder, wantedBy } from './sample-requests.ts'
import { DOCS, type DocsPage, OPERATIONS } from './sheet.ts'
import { languages, snippet } from './snippets.ts'
import { readExample, type Sources } from './sources.ts'
import type { Tried } from './try-it.ts'

export interface OperationShown {
  sources: Sources
  /** Where shops reach this service. */
  url: string
  known: Known
  /** Undefined in production, where no page uses a key. */
  trying: { bodyText?: string; tried?: Tried | undefined; fault?: string } | undefined
}

export const needOf = (sources: Sources, operation: OperationName): string => sources.needs.get(titleOf(sources, operation))!
export const titleOf = ({ sections }: Sources, operation: OperationName): string => sections.get(operations[operation].section)!.title

export async function operationPage(operation: OperationName, shown: OperationShown): Promise<DocsPage> {
  const { sources, trying } = shown
  const { method, paths, section } = operations[operation]
  const { title, text } = sources.sections.get(section)!
  const leads = leadsFrom('docs/', (name) => sources.guides.has(name))
  const places = placesIn(sources.guides.get('interface')!.text)
  const ours = (markdown: string, depthAdded = 0) => rendered(linked(markdown, places), leads, depthAdded)
  const others = paths.slice(1)
  const aliases =
    others.length > 0 &&
    html`<p>Clients in use also send it to ${others.map((path, at) => html`${at > 0 && ', '}<code>${path}</code>`)} (<a href="${DOCS}/guide/interface#49-path-aliases-mohur">section 4.9</a>).</p>`
  const codes = sources.codes.get(title)
  const body = html`<p>${needOf(sources, operation)}.</p><p><code>${method} ${paths[0]}</code> · <a href="#replies">Replies</a> · <a href="#codes">Codes</a> · <a href="#code">Code</a>${trying && html` · <a href="#try">Try it</a>`}</p>
${trying?.tried && replyOf(operation, trying.tried, shown)}${trying?.fault && notice(trying.fault, 'bad')}
${aliases}${await ours(text, -1)}
<h2 id="replies">Replies</h2>${repliesOf(operation)}
<h2 id="codes">Codes</h2>${codes === undefined ? html`<p>The answer is its HTTP status.</p>` : await ours(codes)}
<p>The first fault in the <a href="${DOCS}/guide/interface#order-of-refusals-mohur">order of refusals</a> is the answer.</p>
<h2 id="code">Code</h2>${snippetsOf(operation, shown)}
${trying && formOf(operation, trying.bodyText, shown)}`
  return { title, body, chapter: OPERATIONS }
}

function repliesOf(operation: OperationName): Html {
  const { answer, refusal } = readExample(operation)
  const each = (name: string, body: unknown, isOpen: boolean) =>
    html`<details class="other"${isOpen && html` open`}><summary>${name}</summary><div class="inner">${body === undefined ? html`<p>Its HTTP status is the whole reply.</p>` : html`<pre tabindex="0"><code>${JSON.stringify(body, undefined, 2)}</code></pre>`}</div></details>`
  return html`${each('An answer', answer, true)}${each('A refusal', refusal, false)}`
}

function snippetsOf(operation: OperationName, { url, known }: OperationShown): Html {
  const parts = { url, mid: SAMPLE_MID, key: SAMPLE_KEY, known }
  const each = languages.map(
    (language, at) =>
      html`<details class="other"${at === 0 && html` open`}><summary>${language}</summary><div class="inner"><pre tabindex="0"><code>${snippet(operation, language, parts)}</code></pre></div></details>`,
  )
  const open = wantedBy(operations[operation].sample).filter((name) => known[name] === undefined)
  return html`<p>With the demo merchant’s key${open.length > 0 && html`; fill in ${open.map((name, at) => html`${at > 0 && ', '}<code>${placeholder(name)}</code>`)}`}.</p>${each}`
}

/** The sample's body with its words in braces. The form has a field for each word above the body. */
const sampleText = (operation: OperationName) => JSON.stringify(operations[operation].sample.body, undefined, 1)

function formOf(operation: OperationName, bodyText = sampleText(operation), { known }: OperationShown): Html {
  const wanted = wantedBy(operations[operation].sample)
  const fields = wanted.map(
    (name) =>
      html`<div class="field"><label for="try-${name}"><code>${name}</code></label><input id="try-${name}" name="${name}" value="${known[name] ?? ''}" maxlength="2000" autocomplete="off" spellcheck="false"></div>`,
  )
  const rest = Object.entries(known).filter(([name]) => !wanted.includes(name))
  const hiddenOnes = rest.map(([name, value]) => hidden(name, value ?? ''))
  const typed =
    operations[operation].sample.body &&
    html`<div class="field"><label for="try-body">Body</label><textarea id="try-body" name="body" spellcheck="false" rows="12">${bodyText}</textarea></div>`
  return html`<h2 id="try">Try it</h2><p>This service signs the body as it stands here with the demo merchant’s key, and sends it to itself.</p><form method="post" action="${DOCS}/${operation}" class="stack">${hiddenOnes}${fields}${typed}<button name="send" value="1">Send</button></form>`
}

// ------------------------------------------------------------------------------------------------------- what came back

function replyOf(operation: OperationName, { sent, status, reply, hint, known }: Tried, shown: OperationShown): Html {
  const next = (Object.keys(operations) as OperationName[]).filter((each) => {
    if (each === 'orderStatus') return operation !== each && known['txnToken'] !== undefined // what every server asks next
    const wanted = wantedBy(operations[each].sample).filter((name) => LEARNED.has(name))
    return each !== operation && wanted.length > 0 && wanted.every((name) => known[name])
  })
  const fields = Object.entries(known).map(([name, value]) => hidden(name, value ?? ''))
  const on = next.map(
    (each) =>
      html`<form method="post" action="${DOCS}/${each}">${fields}<button class="plain">${titleOf(shown.sources, each)}</button></form>`,
  )
  const { txnToken, orderId } = known
  const page =
    txnToken &&
    orderId &&
    html`<a class="button second" target="_blank" rel="noopener" href="${pagePaths.showPaymentPage}?${new URLSearchParams({ mid: SAMPLE_MID, orderId, txnToken }).toString()}">Open the payment page</a>`
  return html`<section class="card one" aria-label="The answer"><h2 id="answer" tabindex="-1">Answer: HTTP ${status}</h2><pre tabindex="0"><code>${pretty(reply)}</code></pre>${hint !== undefined && html`<p><code>Mohur-Hint: ${hint}</code></p>`}<details class="other"><summary>What was sent</summary><div class="inner"><pre tabindex="0"><code>${sent}</code></pre></div></details>${page}${on.length > 0 && html`<h3>Continue with</h3><div class="ways">${on}</div>`}</section>`
}

/** Values that only an earlier reply can give. */
const LEARNED: ReadonlySet<string> = new Set([
  'txnToken',
  'txnId',
  'accessToken',
  'subscriptionId',
  'stateToken',
  'ssoToken',
  'refreshToken',
])

/** A reply is one line. People read it indented. */
function pretty(text: string): Part {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}
