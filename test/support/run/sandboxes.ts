// `startSandbox` of the checkout, or of the package with MOHUR_TEST_PACKAGE=1.

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sign } from '../../../src/interface/checksum.ts'
import type * as Testing from '../../../testing/testing.d.mts'
import { spawned } from './checkout.ts'

export type { Sandbox } from '../../../testing/testing.d.mts'

const { startSandbox } = (await import(pathToFileURL(join(spawned, 'testing/testing.mjs')).href)) as typeof Testing

export { startSandbox }

/** Asks for an order as a shop's own code does. */
export async function order({ url }: Testing.Sandbox, { mid, key }: Testing.Merchant, orderId: string, more: object = {}) {
  const txnAmount = { value: '499.00', currency: 'INR' }
  const asked = { requestType: 'PAYMENT', mid, orderId, txnAmount, userInfo: { custId: 'CUST_1' }, websiteName: 'DEFAULT' }
  const body = JSON.stringify({ ...asked, callbackUrl: 'https://shop.example/back', ...more })
  const response = await fetch(`${url}/aoa-acquiring-biz/v2/order?mid=${mid}&orderId=${orderId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"head":{"signature":${JSON.stringify(sign(body, key, 'salt'))}},"body":${body}}`,
  })
  const { txnToken } = ((await response.json()) as { body: { txnToken: string } }).body
  return { mid, orderId, txnToken }
}
