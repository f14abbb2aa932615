// A payment by UPI without a new page (docs/pages.md, "With script"): the form is sent once, and the code or the apps replace the choices.
// The service gives the parts of the page as names, attributes and texts, and the code as numbers: the policy lets no script write HTML.

import { all, append, first, setAttribute } from './elements.js'

const { removeAttribute } = Element.prototype
const { requestSubmit: submit } = HTMLFormElement.prototype

const ASKED_MS = 8_000
const SVG = 'http://www.w3.org/2000/svg'

/** @typedef {string | [name: string, attributes: Record<string, string>, ...inner: Tree[]]} Tree */
// `runs` are columns, rows and lengths of dark modules.
/** @typedef {{ side: number, runs: number[] }} Code */
/** @typedef {{ title: string, parts: Tree[], label: string, code: Code }} Upi */

/**
 * Shows the payer's next step, once the service has answered the form. False where the service refuses the form. Rejects where an answer is
 * lost, or where there is no step to show.
 * @type {(form: HTMLFormElement, answer: Promise<Response>, unsend: () => void) => Promise<boolean>}
 */
export async function showNext(form, answer, unsend) {
  const { dataset } = /** @type {HTMLElement} */ (document.querySelector('main'))
  // What the query says is about the page before.
  history.replaceState(null, '', location.pathname)
  const { status } = await answer
  if (status >= 400 && status < 500) {
    // Nothing has begun. The page that the form leads to gives the reason.
    removeAttribute.call(form, 'data-upi')
    unsend()
    submit.call(form)
    return false
  }
  const state = await fetch(`${dataset['state']}?draw=upi`, { cache: 'no-store', signal: AbortSignal.timeout(ASKED_MS) })
  /** @type {{ version: string, upi: Upi }} */
  const { version, upi } = await state.json()
  show(upi)
  Object.assign(dataset, { stage: 'upi', version })
  return true
}

// Each part takes the place of the part of its class. The question before closing is new.
/** @param {Upi} upi */
function show({ title, parts, label, code }) {
  for (const gone of all(HTMLElement, '[data-leaves], [data-leaving]')) gone.remove()
  for (const tree of parts) {
    const part = built(tree)
    const place = part instanceof HTMLDialogElement ? undefined : first(HTMLElement, `.${part.className.split(' ').pop()}`)
    if (place) place.replaceWith(part)
    else first(HTMLElement, 'main')?.append(part)
  }
  first(HTMLElement, '.qr')?.prepend(drawn(code, label))
  lastAppFirst()
  document.title = title
  scrollTo(0, 0)
  first(HTMLHeadingElement, '#heading')?.focus()
}

const LAST_APP = 'upi-app'
/** @type {(app?: string) => string | null} */
function lastApp(app) {
  try {
    if (app) localStorage.setItem(LAST_APP, app)
    return localStorage.getItem(LAST_APP)
  } catch {
    // A browser that keeps nothing throws.
    return null
  }
}
// The app that was used last comes first. Only the device remembers it.
export function lastAppFirst() {
  for (const link of all(HTMLAnchorElement, '[data-app]')) {
    link.addEventListener('click', () => void lastApp(link.dataset['app']))
    if (link.dataset['app'] === lastApp()) link.parentElement?.prepend(link)
  }
}

/** @type {(tree: Tree) => any} */
function built(tree) {
  if (typeof tree === 'string') return tree
  const [name, attributes, ...inner] = tree
  const element = document.createElement(name)
  for (const [each, value] of Object.entries(attributes)) setAttribute.call(element, each, value)
  append.call(element, ...inner.map(built))
  return element
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
