// A payment as a browser's form posts it: the members of Process Transaction (docs/interface.md section 4.10), flat and in the spellings of
// older kits. The card is cut out before any other code reads the rest.

import { BANK_ACCOUNT } from '../../domain/transaction/payment-request.ts'
import { type ProcessTransaction, wire } from '../../domain/transaction/process-transaction.ts'
import type { Attempt } from '../../flows/pay.ts'
import type { JsonObject } from '../../interface/envelope.ts'
import { normalise, reader } from '../../interface/request.ts'
import { cutCard } from '../card/card-input.ts'
import { inOurWords } from './payment-wire.ts'

type Form = Readonly<Record<string, string>>

const MEMBERS = ['paymentMode', 'authMode', 'channelCode', 'payerAccount', 'planId', 'paymentFlow', 'storeInstrument', 'promoCode'] as const
const readBody = reader(wire.body)

/** Undefined when the form names no payment, or an invalid payment. Then the payment page asks the payer. */
export function flatPayment(
  form: Form,
  { mid, orderId }: { mid: string; orderId: string },
  now: number,
): { request: ProcessTransaction['request']; card: Attempt['card'] } | undefined {
  const { cardInfo, AUTH_MODE } = form
  const given: JsonObject = { mid, orderId, requestType: 'NATIVE', ...(AUTH_MODE && { authMode: AUTH_MODE }) }
  for (const name of [...MEMBERS, ...BANK_ACCOUNT]) if (form[name]) given[name] = form[name]
  const cut = cardInfo ? cutCard(cardInfo, now) : undefined
  const body = normalise({ ...inOurWords(given), ...(cut && { cardInfo: cut.cardInfo }) })
  const read = readBody(body)
  if (read.faults || wire.check!(read.value, now, body).length > 0) return undefined
  return { request: read.value, card: cut?.card }
}
