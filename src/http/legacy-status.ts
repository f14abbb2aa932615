// The older form of Order Status, which shop plugins call: flat JSON of upper-case names, signed by the map form of the
// checksum (docs/interface.md section 4.12). The same question, in other clothes.

import { joinedValues } from '../interface/checksum.ts'
import { isObject, readRequest } from '../interface/envelope.ts'
import { type Refusal, reader } from '../interface/request.ts'
import { orderStatus, wire } from '../order/order-status.ts'
import type { Edge } from './edge.ts'
import type { Handler } from './route.ts'

export const LEGACY_STATUS_PATHS: readonly string[] = ['/order/status', '/merchant-status/getTxnStatus']

/** The members of the envelope's answer in the spelling of the flat one. */
const FIELDS: Readonly<Record<string, string>> = {
  txnId: 'TXNID',
  bankTxnId: 'BANKTXNID',
  orderId: 'ORDERID',
  txnAmount: 'TXNAMOUNT',
  txnType: 'TXNTYPE',
  gatewayName: 'GATEWAYNAME',
  bankName: 'BANKNAME',
  mid: 'MID',
  paymentMode: 'PAYMENTMODE',
  refundAmt: 'REFUNDAMT',
  txnDate: 'TXNDATE',
  subsId: 'SUBS_ID',
  merchantUniqueReference: 'MERC_UNQ_REF',
}

export function legacyStatusHandler(edge: Edge): Handler {
  const read = reader(wire.body)
  return async ({ bytes }) => {
    const request = readRequest(bytes)
    const given = request && textsOf(request.root)
    let reply: Refusal & { body?: object }
    let error: Error | undefined
    try {
      reply = given ? await answer(given) : { result: orderStatus.codes.invalidBody! }
    } catch (thrown) {
      error = thrown as Error
      reply = { result: orderStatus.codes.systemError! }
    }
    const { result, message, body = {}, parameter } = reply
    const fields = Object.fromEntries(
      Object.entries(body).flatMap(([name, value]) => (FIELDS[name] ? [[FIELDS[name], String(value)]] : [])),
    )
    const asked = { ...(given?.['MID'] && { MID: given['MID'] }), ...(given?.['ORDERID'] && { ORDERID: given['ORDERID'] }) }
    const text = JSON.stringify({ ...asked, ...fields, STATUS: result.status, RESPCODE: result.code, RESPMSG: message ?? result.message })
    return { text, result, parameter, error }
  }

  async function answer(given: Record<string, string>): Promise<Refusal & { body?: object }> {
    const { MID: mid = '', ORDERID: orderId = '', CHECKSUMHASH: signature } = given
    const { value, faults } = read({ mid, orderId })
    if (faults) return wire.faults.wrong(faults.find(({ name }) => name === 'mid') ?? faults[0]!)
    return orderStatus.answer(
      { request: value, caller: { signature: await edge.merchantKeys.check(mid, undefined, joinedValues(given), signature) } },
      edge.query,
    )
  }
}

/** Undefined unless every member is a text without a pipe, as the map form of the checksum needs. */
function textsOf(root: unknown): Record<string, string> | undefined {
  if (!isObject(root)) return undefined
  return Object.values(root).every((value) => typeof value === 'string' && !value.includes('|'))
    ? (root as Record<string, string>)
    : undefined
}
