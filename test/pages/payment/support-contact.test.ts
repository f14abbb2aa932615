// The contact that the page names where money may be on its way, and nowhere else: the merchant's own setting.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, CARD_FIELDS, newPage, openPage, Visitor, withoutDrawer, wordsOf } from '../../support/pages/pages.ts'
import { createOrder, pay } from '../../support/paying/paying.ts'
import { MID, onBothStores, type Service, sharedService } from '../../support/run/service.ts'
import { changeWorld } from '../../support/signin/signin.ts'

const linkIn = (html: string) => /Questions\? Ask Demo Stores: <a ([^>]*)><bdi>([^<]*)<\/bdi><\/a>/.exec(withoutDrawer(html))?.slice(1)

onBothStores('the shop’s contact', (store) => {
  const running = sharedService(store)
  const named = (service: Service, supportContact: string) => changeWorld(service, { merchants: [{ mid: MID, supportContact }] })
  const PHONE = '+91 22 4000 1234'

  test('stands where a payment waits for its bank or its end is not known, in the payer’s language', async () => {
    const service = await running()
    await named(service, PHONE)
    for (const payerAccount of ['timeout@upi', 'slow@upi']) {
      const order = await createOrder(service, `CONTACT_${payerAccount.slice(0, 4)}`)
      await pay(service, order, { paymentMode: 'UPI', payerAccount })
      const page = await openPage(service, order)
      assert.deepEqual(linkIn((await ask(service, page)).text), ['href="tel:+912240001234"', PHONE], payerAccount)
      assert.equal((await ask(service, `${page}/language`, { language: 'hi' })).status, 303)
      assert.ok(wordsOf((await ask(service, page)).text).includes(`कोई सवाल? Demo Stores से पूछें: ${PHONE}`))
    }
  })

  test('stands where a payment was given up, and when its order is closed then; not where nothing was taken or all is paid', async () => {
    const service = await running()
    await named(service, 'https://demo-stores.example/help?from=page&to=shop')
    const { order, page } = await newPage(service, 'CONTACT_GIVEN_UP')
    const visitor = new Visitor(service, page)
    assert.equal(linkIn((await visitor.look()).text), undefined)
    const declined = await visitor.send({ panel: 'card' }, { ...CARD_FIELDS, cardNumber: '4000000000000002' })
    assert.match(wordsOf(declined.text), /The bank declined the payment/)
    assert.equal(linkIn(declined.text), undefined)
    await pay(service, order, { paymentMode: 'UPI', payerAccount: 'timeout@upi' })
    await service.tasks.advance(service.clock.now() + 3 * 60_000, async (at) =>
      service.clock.advance(Math.max(0, at - service.clock.now())),
    )
    const link = [
      'href="https://demo-stores.example/help?from=page&#38;to=shop" target="_blank" rel="noopener noreferrer"',
      'https://demo-stores.example/help?from=page&#38;to=shop',
    ]
    const givenUp = await visitor.look()
    assert.match(wordsOf(givenUp.text), /The payment was not completed in time/)
    assert.deepEqual(linkIn(givenUp.text), link)
    await visitor.look('?leave=1')
    assert.deepEqual(linkIn((await visitor.send('/leave')).text), link)
    const paying = new Visitor(service, (await newPage(service, 'CONTACT_PAID')).page)
    await paying.look()
    assert.equal(linkIn((await paying.send({ panel: 'card' }, CARD_FIELDS)).text), undefined)
  })

  test('is a phone number, an e-mail address or an https address of 120 characters at most; without one no contact is named', async () => {
    const service = await running()
    const status = async (supportContact: string) =>
      (await service.call('PUT', '/sandbox/world', {}, JSON.stringify({ merchants: [{ mid: MID, supportContact }] }))).status
    for (const right of ['1800 123 4567', '022-4000-1234', '1930', 'a?b=c@shop.example', 'https://shop.example/help'])
      assert.equal(await status(right), 200, right)
    const wrong = ['', 'call us', '12', '+', 'http://shop.example', 'javascript:alert(1)', 'https://a@shop.example', 'shop.example']
    for (const each of [...wrong, '<b>@shop.example', '"x"@shop.example', `https://shop.example/${'x'.repeat(120)}`])
      assert.equal(await status(each), 400, each)
  })
})
