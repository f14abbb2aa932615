// Amounts on their way in and out: docs/interface.md section 2, Money.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MONEY_PATTERN, toPaise, toRupees } from '../../src/interface/money.ts'
import { Random } from '../support/text/random.ts'

const SEED = 20_261_120
const isMoney = (text: string) => new RegExp(MONEY_PATTERN).test(text)

test('every spelling of an amount is one, and is that many paise', () => {
  const amounts: readonly (readonly [string, number])[] = [
    ['0', 0],
    ['0.0', 0],
    ['0.00', 0],
    ['0.01', 1],
    ['0.1', 10],
    ['0.10', 10],
    ['1', 100],
    ['1.5', 150],
    ['12.34', 1_234],
    ['19.99', 1_999],
    ['1.15', 115], // 114.99999999999999 when multiplied as a number
    ['4.35', 435],
    ['999999999.99', 99_999_999_999],
    ['9999999999.99', 999_999_999_999],
  ]
  for (const [text, paise] of amounts) {
    assert.equal(isMoney(text), true, text)
    assert.equal(toPaise(text), paise, text)
  }
})

test('whatever else looks like an amount is none', () => {
  const others = [
    '',
    ' ',
    '.',
    '.5',
    '1.',
    '1.234',
    '1.2.3',
    '00',
    '01',
    '00.10',
    '-1',
    '+1',
    '-0',
    '1e3',
    '1E3',
    '0x10',
    '1,000.00',
    '1 000',
    ' 1',
    '1 ',
    '1\n',
    '\n1',
    '1\u0000',
    '10000000000',
    '99999999999.99',
    'NaN',
    'Infinity',
    'null',
    '₹1',
    '1٫5',
    '१',
    '１',
    '٣',
    '1.०',
    '１.００',
    '1²',
    '½',
  ]
  for (const text of others) assert.equal(isMoney(text), false, JSON.stringify(text))
})

test('paise become rupees with two decimals and come back as they were', (t) => {
  t.diagnostic(`seed ${SEED}`)
  const random = new Random(SEED)
  for (const [paise, rupees] of [
    [0, '0.00'],
    [1, '0.01'],
    [10, '0.10'],
    [99, '0.99'],
    [100, '1.00'],
    [1_250, '12.50'],
    [999_999_999_999, '9999999999.99'],
  ] as const)
    assert.equal(toRupees(paise), rupees)
  for (let number = 0; number < 20_000; number++) {
    const paise = random.below(10 ** (1 + random.below(12)))
    assert.equal(isMoney(toRupees(paise)), true)
    assert.equal(toPaise(toRupees(paise)), paise)
  }
})
