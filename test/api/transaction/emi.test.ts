// EMI is paid by the cards that it is shown for (docs/interface.md sections 2, 4.10 and 4.30). Debit cards pay only where Debit Card EMI is
// offered. A saved card counts as a typed one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatRupees } from '../../../src/pages/kit/amounts.ts'
import { instalmentsOf } from '../../../src/reference/reference.ts'
import { demoWorld, type World } from '../../../src/sandbox/world.ts'
import { transactionsOfOrder } from '../../../src/tables/keys.ts'
import { lock, look, type Row } from '../../../src/tables/tables.ts'
import { issueSsoToken } from '../../support/mandates/subscription.ts'
import { ask as askPage, openPage, wordsOf } from '../../support/pages/pages.ts'
import { orderBody } from '../../support/paying/order-body.ts'
import { codeAndMessage, codeOf } from '../../support/run/replies.ts'
import { KEY, MID, onBothStores, type Service, sharedService } from '../../support/run/service.ts'
import { changeWorld } from '../../support/signin/signin.ts'

const DEBIT_EMI_MID = 'DEBITEMI000000000001'
const world: World = {
  ...demoWorld,
  merchants: [...demoWorld.merchants!, { mid: DEBIT_EMI_MID, debitCardEmi: true, keys: [{ clientId: 'C11', key: KEY }] }],
  promotions: [{ mid: MID, promocode: 'HDFCONLY', flat: '7.00', banks: ['HDFC'] }],
}
const mobile = '9999900007'
const KOTAK_DEBIT = { planId: 'KOTAK|3', cardInfo: '|5105105105105100|123|122032' }
const SBI_DEBIT = '|4012888888881881|123|122032'

onBothStores('EMI', (store) => {
  const service = sharedService(store, { world })
  let ids = 0

  interface Order {
    mid: string
    orderId: string
    txnToken: string
  }
  async function order(more: object = {}, mid = MID): Promise<Order> {
    const orderId = `EMI-${++ids}`
    const known = { mid, txnAmount: { value: '6000.00', currency: 'INR' }, userInfo: { custId: 'C1', mobile } }
    const body = orderBody(orderId, { ...known, ...more })
    const reply = await (await service()).signed(`/theia/api/v1/initiateTransaction?mid=${mid}&orderId=${orderId}`, body)
    assert.equal(codeOf(reply), '0000', reply.text)
    return { mid, orderId, txnToken: reply.body.txnToken }
  }
  const ask = async (path: string, { mid, orderId, txnToken }: Order, body: object = {}) =>
    (await service()).post(`${path}?mid=${mid}&orderId=${orderId}`, JSON.stringify({ head: { txnToken }, body }))
  const pay = ({ mid, orderId, ...token }: Order, means: object) =>
    ask(
      '/theia/api/v1/processTransaction',
      { mid, orderId, ...token },
      { requestType: 'NATIVE', mid, orderId, paymentMode: 'EMI', ...means },
    )
  const options = async (of: Order) => (await ask('/theia/api/v1/fetchPaymentOptions', of)).body.merchantPayOption
  const emiTypesOf = async (of: Order, bank = 'KOTAK') => {
    const emi = (await options(of)).paymentModes.find(({ paymentMode }: { paymentMode: string }) => paymentMode === 'EMI')
    return emi.payChannelOptions
      .filter(({ channelCode }: { channelCode: string }) => channelCode === bank)
      .map(({ emiType }: { emiType: string }) => emiType)
  }
  const isForEmi = async (of: Order) => (await ask('/theia/api/v1/fetchBinDetail', of, { bin: '510510' })).body.isEmiAvailable
  async function setDebitCardEmi({ store }: Service, debitCardEmi: boolean) {
    const row = { ...(await store.query.row(look('merchants', MID)))!, debitCardEmi }
    const changes = [{ kind: 'update' as const, key: lock('merchants', MID), row }]
    await store.transaction((transaction) => transaction.write({ changes, events: [], tasks: [] }))
  }

  test('a debit card pays by instalments only where Debit Card EMI is offered, as the page and Fetch BIN Detail say', async () => {
    const closed = [
      await order(),
      await order({ disablePaymentMode: [{ mode: 'DEBIT_CARD' }] }, DEBIT_EMI_MID),
      await order({ enablePaymentMode: [{ mode: 'EMI' }] }, DEBIT_EMI_MID),
      await order({ disablePaymentMode: [{ mode: 'DEBIT_CARD', channels: ['VISA', 'MASTER', 'AMEX', 'RUPAY'] }] }, DEBIT_EMI_MID),
    ]
    for (const [at, of] of closed.entries()) {
      assert.deepEqual([await emiTypesOf(of), await isForEmi(of)], [['CREDIT_CARD'], false], `${at}`)
      assert.deepEqual(codeAndMessage(await pay(of, KOTAK_DEBIT)), ['312', 'This card is not supported'], `${at}`)
    }
    const open = await order({}, DEBIT_EMI_MID)
    assert.deepEqual([await emiTypesOf(open), await isForEmi(open)], [['CREDIT_CARD', 'DEBIT_CARD'], true])
    assert.equal(codeOf(await pay(open, KOTAK_DEBIT)), '0000')
  })

  test('an order that was made without a mobile number takes no Debit Card EMI that is offered later', async () => {
    const running = await service()
    const without = await order({ userInfo: { custId: 'C1' } })
    const withNumber = await order()
    await setDebitCardEmi(running, true)
    try {
      assert.deepEqual([await emiTypesOf(without), await isForEmi(without)], [['CREDIT_CARD'], false])
      assert.equal(codeOf(await pay(without, KOTAK_DEBIT)), '312')
      assert.equal(codeOf(await pay(withNumber, KOTAK_DEBIT)), '0000')
    } finally {
      await setDebitCardEmi(running, false)
    }
  })

  const savedCards = async (custId: string): Promise<readonly Row<'savedCards'>[]> =>
    (await service()).ports.query.rows({ find: 'savedCards', equals: { custId }, limit: 10 })
  const customer = async (custId: string, more: object = {}) => ({
    userInfo: { custId, mobile },
    paytmSsoToken: await issueSsoToken(await service(), `${custId} of ${store} ${++ids}`),
    ...more,
  })

  test('a saved card that is none for EMI, or a debit card where that pays none, is refused by its id as by its number', async () => {
    const keep = await order(await customer('SBI'))
    assert.equal(codeOf(await pay(keep, { paymentMode: 'DEBIT_CARD', cardInfo: SBI_DEBIT, storeInstrument: '1' })), '0000')
    const [sbi] = await savedCards('SBI')
    for (const cardInfo of [SBI_DEBIT, `${sbi!.savedCardId}||123|`])
      assert.deepEqual(codeAndMessage(await pay(await order(await customer('SBI')), { planId: 'SBI|3', cardInfo })), [
        '1001',
        'Invalid planId',
      ])

    const first = await order(await customer('KOTAK'))
    const { cardInfo: kotakDebit } = KOTAK_DEBIT
    assert.equal(codeOf(await pay(first, { paymentMode: 'DEBIT_CARD', cardInfo: kotakDebit, storeInstrument: '1' })), '0000')
    const [kotak] = await savedCards('KOTAK')
    for (const cardInfo of [kotakDebit, `${kotak!.savedCardId}||123|`])
      assert.equal(codeOf(await pay(await order(await customer('KOTAK')), { ...KOTAK_DEBIT, cardInfo })), '312')
    const [shown] = (await options(await order(await customer('KOTAK')))).savedInstruments
    assert.deepEqual([shown.cardDetails.cardType, shown.isEmiAvailable], ['DEBIT_CARD', false])
  })

  test('a debit card that was kept when it paid by instalments is kept as a debit card', async () => {
    const first = await order(await customer('KEPT'), DEBIT_EMI_MID)
    assert.equal(codeOf(await pay(first, { ...KOTAK_DEBIT, storeInstrument: '1' })), '0000')
    const [kept] = await savedCards('KEPT')
    assert.equal(kept!.paymentMode, 'DEBIT_CARD')
    const cardInfo = `${kept!.savedCardId}||123|`
    const again = async (paymentMode: string) =>
      codeOf(await pay(await order(await customer('KEPT'), DEBIT_EMI_MID), { paymentMode, planId: 'KOTAK|3', cardInfo }))
    assert.deepEqual([await again('CREDIT_CARD'), await again('DEBIT_CARD'), await again('EMI')], ['312', '0000', '0000'])
  })

  test('a plan is for what the card is charged, not for what the wallet pays or an offer takes off', async () => {
    const running = await service()
    const withWallet = async (ofPayer: string, walletBalance: string) => {
      await changeWorld(running, { customers: [{ mobile: ofPayer, walletBalance }] })
      const userId = running.ports.vault.hash('userId', ofPayer)
      const paytmSsoToken = await issueSsoToken(running, `plan of ${ofPayer}`, { userId, mobile: ofPayer })
      return order({ paytmSsoToken, userInfo: { custId: ofPayer, mobile } })
    }
    const card = { planId: 'HDFC|3', cardInfo: '|4111111111111111|123|122032' } // from 3,000 on
    const hybrid = { ...card, paymentFlow: 'HYBRID' }
    const attempts = async ({ mid, orderId }: Order) => (await running.ports.query.rows(transactionsOfOrder(mid, orderId))).length
    const short = await withWallet('9222200001', '3000.01')
    assert.deepEqual(codeAndMessage(await pay(short, hybrid)), ['1001', 'Invalid planId'])
    assert.equal(await attempts(short), 0)
    assert.equal(codeOf(await pay(short, card)), '0000')
    assert.equal(codeOf(await pay(await withWallet('9222200002', '3000.00'), hybrid)), '0000')
    assert.equal(codeOf(await pay(await withWallet('9222200003', '6000.00'), hybrid)), '0000') // the wallet pays all of it
    const offer = { txnAmount: { value: '3006.99', currency: 'INR' }, simplifiedPaymentOffers: { promoCode: 'HDFCONLY' } }
    assert.deepEqual(codeAndMessage(await pay(await order(offer), card)), ['1001', 'Invalid planId'])
    const txnAmount = { value: '3007.00', currency: 'INR' }
    assert.equal(codeOf(await pay(await order({ ...offer, txnAmount }), card)), '0000')
  })

  test('the page shows the plans for what is left of an offer, and reckons their instalments on it', async () => {
    const running = await service()
    await changeWorld(running, { promotions: [{ mid: MID, promocode: 'EMIONLY', flat: '600.00', payMethods: ['EMI'] }] })
    const shown = async (value: string) => {
      const txnAmount = { value, currency: 'INR' }
      const of = await order({ txnAmount, simplifiedPaymentOffers: { promoCode: 'EMIONLY' } })
      return (await askPage(running, `${await openPage(running, of)}?emi=HDFC`)).text
    }
    const { instalmentPaise } = instalmentsOf(running.ports.reference.emiPlan('HDFC|3')!, 3_000_00)
    const plans = await shown('3600.00')
    assert.match(plans, /name="plan" value="HDFC\|3"/)
    assert.ok(wordsOf(plans).includes(formatRupees(instalmentPaise)))
    assert.doesNotMatch(await shown('3599.00'), /name="plan"/)
  })

  test('the best offer for a saved card is that for the card as it is typed', async () => {
    const offers = { simplifiedPaymentOffers: { applyAvailablePromo: true } }
    const typed = { paymentMode: 'CREDIT_CARD', cardInfo: '|4111111111111111|123|122032', storeInstrument: '1' }
    const first = await order(await customer('OFFERS', offers))
    assert.equal(codeOf(await pay(first, typed)), '0000')
    const [saved] = await savedCards('OFFERS')
    const second = await order(await customer('OFFERS', offers))
    assert.equal(codeOf(await pay(second, { paymentMode: 'CREDIT_CARD', cardInfo: `${saved!.savedCardId}||123|` })), '0000')
    const discounts = []
    for (const { mid, orderId } of [first, second])
      discounts.push((await (await service()).ports.query.rows(transactionsOfOrder(mid, orderId))).at(-1)!.discountPaise)
    assert.deepEqual(discounts, [700, 700])
  })
})
