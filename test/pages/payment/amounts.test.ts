// The amounts on the payment page come true: in every way to pay, beside a wallet, with offers, and in every state.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { customerKey, orderKey, transactionsOfOrder } from '../../../src/tables/keys.ts'
import { issueSsoToken } from '../../support/mandates/subscription.ts'
import { type Answered, ask, CARD_FIELDS, formOf, formsOf, newPage, Visitor, wordsOf } from '../../support/pages/pages.ts'
import { createOrder, orderCode, pay } from '../../support/paying/paying.ts'
import { promotionWorld } from '../../support/paying/promotions.ts'
import { MID, onBothStores, type Service, sharedService } from '../../support/run/service.ts'
import { changeWorld } from '../../support/signin/signin.ts'

const rupees = (value: string) => ({ txnAmount: { value, currency: 'INR' } })

let payers = 0
/** A signed-in payer of this order alone, as the order names them. */
async function payerWith(service: Service, walletBalance: string, custId: string) {
  const mobile = `91111444${String(10 + payers++)}`
  await changeWorld(service, { customers: [{ mobile, walletBalance }] })
  const userId = service.ports.vault.hash('userId', mobile)
  return { paytmSsoToken: await issueSsoToken(service, `sso of ${custId}`, { userId, mobile }), userInfo: { custId } }
}

const attemptsOf = (service: Service, orderId: string) => service.ports.query.rows(transactionsOfOrder(MID, orderId))
/** What the last attempt takes, and from where. */
async function takenFor(service: Service, orderId: string) {
  const { flow, walletPaise, bankPaise } = (await attemptsOf(service, orderId)).at(-1)!
  return { flow, walletPaise, bankPaise }
}

function panelIn({ text }: Answered, panel: string): string {
  const from = text.indexOf(`id="way-${panel}"`)
  assert.ok(from >= 0, `the page has no way ${panel}`)
  return wordsOf(text.slice(text.indexOf('>', from) + 1, text.indexOf('</details>', from)))
}

/** The offers on instalments: for any card, or for cards with the first digits below. */
const world = promotionWorld([
  { promocode: 'TENTH', kind: 'DISCOUNT', percent: '10', payMethods: ['CREDIT_CARD', 'NET_BANKING', 'UPI'] },
  { promocode: 'BACK20', kind: 'CASHBACK', flat: '20.00', payMethods: ['PPBL'], minAmount: '100.00' },
  { promocode: 'ONCE', kind: 'CASHBACK', flat: '30.00', payMethods: ['SVC_DIGITAL_CREDIT'], budget: '30.00' },
  { promocode: 'CREDIT_BACK', kind: 'CASHBACK', flat: '5.00', payMethods: ['CREDIT_CARD'] },
  { promocode: 'EMI1000', kind: 'DISCOUNT', flat: '1000.00', payMethods: ['EMI'] },
  { promocode: 'BACK2000', kind: 'CASHBACK', flat: '2000.00', payMethods: ['EMI'], bins: ['41111111'] },
  { promocode: 'OFF3000', kind: 'DISCOUNT', flat: '3000.00', payMethods: ['EMI'], bins: ['41111122'] },
])
const OFFERED = { simplifiedPaymentOffers: { applyAvailablePromo: true } }
const OTHER_CARD = '4111112200000009' // its first digits have the larger discount

onBothStores('the amounts of the payment page', (store) => {
  const running = sharedService(store, { world })

  test('the wallet pays its part first in every way to pay that offers it, and the payer is charged the form’s amount', async () => {
    const service = await running()
    const typed: Record<string, Record<string, string>> = {
      saved: { cvv: '123' },
      upi: {},
      'upi by upiId': { upiId: 'pending@upi' },
      card: { ...CARD_FIELDS, cardNumber: '4000000000003220' },
      bank: { bank: 'HDFC' },
      ppbl: {},
      postpaid: {},
    }
    const nameOf = ({ panel, by }: Record<string, string>) => (by === undefined ? panel! : `${panel} by ${by}`)
    const formsWithShare = ({ text }: Answered) =>
      [...text.matchAll(/<form[^>]* data-pays=.*?<\/form>/gs)]
        .filter(([form]) => form.includes('name="share"'))
        .map(([form]) => formsOf(form)[0]!)
    for (const [at, panel] of Object.keys(typed).entries()) {
      const payer = await payerWith(service, '250.00', `SHARES_${at}`)
      const kept = await createOrder(service, `KEEPS_${at}`, payer)
      await pay(service, kept, { paymentMode: 'CREDIT_CARD', cardInfo: '|4111111111111111|123|122032', storeInstrument: '1' })
      const { page, order } = await newPage(service, `SHARES_${at}`, { ...payer, ...rupees('500.00') })
      const forms = formsWithShare(await ask(service, page))
      assert.deepEqual(forms.map(({ fields }) => nameOf(fields)).toSorted(), Object.keys(typed).toSorted())
      const { action, fields, button, less } = forms.find((form) => nameOf(form.fields) === panel)!
      assert.deepEqual([fields['amount'], / ₹500\.00/.test(button)], ['50000', true], panel)
      assert.equal(less, 'Less, if your wallet pays a part.', panel)
      assert.equal((await ask(service, action, { ...fields, ...typed[panel], share: '1' })).status, 303, panel)
      assert.deepEqual(await takenFor(service, order.orderId), { flow: 'HYBRID', walletPaise: 250_00, bankPaise: 250_00 }, panel)
    }
  })

  test('a wallet that holds more than was shown pays no more than was shown', async () => {
    const service = await running()
    const payer = await payerWith(service, '300.00', 'GROWN')
    const { page, order } = await newPage(service, 'GROWN', { ...payer, ...rupees('1000.00') })
    const { action, fields } = formOf((await ask(service, page)).text, { panel: 'bank' })
    assert.equal(fields['wallet'], '30000')
    const { mobile } = (await service.ports.query.row(orderKey(MID, order.orderId)))!.payer!
    await changeWorld(service, { customers: [{ mobile, walletBalance: '1200.00' }] })
    assert.equal((await ask(service, action, { ...fields, bank: 'HDFC', share: '1' })).status, 303)
    assert.deepEqual(await takenFor(service, order.orderId), { flow: 'HYBRID', walletPaise: 300_00, bankPaise: 700_00 })
  })

  test('a wallet that pays less than was shown lets the instrument take no more: the page first shows the exact amount', async () => {
    const service = await running()
    const spend = async (orderId: string, payer: object, value: string) => {
      const order = await createOrder(service, orderId, { ...payer, ...rupees(value) })
      await pay(service, order, { paymentMode: 'BALANCE' })
      assert.equal(await orderCode(service, order), '01')
    }
    for (const [orderId, isScript, left, was, now] of [
      ['EMPTIED', false, 0, '₹200.00', '₹500.00'],
      ['EMPTIED_SCRIPT', true, 0, '₹200.00', '₹500.00'],
      ['LOWERED', false, 100, '₹200.00', '₹400.00'],
      ['LOWERED_SCRIPT', true, 100, '₹200.00', '₹400.00'],
    ] as const) {
      const payer = await payerWith(service, '300.00', orderId)
      const visitor = new Visitor(service, (await newPage(service, orderId, { ...payer, ...rupees('500.00') })).page)
      await visitor.look()
      const asked = await ask(service, `${visitor.page}/price`, { mode: 'UPI', share: '1' })
      const price = JSON.parse(asked.text)
      assert.deepEqual([price.paise, price.wallet, / ₹200\.00/.test(price.button)], [500_00, 300_00, true])
      await spend(`${orderId}_BEFORE`, payer, `${300 - left}.00`)
      const script = isScript ? { amount: String(price.paise), wallet: String(price.wallet) } : {}
      const refused = await visitor.send({ panel: 'upi' }, { ...script, share: '1' })
      assert.equal(refused.status, 422, orderId)
      assert.ok(wordsOf(refused.text).includes(`The amount to pay is ${now} now. It was ${was}. Nothing was taken.`), orderId)
      assert.deepEqual(await attemptsOf(service, orderId), [])
      const { fields } = formOf(refused.text, { panel: 'upi' })
      assert.deepEqual([fields['share'], fields['wallet']], left > 0 ? ['1', '10000'] : [undefined, undefined])
      await visitor.send({ panel: 'upi' }, {})
      const flow = left > 0 ? 'HYBRID' : 'NONE'
      assert.deepEqual(await takenFor(service, orderId), { flow, walletPaise: left * 100, bankPaise: (500 - left) * 100 })
    }
  })

  /** The page of an order that takes an offer, at the plans of a bank. */
  async function atPlans(service: Service, orderId: string, value: string, more: object = {}) {
    const visitor = new Visitor(service, (await newPage(service, orderId, { ...rupees(value), ...OFFERED, ...more })).page)
    await visitor.look('?emi=HDFC')
    return visitor
  }

  test('instalments are of the card’s charge: a card with another offer gets its terms shown before it is charged', async () => {
    const service = await running()
    // Any card's discount leaves ₹9,000. A card with cashback is charged more, a card with the larger discount less.
    // The plan is 13% for three months on that charge.
    for (const [orderId, cardNumber, paise, price, total, offer] of [
      ['TERMS_MORE', CARD_FIELDS.cardNumber, 10_000_00, '₹10,000.00', '₹10,325.00', ''],
      ['TERMS_LESS', OTHER_CARD, 7_000_00, '₹7,000.00', '₹7,227.50', ' · saves ₹3,000.00'],
    ] as const) {
      const visitor = await atPlans(service, orderId, '10000.00')
      const before = panelIn(visitor.last, 'emi')
      assert.match(
        before,
        /saves ₹1,000\.00 .*3 months, ₹3,097\.50 a month ₹9,292\.50 in all, 19\.4% a year by reducing balance .*Pay ₹9,000\.00/,
      )
      const { fields } = formOf(visitor.last.text, { panel: 'emi' })
      const typed = { ...CARD_FIELDS, cardNumber, plan: 'HDFC|3' }
      // The script's price for the typed digits equals what the page says without script.
      const digits = cardNumber.replaceAll(' ', '').slice(0, 8)
      const asked = await ask(service, `${visitor.page}/price`, { mode: 'EMI', emiBank: 'HDFC', digits })
      const answer = JSON.parse(asked.text)
      assert.deepEqual([answer.paise, answer.button, answer.saves], [paise, `Pay ${price}`, offer])
      assert.deepEqual(Object.keys(answer.plans), ['HDFC|3', 'HDFC|6', 'HDFC|9'])
      const refused = await visitor.send({ panel: 'emi' }, typed)
      assert.equal(refused.status, 422)
      const shown = panelIn(refused, 'emi')
      for (const says of [` ${total} in all`, `Pay ${price}`, `${answer.plans['HDFC|3'].name} ${answer.plans['HDFC|3'].more}`])
        assert.ok(shown.includes(says), `${says} in ${shown}`)
      assert.equal(/ · saves [^ ]+/.exec(shown)?.[0] ?? '', offer)
      assert.ok(wordsOf(refused.text).includes(`The amount to pay is ${price} now. It was ₹9,000.00. Nothing was taken.`))
      assert.deepEqual(await attemptsOf(service, orderId), [])
      // A form of the earlier page, in another tab, begins nothing either.
      assert.equal((await ask(service, `${visitor.page}/pay`, { ...fields, ...typed })).status, 422)
      await visitor.send({ panel: 'emi' }, typed)
      assert.deepEqual(await takenFor(service, orderId), { flow: 'NONE', walletPaise: 0, bankPaise: paise })
    }
  })

  test('a card whose own offer leaves too little for a plan shows the amount to pay with it, and another card pays the order', async () => {
    const service = await running()
    const visitor = await atPlans(service, 'TERMS_TOO_SMALL', '5000.00')
    const refused = await visitor.send({ panel: 'emi' }, { ...CARD_FIELDS, cardNumber: OTHER_CARD, plan: 'HDFC|3' })
    assert.equal(refused.status, 422)
    assert.match(wordsOf(refused.text), /The amount to pay is ₹2,000\.00 now\. It was ₹4,000\.00\. Nothing was taken\./)
    assert.doesNotMatch(panelIn(refused, 'emi'), /a year/)
    const price = await ask(service, `${visitor.page}/price`, { mode: 'EMI', emiBank: 'HDFC', digits: OTHER_CARD.slice(0, 8) })
    assert.deepEqual(JSON.parse(price.text).plans, {})
    await visitor.look('?emi=HDFC')
    await visitor.send({ panel: 'emi' }, { ...CARD_FIELDS, plan: 'HDFC|3' })
    await visitor.send({ panel: 'emi' }, { ...CARD_FIELDS, plan: 'HDFC|3' })
    assert.deepEqual(await takenFor(service, 'TERMS_TOO_SMALL'), { flow: 'NONE', walletPaise: 0, bankPaise: 5_000_00 })
  })

  test('instalments are of the whole amount: no part of it is offered to the wallet, nor taken from it', async () => {
    const service = await running()
    const visitor = await atPlans(service, 'TERMS_WALLET', '5000.00', await payerWith(service, '2500.00', 'TERMS_WALLET'))
    assert.match(panelIn(visitor.last, 'card'), /Use ₹2,500\.00 from your wallet first/)
    assert.doesNotMatch(panelIn(visitor.last, 'emi'), /wallet/)
    await visitor.send({ panel: 'emi' }, { ...CARD_FIELDS, plan: 'HDFC|3', share: '1' })
    assert.match(panelIn(visitor.last, 'emi'), /₹5,162\.50 in all/)
    await visitor.send({ panel: 'emi' }, { ...CARD_FIELDS, plan: 'HDFC|3', share: '1' })
    assert.deepEqual(await takenFor(service, 'TERMS_WALLET'), { flow: 'NONE', walletPaise: 0, bankPaise: 5_000_00 })
  })

  test('a card of another bank is the fault, and not the plan, which stays chosen', async () => {
    const visitor = await atPlans(await running(), 'OTHER_BANK', '5000.00')
    const debit = { ...CARD_FIELDS, cardNumber: '5555555555554444', plan: 'HDFC|3' }
    const { status, text } = await visitor.send({ panel: 'emi' }, debit)
    assert.equal(status, 422)
    assert.match(text, /class="fault" id="emi-cardNumber-fault"/)
    assert.match(wordsOf(text), /This card has no EMI with HDFC Bank\. Use a card of that bank, or choose another bank\./)
    assert.match(text, /value="HDFC\|3"[^>]* checked/)
    assert.doesNotMatch(text, /id="emi-plan-fault"/)
  })

  test('an empty wallet is said to be empty, and nothing of ₹0.00 is offered from it', async () => {
    const service = await running()
    const visitor = new Visitor(service, (await newPage(service, 'NO_MONEY', await payerWith(service, '0.00', 'NO_MONEY'))).page)
    const words = panelIn(await visitor.look(), 'wallet')
    assert.match(words, /Your wallet is empty\. Choose another way\./)
    assert.doesNotMatch(wordsOf(visitor.last.text), /₹0\.00/)
  })

  const totalIn = ({ text }: Answered): string => {
    const [, label, amount] =
      /<div class="card total">(?:<b data-soon[^>]*>[^<]*<\/b>)?<p class="quiet">([^<]*)<\/p><p class="amount" data-amount>([^<]*)</.exec(
        text,
      )!
    return `${label} ${amount}`
  }
  /** An order of ₹500 that costs ₹450 in the ways of the world's TENTH. */
  const withOffer = async (service: Service, orderId: string, more: object = {}) =>
    new Visitor(service, (await newPage(service, orderId, { ...rupees('500.00'), ...OFFERED, ...more })).page)

  test('the largest figure of every state is the amount being paid, the amount paid, or the order’s amount', async () => {
    const service = await running()
    const paying = 'To pay ₹450.00'
    for (const [orderId, panel, typed] of [
      ['TOTAL_OTP', 'card', { ...CARD_FIELDS, cardNumber: '4000000000003220' }],
      ['TOTAL_CARD_PAGE', 'card', { ...CARD_FIELDS, cardNumber: '4000000000003063' }],
      ['TOTAL_BANK', 'bank', { bank: 'HDFC' }],
      ['TOTAL_UPI', 'upi', {}],
    ] as const) {
      const visitor = await withOffer(service, orderId)
      assert.equal(totalIn(await visitor.look()), 'To pay ₹500.00')
      const { button, less } = formOf(visitor.last.text, { panel })
      assert.match(button, panel === 'card' ? /^Pay ₹500\.00$/ : / ₹450\.00$/)
      assert.equal(less, panel === 'upi' ? undefined : `Less, if an offer fits your ${panel}.`)
      assert.equal(totalIn(await visitor.send({ panel }, typed)), paying, orderId)
      service.clock.advance(15 * 60_000)
      const over = await visitor.look()
      assert.deepEqual([over.status, totalIn(over)], [410, paying], orderId)
    }
    const paid = await withOffer(service, 'TOTAL_PAID')
    assert.equal(totalIn(await paid.send({ panel: 'card' }, CARD_FIELDS)), 'Paid ₹450.00')

    const left = await withOffer(service, 'TOTAL_LEFT')
    await left.look('?leave=1')
    assert.equal(totalIn(left.last), 'To pay ₹500.00')
    assert.equal(totalIn(await left.send('/leave')), 'Amount of the order ₹500.00')
    const over = await withOffer(service, 'TOTAL_OVER')
    service.clock.advance(15 * 60_000)
    assert.equal(totalIn(await over.look()), 'Amount of the order ₹500.00')
  })

  test('beside a wallet the page names the amount that the app shows, and the wallet’s part', async () => {
    const service = await running()
    const visitor = new Visitor(
      service,
      (await newPage(service, 'PARTS', { ...(await payerWith(service, '200.00', 'PARTS')), ...rupees('500.00') })).page,
    )
    const { text } = await visitor.send({ panel: 'upi' }, { share: '1' })
    const [{ next } = { next: null }] = await attemptsOf(service, 'PARTS')
    assert.ok(next?.kind === 'deepLink')
    assert.equal(new URL(next.deepLink).searchParams.get('am'), '300.00')
    assert.match(wordsOf(text), /Check the name Demo Stores and ₹300\.00, and approve/)
    assert.match(text, /aria-label="QR code: pay ₹300\.00 to Demo Stores by UPI"/)
    assert.equal(totalIn(visitor.last), 'To pay ₹500.00')
    assert.match(wordsOf(text), /By wallet ₹200\.00 By UPI ₹300\.00/)
    await service.post('/sandbox/payer', JSON.stringify({ mid: MID, orderId: 'PARTS', action: 'approve' }))
    assert.match(wordsOf((await visitor.look()).text), /Paid ₹500\.00 By wallet ₹200\.00 By UPI ₹300\.00/)
  })

  test('cashback that another payer has used up meanwhile is said to be gone before the payment, once', async () => {
    const service = await running()
    const offered = { ...rupees('500.00'), ...OFFERED, enablePaymentMode: [{ mode: 'SVC_DIGITAL_CREDIT' }, { mode: 'BALANCE' }] }
    const [first, second] = await Promise.all(
      ['ONCE_1', 'ONCE_2'].map(async (orderId) => {
        const { page } = await newPage(service, orderId, { ...offered, ...(await payerWith(service, '20.00', orderId)) })
        const visitor = new Visitor(service, page)
        assert.match(wordsOf((await visitor.look()).text), /ONCE : ONCE \. The money comes to your wallet after you pay\./)
        return visitor
      }),
    )
    assert.equal(formOf(first!.last.text, { panel: 'postpaid' }).fields['cashback'], '3000 ONCE')
    await first!.send({ panel: 'postpaid' })
    assert.equal((await attemptsOf(service, 'ONCE_1'))[0]!.promocode, 'ONCE')
    const refused = await second!.send({ panel: 'postpaid' })
    assert.equal(refused.status, 422)
    assert.match(wordsOf(refused.text), /This payment does not get the cashback that was shown\. Nothing was taken\./)
    assert.doesNotMatch(wordsOf(refused.text), /ONCE :/)
    assert.deepEqual(await attemptsOf(service, 'ONCE_2'), [])
    await second!.send({ panel: 'postpaid' })
    assert.deepEqual(
      (await attemptsOf(service, 'ONCE_2')).map(({ promocode }) => promocode),
      [null],
    )
  })

  test('a part from the wallet that leaves too little for the cashback is said so once, and then pays', async () => {
    const service = await running()
    const offered = { ...rupees('500.00'), ...OFFERED, enablePaymentMode: [{ mode: 'PPBL' }, { mode: 'BALANCE' }] }
    const { page } = await newPage(service, 'LITTLE_BACK', { ...offered, ...(await payerWith(service, '490.00', 'LITTLE_BACK')) })
    const visitor = new Visitor(service, page)
    await visitor.look()
    assert.equal(formOf(visitor.last.text, { panel: 'ppbl' }).fields['cashback'], '2000 BACK20')
    const refused = await visitor.send({ panel: 'ppbl' }, { share: '1' })
    assert.equal(refused.status, 422)
    await visitor.send({ panel: 'ppbl' }, { share: '1' })
    assert.deepEqual(await takenFor(service, 'LITTLE_BACK'), { flow: 'HYBRID', walletPaise: 490_00, bankPaise: 10_00 })
  })

  test('cashback for one kind of card is promised to that kind alone, and a card of the other kind pays at once', async () => {
    const service = await running()
    const [credit, debit] = [CARD_FIELDS, { ...CARD_FIELDS, cardNumber: '4012888888881881' }]
    const offers = { ...rupees('500.00'), simplifiedPaymentOffers: { promoCode: 'CREDIT_BACK', applyAvailablePromo: false } }
    const visit = async (orderId: string, more: object = {}) =>
      new Visitor(service, (await newPage(service, orderId, { ...offers, ...more })).page)
    const promised = ({ text }: Answered, panel: string) => formOf(text, { panel }).fields['cashback']

    for (const [orderId, card, promocode] of [
      ['BACK_CREDIT', credit, 'CREDIT_BACK'],
      ['BACK_DEBIT', debit, null],
    ] as const) {
      const visitor = await visit(orderId)
      assert.deepEqual([promised(await visitor.look(), 'card'), promised(visitor.last, 'bank')], ['', undefined])
      await visitor.send({ panel: 'card' }, card)
      assert.deepEqual(
        (await attemptsOf(service, orderId)).map((attempt) => attempt.promocode),
        [promocode],
      )
    }
    const onlyCredit = await visit('BACK_ONLY', { enablePaymentMode: [{ mode: 'CREDIT_CARD' }] })
    assert.equal(promised(await onlyCredit.look(), 'card'), '500 CREDIT_BACK')

    // The script's price knows the card. A part from the wallet does not change what the page shows.
    const payer = await payerWith(service, '20.00', 'BACK_KEPT')
    const signedIn = await visit('BACK_PRICE', payer)
    for (const [form, cashback] of [
      [{}, ''],
      [{ digits: '41111111' }, '500 CREDIT_BACK'],
      [{ digits: '41111111', share: '1' }, '500 CREDIT_BACK'],
      [{ digits: '40128888' }, ''],
    ] as const) {
      const { text } = await ask(service, `${signedIn.page}/price`, { mode: 'CREDIT_CARD', ...form })
      assert.equal(JSON.parse(text).cashback, cashback, JSON.stringify(form))
    }

    // A saved card is of one kind.
    const keep = async (orderId: string, cardInfo: string, paymentMode: string) => {
      const order = await createOrder(service, orderId, payer)
      assert.equal((await pay(service, order, { paymentMode, cardInfo, storeInstrument: '1' })).body.resultInfo.resultStatus, 'S')
    }
    await keep('KEEPS_DEBIT', '|4012888888881881|123|122032', 'DEBIT_CARD')
    assert.equal(promised(await (await visit('BACK_KEPT_DEBIT', payer)).look(), 'saved'), undefined)
    await keep('KEEPS_CREDIT', '|4111111111111111|123|122032', 'CREDIT_CARD')
    const both = await visit('BACK_KEPT_BOTH', payer)
    assert.equal(promised(await both.look(), 'saved'), '')
    const ids = new Set([...both.last.text.matchAll(/name="savedCard"[^>]* value="([^"]+)"/g)].map(([, id]) => id!))
    const prices = await Promise.all(
      [...ids].map(async (savedCard) => JSON.parse((await ask(service, `${both.page}/price`, { mode: 'CREDIT_CARD', savedCard })).text)),
    )
    assert.deepEqual(prices.map(({ cashback }) => cashback).toSorted(), ['', '500 CREDIT_BACK'])
  })

  test('saved cards of both kinds promise the larger price', async () => {
    const service = await running()
    const payer = await payerWith(service, '20.00', 'BOTH_KINDS')
    for (const [number, paymentMode] of [
      ['4111111111111111', 'CREDIT_CARD'],
      ['5105105105105100', 'DEBIT_CARD'],
    ] as const) {
      const order = await createOrder(service, `BOTH_${paymentMode}`, payer)
      await pay(service, order, { paymentMode, cardInfo: `|${number}|123|122032`, storeInstrument: '1' })
    }
    const disablePaymentMode = [{ mode: 'BALANCE' }]
    const { page } = await newPage(service, 'BOTH_KINDS', { ...payer, ...rupees('500.00'), ...OFFERED, disablePaymentMode })
    const { text } = await ask(service, page)
    // TENTH is for credit cards.
    assert.equal(formOf(text, { panel: 'saved' }).fields['amount'], '50000')
  })

  test('cashback is promised to the wallet of a signed-in payer, and to no other', async () => {
    const service = await running()
    const offered = { ...rupees('500.00'), ...OFFERED, enablePaymentMode: [{ mode: 'PPBL' }, { mode: 'BALANCE' }] }
    const wordsFor = async (orderId: string, more: object, headers: Record<string, string> = {}) => {
      const { page } = await newPage(service, orderId, { ...offered, ...more })
      return wordsOf((await ask(service, page, undefined, headers)).text)
    }
    assert.match(await wordsFor('OWED', {}), /BACK20 : BACK20 \. The money is credited to you after you pay\./)
    assert.match(await wordsFor('OWED_HINDI', {}, { 'accept-language': 'hi' }), /BACK20 : BACK20 । भुगतान के बाद पैसे आपके नाम पर जमा रहेंगे।/)
    const payer = await payerWith(service, '20.00', 'GIVEN')
    assert.match(await wordsFor('GIVEN', payer), /BACK20 : BACK20 \. The money comes to your wallet after you pay\./)
    // The state after that.
    for (const [orderId, more, walletPaise] of [
      ['OWED_PAID', {}, undefined],
      ['GIVEN_PAID', payer, 20_00 + 20_00],
    ] as const) {
      await new Visitor(service, (await newPage(service, orderId, { ...offered, ...more })).page).send({ panel: 'ppbl' })
      const paid = (await attemptsOf(service, orderId))[0]!
      assert.deepEqual([paid.status, paid.promocode], ['SUCCESS', 'BACK20'])
      const owner = paid.payer ? await service.ports.query.row(customerKey(paid.payer.mobile)) : undefined
      assert.equal(owner?.walletBalancePaise, walletPaise)
    }
  })
})
