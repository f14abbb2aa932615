// A subscription's terms on the payment page: before its payer agrees, while the bank decides, and after.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instalmentsOf, reducingHundredths } from '../../../src/reference/reference.ts'
import { find } from '../../../src/tables/tables.ts'
import { manage } from '../../support/mandates/mandates.ts'
import { initiate, subscription } from '../../support/mandates/subscription.ts'
import { ask, CARD_FIELDS, formOf, newPage, openPage, Visitor, wordsOf } from '../../support/pages/pages.ts'
import { MID, onBothStores, type Service, sharedService } from '../../support/run/service.ts'
import { inbox } from '../../support/signin/signin.ts'

/** Amounts and days as messages write them. */
const inMessage = (said: string) =>
  said
    .replaceAll('₹', 'Rs ')
    .replaceAll(
      /(\d+) (June|August) (\d{4})/g,
      (_, day, month, year) => `${day.padStart(2, '0')}-${month === 'June' ? '06' : '08'}-${year}`,
    )
const TERMS = '₹199.00 every month from 15 June 2026 until 15 June 2027'

onBothStores('the terms of a subscription', (store) => {
  const running = sharedService(store)
  const opened = async (service: Service, orderId: string, more: object = {}) => {
    const body = subscription(orderId, {
      ...{ subscriptionAmountType: 'FIX', subscriptionMaxAmount: undefined, renewalAmount: '199.00' },
      ...{ txnAmount: { value: '1.00', currency: 'INR' }, callbackUrl: 'https://shop.example/callback', ...more },
    })
    const { txnToken } = (await initiate(service, body)).body
    return new Visitor(service, await openPage(service, { orderId, txnToken }))
  }
  const amountIn = (html: string) => wordsOf(/<p class="amount"[^>]*>.*?<\/p>/s.exec(html)?.[0] ?? '').trim()

  test('stand in every state, and beside each button; the largest figure is what is agreed to', async () => {
    const visitor = await opened(await running(), 'TERMS_STAND')
    const choices = await visitor.look()
    const forms = [...choices.text.matchAll(/<form[^>]* data-pays=.*?<\/form>/gs)].map(([form]) => wordsOf(form))
    assert.ok(forms.length > 0)
    for (const form of forms) assert.match(form, new RegExp(`${TERMS}; ₹1\\.00 now\\..*Agree and pay ₹1\\.00`))
    assert.equal(amountIn(choices.text), '₹199.00')
    const waiting = await visitor.send({ panel: 'upi' })
    assert.match(wordsOf(waiting.text), new RegExp(`You agree to ₹199\\.00 ${TERMS}; ₹1\\.00 now\\.`))
    assert.match(waiting.text, /class="qr"/)
    const code = await opened(await running(), 'TERMS_CODE')
    const otp = await code.send({ panel: 'card' }, { ...CARD_FIELDS, cardNumber: '4000000000003220' })
    assert.match(wordsOf(otp.text), new RegExp(`${TERMS}; ₹1\\.00 now\\..*Enter the OTP from your bank`))
    const paid = await code.send('/otp', { otp: '123123' })
    assert.match(wordsOf(paid.text), new RegExp(`You have agreed to ₹199\\.00 ${TERMS}; ₹1\\.00 now\\.`))
  })

  test('are the same in the message about the new mandate, and in that about other terms', async () => {
    const service = await running()
    const mobile = '9812345099'
    const more = { userInfo: { custId: 'C1', mobile }, communicationManager: true, subscriptionStartDate: '2026-08-05' }
    const visitor = await opened(service, 'TERMS_TOLD', more)
    const otp = await visitor.send({ panel: 'card' }, { ...CARD_FIELDS, cardNumber: '4000000000003220' })
    const terms = '₹199.00 every month from 5 August 2026 until 15 June 2027'
    assert.match(wordsOf(otp.text), new RegExp(`${terms}; ₹1\\.00 now\\.`))
    await visitor.send('/otp', { otp: '123123' })
    await service.tasks.runDue()
    const [created] = await inbox(service, mobile)
    assert.equal(/^.*? to debit (.*?)\. Ref /.exec(created!.text)?.[1], inMessage(terms))
    const { subscriptionId } = (
      await service.ports.query.rows(find('orders', { equals: { mid: MID, orderId: 'TERMS_TOLD' }, limit: 1 }))
    )[0]!
    await manage(service, '/subscription/edit', { subsId: subscriptionId!, renewalAmount: '249.00' })
    await service.tasks.runDue()
    const [asked] = await inbox(service, mobile)
    assert.equal(asked!.kind, 'edit-asked')
    assert.match(asked!.text, /^Demo Stores asks you to allow debits of Rs 249\.00 every month until 15-06-2027\. /)
  })

  test('say at most where the amount may vary, and that nothing is taken now where it is so', async () => {
    const more = { subscriptionAmountType: 'VARIABLE', renewalAmount: undefined, subscriptionMaxAmount: '500.00' }
    const visitor = await opened(await running(), 'TERMS_VARY', { ...more, txnAmount: { value: '0.00', currency: 'INR' } })
    const { text } = await visitor.look()
    assert.equal(amountIn(text), 'at most ₹500.00')
    assert.match(wordsOf(text), /at most ₹500\.00 every month from 15 June 2026 until 15 June 2027; nothing now\./)
  })

  test('each payment of a subscription goes on the postpaid bill: nothing is promised of next month', async () => {
    const { text } = await (await opened(await running(), 'TERMS_POSTPAID')).look()
    assert.match(wordsOf(text), /Postpaid Each payment goes on your postpaid bill/)
    assert.doesNotMatch(wordsOf(text), /pay next month/)
  })

  test("the name to check is the one that the payer's app shows", async () => {
    const service = await running()
    const { page } = await newPage(service, 'NAMED')
    const visitor = new Visitor(service, page)
    const { text } = await visitor.send({ panel: 'upi' })
    assert.match(wordsOf(text), /Check the name Demo Stores and ₹100\.00/)
    const link = (await ask(service, page, undefined, { 'user-agent': 'Mozilla/5.0 (Linux; Android 14)' })).text
    assert.match(link, /upi:\/\/pay\?[^"]*pn=Demo%20Stores/)
    assert.ok(formOf(text, '/cancel'))
  })
})

test('the rate of instalments is by reducing balance: what pays the amount back', () => {
  const plan = { tenure: 12, interestHundredths: 14_00 } as Parameters<typeof instalmentsOf>[0]
  for (const [tenure, flat, yearly] of [
    [3, 13_00, 19_36],
    [6, 13_00, 21_98],
    [12, 14_00, 24_86],
  ] as const) {
    const priced = instalmentsOf({ ...plan, tenure, interestHundredths: flat }, 10_000_00)
    const found = reducingHundredths({ tenure }, priced, 10_000_00)
    let owed = 10_000_00
    for (let month = 0; month < tenure; month++) owed = owed * (1 + found / 10_000 / 12) - priced.instalmentPaise
    assert.ok(Math.abs(owed) < 100, `${tenure} months: ${owed} paise are left at ${found}`)
    assert.ok(Math.abs(found - yearly) < 40, `${tenure} months: ${found}`)
  }
})
