// How long the payment page is open (docs/pages.md).

import { all, first, getAttribute } from './elements.js'

const SOON_MS = 120_000
const SHOWN_MS = 3_600_000
const GAP_MS = 5_000
const LATE_MS = 500
const time = first(HTMLElement, '[data-until]')
const left = first(HTMLElement, '[data-left]', time)
const { lang } = document.documentElement
const dayPeriod = lang.startsWith('hi') ? 'short' : undefined
const clockOf = new Intl.DateTimeFormat(`${lang}-u-nu-latn`, {
  timeZone: 'Asia/Kolkata',
  hour: 'numeric',
  minute: '2-digit',
  hourCycle: 'h12',
  dayPeriod,
})

// The service says how much time is left. A counter that cannot be set goes on from there, because the payer's clock may be wrong. The
// counter stands still while a device sleeps. So after a gap between two ticks the page asks the service again.
/**
 * Returns the function that sets the counter. The service answered `newUntil`, the end of the page's time, and `now` at `askedAt`.
 * @type {(parts: { anew: () => void, look: (isPressed?: boolean) => Promise<boolean>, sayOffline: () => void }) => (newUntil: number, now: number, askedAt: number) => void}
 */
export function keepTime({ anew, look, sayOffline }) {
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

  // The figures are for eyes. A screen reader says until when the page is open, and once that it ends soon.
  function tick() {
    const leftMs = endsAt - performance.now()
    if (!time || isOver) return
    const soon = first(HTMLElement, '[data-soon]')
    if (soon) soon.hidden = leftMs > SOON_MS
    const [minutes, seconds] = left?.children ?? []
    if (left && minutes && seconds) {
      const whole = Math.max(0, Math.floor(leftMs / 1_000))
      ;[minutes.textContent, seconds.textContent] = [`${Math.floor(whole / 60)}`, `${whole % 60}`]
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

  // Asks for more time, and keeps the typed fields. When the service gives no more time, the page says so.
  for (const form of all(HTMLFormElement, '[data-more]'))
    addEventListener.call(form, 'submit', async (event) => {
      event.preventDefault()
      event.stopPropagation()
      const before = until
      try {
        await fetch(getAttribute.call(form, 'action') ?? '', { method: 'POST', body: new URLSearchParams(), redirect: 'manual' })
        if ((await look(true)) && until === before) anew()
      } catch {
        sayOffline()
      }
    })
  return setTime
}
