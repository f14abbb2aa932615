// Apply Promo as merchants use it, over HTTP on both stores: docs/interface.md section 4.4.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reasons } from '../../../src/domain/promotion/evaluate.ts'
import { loadWorld, readWorld, WorldError } from '../../../src/sandbox/world.ts'
import { lock, look } from '../../../src/tables/tables.ts'
import { applied, apply, count, promoAsked, promotionWorld } from '../../support/paying/promotions.ts'
import { MID, onBothStores, sharedService, startService } from '../../support/run/service.ts'
import { watched } from '../../support/store/faults.ts'

const UPI_1000 = { paymentOptions: [{ transactionAmount: '1000.00', payMethod: 'UPI' }] }
const CARD_NO = '4111111122223333'
const nothing = { totalInstantDiscount: '0.00', totalCashbackAmount: '0.00' }

const world = promotionWorld([
  { promocode: 'CARD50', title: 'Rs 50 off on cards', flat: '50.00', payMethods: ['CREDIT_CARD', 'DEBIT_CARD'] },
  { promocode: 'CASH60', title: 'Rs 60 back', kind: 'CASHBACK', flat: '60.00', payMethods: ['CREDIT_CARD'], minAmount: '2000.00' },
  { promocode: 'SECRET', title: 'For friends', flat: '500.00', visible: false },
  { promocode: 'HDFC', flat: '70.00', payMethods: ['NET_BANKING'], banks: ['HDFC'] },
  { promocode: 'BIN', flat: '80.00', payMethods: ['DEBIT_CARD'], bins: ['41111111', '512345'] },
  { promocode: 'SHIRTS', flat: '90.00', payMethods: ['PPBL'], skus: ['SHIRT-1', 'SHIRT-2'] },
  { promocode: 'LATER', percent: '7.5', upTo: '100.00', payMethods: ['SVC_DIGITAL_CREDIT'] },
  { promocode: 'ENDED', flat: '1.00', validUpto: '2026-06-14' },
  { promocode: 'NOTBEGUN', flat: '1.00', validFrom: '2026-06-16' },
])

onBothStores('apply promo', (store) => {
  const service = sharedService(store, { world })

  test('a discount: the whole reply', async () => {
    const { body } = await applied(await service())
    assert.deepEqual(body, {
      resultInfo: { resultStatus: 'S', resultCode: '00000000', resultMsg: 'Success' },
      paymentOffers: {
        totalInstantDiscount: '50.00',
        totalCashbackAmount: '0.00',
        offerBreakup: [
          {
            promocodeApplied: 'CARD50',
            promotext: 'Rs 50 off on cards',
            instantDiscount: '50.00',
            cashbackAmount: '0.00',
            payMethod: 'CREDIT_CARD',
            promoVisibility: 'true',
          },
        ],
      },
    })
  })

  test('cashback leaves the charged amount alone', async () => {
    const more = { paymentOptions: [{ transactionAmount: '2000', payMethod: 'CREDIT_CARD' }], totalTransactionAmount: '2000.00' }
    const { offers, breakup } = await applied(await service(), more)
    assert.equal(offers.totalInstantDiscount, '0.00')
    assert.equal(offers.totalCashbackAmount, '60.00')
    assert.deepEqual([breakup.promocodeApplied, breakup.instantDiscount, breakup.cashbackAmount], ['CASH60', '0.00', '60.00'])
  })

  test('a blank or null promocode finds the best visible offer; a hidden one is given by its code only', async () => {
    const running = await service()
    for (const promocode of ['', null]) assert.equal((await applied(running, { promocode })).breakup.promocodeApplied, 'CARD50')
    const { breakup } = await applied(running, { promocode: 'SECRET' })
    assert.deepEqual([breakup.promocodeApplied, breakup.instantDiscount, breakup.promoVisibility], ['SECRET', '500.00', 'false'])
  })

  const unfit: [promocode: string, promotext: string, visibility: string][] = [
    ['NOSUCHCODE', reasons.unknown, 'false'],
    ['card50', reasons.unknown, 'false'],
    ['\u0930\u093e\u091c', reasons.unknown, 'false'],
    ['ENDED', reasons.ended, 'false'],
    ['NOTBEGUN', reasons.notBegun, 'false'],
    ['CASH60', 'This offer needs a payment of at least Rs 2000.00', 'true'],
    ['HDFC', reasons.payMethod, 'true'],
  ]
  for (const [promocode, promotext, visibility] of unfit) {
    test(`the code ${promocode} gives nothing and says why`, async () => {
      const { body, offers, breakup } = await applied(await service(), { promocode })
      assert.equal(body.resultInfo.resultCode, '00000000')
      assert.deepEqual(offers, { ...nothing, offerBreakup: [breakup] })
      const none = { instantDiscount: '0.00', cashbackAmount: '0.00' }
      assert.deepEqual(breakup, { promotext, ...none, payMethod: 'CREDIT_CARD', promoVisibility: visibility })
      assert.match(promotext, /^[ -~]+$/)
    })
  }

  test('no offer for the instrument is a success that says so', async () => {
    const { body, breakup } = await applied(await service(), UPI_1000)
    assert.equal(body.resultInfo.resultStatus, 'S')
    assert.deepEqual([breakup.promotext, breakup.payMethod, breakup.instantDiscount], [reasons.nothingFits, 'UPI', '0.00'])
  })

  test('one object stands for an array of one, and PAYTM_DIGITAL_CREDIT for SVC_DIGITAL_CREDIT', async () => {
    const { breakup } = await applied(await service(), {
      paymentOptions: { transactionAmount: '1000.00', payMethod: 'PAYTM_DIGITAL_CREDIT' },
    })
    assert.deepEqual([breakup.promocodeApplied, breakup.instantDiscount, breakup.payMethod], ['LATER', '75.00', 'SVC_DIGITAL_CREDIT'])
    const { body } = await applied(await service(), { cartDetails: { items: { id: 'one', quantity: 1 } } })
    assert.deepEqual(
      body.cartDetails.items.map(({ id, quantity }: { id: string; quantity: string }) => [id, quantity]),
      [['one', '1']],
    )
  })

  test('a hybrid payment is reckoned on the part that fits', async () => {
    const { breakup } = await applied(await service(), {
      paymentOptions: [
        { transactionAmount: '600.00', payMethod: 'UPI', vpa: 'a@bank' },
        { transactionAmount: '400.00', payMethod: 'SVC_DIGITAL_CREDIT' },
      ],
    })
    assert.deepEqual([breakup.promocodeApplied, breakup.instantDiscount, breakup.payMethod], ['LATER', '30.00', 'SVC_DIGITAL_CREDIT'])
  })

  test('a bank, and a card by its first six or eight digits; the card number is nowhere in the reply', async () => {
    const running = await service()
    const given = async (more: object) => {
      const reply = await applied(running, { paymentOptions: [{ transactionAmount: '1000.00', ...more }] })
      assert.ok(!reply.text.includes(CARD_NO))
      return reply.breakup.promocodeApplied
    }
    assert.equal(await given({ payMethod: 'NET_BANKING', bankCode: 'HDFC' }), 'HDFC')
    assert.equal(await given({ payMethod: 'NET_BANKING', bankCode: 'SBI' }), undefined)
    assert.equal(await given({ payMethod: 'DEBIT_CARD', cardNo: CARD_NO }), 'BIN')
    assert.equal(await given({ payMethod: 'DEBIT_CARD', cardNo: '5123459999999999' }), 'BIN')
    assert.equal(await given({ payMethod: 'DEBIT_CARD', cardNo: '4111112222223333' }), 'CARD50')
  })

  test('items come back as they were, and those that the offer is for name it', async () => {
    const items = [
      { id: '1', productId: 'SHIRT-2', brandId: 'B', categoryId: 'C', price: 500, quantity: 2, unknown: 'member' },
      { id: 'SHIRT-1', price: '100.50' },
      { id: '3', productId: 'SHOES' },
    ]
    const ppbl = { paymentOptions: [{ transactionAmount: '1000.00', payMethod: 'PPBL' }] }
    const { body, breakup } = await applied(await service(), { ...ppbl, cartDetails: { items } })
    assert.equal(breakup.promocodeApplied, 'SHIRTS')
    const offerDetails = { offerId: 'SHIRTS' }
    assert.deepEqual(body.cartDetails, {
      items: [
        { id: '1', productId: 'SHIRT-2', brandId: 'B', categoryId: 'C', price: 500, quantity: '2', offerDetails },
        { id: 'SHIRT-1', price: '100.50', offerDetails },
        { id: '3', productId: 'SHOES' },
      ],
    })
    const without = await applied(await service(), { ...ppbl, cartDetails: { items: items.slice(2) }, promocode: 'SHIRTS' })
    assert.deepEqual([without.breakup.promotext, without.body.cartDetails], [reasons.items, { items: [{ id: '3', productId: 'SHOES' }] }])
    assert.equal((await applied(await service(), ppbl)).body.cartDetails, undefined)
  })

  test('cardTokenInfo is taken, and changes nothing', async () => {
    const cardTokenInfo = { cardToken: '4111111111111111', tokenExpiry: '0130', tavv: 'x', cardSuffix: '1111' }
    const { breakup, text } = await applied(await service(), { cardTokenInfo })
    assert.equal(breakup.promocodeApplied, 'CARD50')
    assert.ok(!text.includes('4111111111111111'))
  })
})

onBothStores('the validity of a promotion', (store) => {
  test('begins and ends at midnight in India', async () => {
    const one = promotionWorld([
      { promocode: 'ONEDAY', flat: '10.00', validFrom: '2026-06-16', validUpto: '2026-06-16' },
      { promocode: 'ALWAYS', flat: '1.00' },
    ])
    const running = await startService(store, { world: one })
    try {
      const at = async (instant: string) => {
        running.clock.advance(Date.parse(instant) - running.clock.now())
        const { breakup } = await applied(running, { promocode: 'ONEDAY' })
        return breakup.promocodeApplied ?? breakup.promotext
      }
      assert.equal(await at('2026-06-15T23:59:59.999+05:30'), reasons.notBegun)
      assert.equal(await at('2026-06-16T00:00:00.000+05:30'), 'ONEDAY')
      assert.equal(await at('2026-06-16T23:59:59.999+05:30'), 'ONEDAY')
      assert.equal(await at('2026-06-17T00:00:00.000+05:30'), reasons.ended)
    } finally {
      await running.close()
    }
  })

  test('of a promotion that another process has just written is judged by its own row when a request names it', async () => {
    const running = await startService(store, { world: promotionWorld([{ promocode: 'ALWAYS', flat: '1.00' }]) })
    try {
      const named = async (promocode: string) => {
        const { breakup } = await applied(running, { promocode })
        return [breakup.promocodeApplied, breakup.promotext, breakup.instantDiscount, breakup.promoVisibility]
      }
      assert.deepEqual((await named('NEW'))[1], reasons.unknown)
      const promotions = [
        { mid: MID, promocode: 'NEW', title: 'New', flat: '10.00', validFrom: '2026-06-15', validUpto: '2026-06-15' },
        { mid: MID, promocode: 'OTHER-CARD', flat: '10.00', payMethods: ['UPI'] },
        { mid: MID, promocode: 'ENDED', flat: '10.00', validUpto: '2026-06-14' },
      ]
      await loadWorld(running.store, running.ports.vault, readWorld({ promotions }), { signedModify: 'optional', now: 0 })
      assert.deepEqual(await named('NEW'), ['NEW', 'New', '10.00', 'true'])
      assert.deepEqual(await named('OTHER-CARD'), [undefined, reasons.payMethod, '0.00', 'true'])
      assert.deepEqual(await named('ENDED'), [undefined, reasons.ended, '0.00', 'false'])
    } finally {
      await running.close()
    }
  })

  test('decides whether any promotion is active: 1012 before the first day and after the last', async () => {
    const one = promotionWorld([{ promocode: 'ONEDAY', flat: '10.00', validFrom: '2026-06-16', validUpto: '2026-06-16', visible: false }])
    const running = await startService(store, { world: one })
    try {
      const code = async () => (await apply(running, promoAsked())).body.resultInfo.resultCode
      assert.equal(await code(), '1012')
      running.clock.advance(24 * 60 * 60_000)
      assert.equal(await code(), '00000000') // hidden, but active
      running.clock.advance(24 * 60 * 60_000)
      assert.equal(await code(), '1012')
    } finally {
      await running.close()
    }
  })
})

onBothStores('the limits of a promotion', (store) => {
  const limited = promotionWorld([
    { promocode: 'BUDGET', flat: '30.00', budget: '100.00' },
    { promocode: 'TWICE', flat: '20.00', maxPerCustomer: 2 },
    { promocode: 'BOTH', percent: '1', budget: '50.00', maxPerCustomer: 1, payMethods: ['UPI'] },
    { promocode: 'FREE', flat: '5.00' },
    ...Array.from({ length: 700 }, (_, at) => ({
      promocode: `GONE${at}`,
      flat: `${100 + at}.00`,
      payMethods: ['PPBL' as const],
      budget: '1.00',
    })),
    { promocode: 'LEFT', flat: '99.00', payMethods: ['PPBL'], budget: '99.00' },
  ])
  const service = sharedService(store, { world: limited })
  const given = async (body: object) => {
    const { breakup } = await applied(await service(), body)
    return breakup.promocodeApplied ?? breakup.promotext
  }

  test('a budget gives while the whole benefit is left, to the last paisa', async () => {
    assert.equal(await given({}), 'BUDGET')
    await count((await service()).store, { promocode: 'BUDGET', custId: '', uses: 2, amountPaise: 7_000, budgetPaise: null, usesMax: null })
    assert.equal(await given({}), 'BUDGET')
    await (await service()).store.transaction(async (transaction) => {
      const row = { mid: MID, promocode: 'BUDGET', custId: '', uses: 3, amountPaise: 7_001, budgetPaise: null, usesMax: null }
      const key = lock('promotionCounters', MID, 'BUDGET', '')
      await transaction.write({ changes: [{ kind: 'update', key, row }], events: [], tasks: [] })
    })
    assert.equal(await given({}), 'TWICE') // the next best
    assert.equal(await given({ promocode: 'BUDGET' }), reasons.budget)
  })

  test("a customer's limit counts for that customer, and only when the request names one", async () => {
    const { store } = await service()
    await count(
      store,
      { promocode: 'TWICE', custId: 'C1', uses: 1, amountPaise: 2_000, budgetPaise: null, usesMax: null },
      { promocode: 'TWICE', custId: 'C2', uses: 2, amountPaise: 4_000, budgetPaise: null, usesMax: null },
      { promocode: 'TWICE', custId: '', uses: 3, amountPaise: 6_000, budgetPaise: null, usesMax: null },
    )
    assert.equal(await given({ promocode: 'TWICE', custId: 'C1' }), 'TWICE')
    assert.equal(await given({ promocode: 'TWICE', custId: 'C2' }), reasons.customerLimit)
    assert.equal(await given({ promocode: 'TWICE', custId: 'C3' }), 'TWICE')
    assert.equal(await given({ promocode: 'TWICE' }), 'TWICE')
    assert.equal(await given({ promocode: '', custId: 'C2', paymentOptions: [{ transactionAmount: '1000.00', payMethod: 'EMI' }] }), 'FREE')
  })

  test('the customer reads of their own limit before the budget', async () => {
    await count(
      (await service()).store,
      { promocode: 'BOTH', custId: 'C1', uses: 1, amountPaise: 5_000, budgetPaise: null, usesMax: null },
      { promocode: 'BOTH', custId: '', uses: 1, amountPaise: 5_000, budgetPaise: null, usesMax: null },
    )
    assert.equal(await given({ promocode: 'BOTH', custId: 'C1', ...UPI_1000 }), reasons.customerLimit)
    assert.equal(await given({ promocode: 'BOTH', custId: 'C9', ...UPI_1000 }), reasons.budget)
  })

  test('seven hundred promotions that are used up do not hide the one that is not', async () => {
    assert.equal(await given({ paymentOptions: [{ transactionAmount: '1000.00', payMethod: 'PPBL' }] }), 'LEFT')
  })

  test('asking uses nothing up', async () => {
    const before = await (await service()).store.query.rows({ find: 'promotionCounters', limit: 1_000 })
    for (let at = 0; at < 5; at++) await given({ custId: 'C7' })
    assert.deepEqual(await (await service()).store.query.rows({ find: 'promotionCounters', limit: 1_000 }), before)
  })
})

onBothStores('promotions of a world', (store) => {
  const service = sharedService(store, { world: promotionWorld([{ promocode: 'P', percent: '10', upTo: '50.00', visible: false }]) })
  const merge = async (promotion: object) => {
    const { store, ports } = await service()
    await loadWorld(store, ports.vault, readWorld({ promotions: [{ mid: MID, promocode: 'P', ...promotion }] }), {
      signedModify: 'optional',
      now: 0,
    })
    ports.promotions.forget()
  }

  test('are merged: what is named is set, what is left out stays; a flat amount replaces a percentage', async () => {
    const running = await service()
    const given = async () => (await applied(running)).breakup.instantDiscount
    assert.equal(await given(), '0.00')
    await merge({ visible: true })
    assert.equal(await given(), '50.00')
    await merge({ upTo: '60.00' })
    assert.equal(await given(), '60.00')
    await merge({ flat: '70.00' })
    assert.equal(await given(), '70.00')
    await merge({ percent: '20' })
    assert.equal(await given(), '200.00')
  })

  test('that PUT /sandbox/world changes are seen by the next request', async () => {
    const running = await service()
    const promotions = [{ mid: MID, promocode: 'PUT', flat: '900.00' }]
    const headers = { 'content-type': 'application/json' }
    const put = await fetch(`${running.url}/sandbox/world`, { method: 'PUT', body: JSON.stringify({ promotions }), headers })
    assert.equal(put.status, 200)
    assert.equal((await applied(running)).breakup.promocodeApplied, 'PUT')
  })

  test('are read and locked at once with all that the world names, so that no payer waits for a row longer than its write takes', async () => {
    const { store, ports } = await service()
    const reads: number[] = []
    const counting = watched(store, {
      read(rows, keys) {
        reads.push(keys.length)
        return rows
      },
    })
    const promotions = Array.from({ length: 100 }, (_, at) => ({ mid: MID, promocode: `MANY${at}`, flat: '1.00', visible: false }))
    const customers = Array.from({ length: 100 }, (_, at) => ({ mobile: String(9_000_000_000 + at), walletBalance: '1.00' }))
    for (const title of ['first', 'then']) {
      const world = readWorld({ customers, promotions: promotions.map((each) => ({ ...each, title })) })
      await loadWorld(counting, ports.vault, world, { signedModify: 'optional', now: 0 })
    }
    assert.deepEqual(reads, [201, 201], 'and the merchant')
    const rows = await store.query.rows({ find: 'promotions', equals: { mid: MID }, limit: 200 })
    assert.equal(rows.filter(({ title }) => title === 'then').length, 100)
  })

  const mistakes: [promotion: object, says: RegExp][] = [
    [{ promocode: 'NEW' }, /promotion NEW .*"flat" or "percent" is needed/],
    [{ promocode: 'NEW', flat: '1.00', percent: '1' }, /"flat" or "percent", not both/],
    [{ promocode: 'NEW', flat: '1.00', upTo: '1.00' }, /"upTo" belongs to "percent"/],
    [{ promocode: 'NEW', flat: '0' }, /the offer is zero/],
    [{ promocode: 'NEW', percent: '0.0' }, /the offer is zero/],
    [{ promocode: 'NEW', percent: '1', upTo: '0.00' }, /the offer is zero/],
    [{ promocode: 'NEW', percent: '100.01' }, /percent must match/],
    [{ promocode: 'NEW', flat: '1.00', validFrom: '2026-06-16', validUpto: '2026-06-15' }, /"validFrom" is after "validUpto"/],
    [{ promocode: 'NEW', flat: '1.00', validFrom: '2026-02-30' }, /validFrom must match format "date"/],
    [{ promocode: 'NEW', flat: '1.00', bins: ['4111111'] }, /bins\/0 must match/],
    [{ promocode: 'NEW', flat: '1.00', payMethods: ['CASH'] }, /payMethods\/0 must be equal/],
    [{ promocode: 'NEW', flat: '1.00', title: '10 \u20b9 off' }, /title must match/],
    [{ promocode: 'NEW', flat: '1.00', maxPerCustomer: 0 }, /maxPerCustomer must be >= 1/],
    [{ promocode: 'NEW CODE', flat: '1.00' }, /promocode must match/],
    [{ promocode: 'NEW', flat: '1.00', colour: 'red' }, /"colour"/],
  ]
  for (const [promotion, says] of mistakes) {
    test(`are refused in words: ${JSON.stringify(promotion)}`, async () => {
      const { store } = await service()
      await assert.rejects(
        () => merge(promotion),
        (error) => error instanceof WorldError && says.test(error.message),
      )
      assert.equal(await store.query.row(look('promotions', MID, 'NEW')), undefined)
    })
  }
})
