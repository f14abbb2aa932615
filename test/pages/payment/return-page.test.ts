// The page to which a bank's page sends the browser of a payer who pays by the API. It is in the payer's language, with or without a shop
// to go on to.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinedValues, verify } from '../../../src/interface/checksum.ts'
import { demoWorld, type World } from '../../../src/sandbox/world.ts'
import { type Answered, ask, CALLBACK, formOf, formsOf, wordsOf } from '../../support/pages/pages.ts'
import { CARD, createOrder, pay } from '../../support/paying/paying.ts'
import { KEY, MID, onBothStores, type Reply, sharedService } from '../../support/run/service.ts'

const HINDI = { 'accept-language': 'hi-IN,hi;q=0.9,en;q=0.5' }
const PAGE_CARD = { ...CARD, cardInfo: '|4000000000003063|123|122032', authMode: 'otp' }

const world: World = { ...demoWorld, merchants: [{ ...demoWorld.merchants![0]!, websites: { DEFAULT: {} } }] } // with nowhere to go on to

onBothStores('the page that banks send the browser to', (store) => {
  const running = sharedService(store, { world })
  let orders = 0
  const visit = async (means: object, more: object = {}, headers: Record<string, string> = {}): Promise<Answered> => {
    const service = await running()
    const { body } = await pay(service, await createOrder(service, `RETURN_${++orders}`, more), means)
    return ask(service, `/transaction/return?mid=${MID}&txnId=${body.txnId}`, undefined, headers)
  }

  test('a payment without a shop to go on to leaves a receipt, and one that failed says that nothing was taken', async () => {
    const paid = await visit(CARD)
    assert.match(wordsOf(paid.text), /₹100\.00 paid .*Paid by credit card .*Save or print this page/)
    assert.deepEqual(formsOf(paid.text), [])
    const failed = await visit({ paymentMode: 'UPI', payerAccount: 'declined@upi' })
    assert.match(wordsOf(failed.text), /The payment did not go through .*Nothing was taken/)
    assert.doesNotMatch(wordsOf(failed.text), /Thank you/)
    const waiting = await visit(PAGE_CARD)
    assert.match(wordsOf(waiting.text), /Your payment is being processed/)
    assert.doesNotMatch(wordsOf(waiting.text), /Thank you/)
  })

  test('with a shop its form goes by itself with script, and has a button in the payer’s language without it', async () => {
    const paid = await visit(CARD, { callbackUrl: CALLBACK }, HINDI)
    assert.match(paid.text, /<html lang="hi-IN">/)
    const { action, fields, button } = formOf(paid.text, { STATUS: 'TXN_SUCCESS' })
    assert.deepEqual([action, fields['MID'], button], [CALLBACK, MID, 'Demo Stores पर जाएँ'])
    assert.match(paid.text, /<form [^>]*data-goes/)
    assert.match(wordsOf(paid.text), /₹100\.00 का भुगतान हो गया/)
  })

  test('an older attempt brings no failure to the shop when a later attempt has paid the order, or still may', async () => {
    const service = await running()
    const order = await createOrder(service, `RETURN_${++orders}`, { callbackUrl: CALLBACK })
    const declined = { paymentMode: 'UPI', payerAccount: 'declined@upi' }
    const [first, second] = [await pay(service, order, declined), await pay(service, order, declined)]
    const brought = async ({ body }: Reply) => {
      const { text } = await ask(service, `/transaction/return?mid=${MID}&txnId=${body.txnId}`)
      const { CHECKSUMHASH, ...fields } = formOf(text, { ORDERID: order.orderId }).fields
      assert.ok(verify(joinedValues(fields), CHECKSUMHASH, KEY))
      return [fields['STATUS'], fields['TXNID'], wordsOf(text).includes('The payment did not go through')]
    }
    assert.deepEqual(await brought(first), ['TXN_FAILURE', first.body.txnId, true])
    assert.deepEqual(await brought(second), ['TXN_FAILURE', second.body.txnId, true])
    const third = await pay(service, order, PAGE_CARD)
    assert.deepEqual(await brought(first), ['PENDING', third.body.txnId, false])
    const { actionUrl, content } = third.body.bankForm.redirectForm
    await ask(service, actionUrl, { ...content, action: 'approve' })
    assert.deepEqual(await brought(third), ['TXN_SUCCESS', third.body.txnId, false])
    assert.deepEqual(await brought(first), ['TXN_SUCCESS', third.body.txnId, false])
    assert.deepEqual(await brought(second), ['TXN_SUCCESS', third.body.txnId, false])
  })

  test('it has the headers of the payment page, no script or style in its text, and a page of its own for what is not there', async () => {
    const service = await running()
    const none = await ask(service, `/transaction/return?mid=${MID}&txnId=1`, undefined, HINDI)
    assert.equal(none.status, 404)
    assert.match(none.text, /<html lang="hi-IN">/)
    for (const [{ text, headers }, framers] of [
      [none, '*'],
      [await visit(CARD, { callbackUrl: CALLBACK }), "'none'"],
    ] as const) {
      const policy = headers.get('content-security-policy')!
      assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/)
      assert.ok(policy.includes(`frame-ancestors ${framers};`), policy)
      assert.doesNotMatch(policy, /sha256|unsafe/)
      assert.deepEqual([headers.get('cache-control'), headers.get('referrer-policy')], ['no-store', 'no-referrer'])
      assert.doesNotMatch(text, /<style|<script(?! type="module" src="\/pay\/assets\/)/)
    }
  })
})
