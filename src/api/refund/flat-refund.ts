// The older form of Apply Refund, which kits call: flat messages of upper-case names (docs/interface.md section 4.14). The form makes the
// same refund as the envelope, for merchants whose setting `flatRefund` is on.

import { applyRefund, wire } from '../../domain/refund/apply-refund.ts'
import { askForRefund } from '../../flows/ask-for-refund.ts'
import type { Ports } from '../../flows/ports.ts'
import type { Handler } from '../../http/handler.ts'
import { joinedValues } from '../../interface/checksum.ts'
import { type FlatMembers, flatSignature } from '../../interface/flat.ts'
import { reader } from '../../interface/request.ts'
import { merchantKey } from '../../tables/keys.ts'
import { type FlatReply, flatHandler } from '../older-clients/flat-answer.ts'

/** The request's members, by the envelope's names. The request may hold no other member besides its checksum (as in flat-status.ts). */
export const ASKED = {
  mid: 'MID',
  orderId: 'ORDERID',
  txnId: 'TXNID',
  refId: 'REFID',
  refundAmount: 'REFUNDAMOUNT',
  txnType: 'TXNTYPE',
  comments: 'COMMENTS',
} as const
export const ANSWERED = {
  mid: 'MID',
  orderId: 'ORDERID',
  txnId: 'TXNID',
  refId: 'REFID',
  refundId: 'REFUNDID',
  txnAmount: 'TXNAMOUNT',
  refundAmount: 'REFUNDAMOUNT',
  txnTimestamp: 'TXNDATE',
} as const
const CHECKSUM = 'CHECKSUM'
export const MEMBERS: ReadonlySet<string> = new Set([...Object.values(ASKED), CHECKSUM])

export function flatRefundHandler(ports: Ports): Handler {
  const read = reader(wire.body)
  const { codes } = applyRefund
  return flatHandler({
    asked: ASKED,
    answered: ANSWERED,
    codes: { unreadable: codes.invalidRequest!, systemError: codes.systemError! },
    answer,
  })

  async function answer(given: FlatMembers): Promise<FlatReply> {
    const members = Object.entries(ASKED).flatMap(([name, flat]) => (given[flat] ? [[name, given[flat]]] : []))
    const { value, faults } = read(Object.fromEntries(members))
    const fault = faults?.find(({ path }) => path !== 'refundAmount') ?? faults?.[0]
    if (fault) return { ...wire.faults[fault.kind](fault), parameter: fault.path, cause: fault.asks, verified: false }
    if (!(await isSigned(value!.mid, given))) return { result: codes.invalidChecksum!, verified: false }
    const { mid, orderId } = value!
    const proved = { verified: true, about: { mid, orderId } }
    if (!(await ports.query.row(merchantKey(mid)))?.flatRefund) return { result: codes.invalidRequest!, cause: 'switchedOff', ...proved }
    const reply = await askForRefund(ports, value!, { signature: 'valid', checksum: flatSignature(given[CHECKSUM]) })
    return { ...reply, ...proved, verified: reply.result !== codes.invalidChecksum }
  }

  /**
   * True when the checksum fits the map form, or the values in the order in which they were sent. Kits for refunds do not sort the values.
   */
  async function isSigned(mid: string, { [CHECKSUM]: checksum, ...given }: FlatMembers): Promise<boolean> {
    if (!Object.keys(given).every((name) => MEMBERS.has(name))) return false
    const asSent = Object.values(given).map((value) => value ?? '')
    const readings = [joinedValues(given), asSent.join('|')]
    return (await ports.merchantKeys.checkReadings(mid, readings, flatSignature(checksum))) !== undefined
  }
}
