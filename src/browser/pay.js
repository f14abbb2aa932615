// Script of the payment page (docs/pages.md). Every form works without it. It waits in the payer's place, and prevents a second press of a
// button. It writes no HTML and asks only the page's own address. Browsers get this file without its comments. So comments stand alone in
// their lines or around a type, the file is JavaScript, and types are in comments.

import { all, first, getAttribute, hasAttribute, matches } from './elements.js'
import { keepTime } from './time-left.js'

const { requestSubmit } = HTMLFormElement.prototype

const main = document.querySelector('main')
const stateAddress = main?.dataset['state']
const stage = main?.dataset['stage']
const isComingBack = performance
  .getEntriesByType('navigation')
  .some((entry) => entry instanceof PerformanceNavigationTiming && entry.type === 'back_forward')

const ASKED_MS = 8_000
const ANSWER_MS = 60_000
const WAITS_MS = [2_000, 3_000, 5_000]
let isWaiting = stage === 'waiting' || stage === 'upi' || stage === 'collect' || stage === 'bank' || stage === 'otp'

// Only reads are repeated by themselves. So the page says when the network is back, and the payer presses the button again.
/** @type {HTMLElement | undefined} */
let offline
let away = ''
/** @type {HTMLDialogElement | undefined} */
let question
// Also for parts that replace others.
function readParts() {
  for (const each of all(HTMLElement, '[data-script]')) each.hidden = false
  offline = first(HTMLElement, '[data-offline]')
  away = (isWaiting && offline?.dataset['asks']) || (offline?.textContent ?? '')
  question = first(HTMLDialogElement, '[data-closing]')
  question?.addEventListener('close', () => {
    if (!question) return
    if (question.returnValue === 'close') say('closed')
    question.returnValue = ''
  })
}
readParts()

// ------------------------------------------------------------------------------------------------- held by a shop's page

// A shop's page that holds the payment page by the loader learns what happens here, and nothing else (docs/pages.md, "Messages"). An error
// page knows no shop, and its messages contain nothing.
const { held, shop = '*', handler } = main?.dataset ?? {}
const isTop = parent === window
const isHeld = isTop ? held === 'window' || (!stateAddress && opener) : held !== undefined || !stateAddress
/** @type {Window | null} */
const holder = isHeld ? (isTop ? opener : parent) : null
/** @type {(type: string, more?: object) => void} */
const say = (type, more) => holder?.postMessage({ mohur: type, ...more }, shop)

// The loader names the frame of its overlay. An element of a shop's page has no cross, because nothing closes it.
const cross = window.name === 'mohur' ? first(HTMLButtonElement, '[data-close]') : undefined
const sayShown = () => say('shown', cross && { closes: true })
// A payment under way may still take money, so closing asks first.
function close() {
  if (!question || !isWaiting) return say('closed')
  say('stays')
  if (!question.open) question.showModal()
}

// The shop's page gets the form once. A later press submits the form.
const handed = new WeakSet()
// The loader sends the payer to the callbackUrl by the page's id. A form without an action has no callbackUrl, so it sends no id.
/** @param {HTMLFormElement} form */
function toShop(form) {
  handed.add(form)
  const id = hasAttribute.call(form, 'action') ? location.pathname.split('/')[2] : undefined
  if (handler === undefined) say('leave', { id, toShop: true })
  else say('result', { fields: Object.fromEntries(new FormData(form)), id })
}

if (holder) {
  addEventListener('message', ({ source, origin, data }) => {
    if (source !== holder || (shop !== '*' && origin !== shop)) return
    if (data?.mohur === 'close') close()
    // The loader asks whenever its frame has loaded: the browser's own page for a lost network would not answer.
    else if (data?.mohur === 'seen') sayShown()
  })
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented || question?.open) return
    // The same press would close the question that it opens.
    event.preventDefault()
    close()
  })
  if (main && !isTop) new ResizeObserver(() => say('height', { height: Math.ceil(main.getBoundingClientRect().height) })).observe(main)
  if (cross) {
    cross.hidden = false
    cross.addEventListener('click', close)
  }
  sayShown()
  if (document.querySelector('[data-over]')) say('expired')
}

// ------------------------------------------------------------------------------------------------------ going on by itself

// One press is one request. A page that returns from the browser's memory may be pressed again, and then shows the state.
const sent = new WeakSet()

const going = first(HTMLElement, '[data-going]')
/** @type {(isGoing: boolean) => void} */
const sayGoing = (isGoing) => {
  if (going) going.hidden = !isGoing
}

// A payer who comes back by the browser's button is not sent away again. A form that sends itself is not sent by a press as well. But
// within a frame the browser may require the press.
/** @type {HTMLFormElement | undefined} */
let stays
const goes = isComingBack ? undefined : first(HTMLFormElement, '[data-goes]')
if (goes) {
  const isToShop = hasAttribute.call(goes, 'data-to-shop')
  if (!holder || (isTop && (holder.closed || !isToShop))) {
    if (stage === 'paid' || stage === 'closed') stays = goes
    else {
      sayGoing(true)
      if (isTop) sent.add(goes)
      requestSubmit.call(goes)
    }
  } else if (isToShop) toShop(goes)
  else say('leave', { id: location.pathname.split('/')[2] })
}

// The script that checks fields and asks for amounts loads when the payer begins to use the page. The first view does without it.
/** @type {Promise<typeof import('./fields.js')> | undefined} */
let fields
/** @type {typeof import('./fields.js') | undefined} */
let loaded
let tries = 0
const openAtFirst = first(HTMLDetailsElement, 'details[open]')
function loadFields() {
  // A browser does not load a failed address a second time, so each try has its own.
  fields ??= import(`${first(HTMLScriptElement, '[data-fields]')?.dataset['fields']}#${tries++}`).then(
    (module) => {
      loaded = module
      module.start(openAtFirst)
      return module
    },
    (error) => {
      fields = undefined
      throw error
    },
  )
  return fields
}
if (stays) {
  const form = stays
  handed.add(form)
  // Without that script the payer presses.
  void loadFields()
    .then(({ stayThenGo }) => stayThenGo(form, sayGoing))
    .catch(() => {})
}
if (document.querySelector('[data-app]')) void loadFields().catch(() => {})
if (document.querySelector('form[data-pays], input[autocomplete="one-time-code"]'))
  for (const kind of ['pointerdown', 'keydown', 'focusin'])
    document.addEventListener(kind, () => void loadFields().catch(() => {}), { once: true })

const CHECKED = '[data-pays]:has([data-says], [name="bank"], [name="savedCard"], [name="share"])'
document.addEventListener('submit', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || getAttribute.call(form, 'method') !== 'post') return
  const isToShop = hasAttribute.call(form, 'data-to-shop')
  if (isToShop && holder && (!handed.has(form) || !hasAttribute.call(form, 'action'))) {
    event.preventDefault()
    return toShop(form)
  }
  if (sent.has(form)) return event.preventDefault()
  // A form that cannot arrive, or is not right yet, is not sent. Its typed fields stay.
  if (isOurs(form) && isOffline()) return event.preventDefault()
  if (!ready.has(form) && matches.call(form, fields ? `.language, ${CHECKED}` : CHECKED)) {
    if (loaded && !loaded.fieldsAreGood(form)) return event.preventDefault()
    if (!loaded || loaded.isPriceOpen(form)) {
      event.preventDefault()
      return void prepared(form, event.submitter)
    }
  }
  ready.delete(form)
  sent.add(form)
  if (!isToShop) say('busy')
  if (matches.call(form, '.language')) loaded?.carryTyped(form)
  // A browser without this goes on as without script.
  if (hasAttribute.call(form, 'data-upi') && 'timeout' in AbortSignal) {
    event.preventDefault()
    void inPlace(form)
  }
  const button = first(HTMLButtonElement, 'button', form)
  if (!button) return
  button.setAttribute('aria-busy', 'true')
  if (button.classList.contains('plain')) return
  words.set(button, button.textContent)
  button.textContent = main?.dataset['busy'] ?? button.textContent
})
// A payment by UPI app begins without a new page. The form is sent once, while the script that shows the next step is on its way.
/** @param {HTMLFormElement} form */
async function inPlace(form) {
  const body = new URLSearchParams(/** @type {any} */ (new FormData(form)))
  const signal = AbortSignal.timeout(ANSWER_MS)
  const answer = fetch(getAttribute.call(form, 'action') ?? '', { method: 'POST', body, redirect: 'manual', signal })
  answer.catch(() => {})
  try {
    if (!(await (await loadFields()).showNext(form, answer, unsend))) return
  } catch {
    // The answer is lost, or there is nothing to show. The page is loaded anew once the service answers.
    main?.setAttribute('data-version', '')
  }
  await wait()
}
/** @param {HTMLFormElement} form */
const isOurs = (form) =>
  Object.assign(document.createElement('a'), { href: getAttribute.call(form, 'action') ?? '' }).origin === location.origin
/** @type {WeakSet<HTMLFormElement>} */
const ready = new WeakSet()
// Sends the form once its fields are right and its button says the amount.
/** @type {(form: HTMLFormElement, pressed: HTMLElement | null) => Promise<void>} */
async function prepared(form, pressed) {
  try {
    const { fieldsAreGood, priceKnown } = await loadFields()
    if (!fieldsAreGood(form)) return
    if (!(await priceKnown(form))) return sayOffline()
  } catch {
    // Another language needs no fields.
    if (matches.call(form, CHECKED)) return sayOffline()
  }
  ready.add(form)
  // A form that is just being submitted would ignore this.
  setTimeout(() => requestSubmit.call(form, pressed))
}
/** @type {Map<HTMLButtonElement, string>} */
const words = new Map()
const unsend = () => {
  for (const form of all(HTMLFormElement, 'form')) sent.delete(form)
  for (const button of all(HTMLButtonElement, '[aria-busy]')) {
    button.removeAttribute('aria-busy')
    button.textContent = words.get(button) ?? button.textContent
  }
}

// A page that was answered in place is not sent again when the browser reloads it.
if (stateAddress) history.replaceState(null, '', stateAddress.replace(/\/state$/, '') + location.search)

// The page itself asks a payer who leaves for the shop, so that "no" loses nothing.
const leaving = first(HTMLDialogElement, '[data-leaving]')
for (const link of all(HTMLAnchorElement, '[data-leaves]'))
  link.addEventListener('click', (event) => {
    if (!leaving) return
    event.preventDefault()
    leaving.showModal()
  })

// -------------------------------------------------------------------------------------------------------------- waiting

let asked = 0
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer
let isAsking = false

// Reloads the page, and keeps the query with its message to the payer. So a payer who has been at the bank is not sent there again.
const anew = () => location.replace(location.pathname + location.search)

// False when no answer came.
async function look(isPressed = false) {
  if (!stateAddress || (isAsking && !isPressed)) return false
  clearTimeout(timer)
  isAsking = true
  let isAnswered = false
  try {
    const askedAt = performance.now()
    const answer = await fetch(stateAddress, { cache: 'no-store', signal: AbortSignal.timeout(ASKED_MS) })
    const state = await answer.json()
    if (answer.status === 404 || (answer.ok && state.version !== main?.dataset['version'])) anew()
    else if (answer.ok) setTime(state.until, state.now, askedAt)
    isAnswered = answer.ok
  } catch {
    // Offline, or a proxy's page: the next look asks again.
  } finally {
    isAsking = false
  }
  again()
  return isAnswered
}

function again() {
  clearTimeout(timer)
  if (!isWaiting || document.hidden) return
  timer = setTimeout(() => void look(), WAITS_MS[Math.min(asked++, WAITS_MS.length - 1)])
}

// Looks at once when the payer comes back from the bank's app, another tab or the browser's memory. Also looks when the network is back.
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) void look()
})
addEventListener('pageshow', (event) => {
  if (!event.persisted) return
  sayGoing(false)
  unsend()
  void look()
})
addEventListener('online', () => {
  if (offline) offline.textContent = offline.dataset['offline'] ?? ''
  void look()
})
function sayOffline() {
  if (!offline) return
  offline.textContent = away
  offline.hidden = false
  offline.scrollIntoView({ block: 'nearest' })
}
function isOffline() {
  if (navigator.onLine) return false
  sayOffline()
  return true
}
addEventListener('offline', sayOffline)
again()
// For an attempt that has begun without a new page.
async function wait() {
  isWaiting = true
  readParts()
  sayShown()
  if (!(await look(true))) sayOffline()
}

const setTime = keepTime({ anew, look, sayOffline })
