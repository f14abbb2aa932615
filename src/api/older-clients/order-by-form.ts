// An order from a checkout form: docs/pages.md, "Forms that make the order". Whoever has signed it is the merchant; what it holds are the
// rules, limits and refusals of Create Order on the payment host.

import { createOrder, paymentHostWire } from '../../domain/order/create-order.ts'
import type { Edge } from '../../flows/edge.ts'
import { joinedValues } from '../../interface/checksum.ts'
import { reader } from '../../interface/request.ts'
import { merchantKey } from '../../tables/keys.ts'
import { look } from '../../tables/tables.ts'
import { contentOfForm, misfit, orderOfForm, possiblePromocodes, signedReadings, withoutFrameworks, wrongField } from './order-form.ts'

type Form = Readonly<Record<string, string>>

export type ByForm =
  /** It is there: made now, or by this very form before. */
  | { mid: string; orderId: string; formHash: string }
  /** The field that is wrong, or that the merchant has not got. */
  | { wrong: string }
  /** The orderId is that of another order; only the merchant hears it. */
  | { taken: { mid: string; orderId: string } }

const readBody = reader(paymentHostWire.body)

/** Makes the order of a form, or finds the one that it has made. Throws when the store fails. */
export async function orderByForm({ engine, query, clock, fresh, vault, merchantKeys, reference }: Edge, given: Form): Promise<ByForm> {
  const posted = withoutFrameworks(given)
  const unfit = misfit(posted)
  if (unfit !== undefined) return { wrong: unfit }
  const mid = posted['MID']!
  const merchant = await query.row(merchantKey(mid))
  if (!merchant) return { wrong: 'MID' }
  // A form that was written by hand may have left a plus sign for the browser to make a space of.
  const checksum = posted['CHECKSUMHASH']!.replaceAll(' ', '+')
  const readings = signedReadings(posted)
  const worths = await Promise.all(readings.map((reading) => merchantKeys.check(mid, undefined, joinedValues(reading), checksum)))
  const form = readings[worths.indexOf('valid')]
  if (!form) return { wrong: 'CHECKSUMHASH' }

  const rows = await Promise.all(possiblePromocodes(form).map((code) => query.row(look('promotions', mid, code))))
  const promocodes = new Set(rows.map((row) => row?.promocode))
  const wrong = wrongField(form, {
    isWebsite: (name) => Object.hasOwn(merchant.websites, name),
    isBank: (code) => reference.bank(code) !== undefined,
    isPromocode: (code) => promocodes.has(code),
  })
  if (wrong !== undefined) return { wrong }
  const { value, faults } = readBody(orderOfForm(form))
  if (faults) return { wrong: faults[0]!.path }

  const now = clock.now()
  const formHash = vault.hash('orderForm', contentOfForm(form))
  // The token is nobody's: the page that is opened for the form takes its place.
  const { result, parameter } = await engine.submit(createOrder, {
    request: value,
    caller: { signature: 'valid' },
    ssoTokenHash: undefined,
    now,
    fresh: { txnTokenHash: vault.hash('txnToken', fresh.hex(16)), txnToken: '' },
    formHash,
  })
  const { orderId } = value
  if (result.name === 'success') return { mid, orderId, formHash }
  if (result.name !== 'duplicateOrderId') return { wrong: parameter === 'userInfo.mobile' ? 'MOBILE_NO' : (parameter ?? result.name) }
  const order = await query.row(look('orders', mid, orderId))
  return order?.details.formHash === formHash ? { mid, orderId, formHash } : { taken: { mid, orderId } }
}
