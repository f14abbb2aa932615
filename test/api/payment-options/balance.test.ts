// Whose balance Fetch Balance Info reports, and to whom: docs/interface.md section 4.43.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../../src/api/operations.ts'
import { toRupees } from '../../../src/interface/money.ts'
import { demoWorld, type World } from '../../../src/sandbox/world.ts'
import { customerKey } from '../../../src/tables/keys.ts'
import { issueSsoToken } from '../../support/mandates/subscription.ts'
import { ask, BALANCE, byToken, OPTIONS } from '../../support/paying/options.ts'
import { createOrder, type Order, pay } from '../../support/paying/paying.ts'
import { codeAndMessage, codeOf } from '../../support/run/replies.ts'
import { MID, onBothStores, type Reply, type Service, sharedService } from '../../support/run/service.ts'
import { sized } from '../../support/run/sizes.ts'
import { revoke, signIn, signInAt } from '../../support/signin/tokens.ts'
import { Random } from '../../support/text/random.ts'

const CASES = sized(60, 1_000)
const SEED = 20_261_127
const PAYERS = 40
const EDGES = [0, 1, 99, 100, 199_999_99, 200_000_00]
const mobileOf = (payer: number) => `98765${String(payer).padStart(5, '0')}`
const balances = new Random(SEED)
const drawnCustomers = Array.from({ length: PAYERS }, (_, payer) => ({
  mobile: mobileOf(payer),
  walletBalance: toRupees(EDGES[payer] ?? balances.below(20_000_000)),
}))
const [ASHA, RAVI] = ['9876600001', '9876600002']
const named = [
  { mobile: ASHA, walletBalance: '123.45' },
  { mobile: RAVI, walletBalance: '50.00' },
]
const world: World = { ...demoWorld, customers: [...drawnCustomers, ...named] }

const rupees = (value: string) => ({ txnAmount: { value, currency: 'INR' } })
const ASKED = { paymentMode: 'BALANCE' }
const { paths } = operations.fetchBalanceInfo

const saidBy = ({ body }: Reply): string | undefined => body.balanceInfo?.value

onBothStores('the balance', (store) => {
  const service = sharedService(store, { world, env: { MOHUR_OTP_SENDS_PER_HOUR: '100', MOHUR_OTP_SENDS_PER_DAY: '100' } })
  let ids = 0
  const order = async (more: object = {}) => createOrder(await service(), `BALANCE-${++ids}`, more)
  /** An order whose payer came with it by an SSO token. */
  const ordered = async (mobile: string, more: object = {}) => {
    const running = await service()
    const paytmSsoToken = await issueSsoToken(running, `sso-${store}-${++ids}`, { userId: `user-${mobile}`, mobile })
    return order({ paytmSsoToken, userInfo: { custId: `C${mobile}` }, ...more })
  }
  const asks = async ({ orderId, txnToken }: Order, path: string = BALANCE) =>
    ask(await service(), byToken(path, orderId, txnToken, path === OPTIONS ? {} : ASKED))
  const rowOf = async (mobile: string) => toRupees((await (await service()).ports.query.row(customerKey(mobile)))!.walletBalancePaise)

  test('is what the wallet’s row holds, for the payer of the order and for no other caller, over drawn cases', async (t) => {
    const running = await service()
    const drawn = new Random(SEED)
    const figures = { cases: 0, right: 0, paid: 0, asOthers: 0, toOthers: 0 }
    for (let at = 0; at < CASES; at++) {
      const [payer, other] = [mobileOf(drawn.below(PAYERS)), mobileOf(drawn.below(PAYERS))]
      const own = drawn.below(4) === 0 ? await atCheckout(running, payer) : await ordered(payer)
      if (drawn.below(3) === 0) figures.paid += await spent(running, payer, drawn)
      const said = saidBy(await asks(own, drawn.pick(paths)))
      figures.cases++
      if (said !== undefined && said === (await rowOf(payer))) figures.right++
      const [strangers, others] = [await order(), await ordered(other)]
      for (const reply of await toOthers(own, strangers, others)) {
        figures.asOthers++
        if (saidBy(reply) !== undefined || reply.text.includes('balanceInfo')) figures.toOthers++
        assert.ok(['1006', '2004'].includes(codeOf(reply)), reply.text)
      }
      assert.equal(saidBy(await asks(others)), await rowOf(other), 'each payer sees their own')
    }
    t.diagnostic(`seed ${SEED}: ${JSON.stringify(figures)}`)
    assert.deepEqual([figures.right, figures.toOthers], [CASES, 0])
  })

  async function atCheckout(running: Service, mobile: string) {
    const made = await order()
    await signInAt(running, made.orderId, made.txnToken, mobile)
    return made
  }
  /** Pays by the wallet, where it has enough. */
  async function spent(running: Service, mobile: string, drawn: Random): Promise<number> {
    const small = await ordered(mobile, rupees(toRupees(1 + drawn.below(500))))
    const code = codeOf(await pay(running, small, ASKED))
    assert.ok(['0000', '235'].includes(code), code)
    return code === '0000' ? 1 : 0
  }
  /** Callers who are not the payer of `own`: the holder of an order without a signed-in payer, and that of another payer's order. */
  const toOthers = async (own: Order, strangers: Order, others: Order) => [
    await asks(strangers),
    await asks({ ...own, txnToken: strangers.txnToken }),
    await asks({ ...own, txnToken: others.txnToken }),
    await asks({ ...strangers, txnToken: own.txnToken }),
    await asks({ ...own, txnToken: `${String(ids).padStart(32, 'a')}1781497922000` }),
  ]

  test('is what Fetch Payment Options shows of the wallet, and has the members that its readers know', async () => {
    const own = await ordered(ASHA)
    const { body } = await asks(own)
    assert.deepEqual(body, {
      resultInfo: { resultStatus: 'S', resultCode: '0000', resultMsg: 'Success' },
      balanceInfo: { value: '123.45', currency: 'INR' },
      passCodeRequired: false,
      accountStatus: 'ACTIVE',
    })
    const modes = (await asks(own, OPTIONS)).body.merchantPayOption.paymentModes
    const wallet = modes.find(({ paymentMode }: { paymentMode: string }) => paymentMode === 'BALANCE')
    assert.deepEqual(wallet.payChannelOptions[0].balanceInfo.accountBalance, body.balanceInfo)
  })

  test('is not reported after the payer has signed out, while their number is verified anew, or once the token is over', async () => {
    const running = await service()
    const { ssoToken } = await signIn(running, ASHA, { scopes: ['wallet'] })
    const own = await order({ paytmSsoToken: ssoToken, userInfo: { custId: 'SIGNED.OUT' } })
    assert.equal(saidBy(await asks(own)), '123.45')
    assert.equal((await revoke(running, ssoToken)).status, 200)
    assert.deepEqual(codeAndMessage(await asks(own)), ['2004', 'No payer has signed in for this order'])

    const verified = await ordered(mobileOf(0))
    const key = customerKey(mobileOf(0))
    const row = { ...(await running.ports.query.row(key))!, pendingVerificationSince: running.clock.now() }
    await running.store.transaction((transaction) => transaction.write({ changes: [{ kind: 'update', key, row }], events: [], tasks: [] }))
    assert.equal(codeOf(await asks(verified)), '2004')

    const late = await ordered(RAVI)
    running.clock.advance(15 * 60_000 - 1)
    assert.equal(saidBy(await asks(late)), '50.00')
    running.clock.advance(1)
    assert.equal(codeOf(await asks(late)), '1006')
    const paid = await ordered(RAVI, rupees('1.00'))
    assert.equal(codeOf(await pay(running, paid, ASKED)), '0000')
    assert.equal(codeOf(await asks(paid)), '1006', 'a paid order is no longer open')
  })

  test('follows the payer who signed in last, and is not reported for an order that takes no wallet', async () => {
    const running = await service()
    const shared = await ordered(ASHA)
    assert.equal(saidBy(await asks(shared)), '123.45')
    await signInAt(running, shared.orderId, shared.txnToken, RAVI)
    assert.equal(saidBy(await asks(shared)), await rowOf(RAVI))
    const without = await ordered(ASHA, { disablePaymentMode: [{ mode: 'BALANCE' }] })
    assert.deepEqual(codeAndMessage(await asks(without)), ['1001', 'Invalid paymentMode'])
  })

  test('has that ceiling also where no payer has signed in', async () => {
    const running = await service()
    const { orderId, txnToken } = await createOrder(running, 'BALANCE_OF_NOBODY')
    const statuses = await Promise.all(
      Array.from({ length: 130 }, async () => (await ask(running, byToken(BALANCE, orderId, txnToken, { ...ASKED }))).status),
    )
    assert.ok(statuses.filter((status) => status === 429).length >= 10)
  })

  test('has a ceiling as the other calls of a page: sixty a minute for one token, over three operations', async () => {
    const running = await service()
    const [one, other] = [await ordered(ASHA), await ordered(ASHA)]
    const calls: readonly (readonly [string, object])[] = [
      [BALANCE, ASKED],
      [operations.fetchNbPaymentChannels.paths[0], { type: 'MERCHANT' }],
      [operations.fetchEmiDetail.paths[0], { channelCode: 'HDFC' }],
    ]
    const askAt = ({ orderId, txnToken }: Order, at: number) => {
      const [path, body] = calls[at % calls.length]!
      return ask(running, byToken(path, orderId, txnToken, { ...body }))
    }
    const statuses = await Promise.all(Array.from({ length: 130 }, async (_, at) => (await askAt(one, at)).status))
    const refused = statuses.filter((status) => status === 429).length
    assert.ok(refused >= 10 && refused <= 70, String(refused)) // 70, unless the minute changed in between
    assert.deepEqual([...new Set(statuses)].sort(), [200, 429])
    for (const at of calls.keys()) assert.equal((await askAt(other, at)).status, 200, 'another token beside it')
    const status = byToken(operations.transactionStatus.paths[0], one.orderId, one.txnToken, { mid: MID, orderId: one.orderId })
    assert.equal((await ask(running, status)).status, 200, 'the question how the payment stands is counted by itself')
  })
})
