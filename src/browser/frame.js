// The frame in a shop's page before the payment page is in it (docs/pages.md, "The browser loader"). It receives the token by a
// message, and posts the form that opens the page. It contains nothing itself, so any page may frame it.

const holder = parent === window ? opener : parent
const form = document.querySelector('form')
const NAMES = ['mid', 'orderId', 'txnToken', 'locale', 'view']
let isOpened = false

addEventListener('message', ({ source, origin, data }) => {
  if (!form || isOpened || source === null || source !== holder || typeof data !== 'object' || data?.mohur !== 'open') return
  // Pages without an origin of their own all look alike, so no message could go to one of them alone.
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
