// What a promotion gives, as pure functions: properties over random carts and promotions. A failure prints its seed.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { withoutCardNumbers } from '../../../src/api/card/without-card-numbers.ts'
import { wire } from '../../../src/domain/promotion/apply-promo.ts'
import {
  bestOffers,
  byMerit,
  type Cart,
  isLimited,
  judgePromotion,
  limitReached,
  type Offer,
  reasons,
} from '../../../src/domain/promotion/evaluate.ts'
import { benefitPaise, type Promotion, prepare, reckonedOnPaise } from '../../../src/domain/promotion/promotion.ts'
import { ORDER_PAYMENT_MODES } from '../../../src/interface/fields.ts'
import { toPaise, toRupees } from '../../../src/interface/money.ts'
import type { Row } from '../../../src/tables/tables.ts'

const SEED = 20_260_615
const RUNS = 500
const TODAY = '2026-06-15'
const AMOUNT_MAX_PAISE = 999_999_999_999 // ten digits of rupees

const plain: Row<'promotions'> = {
  mid: 'M',
  promocode: 'PLAIN',
  kind: 'DISCOUNT',
  title: 'plain',
  flatPaise: 1_000,
  percentHundredths: null,
  upToPaise: null,
  minAmountPaise: 0,
  payMethods: [],
  banks: [],
  bins: [],
  skus: [],
  validFrom: '2026-01-01',
  validUpto: '2026-12-31',
  budgetPaise: null,
  fundedBy: 'merchant',
  maxPerCustomer: null,
  visible: true,
}
const promotionOf = (more: Partial<Row<'promotions'>>): Promotion =>
  prepare([{ ...plain, ...more }], TODAY).byCode.get(more.promocode ?? 'PLAIN')!
const percent = (hundredths: number, more: Partial<Row<'promotions'>> = {}) =>
  promotionOf({ flatPaise: null, percentHundredths: hundredths, ...more })
const option = (amountPaise: number, more: Partial<Cart['options'][number]> = {}): Cart['options'][number] => ({
  amountPaise,
  payMethod: 'CREDIT_CARD',
  bankCode: undefined,
  bin: undefined,
  ...more,
})
const cartOf = (options: readonly Cart['options'][number][], more: Partial<Cart> = {}): Cart => ({
  options,
  totalPaise: options.reduce((sum, { amountPaise }) => sum + amountPaise, 0),
  items: [],
  custId: undefined,
  ...more,
})

const item = (sku: string, paise?: number) => ({ skus: [sku], paise })

// Few values of each kind, so that promotions and carts meet.
const methods = ['UPI', 'CREDIT_CARD', 'NET_BANKING'] as const
const banks = ['HDFC', 'SBI'] as const
const bins = ['411111', '41111122', '512345'] as const
const skus = ['shirt', 'shoes'] as const
const some = <T>(values: readonly T[]) => fc.subarray([...values])
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 2 })
const amount = fc.oneof(fc.integer({ min: 1, max: 50_000 }), fc.integer({ min: 1, max: AMOUNT_MAX_PAISE }))

const rowArbitrary = fc
  .record({
    kind: fc.constantFrom('DISCOUNT' as const, 'CASHBACK' as const),
    flat: fc.boolean(),
    flatPaise: amount,
    percentHundredths: fc.integer({ min: 1, max: 10_000 }),
    upToPaise: maybe(amount),
    minAmountPaise: fc.oneof(fc.constant(0), amount),
    payMethods: some(methods),
    banks: some(banks),
    bins: some(bins),
    skus: some(skus),
    validFrom: fc.constantFrom('2026-06-14', TODAY, '2026-06-16'),
    validUpto: fc.constantFrom(TODAY, '2026-06-16', '2026-12-31'),
    budgetPaise: maybe(amount),
    maxPerCustomer: maybe(fc.integer({ min: 1, max: 5 })),
    visible: fc.boolean(),
  })
  .map(({ flat, ...row }) => ({
    ...plain,
    ...row,
    ...(flat ? { percentHundredths: null, upToPaise: null } : { flatPaise: null }),
  }))
const rowsArbitrary = fc
  .array(rowArbitrary, { maxLength: 40 })
  .map((rows) => rows.map((row, at): Row<'promotions'> => ({ ...row, promocode: `P${String(at).padStart(2, '0')}` })))
const cartArbitrary: fc.Arbitrary<Cart> = fc
  .record({
    options: fc.array(
      fc.record({
        amountPaise: amount,
        payMethod: fc.constantFrom(...methods),
        bankCode: fc.constantFrom(undefined, ...banks),
        bin: fc.constantFrom(undefined, '41111111', '41111122', '5123', '512345'),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    items: some(skus).map((chosen) => chosen.map((sku) => ({ skus: [sku], paise: undefined }))),
    custId: fc.constantFrom(undefined, 'C1'),
  })
  .map(({ options, ...more }) => cartOf(options, more))

const check = <T extends [unknown, ...unknown[]]>(property: fc.IProperty<T>) => fc.assert(property, { seed: SEED, numRuns: RUNS })

/** All visible offers, the best first, found by judging every promotion. */
function allOffers(rows: readonly Row<'promotions'>[], cart: Cart): Offer[] {
  const offers = [...prepare(rows, TODAY).byCode.values()]
    .filter(({ visible }) => visible)
    .map((promotion) => judgePromotion(promotion, cart))
    .filter((verdict) => typeof verdict !== 'string')
  return offers.sort(byMerit)
}
const codes = (offers: readonly Offer[]) => offers.map(({ promotion, paise }) => `${promotion.promocode} ${paise}`)

describe(`properties of an offer (seed ${SEED})`, () => {
  test('an offer gives more than nothing, and never more than the amount, the cap or the flat amount', () => {
    check(
      fc.property(rowArbitrary, cartArbitrary, (row, cart) => {
        const promotion = prepare([{ ...row, validFrom: TODAY }], TODAY).byCode.get(row.promocode)!
        const offer = judgePromotion(promotion, cart)
        if (typeof offer === 'string') return
        const onPaise = reckonedOnPaise(promotion, cart.options, cart.items)
        assert(Number.isSafeInteger(offer.paise) && offer.paise > 0 && offer.paise <= onPaise && onPaise <= cart.totalPaise)
        assert(onPaise >= row.minAmountPaise)
        assert(offer.paise <= (row.upToPaise ?? Number.POSITIVE_INFINITY) && offer.paise <= (row.flatPaise ?? Number.POSITIVE_INFINITY))
      }),
    )
  })

  test('a percentage is exact to the paisa, however large the amount', () => {
    check(
      fc.property(amount, fc.integer({ min: 1, max: 10_000 }), (paise, hundredths) => {
        assert.equal(BigInt(benefitPaise(percent(hundredths), paise)), (BigInt(paise) * BigInt(hundredths)) / 10_000n)
      }),
    )
  })

  test('a larger amount never gets a smaller benefit', () => {
    check(
      fc.property(rowArbitrary, amount, amount, (row, one, other) => {
        const promotion = prepare([{ ...row, validFrom: TODAY }], TODAY).byCode.get(row.promocode)!
        assert(benefitPaise(promotion, Math.min(one, other)) <= benefitPaise(promotion, Math.max(one, other)))
      }),
    )
  })

  test('the search that stops early finds the same best offers as asking every promotion', () => {
    check(
      fc.property(rowsArbitrary, cartArbitrary, fc.constantFrom(1, 2, 8, 64), (rows, cart, atMost) => {
        const all = allOffers(rows, cart)
        const certain = all.findIndex(({ promotion }) => !isLimited(promotion, cart.custId))
        const wanted = all.slice(0, Math.min(atMost, certain < 0 ? atMost : certain + 1))
        assert.deepEqual(codes(bestOffers(prepare(rows, TODAY), cart, atMost, new Set())), codes(wanted))
      }),
    )
  })

  test('used-up promotions are passed over, and the best of the rest is found', () => {
    check(
      fc.property(rowsArbitrary, cartArbitrary, fc.integer({ min: 0, max: 10 }), (rows, cart, usedUp) => {
        const all = allOffers(rows, cart)
        const live = prepare(rows, TODAY)
        const without = new Set(all.slice(0, usedUp).map(({ promotion }) => live.byCode.get(promotion.promocode)!))
        assert.deepEqual(codes(bestOffers(live, cart, 1, without)), codes(all.slice(usedUp, usedUp + 1)))
      }),
    )
  })

  test('an offer within its limits never takes a promotion over its budget', () => {
    check(
      fc.property(rowArbitrary, amount, amount, fc.integer({ min: 0, max: 6 }), (row, paise, usedPaise, usesOfCustomer) => {
        const promotion = prepare([{ ...row, validFrom: TODAY }], TODAY).byCode.get(row.promocode)!
        const reached = limitReached({ promotion, paise }, { paise: usedPaise, usesOfCustomer })
        const over = row.budgetPaise !== null && usedPaise + paise > row.budgetPaise
        assert.equal(reached !== undefined, over || (row.maxPerCustomer !== null && usesOfCustomer >= row.maxPerCustomer))
      }),
    )
  })
})

describe('a limit', () => {
  const offer = { promotion: promotionOf({ budgetPaise: 5_000, maxPerCustomer: 2 }), paise: 1_000 }
  test('lets the last paisa of a budget go, and not one more', () => {
    assert.equal(limitReached(offer, { paise: 4_000, usesOfCustomer: 0 }), undefined)
    assert.equal(limitReached(offer, { paise: 4_001, usesOfCustomer: 0 }), reasons.budget)
  })
  test('lets a customer have the last use, and not one more', () => {
    assert.equal(limitReached(offer, { paise: 0, usesOfCustomer: 1 }), undefined)
    assert.equal(limitReached(offer, { paise: 0, usesOfCustomer: 2 }), reasons.customerLimit)
  })
})

describe('a request', () => {
  test('whose total is not the sum of its options is refused, whatever the two are', () => {
    const rupees = fc.integer({ min: 0, max: 10_000_000 }).map(toRupees)
    check(
      fc.property(fc.array(rupees, { minLength: 1, maxLength: 5 }), rupees, fc.boolean(), (amounts, other, right) => {
        const sum = amounts.reduce((total, of) => total + toPaise(of), 0)
        const request = {
          mid: 'M',
          paymentOptions: amounts.map((transactionAmount) => ({ transactionAmount, payMethod: 'UPI' as const })),
          totalTransactionAmount: right ? toRupees(sum) : other,
        }
        const refusals = wire.check!(request, 0, {})
        assert.equal(refusals.length === 0, toPaise(request.totalTransactionAmount) === sum)
      }),
    )
  })
})

describe('a promotion', () => {
  const cart = (paise: number, more: Partial<Cart['options'][number]> = {}) => cartOf([option(paise, more)])
  const paiseOf = (promotion: Promotion, of: Cart) => {
    const offer = judgePromotion(promotion, of)
    return typeof offer === 'string' ? offer : offer.paise
  }

  const gives: [what: string, promotion: Promotion, cart: Cart, paise: number | string][] = [
    ['a flat amount', promotionOf({ flatPaise: 5_000 }), cart(20_000), 5_000],
    ['no more than the payment', promotionOf({ flatPaise: 5_000 }), cart(4_999), 4_999],
    ['a percentage', percent(1_000), cart(20_000), 2_000],
    ['a percentage, rounded down', percent(333), cart(9_999), 332],
    ['half a percent', percent(50), cart(20_000), 100],
    ['all of it', percent(10_000), cart(20_000), 20_000],
    ['no more than its cap', percent(1_000, { upToPaise: 1_500 }), cart(20_000), 1_500],
    ['exactly its cap', percent(1_000, { upToPaise: 2_000 }), cart(20_000), 2_000],
    ['nothing when that is less than a paisa', percent(1), cart(9_999), reasons.tooSmall],
    ['at its minimum', promotionOf({ minAmountPaise: 20_000 }), cart(20_000), 1_000],
    ['not below its minimum', promotionOf({ minAmountPaise: 20_000 }), cart(19_999), 'This offer needs a payment of at least Rs 200.00'],
    ['by pay method', promotionOf({ payMethods: ['UPI', 'CREDIT_CARD'] }), cart(20_000), 1_000],
    ['not by another pay method', promotionOf({ payMethods: ['UPI'] }), cart(20_000), reasons.payMethod],
    ['by bank', promotionOf({ banks: ['HDFC'] }), cart(20_000, { bankCode: 'HDFC' }), 1_000],
    ['not by another bank', promotionOf({ banks: ['HDFC'] }), cart(20_000, { bankCode: 'SBI' }), reasons.bank],
    ['not without a bank', promotionOf({ banks: ['HDFC'] }), cart(20_000), reasons.bank],
    ['by six digits', promotionOf({ bins: ['411111'] }), cart(20_000, { bin: '41111199' }), 1_000],
    ['by eight digits', promotionOf({ bins: ['41111199'] }), cart(20_000, { bin: '41111199' }), 1_000],
    ['not by eight other digits', promotionOf({ bins: ['41111198'] }), cart(20_000, { bin: '41111199' }), reasons.bin],
    ['not by eight digits of which six are known', promotionOf({ bins: ['41111199'] }), cart(20_000, { bin: '411111' }), reasons.bin],
    ['not without a card', promotionOf({ bins: ['411111'] }), cart(20_000), reasons.bin],
    ['by item', promotionOf({ skus: ['shirt'] }), cartOf([option(20_000)], { items: [item('shoes'), item('shirt')] }), 1_000],
    ['not for other items', promotionOf({ skus: ['shirt'] }), cartOf([option(20_000)], { items: [item('shoes')] }), reasons.items],
    [
      'on no more than its items cost',
      percent(1_000, { skus: ['shirt'] }),
      cartOf([option(20_000)], { items: [item('shoes', 15_000), item('shirt', 5_000)] }),
      500,
    ],
    [
      'on the whole payment when a price is not said',
      percent(1_000, { skus: ['shirt'] }),
      cartOf([option(20_000)], { items: [item('shirt')] }),
      2_000,
    ],
    ['not without items', promotionOf({ skus: ['shirt'] }), cartOf([option(20_000)]), reasons.items],
    [
      'on the part that fits',
      percent(1_000, { payMethods: ['UPI'] }),
      cartOf([option(20_000), option(7_000, { payMethod: 'UPI' }), option(3_000, { payMethod: 'UPI' })]),
      1_000,
    ],
    [
      'not when its minimum is met only by parts that do not fit',
      promotionOf({ payMethods: ['UPI'], minAmountPaise: 20_000 }),
      cartOf([option(20_000), option(7_000, { payMethod: 'UPI' })]),
      'This offer needs a payment of at least Rs 200.00',
    ],
    [
      'not when no single part has both its bank and its card',
      promotionOf({ banks: ['HDFC'], bins: ['411111'] }),
      cartOf([option(20_000, { bankCode: 'HDFC' }), option(20_000, { bin: '41111111' })]),
      reasons.bin,
    ],
  ]
  for (const [what, promotion, of, paise] of gives) {
    test(`${typeof paise === 'number' ? 'gives' : 'applies'} ${what}`, () => assert.equal(paiseOf(promotion, of), paise))
  }

  const days: [validFrom: string, validUpto: string, live: boolean][] = [
    [TODAY, TODAY, true],
    ['2026-06-14', '2026-06-16', true],
    ['2026-06-01', '2026-06-14', false],
    ['2026-06-16', '2026-06-30', false],
  ]
  for (const [validFrom, validUpto, live] of days) {
    test(`valid from ${validFrom} up to ${validUpto} is ${live ? '' : 'not '}live on ${TODAY}`, () => {
      assert.equal(prepare([{ ...plain, validFrom, validUpto }], TODAY).byCode.has('PLAIN'), live)
    })
  }

  const better: [what: string, first: Partial<Row<'promotions'>>, second: Partial<Row<'promotions'>>][] = [
    ['a larger benefit', { flatPaise: 1_001, kind: 'CASHBACK', validUpto: '2026-12-31' }, { flatPaise: 1_000, validUpto: TODAY }],
    ['a discount before cashback', { kind: 'DISCOUNT', validUpto: '2026-12-31' }, { kind: 'CASHBACK', validUpto: TODAY }],
    ['an earlier end', { promocode: 'Z', validUpto: TODAY }, { promocode: 'A', validUpto: '2026-06-16' }],
    ['the name', { promocode: 'A' }, { promocode: 'B' }],
  ]
  for (const [what, first, second] of better) {
    test(`is better by ${what}, in whichever order the two are found`, () => {
      const rows = [
        { ...plain, promocode: 'SECOND', ...second },
        { ...plain, promocode: 'WINNER', ...first },
      ]
      for (const order of [rows, rows.toReversed()]) {
        const [offer] = bestOffers(prepare(order, TODAY), cart(20_000), 1, new Set())
        assert.equal(offer?.promotion.promocode, first.promocode ?? 'WINNER')
      }
    })
  }

  test('that is hidden is not found without its code, and every pay method has its list', () => {
    const live = prepare([{ ...plain, visible: false }], TODAY)
    assert.deepEqual(bestOffers(live, cart(20_000), 1, new Set()), [])
    assert.equal(live.byCode.size, 1)
    assert.deepEqual([...live.visible.keys()], [...ORDER_PAYMENT_MODES])
  })
})

describe('a card number', () => {
  const kept = (cardNo: string | number | null | object) =>
    (withoutCardNumbers({ paymentOptions: [{ cardNo: cardNo as string }] })['paymentOptions'] as { cardNo: string }[])[0]!.cardNo

  test('keeps its first eight and its last four digits', () => {
    assert.equal(kept('4111111122223333'), '411111113333')
    assert.equal(kept('4111111122223333444'), '411111113444')
    assert.equal(kept('4111111122223'), '411111112223')
  })
  test('that is short, as the beginning of one is, keeps what it has', () => {
    for (const cardNo of ['411111', '41111111', '411111112222']) assert.equal(kept(cardNo), cardNo)
  })
  test('of another form leaves nothing of itself', () => {
    for (const cardNo of [
      '4111 1111 2222 3333',
      '41111',
      '41111111222233334444',
      '4111-1111-2222-3333',
      4111111122223333,
      { no: '4111111122223333' },
    ])
      assert.equal(kept(cardNo), 'not a card number')
  })
  test('does not touch options without one, or what is no option', () => {
    const body = { paymentOptions: [{ payMethod: 'UPI' }, 'text', null, 7], custId: 'C1' }
    assert.deepEqual(withoutCardNumbers(body), body)
    assert.deepEqual(withoutCardNumbers({ paymentOptions: 'text' }), { paymentOptions: 'text' })
  })
})
