// A payment by UPI without a new page (docs/pages.md, "With script"): the form is sent once, and the code or the apps replace the choices.
// The service draws their texts with the page, in a template. The script draws the code from numbers, because the policy lets no script
// write HTML.

import { all, first, getAttribute, setAttribute } from './elements.js'

const { removeAttribute } = Element.prototype
const { requestSubmit: submit } = HTMLFormElement.prototype

const ANSWER_MS = 60_000
const SVG = 'http://www.w3.org/2000/svg'
const template = first(HTMLTemplateElement, 'template')

// `runs` are columns, rows and lengths of dark modules.
/** @typedef {{ side: number, runs: number[] }} Code */
/** @typedef {{ name?: string, href: string, says: string }} App */
/** @typedef {{ payee: string, amount: string, label: string, total: { amount: string, rows: [string, string][] } }} UpiTexts */
/** @typedef {{ sandbox?: Record<'says' | 'href' | 'link', string>, outcomes?: { act: string, says: string }[] }} OfSandbox */
/** @typedef {UpiTexts & OfSandbox & { attempt: number, code: Code, apps: App[] }} Upi */
/** @typedef {(amount: string, rows: [string, string][]) => void} Summarise */
/** @typedef {{ unsend: () => void, wait: (away: string) => Promise<void>, summarise: Summarise }} Parts */

/**
 * Sends the form once. A lost answer may have begun a payment. So nothing is sent again, and the page is loaded anew once the service
 * answers.
 * @type {(form: HTMLFormElement, parts: Parts) => Promise<void>}
 */
export async function beginUpi(form, { unsend, wait, summarise }) {
  const { dataset } = /** @type {HTMLElement} */ (document.querySelector('main'))
  // What the query says is about the page before.
  history.replaceState(null, '', location.pathname)
  const begun = await begin(form, `${dataset['state']}?draw=upi`)
  if (begun === 'refused') {
    // Nothing has begun. The page that the form leads to gives the reason.
    removeAttribute.call(form, 'data-upi')
    unsend()
    return submit.call(form)
  }
  const isShown = begun?.upi && show(begun.upi, summarise)
  Object.assign(dataset, isShown ? { stage: 'upi', version: begun.version } : { version: '' })
  const { away = '', back } = template?.dataset ?? {}
  for (const notice of all(HTMLElement, '[data-offline]')) notice.dataset['offline'] = back
  await wait(away)
}

/**
 * `refused`: nothing has begun. Undefined where an answer is lost.
 * @type {(form: HTMLFormElement, stateAddress: string) => Promise<{ version: string, upi?: Upi } | 'refused' | undefined>}
 */
async function begin(form, stateAddress) {
  const body = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, `${value}`]))
  const signal = AbortSignal.timeout(ANSWER_MS)
  try {
    const { status } = await fetch(getAttribute.call(form, 'action') ?? '', { method: 'POST', body, redirect: 'manual', signal })
    if (status >= 400 && status < 500) return 'refused'
    return await (await fetch(stateAddress, { cache: 'no-store', signal })).json()
  } catch {
    return undefined
  }
}

/**
 * Shows what the payer does next, as a reload would. False where the page has no place for it.
 * @type {(upi: Upi, summarise: Summarise) => boolean}
 */
function show({ attempt, label, payee, amount, code, apps, total, sandbox, outcomes }, summarise) {
  const found = template?.content.firstElementChild
  if (!found) return false
  const step = document.importNode(found, true)
  for (const field of all(HTMLInputElement, '[name="attempt"]', step)) field.value = String(attempt)
  first(HTMLElement, 'bdi', step)?.append(payee)
  first(HTMLElement, 'li > b', step)?.replaceWith(amount)
  step.normalize()
  for (const each of all(HTMLElement, '[data-script]', step)) each.hidden = false
  first(HTMLElement, '.qr', step)?.prepend(drawn(code, label))
  first(HTMLElement, '.apps', step)?.append(...apps.map(appLink))
  if (sandbox) first(HTMLElement, '.notice', step)?.after(sandboxLink(sandbox))
  for (const gone of all(HTMLElement, '.terms, .total > .rows, .offer, [data-leaves], [data-leaving]')) gone.remove()
  summarise(total.amount, total.rows)
  first(HTMLElement, '[data-summary]:empty')?.remove()
  first(HTMLElement, '.modes')?.replaceWith(step)
  if (outcomes) first(HTMLElement, '[data-begins]')?.replaceChildren(...outcomes.map(outcomeButton))
  const heading = first(HTMLHeadingElement, '#heading')
  document.title = [heading, first(HTMLElement, '.shop bdi')].map((each) => each?.textContent).join(' · ')
  scrollTo(0, 0)
  heading?.focus()
  return true
}

/** @type {(code: Code, label: string) => SVGElement} */
function drawn({ side, runs }, label) {
  const size = { viewBox: `0 0 ${side} ${side}`, width: '200', height: '200' }
  const code = svg('svg', { class: 'code', ...size, role: 'img', 'aria-label': label, 'shape-rendering': 'crispEdges' })
  let d = ''
  for (let at = 0; at < runs.length; at += 3) d += `M${runs[at]} ${runs[at + 1]}h${runs[at + 2]}v1H${runs[at]}z`
  code.append(svg('path', { fill: '#fff', d: `M0 0h${side}v${side}H0z` }), svg('path', { fill: '#000', d }))
  return code
}

/** @type {(name: string, attributes: Record<string, string>) => SVGElement} */
function svg(name, attributes) {
  const element = document.createElementNS(SVG, name)
  for (const [each, value] of Object.entries(attributes)) setAttribute.call(element, each, value)
  return /** @type {SVGElement} */ (element)
}

/** @param {App} app */
function appLink({ name, href, says }) {
  const link = document.createElement('a')
  Object.assign(link, { className: 'button second', href, target: '_top', rel: 'noopener', textContent: says })
  if (name !== undefined) link.dataset['app'] = name
  return link
}

/** @param {Record<'says' | 'href' | 'link', string>} sandbox */
function sandboxLink({ says, href, link }) {
  const [line, phone] = [document.createElement('p'), document.createElement('a')]
  Object.assign(line, { className: 'quiet', lang: 'en' })
  Object.assign(phone, { href, target: '_blank', rel: 'noopener', textContent: link })
  line.append(says, phone)
  return line
}

// The sandbox's drawer ends a payment that waits.
/** @param {{ act: string, says: string }} outcome */
const outcomeButton = ({ act, says }) =>
  Object.assign(document.createElement('button'), { className: 'second', name: 'act', value: act, textContent: says })
