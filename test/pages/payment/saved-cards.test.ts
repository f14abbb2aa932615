// A signed-in payer removes a card that the shop stores for them, and no other payer does.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { savedCardsOf } from '../../../src/tables/keys.ts'
import { issueSsoToken } from '../../support/mandates/subscription.ts'
import { ask, formsOf, newPage, openPage, Visitor, wordsOf } from '../../support/pages/pages.ts'
import { createOrder, pay } from '../../support/paying/paying.ts'
import { MID, onBothStores, type Service, sharedService } from '../../support/run/service.ts'

const [VISA, OTHER] = ['4111111111111111', '4012888888881881']

onBothStores('a kept card', (store) => {
  const running = sharedService(store)
  /** A payer with two stored cards, and a page that they have opened. */
  const kept = async (custId: string) => {
    const service = await running()
    const paytmSsoToken = await issueSsoToken(service, `sso of ${custId}`)
    const ofPayer = { paytmSsoToken, userInfo: { custId } }
    for (const [paymentMode, number] of [
      ['CREDIT_CARD', VISA],
      ['DEBIT_CARD', OTHER],
    ]) {
      const before = await createOrder(service, `${custId}_${paymentMode}`, ofPayer)
      await pay(service, before, { paymentMode, cardInfo: `|${number}|123|122032`, storeInstrument: '1' })
    }
    const { order, page } = await newPage(service, `${custId}_PAGE`, ofPayer)
    return { service, order, visitor: new Visitor(service, page) }
  }
  const cardsOf = async (service: Service, custId: string) =>
    (await service.ports.query.rows(savedCardsOf(MID, custId))).map(({ card }) => card.last4).sort()
  const removing = (html: string, last4: string) =>
    formsOf(html).find(({ action, fields }) => action.endsWith('/remove-card') && fields['savedCard']!.includes(last4))!

  test('is removed by its payer once they have confirmed it; the other one stays, and pays', async () => {
    const { service, visitor } = await kept('REMOVES')
    const { text } = await visitor.look()
    const { action, fields, button } = removing(text, '1111')
    assert.match(button, /^Remove .*1111$/)
    const asked = await ask(service, action, fields)
    assert.equal(asked.status, 200)
    assert.match(wordsOf(asked.text), /Remove this card\? Demo Stores will no longer keep .*1111\. .* No, keep it Yes, remove it/)
    assert.match(asked.text, /<a class="button" href="[^"]*\?open=saved">No, keep it<\/a>/)
    assert.match(asked.text, /<button class="second">Yes, remove it/)
    assert.deepEqual(await cardsOf(service, 'REMOVES'), ['1111', '1881'], 'only asked')
    visitor.last = asked
    const done = await visitor.send('/remove-card')
    assert.match(wordsOf(done.text), /The card was removed\./)
    assert.deepEqual(await cardsOf(service, 'REMOVES'), ['1881'])
    assert.equal(removing(done.text, '1111'), undefined)
    const gone = await visitor.send({ panel: 'saved' }, { savedCard: fields['savedCard']!, cvv: '123' })
    assert.equal(gone.status, 422, 'an old form pays by it no more')
    const twice = await ask(service, action, { ...fields, sure: '1' })
    assert.equal(twice.status, 303)
    await visitor.look()
    await visitor.send({ panel: 'saved' }, { cvv: '123' })
    assert.match(wordsOf(visitor.last.text), /₹100\.00 paid/)
  })

  test('that its payer removes while its payment begins still pays', async () => {
    const { service, visitor } = await kept('REMOVES_MEANWHILE')
    const custId = 'REMOVES_MEANWHILE'
    const paytmSsoToken = await issueSsoToken(service, 'sso of another tab')
    const elsewhere = await newPage(service, 'REMOVES_ELSEWHERE', { paytmSsoToken, userInfo: { custId } })
    const removal = removing((await ask(service, elsewhere.page)).text, '1111')
    await visitor.look()
    const { engine } = service.ports
    const submit = engine.submit.bind(engine)
    engine.submit = async (operation, ...more) => {
      const reply = await submit(operation, ...more)
      if (operation.name === 'processTransaction') {
        engine.submit = submit
        await ask(service, removal.action, { ...removal.fields, sure: '1' })
      }
      return reply
    }
    try {
      await visitor.send({ panel: 'saved' }, { savedCard: removal.fields['savedCard']!, cvv: '123' })
    } finally {
      engine.submit = submit
    }
    assert.match(wordsOf(visitor.last.text), /₹100\.00 paid/)
    assert.deepEqual(await cardsOf(service, custId), ['1881'])
  })

  test('is removed by no other: another browser, a payer who has not signed in, and another payer of the same customer', async () => {
    const { service, order, visitor } = await kept('KEEPS')
    const { action, fields } = removing((await visitor.look()).text, '1111')
    const sure = { ...fields, sure: '1' }
    const other = await ask(service, action, sure, { 'user-agent': 'another' })
    assert.equal(other.status, 303)
    const stranger = await openPage(service, await createOrder(service, 'KEEPS_STRANGER', { userInfo: { custId: 'KEEPS' } }))
    await ask(service, `${stranger}/remove-card`, sure)
    const theirs = await issueSsoToken(service, 'sso of another', { userId: 'another', mobile: '9111100099' })
    const another = await createOrder(service, 'KEEPS_ANOTHER', { paytmSsoToken: theirs, userInfo: { custId: 'KEEPS' } })
    await ask(service, `${await openPage(service, another)}/remove-card`, sure)
    assert.deepEqual(await cardsOf(service, 'KEEPS'), ['1111', '1881'])
    assert.equal(order.orderId, 'KEEPS_PAGE')
    await ask(service, action, sure)
    assert.deepEqual(await cardsOf(service, 'KEEPS'), ['1881'], 'the payer may')
  })
})
