// A shop's own code on the published checksum library, as it was at its former gateway. docs/moving.md changes its four constants.
//   node shop.mjs order ORDER | status ORDER | callback < fields.json

import { readFileSync } from 'node:fs'
import PaytmChecksum from 'paytmchecksum'

const HOST = 'https://former-gateway.example'
const MID = 'FORMER00000000000001'
const KEY = 'FORMER_KEY_16_BY'
const WEBSITE = 'FORMERSITE'

async function ask(path, body) {
  const signature = await PaytmChecksum.generateSignature(JSON.stringify(body), KEY)
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(HOST + path, { method: 'POST', headers, body: JSON.stringify({ body, head: { signature } }) })
  return (await response.json()).body
}

const order = (orderId) =>
  ask(`/theia/api/v1/initiateTransaction?mid=${MID}&orderId=${orderId}`, {
    requestType: 'Payment',
    mid: MID,
    websiteName: WEBSITE,
    orderId,
    txnAmount: { value: '499.00', currency: 'INR' },
    userInfo: { custId: 'CUST_1' },
    callbackUrl: 'http://127.0.0.1:3000/callback',
  })

const [action, orderId] = process.argv.slice(2)
if (action === 'order') console.log((await order(orderId)).txnToken)
if (action === 'status') console.log((await ask('/v3/order/status', { mid: MID, orderId })).resultInfo.resultStatus)
if (action === 'callback') {
  const { CHECKSUMHASH, ...fields } = JSON.parse(readFileSync(0, 'utf8'))
  console.log(PaytmChecksum.verifySignature(fields, KEY, CHECKSUMHASH) ? fields.STATUS : 'not signed')
}
