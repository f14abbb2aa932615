// What script adds to the payment page (docs/pages.md): every form works without it. It waits so that the payer need not, and keeps a
// button from being pressed twice. It writes no HTML and asks nobody but the page's own address. What stands here is what browsers
// get, without its comments, which therefore stand alone in their lines or around a type; so it is JavaScript, and types are in the comments.

/** @type {<E extends HTMLElement>(kind: new () => E, selector: string, within?: ParentNode) => E[]} */
const all = (kind, selector, within = document) =>
  [...within.querySelectorAll(selector)].flatMap((each) => (each instanceof kind ? [each] : []))
/** @type {<E extends HTMLElement>(kind: new () => E, selector: string, within?: ParentNode) => E | undefined} */
const first = (kind, selector, within) => all(kind, selector, within)[0]

const main = document.querySelector('main')
const stateAddress = main?.dataset['state']
const stage = main?.dataset['stage']
const isComingBack = performance
  .getEntriesByType('navigation')
  .some((entry) => entry instanceof PerformanceNavigationTiming && entry.type === 'back_forward')

for (const each of all(HTMLElement, '[data-script]')) each.hidden = false
for (const each of all(HTMLElement, '[data-unneeded]')) each.hidden = true
for (const each of all(HTMLSelectElement, '[data-sends]')) each.addEventListener('change', () => each.form?.requestSubmit())

const WAITS_MS = [2_000, 3_000, 5_000]
const isWaiting = stage === 'waiting' || stage === 'upi' || stage === 'collect' || stage === 'bank' || stage === 'otp'

// ------------------------------------------------------------------------------------------------- held by a shop's page

// A shop's page that holds this one by the loader is told what becomes of it, and nothing else (docs/pages.md, "Messages"). A page
// of errors knows no shop: what it says holds nothing.
const { held, shop = '*', handler } = main?.dataset ?? {}
const isTop = parent === window
const isHeld = isTop ? held === 'window' || (!stateAddress && opener) : held !== undefined || !stateAddress
/** @type {Window | null} */
const holder = isHeld ? (isTop ? opener : parent) : null
/** @type {(type: string, more?: object) => void} */
const say = (type, more) => holder?.postMessage({ mohur: type, ...more }, shop)

const question = first(HTMLDialogElement, '[data-closing]')
// What is under way may still take money: closing asks first.
function close() {
  if (!question || !isWaiting) return say('closed')
  say('stays')
  if (!question.open) question.showModal()
}

// The shop's page answers once; a press after that goes by itself.
const handed = new WeakSet()
/** @param {HTMLFormElement} form */
function toShop(form) {
  handed.add(form)
  const id = form.hasAttribute('action') ? location.pathname.split('/')[2] : undefined
  if (handler === undefined) say('leave', { id, toShop: true })
  else say('result', { fields: Object.fromEntries(new FormData(form)), id })
}

if (holder) {
  addEventListener('message', ({ source, origin, data }) => {
    if (source === holder && (shop === '*' || origin === shop) && data?.mohur === 'close') close()
  })
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented || question?.open) return
    // The same press would close the question that it opens.
    event.preventDefault()
    close()
  })
  question?.addEventListener('close', () => {
    if (question.returnValue === 'close') say('closed')
    question.returnValue = ''
  })
  if (main && !isTop) new ResizeObserver(() => say('height', { height: main.getBoundingClientRect().height })).observe(main)
  say('shown')
  if (document.querySelector('[data-over]')) say('expired')
}

// ------------------------------------------------------------------------------------------------------ going on by itself

// A payer who comes back here by the browser's button is not sent away again.
const goes = isComingBack ? undefined : first(HTMLFormElement, '[data-goes]')
if (!goes || !holder || (isTop && holder.closed)) goes?.requestSubmit()
else if (goes.matches('[data-to-shop]')) toShop(goes)
else if (isTop) goes.requestSubmit()
else say('leave', { id: location.pathname.split('/')[2] })

// One press is one request; a page that comes out of the browser's memory may be pressed again, and then shows the state.
const sent = new WeakSet()
document.addEventListener('submit', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || form.method !== 'post') return
  const isToShop = form.matches('[data-to-shop]')
  if (isToShop && holder && (!handed.has(form) || !form.hasAttribute('action'))) {
    event.preventDefault()
    return toShop(form)
  }
  if (sent.has(form)) return event.preventDefault()
  sent.add(form)
  if (!isToShop) say('busy')
  form.querySelector('button')?.setAttribute('aria-busy', 'true')
})
const unsend = () => {
  for (const form of all(HTMLFormElement, 'form')) {
    sent.delete(form)
    form.querySelector('button')?.removeAttribute('aria-busy')
  }
}

// -------------------------------------------------------------------------------------------------------------- waiting

let asked = 0
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer
let isAsking = false

// With what was said to the payer: who has been at his bank is not sent there again.
const anew = () => location.replace(location.pathname + location.search)

// False where nothing was heard.
async function look(isPressed = false) {
  if (!stateAddress || (isAsking && !isPressed)) return false
  clearTimeout(timer)
  isAsking = true
  let isHeard = false
  try {
    const askedAt = performance.now()
    const answer = await fetch(stateAddress, { cache: 'no-store', signal: AbortSignal.timeout(8_000) })
    const state = await answer.json()
    if (answer.status === 404 || (answer.ok && state.version !== main?.dataset['version'])) anew()
    else if (answer.ok) setTime(state.until, state.now, askedAt)
    isHeard = answer.ok
  } catch {
    // Offline, or a proxy's page: asked again.
  } finally {
    isAsking = false
  }
  again()
  return isHeard
}

function again() {
  clearTimeout(timer)
  if (!isWaiting || document.hidden) return
  timer = setTimeout(() => void look(), WAITS_MS[Math.min(asked++, WAITS_MS.length - 1)])
}

// Back from the bank's app, from another tab, from the browser's memory, or in reach of the network: at once.
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) void look()
})
addEventListener('pageshow', (event) => {
  if (!event.persisted) return
  unsend()
  void look()
})
addEventListener('online', () => {
  for (const each of all(HTMLElement, '[data-offline]')) each.hidden = true
  void look()
})
function sayOffline() {
  for (const each of all(HTMLElement, '[data-offline]')) each.hidden = false
}
addEventListener('offline', sayOffline)
again()

// ----------------------------------------------------------------------------------------------------------------- time

// The service says how much is left, and a counter that nobody can set goes on from there: the payer's clock may be wrong. The counter stands
// still while a device sleeps, so that after a gap between two ticks the service is asked anew.
const SOON_MS = 120_000
const SHOWN_MS = 3_600_000
const GAP_MS = 5_000
const LATE_MS = 500
const time = first(HTMLElement, '[data-until]')
const soon = first(HTMLElement, '[data-soon]', time)
const left = first(HTMLElement, '[data-left]', time)
const clockOf = new Intl.DateTimeFormat('en-IN', { timeZone: 'Asia/Kolkata', hour: 'numeric', minute: '2-digit', hourCycle: 'h12' })
let until = Number(time?.dataset['until'])
let endsAt = until - Number(time?.dataset['now'])
let tickedAt = Date.now()
let isOver = false

/** @type {(newUntil: number, now: number, askedAt: number) => void} */
function setTime(newUntil, now, askedAt) {
  endsAt = askedAt + newUntil - now
  const closes = first(HTMLTimeElement, 'time', time)
  if (newUntil !== until && closes) closes.textContent = clockOf.format(newUntil)
  until = newUntil
  tick()
}

// The figures are for eyes: whoever listens hears until when it is open, and once that it ends soon.
function tick() {
  const leftMs = endsAt - performance.now()
  if (!time || isOver) return
  if (soon) soon.hidden = leftMs > SOON_MS
  const figures = left?.firstElementChild
  if (left && figures) {
    const seconds = Math.max(0, Math.floor(leftMs / 1_000))
    figures.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
    left.hidden = leftMs > SHOWN_MS
  }
  if (leftMs > -LATE_MS) return
  isOver = true
  anew()
}

tick()
setInterval(() => {
  const now = Date.now()
  if (Math.abs(now - tickedAt) > GAP_MS && !document.hidden) void look()
  else tick()
  tickedAt = now
}, 1_000)

// More time, and what was typed stays. Where there is no more, the page says so.
for (const form of all(HTMLFormElement, '[data-more]'))
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    event.stopPropagation()
    const before = until
    try {
      await fetch(form.action, { method: 'POST', body: new URLSearchParams(), redirect: 'manual' })
      if ((await look(true)) && until === before) anew()
    } catch {
      sayOffline()
    }
  })

// --------------------------------------------------------------------------------------------------------------- fields

// Groups of four, as they stand on the card; the caret stays behind the digit that it was behind.
/** @param {HTMLInputElement} field */
function group(field) {
  const before = field.value.slice(0, field.selectionStart ?? field.value.length).replace(/\D/g, '').length
  const digits = field.value.replace(/\D/g, '').slice(0, 19)
  const isAmex = /^3[47]/.test(digits)
  const groups = isAmex ? [digits.slice(0, 4), digits.slice(4, 10), digits.slice(10)] : (digits.match(/.{1,4}/g) ?? [])
  const text = groups.filter((each) => each !== '').join(' ')
  if (text === field.value) return
  field.value = text
  let caret = 0
  for (let seen = 0; caret < text.length && seen < before; caret++) if (text[caret] !== ' ') seen++
  field.setSelectionRange(caret, caret)
}

// The slash comes by itself behind a month; whoever types one too has it once.
/** @type {(field: HTMLInputElement, event: Event) => void} */
function slash(field, event) {
  if (event instanceof InputEvent && event.inputType.startsWith('delete')) return
  const [, month = '', year = ''] = /^\D*([2-9]|\d{0,2})\D*(\d{0,4})/.exec(field.value) ?? []
  if (month.length === 2 || /^([2-9]|1\D)/.test(field.value)) field.value = `${month.padStart(2, '0')}/${year}`
}

// The terms of instalments are those of the amount that the button says; a plan that is not for it cannot be chosen.
/** @type {(form: HTMLFormElement, plans: Record<string, { name: string, more: string }>) => void} */
function setPlans(form, plans) {
  for (const radio of all(HTMLInputElement, '[name="plan"]', form)) {
    const plan = plans[radio.value]
    const [label, more] = [radio.closest('label'), first(HTMLElement, 'small', radio.closest('label') ?? form)]
    if (!label || !more) continue
    label.hidden = radio.disabled = !plan
    if (!plan) radio.checked = false
    else if (more.previousSibling) {
      more.previousSibling.textContent = plan.name
      more.textContent = plan.more
    }
  }
}

const BIN_DIGITS = 8
/** @type {WeakMap<HTMLFormElement, string>} */
const priced = new WeakMap()

// What the first digits, the bank, a saved card or a part from the wallet make of the amount: the button says it before it is pressed.
/** @type {(form: HTMLFormElement | null) => Promise<void>} */
async function price(form) {
  if (!form) return
  const typed = new FormData(form)
  const digits = String(typed.get('cardNumber') ?? '')
    .replace(/\D/g, '')
    .slice(0, BIN_DIGITS)
  const body = new URLSearchParams(digits.length === BIN_DIGITS ? { digits } : {})
  for (const name of ['mode', 'bank', 'savedCard', 'share', 'emiBank']) if (typed.get(name)) body.set(name, String(typed.get(name)))
  const known = body.toString()
  if (priced.get(form) === known) return
  priced.set(form, known)
  try {
    const answer = await fetch(form.dataset['pays'] ?? '', { method: 'POST', body })
    const { brand, paise, button, saves, plans } = await answer.json()
    const [pays, amount, shown, saved] = [
      first(HTMLButtonElement, 'button', form),
      first(HTMLInputElement, '[name="amount"]', form),
      first(HTMLElement, '[data-brand]', form),
      first(HTMLElement, '[data-saves]', form.closest('details') ?? form),
    ]
    if (paise === undefined || priced.get(form) !== known || !pays || !amount) return
    amount.value = String(paise)
    pays.textContent = button ?? ''
    if (shown) shown.textContent = brand ?? ''
    if (saved) saved.textContent = saves ?? ''
    if (plans) setPlans(form, plans)
  } catch {
    // The decision that pays judges it all the same.
    priced.delete(form)
  }
}

for (const field of all(HTMLInputElement, '[autocomplete="cc-number"]'))
  field.addEventListener('input', () => {
    group(field)
    if (field.value.replace(/\D/g, '').length >= BIN_DIGITS) void price(field.form)
  })
for (const field of all(HTMLSelectElement, '[data-pays] [name="bank"]')) field.addEventListener('change', () => void price(field.form))
for (const field of all(HTMLInputElement, '[data-pays] [name="savedCard"], [data-pays] [name="share"]')) {
  field.addEventListener('change', () => void price(field.form))
  if (field.name === 'share' && field.checked) void price(field.form)
}
for (const field of all(HTMLInputElement, '[autocomplete="cc-exp"]')) field.addEventListener('input', (event) => slash(field, event))
for (const field of all(HTMLInputElement, '[autocomplete="one-time-code"]'))
  field.addEventListener('input', () => {
    const digits = field.value.replace(/\D/g, '')
    if (digits !== field.value) field.value = digits
  })
