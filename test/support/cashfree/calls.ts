// The calls to Cashfree by name that a payment, its end, a closed key and a refund make.

const [CREATE, PAY, READ, END] = ['POST /orders', 'POST /orders/sessions', 'GET /orders/{order}', 'PATCH /orders/{order}']
const [PAYMENTS, REFUNDS] = ['GET /orders/{order}/payments', 'GET /orders/{order}/refunds']
const [REFUND, READ_REFUND] = ['POST /orders/{order}/refunds', 'GET /orders/{order}/refunds/{refund}']

export const CALLS = {
  payment: [CREATE, PAY, READ, PAYMENTS, REFUNDS, END],
  cancel: [END, READ, PAYMENTS],
  closedKey: [READ, CREATE, END],
  refund: [REFUND, READ_REFUND],
} as const
export type Focus = keyof typeof CALLS

/** The calls that a search faults. Consecutive seeds take consecutive targets. */
export const TARGETS = Object.entries(CALLS).flatMap(([focus, calls]) => calls.map((call) => ({ focus: focus as Focus, call })))

export const callName = (method: string, path: string) =>
  `${method} ${path.replace(/\/m[\w-]{43}/, '/{order}').replace(/[0-9a-f]{40}$/, '{refund}')}`
