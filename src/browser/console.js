// Script of the console (docs/console.md): two keys, and the number of rows that arrived since a list was shown.

const EVERY_MS = 15_000
const box = document.querySelector('input.find')
const keys = document.querySelector('dialog.keys')
const fresh = document.querySelector('[data-new]')

/** @param {EventTarget | null} target */
const isField = (target) => target instanceof HTMLElement && target.matches('input, select, textarea')

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return
  if (event.key === '/' && box instanceof HTMLInputElement) {
    event.preventDefault()
    box.focus()
    box.select()
  }
  if (event.key === '?' && keys instanceof HTMLDialogElement && !keys.open) {
    event.preventDefault()
    keys.showModal()
  }
})

/** @param {HTMLElement} place */
async function look(place) {
  if (document.hidden) return
  try {
    const answer = await fetch(place.dataset['new'] ?? '', { redirect: 'error' })
    if (!answer.ok) return
    /** @type {{ rows: number, isMore: boolean }} */
    const { rows, isMore } = await answer.json()
    if (rows === 0) return
    const link = document.createElement('a')
    link.href = location.href
    link.textContent = `${rows}${isMore ? ' or more' : ''} new`
    place.replaceChildren(link)
  } catch {
    // the service is unreachable, or the session has ended: the next page says so
  }
}

if (fresh instanceof HTMLElement) {
  setInterval(() => look(fresh), EVERY_MS)
  document.addEventListener('visibilitychange', () => look(fresh))
}
