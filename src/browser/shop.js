// The page of the sandbox's demo shop (docs/sandbox.md), as a shop would write it: an order from the shop's own server, then the
// loader.

const { CheckoutJS } = /** @type {any} */ (window).Paytm
const form = document.querySelector('form[data-shop]')
const said = document.querySelector('[data-said]')
/** @param {string} text */
const say = (text) => {
  if (said) said.textContent = text
}

/** @type {(orderId: string, fields: Record<string, string>) => void} */
function toServer(orderId, fields) {
  const back = document.createElement('form')
  back.method = 'post'
  back.action = `/sandbox/shop/order?orderId=${orderId}`
  const hidden = Object.entries(fields).map(([name, value]) =>
    Object.assign(document.createElement('input'), { type: 'hidden', name, value }),
  )
  back.append(...hidden)
  document.body.append(back)
  // By its prototype: a field named `submit` would hide the form's own.
  HTMLFormElement.prototype.submit.call(back)
}

async function pay() {
  const answer = await fetch('/sandbox/shop/orders', { method: 'POST', body: new URLSearchParams({ article: 'COFFEE', by: 'loader' }) })
  const { orderId, txnToken, amount } = await answer.json()
  await CheckoutJS.init({
    data: { orderId, token: txnToken, tokenType: 'TXN_TOKEN', amount },
    merchant: { redirect: false },
    handler: {
      /** @param {Record<string, string>} fields */
      transactionStatus: (fields) => toServer(orderId, fields),
      /** @param {string} event */
      notifyMerchant: (event) => say(event === 'APP_CLOSED' ? 'The payment page was closed. The order can still be paid.' : event),
    },
  })
  await CheckoutJS.invoke()
}

if (form instanceof HTMLFormElement) {
  form.hidden = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    event.stopImmediatePropagation()
    say('')
    pay().catch((error) => say(error.message))
  })
}
