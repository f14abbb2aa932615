// `mohur acquirer check` at adapters that keep the contract of docs/acquirer.md and at those that break it, and payments over a line that
// breaks.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Means } from '../../../../../src/adapters/acquirer/acquirer.ts'
import { checkAll } from '../../../../../src/cli/acquirer-check/acquirer.ts'
import { Subject } from '../../../../../src/cli/acquirer-check/acquirer-subject.ts'
import type { Given } from '../../../../../src/cli/acquirer-check/check.ts'
import { SystemClock } from '../../../../../src/engine/clock.ts'
import { ADAPTER_SECRET, type Flaw, startAdapter } from '../../../../support/bank/adapter.ts'
import { payOverBreakingLine } from '../../../../support/bank/breaking-bank.ts'
import { mohurCommand, mohurHere } from '../../../../support/run/process.ts'
import { onBothStores } from '../../../../support/run/service.ts'

const SEED = 1
const PAGE_CARD = '4000000000003220'

onBothStores('paying through an adapter', (store) => {
  test("over a line that breaks at any byte, every payment arrives once at most, is over a week later, and the books are the bank's", async () => {
    const { broken, last } = await payOverBreakingLine(store, 100, SEED)
    assert.ok(broken > 10, `seed ${SEED}: the line broke ${broken} times`)
    assert.deepEqual(Object.keys(last).sort(), ['FAILURE', 'SUCCESS'], `seed ${SEED}`)
  })
})

const MEANS = {
  paid: 'card:4111111111111111,123,12/2030',
  declined: 'upi:declined@bank',
  pending: 'upi:pending@bank',
  otp: `card:${PAGE_CARD},123,12/2030`,
  'otp-value': '123123',
}

async function check(url: string, { secret = ADAPTER_SECRET, means = MEANS as Record<string, string>, env = {}, run = mohurHere } = {}) {
  const flags = Object.entries({ ...(url && { url, secret }), ...means }).flatMap(([name, value]) => [`--${name}`, value])
  const { code, out, err } = await run(['acquirer', 'check', ...flags], env)
  const of = (verdict: string) =>
    out
      .split('\n')
      .filter((line) => line.startsWith(`${verdict} `))
      .map((line) => line.slice('skipped  '.length))
  return { code, out, err, broken: of('broken'), skipped: of('skipped') }
}

test('`mohur acquirer check` finds nothing wrong with an adapter that keeps the contract', async () => {
  const adapter = await startAdapter(new SystemClock())
  const whole = await check(adapter.url, { run: mohurCommand })
  assert.deepEqual([whole.code, whole.broken, whole.skipped, whole.err], [0, [], [], ''])
  assert.match(whole.out, /\n44 kept, 0 broken, 0 skipped\n$/)
  const { paid, declined } = { ...MEANS, paid: 'upi:success@bank' }
  const env = { MOHUR_ACQUIRER_URL: adapter.url, MOHUR_ACQUIRER_SECRET: ADAPTER_SECRET }
  const least = await check('', { means: { paid, declined }, env })
  assert.deepEqual([least.code, least.broken, least.skipped.length], [0, [], 7])
  assert.doesNotMatch(whole.out + least.out, /4111|whsec/)
  const before = await startAdapter(new SystemClock(), [], { modes: undefined, cancels: false })
  const older = await check(before.url)
  assert.deepEqual([older.code, older.broken, older.skipped.length], [0, [], 14], 'mandates and cancel may be left out')
  assert.match(older.out, /\n30 kept, 0 broken, 14 skipped\n$/)
})

const visa = (number: string): Means => ({ kind: 'card', number, cvv: '123', expiryMonth: 12, expiryYear: 2030 })
const given: Given = {
  paid: visa('4111111111111111'),
  declined: { kind: 'upiCollect', vpa: 'declined@bank' },
  pending: { kind: 'upiCollect', vpa: 'pending@bank' },
  otp: { means: visa(PAGE_CARD), value: '123123' },
}

const named: readonly [Flaw, RegExp][] = [
  ['takes unsigned calls', /^a call that is not signed is refused with 401: HTTP 200, not 401$/],
  ['takes old calls', /^a call signed ten minutes ago is refused with 401: HTTP 200/],
  ['takes a call for another', /^a call that was signed for another path is refused with 401: HTTP 200/],
  ['pays a key twice', /^the same call again is the same payment: two answers differ/],
  ['pays once, and races', /^the same call ten times at once is one payment: two answers differ/],
  ['takes another amount under one key', /^the same key with another amount is refused with 409, and the first payment stands: HTTP 200/],
  ['pays what it called absent', /^a key that was called absent is never paid: it was called absent and then ended as success$/],
  ['gives back more than it took', /^a refund above the rest fails, and a refund of the rest succeeds: .* ended as success$/],
  [
    'gives back nothing that it called absent',
    /^a refund that was called absent may still be sent, once: it was called absent and then ended as failure$/,
  ],
  [
    'says that all was given back',
    /^a part is refunded, and the same call again is the same refund: the status of its payment says refundedPaise 1005$/,
  ],
  ['answers late what is paid', /^status gives the answer of authorize at once: two answers differ/],
  ['does not sign', /^a payment takes the requested amount: authorize: the answer is not signed \(docs\/acquirer\.md, "Answers"\)$/],
  ['chokes on a new member', /^an unknown member is ignored: authorize: the answer has HTTP status 400 \(docs\/acquirer\.md, "Answers"\)$/],
  ['takes every one-time password', /^a wrong one-time password does not pay, the right one does: a wrong one is success$/],
  ['counts a one-time password twice', /^a wrong one-time password that arrives ten times uses up one try: it is failure$/],
  ['debits a key twice', /^the same debit ten times at once is one debit, and status finds it: two answers differ/],
  [
    'only says that it pauses',
    /^a paused mandate is not debited and says so, .*: a debit on it is success, or its failure is not mandatePaused$/,
  ],
  ['pays what it called back', /^a payment that waits for its payer and is cancelled has failed, in status too, .*: two answers differ/],
  ['calls back what is paid', /^a payment that has ended does not change by cancel: two answers differ/],
  ['names no payee in its links', /^a link to a UPI app names payee, .*: missing or wrong: pa, pn$/],
  ['writes a space as + in its links', /^a link to a UPI app writes @ as it stands and a space as %20: pn has \+$/],
  ['writes @ as %40 in its links', /^a link to a UPI app writes @ as it stands and a space as %20: pa has %40$/],
  [
    'debits what was not approved',
    /^a debit that needs its payer's approval is not made before it: it ended as success, or its failure is not notAuthenticated$/,
  ],
  ['answers the first of many', /^many debits in one call are answered one by one, and again the same: it is not answered$/],
]

for (const [flaw, expected] of named) {
  test(`\`mohur acquirer check\` names what is wrong with an adapter that ${flaw}`, async () => {
    const adapter = await startAdapter(new SystemClock(), [flaw])
    const lines: string[] = []
    const subject = new Subject({ url: adapter.url, secret: ADAPTER_SECRET, mid: 'CHECK' })
    assert.ok((await checkAll(subject, given, (line) => lines.push(line))) > 0)
    const broken = lines.filter((line) => line.startsWith('broken ')).map((line) => line.slice('broken   '.length))
    assert.ok(
      broken.some((line) => expected.test(line)),
      broken.join('\n'),
    )
  })
}

test('`mohur acquirer check` says what it needs, and reports an address without a server', async () => {
  const adapter = await startAdapter(new SystemClock())
  const { paid, declined } = MEANS
  const mistakes: [Record<string, string>, RegExp][] = [
    [{ paid }, /--declined MEANS is needed/],
    [{ paid, declined: 'cash' }, /--declined must be upi:/],
    [{ paid: 'card:4111,1,1/2', declined }, /--paid must be upi:/],
    [{ paid, declined, otp: paid }, /--otp and --otp-value/],
    [{ paid, declined, secret: 'hunter2' }, /--secret must be/],
  ]
  for (const [means, message] of mistakes) {
    const { code, err } = await check(adapter.url, { means })
    assert.equal(code, 2)
    assert.match(err, message)
    assert.doesNotMatch(err, /4111|hunter2/)
  }
  const unsigned = await startAdapter(new SystemClock(), ['does not sign'])
  assert.equal((await check(unsigned.url, { means: { paid, declined } })).code, 1)
  const nobody = await check('http://127.0.0.1:1', { means: { paid, declined }, run: mohurCommand })
  assert.equal(nobody.code, 1)
  assert.match(nobody.out, /the connection failed/)
  assert.match(nobody.out, /0 kept/)
})
