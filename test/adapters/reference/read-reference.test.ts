// The operator's lists of banks, card ranges, EMI plans and UPI handles: their answers, and their faults.

import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { readReference } from '../../../src/adapters/reference/read-reference.ts'
import { type BinRange, instalmentsOf, overlap, referenceOf } from '../../../src/reference/reference.ts'

const SAMPLE = join(import.meta.dirname, '../../../src/adapters/reference/sample')
const card = { scheme: 'VISA', paymentMode: 'CREDIT_CARD', bank: 'HDFC', emi: false, isIndian: true } as const
const none = { banks: [], bins: [], plans: [], handles: [], categories: [] }

test('the sample knows its banks, cards, plans and handles', () => {
  const reference = readReference()
  assert.deepEqual(reference.bank('HDFC'), { code: 'HDFC', name: 'HDFC Bank', ifsc: 'HDFC', netBanking: true })
  assert.equal(reference.bank('NOSUCH'), undefined)
  assert.deepEqual(reference.bin('41111111'), { ...card, emi: true })
  assert.deepEqual(reference.bin('411111'), { ...card, emi: true })
  assert.equal(reference.bin('999999'), undefined)
  assert.deepEqual(
    reference.emiPlans('HDFC', 300_000).map(({ planId }) => planId),
    ['HDFC|3', 'HDFC|6', 'HDFC|9'],
  )
  assert.deepEqual(reference.emiPlans('HDFC', 299_999), [])
  assert.deepEqual(reference.emiPlans('NOSUCH', 300_000), [])
  assert.deepEqual(reference.emiPlan('HDFC|6'), {
    planId: 'HDFC|6',
    bank: 'HDFC',
    tenure: 6,
    interestHundredths: 1_400,
    minAmountPaise: 300_000,
  })
  assert.deepEqual([reference.knowsHandle('upi'), reference.knowsHandle('UPI'), reference.knowsHandle('toString')], [true, true, false])
})

test('six or seven digits name a range only when it holds every card that begins with them', () => {
  const { bin } = referenceOf({ ...none, bins: [{ ...card, from: '52008200', to: '52008299' }] })
  assert.equal(bin('520082')?.bank, 'HDFC')
  assert.equal(bin('52008250')?.bank, 'HDFC')
  assert.equal(bin('520083'), undefined)
  const narrow = referenceOf({ ...none, bins: [{ ...card, from: '52008200', to: '52008250' }] })
  assert.equal(narrow.bin('520082'), undefined)
  assert.equal(narrow.bin('5200825'), undefined)
  assert.equal(narrow.bin('5200824')?.bank, 'HDFC')
  assert.equal(narrow.bin('520082509')?.bank, 'HDFC', 'more than eight digits say no more')
})

test('a card is found in the range that holds it, whatever ranges there are', () => {
  const eight = fc.integer({ min: 10_000_000, max: 10_000_400 })
  fc.assert(
    fc.property(fc.array(fc.tuple(eight, eight), { maxLength: 20 }), eight, (ends, number) => {
      const bins: BinRange[] = []
      for (const [a, b] of ends) {
        const next = { ...card, from: String(Math.min(a, b)), to: String(Math.max(a, b)), bank: `B${bins.length}` }
        if (!overlap([...bins, next])) bins.push(next)
      }
      const holding = bins.find(({ from, to }) => from <= String(number) && String(number) <= to)
      assert.equal(referenceOf({ ...none, bins }).bin(String(number))?.bank, holding?.bank)
    }),
    { seed: 20261120 },
  )
})

test('instalments are whole paise, cover the total, and never ask a month more than is needed', () => {
  const plan = (tenure: number, interestHundredths: number) => ({ planId: '', bank: '', tenure, interestHundredths, minAmountPaise: 0 })
  assert.deepEqual(instalmentsOf(plan(3, 1_300), 1_000_000), { interestPaise: 32_500, totalPaise: 1_032_500, instalmentPaise: 344_167 })
  assert.deepEqual(instalmentsOf(plan(9, 0), 900), { interestPaise: 0, totalPaise: 900, instalmentPaise: 100 })
  assert.deepEqual(instalmentsOf(plan(3, 1), 1), { interestPaise: 1, totalPaise: 2, instalmentPaise: 1 })
  fc.assert(
    fc.property(
      fc.constantFrom(3, 6, 9),
      fc.integer({ min: 0, max: 10_000 }),
      fc.integer({ min: 1, max: 999_999_999_999 }),
      (tenure, rate, amountPaise) => {
        const { interestPaise, totalPaise, instalmentPaise } = instalmentsOf(plan(tenure, rate), amountPaise)
        assert.equal(totalPaise, amountPaise + interestPaise)
        assert.ok(instalmentPaise * tenure >= totalPaise && (instalmentPaise - 1) * tenure < totalPaise)
        const [charged, owed] = [BigInt(interestPaise) * 120_000n, BigInt(amountPaise) * BigInt(rate) * BigInt(tenure)]
        assert.ok(charged >= owed && charged - owed < 120_000n)
        assert.ok(Number.isSafeInteger(totalPaise))
      },
    ),
    { seed: 20261120 },
  )
})

interface Lists {
  'banks.json': { banks: Record<string, unknown>[] }
  'bins.json': { bins: Record<string, unknown>[] }
  'emi-plans.json': { plans: Record<string, unknown>[] }
  'merchant-categories.json': { categories: Record<string, unknown>[] }
  'vpa-handles.json': { handles: unknown[] }
}
const mistakes: readonly [what: string, file: keyof Lists, change: (lists: Lists) => void, message: string][] = [
  ['a bank without a name', 'banks.json', ({ 'banks.json': { banks } }) => delete banks[1]!['name'], 'banks[1].name is missing'],
  ['a bank twice', 'banks.json', ({ 'banks.json': { banks } }) => banks.push(banks[0]!), 'SBI appears twice'],
  ['a scheme of its own', 'bins.json', ({ 'bins.json': { bins } }) => (bins[0]!['scheme'] = 'CASH'), 'bins[0].scheme is wrong'],
  ['five digits', 'bins.json', ({ 'bins.json': { bins } }) => (bins[0]!['from'] = '41111'), 'bins[0].from is wrong'],
  ['a range backwards', 'bins.json', ({ 'bins.json': { bins } }) => (bins[0]!['to'] = '000000'), '371449 to 000000 is not a range'],
  ['ends of two lengths', 'bins.json', ({ 'bins.json': { bins } }) => (bins[0]!['to'] = '37828299'), '371449 to 37828299 is not a range'],
  [
    'a card of two banks',
    'bins.json',
    ({ 'bins.json': { bins } }) => bins.push({ ...bins[0]!, from: '37828250', to: '37828250' }),
    '378282 to 378282 and 37828250 to 37828250 overlap',
  ],
  [
    'a bank nobody knows',
    'bins.json',
    ({ 'bins.json': { bins } }) => (bins[0]!['bank'] = 'NOSUCH'),
    'the bank NOSUCH is not in banks.json',
  ],
  ['a tenure of its own', 'emi-plans.json', ({ 'emi-plans.json': { plans } }) => (plans[0]!['tenure'] = 4), 'plans[0].tenure is wrong'],
  [
    'a rate above all',
    'emi-plans.json',
    ({ 'emi-plans.json': { plans } }) => (plans[0]!['annualInterest'] = '100.01'),
    'plans[0].annualInterest is wrong',
  ],
  ['a plan twice', 'emi-plans.json', ({ 'emi-plans.json': { plans } }) => plans.push(plans[0]!), 'HDFC|3 appears twice'],
  [
    "a plan of nobody's",
    'emi-plans.json',
    ({ 'emi-plans.json': { plans } }) => (plans[0]!['bank'] = 'NOSUCH'),
    'the bank NOSUCH is not in banks.json',
  ],
  [
    'a category of its own',
    'merchant-categories.json',
    ({ 'merchant-categories.json': { categories } }) => (categories[0]!['category'] = 'charity'),
    'categories[0].category is wrong',
  ],
  [
    'a category twice',
    'merchant-categories.json',
    ({ 'merchant-categories.json': { categories } }) => categories.push(categories[0]!),
    '5413 appears twice',
  ],
  ['a handle with an at sign', 'vpa-handles.json', ({ 'vpa-handles.json': { handles } }) => handles.push('@upi'), 'handles[15] is wrong'],
]

for (const [what, file, change, message] of mistakes) {
  test(`${what} stops the start and says where: ${file}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'mohur-reference-'))
    try {
      cpSync(SAMPLE, folder, { recursive: true })
      const files = ['banks.json', 'bins.json', 'emi-plans.json', 'merchant-categories.json', 'vpa-handles.json']
      const lists = Object.fromEntries(files.map((name) => [name, JSON.parse(readFileSync(join(folder, name), 'utf8'))]))
      change(lists as Lists)
      writeFileSync(join(folder, file), JSON.stringify(lists[file]))
      assert.throws(() => readReference(folder), { name: 'SettingError', message: `MOHUR_REFERENCE: ${file}: ${message}` })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
}

test('a folder that is not there, a file that is no JSON or no object stop the start', () => {
  assert.throws(() => readReference('/nowhere'), { name: 'SettingError', message: /^MOHUR_REFERENCE: banks\.json: cannot be read as JSON/ })
  const folder = mkdtempSync(join(tmpdir(), 'mohur-reference-'))
  try {
    writeFileSync(join(folder, 'banks.json'), '[]')
    assert.throws(() => readReference(folder), { message: 'MOHUR_REFERENCE: banks.json: is not an object' })
    writeFileSync(join(folder, 'banks.json'), '{')
    assert.throws(() => readReference(folder), { message: /banks\.json: cannot be read as JSON/ })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('the sample passes the checks that a start spares it', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-lists-'))
  t.after(() => rmSync(folder, { recursive: true }))
  cpSync(SAMPLE, folder, { recursive: true })
  const [checked, spared] = [readReference(folder), readReference()]
  assert.deepEqual(checked.banks, spared.banks)
  assert.deepEqual(checked.emiPlans('HDFC', 10_000_000), spared.emiPlans('HDFC', 10_000_000))
  assert.deepEqual([checked.bin('41111111'), checked.knowsHandle('upi')], [spared.bin('41111111'), true])
})

test('every shipped list says that it is a sample', () => {
  for (const file of ['banks.json', 'bins.json', 'emi-plans.json', 'vpa-handles.json'])
    assert.match(JSON.parse(readFileSync(join(SAMPLE, file), 'utf8')).about, /^A sample .*MOHUR_REFERENCE/)
})
