// The page of the sandbox's demo shop (docs/sandbox.md), as a shop would write it: an order from the shop's own server, then the loader.

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
  for (const [name, value] of Object.entries(fields)) {
    const field = document.createElement('input')
    Object.assign(field, { type: 'hidden', name, value })
    back.append(field)
  }
  document.body.append(back)
  back.submit()
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
