// `mohur acquirer check --cashfree` in its own process, at the simulator. It finds nothing wrong with Mohur's adapter, and names each of
// ten faults in copies of the adapter.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { accountAt } from '../../../support/cashfree/account.ts'
import { PLANTED, UNKIND, type Unkind } from '../../../support/cashfree/planted-faults.ts'
import { CashfreeSimulator, CLIENT_SECRET } from '../../../support/cashfree/simulator.ts'
import { withPlantedSource } from '../../../support/run/planted-source.ts'
import { mohurCommand } from '../../../support/run/process.ts'

const NO_CARDS = 'Cashfree is asked for UPI and net banking only'
const NO_MANDATES = ['it collects no mandates by the means of --paid', 'it takes one debit at a time']
const CHECKS = 44

interface Ran {
  flags?: readonly string[]
  env?: Record<string, string>
  where?: Unkind
  /** A checkout with a planted fault. */
  copy?: string
}

async function check({ flags = [], env = {}, where = {}, copy }: Ran = {}) {
  const bank = Object.assign(await CashfreeSimulator.start(), where)
  after(() => bank.stop())
  const file = copy && join(copy, 'src/cli/mohur.ts')
  const { code, out, err } = await mohurCommand(['acquirer', 'check', '--cashfree', ...flags], { ...accountAt(bank.url), ...env }, '', file)
  await bank.stop()
  assert.doesNotMatch(out + err, new RegExp(`${CLIENT_SECRET}|whsec`))
  const linesOf = (verdict: string) =>
    out.split('\n').flatMap((line) => (line.startsWith(`${verdict} `) ? [line.slice('skipped  '.length)] : []))
  return { code, out, err, bank, kept: linesOf('kept'), broken: linesOf('broken'), skipped: linesOf('skipped') }
}

test('nothing is broken, and each check that Cashfree has no use for says so', async (t) => {
  const { code, err, bank, kept, broken, skipped } = await check()
  assert.deepEqual([code, broken, err], [0, [], ''])
  const reasons = skipped.map((line) => line.slice(line.lastIndexOf(': ') + 2))
  assert.deepEqual([...new Set(reasons)].sort(), [NO_CARDS, ...NO_MANDATES])
  assert.equal(reasons.filter((reason) => reason === NO_CARDS).length, 4)
  assert.equal(kept.length + skipped.length, CHECKS)
  assert.ok(bank.recorded.some(({ path, status }) => path === '/simulate' && status === 200))
  t.diagnostic(
    `${kept.length} kept, ${broken.length} broken, ${skipped.length} skipped; ${bank.orders.size} orders, ${bank.recorded.length} calls`,
  )
})

test('nothing is broken by net banking either, where Cashfree’s pages take the place of links', async () => {
  const flags = ['--paid', 'bank:HDFC', '--declined', 'bank:HDFC', '--pending', 'bank:HDFC']
  const { code, broken, skipped, err } = await check({ flags, where: { payLinks: 'page' } })
  assert.deepEqual([code, broken, err], [0, [], ''])
  assert.equal(skipped.filter((line) => line.endsWith('it gives no link to a UPI app')).length, 2)
})

test('nothing is broken while lists lag, orders expire under payments, payers pay a fee and a repeated refund is refused', async () => {
  const { code, broken, err } = await check({ where: UNKIND })
  assert.deepEqual([code, broken, err], [0, [], ''])
})

test('wrong keys are named as the reason', async () => {
  const { code, broken, err } = await check({ env: { MOHUR_CASHFREE_CLIENT_SECRET: 'another' } })
  assert.equal(code, 1)
  assert.ok(broken.includes('a payment takes the requested amount: Cashfree refused the order with HTTP 401'), broken.join('\n'))
  assert.match(err, /^CHECK:check[0-9a-f]{16}: Cashfree refused the order with HTTP 401$/m)
})

const production = {
  MOHUR_MODE: 'production',
  MOHUR_MASTER_KEY: Buffer.alloc(32).toString('base64'),
  MOHUR_PUBLIC_URL: 'https://pay.shop.example',
  MOHUR_CASHFREE_URL: '',
}
const mistakes: readonly [what: string, ran: Ran, sentence: RegExp][] = [
  ['production', { env: production }, /^--cashfree is for the sandbox: it pays by a simulation/],
  ['production that lacks a setting', { env: { MOHUR_MODE: 'production' } }, /^--cashfree is for the sandbox: it pays by a simulation/],
  [
    'an account that is not named',
    { env: { MOHUR_CASHFREE_CLIENT_ID: '', MOHUR_CASHFREE_CLIENT_SECRET: '' } },
    /^--cashfree needs MOHUR_CASHFREE/,
  ],
  ['the address of an adapter', { flags: ['--url', 'https://psp.example'] }, /^--url does not go with --cashfree/],
  ['a card', { flags: ['--paid', 'card:4111111111111111,123,12/2030'] }, /^--paid must be upi, or bank:CODE/],
  ['a bank without a number', { flags: ['--declined', 'bank:SBI'] }, /^--declined must be upi, or bank:CODE/],
]
for (const [what, ran, sentence] of mistakes)
  test(`${what} is refused with a sentence, and Cashfree is not called`, async () => {
    const { code, err, bank } = await check(ran)
    assert.deepEqual([code, bank.recorded.length], [2, 0])
    assert.match(err, sentence)
    assert.doesNotMatch(err, /4111/)
  })

let found = 0
for (const { fault, source, named, where } of PLANTED)
  test(`it names a planted fault: ${fault}`, async (t) => {
    await withPlantedSource(source, async (copy) => {
      const { code, broken, out, err } = await check({ copy, ...(where && { where }) })
      const line = broken.find((each) => named.test(each))
      assert.ok(code === 1 && line !== undefined, `${out}${err}`)
      t.diagnostic(line)
    })
    found++
  })

test('all ten planted faults are named', (t) => {
  t.diagnostic(`${found} of ${PLANTED.length} planted faults are named`)
  assert.deepEqual([found, PLANTED.length], [10, 10])
})
