// Faults in what a payer typed are shown at their fields, all at once, and values that may be kept are kept.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processTransaction } from '../../../src/interface/result-codes.ts'
import { languages } from '../../../src/pages/kit/messages/messages.ts'
import type { PageState } from '../../../src/pages/payment/found/page-state.ts'
import { faultOf } from '../../../src/pages/payment/pay-request.ts'
import { transactionsOfOrder } from '../../../src/tables/keys.ts'
import { initiate, subscription } from '../../support/mandates/subscription.ts'
import { ask, CARD_FIELDS, newPage, openPage, Visitor, withoutIds, wordsOf } from '../../support/pages/pages.ts'
import { script } from '../../support/paying/paying.ts'
import { MID, onBothStores, type Service, sharedService } from '../../support/run/service.ts'

const faultsIn = (html: string) => [...html.matchAll(/class="fault" id="([a-z]+-[A-Za-z]+)-fault"/g)].map(([, id]) => id!)

test('a payer whose way to pay needs a mobile number reads so, in each language', () => {
  for (const { texts } of Object.values(languages)) {
    const refused = { result: processTransaction.missingElement, parameter: 'userInfo.mobile', cause: 'needed' } as const
    assert.deepEqual(faultOf(refused, { panel: 'upi' }, { texts } as PageState), { panel: 'upi', message: texts.fault.mobileNeeded })
  }
})

onBothStores('the payment page keeps what was typed', (store) => {
  const running = sharedService(store)
  const ofMandate = async (service: Service, orderId: string) => {
    const { txnToken } = (
      await initiate(service, {
        ...subscription(orderId, { subscriptionAmountType: 'FIX', subscriptionMaxAmount: undefined, renewalAmount: '199.00' }),
        ...{ txnAmount: { value: '0.00', currency: 'INR' }, subscriptionPaymentMode: 'BANK_MANDATE', mandateType: 'E_MANDATE' },
      })
    ).body
    return new Visitor(service, await openPage(service, { orderId, txnToken }))
  }
  const account = { holder: 'Asha', account: '123456789012', kind: 'SAVINGS', how: 'NET_BANKING' }

  test('an IFSC of another bank is doubted, and taken once the payer says that it is right', async () => {
    const service = await running()
    const visitor = await ofMandate(service, 'IFSC')
    const typed = { ...account, bank: 'SBI', ifsc: 'hdfc0001234' }
    const doubted = await visitor.send({ panel: 'mandate' }, typed)
    assert.equal(doubted.status, 422)
    assert.match(wordsOf(doubted.text), /This IFSC does not belong to the bank you chose/)
    assert.match(doubted.text, /name="ifscSure" value="HDFC0001234"/)
    const other = await visitor.send({ panel: 'mandate' }, { ...typed, ifsc: 'ICIC0001234', ifscSure: 'HDFC0001234' })
    assert.equal(other.status, 422, 'the tick was about another one')
    await visitor.send({ panel: 'mandate' }, { ...typed, ifscSure: 'HDFC0001234' })
    assert.equal((await service.ports.query.rows(transactionsOfOrder(MID, 'IFSC'))).length, 1)
  })

  test('all that is wrong with an account stands beside its fields at once', async () => {
    const visitor = await ofMandate(await running(), 'SLIPS')
    const { text, status } = await visitor.send({ panel: 'mandate' }, { ...account, holder: ' ', account: '12', bank: 'SBI', ifsc: 'X' })
    assert.equal(status, 422)
    assert.deepEqual(faultsIn(text), ['mandate-holder', 'mandate-account', 'mandate-ifsc'])
    assert.equal(text.match(/ autofocus/g)?.length, 2, 'the first of them, and a question that is not asked yet')
  })

  test('a refused card keeps its expiry and says which fields are empty; nothing of it is in a page that is led to', async () => {
    const service = await running()
    const { page } = await newPage(service, 'EXPIRY')
    const visitor = new Visitor(service, page)
    const refused = await visitor.send({ panel: 'card' }, { ...CARD_FIELDS, cvv: '1' })
    assert.equal(refused.status, 422)
    assert.match(refused.text, /id="card-expiry"[^>]* value="12\/32"/)
    assert.match(wordsOf(refused.text), /card number and CVV are never kept: enter them again/)
    assert.doesNotMatch(withoutIds(refused.text), /value="[^"]*4111/)
    assert.doesNotMatch((await ask(service, page)).text, /12\/32/)
    for (const [name, wrong] of [
      ['cvv', '12'],
      ['cvv', '12345'],
      ['cardNumber', '4111 1111 111a'],
      ['expiry', '2029-1'],
    ] as const) {
      const tag = new RegExp(`<input id="card-${name}"[^>]*>`).exec(refused.text)![0]
      const pattern = new RegExp(`^(?:${/ pattern="([^"]*)"/.exec(tag)![1]!.replaceAll('&#92;', '\\')})$`, 'v')
      assert.equal(pattern.test(wrong) && wrong.length <= Number(/maxlength="(\d+)"/.exec(tag)![1]), false, `${name} ${wrong}`)
    }
  })

  test('an impossible value is refused beside its field without script, and begins nothing; a value that is only written otherwise pays', async () => {
    const service = await running()
    const card = (typed: Record<string, string>) => [{ panel: 'card' }, { ...CARD_FIELDS, ...typed }] as const
    const upiId = (typed: string) => [{ panel: 'upi', by: 'upiId' }, { upiId: typed }] as const
    const amiss: Readonly<Record<string, readonly (readonly [form: Record<string, string>, typed: Record<string, string>])[]>> = {
      'card-cardNumber': ['4111111111111112', '4111 1111 1111 111a', '411111111111', '501800000009', '41111111111111111111', ''].map(
        (cardNumber) => card({ cardNumber }),
      ),
      'card-expiry': ['13/29', '00/29', '2029-1', '05/26', ''].map((expiry) => card({ expiry })),
      'card-cvv': ['12', '12345', '1a3', ''].map((cvv) => card({ cvv })),
      'upi-upiId': ['asha rao@upi', 'asha @upi', 'asha@ upi', 'asha', 'asha@nobody', ''].map(upiId),
    }
    let orders = 0
    const sent = async (form: Record<string, string>, typed: Record<string, string>) => {
      const orderId = `AMISS_${++orders}`
      const { status, text } = await new Visitor(service, (await newPage(service, orderId)).page).send(form, typed)
      return [status, faultsIn(text), (await service.ports.query.rows(transactionsOfOrder(MID, orderId))).length] as const
    }
    for (const [field, cases] of Object.entries(amiss))
      for (const [form, typed] of cases) assert.deepEqual(await sent(form, typed), [422, [field], 0], JSON.stringify(typed))
    for (const [form, typed] of [card({ expiry: '1/29' }), card({ expiry: '01/2029' }), upiId(' asha@upi ')])
      assert.deepEqual((await sent(form, typed)).slice(1), [[], 1], JSON.stringify(typed))
  })

  test('another language keeps what was typed where the script sends it along, and never a number or a code', async () => {
    const service = await running()
    const { page } = await newPage(service, 'LANGUAGE')
    const kept = await ask(service, `${page}/language`, {
      language: 'hi',
      panel: 'card',
      mode: 'CREDIT_CARD',
      expiry: '12/32',
      cardNumber: '4111',
      cvv: '123',
    })
    assert.equal(kept.status, 200)
    assert.match(kept.text, /<html lang="hi-IN">/)
    assert.match(kept.text, /id="card-expiry"[^>]* value="12\/32"/)
    assert.match(kept.text, /<details name="way" id="way-card" open>/)
    assert.doesNotMatch(kept.text, /4111|value="123"/)
    assert.equal((await ask(service, `${page}/language`, { language: 'en' })).status, 303)
  })

  test('after a failure the way that failed is open with the reason, and keeps the UPI id', async () => {
    const service = await running()
    const { page } = await newPage(service, 'FAILED_UPI')
    const visitor = new Visitor(service, page)
    const failed = await visitor.send({ panel: 'upi', by: 'upiId' }, { upiId: 'invalid@upi' })
    assert.match(failed.text, /<title>The payment did not go through · /)
    assert.match(failed.text, /role="alert" tabindex="-1" autofocus/)
    assert.match(failed.text, /<details name="way" id="way-upi" open>/)
    assert.match(failed.text, /id="upi-upiId"[^>]* value="invalid@upi"/)
    const card = new Visitor(service, (await newPage(service, 'FAILED_CARD')).page)
    const declined = await card.send({ panel: 'card' }, { ...CARD_FIELDS, cardNumber: '4000000000000002' })
    assert.match(declined.text, /<details name="way" id="way-card" open>/)
    const code = new Visitor(service, (await newPage(service, 'FAILED_CODE')).page)
    await code.send({ panel: 'card' }, { ...CARD_FIELDS, cardNumber: '4000000000003220' })
    for (const _ of [1, 2, 3]) await code.send('/otp', { otp: '000000' })
    assert.match(wordsOf(code.last.text), /the bank’s OTP was wrong too often\. Nothing was taken/)
  })

  test('a QR code that is left unpaid is no error', async () => {
    const service = await running()
    const visitor = new Visitor(service, (await newPage(service, 'LEFT')).page)
    await visitor.send({ panel: 'upi' })
    const { text } = await visitor.send('/cancel')
    assert.match(wordsOf(text), /The payment was not made\. Nothing was taken: pay another way, or the same way again\./)
    assert.doesNotMatch(text, /role="alert"|<title>The payment did not go through/)
  })

  test('a way that cannot pay the amount stands last, is closed and says why', async () => {
    const service = await running()
    const { page } = await newPage(service, 'LARGE', { txnAmount: { value: '150000.00', currency: 'INR' } })
    const { text } = await ask(service, page)
    assert.doesNotMatch(text, /id="way-upi"/)
    assert.match(text, /<div class="closed">.*UPI.*For payments up to ₹1,00,000\.00/s)
    assert.ok(text.lastIndexOf('<details name="way"') < text.indexOf('<div class="closed">'))
    assert.match(text, /<details name="way" id="way-card" open>/)
  })
})

onBothStores('a payment with an unknown result', (store) => {
  const running = sharedService(store)
  test('says within how many days a rule has the money back, where one does, with a number to keep and the way that is safe', async () => {
    const service = await running()
    for (const [orderId, form, typed, says] of [
      ['DOUBT_UPI', { panel: 'upi', by: 'upiId' }, { upiId: 'lost@upi' }, /returns it within 5 days\. Keep this number:/],
      ['DOUBT_PPBL', { panel: 'ppbl' }, {}, /it is returned automatically\. Keep this number:/],
    ] as const) {
      const { order, page } = await newPage(service, orderId)
      if (orderId === 'DOUBT_PPBL') await script(service, order, 'lost')
      const { text } = await new Visitor(service, page).send(form, typed)
      const [attempt] = await service.ports.query.rows(transactionsOfOrder(MID, orderId))
      assert.match(wordsOf(text), says, orderId)
      assert.match(wordsOf(text), /“Pay another way” is safe/)
      assert.ok(text.includes(`<bdi class="copied">${attempt!.txnId}</bdi>`))
    }
  })
})
