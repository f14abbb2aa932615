// The frame that a shop's page holds before there is a payment page in it (docs/pages.md, "The browser loader"): it is handed the token by a
// message, and posts the form that opens the page. It holds nothing itself, so that anybody may frame it.

const holder = parent === window ? opener : parent
const form = document.querySelector('form')
const NAMES = ['mid', 'orderId', 'txnToken', 'locale', 'view']
let isOpened = false

addEventListener('message', ({ source, origin, data }) => {
  if (!form || isOpened || source === null || source !== holder || typeof data !== 'object' || data?.mohur !== 'open') return
  // A page without an origin of its own cannot be told from any other: nothing could be said to it alone.
  if (origin === 'null') {
    for (const each of document.querySelectorAll('[data-script]')) each.removeAttribute('hidden')
    return holder.postMessage({ mohur: 'shown' }, '*')
  }
  isOpened = true
  for (const [name, value] of [...NAMES.map((each) => [each, data[each]]), ['origin', origin]]) {
    if (typeof value !== 'string' || value === '') continue
    const field = document.createElement('input')
    Object.assign(field, { type: 'hidden', name, value })
    Element.prototype.append.call(form, field)
  }
  HTMLFormElement.prototype.submit.call(form)
})
holder?.postMessage({ mohur: 'ready' }, '*')
