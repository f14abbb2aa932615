// Script of the sandbox's phone (docs/sandbox.md): it asks whether there is something new, and then reloads the page.

const EVERY_MS = 2_000
const news = document.querySelector('[data-state]')

/** The developer is typing: the text in a field must not be lost. */
const isTyped = () => [...document.querySelectorAll('input')].some((input) => input.type !== 'hidden' && input.value !== input.defaultValue)

async function look() {
  if (!(news instanceof HTMLElement) || document.hidden) return
  try {
    const { version } = await (await fetch(news.dataset['state'] ?? '')).json()
    if (version === news.dataset['version']) return
    if (isTyped()) news.hidden = false
    else location.reload()
  } catch {
    // the service is unreachable: the next look may find it
  }
}
setInterval(look, EVERY_MS)
document.addEventListener('visibilitychange', look)
