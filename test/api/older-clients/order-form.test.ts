// The checkout form with signed values and unsigned names. It is accepted only when its values can be read in exactly one way.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentOfForm, type KnownWords, misfit, orderOfForm, wrongField } from '../../../src/api/older-clients/order-form.ts'
import { joinedValues } from '../../../src/interface/checksum.ts'
import { checksummed, type Form, OPTIONAL, orderForm, renamed } from '../../support/paying/order-forms.ts'
import { MID } from '../../support/run/service.ts'
import { Random } from '../../support/text/random.ts'

const SEED = 7
const known: KnownWords = {
  isWebsite: (name) => ['DEFAULT', 'WEB', 'retail'].includes(name),
  isBank: (code) => ['HDFC', 'SBI'].includes(code),
  isPromocode: (code) => ['TEN', 'CARD10'].includes(code),
}
const wrong = (form: Form) => misfit(form) ?? wrongField(form, known)
const signed = (more: Form = {}) => checksummed(orderForm('ORDER_1', more))

test('a form is right with what it has to hold, with any of what it may hold, and with names that hold nothing', () => {
  const optional = Object.entries(OPTIONAL)
  for (let chosen = 0; chosen < 2 ** optional.length; chosen++) {
    const form = signed(Object.fromEntries(optional.filter((_, at) => chosen & (1 << at))))
    assert.equal(wrong(form), undefined, JSON.stringify(form))
  }
  assert.equal(wrong(signed({ EMAIL: '', MOBILE_NO: 'null', THEME: '' })), undefined)
})

test('each required field is named when it is missing or empty, and each wrong field when it is wrong', () => {
  for (const name of Object.keys(orderForm('')))
    for (const value of [undefined, '', 'null']) {
      const { [name]: _, ...rest } = signed()
      assert.equal(wrong(value === undefined ? rest : { ...rest, [name]: value }), name)
    }
  assert.equal(wrong(orderForm('ORDER_1')), 'CHECKSUMHASH')
  const mistakes: Record<string, readonly string[]> = {
    AUTH_MODE: ['3d', 'HDFC'],
    BANK_CODE: ['WEB', 'hdfc'],
    CALLBACK_URL: ['javascript:alert(1)', 'https://a b', `https://shop.example/${'a'.repeat(2_048)}`, 'shop.example'],
    CHANNEL_ID: ['TV', 'web'],
    CUST_ID: ['a b', 'é', '<b>', 'a'.repeat(255)],
    EMAIL: ['asha', 'asha@', 'Retail'],
    INDUSTRY_TYPE_ID: ['1', 'a@b.example', `R${'a'.repeat(64)}`, '<b>'],
    MERC_UNQ_REF: ['a'.repeat(256), 'a\u0001'],
    MID: ['OTHER', 'A B'],
    MOBILE_NO: ['123', 'Retail', '98765432101'],
    ORDER_ID: ['A B', 'DEFAULT', 'YES', 'CC', 'a'.repeat(51)],
    PAYMENT_MODE_ONLY: ['yes', '1'],
    PAYMENT_TYPE_ID: ['CARD', 'constructor'],
    PROMO_CAMP_ID: ['NOBODY'],
    REQUEST_TYPE: ['SUBSCRIBE', 'default'],
    TXN_AMOUNT: ['0', '0.00', '1e3', '-1', '1,000', '01', '1.001', ' 1'],
    WEBSITE: ['NOBODY', 'default'],
  }
  for (const [name, values] of Object.entries(mistakes))
    for (const value of values) {
      const form = signed({ [name]: value })
      assert.equal(
        misfit(form) ?? wrongField({ ...form, MID: name === 'MID' ? value : MID }, known) ?? 'taken',
        name === 'MID' ? 'taken' : name,
        `${name}=${value}`,
      )
    }
  assert.equal(wrong(signed({ PAYMENT_MODE_ONLY: 'YES' })), 'PAYMENT_TYPE_ID')
})

test('a pipe, a name of a callback and an unknown name are refused', () => {
  assert.equal(wrong(signed({ MERC_UNQ_REF: 'a|b' })), 'MERC_UNQ_REF')
  assert.equal(wrong(signed({ THEME: 'a|' })), 'THEME')
  for (const name of ['STATUS', 'TXNID', 'RESPCODE', 'ORDERID', 'TXNAMOUNT', 'REFID', 'JsonData'])
    for (const value of ['', 'TXN_SUCCESS']) assert.equal(wrong(signed({ [name]: value })), name)
  for (const name of ['THEME', 'order_id', 'toString', 'SSO_TOKEN']) assert.equal(wrong(signed({ [name]: 'x' })), name)
})

test('values that could also stand under other names are refused, whichever of the two comes', () => {
  // A number that may be a mobile or an order, before a word that may be an order or a promocode.
  const one = signed({ ORDER_ID: '9876543210', PROMO_CAMP_ID: 'TEN' })
  const other = { ...one, MOBILE_NO: '9876543210', ORDER_ID: 'TEN', PROMO_CAMP_ID: '' }
  assert.equal(wrong(one), 'CHECKSUMHASH')
  assert.equal(wrong(other), 'CHECKSUMHASH')
  assert.equal(wrong(signed({ ORDER_ID: '9876543210' })), undefined)
  assert.equal(wrong(signed({ ORDER_ID: '9876543210', REQUEST_TYPE: 'DEFAULT', PAYMENT_TYPE_ID: 'CC' })), undefined)
})

test('among 20,000 renamings that keep the values in their order, only those that make the same order are accepted', () => {
  const random = new Random(SEED)
  const counts = { same: 0, refused: 0 }
  for (let at = 0; at < 20_000; at++) {
    const chosen = Object.fromEntries(Object.entries(OPTIONAL).filter(() => random.below(2) === 0))
    const form = checksummed(orderForm(random.pick(['ORDER_1', '9876543210', '20261121', 'TEN']), chosen))
    const { CHECKSUMHASH: _, ...other } = renamed(form, random)
    assert.equal(joinedValues(other), joinedValues(form), 'the signature holds')
    const isSame = Object.entries(other).every(([name, value]) => form[name] === value)
    if (isSame) counts.same++
    // Under another mid the key of another merchant would have to fit.
    else if (other['MID'] === MID && wrong({ ...other, CHECKSUMHASH: 'x' }) === undefined)
      assert.equal(contentOfForm(other), contentOfForm(form), JSON.stringify([form, other]))
    if (!isSame) counts.refused++
  }
  assert.ok(counts.refused > 15_000 && counts.same > 0, `seed ${SEED}: ${JSON.stringify(counts)}`)
})

test('it returns the request that Create Order would get', () => {
  assert.deepEqual(orderOfForm(signed()), {
    ...{ requestType: 'PAYMENT', mid: MID, orderId: 'ORDER_1', websiteName: 'DEFAULT' },
    ...{ txnAmount: { value: '100.00', currency: 'INR' }, userInfo: { custId: 'C1' } },
  })
  const whole = orderOfForm(signed({ ...OPTIONAL, MOBILE_NO: '+91 98765-43210', PAYMENT_MODE_ONLY: 'YES', PAYMENT_TYPE_ID: 'NB' }))
  assert.deepEqual(whole.userInfo, { custId: 'C1', email: 'asha@shop.example', mobile: '9876543210' })
  assert.deepEqual(whole.enablePaymentMode, [{ mode: 'NET_BANKING', banks: ['HDFC'] }])
  assert.deepEqual([whole.callbackUrl, whole.extendInfo], ['https://shop.example/paid', { mercUnqRef: 'order of asha' }])
  assert.deepEqual(whole.simplifiedPaymentOffers, { promoCode: 'TEN', applyAvailablePromo: false, validatePromo: false })
})
