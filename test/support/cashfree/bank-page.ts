// What a payer's browser meets behind a payment's link. Cashfree's page leads to the bank's page, which has another host and forbids
// frames. There the payer approves or declines, and the bank leads back by Cashfree to the order's `return_url`.

import type { CashfreeSimulator } from './simulator.ts'

export interface Visit {
  method: string
  /** The path below the simulator's address. */
  path: string
  form: URLSearchParams
}

interface Shown {
  status: number
  headers: Record<string, string>
  html: string
}

const to = (location: string): Shown => ({ status: 302, headers: { location }, html: '' })
const document = (status: number, body: string): Shown => ({
  status,
  headers: { 'content-type': 'text/html', 'x-frame-options': 'DENY', 'cache-control': 'no-store' },
  html: `<!doctype html><title>bank</title>${body}`,
})
const press = (action: string, says: string) =>
  `<form method="post"><input type="hidden" name="action" value="${action}"><button>${says}</button></form>`

export function visit(simulator: CashfreeSimulator, { method, path, form }: Visit): Shown {
  const [, , place, session] = path.split('/')
  const order = [...simulator.orders.values()].find((each) => each.session === session)
  const payment = order?.payments.at(-1)
  if (!order || !payment) return document(404, '<h1>There is no such payment</h1>')
  const banks = `${simulator.url.replace('127.0.0.1', 'localhost')}/view`
  const { return_url: shop } = order.meta
  if (place === 'gateway') return to(`${banks}/bank/${session}`)
  if (place === 'return') return typeof shop === 'string' ? to(shop) : document(200, '<h1>You may close this page</h1>')
  const back = `${simulator.url}/view/return/${session}`
  if (payment.status !== 'PENDING') return document(410, `<h1 id="over">${payment.status}</h1><a href="${back}">Back</a>`)
  if (method !== 'POST')
    return document(200, `<h1>Pay ${payment.amount.toFixed(2)}</h1>${press('approve', 'Approve')}${press('decline', 'Decline')}`)
  simulator.settle(order.id, form.get('action') === 'approve' ? 'SUCCESS' : 'FAILED', payment)
  return to(back)
}
