// The page of the sandbox's phone asks whether there is something new, and is loaded anew when there is (docs/sandbox.md).

const EVERY_MS = 2_000
const news = document.querySelector('[data-state]')

/** Somebody is typing: what stands in a field is not thrown away. */
const isTyped = () => [...document.querySelectorAll('input')].some((input) => input.type !== 'hidden' && input.value !== input.defaultValue)

async function look() {
  if (!(news instanceof HTMLElement) || document.hidden) return
  try {
    const { version } = await (await fetch(news.dataset['state'] ?? '')).json()
    if (version === news.dataset['version']) return
    if (isTyped()) news.hidden = false
    else location.reload()
  } catch {
    // the service is away: the next look may find it
  }
}
setInterval(look, EVERY_MS)
document.addEventListener('visibilitychange', look)
