// What the payment page says of money is what becomes of it: in every way to pay, beside a wallet, with offers, and in every state.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transactionsOfOrder } from '../src/tables.ts'
import { type Answered, ask, CARD_FIELDS, formsOf, newPage } from './support/pages.ts'
import { createOrder, pay } from './support/paying.ts'
import { MID, onBothStores, type Service, sharedService } from './support/service.ts'
import { changeWorld } from './support/signin.ts'
import { issueSsoToken } from './support/subscription.ts'

const rupees = (value: string) => ({ txnAmount: { value, currency: 'INR' } })

let payers = 0
/** A payer of this order alone who is signed in, as the order names him. */
async function payerWith(service: Service, walletBalance: string, custId: string) {
  const mobile = `91111444${String(10 + payers++)}`
  await changeWorld(service, { customers: [{ mobile, walletBalance }] })
  const userId = service.edge.vault.hash('userId', mobile)
  return { paytmSsoToken: await issueSsoToken(service, `sso of ${custId}`, { userId, mobile }), userInfo: { custId } }
}

const attemptsOf = (service: Service, orderId: string) => service.edge.query.rows(transactionsOfOrder(MID, orderId))
/** What the last attempt takes, and from where. */
async function takenFor(service: Service, orderId: string) {
  const { flow, walletPaise, bankPaise } = (await attemptsOf(service, orderId)).at(-1)!
  return { flow, walletPaise, bankPaise }
}

onBothStores('the amounts of the payment page', (store) => {
  const running = sharedService(store)

  test('the wallet pays its part first in every way to pay that offers it, and the payer is charged what his form said', async () => {
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
      const { action, fields, button } = forms.find((form) => nameOf(form.fields) === panel)!
      assert.deepEqual([fields['amount'], button], ['50000', 'Pay ₹500.00'], panel)
      assert.equal((await ask(service, action, { ...fields, ...typed[panel], share: '1' })).status, 303, panel)
      assert.deepEqual(await takenFor(service, order.orderId), { flow: 'HYBRID', walletPaise: 250_00, bankPaise: 250_00 }, panel)
    }
  })
})
