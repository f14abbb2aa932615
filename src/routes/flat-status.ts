// The older form of Order Status, which shop plugins call: flat messages of upper-case names, signed by the map form of the
// checksum (docs/interface.md section 4.12). The same question, in other clothes.

import type { Edge } from '../http/edge.ts'
import type { Handler } from '../http/route.ts'
import { joinedValues } from '../interface/checksum.ts'
import { type FlatMembers, flatSignature, readFlat } from '../interface/flat.ts'
import { type Refusal, reader } from '../interface/request.ts'
import { orderStatus, wire } from '../order/order-status.ts'

/** The members of the flat answer, by those of the envelope's. Plugins read them without looking whether they are there. */
const FIELDS = {
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
} as const

/**
 * All that a signed question may hold. The map form signs values without their names, and browsers carry values that are
 * signed so (a callback, a checkout form): with any other member beside these a question counts as not signed.
 */
const MEMBERS: ReadonlySet<string> = new Set(['MID', 'ORDERID', 'TXNTYPE', 'CHECKSUMHASH'])

interface Told extends Refusal {
  body?: object
  /** The merchant asked. Who did not prove it hears no STATUS: shops take one for the end of their order. */
  verified: boolean
}

export function flatStatusHandler(edge: Edge): Handler {
  const read = reader(wire.body)
  return async ({ bytes }) => {
    const given = readFlat(bytes)
    let told: Told
    let error: Error | undefined
    try {
      told = given ? await answer(given) : { result: orderStatus.codes.invalidBody!, verified: false }
    } catch (thrown) {
      error = thrown as Error
      told = { result: orderStatus.codes.systemError!, verified: false }
    }
    const { result, parameter } = told
    return { text: textOf(told, given, error !== undefined), result, parameter, error }
  }

  async function answer(given: FlatMembers): Promise<Told> {
    const { mid, orderId } = { mid: given['MID'] ?? '', orderId: given['ORDERID'] ?? '' }
    const { value, faults } = read({ mid, orderId })
    const midFault = faults?.find(({ name }) => name === 'mid')
    if (midFault) return { ...wire.faults.wrong(midFault), verified: false }
    const isQuestion = given['ORDERID'] !== undefined && Object.keys(given).every((name) => MEMBERS.has(name))
    const checksum = isQuestion ? flatSignature(given['CHECKSUMHASH']) : undefined
    const signature = await edge.merchantKeys.check(mid, undefined, joinedValues(given), checksum)
    const verified = signature === 'valid'
    if (faults) return { ...wire.faults.wrong(faults[0]!), verified }
    return { ...(await orderStatus.answer({ request: value, caller: { signature } }, edge.query)), verified }
  }
}

/** Every member of the answer, empty where nothing is known. */
function textOf({ result, message = result.message, body = {}, verified }: Told, given: FlatMembers | undefined, failed: boolean): string {
  const known: Readonly<Record<string, unknown>> = { mid: given?.['MID'], orderId: given?.['ORDERID'], ...body }
  const fields = Object.entries(FIELDS).map(([name, field]) => [field, String(known[name] ?? '')])
  return JSON.stringify({
    ...Object.fromEntries(fields),
    // A failure of ours says nothing about the order, and PENDING says just that.
    ...(verified || failed ? { STATUS: result.status } : { ErrorCode: result.code, ErrorMsg: message }),
    RESPCODE: result.code,
    RESPMSG: message,
  })
}
