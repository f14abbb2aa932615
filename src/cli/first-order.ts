// What `npm start` prints: lines that work when they are pasted into a shell.

import { operations } from '../api/operations.ts'
import type { Random } from '../engine/random.ts'
import { sign } from '../interface/checksum.ts'
import { demoWorld } from '../sandbox/world.ts'

export function firstOrder(url: string, fresh: Random, consoleDoor: string): string {
  const merchant = demoWorld.merchants![0]!
  const { clientId, key } = merchant.keys![0]!
  const orderId = `ORDER_${fresh.hex(4)}`
  const body = JSON.stringify({
    requestType: 'PAYMENT',
    mid: merchant.mid,
    orderId,
    txnAmount: { value: '499.00', currency: 'INR' },
    userInfo: { custId: 'CUST_1' },
    websiteName: 'DEFAULT',
  })
  const request = `{"head":{"clientId":"${clientId}","signature":"${sign(body, key, fresh.salt())}"},"body":${body}}`
  const post = (path: string) => `curl -sS -H 'content-type: application/json' '${url}${path}'`
  return [
    `\nA demo shop to pay in: ${url}/sandbox/shop`,
    `\nThe sandbox has a demo merchant, ${merchant.mid}, whose key is ${key}.`,
    'A first order (its signature is the checksum of the body; `npx mohur sign` makes others):\n',
    `${post(`${operations.createOrder.paths[0]}?mid=${merchant.mid}&orderId=${orderId}`)} \\\n  -d '${request}'`,
    `\nThe payer's phone, with its UPI app and messages: ${url}/sandbox/phone`,
    `The console, where staff find every payment: ${consoleDoor}`,
    `Every operation, with code in four languages and a form to try it: ${url}/docs`,
    '\nREADME.md has the next steps.\n',
  ].join('\n')
}
