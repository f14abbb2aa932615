// The older form of Order Status, which shop plugins call (docs/interface.md section 4.12). Its flat messages of upper-case names are
// signed by the map form of the checksum. The form asks the same question as the envelope.

import { orderStatus, wire } from '../../domain/transaction/order-status.ts'
import type { Ports } from '../../flows/ports.ts'
import type { Handler } from '../../http/handler.ts'
import { joinedValues } from '../../interface/checksum.ts'
import { type FlatMembers, flatSignature } from '../../interface/flat.ts'
import { type Fault, reader } from '../../interface/request.ts'
import { type FlatReply, flatHandler } from '../older-clients/flat-answer.ts'

/** The members of the question and of its answer, by the envelope's names. A question names its order once, by either name. */
export const ASKED = { mid: ['MID'], orderId: ['ORDERID', 'ORDER_ID'] } as const
export const ANSWERED = {
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
 * The only members that a signed question may hold. With any other member the question counts as unsigned. The map form signs values
 * without their names. Browsers carry other values with that signature: a callback, a checkout form.
 */
export const MEMBERS: ReadonlySet<string> = new Set([...ASKED.mid, ...ASKED.orderId, 'TXNTYPE', 'CHECKSUMHASH'])

export function flatStatusHandler(ports: Ports): Handler {
  const read = reader(wire.body)
  const { invalidBody, systemError } = orderStatus.codes
  return flatHandler({ asked: ASKED, answered: ANSWERED, codes: { unreadable: invalidBody!, systemError: systemError! }, answer })

  async function answer(given: FlatMembers): Promise<FlatReply> {
    const names = ASKED.orderId.filter((name) => given[name] !== undefined)
    const [orderName = 'ORDERID'] = names
    const { mid, orderId } = { mid: given['MID'] ?? '', orderId: given[orderName] ?? '' }
    const { value, faults } = read({ mid, orderId })
    const refusal = (fault: Fault) => {
      const name = fault.name === 'mid' ? 'MID' : orderName
      return { ...wire.faults.wrong(fault), parameter: name, cause: given[name] ? fault.asks : { keyword: 'required' } }
    }
    const midFault = faults?.find(({ name }) => name === 'mid')
    if (midFault) return { ...refusal(midFault), verified: false }
    const isQuestion = names.length === 1 && Object.keys(given).every((name) => MEMBERS.has(name))
    const checksum = isQuestion ? flatSignature(given['CHECKSUMHASH']) : undefined
    const signature = await ports.merchantKeys.check(mid, undefined, joinedValues(given), checksum)
    const verified = signature === 'valid'
    const about = { mid, orderId: faults ? undefined : orderId } // an invalid id names no order
    const proved = { verified, ...(verified && { about }) }
    if (faults) return { ...refusal(faults[0]!), ...proved }
    return { ...(await orderStatus.answer({ request: value, caller: { signature } }, ports.query)), ...proved }
  }
}
