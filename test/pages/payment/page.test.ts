// The payment page without JavaScript, from the order to the callback: every way to pay, failures, and the ways out.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dateInIndia } from '../../../src/engine/clock.ts'
import { joinedValues, verify } from '../../../src/interface/checksum.ts'
import { pagePaths } from '../../../src/interface/page-paths.ts'
import { actions } from '../../../src/pages/payment/actions.ts'
import { demoWorld } from '../../../src/sandbox/world.ts'
import { orderKey, subscriptionKey, transactionsOfOrder } from '../../../src/tables/keys.ts'
import { fix, initiate, issueSsoToken, subscription } from '../../support/mandates/subscription.ts'
import {
  type Answered,
  ask,
  CALLBACK,
  CARD_FIELDS,
  formOf,
  formsOf,
  goesTo,
  newPage,
  openPage,
  Visitor,
  withoutDrawer,
  withoutIds,
  wordsOf,
} from '../../support/pages/pages.ts'
import { bankJournal, createOrder, pay, script, statusOf } from '../../support/paying/paying.ts'
import { refund } from '../../support/paying/refunds.ts'
import { KEY, MID, onBothStores, type Service, sharedService, startService } from '../../support/run/service.ts'
import { changeWorld, inbox } from '../../support/signin/signin.ts'
import { revoke, signIn } from '../../support/signin/tokens.ts'

/** The form that goes to the shop, verified as the shop does. */
function callbackIn(html: string): Record<string, string> {
  const { action, fields } = formOf(html, { MID })
  assert.equal(action, CALLBACK)
  const { CHECKSUMHASH, ...reported } = fields
  assert.ok(verify(joinedValues(reported), CHECKSUMHASH, KEY), `the callback is not signed: ${JSON.stringify(fields)}`)
  return fields
}

/** How often the bank has taken money for an order. */
async function captures(service: Service, orderId: string): Promise<number> {
  const attempts = await service.ports.query.rows(transactionsOfOrder(MID, orderId))
  const keys = new Set(attempts.map(({ txnId }) => `${MID}:${txnId}`))
  return (await bankJournal(service)).filter(({ kind, key, outcome }) => kind === 'authorize' && outcome === 'success' && keys.has(key))
    .length
}

async function subscriptionPage(service: Service, orderId: string, more: object): Promise<Visitor> {
  const subscriptionStartDate = dateInIndia(service.clock.now())
  const { body } = await initiate(service, subscription(orderId, { callbackUrl: CALLBACK, subscriptionStartDate, ...more }))
  assert.ok(body.txnToken, JSON.stringify(body))
  return new Visitor(service, await openPage(service, { orderId, txnToken: body.txnToken }))
}

interface Way {
  /** The panel's form, and the typed values. */
  form: Record<string, string>
  typed?: Record<string, string>
  more?: object
  /** The payer's next action. */
  after?: (visitor: Visitor, action: 'approve' | 'decline') => Promise<unknown>
  query?: string
}

const atBank = async (visitor: Visitor, action: 'approve' | 'decline') => {
  const { action: bank, fields } = formOf(visitor.last.text, '/sandbox/bank/page')
  const there = await ask(visitor.service, bank, fields)
  const choice = formsOf(there.text).find(({ fields }) => fields['action'] === action)!
  const back = goesTo(await ask(visitor.service, choice.action, choice.fields))
  assert.match(back, /\/pay\/[\w.-]+\/return$/)
  assert.ok(!back.includes(visitor.page), 'the bank is told the page’s id')
  return visitor.follow(back)
}
const inApp = async (visitor: Visitor, action: 'approve' | 'decline') => {
  const orderId = /Order ([A-Z0-9_]+)/.exec(wordsOf(visitor.last.text))![1]
  await visitor.service.post('/sandbox/payer', JSON.stringify({ mid: MID, orderId, action }))
  return visitor.send('/check')
}

/** A website of the merchant's that has no callbackUrl. */
const NOWHERE = { websiteName: 'NOWHERE' }
const [demo] = demoWorld.merchants!
const world = { ...demoWorld, merchants: [{ ...demo!, websites: { ...demo!.websites, NOWHERE: {} } }] }

const AMOUNT = { txnAmount: { value: '5000.00', currency: 'INR' } }
const ways: Record<string, Way> = {
  card: { form: { panel: 'card' }, typed: CARD_FIELDS },
  upi: { form: { panel: 'upi' }, after: inApp },
  upiId: { form: { panel: 'upi', by: 'upiId' }, typed: { upiId: 'payer@upi' } },
  netBanking: { form: { panel: 'bank' }, typed: { bank: 'HDFC' }, after: atBank },
  emi: {
    form: { panel: 'emi' },
    typed: { ...CARD_FIELDS, plan: 'HDFC|3' },
    query: '?emi=HDFC',
    more: AMOUNT,
  },
  ppbl: { form: { panel: 'ppbl' } },
  postpaid: { form: { panel: 'postpaid' } },
}

onBothStores('the payment page', (store) => {
  const running = sharedService(store, { world })

  for (const [name, { form, typed = {}, more = {}, after, query }] of Object.entries(ways)) {
    test(`an order is paid by ${name} from the page to the callback, once`, async () => {
      const service = await running()
      const orderId = `PAYS_${name.toUpperCase()}`
      const { order, page } = await newPage(service, orderId, more)
      const visitor = new Visitor(service, page)
      const { text } = await visitor.look(query)
      assert.ok(!text.includes(order.txnToken), 'the page holds the txnToken')
      await visitor.send(form, typed)
      await after?.(visitor, 'approve')
      assert.match(wordsOf(visitor.last.text), / paid /, wordsOf(visitor.last.text))
      const callback = callbackIn(visitor.last.text)
      assert.equal(callback['STATUS'], 'TXN_SUCCESS')
      assert.equal(callback['ORDERID'], orderId)
      assert.equal((await statusOf(service, order)).body.resultInfo.resultStatus, 'TXN_SUCCESS')
      assert.equal(await captures(service, orderId), 1)
    })

    test(`an order whose payment by ${name} fails is tried again in place, and paid once`, async () => {
      const service = await running()
      const orderId = `FAILS_${name.toUpperCase()}`
      const { order, page } = await newPage(service, orderId, more)
      if (!after) await script(service, order, 'declined')
      const visitor = new Visitor(service, page)
      await visitor.look(query)
      await visitor.send(form, typed)
      await after?.(visitor, 'decline')
      assert.match(
        wordsOf(visitor.last.text),
        name === 'upi' ? /The payment was not made\. Nothing was taken: / : /Nothing was taken\. .*You can try 4 more times\./,
      )
      await visitor.send({ panel: 'card' }, CARD_FIELDS)
      assert.equal(callbackIn(visitor.last.text)['STATUS'], 'TXN_SUCCESS')
      assert.equal(await captures(service, orderId), 1)
    })
  }

  test('the wallet pays after the payer has signed in on the page, and is shown on each page of the same txnToken, to no other browser', async () => {
    const service = await running()
    const { order, page } = await newPage(service, 'WALLET')
    const visitor = new Visitor(service, page)
    await visitor.send('/sign-in', { mobile: '+91 99999 00001' })
    const { otp } = (await inbox(service, '9999900001'))[0]!
    const wrong = await visitor.send('/sign-in/otp', { code: otp === '000000' ? '000001' : '000000' })
    assert.equal(wrong.status, 422)
    assert.match(wordsOf(wrong.text), /This OTP is not right/)
    const signedIn = await visitor.send('/sign-in/otp', { code: otp })
    assert.match(wordsOf(signedIn.text), /You have ₹5,000\.00/)
    const tab = await ask(service, await openPage(service, order))
    assert.match(wordsOf(tab.text), /You have ₹5,000\.00/, 'the login is the order’s')
    const stranger = await ask(service, page, undefined, { 'user-agent': 'another' })
    assert.ok(!wordsOf(stranger.text).includes('5,000'))
    const tried = await ask(service, `${page}/pay`, { ...formOf(signedIn.text, { panel: 'wallet' }).fields }, { 'user-agent': 'another' })
    assert.equal(tried.status, 422)
    await visitor.look()
    await visitor.send({ panel: 'wallet' })
    assert.equal(callbackIn(visitor.last.text)['PAYMENTMODE'], 'PPI')
  })

  test('a payer whose sign-in has ended meanwhile signs in on the page, and pays from the wallet', async () => {
    const service = await running()
    const mobile = '9111155501'
    await changeWorld(service, { customers: [{ mobile, walletBalance: '150.00' }] })
    const { ssoToken } = await signIn(service, mobile, { scopes: ['wallet'] })
    const { page } = await newPage(service, 'ENDED_SIGN_IN', { paytmSsoToken: ssoToken, userInfo: { custId: 'ENDED_SIGN_IN' } })
    const visitor = new Visitor(service, page)
    assert.match(wordsOf((await visitor.look()).text), /You have ₹150\.00/)
    assert.equal((await revoke(service, ssoToken)).status, 200)
    assert.doesNotMatch(wordsOf((await visitor.look()).text), /₹150\.00/)
    service.clock.advance(1_000) // so that the newer of the payer's two messages is the first
    await visitor.send('/sign-in', { mobile })
    await visitor.send('/sign-in/otp', { code: (await inbox(service, mobile))[0]!.otp })
    assert.match(wordsOf(visitor.last.text), /You have ₹150\.00/)
    await visitor.send({ panel: 'wallet' })
    assert.equal(callbackIn(visitor.last.text)['PAYMENTMODE'], 'PPI')
  })

  test('the number that a payer signs in with is written into no page, and its end only into the one that had the code sent', async () => {
    const service = await running()
    const mobile = '9111166678'
    const { order, page } = await newPage(service, 'WHOSE_NUMBER')
    const visitor = new Visitor(service, page)
    const other = new Visitor(service, await openPage(service, order))
    await visitor.send('/sign-in', { mobile: '91111666' })
    assert.match(visitor.last.text, /value="91111666"/, 'what he typed wrongly he may mend')
    await visitor.send('/sign-in', { mobile })
    assert.match(wordsOf(visitor.last.text), /We sent an OTP to ••••••6678/)
    const strangers = [
      await other.look(),
      await other.look('?open=wallet'),
      await ask(service, page, undefined, { 'user-agent': 'another' }),
    ]
    for (const { text } of [...strangers, visitor.last]) assert.ok(!withoutDrawer(text).includes(mobile))
    for (const { text } of strangers) assert.ok(!withoutIds(withoutDrawer(text)).includes('6678') && !text.includes('/sign-in/otp"'))
    // "Send a new OTP" contains no number, and on a page that has sent none it leads nowhere.
    assert.equal((await ask(service, `${other.page}/sign-in`, {})).status, 422)
    assert.equal((await inbox(service, mobile)).length, 1)
    const again = formsOf(visitor.last.text).find(({ button }) => button === 'Send a new OTP')!
    assert.deepEqual(again.fields, {})
    await visitor.follow(goesTo(await ask(service, again.action, again.fields)))
    assert.equal((await inbox(service, mobile)).length, 2)
    // The other page sends its own code, and now this page shows nothing of it.
    await other.send('/sign-in', { mobile: '9111166699' })
    assert.match(wordsOf(other.last.text), /We sent an OTP to ••••••6699/)
    assert.ok(!/6699|\/sign-in\/otp"/.test((await visitor.look()).text))
    await other.send('/sign-in/otp', { code: (await inbox(service, '9111166699'))[0]!.otp })
    assert.match(wordsOf(other.last.text), /Signed in with ••••••6699/)
  })

  test('where no provider sends messages, a form that asks for a code gets that answer and nothing fails', async () => {
    const env = {
      MOHUR_MODE: 'production',
      MOHUR_MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
      MOHUR_PUBLIC_URL: 'https://pay.example',
    }
    const service = await startService(store, { world: { merchants: demoWorld.merchants! }, env })
    try {
      const visitor = new Visitor(service, (await newPage(service, 'NO_SENDER')).page)
      const { text } = await visitor.look()
      assert.doesNotMatch(text, /\/sign-in"/)
      const answer = await ask(service, `${visitor.page}/sign-in`, { mobile: '9999900001' })
      assert.equal(answer.status, 422)
      assert.match(wordsOf(answer.text), /Signing in is not possible right now/)
    } finally {
      await service.close()
    }
  })

  test('a payer who has kept a credit card and a debit card pays by either, and reads of one that cannot be used', async () => {
    const service = await running()
    const paytmSsoToken = await issueSsoToken(service, 'sso of TWO_CARDS')
    const ofPayer = { paytmSsoToken, userInfo: { custId: 'TWO_CARDS' } }
    for (const [paymentMode, number] of [
      ['CREDIT_CARD', '4111111111111111'],
      ['DEBIT_CARD', '4012888888881881'],
    ]) {
      const before = await createOrder(service, `KEEPS_${paymentMode}`, ofPayer)
      await pay(service, before, { paymentMode, cardInfo: `|${number}|123|122032`, storeInstrument: '1' })
    }
    const paidBy = []
    for (const last4 of ['1111', '1881']) {
      const visitor = new Visitor(service, (await newPage(service, `KEPT_${last4}`, ofPayer)).page)
      const { text } = await visitor.look()
      const savedCard = new RegExp(`name="savedCard" value="(\\w*${last4}\\w*)"`).exec(text)![1]!
      const refused = await visitor.send({ panel: 'saved' }, { savedCard: '555555555555444412032C', cvv: '123' })
      assert.equal(refused.status, 422)
      assert.match(refused.text, /<p class="fault" id="saved-savedCard-fault">This card cannot be used here/)
      await visitor.send({ panel: 'saved' }, { savedCard, cvv: '123' })
      paidBy.push(callbackIn(visitor.last.text)['PAYMENTMODE'])
    }
    assert.deepEqual(paidBy, ['CC', 'DC'])
  })

  test('a card that asks for its code is confirmed on the page; a wrong code is said beside the field, where every address leads on', async () => {
    const service = await running()
    const { page } = await newPage(service, 'OTP')
    const visitor = new Visitor(service, page)
    await visitor.send({ panel: 'card' }, { ...CARD_FIELDS, cardNumber: '4000000000003220' })
    assert.match(wordsOf(visitor.last.text), /Enter the OTP from your bank/)
    const wrong = await visitor.send('/otp', { otp: '000000' })
    assert.equal(wrong.status, 422)
    assert.match(wrong.text, /aria-invalid="true"/)
    for (const name of Object.keys(actions)) assert.equal(goesTo(await ask(service, `${page}/${name}`)), page, name)
    const unknown = await ask(service, `/pay/${'0'.repeat(32)}/otp`)
    assert.deepEqual([unknown.status, unknown.text.startsWith('<!doctype html>')], [404, true])
    await visitor.look()
    await visitor.send('/otp', { otp: '123123' })
    assert.equal(callbackIn(visitor.last.text)['STATUS'], 'TXN_SUCCESS')
  })

  test('a payer who wants to pay another way is freed from a code that they do not have', async () => {
    const service = await running()
    const { page } = await newPage(service, 'ANOTHER')
    const visitor = new Visitor(service, page)
    await visitor.send({ panel: 'card' }, { ...CARD_FIELDS, cardNumber: '4000000000003220' })
    await visitor.send('/cancel')
    assert.match(wordsOf(visitor.last.text), /The payment was cancelled\. Nothing was taken/)
    await visitor.send({ panel: 'card' }, { ...CARD_FIELDS, expiry: ' 12 / 2032 ' })
    assert.equal(await captures(service, 'ANOTHER'), 1)
  })

  test('a payment that waits in an app is cancelled for another way; one that the bank is at is waited for, and the page says why', async () => {
    const service = await running()
    const { page } = await newPage(service, 'CALLED_BACK')
    const visitor = new Visitor(service, page)
    await visitor.send({ panel: 'upi' })
    await visitor.send('/cancel')
    assert.match(wordsOf(visitor.last.text), /The payment was not made\. Nothing was taken/)
    assert.doesNotMatch(visitor.last.text, /role="alert"/)
    await visitor.send({ panel: 'card' }, CARD_FIELDS)
    assert.equal(callbackIn(visitor.last.text)['STATUS'], 'TXN_SUCCESS')
    assert.equal(await captures(service, 'CALLED_BACK'), 1)

    const { order, page: slow } = await newPage(service, 'AT_THE_BANK')
    await script(service, order, 'slow')
    const waiting = new Visitor(service, slow)
    await waiting.send({ panel: 'card' }, CARD_FIELDS)
    await waiting.send('/cancel')
    assert.match(wordsOf(waiting.last.text), /A second payment now could take your money twice/)
    assert.equal((await service.ports.query.rows(transactionsOfOrder(MID, 'AT_THE_BANK')))[0]!.status, 'PENDING')
  })

  test('presses for codes, new codes and other ways cause three and ten calls to the bank a minute at most, and the payer reads so', async (t) => {
    const service = await running()
    const acquirer = service.ports.acquirer()
    const { order, page } = await newPage(service, 'OFTEN')
    const visitor = new Visitor(service, page)
    await visitor.send({ panel: 'card' }, { ...CARD_FIELDS, cardNumber: '4000000000003220' })
    const { order: silent, page: slow } = await newPage(service, 'OFTEN_SLOW')
    await script(service, silent, 'slow')
    await new Visitor(service, slow).send({ panel: 'card' }, CARD_FIELDS)
    // A minute that ends when the test says so.
    const from = service.clock.realNow()
    const { mock } = t.mock.method(service.clock, 'realNow', () => from)
    const pressed = async (times: number, address: string, ...forms: Record<string, string>[]) => {
      const answers: Record<string, number> = {}
      for (let at = 0; at < times; at++) {
        const { status, headers } = await ask(service, address, { attempt: '1', ...forms[at % forms.length] })
        const said = status === 303 ? headers.get('location')!.replace(/^[^?]*/, '') : String(status)
        answers[said] = (answers[said] ?? 0) + 1
      }
      return answers
    }
    const codes = t.mock.method(acquirer, 'otp')
    assert.deepEqual(await pressed(8, `${page}/otp`, { resend: '1' }), { '?message=resent': 3, '?message=often': 5 })
    assert.equal(codes.mock.callCount(), 3)
    assert.match(wordsOf((await visitor.look('?message=often')).text), /Your bank was asked many times\. Wait a minute, then try again\./)
    const judged = t.mock.method(acquirer, 'otp', async () => ({ outcome: 'wrongOtp' }) as const)
    assert.deepEqual(await pressed(14, `${page}/otp`, { otp: '000000' }), { 422: 10, '?message=often': 4 })
    assert.equal(judged.mock.callCount(), 10)
    judged.mock.restore()

    const [called, asked] = [t.mock.method(acquirer, 'cancel'), t.mock.method(acquirer, 'status')]
    assert.deepEqual(await pressed(7, `${slow}/cancel`), { '': 7 })
    assert.deepEqual(await pressed(7, `${slow}/check`), { '?message=checked': 3, '?message=often': 4 })
    assert.deepEqual(await pressed(2, `${slow}/cancel`), { '?message=often': 2 })
    assert.deepEqual([called.mock.callCount(), asked.mock.callCount()], [7, 3])
    mock.mockImplementation(() => from + 60_000)
    assert.deepEqual(await pressed(1, `${page}/otp`, { resend: '1' }), { '?message=resent': 1 })
    await visitor.look()
    await visitor.send('/otp', { otp: '123123' })
    assert.equal(callbackIn(visitor.last.text)['STATUS'], 'TXN_SUCCESS')
    assert.equal(await captures(service, order.orderId), 1)
  })

  test('a payer who has been at the bank is not sent there again by another language or more time', async () => {
    const service = await running()
    const visitor = new Visitor(service, (await newPage(service, 'BEEN_THERE')).page)
    await visitor.send({ panel: 'bank' }, { bank: 'HDFC' })
    assert.match(visitor.last.text, /<form [^>]*data-goes/)
    service.clock.advance(60_000)
    await visitor.send('/check')
    for (const [act, typed, says] of [
      ['/language', { language: 'hi' }, /अभी जाँचा: अब तक कोई जवाब नहीं आया।/],
      ['/more-time', undefined, /अभी जाँचा: अब तक कोई जवाब नहीं आया।/],
      ['/language', { language: 'en', message: 'anything' }, /Continue at your bank/],
    ] as const) {
      const { status, text } = await visitor.send(act, typed)
      assert.equal(status, 200)
      assert.match(wordsOf(text), says)
      assert.equal(/data-goes/.test(text), typed !== undefined && 'message' in typed, act)
    }
  })

  test('the same button in two tabs begins one attempt', async () => {
    const service = await running()
    const { page } = await newPage(service, 'TABS')
    const { fields, action } = formOf((await ask(service, page)).text, { panel: 'card' })
    const sent = await Promise.all([1, 2, 3].map(() => ask(service, action, { ...fields, ...CARD_FIELDS })))
    assert.deepEqual(
      sent.map(({ status }) => status),
      [303, 303, 303],
    )
    assert.equal(await captures(service, 'TABS'), 1)
    // A tab with an earlier state begins nothing, whatever has happened to the attempt.
    const { order, page: failed } = await newPage(service, 'STALE')
    await script(service, order, 'declined')
    const stale = formOf((await ask(service, failed)).text, { panel: 'card' })
    await ask(service, stale.action, { ...stale.fields, ...CARD_FIELDS })
    assert.equal(goesTo(await ask(service, stale.action, { ...stale.fields, ...CARD_FIELDS })), failed)
    assert.equal(await captures(service, 'STALE'), 0)
    assert.equal((await service.ports.query.rows(transactionsOfOrder(MID, 'STALE'))).length, 1)
  })

  test('a tab that shows an older attempt enters no code for the newer one, and cancels nothing', async () => {
    const service = await running()
    const { page } = await newPage(service, 'OLD_TAB')
    const card = { ...CARD_FIELDS, cardNumber: '4000000000003220' }
    const visitor = new Visitor(service, page)
    const older = formsOf((await visitor.send({ panel: 'card' }, card)).text)
    await visitor.send('/cancel')
    await visitor.send({ panel: 'card' }, card)
    const newer = async () => (await service.ports.query.rows(transactionsOfOrder(MID, 'OLD_TAB'))).find(({ attempt }) => attempt === 2)!
    const before = await newer()
    const acting = older.filter(({ action }) => /\/(otp|cancel)$/.test(action))
    assert.equal(acting.length, 3)
    for (const { action, fields } of acting) {
      assert.equal(fields['attempt'], '1', action)
      for (const otp of ['123123', '000000'])
        assert.equal(goesTo(await ask(service, action, { ...fields, ...('otp' in fields && { otp }) })), page, action)
    }
    for (const end of ['otp', 'check', 'cancel'])
      for (const form of [{ attempt: '1' }, { attempt: '3' }, {}])
        assert.equal(goesTo(await ask(service, `${page}/${end}`, form)), page, end)
    assert.deepEqual(await newer(), before)
    await visitor.send('/otp', { otp: '123123' })
    assert.equal(callbackIn(visitor.last.text)['STATUS'], 'TXN_SUCCESS')
    assert.equal(await captures(service, 'OLD_TAB'), 1)
  })

  test('more to pay than the page showed is shown first, and nothing is charged', async () => {
    const service = await running()
    const { page } = await newPage(service, 'MORE')
    const { fields, action } = formOf((await ask(service, page)).text, { panel: 'card' })
    assert.equal(fields['amount'], '10000')
    const answer = await ask(service, action, { ...fields, ...CARD_FIELDS, amount: '9999' })
    assert.equal(answer.status, 422)
    assert.match(wordsOf(answer.text), /The amount to pay is ₹100\.00 now\. It was ₹99\.99\. Nothing was taken\./)
    assert.ok(!withoutIds(answer.text).includes('4111'), 'the card is written back')
    assert.equal(await captures(service, 'MORE'), 0)
  })

  const priceAt = async (service: Service, page: string, form: Record<string, string>) =>
    JSON.parse((await ask(service, `${page}/price`, form)).text)

  test('an offer for credit cards is a condition until the card is known: the button says the most, and no card is asked twice', async () => {
    const service = await running()
    const offered = { txnAmount: { value: '499.00', currency: 'INR' }, simplifiedPaymentOffers: { applyAvailablePromo: true } }
    for (const [orderId, cardNumber, taken] of [
      ['OFFER_DEBIT', '4012888888881881', '499.00'],
      ['OFFER_CREDIT', CARD_FIELDS.cardNumber, '449.10'],
    ] as const) {
      const { page } = await newPage(service, orderId, offered)
      const visitor = new Visitor(service, page)
      await visitor.look()
      assert.match(wordsOf(visitor.last.text), /By credit card ₹449\.10/)
      assert.match(wordsOf(visitor.last.text), /Credit or debit · saves ₹49\.90 by credit card/)
      assert.match(wordsOf(visitor.last.text), /10% off by credit card, up to Rs 100 \. Taken off once you enter a credit card\./)
      assert.equal((await priceAt(service, page, { mode: 'CREDIT_CARD' })).saves, ' · saves ₹49.90 by credit card')
      const { button, less } = formOf(visitor.last.text, { panel: 'card' })
      assert.deepEqual([button, less], ['Pay ₹499.00', 'Less, if an offer fits your card.'])
      await visitor.send({ panel: 'card' }, { ...CARD_FIELDS, cardNumber })
      assert.equal(callbackIn(visitor.last.text)['TXNAMOUNT'], taken)
    }
  })

  test('a part from the wallet leaves less for an offer: the form promises no less than is taken, and keeps the tick', async () => {
    const service = await running()
    const mobile = '9111122222'
    await changeWorld(service, { customers: [{ mobile, walletBalance: '250.00' }] })
    const paytmSsoToken = await issueSsoToken(service, 'sso of SHARE', { userId: service.ports.vault.hash('userId', mobile), mobile })
    const { page } = await newPage(service, 'SHARE', {
      ...{ paytmSsoToken, userInfo: { custId: 'SHARE' } },
      txnAmount: { value: '500.00', currency: 'INR' },
      simplifiedPaymentOffers: { applyAvailablePromo: true },
    })
    const visitor = new Visitor(service, page)
    const shownIn = ({ text }: Answered) => formOf(text, { panel: 'card' }).fields
    assert.deepEqual([shownIn(await visitor.look())['amount'], shownIn(visitor.last)['share']], ['50000', undefined])
    const wrong = await visitor.send({ panel: 'card' }, { ...CARD_FIELDS, cvv: '1', share: '1' })
    assert.deepEqual([wrong.status, shownIn(wrong)['share']], [422, '1'])
    assert.equal(formOf(wrong.text, { panel: 'bank' }).fields['share'], undefined)
    assert.equal(await captures(service, 'SHARE'), 0)
    // The script's price for typed digits, or a ticked box, is the amount that the decision takes.
    for (const [form, paise] of [
      [{ mode: 'CREDIT_CARD', digits: '41111111', share: '1' }, 475_00],
      [{ mode: 'CREDIT_CARD', digits: '41111111' }, 450_00],
      [{ mode: 'CREDIT_CARD', share: '1' }, 500_00],
      [{ mode: 'UPI', share: '1' }, 500_00],
    ] as const)
      assert.equal((await priceAt(service, page, form)).paise, paise, JSON.stringify(form))
    const stranger = await ask(service, `${page}/price`, { mode: 'CREDIT_CARD', share: '1' }, { 'user-agent': 'another' })
    assert.equal(JSON.parse(stranger.text).paise, 500_00)
    await visitor.send({ panel: 'card' }, CARD_FIELDS)
    assert.equal(callbackIn(visitor.last.text)['TXNAMOUNT'], '475.00')
  })

  test('leaving closes the order, and the shop gets 141 by a signed callback', async () => {
    const service = await running()
    const { order, page } = await newPage(service, 'LEAVES')
    const visitor = new Visitor(service, page)
    await visitor.look('?leave=1')
    await visitor.send('/leave')
    const fields = callbackIn(visitor.last.text)
    assert.deepEqual(
      { ...fields, CHECKSUMHASH: '' },
      {
        MID,
        ORDERID: 'LEAVES',
        TXNAMOUNT: '100.00',
        CURRENCY: 'INR',
        STATUS: 'TXN_FAILURE',
        RESPCODE: '141',
        RESPMSG: 'The customer did not complete the payment',
        ...{ TXNID: '', BANKTXNID: '', TXNDATE: '', GATEWAYNAME: '', BANKNAME: '', PAYMENTMODE: '' },
        CHECKSUMHASH: '',
      },
    )
    const late = await pay(service, order, { paymentMode: 'CREDIT_CARD', cardInfo: '|4111111111111111|123|122032' })
    assert.equal(late.body.resultInfo.resultCode, '410')
    assert.equal(await captures(service, 'LEAVES'), 0)
  })

  test('an order that is being paid is not left: the way back brings PENDING, and the payment may still succeed', async () => {
    const service = await running()
    const { page } = await newPage(service, 'STAYS')
    const visitor = new Visitor(service, page)
    await visitor.send({ panel: 'upi' })
    assert.equal(callbackIn(visitor.last.text)['STATUS'], 'PENDING')
    assert.equal(goesTo(await ask(service, `${page}/leave`, {})), page)
    await inApp(visitor, 'approve')
    assert.equal(callbackIn(visitor.last.text)['STATUS'], 'TXN_SUCCESS')
  })

  test('the fifth failure ends at the shop', async () => {
    const service = await running()
    const { order, page } = await newPage(service, 'FIVE')
    await script(service, order, ...Array(5).fill('declined'))
    const visitor = new Visitor(service, page)
    for (let at = 0; at < 5; at++) await visitor.send({ panel: 'card' }, CARD_FIELDS)
    assert.match(wordsOf(visitor.last.text), /failed five times/)
    assert.equal(callbackIn(visitor.last.text)['RESPCODE'], '227')
  })

  test('a payer who was charged in vain never reads that nothing was taken, neither where they may leave nor at the end', async () => {
    const service = await running()
    const vain = /What was taken is returned automatically/
    const nothing = /Nothing was taken/
    const { order, page } = await newPage(service, 'IN_VAIN')
    await script(service, order, 'wrongAmount')
    const visitor = new Visitor(service, page)
    await visitor.look('?leave=1')
    assert.match(wordsOf(visitor.last.text), nothing)
    await visitor.look()
    await visitor.send({ panel: 'card' }, CARD_FIELDS)
    for (const left of ['?leave=1', '/leave']) {
      if (left === '/leave') await visitor.send(left)
      else await visitor.look(left)
      assert.match(wordsOf(visitor.last.text), vain)
      assert.doesNotMatch(wordsOf(visitor.last.text), nothing)
    }
    assert.equal(callbackIn(visitor.last.text)['RESPCODE'], '141')

    const { order: fifth, page: exceeded } = await newPage(service, 'FIFTH_IN_VAIN')
    await script(service, fifth, ...Array(4).fill('declined'), 'wrongAmount')
    const trying = new Visitor(service, exceeded)
    for (let at = 0; at < 5; at++) await trying.send({ panel: 'card' }, CARD_FIELDS)
    assert.match(wordsOf(trying.last.text), /failed five times/)
    assert.match(wordsOf(trying.last.text), vain)
    assert.doesNotMatch(wordsOf(trying.last.text), nothing)

    const { order: late, page: notInTime } = await newPage(service, 'NOT_IN_TIME')
    await script(service, late, 'timeout')
    const waiting = new Visitor(service, notInTime)
    await waiting.send({ panel: 'card' }, CARD_FIELDS)
    service.clock.advance(10 * 60_000)
    await service.tasks.runDue()
    for (const place of ['', '?leave=1']) {
      await waiting.look(place)
      assert.match(wordsOf(waiting.last.text), /not completed in time\. If your bank takes the money all the same, it is returned/)
      assert.doesNotMatch(wordsOf(waiting.last.text), nothing)
    }
  })

  test('a subscription shows the agreed terms, and the card that agrees is its mandate', async () => {
    const service = await running()
    const visitor = await subscriptionPage(service, 'AGREES', fix('100.00', { subscriptionPurpose: 'A magazine & its <b>archive</b>' }))
    const words = wordsOf((await visitor.look()).text)
    assert.match(words, /What you agree to What for A magazine & its <b>archive<\/b> .*₹100\.00 each time .*every month .*₹10\.00/)
    await visitor.send({ panel: 'card' }, CARD_FIELDS)
    assert.match(wordsOf(visitor.last.text), /₹10\.00 paid/)
  })

  test('a payer who leaves after the consent was given back has no mandate at the bank any more', async () => {
    const service = await running()
    const visitor = await subscriptionPage(service, 'AGREED_IN_VAIN', {})
    await script(service, { orderId: 'AGREED_IN_VAIN' }, 'wrongAmount')
    await visitor.send({ panel: 'card' }, CARD_FIELDS)
    await visitor.look('?leave=1')
    await visitor.send('/leave')
    assert.equal(callbackIn(visitor.last.text)['RESPCODE'], '141')
    const { subscriptionId } = (await service.ports.query.row(orderKey(MID, 'AGREED_IN_VAIN')))!
    assert.equal((await service.ports.query.row(subscriptionKey(MID, subscriptionId!)))!.subStatus, 'TIMED_OUT')
    await service.tasks.runDue()
    const revoked = (await bankJournal(service)).filter(({ key }) => key === `${MID}:${subscriptionId}:revoke`)
    assert.deepEqual(
      revoked.map(({ kind, outcome }) => [kind, outcome]),
      [['revoke', 'success']],
    )
  })

  test('a mandate on a bank account is agreed to with the account that is typed, and the page waits for the bank', async () => {
    const service = await running()
    const visitor = await subscriptionPage(service, 'EMANDATE', {
      txnAmount: { value: '0.00', currency: 'INR' },
      subscriptionPaymentMode: 'BANK_MANDATE',
      mandateType: 'E_MANDATE',
    })
    const words = wordsOf((await visitor.look()).text)
    assert.match(words, /What you agree to How much at most ₹100\.00 each time .*Taken now Nothing/)
    const typed = { holder: 'Asha Rao', account: '5010 0987 650000', ifsc: 'hdfc 0000001', bank: 'HDFC', how: 'NET_BANKING' }
    for (const [field, slips] of Object.entries({
      holder: ['', '  '],
      account: ['abc', '12345', '1'.repeat(21), '', '5010098765000O'],
      ifsc: ['zz', 'HDFC1000001', 'HDFC000001', 'HDFC00000011', ''],
    }))
      for (const slip of slips) {
        const { status, text } = await visitor.send({ panel: 'mandate' }, { ...typed, [field]: slip })
        assert.equal(status, 422, `${field} ${slip}`)
        assert.match(text, new RegExp(`<p class="fault" id="mandate-${field}-fault">`))
      }
    assert.equal((await service.ports.query.rows(transactionsOfOrder(MID, 'EMANDATE'))).length, 0)
    const given = await visitor.send({ panel: 'mandate' }, typed)
    assert.ok(!given.text.includes('50100987650000'))
    const { subscriptionId } = (await service.ports.query.row(orderKey(MID, 'EMANDATE')))!
    const [{ txnId } = { txnId: '' }] = await service.ports.query.rows(transactionsOfOrder(MID, 'EMANDATE'))
    const state = async () => (await service.ports.query.row(subscriptionKey(MID, subscriptionId!)))!.status
    const atBank = /Waiting for your bank .*Your bank is checking the mandate\./
    const returned = async () => wordsOf((await ask(service, `/transaction/return?mid=${MID}&txnId=${txnId}`)).text)
    const version = async () => JSON.parse((await ask(service, `${visitor.page}/state`)).text).version
    for (const words of [wordsOf(given.text), await returned()]) {
      assert.match(words, atBank)
      assert.doesNotMatch(words, /mandate is set up|agreed\b|Thank you|Bank reference/)
    }
    assert.equal(await state(), 'IN_AUTHORIZATION')
    const before = await version()
    service.clock.advance(24 * 3_600_000)
    await service.tasks.runDue()
    assert.equal(await state(), 'ACTIVE')
    assert.notEqual(await version(), before)
    for (const words of [wordsOf((await visitor.look()).text), await returned()])
      assert.match(words, /Your mandate is set up .*Thank you\./)
  })

  test('a payer whose mandate the bank refuses afterwards reads so, and not that they have agreed', async () => {
    const service = await running()
    const visitor = await subscriptionPage(service, 'EMANDATE_REFUSED', {
      txnAmount: { value: '0.00', currency: 'INR' },
      subscriptionPaymentMode: 'BANK_MANDATE',
      mandateType: 'E_MANDATE',
    })
    const { subscriptionId } = (await service.ports.query.row(orderKey(MID, 'EMANDATE_REFUSED')))!
    const typed = { holder: 'Asha Rao', account: '50100987650002', ifsc: 'hdfc0000001', bank: 'HDFC', how: 'NET_BANKING' }
    await visitor.send({ panel: 'mandate' }, typed)
    assert.match(wordsOf(visitor.last.text), /Your bank is checking the mandate\./)
    service.clock.advance(24 * 3_600_000)
    await service.tasks.runDue()
    assert.equal((await service.ports.query.row(subscriptionKey(MID, subscriptionId!)))!.status, 'AUTHORIZATION_FAILED')
    const words = wordsOf((await visitor.look()).text)
    assert.match(words, /Your bank has not accepted the mandate Nothing will be debited\./)
    assert.doesNotMatch(words, /mandate is set up|You have agreed|Thank you/)
  })

  test('a mandate that the bank has refused is agreed at another try, and what its payer does about it is about that one', async () => {
    const service = await running()
    const visitor = await subscriptionPage(service, 'EMANDATE_AGAIN', {
      txnAmount: { value: '0.00', currency: 'INR' },
      subscriptionPaymentMode: 'BANK_MANDATE',
      mandateType: 'E_MANDATE',
    })
    const { subscriptionId } = (await service.ports.query.row(orderKey(MID, 'EMANDATE_AGAIN')))!
    const said = (body: object) => JSON.stringify({ mid: MID, subscriptionId, ...body })
    await service.post('/sandbox/bank/script', said({ call: 'mandate', outcomes: ['page', 'page'] }))
    const typed = { holder: 'Asha Rao', account: '50100987650000', ifsc: 'hdfc0000001', bank: 'HDFC', how: 'NET_BANKING' }
    await visitor.send({ panel: 'mandate' }, typed)
    await atBank(visitor, 'decline')
    assert.match(wordsOf(visitor.last.text), /Nothing was taken\. .*You can try 4 more times\./)
    await visitor.send({ panel: 'mandate' }, typed)
    await atBank(visitor, 'approve')
    assert.equal(callbackIn(visitor.last.text)['STATUS'], 'TXN_SUCCESS')
    const status = async () => (await service.ports.query.row(subscriptionKey(MID, subscriptionId!)))!.status
    service.clock.advance(25 * 3_600_000)
    await service.tasks.runDue()
    assert.equal(await status(), 'ACTIVE')
    await service.post('/sandbox/payer', said({ action: 'revoke' }))
    assert.equal(await status(), 'REJECT', 'withdrawn')
  })

  test('a visitor without a living token of the order reads so on a page, and nothing is kept', async () => {
    const service = await running()
    const order = await createOrder(service, 'DOOR', { callbackUrl: CALLBACK })
    const other = await createOrder(service, 'OTHER_DOOR')
    const opening = (fields: Record<string, string>, query = '') => ask(service, `${pagePaths.showPaymentPage}${query}`, fields)
    const right = { mid: MID, orderId: 'DOOR', txnToken: order.txnToken }
    for (const [fields, status] of [
      [{}, 400],
      [{ mid: MID, orderId: 'DOOR' }, 400],
      [{ ...right, txnToken: other.txnToken }, 404],
      [{ ...right, txnToken: 'x' }, 404],
      [{ ...right, orderId: 'NOBODY' }, 404],
      [{ ...right, mid: 'NOBODY' }, 404],
      [{ ...right, origin: 'https://shop.example/path' }, 403],
    ] as const) {
      const answer = await opening(fields as Record<string, string>)
      assert.equal(answer.status, status, JSON.stringify(fields))
      assert.match(answer.text, /^<!doctype html>/)
      assert.ok(!answer.text.includes(order.txnToken))
    }
    assert.equal((await opening(right, `?mid=${MID}&orderId=OTHER_DOOR`)).status, 400)
    const byGet = await ask(service, `${pagePaths.showPaymentPage}?${new URLSearchParams(right)}`)
    assert.match(goesTo(byGet), /^\/pay\/[0-9a-f]{32}$/)
    service.clock.advance(15 * 60_000)
    const late = await opening(right)
    assert.equal(late.status, 410)
    assert.match(late.text, /<a [^>]*href="https:\/\/shop\.example"/, 'the way back, for whoever comes with the order’s own token')
    const guessed = await opening({ ...right, txnToken: other.txnToken })
    assert.equal(guessed.status, 404)
    assert.ok(!guessed.text.includes('shop.example'))
  })

  test('forms that no page of Mohur’s has made are refused by a page, and begin nothing', async () => {
    const service = await running()
    const { page } = await newPage(service, 'FORMS')
    const { fields, action } = formOf((await ask(service, page)).text, { panel: 'card' })
    const good = new URLSearchParams({ ...fields, ...CARD_FIELDS }).toString()
    const many = Array.from({ length: 101 }, (_, at) => `f${at}=1`).join('&')
    for (const [form, status] of [
      [`${good}&mode=UPI`, 400],
      [many, 400],
      ['%E0%A4%A', 400],
      [`x=${'y'.repeat(64 * 1024)}`, 413],
      ['mode=%00', 400],
    ] as const) {
      const answer = await ask(service, action, form)
      assert.equal(answer.status, status, form.slice(0, 40))
      assert.match(answer.text, /^<!doctype html>/)
      assert.ok(answer.text.includes(`href="${page}"`), 'the way back')
      // Also in the shop's frame.
      assert.match(answer.headers.get('content-security-policy')!, /frame-ancestors \*;/)
      assert.equal(answer.headers.get('cross-origin-opener-policy'), null)
    }
    assert.equal((await ask(service, action, good, { 'content-type': 'application/json' })).status, 415)
    for (const changed of [
      { mode: 'COD' },
      { attempt: 'x' },
      { amount: '-1' },
      { amount: '' },
      { cardNumber: '4111111111111112' },
      { expiry: '13/32' },
      { cvv: '12' },
      { cardNumber: '4111111111111111|123' },
    ]) {
      const answer = await ask(service, action, { ...fields, ...CARD_FIELDS, ...changed })
      assert.equal(answer.status, 422, JSON.stringify(changed))
      assert.ok(!/4111|value="123"/.test(answer.text), 'the card is written back')
    }
    const before = process.cpuUsage()
    const spaced = await ask(service, action, { ...fields, ...CARD_FIELDS, expiry: `1${' '.repeat(60_000)}` })
    assert.equal(spaced.status, 422)
    assert.ok(process.cpuUsage(before).user < 5_000_000, 'reading spaces took five seconds of a processor')
    const nowhere = await ask(service, `/pay/${'0'.repeat(32)}`)
    assert.deepEqual([nowhere.status, nowhere.text.includes('<a ')], [404, false])
    assert.equal((await ask(service, '/pay/nothing')).status, 404)
    assert.equal((await service.ports.query.rows(transactionsOfOrder(MID, 'FORMS'))).length, 0)
  })

  test('its style and script are sent packed to a browser that accepts it, and are the same', async () => {
    const service = await running()
    const { page } = await newPage(service, 'PACKED')
    const files = [...(await ask(service, page)).text.matchAll(/"(\/pay\/assets\/[^"]+)"/g)].map(([, path]) => path!)
    assert.equal(files.length, 3)
    for (const path of files) {
      const [plain, packed] = await Promise.all(
        ['identity', 'br, gzip'].map((encoding) => ask(service, path, undefined, { 'accept-encoding': encoding })),
      )
      assert.equal(packed!.text, plain!.text)
      assert.deepEqual(
        [plain!, packed!].map(({ headers }) => [headers.get('content-encoding'), headers.get('vary')]),
        [
          [null, 'accept-encoding'],
          ['gzip', 'accept-encoding'],
        ],
      )
      assert.ok(Number(packed!.headers.get('content-length')) < Number(plain!.headers.get('content-length')) / 2)
    }
  })

  test('the language is the payer’s own: by the browser, then by their choice', async () => {
    const service = await running()
    const { page } = await newPage(service, 'LANGUAGE')
    const hindi = await ask(service, page, undefined, { 'accept-language': 'hi-IN,en;q=0.5' })
    assert.match(hindi.text, /<html lang="hi-IN">/)
    assert.match(wordsOf(hindi.text), /भुगतान का तरीका चुनें/)
    await ask(service, `${page}/language`, { language: 'en' })
    assert.match((await ask(service, page, undefined, { 'accept-language': 'hi' })).text, /<html lang="en-IN">/)
    assert.equal((await ask(service, `${page}/language`, { language: 'xx' })).status, 400)
  })

  test('an order without a callbackUrl ends in a receipt', async () => {
    const service = await running()
    const order = await createOrder(service, 'RECEIPT', NOWHERE)
    const visitor = new Visitor(service, await openPage(service, order))
    await visitor.send({ panel: 'card' }, CARD_FIELDS)
    assert.match(wordsOf(visitor.last.text), /Transaction ID \d+ Bank reference \d+ Save or print this page/)
    assert.doesNotMatch(visitor.last.text, /data-goes/)
    // It holds as long as the page is kept: the payer may print it later, or return from the bank after the page's time.
    const version = JSON.parse((await ask(service, `${visitor.page}/state`)).text).version
    service.clock.advance(15 * 60_000)
    assert.equal(JSON.parse((await ask(service, `${visitor.page}/state`)).text).version, version)
    const later = await visitor.look()
    assert.equal(later.status, 200)
    assert.match(wordsOf(later.text), /Transaction ID \d+ Bank reference \d+ Save or print this page/)
    assert.doesNotMatch(wordsOf(later.text), /Open until|More time/)
    assert.match(wordsOf((await visitor.send('/language', { language: 'hi' })).text), /यह पेज सेव या प्रिंट कर लें/)
    for (const name of Object.keys(actions).filter((name) => name !== 'language'))
      assert.equal(goesTo(await ask(service, `${visitor.page}/${name}`, { attempt: '1' })), visitor.page, name)
  })

  test('a receipt keeps the time of the payment when the shop refunds it, and says what was refunded', async () => {
    const service = await running()
    const order = await createOrder(service, 'RECEIPT_REFUNDED', NOWHERE)
    const visitor = new Visitor(service, await openPage(service, order))
    await visitor.send({ panel: 'card' }, CARD_FIELDS)
    const when = () => / When (.*?) Paid by /.exec(wordsOf(visitor.last.text))?.[1]
    const paidAt = when()
    assert.ok(paidAt)
    service.clock.advance(4 * 3_600_000)
    const { txnId } = (await service.ports.query.row(orderKey(MID, order.orderId)))!
    assert.equal((await refund(service, { orderId: order.orderId, txnId: txnId! }, 'RECEIPT_BACK', '40.00')).status, 200)
    assert.match(wordsOf((await visitor.look()).text), /₹100\.00 paid The shop is refunding ₹40\.00 of it\./)
    await service.tasks.runDue()
    assert.match(wordsOf((await visitor.look()).text), /₹100\.00 paid The shop has refunded ₹40\.00 of it\./)
    assert.equal(when(), paidAt)
  })

  test('a payer by wallet alone reads no reference of a bank: there was none', async () => {
    const service = await running()
    const userInfo = { custId: 'NO_BANK' }
    const order = await createOrder(service, 'NO_BANK', {
      paytmSsoToken: await issueSsoToken(service, 'sso of NO_BANK'),
      userInfo,
      ...NOWHERE,
    })
    const visitor = new Visitor(service, await openPage(service, order))
    await visitor.send({ panel: 'wallet' })
    assert.match(wordsOf(visitor.last.text), /Paid by wallet .*Transaction ID \d+ Save or print/)
  })

  test('a payer who returns from the bank when the page’s time is over reads that they have paid, and is taken to the shop', async () => {
    const service = await running()
    const visitor = new Visitor(service, (await newPage(service, 'LATE_BACK')).page)
    await visitor.look()
    service.clock.advance(10 * 60_000)
    await visitor.send({ panel: 'bank' }, { bank: 'HDFC' })
    service.clock.advance(6 * 60_000)
    assert.equal((await visitor.look()).status, 410)
    await service.post('/sandbox/payer', JSON.stringify({ mid: MID, orderId: 'LATE_BACK', action: 'approve' }))
    const back = await visitor.look()
    assert.equal(back.status, 200)
    assert.match(wordsOf(back.text), /₹100\.00 paid/)
    assert.match(back.text, /<form [^>]*data-goes/)
    assert.equal(callbackIn(back.text)['STATUS'], 'TXN_SUCCESS')
    // An order that the shop has closed is shown as closed at any time.
    const closed = new Visitor(service, (await newPage(service, 'LATE_CLOSED')).page)
    await closed.look('?leave=1')
    await closed.send('/leave')
    service.clock.advance(16 * 60_000)
    const later = await closed.look()
    assert.deepEqual([later.status, callbackIn(later.text)['RESPCODE']], [200, '141'])
    assert.match(wordsOf(later.text), /This order is closed/)
  })

  test('a page is open for fifteen minutes and, when asked, for more; then it is gone with the way back to the shop', async () => {
    const service = await running()
    const { page } = await newPage(service, 'TIME')
    const visitor = new Visitor(service, page)
    await visitor.look()
    const { fields, action } = formOf(visitor.last.text, { panel: 'card' })
    service.clock.advance(14 * 60_000)
    assert.match(wordsOf((await visitor.look()).text), /This page closes soon/)
    await visitor.send('/more-time')
    service.clock.advance(14 * 60_000)
    assert.equal((await visitor.look()).status, 200)
    service.clock.advance(60_000)
    const over = await visitor.look()
    assert.equal(over.status, 410)
    assert.equal(callbackIn(over.text)['STATUS'], 'PENDING')
    assert.match(wordsOf(over.text), /check your order before you pay again/)
    assert.deepEqual(
      formsOf(over.text).map((form) => form.action),
      [CALLBACK],
      'nothing that would change it',
    )
    assert.equal((await visitor.follow(goesTo(await ask(service, action, { ...fields, ...CARD_FIELDS })))).status, 410)
    assert.equal(await captures(service, 'TIME'), 0)
    service.clock.advance(25 * 3_600_000)
    await service.tasks.runDue()
    assert.equal((await visitor.look()).status, 404)
  })

  test('a page whose time is over offers no second payment to a payer who has paid, or may have', async () => {
    const service = await running()
    for (const [orderId, upiId, status, says] of [
      ['OVER_PAID', 'payer@upi', 200, /Thank you\. .+ has been notified\./],
      ['OVER_UNKNOWN', 'lost@upi', 410, /Do not pay again elsewhere/],
      ['OVER_PENDING', 'pending@upi', 410, /Your payment is being processed\./],
    ] as const) {
      const visitor = new Visitor(service, (await newPage(service, orderId)).page)
      await visitor.send({ panel: 'upi', by: 'upiId' }, { upiId })
      service.clock.advance(15 * 60_000)
      const over = await visitor.look()
      assert.equal(over.status, status)
      assert.match(wordsOf(over.text), says, orderId)
      assert.doesNotMatch(wordsOf(over.text), /before you pay again|begin again/, orderId)
    }
  })
})
