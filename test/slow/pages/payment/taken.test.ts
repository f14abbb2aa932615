// Without script, the button of each way to pay says an amount, also beside an offer or a part from the wallet. The bank's journal and the
// wallet must have taken that amount. amounts.test.ts does the same with script, in a browser.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SANDBOX_OTP } from '../../../../src/adapters/acquirer/sandbox/sandbox.ts'
import { issueSsoToken } from '../../../support/mandates/subscription.ts'
import { amountWorld, extras } from '../../../support/pages/amount-cases.ts'
import { assertTaken, type Bound } from '../../../support/pages/page-amounts.ts'
import { takenFor } from '../../../support/pages/page-cases.ts'
import { mobileOf, TYPED_CARD } from '../../../support/pages/page-ways.ts'
import { ask, CARD_FIELDS, formOf, goesTo, newPage, Visitor } from '../../../support/pages/pages.ts'
import { createOrder, pay } from '../../../support/paying/paying.ts'
import { MID, onBothStores, type Service, sharedService } from '../../../support/run/service.ts'
import { changeWorld } from '../../../support/signin/signin.ts'

interface Way {
  form: Readonly<Record<string, string>>
  typed?: Readonly<Record<string, string>>
  query?: string
  more?: object
  /** Only a signed-in payer may pay so. */
  isOfPayer?: true
  /** The wallet may pay a part. */
  hasShare?: true
}
const ways: Readonly<Record<string, Way>> = {
  card: { form: { panel: 'card' }, typed: CARD_FIELDS, hasShare: true },
  otp: { form: { panel: 'card' }, typed: { ...CARD_FIELDS, cardNumber: TYPED_CARD.otpNumber }, hasShare: true },
  saved: { form: { panel: 'saved' }, typed: { cvv: '123' }, isOfPayer: true, hasShare: true },
  upi: { form: { panel: 'upi' }, hasShare: true },
  upiId: { form: { panel: 'upi', by: 'upiId' }, typed: { upiId: 'pending@upi' }, hasShare: true },
  netBanking: { form: { panel: 'bank' }, typed: { bank: 'HDFC' }, hasShare: true },
  wallet: { form: { panel: 'wallet' }, isOfPayer: true },
  emi: {
    ...{ form: { panel: 'emi' }, typed: { ...CARD_FIELDS, plan: 'HDFC|3' }, query: '?emi=HDFC' },
    more: { txnAmount: { value: '5000.00', currency: 'INR' } },
  },
  ppbl: { form: { panel: 'ppbl' }, hasShare: true },
  postpaid: { form: { panel: 'postpaid' }, hasShare: true },
}
const cases = Object.entries(extras).flatMap(([extra, { more, hasShare }]) =>
  Object.entries(ways)
    .filter(([, way]) => !hasShare || way.hasShare)
    .map(([name, way]) => ({ name, extra, way, isShared: hasShare === true, more: { ...way.more, ...more } })),
)

onBothStores('what a button says without script', (store) => {
  const running = sharedService(store, { world: amountWorld })

  /** A signed-in payer with a wallet of ₹150 and a stored card. */
  async function payerOf(service: Service, orderId: string) {
    const mobile = mobileOf(orderId)
    await changeWorld(service, { customers: [{ mobile, walletBalance: '150.00' }] })
    const userId = service.ports.vault.hash('userId', mobile)
    const payer = { paytmSsoToken: await issueSsoToken(service, `sso of ${orderId}`, { userId, mobile }), userInfo: { custId: orderId } }
    const before = await createOrder(service, `${orderId}_BEFORE`, payer)
    await pay(service, before, { paymentMode: 'CREDIT_CARD', cardInfo: '|4111111111111111|123|122032', storeInstrument: '1' })
    return payer
  }
  async function paid(service: Service, { name, way, isShared, more }: (typeof cases)[number], orderId: string): Promise<Bound> {
    const payer = way.isOfPayer || isShared ? await payerOf(service, orderId) : {}
    const visitor = new Visitor(service, (await newPage(service, orderId, { ...payer, ...more })).page)
    const { text } = await visitor.look(way.query)
    const { action, fields, button, less = '' } = formOf(text, way.form)
    const sent = await ask(service, action, { ...fields, ...way.typed, ...(isShared && { share: '1' }) })
    assert.equal(sent.status, 303, sent.text)
    await visitor.follow(goesTo(sent))
    if (name === 'otp') await visitor.send('/otp', { otp: SANDBOX_OTP })
    else await service.post('/sandbox/payer', JSON.stringify({ mid: MID, orderId, action: 'approve' }))
    const taken = await takenFor(service, orderId)
    assert.equal(taken.order.status, 'PAID')
    return assertTaken({ says: button, less, isShared }, taken)
  }

  test(`is what is taken, in ${cases.length} ways to pay with and without an offer or a part from the wallet`, async () => {
    const service = await running()
    const bound: Record<Bound, number> = { exact: 0, 'at most': 0, nothing: 0 }
    for (const [at, each] of cases.entries()) {
      const found = paid(service, each, `TAKEN_${at}`)
      bound[await found.catch((error) => assert.fail(`${each.name}, ${each.extra}: ${error.message}`))]++
    }
    assert.deepEqual(bound, { exact: 28, 'at most': 28, nothing: 0 })
  })
})
