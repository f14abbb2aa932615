// Calls of published programs about one way to pay, and the members that they read in the answers. docs/interface.md sections 4.9, 4.30,
// 4.32 and 4.43 to 4.45.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../../src/api/operations.ts'
import { demoWorld, type World } from '../../../src/sandbox/world.ts'
import { ask, BALANCE, BANKS, EMI, OPTIONS, VPA } from '../../support/paying/options.ts'
import { createOrder, type Order } from '../../support/paying/paying.ts'
import { codeAndMessage } from '../../support/run/replies.ts'
import { MID, onBothStores, sharedService } from '../../support/run/service.ts'
import { sized } from '../../support/run/sizes.ts'
import { signInAt } from '../../support/signin/tokens.ts'
import { watched } from '../../support/store/faults.ts'
import { Random } from '../../support/text/random.ts'

const WALLET = '9876512345'
const world: World = { ...demoWorld, customers: [...demoWorld.customers!, { mobile: WALLET, walletBalance: '60.00' }] }
const AMOUNT = { txnAmount: { value: '12000.00', currency: 'INR' } }

interface Program {
  /** Owner and name of the repository. */
  program: string
  path: string
  head: (txnToken: string) => object
  /** Some send a head alone. */
  body?: object
  /** Paths of the members that it reads. */
  reads: readonly string[]
}
const short = (txnToken: string) => ({ txnToken })
const typed = (token: string) => ({ tokenType: 'TXN_TOKEN', token })
const long = (txnToken: string) => ({ clientId: 'C11', version: 'v1', requestTimestamp: 1_781_497_922_000, channelId: 'WEB', txnToken })
const web = (txnToken: string) => ({ txnToken, channelId: 'WEB', requestTimestamp: 1_781_497_922, version: 'v1' })
const SAID = ['resultInfo.resultStatus', 'resultInfo.resultCode', 'resultInfo.resultMsg']
const MERCHANT = { type: 'MERCHANT' }
const BANK = ['channelCode', 'channelName', 'isDisabled.status', 'hasLowSuccess.status'].map(
  (member) => `nbPayOption.payChannelOptions.0.${member}`,
)
const NET_BANKING = ['displayName', 'priority', 'onboarding', 'paymentMode', 'isHybridDisabled', 'isDisabled.status']
const PLAN = ['planId', 'interestRate', 'ofMonths', 'minAmount.value', 'maxAmount.value', 'emiAmount.value', 'totalAmount.currency']
const PLANS = PLAN.map((member) => `emiDetail.emiChannelInfos.0.${member}`)
const BALANCE_MEMBERS = ['balanceInfo.value', 'balanceInfo.currency', 'accountStatus', 'passCodeRequired']

const programs: readonly Program[] = [
  { program: 'transport-stack/ondc-micro-mobility-buyer', path: BALANCE, head: short, body: { paymentMode: 'BALANCE' }, reads: SAID },
  {
    ...{ program: 'anirban-legalkart/Paytm-Payment-Gateway-Backend-Using-Node.js', path: BALANCE, head: short },
    ...{ body: { paymentMode: 'BALANCE' }, reads: [...SAID, ...BALANCE_MEMBERS] },
  },
  { program: 'ravaneswaran/paytm-web-integration-demo', path: BALANCE, head: long, body: { paymentMode: 'BALANCE' }, reads: SAID },
  {
    ...{ program: 'SarthakVerma97/Utility', path: operations.fetchBalanceInfo.paths[1]!, head: web },
    ...{ body: { paymentMode: 'BALANCE' }, reads: SAID },
  },
  {
    ...{ program: 'transport-stack/ondc-micro-mobility-buyer', path: '/fetchPaymentOptions', head: short },
    reads: ['merchantPayOption.paymentModes.0.paymentMode'],
  },
  { program: 'SarthakVerma97/Utility', path: BANKS, head: (token) => ({ ...web(token), ...typed(token) }), body: MERCHANT, reads: SAID },
  {
    ...{ program: 'anirban-legalkart/Paytm-Payment-Gateway-Backend-Using-Node.js', path: BANKS, head: typed, body: MERCHANT },
    reads: [...SAID, ...BANK],
  },
  {
    ...{ program: 'ashudevs/negbuyapi', path: BANKS, head: (token) => ({ channelId: 'WEB', ...typed(token) }), body: MERCHANT },
    reads: [...SAID, ...BANK],
  },
  {
    ...{ program: 'ravaneswaran/techsocialist', path: BANKS, head: long, body: MERCHANT },
    reads: [...SAID, ...BANK, ...NET_BANKING.map((member) => `nbPayOption.${member}`)],
  },
  { program: 'SarthakVerma97/Utility', path: EMI, head: web, body: { channelCode: 'SBI' }, reads: SAID },
  {
    program: 'ravaneswaran/paytm-web-integration-demo',
    path: EMI,
    head: long,
    body: { channelCode: 'HDFC,ICICI' },
    reads: [...SAID, ...PLANS],
  },
  {
    ...{ program: 'ravaneswaran/techsocialist', path: EMI, head: long, body: { channelCode: 'HDFC,ICICI' } },
    reads: [...SAID, ...PLANS, 'emiDetail.isHybridDisabled'],
  },
  {
    ...{ program: 'SarthakVerma97/Utility', path: VPA, head: (token) => ({ txnToken: token, tokenType: 'TXN_TOKEN', channelId: 'WEB' }) },
    ...{ body: { numericId: '9876512345', mid: MID }, reads: [...SAID, 'valid'] },
  },
]

const member = (body: unknown, path: string) =>
  path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], body)
onBothStores('calls of published programs', (store) => {
  let read: string[] = []
  const service = sharedService(store, {
    world,
    store: (real) => watched(real, { query: (table) => read.push(table) }),
  })
  let ids = 0
  const order = async (more: object = {}) => createOrder(await service(), `PUBLISHED-${++ids}`, { ...AMOUNT, ...more })
  const send = async ({ orderId, txnToken }: Order, path: string, body: object, head: object = typed(txnToken)) =>
    ask(await service(), { path, query: { mid: MID, orderId }, head: { ...head }, body: { ...body } })

  for (const { program, path, head, body, reads } of programs)
    test(`${program} gets at ${path} what it reads`, async () => {
      const running = await service()
      const { orderId, txnToken } = await order()
      if (body && 'paymentMode' in body) await signInAt(running, orderId, txnToken, WALLET)
      const text = JSON.stringify({ head: head(txnToken), ...(body && { body }) })
      const reply = await running.post(`${path}?mid=${MID}&orderId=${orderId}`, text)
      assert.deepEqual([reply.status, ...codeAndMessage(reply)], [200, '0000', 'Success'], reply.text)
      for (const each of reads) assert.ok(member(reply.body, each) !== undefined, `${each} is not in ${reply.text}`)
      if (body && 'paymentMode' in body) assert.equal(reply.body.balanceInfo.value, '60.00')
    })

  test('the banks of an order are those of its payment options, and none where it takes no net banking', async () => {
    const of = async (more: object = {}) => {
      const made = await order(more)
      const [banks, options] = [await send(made, BANKS, MERCHANT), await send(made, OPTIONS, {})]
      const mode = options.body.merchantPayOption.paymentModes.find(
        ({ paymentMode }: { paymentMode: string }) => paymentMode === 'NET_BANKING',
      )
      return { nbPayOption: banks.body.nbPayOption, mode }
    }
    const all = await of()
    assert.deepEqual(all.nbPayOption, all.mode)
    assert.ok(all.nbPayOption.payChannelOptions.length > 10)
    const two = await of({ enablePaymentMode: [{ mode: 'NET_BANKING', banks: ['SBI', 'PNB'] }, { mode: 'UPI' }] })
    assert.deepEqual(two.nbPayOption, two.mode)
    assert.equal(two.nbPayOption.payChannelOptions.length, 2)
    const none = await of({ disablePaymentMode: [{ mode: 'NET_BANKING' }] })
    assert.equal(none.mode, undefined)
    const { payChannelOptions, isDisabled, priority } = none.nbPayOption
    assert.deepEqual([payChannelOptions, isDisabled.status, priority], [[], 'true', '0'])
  })

  test('the plans of banks are those of the payment options, in the order in which they are asked about', async () => {
    const made = await order()
    const { body: options } = await send(made, OPTIONS, {})
    const { payChannelOptions } = options.merchantPayOption.paymentModes.find(
      ({ paymentMode }: { paymentMode: string }) => paymentMode === 'EMI',
    )
    const plansOf = (bank: string) =>
      payChannelOptions.find(({ channelCode }: { channelCode: string }) => channelCode === bank).emiChannelInfos
    const detail = async (body: object) => (await send(made, EMI, body)).body.emiDetail
    const { emiChannelInfos, channelCode, emiType } = await detail({ channelCode: 'ICICI,HDFC,ICICI,NOBANK' })
    assert.deepEqual([channelCode, emiType], ['ICICI,HDFC,ICICI,NOBANK', 'CREDIT_CARD'])
    const listed = emiChannelInfos.map(({ maxAmount: _most, emiAmount, channelCode: _bank, ...plan }: Record<string, unknown>) => {
      assert.deepEqual(emiAmount, plan['perInstallment'])
      return plan
    })
    assert.deepEqual(listed, [...plansOf('ICICI'), ...plansOf('HDFC')])
    assert.deepEqual((await detail({ channelCode: 'NOBANK' })).emiChannelInfos, [])
    assert.deepEqual((await detail({ channelCode: 'HDFC', emiType: 'DEBIT_CARD' })).emiChannelInfos, [], 'no Debit Card EMI here')
    assert.deepEqual((await detail({ channelCode: 'HDFC', amount: { value: '10.00', currency: 'INR' } })).emiChannelInfos, [])
    const most = await detail({ channelCode: 'HDFC', amount: { value: '9999999999.99', currency: 'INR' } })
    assert.ok(most.emiChannelInfos.length > 0)
    assert.match(most.emiChannelInfos[0].totalAmount.value, /^[0-9]+\.[0-9]{2}$/)
  })

  test('a numericId is judged by its form: known and unknown mobiles have one answer, and nothing is looked up', async (t) => {
    const running = await service()
    const made = await order()
    const random = new Random(7)
    const known = [WALLET, ...demoWorld.customers!.map(({ mobile }) => mobile)]
    const unknown = Array.from({ length: sized(40, 400) }, () => `${6 + random.below(4)}${String(random.below(1e9)).padStart(9, '0')}`)
    const answers = new Set<string>()
    const tables = new Set<string>()
    for (const numericId of [...known, ...unknown]) {
      read = []
      const reply = await send(made, VPA, { numericId })
      assert.equal(reply.body.numericId, numericId)
      answers.add(JSON.stringify(reply.body).replace(numericId, 'N'))
      for (const table of read) if (table !== 'settings') tables.add(table) // the service itself reads settings
    }
    t.diagnostic(`${known.length} known, ${unknown.length} unknown: ${answers.size} answer; tables read: ${[...tables].sort().join(', ')}`)
    assert.deepEqual(
      [...answers].map((answer) => JSON.parse(answer).valid),
      [true],
    )
    assert.deepEqual([...tables].sort(), ['merchants', 'orders'])

    for (const [numericId, valid] of [
      ['12345678', true],
      ['123456789', true],
      ['12345678901', true],
      ['1234567890', false],
      ['1234567', false],
      ['123456789012', false],
      ['98765 12345', false],
      ['+919876512345', false],
      ['९८७६५१२३४५', false],
      ['asha@upi', false],
    ] as const) {
      const { body } = await send(made, VPA, { numericId })
      assert.deepEqual([body.resultInfo.resultCode, body.numericId, body.valid], ['0000', numericId, valid], numericId)
    }
    const both = await send(made, VPA, { vpa: 'asha@upi', numericId: '9876512345' })
    assert.deepEqual(codeAndMessage(both), ['1001', 'Invalid numericId'])
    for (const [name, written] of [
      ['numericId', '9876512345'],
      ['numericID', '"9876512345"'],
      ['numericID', '9876512345'],
    ] as const) {
      const text = `{"head":${JSON.stringify(typed(made.txnToken))},"body":{"${name}":${written}}}`
      const { body, text: said } = await running.post(`${VPA}?mid=${MID}&orderId=${made.orderId}`, text)
      assert.deepEqual([body.numericId, body.valid, body.vpa], ['9876512345', true, undefined], `${text}: ${said}`)
    }
    for (const written of ['9876512345.0', '9e9', '-9876512345', '98765123451234567', 'true', '{}', '[1]'])
      assert.deepEqual(
        codeAndMessage(
          await running.post(
            `${VPA}?mid=${MID}&orderId=${made.orderId}`,
            `{"head":${JSON.stringify(typed(made.txnToken))},"body":{"numericId":${written}}}`,
          ),
        ),
        ['1001', 'Invalid numericId'],
        written,
      )
  })
})
