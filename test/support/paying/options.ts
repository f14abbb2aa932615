// Requests of a payment page, and what their replies hold.

import { operations } from '../../../src/api/operations.ts'
import { sign } from '../../../src/interface/checksum.ts'
import { KEY, MID, type Reply, type Service } from '../run/service.ts'
import { orderBody } from './order-body.ts'

export const OPTIONS = operations.fetchPaymentOptions.paths[0]
export const BIN = operations.fetchBinDetail.paths[0]
export const VPA = operations.validateVpa.paths[0]
export const STATUS = operations.transactionStatus.paths[0]
export const BALANCE = operations.fetchBalanceInfo.paths[0]
export const BANKS = operations.fetchNbPaymentChannels.paths[0]
export const EMI = operations.fetchEmiDetail.paths[0]
export const OFFERS = operations.fetchAllPaymentOffers.paths[0]

export async function newOrder(service: Service, orderId: string, more: object = {}, mid = MID): Promise<string> {
  const body = orderBody(orderId, { mid, txnAmount: { value: '10000.00', currency: 'INR' }, ...more })
  const reply = await service.signed(`${operations.createOrder.paths[0]}?mid=${mid}&orderId=${orderId}`, body)
  if (!reply.body.txnToken) throw new Error(reply.text)
  return reply.body.txnToken
}

/** A request before it is written. Undefined members are left out. */
export interface Asked {
  path: string
  query: Record<string, string | undefined>
  head: Record<string, unknown>
  body: Record<string, unknown>
}
export const byToken = (path: string, orderId: string, token: string, body: Record<string, unknown> = {}): Asked => ({
  path,
  query: { mid: MID, orderId },
  head: { tokenType: 'TXN_TOKEN', token },
  body,
})

export function ask({ post }: Service, { path, query, head, body }: Asked): Promise<Reply> {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return post(`${path}?${new URLSearchParams(given)}`, JSON.stringify({ head, body }))
}

export async function accessToken({ post }: Service, referenceId: string, more: object = {}): Promise<string> {
  const bodyText = JSON.stringify({ mid: MID, referenceId, ...more })
  const head = JSON.stringify({ tokenType: 'CHECKSUM', token: sign(bodyText, KEY, 'salt') })
  const reply = await post(
    `${operations.createAccessToken.paths[0]}?mid=${MID}&referenceId=${referenceId}`,
    `{"head":${head},"body":${bodyText}}`,
  )
  return reply.body.accessToken
}
