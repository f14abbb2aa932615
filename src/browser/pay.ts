// What script adds to the payment page (docs/pages.md): every form works without it. It waits so that the payer need not, and keeps a
// button from being pressed twice. It writes no HTML and asks nobody but the page's own address. Comments stand on lines of their own:
// they are cut out before a browser gets it.

const main = document.querySelector('main')
const stateAddress = main?.dataset['state']
const stage = main?.dataset['stage']
const isComingBack = performance
  .getEntriesByType('navigation')
  .some((entry) => (entry as PerformanceNavigationTiming).type === 'back_forward')

const all = <E extends HTMLElement>(selector: string) => [...document.querySelectorAll<E>(selector)]

for (const each of all('[data-script]')) each.hidden = false
for (const each of all('[data-unneeded]')) each.hidden = true
for (const each of all<HTMLSelectElement>('select[data-sends]')) each.addEventListener('change', () => each.form?.requestSubmit())

// ------------------------------------------------------------------------------------------------------ going on by itself

// Whoever comes back here by the button of his browser is not sent away again.
if (!isComingBack) all<HTMLFormElement>('form[data-goes]')[0]?.requestSubmit()

// One press is one request; a page that comes out of the browser's memory may be pressed again, and then shows the state.
const sent = new WeakSet<HTMLFormElement>()
document.addEventListener('submit', (event) => {
  const form = event.target as HTMLFormElement
  if (sent.has(form)) return event.preventDefault()
  if (form.method !== 'post') return
  sent.add(form)
  form.querySelector('button')?.setAttribute('aria-busy', 'true')
})
const unsend = () => {
  for (const form of all<HTMLFormElement>('form')) {
    sent.delete(form)
    form.querySelector('button')?.removeAttribute('aria-busy')
  }
}

// -------------------------------------------------------------------------------------------------------------- waiting

const WAITS_MS = [2_000, 3_000, 5_000]
const isWaiting = stage === 'waiting' || stage === 'upi' || stage === 'collect' || stage === 'bank' || stage === 'otp'
let asked = 0
let timer: ReturnType<typeof setTimeout> | undefined
let isAsking = false

async function look() {
  if (!stateAddress || isAsking) return
  clearTimeout(timer)
  isAsking = true
  try {
    const answer = await fetch(stateAddress, { cache: 'no-store', signal: AbortSignal.timeout(8_000) })
    const state = (await answer.json()) as { version?: string }
    if (answer.status === 404 || (answer.ok && state.version !== main?.dataset['version'])) return location.replace(location.pathname)
  } catch {
    // Offline, or a proxy's page: asked again.
  } finally {
    isAsking = false
  }
  again()
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
  for (const each of all('[data-offline]')) each.hidden = true
  void look()
})
addEventListener('offline', () => {
  for (const each of all('[data-offline]')) each.hidden = false
})
again()

// ----------------------------------------------------------------------------------------------------------------- time

const SOON_MS = 120_000
const time = document.querySelector<HTMLElement>('[data-until]')
const leftMs = time ? Number(time.dataset['until']) - Number(time.dataset['now']) : 0
// Longer than a timer can be set for is as good as never.
if (time && leftMs < 2 ** 31) {
  const soon = time.querySelector<HTMLElement>('[data-soon]')
  setTimeout(
    () => {
      if (soon) soon.hidden = false
    },
    Math.max(0, leftMs - SOON_MS),
  )
  setTimeout(() => location.replace(location.pathname), leftMs + 500)
}

// --------------------------------------------------------------------------------------------------------------- fields

// Groups of four, as they stand on the card; the caret stays behind the digit that it was behind.
function group(field: HTMLInputElement) {
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

function slash(field: HTMLInputElement, event: Event) {
  if ((event as InputEvent).inputType?.startsWith('delete')) return
  const digits = field.value.replace(/\D/g, '')
  const month = /^[2-9]/.test(digits) ? `0${digits}` : digits
  if (/^\d*$/.test(field.value) && month.length >= 2) field.value = `${month.slice(0, 2)}/${month.slice(2, 6)}`
}

const BIN_DIGITS = 8
const priced = new WeakMap<HTMLInputElement, string>()

// What the first digits make of the brand and the amount: the button says it before it is pressed.
async function price(field: HTMLInputElement) {
  const digits = field.value.replace(/\D/g, '').slice(0, BIN_DIGITS)
  const form = field.form
  if (!form || digits.length < BIN_DIGITS || priced.get(field) === digits) return
  priced.set(field, digits)
  const mode = form.querySelector<HTMLInputElement>('input[name="mode"]')?.value ?? ''
  try {
    const answer = await fetch(form.dataset['pays'] ?? '', { method: 'POST', body: new URLSearchParams({ digits, mode }) })
    const { brand, paise, button } = (await answer.json()) as { brand?: string; paise?: number; button?: string }
    const [said, amount, shown] = [
      form.querySelector('button'),
      form.querySelector<HTMLInputElement>('input[name="amount"]'),
      form.querySelector('[data-brand]'),
    ]
    if (paise === undefined || priced.get(field) !== digits || !said || !amount) return
    amount.value = String(paise)
    said.textContent = button ?? ''
    if (shown) shown.textContent = brand ?? ''
  } catch {
    // The decision that pays judges it all the same.
  }
}

for (const field of all<HTMLInputElement>('input[autocomplete="cc-number"]'))
  field.addEventListener('input', () => {
    group(field)
    void price(field)
  })
for (const field of all<HTMLInputElement>('input[autocomplete="cc-exp"]')) field.addEventListener('input', (event) => slash(field, event))
for (const field of all<HTMLInputElement>('input[autocomplete="one-time-code"]'))
  field.addEventListener('input', () => {
    const digits = field.value.replace(/\D/g, '')
    if (digits !== field.value) field.value = digits
  })
