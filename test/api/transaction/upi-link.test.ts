// The link by which the sandbox's payer opens a UPI app, letter by letter, because apps read it unchanged (docs/acquirer.md, "Answers").

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UPI_LINK } from '../../../src/pages/payment/view/upi-apps.ts'
import { newPage, Visitor, wordsOf } from '../../support/pages/pages.ts'
import { createOrder, pay } from '../../support/paying/paying.ts'
import { MID, onBothStores, type Service, sharedService } from '../../support/run/service.ts'

const PHONE = { 'user-agent': 'Mozilla/5.0 (Linux; Android 14)' }

/** A merchant's name, and how the link spells it. */
const NAMES: readonly (readonly [name: string, written: string])[] = [
  ['Asha and Sons', 'Asha%20and%20Sons'],
  ['shop@home', 'shop@home'],
  ['A&B = 50% #1 + more', 'A%26B%20%3D%2050%25%20%231%20%2B%20more'],
  ['%40 and %2B', '%2540%20and%20%252B'],
  ['आशा', '%E0%A4%86%E0%A4%B6%E0%A4%BE'],
  ['💥'.repeat(120), '%F0%9F%92%A5'.repeat(99)],
  ['न'.repeat(255), '%E0%A4%A8'.repeat(99)],
]

onBothStores("the link to a payer's UPI app", (store) => {
  const running = sharedService(store)
  const rename = async (service: Service, name: string, mcc: string) => {
    const world = { merchants: [{ mid: MID, name, mcc }] }
    assert.equal((await service.call('PUT', '/sandbox/world', {}, JSON.stringify(world))).status, 200)
  }

  test("names payee, merchant and category, with @ as it stands and a space as %20, whatever the merchant's name", async () => {
    const service = await running()
    for (const [at, [name, written]] of NAMES.entries()) {
      const mcc = String(5_811 + at)
      await rename(service, name, mcc)
      for (const means of [{ paymentMode: 'UPI_INTENT' }, { paymentMode: 'UPI', channelCode: 'UPIPUSH' }]) {
        const order = await createOrder(service, `LINK@${at}-${means.paymentMode}`)
        const { deepLink } = (await pay(service, order, means)).body.deepLinkInfo
        const tr = /&tr=(\d{12})&/.exec(deepLink)?.[1]
        assert.equal(deepLink, `upi://pay?pa=mohur@sandbox&pn=${written}&mc=${mcc}&tr=${tr}&am=100.00&cu=INR&tn=${order.orderId}`)
        assert.ok(UPI_LINK.test(deepLink), 'and the payment page shows it')
      }
    }
  })

  test('stands on the payment page as the bank gave it, with the name that the app shows', async () => {
    const service = await running()
    for (const [at, [name, written]] of NAMES.entries()) {
      await rename(service, name, '5812')
      const { page } = await newPage(service, `PAGE@${at}`)
      const visitor = new Visitor(service, page)
      const { text } = await visitor.send({ panel: 'upi' })
      assert.ok(wordsOf(text).includes(`Check the name ${[...name].slice(0, 99).join('')} and ₹100.00`), name.slice(0, 20))
      const onPhone = await (await fetch(service.url + page, { headers: PHONE })).text()
      const href = /href="(upi:[^"]*)"/.exec(onPhone)![1]!.replaceAll('&#38;', '&').replaceAll('&#39;', "'")
      const tr = /&tr=(\d{12})&/.exec(href)?.[1]
      assert.equal(href, `upi://pay?pa=mohur@sandbox&pn=${written}&mc=5812&tr=${tr}&am=100.00&cu=INR&tn=PAGE@${at}`)
    }
  })
})
