// The callback that a payer's browser brings from a cancelled order: before an attempt, and after a declined one.

import type { Service } from '../run/service.ts'
import { CARD_FIELDS, formOf, newPage, Visitor } from './pages.ts'

export const DECLINED_CARD_FIELDS = { ...CARD_FIELDS, cardNumber: '4000000000000002' } // docs/sandbox.md

/** Asks to leave, and confirms. */
export async function leave(visitor: Visitor) {
  await visitor.look('?leave=1')
  return visitor.send('/leave')
}

export async function cancelCallbacks(service: Service, prefix: string): Promise<Record<string, string>[]> {
  const callbacks: Record<string, string>[] = []
  for (const attempts of [0, 1]) {
    const { order, page } = await newPage(service, `${prefix}-${attempts}`)
    const visitor = new Visitor(service, page)
    for (let at = 0; at < attempts; at++) await visitor.send({ panel: 'card' }, DECLINED_CARD_FIELDS)
    const { text } = await leave(visitor)
    callbacks.push(formOf(text, { ORDERID: order.orderId }).fields)
  }
  return callbacks
}
