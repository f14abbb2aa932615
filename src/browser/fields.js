// Script for fields (docs/pages.md): it groups digits, marks wrong fields at once, and shows the amount that a choice makes. Without this
// script the browser's own checks, and the decision that pays, find the faults. pay.js loads it when the payer begins to use the page, or
// shows how the payment ended.

import { all, append, closest, first, getAttribute, hasAttribute, setAttribute } from './elements.js'
import { lastAppFirst, showNext } from './upi-in-place.js'

export { showNext }

const { reportValidity, requestSubmit } = HTMLFormElement.prototype

// Groups the digits as on the card, mostly by four. The caret stays behind its digit.
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

// This adds the slash behind a month. If the payer types a slash too, the field still has only one.
/** @type {(field: HTMLInputElement, event: Event) => void} */
function slash(field, event) {
  if (event instanceof InputEvent && event.inputType.startsWith('delete')) return
  const [, month = '', year = ''] = /^\D*([2-9]|\d{0,2})\D*(\d{0,4})/.exec(field.value) ?? []
  if (month.length === 2 || /^([2-9]|1\D)/.test(field.value)) field.value = `${month.padStart(2, '0')}/${year}`
}

// `plans` are the plans for the amount on the button, with their terms. No other plan of the form can be chosen.
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

// ------------------------------------------------------------------------------------------------------- what cannot be right

/** @param {string} digits */
function hasCheckDigit(digits) {
  let sum = 0
  for (const [at, digit] of [...digits].reverse().entries()) {
    const value = Number(digit) * (1 + (at % 2))
    sum += value > 9 ? value - 9 : value
  }
  return digits.length >= 12 && digits.length <= 19 && sum % 10 === 0
}

// The months until an expiry: below zero in the past, NaN when the text names no month. The page gives the service's time for this, because
// the payer's clock may be wrong.
/** @param {string} typed */
function monthsAhead(typed) {
  const [, month = '', year = ''] = /^(\d{1,2})\D*(\d{2}|\d{4})$/.exec(typed.trim()) ?? []
  const now = new Date(Number(first(HTMLElement, '[data-now]')?.dataset['now']) + 330 * 60_000)
  const months = (year.length === 2 ? 2_000 + Number(year) : Number(year)) * 12 + Number(month) - 1
  return Number(month) >= 1 && Number(month) <= 12 ? months - now.getUTCFullYear() * 12 - now.getUTCMonth() : Number.NaN
}

/** @param {HTMLInputElement} field */
function isGood(field) {
  const { value, autocomplete } = field
  if (!field.checkValidity()) return false
  if (autocomplete === 'cc-number') return hasCheckDigit(value.replace(/\D/g, ''))
  return autocomplete !== 'cc-exp' || monthsAhead(value) >= 0
}

/** @type {(field: HTMLInputElement, good: boolean) => void} */
function mark(field, good) {
  const id = `${field.id}-fault`
  const shown = document.getElementById(id)
  const brand = field.autocomplete === 'cc-number' && field.form ? first(HTMLElement, '[data-brand]', field.form) : undefined
  if (brand) brand.hidden = !good
  if (good) {
    shown?.remove()
    field.removeAttribute('aria-invalid')
    return
  }
  field.setAttribute('aria-invalid', 'true')
  const { past, says: form } = field.dataset
  const textContent = past !== undefined && monthsAhead(field.value) < 0 ? past : form
  if (shown) return void Object.assign(shown, { textContent })
  const says = document.createElement('p')
  Object.assign(says, { id, className: 'fault', textContent })
  field.parentElement?.append(says)
  field.setAttribute('aria-describedby', `${field.getAttribute('aria-describedby') ?? ''} ${id}`.trim())
}

const checked = all(HTMLInputElement, 'input[data-says]')
for (const field of checked) {
  if (field.form) setAttribute.call(field.form, 'novalidate', '')
  field.addEventListener('blur', () => {
    if (field.value !== '') mark(field, isGood(field))
  })
  field.addEventListener('input', () => {
    if (field.getAttribute('aria-invalid') && isGood(field)) mark(field, true)
  })
}

// Marks all wrong fields at once, and moves to the first.
/** @param {HTMLFormElement} form */
export function fieldsAreGood(form) {
  const wrong = checked.filter((field) => field.form === form && !isGood(field))
  for (const field of wrong) mark(field, false)
  wrong[0]?.focus()
  return wrong.length === 0 && (!hasAttribute.call(form, 'novalidate') || reportValidity.call(form))
}

// ------------------------------------------------------------------------------------------------------------- the amount

const BIN_DIGITS = 8
// The fields that the button's amount counts, by form; and those that the service is being asked about.
/** @type {WeakMap<HTMLFormElement, string>} */
const priced = new WeakMap()
/** @type {WeakMap<HTMLFormElement, { known: string, answered: Promise<boolean> }>} */
const asking = new WeakMap()
/** @param {HTMLFormElement} form */
const forget = (form) => {
  priced.delete(form)
  asking.delete(form)
}

/** @param {HTMLFormElement} form */
function askedFor(form) {
  const typed = new FormData(form)
  const digits = String(typed.get('cardNumber') ?? '')
    .replace(/\D/g, '')
    .slice(0, BIN_DIGITS)
  const body = new URLSearchParams(digits.length === BIN_DIGITS ? { digits } : {})
  for (const name of ['mode', 'by', 'bank', 'savedCard', 'share', 'emiBank']) if (typed.get(name)) body.set(name, String(typed.get(name)))
  return body
}

// True when the amount depends on a field that the button does not count yet.
/** @type {(form: HTMLFormElement, asked: URLSearchParams) => boolean} */
const isOpen = (form, asked) =>
  ['digits', 'bank', 'savedCard', 'share'].some((name) => asked.has(name)) && priced.get(form) !== asked.toString()

/** @param {HTMLFormElement} form */
export const isPriceOpen = (form) => isOpen(form, askedFor(form))
// Runs before a form is sent. False when the service could not be reached.
/** @param {HTMLFormElement} form */
export async function priceKnown(form) {
  while (isPriceOpen(form)) if (!(await price(form))) return false
  return true
}

// Asks for the amount with the first digits, the bank, a saved card or a part from the wallet. The button and the summary show it
// before anything is sent. False when the service could not be reached.
/** @type {(form: HTMLFormElement | null) => Promise<boolean>} */
async function price(form) {
  if (!form) return true
  const body = askedFor(form)
  const known = body.toString()
  if (priced.get(form) === known) return true
  const before = asking.get(form)
  if (before?.known === known) return before.answered
  const answered = answerOf(form, body)
  asking.set(form, { known, answered })
  const isAnswered = await answered
  if (asking.get(form)?.answered === answered) asking.delete(form)
  return isAnswered
}

/** @type {(form: HTMLFormElement, body: URLSearchParams) => Promise<boolean>} */
async function answerOf(form, body) {
  const known = body.toString()
  try {
    const answer = await fetch(getAttribute.call(form, 'data-pays') ?? '', { method: 'POST', body })
    const { brand, paise, wallet, button, less, saves, cashback, plans, amount, rows } = await answer.json()
    // The payer has changed a field meanwhile.
    if (askedFor(form).toString() !== known) return true
    priced.set(form, known)
    if (paise === undefined) return true
    const [pays, below, promised, part, back, shown, saved] = [
      first(HTMLButtonElement, 'button', form),
      first(HTMLElement, '[data-less]', form),
      first(HTMLInputElement, '[name="amount"]', form),
      first(HTMLInputElement, '[name="wallet"]', form),
      first(HTMLInputElement, '[name="cashback"]', form),
      first(HTMLElement, '[data-brand]', form),
      first(HTMLElement, '[data-saves]', closest.call(form, 'details') ?? form),
    ]
    if (promised) promised.value = String(paise)
    if (part) part.value = String(wallet)
    if (back && cashback !== undefined) back.value = cashback
    if (pays) pays.textContent = button
    if (below) Object.assign(below, { textContent: less, hidden: less === '' })
    if (shown) shown.textContent = brand
    if (saved) saved.textContent = saves
    const until = first(HTMLElement, '[data-until-card]')
    if (until) until.hidden = body.has('savedCard') || (body.has('digits') && body.get('mode') !== 'EMI')
    summarise(amount, rows)
    if (plans) setPlans(form, plans)
  } catch {
    return false
  }
  return true
}

/** @type {(amount: string, rows: [string, string][]) => void} */
function summarise(amount, rows) {
  const [large, summary] = [first(HTMLElement, '[data-amount]'), first(HTMLElement, '[data-summary]')]
  if (!large || !summary) return
  large.textContent = amount
  const list = document.createElement('dl')
  list.className = 'rows'
  for (const [name, value] of rows) {
    const [row, term, said] = [document.createElement('div'), document.createElement('dt'), document.createElement('dd')]
    term.textContent = name
    said.textContent = value
    row.append(term, said)
    list.append(row)
  }
  summary.replaceChildren(...(rows.length > 0 ? [list] : []))
}

// The summary shows the amount for the way to pay that is open. For `openAtFirst` the page itself already shows the amount.
/** @param {HTMLDetailsElement | undefined} openAtFirst */
export function start(openAtFirst) {
  lastAppFirst()
  let current = openAtFirst
  /** @param {HTMLDetailsElement} way */
  const opened = (way) => {
    const form = first(HTMLFormElement, 'form[data-pays]', way)
    if (!way.open || way === current) return
    current = way
    // The previous way has folded above it. The choice and the next step stay in sight.
    way.scrollIntoView({ block: way.offsetHeight > innerHeight ? 'start' : 'nearest' })
    if (!form) return
    forget(form)
    void price(form)
  }
  for (const way of all(HTMLDetailsElement, 'details[name="way"]')) {
    way.addEventListener('toggle', () => opened(way))
    opened(way)
  }
  // For fields that the payer filled while this script was on its way.
  for (const field of all(HTMLInputElement, '[autocomplete="cc-number"]')) group(field)
  for (const form of all(HTMLFormElement, 'form[data-pays]')) if (isPriceOpen(form)) void price(form)
}

for (const field of all(HTMLInputElement, '[autocomplete="cc-number"]'))
  field.addEventListener('input', () => {
    group(field)
    if (field.value.replace(/\D/g, '').length >= BIN_DIGITS) return void price(field.form)
    // With fewer digits the card is not known. Its brand goes, and the form says again what any card pays.
    if (!field.form) return
    const wasKnown = priced.get(field.form)?.includes('digits')
    forget(field.form)
    first(HTMLElement, '[data-brand]', field.form)?.replaceChildren()
    if (wasKnown) void price(field.form)
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

// ------------------------------------------------------------------------------------------------------------ how it ended

const STAYS_MS = 3_000
// A result stays, so that the payer can read it. A key, a press, a scroll or a focus keeps the result until a button is pressed. Only time
// in sight counts.
/** @type {(form: HTMLFormElement, sayGoing: (isGoing: boolean) => void) => void} */
export function stayThenGo(form, sayGoing) {
  sayGoing(true)
  const heading = first(HTMLHeadingElement, '#heading')
  heading?.focus()
  const stopped = new AbortController()
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let leaves
  const begin = () => {
    clearTimeout(leaves)
    if (!document.hidden) leaves = setTimeout(() => requestSubmit.call(form), STAYS_MS)
  }
  /** @param {Event} event */
  const stop = ({ type, target }) => {
    // A window that regains the focus focuses the heading again. That is no act of the payer.
    if (type === 'focusin' && target === heading) return
    stopped.abort()
    clearTimeout(leaves)
    sayGoing(false)
  }
  document.addEventListener('visibilitychange', begin, { signal: stopped.signal })
  for (const kind of ['keydown', 'pointerdown', 'wheel', 'focusin', 'pagehide']) addEventListener(kind, stop, { signal: stopped.signal })
  begin()
}

// Another language keeps the typed fields, except card numbers and codes. The fields go with this form alone, and nothing stores them.
const SECRET = /^(cardNumber|cvv|code|otp|account|attempt|amount|wallet|cashback|payer)$/
/** @param {HTMLFormElement} form */
export function carryTyped(form) {
  const way = first(HTMLDetailsElement, 'details[name="way"][open]')
  if (!way) return
  const given = all(HTMLFormElement, 'form', way).flatMap((each) => [...new FormData(each)])
  for (const [name, value] of new Map([...given, ['panel', way.id.slice(4)]])) {
    if (SECRET.test(name) || typeof value !== 'string' || value === '') continue
    const field = document.createElement('input')
    Object.assign(field, { type: 'hidden', name, value })
    append.call(form, field)
  }
}
