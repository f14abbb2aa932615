// An order from a checkout form: docs/pages.md, "Forms that make the order". The signer is the merchant. The rules, limits and refusals are
// those of Create Order on the payment host.

import { type CreateOrder, createOrder, paymentHostWire } from '../../domain/order/create-order.ts'
import type { Reply } from '../../engine/decision.ts'
import type { Ports } from '../../flows/ports.ts'
import { termsOf } from '../../flows/search-keys.ts'
import { joinedValues } from '../../interface/checksum.ts'
import { reader } from '../../interface/request.ts'
import { merchantKey } from '../../tables/keys.ts'
import { look, type Row } from '../../tables/tables.ts'
import { contentOfForm, misfit, orderOfForm, possiblePromocodes, signedReadings, withoutFrameworks, wrongField } from './order-form.ts'

type Form = Readonly<Record<string, string>>

/** The field that is wrong, or that names something the merchant does not have. */
type WrongForm = { wrong: string }
/** Another order has this orderId. Only the merchant learns it. */
type TakenOrder = { taken: { mid: string; orderId: string } }

/** The order exists: the form made it now, or made it before. */
export type ByForm = { mid: string; orderId: string; formHash: string } | WrongForm | TakenOrder

export interface ReadForm {
  merchant: Row<'merchants'>
  /** The order that the form has made; undefined until then. */
  order: Row<'orders'> | undefined
  request: CreateOrder['request']
  /** The fields under the checksum, and the checksum, for the page to post again. */
  signed: Form
}

const readBody = reader(paymentHostWire.body)

/** Makes the order of a form, or finds the order that the form has made. Throws when the store fails. */
export async function orderByForm(ports: Ports, given: Form): Promise<ByForm> {
  const verified = await verify(ports, given)
  if ('wrong' in verified) return verified
  const { command } = verified
  const reply = await ports.engine.submit(createOrder, command)
  return outcomeOf(command, reply, reply.result.name === 'duplicateOrderId' ? await orderOf(ports, command) : undefined)
}

/** The result that `orderByForm` would have now. Writes nothing. Throws when the store fails. */
export async function readOrderForm(ports: Ports, given: Form): Promise<ReadForm | WrongForm | TakenOrder> {
  const verified = await verify(ports, given)
  if ('wrong' in verified) return verified
  const { command, merchant, signed } = verified
  const order = await orderOf(ports, command)
  const { reply } = createOrder.decide(command, { merchant, order } as never)
  const outcome = outcomeOf(command, reply, order)
  return 'formHash' in outcome ? { merchant, order, request: command.request, signed } : outcome
}

type Verified = Pick<ReadForm, 'merchant' | 'signed'> & { command: CreateOrder & { formHash: string } }

async function verify({ query, clock, fresh, vault, merchantKeys, reference }: Ports, given: Form): Promise<Verified | WrongForm> {
  const posted = withoutFrameworks(given)
  const unfit = misfit(posted)
  if (unfit !== undefined) return { wrong: unfit }
  const mid = posted['MID']!
  const merchant = await query.row(merchantKey(mid))
  if (!merchant) return { wrong: 'MID' }
  // In a form written by hand, the browser may have turned a plus sign into a space.
  const checksum = posted['CHECKSUMHASH']!.replaceAll(' ', '+')
  const readings = signedReadings(posted)
  const signed = await merchantKeys.checkReadings(mid, readings.map(joinedValues), checksum)
  if (signed === undefined) return { wrong: 'CHECKSUMHASH' }
  const form = readings[signed]!

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

  const command = {
    request: value,
    caller: { signature: 'valid' as const },
    ssoTokenHash: undefined,
    searchTerms: termsOf(vault, value.userInfo),
    now: clock.now(),
    // No caller ever has this token. The page that the form opens takes the token's place.
    fresh: { txnTokenHash: vault.hash('txnToken', fresh.hex(16)), txnToken: '' },
    formHash: vault.hash('orderForm', contentOfForm(form)),
  }
  return { merchant, signed: { ...form, CHECKSUMHASH: checksum }, command }
}

const orderOf = ({ query }: Ports, { request: { mid, orderId } }: CreateOrder) => query.row(look('orders', mid, orderId))

/** The form's fields, by the members of Create Order. The checks of the merchant and the order may refuse these members. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['mid', 'MID'],
  ['userInfo.mobile', 'MOBILE_NO'],
])

function outcomeOf(
  { request: { mid, orderId }, formHash }: Verified['command'],
  { result, parameter = result.name }: Reply,
  order: Row<'orders'> | undefined,
): ByForm {
  if (result.name === 'success') return { mid, orderId, formHash }
  if (result.name !== 'duplicateOrderId') return { wrong: NAMES.get(parameter) ?? parameter }
  return order?.details.formHash === formHash ? { mid, orderId, formHash } : { taken: { mid, orderId } }
}
